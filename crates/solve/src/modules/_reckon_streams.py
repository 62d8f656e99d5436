"""The standard streams of the sandbox: output goes to the parent, there is no input."""

import sys
from _reckon import write as _write


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
