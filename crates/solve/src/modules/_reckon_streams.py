"""Makes a fresh interpreter ours: output goes to the parent, no input, no files, nothing that tells about the machine."""

import _io
import builtins
import sys
from _reckon import write as _write


def _no_open(file, *_args, **_named):
    raise PermissionError("the sandbox has no files")


class _NoFile(_io._RawIOBase):
    def __init__(self, *_args, **_named):
        raise PermissionError("the sandbox has no files")


# The library imports the name; nothing can be made of it.
_io.FileIO = _NoFile
_io.open = _io.open_code = builtins.open = _no_open


class _Output:
    encoding = "utf-8"
    errors = "backslashreplace"
    newlines = None
    mode = "w"
    closed = False
    line_buffering = False

    def __init__(self, name, shown):
        self.name = name
        self._shown = shown

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        _write(text, self._shown)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def close(self):
        pass

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def fileno(self):
        raise OSError("the sandbox has no file descriptors")


class _Input:
    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"
    mode = "r"
    closed = False

    def _refuse(self, *_):
        raise EOFError("the sandbox has no input")

    read = readline = readlines = __next__ = _refuse

    def __iter__(self):
        return self

    def isatty(self):
        return False

    def readable(self):
        return True

    def writable(self):
        return False

    def fileno(self):
        raise OSError("the sandbox has no file descriptors")


sys.stdout = sys.__stdout__ = _Output("<stdout>", True)
sys.stderr = sys.__stderr__ = _Output("<stderr>", False)
sys.stdin = sys.__stdin__ = _Input()
sys.orig_argv = [""]
# What the interpreter says about itself would name the compiler and the repository of its build.
sys.version = sys.version.split()[0] + " (default) [RustPython]"
sys._git = ("RustPython", "", "")
