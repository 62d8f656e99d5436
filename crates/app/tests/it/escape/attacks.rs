//! The corpus: what a hostile or clumsy program may try, by what it is after.

/// One program and how it must end.
pub(super) struct Attack {
    pub(super) name: &'static str,
    /// `{file}` is a file to read, `{new}` one to make, `{port}` a port that listens.
    pub(super) program: &'static str,
    /// One of these, separated by `|`, is in the error line; empty if it runs and wins nothing; `?` if either will do.
    pub(super) ends: &'static str,
}

macro_rules! attacks {
    ($($name:literal, $ends:literal, $program:literal;)*) => {
        &[$(Attack { name: $name, program: $program, ends: $ends }),*]
    };
}

pub(super) const ATTACKS: &[Attack] = attacks![
    // Files.
    "open reads", "", "try:\n    answer = 'ESCAPED' if open('{file}').read() else 0\nexcept Exception as e:\n    answer = type(e).__name__";
    "open writes", "", "try:\n    open('{new}', 'w').write('x')\n    answer = 'ESCAPED'\nexcept Exception as e:\n    answer = type(e).__name__";
    "open a descriptor", "", "r = []\nfor fd in range(64):\n    try:\n        r.append(open(fd, 'rb').read(1)); r.append('ESCAPED')\n    except Exception as e:\n        pass\nanswer = r";
    "io.open", "Error", "import io\nanswer = 'ESCAPED' + io.open('{file}').read()";
    "io.FileIO", "Error", "import io\nanswer = 'ESCAPED' + io.FileIO('{file}').read().decode()";
    "_io.FileIO", "Error", "import _io\nanswer = 'ESCAPED' + _io.FileIO('{file}').read().decode()";
    "io.open_code", "Error", "import io\nanswer = 'ESCAPED' + io.open_code('{file}').read().decode()";
    "_pyio", "Error", "import _pyio\nanswer = 'ESCAPED' + _pyio.open('{file}').read()";
    "codecs.open", "Error", "import codecs\nanswer = 'ESCAPED' + codecs.open('{file}').read()";
    "pathlib reads", "Error", "import pathlib\nanswer = 'ESCAPED' + pathlib.Path('{file}').read_text()";
    "pathlib writes", "Error", "import pathlib\npathlib.Path('{new}').write_text('x')\nanswer = 'ESCAPED'";
    "os.open", "PermissionError", "import os\nanswer = os.open('{file}', 0), 'ESCAPED'";
    "os.listdir", "PermissionError", "import os\nanswer = os.listdir('/'), 'ESCAPED'";
    "os.remove", "PermissionError", "import os\nos.remove('{file}')\nanswer = 'ESCAPED'";
    "posix", "Error", "import posix\nanswer = posix.open('{file}', 0), 'ESCAPED'";
    "shutil.copy", "Error", "import shutil\nshutil.copy('{file}', '{new}')\nanswer = 'ESCAPED'";
    "tempfile", "Error", "import tempfile\nanswer = tempfile.mkstemp(), 'ESCAPED'";
    "linecache", "ModuleNotFoundError", "import linecache\nanswer = linecache.getlines('{file}')";
    "fileinput", "Error", "import fileinput\nanswer = 'ESCAPED' + ''.join(fileinput.input('{file}'))";
    "mmap", "Error", "import mmap\nanswer = mmap.mmap(-1, 10), 'ESCAPED'";
    "sqlite", "Error", "import sqlite3\nsqlite3.connect('{new}')\nanswer = 'ESCAPED'";
    "zipfile", "Error", "import zipfile\nzipfile.ZipFile('{new}', 'w').close()\nanswer = 'ESCAPED'";
    "runpy", "Error", "import runpy\nrunpy.run_path('{file}')\nanswer = 'ESCAPED'";
    "exec of a file", "Error", "exec(open('{file}').read())\nanswer = 'ESCAPED'";

    // Network.
    "socket", "Error", "import socket\nsocket.create_connection(('127.0.0.1', {port}))\nanswer = 'ESCAPED'";
    "_socket", "Error", "import _socket\n_socket.socket().connect(('127.0.0.1', {port}))\nanswer = 'ESCAPED'";
    "urllib", "Error", "import urllib.request\nanswer = 'ESCAPED', urllib.request.urlopen('http://127.0.0.1:{port}').read()";
    "http.client", "Error", "import http.client\nhttp.client.HTTPConnection('127.0.0.1', {port}).request('GET', '/')\nanswer = 'ESCAPED'";
    "asyncio", "Error", "import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', {port}))\nanswer = 'ESCAPED'";
    "file address", "Error", "import urllib.request\nanswer = 'ESCAPED' + urllib.request.urlopen('file://{file}').read().decode()";

    // Processes and signals.
    "os.system", "PermissionError", "import os\nos.system('touch {new}')\nanswer = 'ESCAPED'";
    "os.popen", "PermissionError", "import os\nanswer = 'ESCAPED' + os.popen('id').read()";
    "os.fork", "Error", "import os\nanswer = 'ESCAPED', os.fork()";
    "os.execv", "PermissionError", "import os\nos.execv('/bin/sh', ['sh', '-c', 'touch {new}'])\nanswer = 'ESCAPED'";
    "subprocess", "Error", "import subprocess\nanswer = 'ESCAPED', subprocess.run(['touch', '{new}'])";
    "_posixsubprocess", "Error", "import _posixsubprocess\nanswer = 'ESCAPED'";
    "multiprocessing", "Error", "import multiprocessing\nmultiprocessing.Process(target=print).start()\nanswer = 'ESCAPED'";
    "concurrent.futures", "Error", "from concurrent.futures import ProcessPoolExecutor\nanswer = 'ESCAPED', ProcessPoolExecutor().submit(print).result()";
    "pty", "Error", "import pty\npty.spawn('/bin/sh')\nanswer = 'ESCAPED'";
    "os.kill", "PermissionError", "import os\nos.kill(os.getppid() if hasattr(os, 'getppid') else 1, 9)\nanswer = 'ESCAPED'";
    "signal", "Error", "import signal\nsignal.alarm(0)\nanswer = 'ESCAPED'";
    "threads", "timeout|Error", "import threading\ndef f():\n    while True: pass\nfor _ in range(9):\n    threading.Thread(target=f).start()\nanswer = 'ESCAPED'";
    "_thread", "timeout|Error", "import _thread\ndef f():\n    while True: pass\n_thread.start_new_thread(f, ())\nanswer = 'ESCAPED'";

    // Native code.
    "ctypes", "Error", "import ctypes\nctypes.CDLL(None).system(b'touch {new}')\nanswer = 'ESCAPED'";
    "_ctypes", "Error", "import _ctypes\nanswer = 'ESCAPED'";
    "extension module", "Error", "import importlib.machinery as m\nm.ExtensionFileLoader('x', '{file}').load_module()\nanswer = 'ESCAPED'";
    "_imp.create_dynamic", "Error", "import _imp\nanswer = 'ESCAPED', _imp.create_dynamic(None)";

    // Around the import system.
    "importlib of posix", "Error", "import importlib\nanswer = 'ESCAPED', importlib.import_module('posix').open('{file}', 0)";
    "source loader", "Error", "from importlib.machinery import SourceFileLoader\nanswer = 'ESCAPED' + SourceFileLoader('x', '{file}').get_data('{file}').decode()";
    "frozen os", "ModuleNotFoundError", "import _imp\nr = []\nfor n in ('os', '_dummy_os'):\n    try:\n        ns = {'__name__': n}\n        exec(_imp.get_frozen_object(n), ns)\n        r.append(ns['system']('touch {new}'))\n    except BaseException as e:\n        r.append(type(e).__name__)\nanswer = r";
    "builtin loader", "", "import sys\nbad = {'posix', '_socket', '_signal', '_ctypes', '_posixsubprocess', 'mmap', 'fcntl', '_sqlite3', 'resource', 'select', '_sysconfigdata', 'faulthandler'}\nanswer = 'ESCAPED' if bad & set(sys.builtin_module_names) else 0";
    "sys.path", "Error", "import sys\nsys.path.insert(0, '/usr/lib/python3')\nimport apt\nanswer = 'ESCAPED'";
    "sys.modules", "Error", "import sys\nsys.modules.clear()\nimport posix\nanswer = posix.listdir('/'), 'ESCAPED'";
    "the build's environment", "", "r = ''\nfor n in ('_sysconfigdata', '_sysconfig', 'sysconfig'):\n    try:\n        m = __import__(n)\n        r += str(vars(m)) + str(getattr(m, 'get_config_vars', dict)())\n    except Exception as e:\n        r += type(e).__name__\nanswer = 'ESCAPED' if 'CARGO_PKG' in r or '/home/' in r or '/ro' 'ot' in r else 0";
    "environment", "", "import os\nanswer = 'ESCAPED' if os.environ or os.getenv('PATH') or os.getenv('HOME') else 0";
    "paths of the machine", "", "import sys\nr = [sys.executable, sys.prefix, sys.path, sys.argv, getattr(sys, 'orig_argv', '')]\nanswer = 'ESCAPED' if 'reckon' in str(r) or '/ro' 'ot' in str(r) or 'target' in str(r) else 0";

    // Around the object model.
    "subclasses", "?", "r = []\ndef walk(c, seen=set()):\n    for s in type.__subclasses__(c):\n        if s not in seen:\n            seen.add(s)\n            r.append(s.__module__ + '.' + s.__name__)\n            walk(s)\nwalk(object)\nbad = {'_io.FileIO', 'subprocess.Popen', 'os._wrap_close', 'socket.socket', '_socket.socket', '_ctypes.CFuncPtr', 'mmap.mmap', 'sys._SandboxStdio'}\nanswer = 'ESCAPED' if bad & set(r) else len(r) > 100";
    "warnings globals", "?", "g = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'catch_warnings'][0].__init__.__globals__\nanswer = 'ESCAPED', g['sys'].modules['posix'].system('id')";
    "frames", "not allowed", "import sys\nf = sys._getframe()\nwhile f.f_back:\n    f = f.f_back\nanswer = 'ESCAPED' if 'posix' in f.f_globals else 0";
    "code object", "?", "def f(): pass\ntry:\n    f.__code__ = f.__code__.replace(co_code=bytes([255, 255] * 100))\n    f()\nexcept BaseException as e:\n    pass\nanswer = 0";
    "marshal", "Error|crash|failed", "import marshal\nexec(marshal.loads(b'\\xe3' + bytes(range(200)) * 5))\nanswer = 'ESCAPED'";
    "restored builtins", "Error", "import builtins\ndel builtins.open\nexec('answer = open(\"{file}\").read() + \"ESCAPED\"', {'__builtins__': builtins})";
    "gc", "AttributeError", "import gc\nanswer = 'ESCAPED' if any(type(o).__name__ in ('FileIO', 'Popen', 'socket') for o in gc.get_objects()) else 0";
    "pickle", "Error", "import pickle\nanswer = 'ESCAPED', pickle.loads(b\"cposix\\nsystem\\n(S'touch {new}'\\ntR.\")";
    "pickle of os.system", "ModuleNotFoundError", "import pickle\nanswer = 'ESCAPED', pickle.loads(b\"cos\\nsystem\\n(S'touch {new}'\\ntR.\")";
    "ast and compile", "Error", "import ast\nanswer = eval(compile(ast.parse('__import__(\"posix\").system(\"id\")', mode='eval'), 'x', 'eval')), 'ESCAPED'";
    "format string", "Error", "class C: pass\nanswer = 'ESCAPED{0.__init__.__globals__[os].environ}'.format(C())";

    // The channel to the parent.
    "forged end", "", "print('\\x06\\x1c\\x00\\x00\\x00{\"value\":\"FORGED\",\"error\":null}')\nimport sys\nsys.stdout.write('\\x06\\x02\\x00\\x00\\x00{}')\nanswer = 'real'";
    "output as a frame", "", "import sys\nsys.stdout.write('\\x06' * 100)\nsys.stderr.write('\\x05\\xff\\xff\\xff\\xff')\nanswer = 1";
    "host call", "", "import _reckon\nanswer = _reckon.call('read', '{file}')";
    "host call flood", "host: more than", "import _reckon\nwhile True:\n    _reckon.call('x', 'y')";
    "huge host call", "Error", "import _reckon\nanswer = 'ESCAPED', _reckon.call('x', 'y' * (5 << 20))";
    "reading standard input", "EOFError", "import sys\nanswer = 'ESCAPED' + sys.stdin.readline()";
    "input", "EOFError", "answer = 'ESCAPED' + input('> ')";
    "fileno", "OSError", "import sys\nanswer = 'ESCAPED', sys.stdout.fileno()";

    // Memory.
    "list", "memory: more than 64 MiB", "x = []\nwhile True:\n    x.append([0] * 1000)";
    "one list", "memory: more than 64 MiB", "x = [0] * 10**10";
    "absurd list", "memory: more than 64 MiB|OverflowError", "x = [0] * 2**62";
    "string", "memory: more than 64 MiB", "x = 'a'\nwhile True:\n    x += x";
    "bytes", "memory: more than 64 MiB", "x = bytes(10**11)";
    "bytearray", "memory: more than 64 MiB", "x = bytearray()\nwhile True:\n    x.extend(bytes(1 << 20))";
    "dictionary", "memory: more than 64 MiB", "d = {}\ni = 0\nwhile True:\n    d[i] = str(i) * 100\n    i += 1";
    "set of a range", "memory: more than 64 MiB|timeout", "s = set(range(10**9))";
    "power", "memory: more than|timeout|Error", "x = 10 ** 10 ** 10";
    "shift", "memory: more than 64 MiB|Error", "x = 1 << (1 << 40)";
    "replace", "memory: more than 64 MiB", "x = ('a' * 10**6).replace('a', 'b' * 10**6)";
    "join", "memory: more than 64 MiB", "x = ('b' * 10**5).join('a' * 10**5)";
    "format width", "?", "x = f'{1:>999999999999}'";
    "generators in generators", "memory: more than|Recursion|timeout", "def g(n):\n    yield from g(n + 1)\nx = list(g(0))";
    "caught memory error", "timeout", "while True:\n    try:\n        x = 'a' * 10**12\n    except BaseException:\n        pass";
    "product", "memory: more than 64 MiB|timeout", "import itertools\nx = list(itertools.product(range(1000), repeat=4))";
    "decimal", "memory: more than|timeout|Error", "from decimal import *\ngetcontext().prec = 10**9\nx = Decimal(2).sqrt()";

    // Time.
    "loop", "timeout: more than", "while True: pass";
    "loop that catches", "timeout: more than", "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass";
    "sum of a range", "timeout: more than", "x = sum(range(10**12))";
    "regex", "timeout: more than", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')";
    "sort with a key that never ends", "timeout: more than", "class E:\n    def __lt__(self, o):\n        while True: pass\nsorted([E(), E()])";
    "huge power", "timeout: more than|memory", "x = pow(3, 10**8) % 7 * pow(7, 10**8)";
    "modular power", "timeout: more than|memory", "m = (1 << 200000) - 1\nx = [pow(3, m - i, m) for i in range(100)]";
    "huge int as text", "ValueError", "answer = 7 ** 100000";
    "huge text as int", "ValueError|timeout", "x = int('7' * 100000)\nanswer = 'ESCAPED'";
    "digit limit lifted", "timeout: more than|memory|output", "import sys\nsys.set_int_max_str_digits(0)\nanswer = 7 ** 30000000";
    "sleep", "timeout: more than", "import time\ntime.sleep(1000)";
    "factorial", "timeout: more than|memory", "import math\nx = math.factorial(10**8)";
    "infinite iterator", "timeout: more than|memory", "import itertools\nx = max(itertools.count())";
    "contains", "timeout: more than", "import itertools\nx = -1 in itertools.count()";
    "fibonacci", "timeout: more than", "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nanswer = f(60)";

    // Output.
    "print", "output: more than 16 KiB", "while True: print('x' * 1000)";
    "print that catches", "output: more than 16 KiB", "while True:\n    try:\n        print('x' * 1000)\n    except BaseException:\n        pass";
    "one long line", "output: more than 16 KiB", "print('x' * 10**7)";
    "stderr", "output: more than 16 KiB", "import sys\nwhile True: print('x' * 1000, file=sys.stderr)";
    "long exception", "ValueError: xxx", "raise ValueError('x' * 10**6)";
    "exception of many lines", "ValueError: a b", "raise ValueError('a\\nb\\r\\nc')";
    "long value", "output: more than 16 KiB", "answer = 'x' * 10**6";
    "terminal codes", "ValueError", "raise ValueError('\\x1b]0;owned\\x07')";

    // Depth.
    "recursion", "RecursionError", "def f(n): return f(n + 1)\nf(0)";
    "recursion without a limit", "Recursion|recursion|memory|timeout", "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)";
    "nested list", "Recursion|recursion|memory", "x = []\nfor _ in range(200000): x = [x]\nanswer = x";
    "nested list is dropped", "", "x = []\nfor _ in range(100000): x = [x]\nx = None\nanswer = 1";
    "equal nested lists", "Recursion|recursion", "x = []\ny = []\nfor _ in range(100000): x, y = [x], [y]\nanswer = x == y";
    "nested json", "Recursion|recursion|Error", "import json\njson.loads('[' * 200000)";
    "nested pickle", "ModuleNotFoundError", "import pickle\nx = []\nfor _ in range(100000): x = [x]\npickle.dumps(x)";
    "nested eval", "Recursion|recursion|SyntaxError|memory", "eval('(' * 200000 + ')' * 200000)";
    "nested operators", "Recursion|recursion|SyntaxError|memory|Error", "eval('-' * 1000000 + '1')";
    "nested attribute", "Recursion|recursion|SyntaxError|memory|Error", "eval('a' + '.a' * 1000000)";
    "nested sum", "", "try:\n    eval('+'.join(['1'] * 20000))\nexcept (RecursionError, MemoryError, SyntaxError):\n    pass\nanswer = 1";
    "repr that never ends", "Recursion|recursion", "class R:\n    def __repr__(self): return repr(self)\nanswer = R()";
    "repr that loops", "timeout: more than", "class R:\n    def __repr__(self):\n        while True: pass\nanswer = R()";
    "str of the exception never ends", "Recursion|E", "class E(Exception):\n    def __str__(self): return str(self)\nraise E()";
    "nested copy", "Recursion|recursion", "import copy\nx = []\nfor _ in range(100000): x = [x]\nanswer = copy.deepcopy(x) and 1";
    "metaclass", "Recursion|Error", "class M(type):\n    def __call__(c, *a): return c(*a)\nclass C(metaclass=M): pass\nC()";

    // The end.
    "sys.exit", "", "import sys\nanswer = 3\nsys.exit()";
    "sys.exit with a code", "SystemExit", "import sys\nsys.exit(7)";
    "os._exit", "PermissionError", "import os\nos._exit(0)";
    "atexit", "ModuleNotFoundError", "import atexit\nwhile_true = 'while True: pass'\natexit.register(lambda: exec(while_true))\nanswer = 1";
    "__del__", "", "class D:\n    def __del__(self):\n        while True: pass\nd = D()\nanswer = 1";
    "keyboard interrupt", "KeyboardInterrupt", "raise KeyboardInterrupt";
    "base exception", "BaseException", "raise BaseException('bye')";
    "assertion in the interpreter", "Error|failed|crashed", "import _collections_abc, types\ntypes.CodeType(*[0] * 18)\nanswer = 'ESCAPED'";
];
