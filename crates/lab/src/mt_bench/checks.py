# One program a turn, `# --- id-turn` above it; reading.py stands before each. Answers derived and computed by us.

# --- 87-1
ok = bool(re.search(r"^\W*the old,? abandoned house\b[^.\n]*\bheld a secret\b[^.\n]*\bever discovered\b", response.lower(), re.M))

# --- 87-2
said = [re.findall(r"[\w'\u2019-]+", one) for one in re.split(r"(?<=[.!?])[\"\u201d]?\s+|\n+", response.replace("<|im_end|>", "").strip())]
said = [one for one in said if one]
ok = len(said) >= 5 and all(len(one) == 4 for one in said)

# --- 88-2
ok = len(re.findall(r"^\s*(?:[-*\u2022\u2013]|\d+[.)])\s*\S", response, re.M)) == 3

# --- 89-1
marked = re.findall(r"^\s*(?:option )?(?:\d+[.):]|[-*\u2022]|option \d)", response, re.M | re.I)
lines = [line for line in response.splitlines() if line.strip()]
ok = len(marked) == 4 if marked else (True if len(lines) == 4 else None)

# --- 89-2
lines = [line for line in response.splitlines() if "flexpower" in line.lower()]
words = [len(re.findall(r"[\w'\u2019-]+", re.sub(r"^\s*(?:option\s*)?\W*\d*[.):]*\s*|^[^:\n]{0,30}:(?=\s*[\"\u201c])", "", line, flags=re.I))) for line in lines]
ok = bool(words) and min(words) < 10

# --- 90-2
said = re.sub(r"[\"'\u201c\u2018](?:he|she|him|her|his|hers|he/she|his/her)[\"'\u201d\u2019]", "", response.lower())
ok = len(said.split()) >= 15 and not re.search(r"\b(?:he|she|him|her|his|hers|himself|herself)(?:['\u2019](?:s|d|ll))?\b", said)

# --- 101-1
said = plain(response)
self = re.search(r"\b(?:i|i'm|my|you|your|you're|position|place)\b[^.\n]*\b(?:second|2nd|number 2)\b(?! person)", said)
other = re.search(r"(?:overt\w+|they|he|she|them|person|their)\b[^.\n]*\b(?:third|3rd)\b", said)
wrong = re.search(r"\b(?:first|fourth|4th|1st)\b (?:place|position)|(?:position|place|be|am|are) (?:is |would be |now |in )*(?:the )?(?:first|fourth)\b", said)
ok = None if self and not other and not wrong else bool(self and other and not wrong)

# --- 102-1
said = plain(response)
ok = True if re.search(r"washington|pennsylvania ave", said) else (None if re.search(r"not|n't|unclear|unknown", said) else False)

# --- 102-2
said = plain(response)
if re.match(r"\W*yes\b", said):
    ok = False
elif re.match(r"\W*no\b", said) or re.search(r"(?:does|do|did) ?n[o']t (?:\w+ ){0,4}(?:clue|contain|provide|give|include|offer)|no (?:\w+ )?clues?|not possible|cannot", said):
    ok = None if re.search(r"could be (?:a )?(?:clue|reference)", said) else True
else:
    ok = None

# --- 104-1
said = plain(response)
found = [(m.start(), m.group(1)) for m in re.finditer(r"\b(?:david|he)\b(?: himself| only| just| actually| still| also| would| will| must| does| really)*(?: has| have| had)(?: a total of| only| just| exactly| at least)? (\w+)(?: \w+)? brothers?\b(?! (?:less|more|fewer))", said)]
found += [(m.start(), "0") for m in re.finditer(r"\b(?:david|he)\b (?:does|would|did) ?n[o']t have (?:any|a)(?: other)? brothers?", said)]
found += [(m.start(), m.group(1)) for m in re.finditer(r"brothers? (?:that )?(?:david|he) (?:has|have|would have) (?:is|are|would be|=)\s*(\w+)", said)]
if found:
    ok = max(found)[1] in ("0", "no")
else:
    value = claim("brother")
    ok = None if value is None else value == 0

# --- 104-2
said = plain(response)
found = [(m.start(), m.group(1)) for m in re.finditer(r"\b(?:david|he)\b(?: himself| only| just| actually| still| also| would| will| must| does| really)*(?: has| have| had)(?: a total of| only| just| exactly| at least)? (\w+)(?: \w+)? brothers?\b(?! (?:less|more|fewer))", said)]
found += [(m.start(), "0") for m in re.finditer(r"\b(?:david|he)\b (?:does|would|did) ?n[o']t have (?:any|a)(?: other)? brothers?", said)]
found += [(m.start(), m.group(1)) for m in re.finditer(r"brothers? (?:that )?(?:david|he) (?:has|have|would have) (?:is|are|would be|=)\s*(\w+)", said)]
if found:
    ok = max(found)[1] in ("1", "a")
else:
    value = claim("brother")
    ok = None if value is None else value == 1

# --- 105-1
said = plain(response)
names = "alice|bert|cheryl|david|enid"
found = [(m.start(), m.group(1)) for m in re.finditer(r"secretary(?:'s name)?[^.\n]{0,60}?\b(?:is|must be|:|be)\s+(?:\w+\s+)?(%s)\b" % names, said)]
found += [(m.start(), m.group(1)) for m in re.finditer(r"\b(%s)\b(?:,)? (?:is|must be|being|as|would be) (?:also )?the secretary" % names, said)]
start = re.match(r"\W*(%s)\b(?:\W|$)(?! (?:and|drives|is parked|car))" % names, said)
if found:
    ok = max(found)[1] == "alice"
elif start:
    ok = start.group(1) == "alice"
elif re.search(r"not (?:\w+ )?(?:mentioned|provided|given|stated|specified)|cannot|can't|n't", said):
    ok = False
else:
    named = re.findall(names, said)
    ok = named[0] == "alice" if len(set(named)) == 1 else None

# --- 105-2
colours = re.findall(r"\b(yellow|green|purple|red|blue)\b", plain(response))
runs = [colours[i:i + 5] for i in range(len(colours)) if len(set(colours[i:i + 5])) == 5]
ok = bool(runs) and runs[-1] == ["purple", "yellow", "green", "blue", "red"]

# --- 106-1
said = plain(response)
found = re.findall(r"(?:3|third|3rd) statement (?:is|must be|would be|is also|is therefore|will be)(?: also| necessarily)?\s*:?\s*[\"']?(true|false|uncertain|not true)", said)
words = re.findall(r"\b(true|false|uncertain)\b", said)
said_is = (found or words[:1] or [None])[-1]
ok = None if said_is is None else said_is == "true"

# --- 106-2
said = re.sub(r"(?:whether|if|that) the (?:1|first|1st) statement is (?:true|false)(?:[, ]+or (?:false|uncertain))*", "", plain(response))
is_ = r"(?:1|first|1st) statement(?:,[^,]*,)? (?:is|must be|would be|becomes|remains|is considered|can be considered)(?: also| necessarily| still| therefore| considered)*\s*:?\s*[\"']?(true|false|uncertain|not true|unknown)"
given = re.findall(r"(?:3|third|3rd) statement is true,?(?: then)?(?: it means that)? the " + is_, said)
found = given[-1:] or re.findall(is_, said)[-1:] or re.findall(r"answer is:? \W*(true|false|uncertain)", said)[-1:] or re.findall(r"^\W*(true|false|uncertain)\b", said)
if not found and re.search(r"(?:cannot|can't|not possible to|unable to|don't know) (?:\w+ )?(?:determine|say|conclude|know)", said):
    found = ["uncertain"]
ok = found[0] in ("uncertain", "unknown") if found else None

# --- 107-1
said = plain(response)
ok = bool(re.search(r"\bgrand-?(?:father|parent|son|child)", said)) and not re.search(r"great-? ?grand|not directly related|\ba is c's father", said)

# --- 107-2
said = plain(response)
greats = [m.group().count("great") for m in re.finditer(r"(?:great[- ]*)+grand-?(?:father|parent|son|child)", said)]
above = re.findall(r"(\d+|third|fourth|fifth|sixth|seventh)[- ](?:generations?|generational)", said)
ok = None if not greats and above == ["3"] else bool(greats) and set(greats) == {1} and not re.search(r"\d(?:st|nd|rd|th)? great|times great", said) and all(n in ("3", "third") for n in above)

# --- 108-1
said = plain(response)
options = r"\b(tyre|tire|steering wheel|car|engine)\b"
ok = None
for sentence in sentences(said):
    m = re.search(r"(?:all|everything)[^.]*\b(?:except|but)\b[^.]*?" + options, sentence)
    if not m and re.search(r"belong|odd|stands out|different", sentence):
        m = re.search(r"(?:is|are|out:?)\W+(?:the )?(?:word )?\W*" + options + r"(?! (?:part|component))", sentence) if not re.match(r"\W*(?:the word )?\W*(?:tyre|steering|car|engine)", sentence) else None
        m = m or re.search(options, sentence)
    if m:
        ok = m.group(1) == "car"
        break
else:
    m = re.fullmatch(r"\W*" + options + r"\W*", said)
    ok = m.group(1) == "car" if m else None

# --- 109-1
ok = None
directions = r"\b((?:north|south)?-?(?:east|west)|north|south)(?:ern|wards?)?\b"
told = [m.group(1) for m in re.finditer(r"shadow[^.\n]*?\b(?:point\w*|fall\w*|fell|cast|is|was|be|towards?|direction)\b[^.\n]*?" + directions, plain(response))]
for sentence in sentences(plain(response)):
    if "shadow" in sentence and not re.search(r"\bif\b|opposite|would (?:have )?(?:been|be)|\bsun\b", sentence):
        found = re.findall(directions, sentence)
        if found and (re.search(r"point|fall|fell|direction|toward", sentence)):
            ok = found[-1] == "west"
if ok is None and told:
    ok = told[-1] == "west"
if ok is None:
    m = re.fullmatch(r"\W*(?:the answer is )?" + directions + r"\W*", plain(response))
    ok = m.group(1) == "west" if m else None

# --- 109-2
ok = None
directions = r"\b((?:north|south)?-?(?:east|west)|north|south)(?:ern|wards?)?\b"
for sentence in sentences(plain(response)):
    if re.search(r"\bif\b.*\bthen\b|\bif\b", sentence):
        continue
    found = re.findall(r"fac(?:ing|ed|es)\b[^.]*?" + directions, sentence)
    if found and re.search(r"suresh|\bhe\b|\bi\b", sentence):
        ok = found[-1] == "south"
    elif re.search(r"suresh|direction", sentence) and re.search(r"\bfac", sentence):
        more = re.findall(r"(?:is|was|be)\s+(?:towards? )?(?:the )?" + directions, sentence)
        if more:
            ok = more[-1] == "south"
if ok is None:
    m = re.match(r"\W*" + directions + r"\s*(?:[.,:]|$)", plain(response))
    ok = m.group(1) == "south" if m else None

# --- 110-1
said = plain(response)
letters = set(re.findall(r"\b([abcd])\)", said)) | set(re.findall(r"(?:situation|option|answer|scenario)s?(?: is)?:? \W?([abcd])\b", said))
marks = {"a": r"\bbench|engrossed", "b": "basketball", "c": "surround|backpack|4 girls", "d": "video game|handheld"}
ok = None
if len(letters) == 1:
    ok = letters == {"c"}
else:
    for sentence in sentences(said):
        if re.search(r"report|inform|answer", sentence) and not re.search(r"not (?:be )?report|n't", sentence):
            named = re.findall(r"\b([abcd])\)", sentence) or [k for k in marks if re.search(marks[k], sentence)]
            if named:
                ok = named[0] == "c" if len(set(named)) == 1 else ok

# --- 111-1
ok = near(claim("area"), 3)

# --- 111-2
said = plain(response)
end = [s for s in sentences(said) if "area" in s or "pi" in s][-1:] or sentences(said)[-1:]
ok = bool(end) and (bool(re.search(r"(?:=|is|about|:|approximately|^)\s*(?:\()?5(?:\.0)?\)?\s*(?:times |\* ?)?pi\b", end[0])) or near(claim("area"), 15.708) or near(claim("area"), 15.7))

# --- 112-1
ok = near(claim("total", "invest"), 12000)

# --- 112-2
ok = near(claim("(?:third|3rd) year", "invest"), 2000)

# --- 113-1
ok = near(claim("neither|either|not like|n.t like|dislike", "probab"), 0.19, 19)

# --- 113-2
said = plain(response)
if re.search(r"(?:impossible|cannot|can't|can not)[^.\n]*dislike both|dislike both[^.\n]*(?:impossible|contradict)", said):
    ok = True
else:
    value = claim("both", "probab")
    ok = value is not None and abs(value) < 1e-9

# --- 114-1
ok = near(claim("at least 3|3 or (?:more|higher|greater)", "probab"), 35 / 36, 97.2, 97)

# --- 114-2
ok = near(claim("even or", "probab"), 1, 100)

# --- 115-1
ok = near(claim("terminal", "people", "x ="), 38)

# --- 115-2
ok = near(claim("total|earn|money", "bus"), 100)

# --- 116-1
said = re.sub(r"[ ()]", "", plain(response))
m = last(r"x-y=([^\n,;]*)", said)
if m:
    end = m.group(1).split("=")[-1].strip(".!")
    ok = end == "0" or bool(re.match(r"0(?!\.?\d|[a-z^*/+-])", end))
else:
    m = last(r"x-y(?:is|isequalto|equals|canbeexpressedas)(-?\d+\w?)", said)
    ok = m.group(1) in ("0", "0i") if m else False

# --- 116-2
said = re.sub(r"[ ()]|times|cdot", "", plain(response))
m = last(r"z-x=([^\n,;]*)", said) or last(r"([^\n]+)$", said)
end = m.group(1).split("=")[-1].strip(".!") if m else ""
ok = bool(re.match(r"(?:-y/2|-1/2y|-0?\.5y|y/-2|-y2|-1/2\*y)(?![\w^/*+-])", end))

# --- 117-1
said = plain(response)
m = last(r"\b(\d+|infinitely many|infinite(?: number of)?)(?: \w+){0,2} (?:integers|integer solutions|integer values)", said) or last(r"integers?[^.\n]*?(?:is|are|=|:) (\d+)\s*(?:[.,;\n]|$)", said)
ok = m.group(1) == "19" if m else near(claim("integer"), 19)

# --- 117-2
said = plain(response)
m = last(r"\b(\d+|infinitely many|infinite(?: number of)?)(?: \w+){0,2} (?:integers|integer solutions|integer values)", said) or last(r"integers?[^.\n]*?(?:is|are|=|:) (\d+)\s*(?:[.,;\n]|$)", said)
ok = m.group(1) == "9" if m else near(claim("integer"), 9)

# --- 118-1
value = claim("remainder.*divided by 4|divided by 4.*remainder", "remainder")
ok = value is not None and abs(value) < 1e-9

# --- 118-2
ok = claim("remainder.*divided by 5|divided by 5.*remainder", "remainder") == 3

# --- 119-1
ok = near(claim("total|cost|purchase"), 280)

# --- 119-2
ok = near(claim("revenue|total"), 350)

# --- 120-1
value = claim(r"f\(2\)")
ok = value is not None and abs(value) < 1e-9

# --- 120-2
said = plain(response)
end = [s for s in sentences(said) if re.search(r"x\s*=|root|solution|f\(x\) = 0|value", s) and numbers(s.replace("f(x) = 0", ""))][-1:]
values = [v for v in numbers(re.sub(r"f\(x\)\s*=\s*0|f\(2\)|\d*x\^\d.*?= 0", "", end[0])) if True] if end else []
roots = re.findall(r"x\s*(?:=|\u2248)\s*(-?[\d./]+)(?![\d]*\s*[*(x^a-z+])", end[0]) if end else []
ok = bool(values) and values[0] == 2 and (len(set(values)) == 1 or bool(re.search(r"only real|complex|imaginary|\bi\b|no (?:other )?real", said)))

# --- 124-2
said = plain(response)
cause = re.search(r"\bnone\b|initiali[sz]", said) and re.search(r"\b0\b|0s|zeros", said) or re.search(r"typeerror", said)
# Naming the cause is needed, and not enough to be sure.
ok = None if cause else False

# --- 126-1
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 2}
    named = [f for n, f in one.items() if re.search('median', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            for a, b in (([1, 3], [2]), ([1, 2, 5], [3, 4, 6, 7]), ([1, 1], [1]), ([-5, 0, 9, 12], [3]), ([2], [1, 4, 8, 9, 10]), ([1, 2], [3, 4, 5, 6])):
                whole = sorted(a + b)
                middle = (whole[(len(whole) - 1) // 2] + whole[len(whole) // 2]) / 2
                ok = ok and abs(f(list(a), list(b)) - middle) < 1e-9
            # What it takes in space is not looked at.
            ok = None if ok else False
        except Exception:
            ok = False

# --- 127-1
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 1}
    named = [f for n, f in one.items() if re.search('major|boyer|moore|vot', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            for a, m in (([3, 3, 4, 3], 3), ([7], 7), ([2, 2, 1, 1, 1, 2, 2], 2), ([1, 5, 5, 5, 2, 5], 5), ([-1, -1, 4], -1), ([4, 1, 4, 2, 4], 4)):
                ok = ok and f(list(a)) == m
            # Which algorithm it uses is not looked at.
            ok = None if ok else False
        except Exception:
            ok = False

# --- 127-2
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 1}
    named = [f for n, f in one.items() if re.search('top|two|2|most|freq|occur|element', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            for a, m in (([1, 1, 1, 2, 2, 3], {1, 2}), ([4, 9, 4, 7, 9, 4, 9, 9], {9, 4}), ([1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8], {1, 2}), ([5, 8, 8, 5, 5, 1], {5, 8})):
                got = f(list(a))
                got = list(got.items()) if isinstance(got, dict) else list(got)
                got = [x[0] if isinstance(x, (list, tuple)) else x for x in got]
                ok = ok and set(got) == m and len(got) == 2
        except Exception:
            ok = False

# --- 128-1
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 1}
    named = [f for n, f in one.items() if re.search('full|tree|b_n|bn|count|num', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            ok = [f(n) for n in range(1, 12)] == [1, 0, 1, 0, 2, 0, 5, 0, 14, 0, 42]
        except Exception:
            ok = False

# --- 128-2
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 1}
    named = [f for n, f in one.items() if re.search('full|tree|b_n|bn|count|num', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            ok = [f(n) for n in range(1, 11)] == [1, 0, 0, 1, 0, 0, 3, 0, 0, 12]
        except Exception:
            ok = False

# --- 129-1
made = code()
ok = None
if made:
    one = {n: f for n, f in made.items() if f.__code__.co_argcount - len(f.__defaults__ or ()) == 3}
    named = [f for n, f in one.items() if re.search('kth|smallest|find', n.lower())] or list(one.values())
    if named:
        ok = True
        f = named[-1]
        try:
            for a, b, k in (([1, 4, 9], [2, 3], 4), ([1, 2, 3], [10, 20], 5), ([5, 7], [1, 2, 3, 4], 1), ([1], [2], 2), ([2, 3, 6, 7, 9], [1, 4, 8, 10], 5)):
                ok = ok and f(list(a), list(b), k) == sorted(a + b)[k - 1]
            # Its time is not looked at.
            ok = None if ok else False
        except Exception:
            ok = False

# --- 131-1
lists = [v for v in objects() if isinstance(v, list) and len(v) == 3 and all(isinstance(x, int) for x in v)]
# Four for the first is arguable.
ok = False if not lists else (None if lists[-1] == [4, 1, 3] else lists[-1] == [5, 1, 3])

# --- 131-2
found = objects()
if not found:
    ok = False
else:
    said = " ".join(leaves(found[-1]) if len(found) == 1 else [leaf for v in found for leaf in leaves(v)])
    ratings = re.findall(r"(?<![\d.,-])([1-5])(?![\d.,-]|(?:st|nd|rd|th))(?!\d)", said)
    years = [re.search(y, said) for y in ("2019", "2022", "2018")]
    ordered = all(years) and years[0].start() < years[1].start() < years[2].start()
    ok = False if not all(years) else (True if ordered and ratings in (["5", "1", "3"], ["1", "5", "2", "1", "3", "3"]) else None)

# --- 132-1
lines = [re.sub(r"^\W*(?:\d+[.):]?)?\W*|\W*$", "", line).lower() for line in response.replace("<|im_end|>", "").splitlines() if line.strip()]
ok = lines == ["literature", "history", "science", "art"]

# --- 133-1
want = [("harry", "harry potter and the philosopher", "rowling", "1997"),
        ("frodo", "fellowship of the ring", "tolkien", "1954"),
        ("zylo", "prism galaxy chronicles", "starlighter", "2028")]
lines = [line.lower() for line in response.splitlines() if re.search(r"1997|1954|2028", line)]
ok = len(lines) == 3
for line, parts in zip(lines, want):
    places, at = [], 0
    for part in parts:
        at = line.find(part, at)
        places.append(at)
        at += 1
    ok = ok and min(places) >= 0 and places == sorted(places)

# --- 133-2
found = objects()
said = " ".join(leaf for v in found for leaf in leaves(v)).lower()
ok = bool(found) and all(w in said for w in ("philosopher", "1997", "prism galaxy", "2028", "rowling", "starlighter")) and "1954" not in said and "fellowship" not in said

# --- 134-1
said = plain(response)
found = set(re.findall(r"\bcompany ([u-z])\b", said))
ceo = "lisa brown" in said
if found == {"v"} or (not found and ceo):
    ok = ceo
elif found and "v" not in found:
    ok = False
else:
    m = re.search(r"highest profit[^.\n]*?(?:is|was|:)[^.\n]*?company ([u-z])", said) or re.search(r"company ([u-z])\b[^.\n]*(?:highest|largest) profit", said)
    ok = None if not m else m.group(1) == "v" and ceo

# --- 134-2
said = plain(response)
found = set(re.findall(r"\bcompany ([u-z])\b", said))
if len(found) == 1:
    ok = found == {"z"}
else:
    told = [m.group(1) for m in re.finditer(r"highest (?:profit )?(?:margin|ratio|profit/revenue)[^.\n]*?(?:is|was|:)[^.\n]*?company ([u-z])\b", said)]
    told += [m.group(1) for m in re.finditer(r"company ([u-z])\b(?:(?!company)[^\n])*?(?:has|had|with) the highest", said)]
    ok = None if not told or len(set(told)) > 1 else told[0] == "z"
    if told and "z" not in told:
        ok = False

# --- 135-1
found = objects()
said = " ".join(leaf for v in found for leaf in leaves(v)).lower()
names = ("denmark", "copenhagen", "danish", "eldoria", "avalore", "lumina", "argentina", "buenos aires", "spanish")
ok = bool(found) and all(name in said for name in names)

# --- 136-1
# Whole words in any case are what the question counts; a number that no way of counting gives is wrong.
said = plain(response)
def counted(word):
    m = re.search(r"(?:^|[^\w])[\"']?%s[\"']?\s*[,:\-|=]+\s*(\d+)\b" % word, said)
    return int(m.group(1)) if m else None
got = [counted(word) for word in ("amazon", "river", "you")]
arguable = ((7,), (3, 4, 5, 6, 7), (1, 2, 3))
if got == [7, 6, 2]:
    ok = True
elif got == [None] * 3 or any(n is not None and n not in may for n, may in zip(got, arguable)):
    ok = False
else:
    ok = None

# --- 136-2
# Whole words in any case are what the question counts; a number that no way of counting gives is wrong.
said = plain(response)
def counted(word):
    m = re.search(r"(?:^|[^\w])[\"']?%s[\"']?\s*[,:\-|=]+\s*(\d+)\b" % word, said)
    return int(m.group(1)) if m else None
got = [counted(word) for word in ("the", "and", "to")]
arguable = ((16, 17, 18), (5, 7), (4, 5))
if got == [17, 5, 4]:
    ok = True
elif got == [None] * 3 or any(n is not None and n not in may for n, may in zip(got, arguable)):
    ok = False
else:
    ok = None

# --- 137-1
found = [v for v in objects() if isinstance(v, dict)]
groups = [v for v in found if len(v) == 3 and all(isinstance(x, list) for x in v.values())] or [w for v in found for w in v.values() if isinstance(w, dict) and len(w) == 3 and all(isinstance(x, list) for x in w.values())]
ok = False
if groups:
    by = {str(k).lower()[:3]: " | ".join(leaves(v)).lower() for k, v in groups[-1].items()}
    people, bodies, places = by.get("peo", by.get("per", "")), by.get("org", ""), by.get("loc", by.get("pla", ""))
    need = all(n in people for n in ("emerson", "zetsche", "diess")) and all(n in bodies for n in ("faraday", "daimler", "volkswagen")) and "berlin" in places
    ok = False if not need else (True if "europe" in places else None)

# --- 137-2
found = [v for v in objects() if isinstance(v, dict)]
lines = [line for line in response.replace("<|im_end|>", "").replace("```json", "").replace("```", "").splitlines() if line.strip()]
whole = [line for line in lines if line.strip().startswith("{") and line.strip().rstrip(".").endswith("}")]
def values(v):
    return [w for x in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else []) for w in (values(x) if isinstance(x, (dict, list)) else [x])]
ok = len(found) == 1 and bool(whole) and bool(values(found[0])) and all(isinstance(v, str) and len(v) == 1 for v in values(found[0]))

# --- 138-1
found = [v for v in objects() if isinstance(v, dict)]
def values(v):
    return [w for x in (v.values() if isinstance(v, dict) else v) for w in (values(x) if isinstance(x, (dict, list)) else [x])]
ratings = [re.fullmatch(r"\s*(\d+(?:\.\d)?)(?:\s*/\s*10)?\s*", str(v)) for one in found[-1:] for v in values(one)]
ratings = [float(m.group(1)) for m in ratings if m]
said = " ".join(leaf for one in found[-1:] for leaf in leaves(one)).lower()
ok = len(ratings) == 3 and all(1 <= r <= 10 for r in ratings) and all(w in said for w in ("iphone", "galaxy", "pixel"))

# --- 140-1
pairs = ((156.25, 153.80), (163.90, 161.80), (168.20, 166.80))
lines = [[float(x) for x in re.findall(r"\d+\.\d+", line)] for line in response.splitlines() if re.search(r"\d\.\d", line)]
ok = len(lines) == 3 and all(sorted(line) == sorted(pair) for line, pair in zip(lines, pairs))

# --- 140-2
found = objects()
values = re.findall(r"(?<![\d.-])(\d{3}(?:\.\d+)?)(?![\d-])", " ".join(leaf for v in found for leaf in leaves(v)))
want = [("156", "154"), ("164", "162"), ("168", "167")]
ok = bool(found) and len(values) == 6 and all(sorted(v.replace(".0", "") for v in values[2 * i:2 * i + 2]) == sorted(want[i]) for i in range(3))
