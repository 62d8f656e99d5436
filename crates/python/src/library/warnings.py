"""Warnings that are not shown: only the filter "error" and `catch_warnings(record=True)` act."""

filters = []
_records = []


class WarningMessage:
    def __init__(self, message, category, filename="", lineno=1, file=None, line=None,
                 source=None):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.file = file
        self.line = line
        self.source = source


def _action(message, category):
    for action, wanted, pattern in filters:
        if issubclass(category, wanted) and str(message).lower().startswith(pattern.lower()):
            return action
    return "default"


def warn(message, category=None, stacklevel=1, source=None, **options):
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        name = type(category).__name__
        raise TypeError(f"category must be a Warning subclass, not '{name}'")
    if not isinstance(message, Warning):
        message = category(message)
    action = _action(message, category)
    if action == "error":
        raise message
    if _records and action != "ignore":
        _records[-1].append(WarningMessage(message, category))


def warn_explicit(message, category, filename, lineno, **options):
    warn(message, category)


def showwarning(message, category, filename, lineno, file=None, line=None):
    pass


def formatwarning(message, category, filename, lineno, line=None):
    return f"{filename}:{lineno}: {category.__name__}: {message}\n"


_actions = ("error", "ignore", "always", "default", "module", "once")


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    if action not in _actions:
        raise AssertionError(f"invalid action: {action!r}")
    filters.insert(len(filters) if append else 0, (action, category, message))


def simplefilter(action, category=Warning, lineno=0, append=False):
    filterwarnings(action, "", category, append=append)


def resetwarnings():
    filters.clear()


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0,
                 append=False):
        self._record = record
        self._action = action
        self._category = category

    def __enter__(self):
        self._saved = list(filters)
        # Warnings caught inside a block that does not record them go nowhere.
        log = []
        _records.append(log)
        if self._action is not None:
            simplefilter(self._action, self._category)
        return log if self._record else None

    def __exit__(self, *details):
        filters[:] = self._saved
        _records.pop()
