"""Questions about live objects: kinds, members, documentation and call signatures.

Left out: source text, frames, and everything about coroutines but the names.
"""

import enum
import types


class _empty:
    pass


class _ParameterKind(enum.IntEnum):
    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4

    def __str__(self):
        return self._name_

    @property
    def description(self):
        return (
            "positional-only", "positional or keyword", "variadic positional", "keyword-only",
            "variadic keyword",
        )[self._value_]


def isfunction(object):
    return isinstance(object, types.FunctionType)


def ismethod(object):
    return isinstance(object, types.MethodType)


def isbuiltin(object):
    return isinstance(object, types.BuiltinFunctionType)


def isroutine(object):
    return isbuiltin(object) or isfunction(object) or ismethod(object) or ismethoddescriptor(object)


def ismethoddescriptor(object):
    return type(object).__name__ in ("method_descriptor", "wrapper_descriptor")


def isdatadescriptor(object):
    cls = type(object)
    return not isclass(object) and (hasattr(cls, "__set__") or hasattr(cls, "__delete__"))


def isclass(object):
    return isinstance(object, type)


def ismodule(object):
    return isinstance(object, types.ModuleType)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def isgeneratorfunction(object):
    function = unwrap(getattr(object, "__func__", object))
    code = getattr(function, "__code__", None)
    return isfunction(function) and bool(getattr(code, "co_flags", 0) & 0x20)


def iscoroutine(object):
    return False


def iscoroutinefunction(object):
    return False


def isawaitable(object):
    return False


def isabstract(object):
    return isclass(object) and bool(getattr(object, "__abstractmethods__", ()))


def getmembers(object, predicate=None):
    members = []
    for name in dir(object):
        try:
            value = getattr(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            members.append((name, value))
    return sorted(members, key=lambda member: member[0])


def getmro(cls):
    return cls.__mro__


def getmodule(object, _filename=None):
    import sys

    if ismodule(object):
        return object
    return sys.modules.get(getattr(object, "__module__", None))


def unwrap(func, *, stop=None):
    while hasattr(func, "__wrapped__") and not (stop is not None and stop(func)):
        func = func.__wrapped__
    return func


def cleandoc(doc):
    lines = doc.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins) if margins else 0
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def _inherited_doc(cls, name):
    for base in cls.__mro__:
        doc = getattr(base.__dict__.get(name), "__doc__", None)
        if doc is not None:
            return doc
    return None


def getdoc(object):
    doc = getattr(object, "__doc__", None)
    if isclass(object):
        doc = object.__dict__.get("__doc__")
        for base in object.__mro__[1:-1]:
            if doc is None:
                doc = base.__dict__.get("__doc__")
    elif doc is None and ismethod(object):
        owner = object.__self__
        doc = _inherited_doc(owner if isclass(owner) else type(owner), object.__name__)
    return cleandoc(doc) if isinstance(doc, str) else None


def getcomments(object):
    return None


def getsource(object):
    raise OSError("could not get source code")


getsourcelines = getsourcefile = getfile = getsource


def currentframe():
    return None


def stack(context=1):
    return []


def formatannotation(annotation):
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        if annotation.__module__ == "builtins":
            return annotation.__qualname__
        return f"{annotation.__module__}.{annotation.__qualname__}"
    return repr(annotation).replace("typing.", "")


class Parameter:
    empty = _empty
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = (
        _ParameterKind
    )

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        self.name = name
        self.kind = _ParameterKind(kind)
        self.default = default
        self.annotation = annotation

    def replace(self, **changes):
        values = {"name": self.name, "kind": self.kind, "default": self.default,
                  "annotation": self.annotation}
        values.update(changes)
        name = values.pop("name")
        return Parameter(name, values.pop("kind"), **values)

    def __str__(self):
        text = self.name
        if self.annotation is not _empty:
            text += f": {formatannotation(self.annotation)}"
        if self.default is not _empty:
            sign = "=" if self.annotation is _empty else " = "
            text += f"{sign}{self.default!r}"
        prefix = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
        return prefix.get(self.kind, "") + text

    def __repr__(self):
        return f'<{type(self).__name__} "{self}">'

    def _values(self):
        return self.name, self.kind, self.default, self.annotation

    def __eq__(self, other):
        return self._values() == other._values() if isinstance(other, Parameter) else NotImplemented

    def __hash__(self):
        return hash((self.name, self.kind, self.annotation))


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        result = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD):
                break
            if name not in self.arguments:
                break
            if parameter.kind == Parameter.VAR_POSITIONAL:
                result.extend(self.arguments[name])
            else:
                result.append(self.arguments[name])
        return tuple(result)

    @property
    def kwargs(self):
        result = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD):
                by_name = True
            if name not in self.arguments:
                by_name = by_name or parameter.kind != Parameter.VAR_POSITIONAL
            elif parameter.kind == Parameter.VAR_KEYWORD:
                result.update(self.arguments[name])
            elif by_name:
                result[name] = self.arguments[name]
        return result

    def apply_defaults(self):
        complete = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                complete[name] = self.arguments[name]
            elif parameter.default is not _empty:
                complete[name] = parameter.default
            elif parameter.kind == Parameter.VAR_POSITIONAL:
                complete[name] = ()
            elif parameter.kind == Parameter.VAR_KEYWORD:
                complete[name] = {}
        self.arguments = complete

    def __repr__(self):
        shown = ", ".join([f"{name}={value!r}" for name, value in self.arguments.items()])
        return f"<{type(self).__name__} ({shown})>"


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty):
        from collections import OrderedDict

        self.parameters = types.MappingProxyType(
            OrderedDict([(each.name, each) for each in parameters or ()])
        )
        self.return_annotation = return_annotation

    @classmethod
    def from_callable(cls, obj, **options):
        return signature(obj)

    def replace(self, *, parameters=_empty, return_annotation=_empty):
        if parameters is _empty:
            parameters = self.parameters.values()
        if return_annotation is _empty:
            return_annotation = self.return_annotation
        return Signature(parameters, return_annotation=return_annotation)

    def bind(self, /, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, /, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, partial):
        bound = {}
        remaining = list(args)
        kwargs = dict(kwargs)
        kinds = [each.kind for each in self.parameters.values()]
        rest_by_name = None
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind == Parameter.VAR_POSITIONAL:
                if remaining:
                    bound[name] = tuple(remaining)
                    remaining = []
            elif kind == Parameter.VAR_KEYWORD:
                rest_by_name = name
            elif remaining and kind != Parameter.KEYWORD_ONLY:
                if name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                    raise TypeError(f"multiple values for argument {name!r}")
                bound[name] = remaining.pop(0)
            elif name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                bound[name] = kwargs.pop(name)
            elif parameter.default is _empty and not partial:
                if remaining and Parameter.VAR_POSITIONAL not in kinds:
                    break
                raise TypeError(f"missing a required argument: {name!r}")
        if remaining:
            raise TypeError("too many positional arguments")
        if kwargs:
            if rest_by_name is None:
                raise TypeError(f"got an unexpected keyword argument {next(iter(kwargs))!r}")
            bound[rest_by_name] = kwargs
        return BoundArguments(self, bound)

    def __str__(self):
        shown = []
        positional_only = False
        star_needed = True
        for parameter in self.parameters.values():
            kind = parameter.kind
            if positional_only and kind != Parameter.POSITIONAL_ONLY:
                shown.append("/")
                positional_only = False
            if kind == Parameter.POSITIONAL_ONLY:
                positional_only = True
            elif kind == Parameter.VAR_POSITIONAL:
                star_needed = False
            elif kind == Parameter.KEYWORD_ONLY and star_needed:
                shown.append("*")
                star_needed = False
            shown.append(str(parameter))
        if positional_only:
            shown.append("/")
        text = f"({', '.join(shown)})"
        if self.return_annotation is not _empty:
            text += f" -> {formatannotation(self.return_annotation)}"
        return text

    def __repr__(self):
        return f"<{type(self).__name__} {self}>"

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        mine = (list(self.parameters.values()), self.return_annotation)
        return mine == (list(other.parameters.values()), other.return_annotation)


def _function_signature(function):
    code = function.__code__
    names = code.co_varnames
    count = code.co_argcount
    annotations = getattr(function, "__annotations__", {})
    defaults = function.__defaults__ or ()
    keyword_defaults = function.__kwdefaults__ or {}
    parameters = []

    def add(name, kind, default=_empty):
        parameters.append(Parameter(
            name, kind, default=default, annotation=annotations.get(name, _empty)
        ))

    for index, name in enumerate(names[:count]):
        kind = 0 if index < code.co_posonlyargcount else 1
        default_index = index - (count - len(defaults))
        add(name, kind, defaults[default_index] if default_index >= 0 else _empty)
    after = count + code.co_kwonlyargcount
    if code.co_flags & 4:
        add(names[after], 2)
    for name in names[count:after]:
        add(name, 3, keyword_defaults.get(name, _empty))
    if code.co_flags & 8:
        add(names[after + 1 if code.co_flags & 4 else after], 4)
    return Signature(parameters, return_annotation=annotations.get("return", _empty))


def _without_first(found):
    parameters = list(found.parameters.values())
    if parameters and parameters[0].kind in (0, 1):
        parameters = parameters[1:]
    return found.replace(parameters=parameters)


def _partial_signature(obj):
    found = signature(obj.func)
    parameters = []
    skipped = len(obj.args)
    by_name = False
    for parameter in found.parameters.values():
        if skipped and parameter.kind in (0, 1):
            skipped -= 1
            continue
        if parameter.name in obj.keywords and parameter.kind in (1, 3):
            parameter = parameter.replace(default=obj.keywords[parameter.name])
            by_name = True
        if by_name and parameter.kind == 2:
            continue
        if by_name and parameter.kind == 1:
            parameter = parameter.replace(kind=3)
        parameters.append(parameter)
    return found.replace(parameters=parameters)


def signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False):
    if not callable(obj):
        raise TypeError(f"{obj!r} is not a callable object")
    if ismethod(obj):
        return _without_first(signature(obj.__func__))
    if follow_wrapped:
        obj = unwrap(obj, stop=lambda each: hasattr(each, "__signature__"))
    if getattr(obj, "__signature__", None) is not None:
        return obj.__signature__
    if isfunction(obj):
        return _function_signature(obj)
    if hasattr(obj, "func") and hasattr(obj, "keywords"):
        return _partial_signature(obj)
    if isclass(obj):
        for name in ("__new__", "__init__"):
            method = getattr(obj, name, None)
            if isfunction(method):
                return _without_first(_function_signature(method))
        if obj.__module__ != "builtins" and "__init__" not in dir(obj.__bases__[0]):
            return Signature()
    elif isfunction(getattr(type(obj), "__call__", None)):
        return _without_first(_function_signature(type(obj).__call__))
    if isclass(obj) and obj.__bases__ == (object,):
        return Signature()
    raise ValueError(f"no signature found for builtin {obj!r}")


def getfullargspec(func):
    from collections import namedtuple

    parameters = list(signature(func).parameters.values())
    if ismethod(func):
        parameters = list(_function_signature(func.__func__).parameters.values())
    positional = [each for each in parameters if each.kind in (0, 1)]
    keyword = [each for each in parameters if each.kind == 3]
    spec = namedtuple(
        "FullArgSpec", "args, varargs, varkw, defaults, kwonlyargs, kwonlydefaults, annotations",
        module="inspect",
    )
    defaults = tuple([each.default for each in positional if each.default is not _empty])
    names = {each.kind: each.name for each in parameters if each.kind in (2, 4)}
    return spec(
        [each.name for each in positional], names.get(2), names.get(4), defaults or None,
        [each.name for each in keyword],
        {each.name: each.default for each in keyword if each.default is not _empty} or None,
        dict(getattr(func, "__annotations__", {})),
    )
