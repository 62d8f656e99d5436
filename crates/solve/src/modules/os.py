"""A harmless `os`: constants, paths as text, an empty environment. Whatever would touch the system is refused."""

import sys

name = "posix"
linesep = "\n"
curdir = "."
pardir = ".."
sep = "/"
extsep = "."
altsep = None
pathsep = ":"
defpath = ""
devnull = "/dev/null"

F_OK, X_OK, W_OK, R_OK = 0, 1, 2, 4
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL = 0, 1, 2, 64, 128
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2

error = OSError
environ = {}
environb = {}
supports_bytes_environ = False
supports_dir_fd = set()
supports_effective_ids = set()
supports_fd = set()
supports_follow_symlinks = set()


class stat_result(tuple):
    """What `stat` would give; nothing makes one."""


class terminal_size(tuple):
    """Columns and lines."""

    columns = property(lambda self: self[0])
    lines = property(lambda self: self[1])


class DirEntry:
    """What `scandir` would give; nothing makes one."""


class _PathLikeType(type):
    def __instancecheck__(cls, value):
        return hasattr(type(value), "__fspath__")


class PathLike(metaclass=_PathLikeType):
    """Something with a path in the file system, as text."""


def fspath(path):
    """The path as text or bytes."""
    if isinstance(path, (str, bytes)):
        return path
    try:
        path = type(path).__fspath__(path)
    except AttributeError:
        kind = type(path).__name__
        raise TypeError(f"expected str, bytes or os.PathLike object, not {kind}") from None
    if isinstance(path, (str, bytes)):
        return path
    raise TypeError("__fspath__() must give str or bytes")


def fsencode(path):
    """The path as bytes."""
    path = fspath(path)
    return path.encode() if isinstance(path, str) else path


def fsdecode(path):
    """The path as text."""
    path = fspath(path)
    return path.decode() if isinstance(path, bytes) else path


def getenv(key, default=None):
    """Nothing: there is no environment."""
    return default


def getcwd():
    """The root, and nothing in it."""
    return "/"


def getpid():
    """Always 1."""
    return 1


def cpu_count():
    """Always 1."""
    return 1


def urandom(size):
    """Bytes that are the same in every run; there is no randomness in here."""
    import random

    return random.Random(size).randbytes(size)


def get_terminal_size(*_):
    """There is no terminal."""
    raise OSError("the sandbox has no terminal")


def strerror(code):
    """What an error number means."""
    return f"error {code}"


def _refuser(name):
    def refuse(*_args, **_named):
        raise PermissionError(f"os.{name} is not allowed in the sandbox")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in (
    "_exit abort access chdir chmod chown close dup dup2 execl execv execve fdopen fstat getlogin "
    "kill killpg link listdir lstat makedirs mkdir open pipe popen posix_spawn putenv read readlink "
    "remove removedirs rename renames replace rmdir scandir spawnl spawnv stat startfile symlink "
    "system times truncate umask uname unlink unsetenv utime wait waitpid walk write"
).split():
    globals()[_name] = _refuser(_name)
del _name

import posixpath as path

sys.modules["os.path"] = path
