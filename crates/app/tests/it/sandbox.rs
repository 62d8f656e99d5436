//! `reckon solve python`: values as Python gives them, through the real binary as parent and as child.
use crate::place::{Ended, Place, binary, is_emulated};
use flate2::read::GzDecoder;
use reckon::solve::{Limits, Run, Sandbox, Start};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// A sandbox whose children are the binary under test.
pub(crate) fn sandbox(limits: Limits) -> Sandbox {
    let start = Start {
        program: binary(),
        arguments: vec!["__sandbox".into()],
    };
    Sandbox::new(start, limits)
}

fn run(program: &str) -> Run {
    sandbox(Limits::default()).run(program, &mut |_, _| String::new())
}

/// Programs and the value that CPython 3.11 gives for each.
const VALUES: &[(&str, &str)] = &[
    // Where the value comes from.
    ("answer = 1\nans = 2\n3", "1"),
    ("ans = 2\n3", "2"),
    ("print('x')\n1 + 2", "3"),
    ("x = 4\nprint('first')\nprint('last', x)", "last 4"),
    ("print('seen')\n\n", "seen"),
    ("def answer(): pass\nprint(5)", "5"),
    ("def f(): return 5\nprint(f())", "5"),
    ("answer = 'text'", "'text'"),
    ("answer = (1, 2.5, 'a', None)", "(1, 2.5, 'a', None)"),
    ("x = 5\nx += 1\nx", "6"),
    ("if True:\n    y = 3\nprint(y)", "3"),
    // Numbers.
    ("answer = 0.1 + 0.2", "0.30000000000000004"),
    (
        "answer = 1e16, 1e15, 1e-5, 123456789.123, 1/3, 2.0**70",
        "(1e+16, 1000000000000000.0, 1e-05, 123456789.123, 0.3333333333333333, 1.1805916207174113e+21)",
    ),
    (
        "answer = 3.45 // 0.05, 4.0 % -2.0, divmod(4.0, -2), 7 // 0.5, -7 % 2.5, 1 % 0.1, -1.0 // 3, 0.0 // -2, 10**20 // 3.0",
        "(68.0, -0.0, (-2.0, -0.0), 14.0, 0.5, 0.09999999999999995, -1.0, -0.0, 3.333333333333333e+19)",
    ),
    ("x: float = 2.675\nx", "2.675"),
    (
        "answer = round(-1e-7, 3), round(8.345, 2), round(number=1.25, ndigits=1), round(12345.678, -2), round(7.5), f'{0.125:.2f} {2.5:.0f} {1e23:.3f} {0.1:.20f}'",
        "(-0.0, 8.35, 1.2, 12300.0, 8, '0.12 2 99999999999999991611392.000 0.10000000000000000555')",
    ),
    (
        "answer = round(2.675, 2), round(0.5), round(1.5), round(2.5), round(-0.5), round(1234, -2)",
        "(2.67, 0, 2, 2, 0, 1200)",
    ),
    (
        "answer = divmod(-7, 2), -7 // 2, -7 % 3, divmod(7.5, -2), 7 // 2.0",
        "((-4, 1), -4, 2, (-4.0, -0.5), 3.0)",
    ),
    (
        "answer = 2 ** 200",
        "1606938044258990275541962092341162602522202993782792835301376",
    ),
    ("answer = -(3 ** 50) // 7 ** 20", "-8997088"),
    (
        "answer = (2**1024 - 2**970 - 1) / 1, 1 / 2**1074, 1 / 2**1075, 3 / 2**1075, (2**53 + 1) / 1, (2**54 + 6) / 2, -10**400 / 10**100, 0 / -5",
        "(1.7976931348623157e+308, 5e-324, 0.0, 1e-323, 9007199254740992.0, 9007199254740996.0, -1e+300, -0.0)",
    ),
    (
        "answer = 5e-324.as_integer_ratio(), (-0.1).as_integer_ratio(), (-0.0).as_integer_ratio(), (1e22).as_integer_ratio()",
        "((1, 202402253307310618352495346718917307049556649764142118356901358027430339567995346891960383701437124495187077864316811911389808737385793476867013399940738509921517424276566361364466907742093216341239767678472745068562007483424692698618103355649159556340810056512358769552333414615230502532186327508646006263307707741093494784), (-3602879701896397, 36028797018963968), (0, 1), (10000000000000000000000, 1))",
    ),
    (
        "answer = divmod(-10**30, 7**20), (-5) >> 1, ~(10**30), (10**30) ^ (-3), (10**20).bit_length(), hex(-10**20), int('zz', 36), hash(10**30), pow(3, -1, 11), pow(7, 10**60, 10**40 + 7)",
        "((-12532542894197, 12048762300458197), -3, -1000000000000000000000000000001, -1000000000000000000000000000003, 67, '-0x56bc75e2d63100000', 1295, 465258685558744706, 4, 3521297805783213959118695455635887896910)",
    ),
    (
        "answer = int.from_bytes((10**20).to_bytes(12, 'big'), 'big'), int(-1e19), float(10**300), (3**200) % (10**30), '%x' % 3**40, f'{-10**24:,}'",
        "(100000000000000000000, -10000000000000000000, 1e+300, 92490901302182994384699044001, 'a8b8b452291fe821', '-1,000,000,000,000,000,000,000,000')",
    ),
    (
        "try:\n    answer = 2**1024 / 1\nexcept OverflowError as e:\n    answer = str(e)",
        "'integer division result too large for a float'",
    ),
    (
        "answer = int('1' * 40) * int('9' * 40) % 10 ** 9",
        "888888889",
    ),
    (
        "answer = 10 ** 400 // 10 ** 398, 5 / 10 ** 300, 10 ** 300 / 3",
        "(100, 5e-300, 3.3333333333333335e+299)",
    ),
    (
        "answer = float('inf'), float('nan'), -0.0, 1e400",
        "(inf, nan, -0.0, inf)",
    ),
    (
        "answer = (0.1).as_integer_ratio(), (255).to_bytes(2, 'big'), (1).bit_length()",
        "((3602879701896397, 36028797018963968), b'\\x00\\xff', 1)",
    ),
    (
        "answer = 3 + 4j, abs(3 + 4j), (1 + 2j) * (3 - 1j)",
        "((3+4j), 5.0, (5+5j))",
    ),
    (
        "answer = sum([0.1] * 10), max([3, 1, 2], key=lambda x: -x), min(4, 2)",
        "(0.9999999999999999, 1, 2)",
    ),
    (
        "answer = bool([]), True + True, int(-3.9), float('1e3'), int('0x1f', 16)",
        "(False, 2, -3, 1000.0, 31)",
    ),
    // Text.
    (
        "answer = f'{3.14159:.2f} {1234567:,} {5:03d} {0.256:.1%} {255:#x} {2**70:e} {1e6:g} {\"ab\":>5}|{\"ab\":<5}|{\"ab\":^5}'",
        "'3.14 1,234,567 005 25.6% 0xff 1.180592e+21 1e+06    ab|ab   | ab  '",
    ),
    (
        "x = 7\nanswer = f'{x=} {x!r:>4} {x:{x}d}'",
        "'x=7    7       7'",
    ),
    (
        "answer = '%d %.3f %s %5.1f%%' % (3, 2.0005, 'a', 99.55)",
        "'3 2.001 a  99.5%'",
    ),
    (
        "answer = 'héllo'.upper(), 'a-b-c'.split('-'), ' x '.strip(), 'ab' * 2, 'abc'[::-1]",
        "('HÉLLO', ['a', 'b', 'c'], 'x', 'abab', 'cba')",
    ),
    (
        "answer = '{:>8.2f}|{:+d}|{:,.2f}'.format(3.14159, 5, 1234567.891)",
        "'    3.14|+5|1,234,567.89'",
    ),
    // The library.
    (
        "import math\nanswer = math.comb(50, 6), math.perm(5, 2), math.prod([2, 3, 4]), math.isqrt(10**20), math.lcm(4, 6), math.gcd(12, 18)",
        "(15890700, 20, 24, 10000000000, 12, 6)",
    ),
    (
        "import math\nanswer = math.sqrt(2), math.pi, math.e, math.ceil(2.1), math.floor(-2.1), math.log(10), math.log10(1000), math.log2(8), math.exp(1)",
        "(1.4142135623730951, 3.141592653589793, 2.718281828459045, 3, -3, 2.302585092994046, 3.0, 3.0, 2.718281828459045)",
    ),
    (
        "import math\nanswer = math.sin(1), math.cos(1), math.tan(1), math.atan2(1, 2), math.hypot(3, 4), math.degrees(1), math.radians(180), math.fsum([.1] * 10)",
        "(0.8414709848078965, 0.5403023058681398, 1.5574077246549023, 0.4636476090008061, 5.0, 57.29577951308232, 3.141592653589793, 1.0)",
    ),
    (
        "import math\nanswer = math.factorial(25), math.isclose(.1 + .2, .3), math.trunc(-2.7), math.gamma(5), math.erf(.5)",
        "(15511210043330985984000000, True, -2, 24.0, 0.5204998778130465)",
    ),
    (
        "from fractions import Fraction\nanswer = Fraction(1, 3) + Fraction(1, 6), Fraction('0.125'), Fraction(0.5)",
        "(Fraction(1, 2), Fraction(1, 8), Fraction(1, 2))",
    ),
    (
        "from decimal import Decimal, getcontext, ROUND_HALF_UP\ngetcontext().prec = 10\nanswer = Decimal(1) / Decimal(3), Decimal('2.675').quantize(Decimal('0.01'), ROUND_HALF_UP)",
        "(Decimal('0.3333333333'), Decimal('2.68'))",
    ),
    (
        "import statistics as s\nd = [1, 2, 2, 3, 9]\nanswer = s.mean(d), s.median(d), s.mode(d), s.pstdev(d), s.stdev(d), s.variance(d)",
        "(3.4, 2, 2, 2.870540018881465, 3.2093613071762426, 10.3)",
    ),
    (
        "import statistics as s\nanswer = s.mean([1, 2]), s.median([1, 2, 3, 4]), s.multimode('aabb'), s.fmean([1, 2, 4]), s.quantiles([1, 2, 3, 4])",
        "(1.5, 2.5, ['a', 'b'], 2.3333333333333335, [1.25, 2.5, 3.75])",
    ),
    (
        "import datetime as d\nx = d.date(2024, 2, 28) + d.timedelta(days=2)\nanswer = x, x.weekday(), x.strftime('%d %B %Y'), (d.date(2024, 12, 25) - x).days",
        "(datetime.date(2024, 3, 1), 4, '01 March 2024', 299)",
    ),
    (
        "from datetime import datetime, timedelta\nanswer = datetime.strptime('2020-01-31 10:30', '%Y-%m-%d %H:%M') + timedelta(hours=20)",
        "datetime.datetime(2020, 2, 1, 6, 30)",
    ),
    (
        "import calendar\nanswer = calendar.isleap(2100), calendar.monthrange(2024, 2)[1], calendar.day_name[0]",
        "(False, 29, 'Monday')",
    ),
    (
        "from itertools import permutations, combinations, product, accumulate, chain, groupby\nanswer = len(list(permutations(range(5)))), list(combinations('abc', 2)), list(accumulate([1, 2, 3])), [(k, len(list(g))) for k, g in groupby('aabbb')]",
        "(120, [('a', 'b'), ('a', 'c'), ('b', 'c')], [1, 3, 6], [('a', 2), ('b', 3)])",
    ),
    (
        "from collections import Counter, defaultdict, deque, OrderedDict, namedtuple\nP = namedtuple('P', 'x y')\nd = defaultdict(int)\nd['a'] += 1\nanswer = Counter('abca').most_common(1), d, deque([1, 2], 3), P(1, 2), OrderedDict(a=1)['a']",
        "([('a', 2)], defaultdict(<class 'int'>, {'a': 1}), deque([1, 2], maxlen=3), P(x=1, y=2), 1)",
    ),
    (
        "import re\nanswer = re.findall(r'\\d+', 'a1b22'), re.sub(r'(\\w)(\\d)', r'\\2\\1', 'a1'), bool(re.fullmatch('[a-c]+', 'abc')), re.split(',', 'a,b')",
        "(['1', '22'], '1a', True, ['a', 'b'])",
    ),
    (
        "from functools import reduce, lru_cache, partial\n@lru_cache(None)\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nanswer = f(90), reduce(lambda a, b: a * b, range(1, 6)), partial(int, base=2)('101')",
        "(2880067194370816120, 120, 5)",
    ),
    (
        "import heapq, bisect, operator, string\nh = [3, 1, 2]\nheapq.heapify(h)\nanswer = heapq.heappop(h), heapq.nlargest(1, h), bisect.bisect([1, 2, 3], 2), operator.add(1, 2), string.ascii_lowercase[:3]",
        "(1, [3], 2, 3, 'abc')",
    ),
    (
        "from dataclasses import dataclass\nfrom typing import List, Optional\n@dataclass\nclass A:\n    x: int\n    y: Optional[List[int]] = None\nanswer = A(1), A(1) == A(1, None)",
        "(A(x=1, y=None), True)",
    ),
    (
        "import json, copy, enum\nclass C(enum.Enum):\n    A = 1\nanswer = json.dumps({'a': [1, 2.5, None, True]}), json.loads('{\"b\": 1e2}'), copy.deepcopy([[1]]), C.A.value",
        "('{\"a\": [1, 2.5, null, true]}', {'b': 100.0}, [[1]], 1)",
    ),
    (
        "import random\nrandom.seed(42)\nanswer = random.random(), random.randint(1, 100), random.choice('abc'), random.sample(range(9), 3)",
        "(0.6394267984578837, 4, 'c', [4, 3, 1])",
    ),
    (
        "import sys, time, os, contextlib, abc, numbers, textwrap, pprint, cmath, array, struct, io\nanswer = isinstance(time.time(), float), os.path.join('a', 'b'), struct.calcsize('<I'), cmath.sqrt(-1), io.StringIO('a').read()",
        "(True, 'a/b', 4, 1j, 'a')",
    ),
    (
        "from sympy import symbols, Eq, solve, Rational\nx, y = symbols('x y')\nanswer = solve(Eq(6*x + 9, 3*(x + 9)), x), solve((Eq(x + y, 20), Eq(4*x + 2*y, 70)), (x, y)), solve(Eq(x**2, 9)), Rational(2, 3) * 93, solve(Eq(0.4 * x, 240))[0]",
        "([6], {x: 15, y: 5}, [-3, 3], 62, 600.000000000000)",
    ),
    // The language.
    (
        "match (1, 2):\n    case (1, x): answer = x\n    case _: answer = 0",
        "2",
    ),
    (
        "a, *b = [1, 2, 3]\nanswer = [y for x in b if (y := x * 2) > 4], {**{'a': 1}}, {1, 2} | {3}",
        "([6], {'a': 1}, {1, 2, 3})",
    ),
    (
        "class A:\n    def __init__(s): s.x = 1\n    @property\n    def y(s): return s.x + 1\n    def __add__(s, o): return s.y + o\nanswer = A() + 5",
        "7",
    ),
    (
        "def g():\n    for i in range(3): yield i\nanswer = list(g()), sum(x * x for x in range(4)), sorted({'b': 1, 'a': 2})",
        "([0, 1, 2], 14, ['a', 'b'])",
    ),
    (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    answer = str(e)\nfinally:\n    pass",
        "'division by zero'",
    ),
    (
        "def f(n):\n    return 1 if n == 0 else n * f(n - 1)\nanswer = f(800) % 1000007",
        "249806",
    ),
    ("from __future__ import annotations\nanswer: int = 5", "5"),
    ("if __name__ == '__main__':\n    print(8)", "8"),
    (
        "answer = hash('a') == hash('a'), [hash(x) for x in (1, -1, 2**61, 0.5)]",
        "(True, [1, -2, 1, 1152921504606846976])",
    ),
];

#[test]
fn values_are_those_of_python() {
    let mut sandbox = sandbox(Limits::default());
    for (program, value) in VALUES {
        let run = sandbox.run(program, &mut |_, _| String::new());
        assert_eq!(run.error, None, "{program}");
        assert_eq!(run.value.as_deref(), Some(*value), "{program}");
        assert!(run.ok && run.ms > 0.0, "{run:?}");
        sandbox.prepare().unwrap();
    }
}

#[test]
fn errors_are_those_of_python_in_one_line() {
    for (program, error) in [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x", "NameError: name 'x' is not defined"),
        ("import numpy as np\nnp.mean([1])", "numpy is not available"),
        ("import sympy\nsympy.integrate(1)", "sympy is not available"),
        ("import pandas", "pandas is not available"),
        ("import nothing.here", "nothing is not available"),
        ("x = (1", "SyntaxError"),
        ("def f():\nreturn 1", "IndentationError"),
        ("  x = 1", "IndentationError"),
        (
            "int('a')",
            "ValueError: invalid literal for int() with base 10: 'a'",
        ),
        ("'a' + 1", "TypeError: "),
        ("[][1]", "IndexError: list index out of range"),
        ("{}['k']", "KeyError: 'k'"),
        ("assert 1 == 2, 'no'", "AssertionError: no"),
        ("raise RuntimeError", "RuntimeError"),
        (
            "answer = 10 ** 5000",
            "ValueError: Exceeds the limit (4300 digits)",
        ),
        ("input()", "EOFError: the sandbox has no input"),
    ] {
        let run = run(program);
        let said = run.error.clone().unwrap_or_default();
        assert!(!run.ok && said.contains(error), "{program}: {run:?}");
        assert!(!said.contains('\n') && run.value.is_none(), "{run:?}");
    }
}

#[test]
fn the_host_answers_calls_and_its_time_does_not_count() {
    let limits = Limits {
        wall: 1,
        ..Limits::default()
    };
    let mut asked = Vec::new();
    let run = sandbox(limits).run(
        "import _reckon\nanswer = [_reckon.call('double', str(n)) for n in (1, 21)], _reckon.call('é', '')",
        &mut |kind, text| {
            asked.push(kind.to_owned());
            std::thread::sleep(std::time::Duration::from_millis(600));
            text.parse::<u32>().map_or("none".into(), |n| (n * 2).to_string())
        },
    );
    assert_eq!(
        run.value.as_deref(),
        Some("(['2', '42'], 'none')"),
        "{run:?}"
    );
    assert_eq!(asked, ["double", "double", "é"]);
}

#[test]
fn the_same_program_gives_the_same_result() {
    let program = "import random\nanswer = random.random(), random.shuffle(x := list(range(9))), x, hash('abc'), list({'b', 'a', 'c'}), random.SystemRandom().random()";
    let (one, two) = (run(program), run(program));
    assert!(one.ok, "{one:?}");
    assert_eq!(one.value, two.value);
}

#[test]
fn linux_puts_up_every_wall() {
    let walls = sandbox(Limits::default()).protection().unwrap();
    if is_emulated() {
        eprintln!("SKIPPED: seccomp and Landlock, which emulation does not have");
    } else if cfg!(target_os = "linux") {
        assert!(walls.rlimit && walls.seccomp, "{walls:?}");
        if !walls.landlock {
            eprintln!("SKIPPED: this kernel has no Landlock");
        }
    }
    let place = Place::new();
    let doctor = place.reckon(&["doctor"]);
    let line = doctor.out.lines().find(|line| line.starts_with("sandbox"));
    assert!(line.unwrap().contains("rlimit"), "{doctor:?}");
}

fn python(place: &Place, arguments: &[&str]) -> Ended {
    place.reckon(&[&["solve", "python"], arguments].concat())
}

#[test]
fn one_program_from_a_file_or_a_pipe() {
    let place = Place::new();
    let file = place.write("p.py", b"print('working')\nanswer = 17 * 23\n");
    let text = python(&place, &[file]);
    assert_eq!((text.code, text.out.as_str()), (Some(0), "working\n391\n"));
    let json = python(&place, &[file, "--json"]);
    let mut run: Value = serde_json::from_str(&json.out).unwrap();
    let ms = run["ms"].take();
    assert!(ms.as_f64().unwrap() > 0.0);
    let expected =
        json!({"ok": true, "value": "391", "stdout": "working\n", "error": null, "ms": null});
    assert_eq!(run, expected);

    let printed = place.piped(&["solve", "python", "-"], b"print(1)\nprint(2)");
    assert_eq!((printed.code, printed.out.as_str()), (Some(0), "1\n2\n"));
    for nothing in ["", "\n\n", "# only\n  # words\n"] {
        let nothing = place.piped(&["solve", "python", "-"], nothing.as_bytes());
        assert_eq!((nothing.code, nothing.out.as_str()), (Some(0), ""));
    }
    let failed = place.piped(&["solve", "python", "-", "--json"], b"print('so far')\n1/0");
    failed.refused(1, &["ZeroDivisionError"]);
    let run: Value = serde_json::from_str(&failed.out).unwrap();
    assert_eq!(
        (&run["ok"], &run["stdout"]),
        (&json!(false), &json!("so far\n"))
    );
    let codes = place.piped(&["solve", "python", "-"], b"print('\\x1b[31mred')");
    assert_eq!(codes.out, "[31mred\n");
}

#[test]
fn what_is_no_program_is_refused() {
    let place = Place::new();
    let big = vec![b'#'; 10 << 20];
    let one = |bytes: &[u8], word: &str| {
        let file = place.write("bad.py", bytes);
        python(&place, &[file]).refused(4, &[word]);
        place
            .piped(&["solve", "python", "-"], bytes)
            .refused(4, &[word]);
    };
    one(&big, "the limit is 1048576");
    one(b"x = 1\0", "NUL");
    one(b"x = '\xff'", "not UTF-8");
    python(&place, &["absent.py"]).refused(4, &["absent.py"]);
    python(&place, &["."]).refused(4, &["directory"]);
    python(&place, &["--jsonl", "absent.jsonl"]).refused(4, &["absent.jsonl"]);
    python(&place, &[]).refused(2, &["FILE"]);
}

#[test]
fn rows_come_out_in_order_and_bad_ones_do_not_stop_the_rest() {
    let place = Place::new();
    let mut rows = vec![
        json!({"id": 1, "program": "import time\ntime.sleep(.5)\nanswer = 'late'"}).to_string(),
        json!({"id": "b", "program": "answer = 2"}).to_string(),
        "not json".into(),
        String::new(),
        json!({"id": [3], "other": 1}).to_string(),
        json!({"program": "1/0"}).to_string(),
        json!({"id": 7, "program": "x".repeat(2 << 20)}).to_string(),
        json!({"id": 8, "program": "a\u{0}b"}).to_string(),
        "[1]".into(),
    ];
    rows.extend((10..20).map(|n| json!({"id": n, "program": format!("answer = {n}")}).to_string()));
    let mut bytes = rows.join("\n").into_bytes();
    bytes.extend(b"\n\xff\xfe\n");
    let file = place.write("rows.jsonl", &bytes);
    let ended = python(&place, &["--jsonl", file, "--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let results: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(results.len(), 19, "{}", ended.out);
    assert_eq!(results[0]["id"], 1);
    assert_eq!(results[0]["value"], "'late'");
    assert_eq!(
        (&results[1]["id"], &results[1]["value"]),
        (&json!("b"), &json!("2"))
    );
    let error = |n: usize| results[n]["error"].as_str().unwrap();
    assert!(error(2).contains("line 3: not JSON"), "{}", results[2]);
    assert_eq!(results[3]["id"], json!([3]));
    assert!(error(3).contains("line 5: no text `program`"));
    assert_eq!(
        (&results[4]["line"], error(4)),
        (&json!(6), "ZeroDivisionError: division by zero")
    );
    assert!(error(5).contains("the limit is") && error(6).contains("NUL"));
    assert!(error(7).contains("line 9: not a JSON object"));
    for (result, n) in results[8..18].iter().zip(10..) {
        assert_eq!(
            (&result["id"], &result["value"]),
            (&json!(n), &json!(n.to_string()))
        );
    }
    assert!(error(18).contains("line 20: not UTF-8"));
}

/// Every fifteenth of the shared programs, or all of them with `RUN_SLOW_TESTS=1`; docs/sandbox.md has the figures.
#[test]
fn programs_of_real_models_give_the_values_of_cpython() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/arithmetic/model_programs.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        eprintln!("SKIPPED: no {}", path.display());
        return;
    };
    let step = if std::env::var_os("RUN_SLOW_TESTS").is_some() {
        1
    } else {
        15
    };
    let mut tally = Tally::default();
    let mut sandbox = sandbox(Limits::default());
    for line in BufReader::new(GzDecoder::new(file)).lines().step_by(step) {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        sandbox.prepare().unwrap();
        // A child that is ready shows the time of a warm run.
        sandbox.protection().unwrap();
        let run = sandbox.run(row["program"].as_str().unwrap(), &mut |_, _| String::new());
        tally.add(&row, &run);
    }
    println!("{tally}");
    let (same, all) = tally.standard;
    assert!(all > 150 && same * 1000 >= all * 995, "{tally}");
    let (same, all) = tally.foreign;
    assert!(same * 100 >= all * 98, "{tally}");
    let (failed, all) = tally.failing;
    assert!(failed == all, "{tally}");
}

/// How many of how many came out right, and what did not.
#[derive(Default)]
struct Tally {
    /// Standard library only, ran under CPython: the same value.
    standard: (usize, usize),
    /// Imports numpy or sympy, ran under CPython: the same value.
    foreign: (usize, usize),
    /// Failed under CPython: failed.
    failing: (usize, usize),
    different: Vec<String>,
    ms: Vec<f64>,
}

impl Tally {
    fn add(&mut self, row: &Value, run: &Run) {
        let imports = row["imports"].as_array().unwrap();
        let foreign = imports
            .iter()
            .any(|name| name == "numpy" || name == "sympy");
        let ok = row["expect"]["status"] == "ok";
        let same = match ok {
            true => run.ok && is_same(run.value.as_deref(), row["expect"]["answer"].as_str()),
            false => !run.ok,
        };
        let count = match (ok, foreign) {
            (true, false) => &mut self.standard,
            (true, true) => &mut self.foreign,
            (false, _) => &mut self.failing,
        };
        count.0 += usize::from(same);
        count.1 += 1;
        if run.ok {
            self.ms.push(run.ms);
        }
        if !same {
            let (id, expect) = (&row["id"], &row["expect"]);
            self.different.push(format!("{id}: {expect}: {run:?}"));
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        let at = |share: f64| ms.get((ms.len() as f64 * share) as usize).copied();
        let (p50, p95) = (at(0.5).unwrap_or(0.0), at(0.95).unwrap_or(0.0));
        for different in &self.different {
            writeln!(f, "different: {different}")?;
        }
        write!(
            f,
            "same value {:?}, with numpy or sympy {:?}, failing {:?}; warm p50 {p50:.1} ms, p95 {p95:.1} ms",
            self.standard, self.foreign, self.failing
        )
    }
}

/// The reference prints text without quotes.
fn is_same(value: Option<&str>, expected: Option<&str>) -> bool {
    let bare = |text: &str| {
        let quoted = |quote| {
            text.strip_prefix(quote)
                .and_then(|text| text.strip_suffix(quote))
        };
        quoted('\'')
            .or_else(|| quoted('"'))
            .unwrap_or(text)
            .to_owned()
    };
    value == expected || value.map(bare).as_deref() == expected
}
