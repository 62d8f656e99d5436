"""Wrapping, filling, shortening, indenting and dedenting of text.

Text is cut into chunks (words, runs of blanks, dashes, parts of hyphenated words), and the
chunks are packed into lines. Only ASCII blanks count as whitespace.
"""

_whitespace = "\t\n\x0b\x0c\r "
_before_dash = "!\"'&.,?"


def _is_word_punctuation(char):
    return char.isalnum() or char == "_" or char in _before_dash


def _is_letter(char):
    return char == "_" or (char.isalnum() and not char.isdecimal())


def _dash_run(text, position):
    """The end of two or more hyphens that are followed by a word, or -1."""
    end = position
    while end < len(text) and text[end] == "-":
        end += 1
    follows = end < len(text) and (text[end].isalnum() or text[end] == "_")
    return end if end - position >= 2 and follows else -1


def _breaks_after_hyphen(text, position, start):
    """Whether the hyphen at `position` joins two words that may be parted there."""
    if position - start < 1 or position < 2:
        return False
    before = text[position - 1]
    earlier = text[position - 2]
    joined = _is_letter(before) and _is_letter(earlier)
    if not joined:
        # One letter after an earlier hyphen also counts, as in `a-b-cd`.
        joined = (
            position >= 3 and _is_letter(before)
            and earlier == "-" and _is_letter(text[position - 3])
        )
    if not joined:
        return False
    after = text[position + 1:position + 4]
    if not after or not _is_letter(after[0]):
        return False
    if len(after) > 1 and _is_letter(after[1]):
        return True
    return len(after) > 2 and after[1] == "-" and _is_letter(after[2])


def _chunk_end(text, start, break_on_hyphens):
    size = len(text)
    if text[start] in _whitespace:
        end = start
        while end < size and text[end] in _whitespace:
            end += 1
        return end
    if not break_on_hyphens:
        end = start
        while end < size and text[end] not in _whitespace:
            end += 1
        return end
    if start > 0 and _is_word_punctuation(text[start - 1]) and text[start] == "-":
        end = _dash_run(text, start)
        if end > 0:
            return end
    end = start + 1
    while end < size and text[end] not in _whitespace:
        if text[end] == "-":
            if _breaks_after_hyphen(text, end, start):
                return end + 1
            if _is_word_punctuation(text[end - 1]) and _dash_run(text, end) > 0:
                return end
        end += 1
    return end


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True,
                 replace_whitespace=True, fix_sentence_endings=False, break_long_words=True,
                 drop_whitespace=True, break_on_hyphens=True, tabsize=8, *, max_lines=None,
                 placeholder=" [...]"):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.fix_sentence_endings = fix_sentence_endings
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def _chunks(self, text):
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            for blank in _whitespace:
                text = text.replace(blank, " ")
        chunks = []
        position = 0
        while position < len(text):
            end = _chunk_end(text, position, self.break_on_hyphens)
            chunks.append(text[position:end])
            position = end
        if self.fix_sentence_endings:
            self._fix_endings(chunks)
        return chunks

    def _fix_endings(self, chunks):
        for index in range(len(chunks) - 1):
            word = chunks[index].rstrip("\"'")
            if chunks[index + 1] == " " and len(chunks[index]) - len(word) < 2:
                if len(word) > 1 and word[-1] in ".!?" and "a" <= word[-2] <= "z":
                    chunks[index + 1] = "  "

    def _take_long_word(self, chunks, current, length, width):
        """Puts as much of an overlong chunk on the line as fits, or all of it."""
        space = 1 if width < 1 else width - length
        if not self.break_long_words:
            if not current:
                current.append(chunks.pop())
            return
        chunk = chunks[-1]
        end = space
        if self.break_on_hyphens and len(chunk) > space:
            hyphen = chunk.rfind("-", 0, space)
            if hyphen > 0 and any(char != "-" for char in chunk[:hyphen]):
                end = hyphen + 1
        current.append(chunk[:end])
        chunks[-1] = chunk[end:]

    def _wrap_chunks(self, chunks):
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        if self.max_lines is not None:
            indent = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(indent) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError("placeholder too large for max width")
        lines = []
        chunks.reverse()
        while chunks:
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            if self.drop_whitespace and lines and chunks[-1].strip() == "":
                chunks.pop()
            current = []
            length = 0
            while chunks and length + len(chunks[-1]) <= width:
                length += len(chunks[-1])
                current.append(chunks.pop())
            if chunks and len(chunks[-1]) > width:
                self._take_long_word(chunks, current, length, width)
                length = sum(map(len, current))
            if self.drop_whitespace and current and current[-1].strip() == "":
                length -= len(current.pop())
            if not current:
                continue
            last_allowed = self.max_lines is not None and len(lines) + 1 >= self.max_lines
            rest_is_blank = not chunks or (
                self.drop_whitespace and len(chunks) == 1 and not chunks[0].strip()
            )
            if not last_allowed or (rest_is_blank and length <= width):
                lines.append(indent + "".join(current))
                continue
            self._cut(lines, current, length, width, indent)
            break
        return lines

    def _cut(self, lines, current, length, width, indent):
        """Ends the last line allowed with the placeholder."""
        while current:
            if current[-1].strip() and length + len(self.placeholder) <= width:
                lines.append(indent + "".join(current) + self.placeholder)
                return
            length -= len(current.pop())
        if lines:
            previous = lines[-1].rstrip()
            if len(previous) + len(self.placeholder) <= self.width:
                lines[-1] = previous + self.placeholder
                return
        lines.append(indent + self.placeholder.lstrip())

    def wrap(self, text):
        return self._wrap_chunks(self._chunks(text))

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    wrapper = TextWrapper(width=width, max_lines=1, **kwargs)
    return wrapper.fill(" ".join(text.strip().split()))


def dedent(text):
    lines = text.split("\n")
    margin = None
    for index, line in enumerate(lines):
        content = line.lstrip(" \t")
        if not content:
            lines[index] = ""
            continue
        indent = line[:len(line) - len(content)]
        if margin is None:
            margin = indent
            continue
        common = 0
        while common < min(len(margin), len(indent)) and margin[common] == indent[common]:
            common += 1
        margin = margin[:common]
    if margin:
        lines = [line[len(margin):] if line else line for line in lines]
    return "\n".join(lines)


def indent(text, prefix, predicate=None):
    lines = text.splitlines(True)
    if predicate is None:
        predicate = str.strip
    return "".join([prefix + line if predicate(line) else line for line in lines])
