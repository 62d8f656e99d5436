"""`os.path`: paths as text. Nothing is ever looked up; no file exists."""

sep = "/"
curdir = "."
pardir = ".."
extsep = "."


def join(path, *parts):
    """Puts paths behind each other; an absolute one begins anew."""
    for part in parts:
        if part.startswith("/"):
            path = part
        elif not path or path.endswith("/"):
            path += part
        else:
            path += "/" + part
    return path


def split(path):
    """The folder and the last name."""
    at = path.rfind("/") + 1
    head, tail = path[:at], path[at:]
    if head.strip("/"):
        head = head.rstrip("/")
    return head, tail


def basename(path):
    """The last name."""
    return split(path)[1]


def dirname(path):
    """All but the last name."""
    return split(path)[0]


def splitext(path):
    """The path without its extension, and that with its dot."""
    name = basename(path)
    at = name.rfind(".")
    if at <= 0 or not name[:at].strip("."):
        return path, ""
    cut = len(path) - len(name) + at
    return path[:cut], path[cut:]


def isabs(path):
    """Whether it begins at the root."""
    return path.startswith("/")


def normpath(path):
    """Without `.` and `..` where they can be resolved."""
    if not path:
        return "."
    root = "/" if path.startswith("/") else ""
    names = []
    for name in path.split("/"):
        if name in ("", "."):
            continue
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name != ".." or not root:
            names.append(name)
    return root + "/".join(names) or "."


def abspath(path):
    """As if the current folder were the root."""
    return normpath(join("/", path))


realpath = abspath


def expanduser(path):
    """Nobody is at home."""
    return path


def exists(path):
    """Nothing does."""
    return False


isfile = isdir = islink = lexists = exists
