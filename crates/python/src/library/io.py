"""Streams in memory: StringIO and BytesIO. There are no files, so `open` is refused.

A StringIO keeps its text as a list of written pieces while writing goes on at the end, and
joins them when something else is asked; a BytesIO works on a bytearray.
"""

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
DEFAULT_BUFFER_SIZE = 8192


class UnsupportedOperation(OSError, ValueError):
    pass


def open(*args, **kwargs):
    raise PermissionError("the sandbox has no files")


class IOBase:
    _closed = False

    @property
    def closed(self):
        return self._closed

    def _check_open(self):
        if self._closed:
            # The text streams of CPython word this differently from the byte streams.
            dot = "" if isinstance(self, StringIO) else "."
            raise ValueError(f"I/O operation on closed file{dot}")

    def close(self):
        self._closed = True

    def flush(self):
        self._check_open()

    def isatty(self):
        self._check_open()
        return False

    def readable(self):
        self._check_open()
        return True

    def writable(self):
        self._check_open()
        return True

    def seekable(self):
        self._check_open()
        return True

    def fileno(self):
        raise UnsupportedOperation("fileno")

    def __enter__(self):
        self._check_open()
        return self

    def __exit__(self, *details):
        self.close()

    def __iter__(self):
        self._check_open()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint=-1):
        lines = []
        size = 0
        for line in self:
            lines.append(line)
            size += len(line)
            if hint is not None and 0 < hint <= size:
                break
        return lines

    def writelines(self, lines):
        for line in lines:
            self.write(line)


class RawIOBase(IOBase):
    pass


class BufferedIOBase(IOBase):
    pass


class TextIOBase(IOBase):
    encoding = None
    errors = None
    newlines = None


class TextIOWrapper(TextIOBase):
    def __init__(self, buffer, encoding=None, errors=None, newline=None, **options):
        raise UnsupportedOperation("the sandbox has no files")


def _size(size):
    if size is not None and not isinstance(size, int):
        raise TypeError(f"argument should be integer or None, not '{type(size).__name__}'")
    return -1 if size is None else size


class StringIO(TextIOBase):
    __module__ = "_io"
    line_buffering = False

    def __init__(self, initial_value="", newline="\n"):
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError(
                f"initial_value must be str or None, not {type(initial_value).__name__}"
            )
        self._translating = newline is None
        self._newline = newline
        self._text = ""
        self._position = 0
        self._pending = []
        self._text = self._translated(initial_value or "")

    def _translated(self, text):
        if self._translating:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        if self._newline in ("\r", "\r\n"):
            return text.replace("\n", self._newline)
        return text

    def _settle(self):
        """Joins what was appended; then text and position tell the whole state."""
        if self._pending:
            self._text += "".join(self._pending)
            self._pending = []
            self._position = len(self._text)

    def write(self, s):
        if self._closed:
            self._check_open()
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        text = self._translated(s)
        if self._pending or self._position == len(self._text):
            if text:
                self._pending.append(text)
            return len(s)
        if not text:
            return 0
        padded = self._text.ljust(self._position, "\0")
        self._text = padded[:self._position] + text + padded[self._position + len(text):]
        self._position += len(text)
        return len(s)

    def getvalue(self):
        self._check_open()
        self._settle()
        return self._text

    def read(self, size=-1, /):
        self._check_open()
        self._settle()
        size = _size(size)
        start = self._position
        end = len(self._text) if size < 0 else min(start + size, len(self._text))
        self._position = max(start, end)
        return self._text[start:end]

    def readline(self, size=-1, /):
        self._check_open()
        self._settle()
        start = self._position
        if self._newline == "":
            ends = [self._text.find(mark, start) for mark in ("\n", "\r")]
            ends = [each for each in ends if each >= 0]
            end = min(ends) + 1 if ends else len(self._text)
            if self._text[end - 1:end + 1] == "\r\n":
                end += 1
        else:
            mark = self._newline or "\n"
            found = self._text.find(mark, start)
            end = len(self._text) if found < 0 else found + len(mark)
        size = _size(size)
        if size >= 0:
            end = min(end, start + size)
        self._position = max(start, end)
        return self._text[start:end]

    def seek(self, offset, whence=0, /):
        self._check_open()
        self._settle()
        if whence not in (0, 1, 2):
            raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
        if whence == 0:
            if offset < 0:
                raise ValueError(f"Negative seek position {offset}")
            self._position = offset
        elif offset != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        elif whence == 2:
            self._position = len(self._text)
        return self._position

    def tell(self):
        self._check_open()
        self._settle()
        return self._position

    def truncate(self, size=None, /):
        self._check_open()
        self._settle()
        size = self._position if size is None else size
        if size < 0:
            raise ValueError(f"Negative size value {size}")
        self._text = self._text[:size]
        return size


class BytesIO(BufferedIOBase):
    __module__ = "_io"

    def __init__(self, initial_bytes=b""):
        if isinstance(initial_bytes, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        self._data = bytearray(initial_bytes or b"")
        self._position = 0

    def getvalue(self):
        self._check_open()
        return bytes(self._data)

    def write(self, b, /):
        self._check_open()
        if isinstance(b, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        data = bytes(b)
        if data:
            if self._position > len(self._data):
                self._data.extend(bytes(self._position - len(self._data)))
            self._data[self._position:self._position + len(data)] = data
            self._position += len(data)
        return len(data)

    def read(self, size=-1, /):
        self._check_open()
        size = _size(size)
        start = self._position
        end = len(self._data) if size < 0 else min(start + size, len(self._data))
        self._position = max(start, end)
        return bytes(self._data[start:end])

    read1 = read

    def readinto(self, buffer, /):
        data = self.read(len(buffer))
        buffer[:len(data)] = data
        return len(data)

    def readline(self, size=-1, /):
        self._check_open()
        start = self._position
        found = self._data.find(b"\n", start)
        end = len(self._data) if found < 0 else found + 1
        size = _size(size)
        if size >= 0:
            end = min(end, start + size)
        self._position = max(start, end)
        return bytes(self._data[start:end])

    def seek(self, offset, whence=0, /):
        self._check_open()
        if whence == 0 and offset < 0:
            raise ValueError(f"negative seek value {offset}")
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        origin = (0, self._position, len(self._data))[whence]
        self._position = max(origin + offset, 0)
        return self._position

    def tell(self):
        self._check_open()
        return self._position

    def truncate(self, size=None, /):
        self._check_open()
        size = self._position if size is None else size
        if size < 0:
            raise ValueError(f"negative size value {size}")
        del self._data[size:]
        return size
