"""Text as dates and times: strptime and the ISO 8601 readers.

`parse_by` follows a format directive by directive; a directive that can match in several
lengths tries them in order and steps back when the rest does not fit. Names are English in
any case of letters.
"""

from _datetime_days import (
    DAY_NAMES,
    MONTH_NAMES,
    days_before_year,
    first_iso_monday,
    from_ordinal,
    to_ordinal,
)

_COMPOUND = (
    ("%c", "%a %b %d %H:%M:%S %Y"),
    ("%x", "%m/%d/%y"),
    ("%X", "%H:%M:%S"),
)
# Directive: most digits, smallest and largest value; the flag says all digits are needed.
_NUMBERS = {
    "d": (2, 1, 31, False),
    "f": (6, 0, 999999, False),
    "H": (2, 0, 23, False),
    "I": (2, 1, 12, False),
    "G": (4, 0, 9999, True),
    "j": (3, 1, 366, False),
    "m": (2, 1, 12, False),
    "M": (2, 0, 59, False),
    "S": (2, 0, 61, False),
    "U": (2, 0, 53, False),
    "W": (2, 0, 53, False),
    "w": (1, 0, 6, False),
    "u": (1, 1, 7, False),
    "V": (2, 1, 53, False),
    "y": (2, 0, 99, True),
    "Y": (4, 0, 9999, True),
}
_NAMES = {
    "A": DAY_NAMES,
    "a": tuple([name[:3] for name in DAY_NAMES]),
    "B": MONTH_NAMES,
    "b": tuple([name[:3] for name in MONTH_NAMES]),
    "p": ("AM", "PM"),
    "Z": ("UTC", "GMT"),
}


def _tokens(pattern):
    """The format as a list: `%x` directives, single characters, and one blank per run."""
    for mark, expansion in _COMPOUND:
        pattern = pattern.replace(mark, expansion)
    tokens = []
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if character == "%":
            letter = pattern[place + 1 : place + 2]
            if not letter:
                raise ValueError(f"stray % in format '{pattern}'")
            if letter not in _NUMBERS and letter not in _NAMES and letter not in "z%":
                raise ValueError(f"'{letter}' is a bad directive in format '{pattern}'")
            tokens.append("%" if letter == "%" else "%" + letter)
            place += 1
        elif character.isspace():
            if not tokens or tokens[-1] != " ":
                tokens.append(" ")
        else:
            tokens.append(character)
        place += 1
    return tokens


def _digit_run(text, place, most):
    end = place
    while end < len(text) and end - place < most and text[end].isdecimal():
        end += 1
    return end


def _offset_end(text, place):
    """The end of a zone offset that begins at the place, or None."""
    if text[place : place + 1] == "Z":
        return place + 1
    if text[place : place + 1] not in ("+", "-") or not text[place : place + 1]:
        return None
    end = place + 1
    if not text[end : end + 2].isdecimal() or len(text[end : end + 2]) < 2:
        return None
    end += 2
    for optional in (False, True):
        start = end + 1 if text[end : end + 1] == ":" else end
        pair = text[start : start + 2]
        if len(pair) < 2 or not pair.isdecimal() or pair[0] > "5":
            return end if optional else None
        end = start + 2
    if text[end : end + 1] == "." and _digit_run(text, end + 1, 6) > end + 1:
        end = _digit_run(text, end + 1, 6)
    return end


def _candidates(text, place, letter):
    """The (value, end) pairs a directive can match at a place, the preferred one first."""
    if letter == "z":
        end = _offset_end(text, place)
        return [] if end is None else [(text[place:end], end)]
    names = _NAMES.get(letter)
    if names is not None:
        rest = text[place : place + 9].lower()
        found = [
            (index, place + len(name))
            for index, name in enumerate(names)
            if rest.startswith(name.lower())
        ]
        return sorted(found, key=lambda pair: -pair[1])
    most, low, high, exact = _NUMBERS[letter]
    end = _digit_run(text, place, most)
    found = []
    while end > place and (not exact or end - place == most):
        value = int(text[place:end])
        if low <= value <= high:
            found.append((text[place:end], end))
        end -= 1
    if letter == "d" and text[place : place + 1] == " ":
        digit = text[place + 1 : place + 2]
        if digit.isdecimal() and digit != "0":
            found.append((digit, place + 2))
    return found


def _match(tokens, text, first, place, found):
    """Matches the tokens from `first` on; returns the end of the match or None."""
    for index in range(first, len(tokens)):
        token = tokens[index]
        if token == " ":
            start = place
            while place < len(text) and text[place].isspace():
                place += 1
            # A day may begin with a blank of its own, so the run may have to give one back.
            if place == start:
                return None
            while place > start:
                end = _match(tokens, text, index + 1, place, found)
                if end is not None:
                    return end
                place -= 1
            return None
        if len(token) == 1:
            if text[place : place + 1].lower() != token.lower():
                return None
            place += 1
            continue
        for value, after in _candidates(text, place, token[1]):
            found[token[1]] = value
            end = _match(tokens, text, index + 1, after, found)
            if end is not None:
                found[token[1]] = value
                return end
        return None
    return place


def _offset_microseconds(text):
    """Microseconds of a `%z` offset."""
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "")
    main, _, fraction = digits.partition(".")
    seconds = int(main[:2]) * 3600 + int(main[2:4]) * 60 + int(main[4:6] or 0)
    total = seconds * 1000000 + int((fraction + "000000")[:6])
    return -total if text[0] == "-" else total


def _hour_of(found):
    # Of the two clocks the later one in the format counts.
    letters = [letter for letter in found if letter in "HI"]
    if not letters or letters[-1] == "H":
        return int(found.get("H", 0))
    hour = int(found["I"]) % 12
    return hour + 12 if found.get("p") == 1 else hour


def _check_weeks(found, year):
    weekday = any(letter in found for letter in "Aawu")
    if year is None and "G" in found:
        if "V" not in found or not weekday:
            raise ValueError(
                "ISO year directive '%G' must be used with the ISO week directive '%V' and "
                "a weekday directive ('%A', '%a', '%w', or '%u')."
            )
        if "j" in found:
            raise ValueError(
                "Day of the year directive '%j' is not compatible with ISO year directive "
                "'%G'. Use '%Y' instead."
            )
    elif "V" in found and "U" not in found and "W" not in found:
        if not weekday:
            raise ValueError(
                "ISO week directive '%V' must be used with the ISO year directive '%G' and "
                "a weekday directive ('%A', '%a', '%w', or '%u')."
            )
        raise ValueError(
            "ISO week directive '%V' is incompatible with the year directive '%Y'. "
            "Use the ISO year '%G' instead."
        )


def _weekday_of(found):
    """The weekday that was named, Monday 0, or None."""
    for letter in ("A", "a"):
        if letter in found:
            return found[letter]
    if "w" in found:
        return (int(found["w"]) - 1) % 7
    if "u" in found:
        return int(found["u"]) - 1
    return None


def _by_week(found, year, weekday):
    """The day of the year that a week number and a weekday give."""
    sunday = "U" in found
    week = int(found["U" if sunday else "W"])
    first = (to_ordinal(year, 1, 1) + 6) % 7
    if sunday:
        first = (first + 1) % 7
        weekday = (weekday + 1) % 7
    before = (7 - first) % 7
    if week == 0:
        return 1 + weekday - first
    return 1 + before + 7 * (week - 1) + weekday


def _resolve_day(found):
    """Year, month, day, weekday, day of the year; the year is None if none was given."""
    year, month = None, 1
    # Where directives repeat a field, the later one in the format counts.
    for letter, value in found.items():
        if letter == "Y":
            year = int(value)
        elif letter == "y":
            year = int(value)
            year += 2000 if year <= 68 else 1900
        elif letter == "m":
            month = int(value)
        elif letter in ("B", "b"):
            month = value + 1
    _check_weeks(found, year)
    day = int(found.get("d", 1))
    weekday = _weekday_of(found)
    yearday = int(found["j"]) if "j" in found else None
    given = year
    if year is None and month == 2 and day == 29:
        year = 1904
    elif year is None:
        year = 1900
    if yearday is None and weekday is not None:
        if "U" in found or "W" in found:
            yearday = _by_week(found, year, weekday)
        elif "G" in found and "V" in found:
            year = given = int(found["G"])
            ordinal = first_iso_monday(year) + (int(found["V"]) - 1) * 7 + weekday
            yearday = ordinal - days_before_year(year)
        if yearday is not None and yearday <= 0:
            year, _, _ = from_ordinal(days_before_year(year) + yearday)
            yearday += days_before_year(year + 1) - days_before_year(year)
    if yearday is None:
        _check_day(year, month, day)
        yearday = to_ordinal(year, month, day) - days_before_year(year)
    else:
        year, month, day = from_ordinal(days_before_year(year) + yearday)
    if weekday is None:
        weekday = (to_ordinal(year, month, day) + 6) % 7
    if given is None and year == 1904:
        year = 1900
    return (year, month, day, weekday, yearday)


def _check_day(year, month, day):
    from _datetime_days import month_length

    if year < 1:
        raise ValueError(f"year {year} is out of range")
    if day > month_length(year, month):
        raise ValueError("day is out of range for month")


def parse_by(text, pattern):
    """strptime: year, month, day, hour, minute, second, weekday, day of the year,
    microsecond, offset in microseconds or None, and zone name or None."""
    for index, argument in enumerate((text, pattern)):
        if not isinstance(argument, str):
            kind = type(argument).__name__
            raise TypeError(f"strptime() argument {index + 1} must be str, not {kind}")
    found = {}
    end = _match(_tokens(pattern), text, 0, 0, found)
    if end is None:
        raise ValueError(f"time data {text!r} does not match format {pattern!r}")
    if end != len(text):
        raise ValueError(f"unconverted data remains: {text[end:]}")
    year, month, day, weekday, yearday = _resolve_day(found)
    return (
        year,
        month,
        day,
        _hour_of(found),
        int(found.get("M", 0)),
        int(found.get("S", 0)),
        weekday,
        yearday,
        int((found.get("f", "0") + "00000")[:6]),
        _offset_microseconds(found["z"]) if "z" in found else None,
        _NAMES["Z"][found["Z"]] if "Z" in found else None,
    )


def _whole(text, length):
    """The number of exactly that many ASCII digits; a ValueError otherwise."""
    if len(text) != length or not text.isdigit() or not text.isascii():
        raise ValueError
    return int(text)


def iso_date(text):
    """Year, month and day of `2020-01-31`, `20200131`, `2020-W05-5` or `2020W055`."""
    year = _whole(text[:4], 4)
    dash = 1 if text[4:5] == "-" else 0
    rest = text[4 + dash :]
    if rest[:1] == "W":
        week = _whole(rest[1:3], 2)
        day = 1
        if len(rest) > 3:
            if (rest[3] == "-") != bool(dash):
                raise ValueError
            day = _whole(rest[3 + dash :], 1)
        return week_date(year, week, day)
    if len(rest) != 4 + dash or (dash and rest[2] != "-"):
        raise ValueError
    return (year, _whole(rest[:2], 2), _whole(rest[2 + dash :], 2))


class WeekError(ValueError):
    """An ISO week or weekday out of range; carries the final message."""


def week_date(year, week, day):
    """Year, month and day of an ISO week date."""
    if not 1 <= year <= 9999:
        raise WeekError(f"Year is out of range: {year}")
    length = (first_iso_monday(year + 1) - first_iso_monday(year)) // 7
    if not 1 <= week <= length:
        raise WeekError(f"Invalid week: {week}")
    if not 1 <= day <= 7:
        raise WeekError(f"Invalid day: {day} (range is [1, 7])")
    return from_ordinal(first_iso_monday(year) + (week - 1) * 7 + day - 1)


def separator_place(text):
    """Where the date ends in a combined ISO text."""
    if len(text) == 7:
        return 7
    if text[4:5] == "-":
        if text[5:6] != "W":
            return 10
        if text[8:9] != "-":
            return 8
        return 8 if text[10:11].isdigit() else 10
    if text[4:5] != "W":
        return 8
    end = _digit_run(text, 7, len(text))
    if end < 9:
        return end
    return 7 if end % 2 == 0 else 8


def _clock(text):
    """Hour, minute, second and microsecond of an ISO time without zone."""
    main, mark, fraction = text.replace(",", ".").partition(".")
    parts = main.split(":") if ":" in main else [main[at : at + 2] for at in range(0, len(main), 2)]
    numbers = [_whole(part, 2) for part in parts]
    if not 1 <= len(numbers) <= 3 or (mark and len(numbers) != 3):
        raise ValueError
    numbers += [0] * (3 - len(numbers))
    if mark:
        _whole(fraction, len(fraction) or 1)
    numbers.append(int((fraction + "000000")[:6]))
    return numbers


def iso_time(text):
    """The clock parts and the zone offset in microseconds (None without a zone)."""
    for place, character in enumerate(text):
        if character in "+-Z":
            clock, zone = text[:place], text[place + 1 :]
            if character == "Z":
                if zone:
                    raise ValueError
                return (_clock(clock), 0)
            hour, minute, second, microsecond = _clock(zone)
            offset = ((hour * 60 + minute) * 60 + second) * 1000000 + microsecond
            return (_clock(clock), -offset if character == "-" else offset)
    return (_clock(text), None)
