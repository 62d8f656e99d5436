# Stands before each program of checks.py: `response` is the answer, and the program sets `ok` to True, False or None,
# which leaves the turn undecided. Reads what people write, so that a right answer is found in any of its usual forms.
import json
import re

NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
           "seventeen eighteen nineteen twenty").split()


def plain(words):
    """Lower case, without Markdown and TeX, numbers in digits."""
    words = words.replace("<|im_end|>", "").replace("\u2212", "-").replace("\u2019", "'").replace("\u00bd", "1/2")
    words = re.sub(r"\\(?:[dt]?frac|boxed|text|left|right)\b", lambda m: " frac" if "frac" in m.group() else " ", words)
    words = re.sub(r"frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2", words)
    words = re.sub(r"\\(pi|times|cdot|pm)\b", r" \1 ", words).replace("\u03c0", " pi ").replace("\u00d7", " times ")
    words = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", words)
    words = re.sub(r"[*`$\\_{}]", "", words).lower()
    return re.sub(r"\b(%s)\b" % "|".join(NUMBERS), lambda m: str(NUMBERS.index(m.group())), words)


def sentences(words):
    """A line that ends in a colon goes on in the next one, and one that begins with = goes on with the last."""
    words = re.sub(r"([:=])\s*\n+", r"\1 ", words)
    words = re.sub(r"\s*\n\s*(?==)", " ", words)
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", words) if part.strip()]


def numbers(words):
    """Their values; a fraction of two whole numbers is one. `2r` is no number."""
    found = []
    for m in re.finditer(r"(?<![\w.])(-?)\s?(\d*\.?\d+)(?:(?:\s*/\s*|\s+in\s+|\s+out of\s+)(\d+)(?!\d|\.\d))?(?![\w^])", words):
        value = float(m.group(2))
        if m.group(3) and float(m.group(3)):
            value /= float(m.group(3))
        found.append(-value if m.group(1) else value)
    return found


ENDS = (r"=|\u2248|:|\b(?:is|are|was|were|be|equals?|approximately|about|get|gets|got|gives?|earns?|earned|makes?|made|"
        r"costs?|invest|invested|spent|total of|remainder of|revenue of|value of|have|has|only|obtain|as)\b")


def claim(*about):
    """The number that stands alone in the first line, else what the last sentence about something comes to."""
    said = sentences(plain(response))
    if said and re.fullmatch(r"\W*\d*\.?\d+(?:/\d+)?\W*(?:%|[a-z]+)?\W*", said[0]) and len(numbers(said[0])) == 1:
        return numbers(said[0])[0]
    for pattern in about + ("",):
        for sentence in reversed(said):
            if re.search(pattern, sentence) and numbers(sentence):
                before = re.match(r"(.+?)\b(?:if|because|since)\b", sentence)
                if before and numbers(before.group(1)) and re.search(ENDS, before.group(1)):
                    sentence = before.group(1)
                for part in reversed(re.split(ENDS, sentence)):
                    if numbers(part):
                        return numbers(part)[0]
    return None


def near(value, *wanted):
    return value is not None and any(abs(value - want) <= 0.006 * max(1, abs(want)) for want in wanted)


def last(pattern, words):
    found = list(re.finditer(pattern, words))
    return found[-1] if found else None


def objects():
    """Every JSON value with brackets that stands in the answer, outermost first."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while True:
        m = re.compile(r"[\[{]").search(response, at)
        if not m:
            return found
        try:
            value, at = decoder.raw_decode(response, m.start())
            found.append(value)
        except ValueError:
            at = m.start() + 1


def leaves(value):
    """Keys and values of a JSON value, in order, as text."""
    if isinstance(value, dict):
        return [leaf for key in value for leaf in [str(key)] + leaves(value[key])]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    return [str(value)]


def code():
    """The functions that the answer's Python defines, by name; None if there is no Python that runs."""
    blocks = re.findall(r"```(?:python|py)?[ ]*\n(.*?)(?:```|\Z)", response, re.S)
    scope = {"__name__": "answer"}
    ran = False
    for block in blocks or [response]:
        try:
            exec(compile(block, "answer", "exec"), scope)
            ran = True
        except SystemExit:
            ran = True
        except Exception:
            ran = ran or any(callable(v) and hasattr(v, "__code__") for v in scope.values())
    made = {name: v for name, v in scope.items() if hasattr(v, "__code__") and name != "__builtins__"}
    return made if ran and made else None
