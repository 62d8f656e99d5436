"""Dates and times as text: strftime, with the directives and flags of the C library.

The moment is given as a plain tuple (year, month, day, hour, minute, second, weekday from
Monday 0, day of the year). Names are English, as in the C locale. An unknown directive
stays in the text as it is.
"""

from _datetime_days import (
    DAY_NAMES,
    EPOCH_ORDINAL,
    MONTH_NAMES,
    iso_parts,
    to_ordinal,
)

_COMPOUND = {
    "c": "%a %b %e %H:%M:%S %Y",
    "x": "%m/%d/%y",
    "D": "%m/%d/%y",
    "X": "%H:%M:%S",
    "T": "%H:%M:%S",
    "F": "%Y-%m-%d",
    "R": "%H:%M",
    "r": "%I:%M:%S %p",
}
# Directive: index in the moment, width, filling character.
_SIMPLE = {
    "d": (2, 2, "0"),
    "e": (2, 2, " "),
    "m": (1, 2, "0"),
    "Y": (0, 1, "0"),
    "H": (3, 2, "0"),
    "k": (3, 2, " "),
    "M": (4, 2, "0"),
    "S": (5, 2, "0"),
    "j": (7, 3, "0"),
}


def _number(letter, moment):
    """Value, width and filling of a numeric directive, or None."""
    simple = _SIMPLE.get(letter)
    if simple is not None:
        return (moment[simple[0]], simple[1], simple[2])
    year, weekday, yearday = moment[0], moment[6], moment[7]
    if letter == "y":
        return (year % 100, 2, "0")
    if letter == "C":
        return (year // 100, 1, "0")
    if letter in ("I", "l"):
        return (moment[3] % 12 or 12, 2, "0" if letter == "I" else " ")
    if letter == "u":
        return (weekday + 1, 1, "0")
    if letter == "w":
        return ((weekday + 1) % 7, 1, "0")
    if letter == "U":
        return ((yearday + 6 - (weekday + 1) % 7) // 7, 2, "0")
    if letter == "W":
        return ((yearday + 6 - weekday) // 7, 2, "0")
    if letter in ("G", "g", "V"):
        iso_year, week, _ = iso_parts(to_ordinal(year, 1, 1) + yearday - 1, year)
        if letter == "V":
            return (week, 2, "0")
        return (iso_year, 1, "0") if letter == "G" else (iso_year % 100, 2, "0")
    if letter == "s":
        days = to_ordinal(year, moment[1], moment[2]) - EPOCH_ORDINAL
        return (days * 86400 + moment[3] * 3600 + moment[4] * 60 + moment[5], 1, "0")
    return None


def _word(letter, moment, zone):
    """The text of a directive that gives words, or None."""
    if letter in ("a", "A"):
        name = DAY_NAMES[moment[6]]
        return name[:3] if letter == "a" else name
    if letter in ("b", "B", "h"):
        name = MONTH_NAMES[moment[1] - 1]
        return name if letter == "B" else name[:3]
    if letter in ("p", "P"):
        name = "AM" if moment[3] < 12 else "PM"
        return name if letter == "p" else name.lower()
    if letter in ("n", "t", "%"):
        return {"n": "\n", "t": "\t", "%": "%"}[letter]
    if letter == "z":
        return zone[0]
    if letter == "Z":
        return zone[1]
    if letter in _COMPOUND:
        return format_moment(_COMPOUND[letter], moment, zone)
    return None


def _directive(letter, flags, width, moment, zone, microsecond):
    """The text of one directive with its flags, or None if it is unknown."""
    if letter == "f" and microsecond is not None and not flags and not width:
        return f"{microsecond:06d}"
    number = _number(letter, moment)
    if number is not None:
        value, least, fill = number
        for flag in flags:
            if flag == "-":
                least, fill = 0, " "
            elif flag in ("_", "0"):
                fill = " " if flag == "_" else "0"
        text = str(abs(value)).rjust(max(least, width) - (value < 0), fill)
        return "-" + text if value < 0 else text
    text = _word(letter, moment, zone)
    if text is None:
        return None
    if letter in "aAbBhpZ":
        if "^" in flags:
            text = text.upper()
        elif "#" in flags:
            text = text.lower() if letter in "pZ" else text.upper()
    return text.rjust(width, "0" if "0" in flags else " ")


def format_moment(pattern, moment, zone=("", ""), microsecond=None):
    """strftime; the zone is its offset text and its name."""
    pieces = []
    place = 0
    while True:
        mark = pattern.find("%", place)
        if mark < 0:
            pieces.append(pattern[place:])
            return "".join(pieces)
        pieces.append(pattern[place:mark])
        end = mark + 1
        while pattern[end : end + 1] in ("-", "_", "0", "^", "#"):
            end += 1
        flags = pattern[mark + 1 : end]
        start = end
        while pattern[end : end + 1].isdigit():
            end += 1
        width = int(pattern[start:end][:4] or 0)
        if pattern[end : end + 1] in ("E", "O"):
            end += 1
        letter = pattern[end : end + 1]
        text = _directive(letter, flags, width, moment, zone, microsecond) if letter else None
        place = end + 1
        pieces.append(pattern[mark:place] if text is None else text)
