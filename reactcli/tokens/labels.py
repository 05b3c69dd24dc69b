"""Label lines: what a line must look like to spell a label, and which words do.

    label line  = line start, decoration, word, number, decoration, colon
    decoration  = bullets, `#`, `>`, ordered-list numbers, bold, italics, backticks, emoji, `【】`, `<|` and `|>`

The pattern finds lines with a colon near their start; a table says whether what stands before it is a label. It starts
with a literal line break instead of `^` with MULTILINE (4 to 15 times faster: the engine searches for the byte), and
every repeat in it is possessive or bounded, so no text makes it go back more than a few characters.
"""

from __future__ import annotations

import re

from reactcli.dialects.parts import IN_CONTEXT, LABELS, Part, folded
from reactcli.patterns import pattern
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from reactcli.dialects import Dialect

BULLETS = "-•·‣◦●○◆◇■□▪▶►★☆→➤+>"
"""Decoration that makes a line an item of a list or a quotation."""
EMPHASIS = "*_`"
BLANKS = " \t\u00a0\u2009\u202f\u3000"
"""White space inside a line, no-break and wide spaces too: French sets one before a colon, Chinese one as indent."""
SENTENCE_ENDS = "。！？；…"
"""Behind which no space stands."""
EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d"
_DECORATION = f"[{BLANKS}#【{re.escape(EMPHASIS)}{re.escape(BULLETS)}{EMOJI}]*+"
SGR = r"(?:\x1b\[[\d;]{0,20}m)"
"""Colours that a terminal log left."""
_BEFORE = rf"({SGR}{{0,4}}+{_DECORATION}(?:\d{{1,3}}[.)][ \t]++{_DECORATION})?+{SGR}{{0,2}}+(?:<\|)?+)"
_HEAD = rf"([^\W\d_][\w{BLANKS}'’.)\\-]{{0,48}}+)"
"""A word and its number; longer than any label."""
_AFTER = rf"((?:\|>)?+[】#{re.escape(EMPHASIS)}]*+)[{BLANKS}]*+(?:[:：]|(?<=】)|(?=[\r\n]|\Z))"

_labels: dict[str, Labels] = {}


class Word(Value):
    part: Part
    in_context: bool = False
    """A word of everyday prose: a label only where the text around it makes that likely."""
    tool: str = ""


class Labels:
    """The label words of one dialect, as patterns and a table. Groups: decoration, label, decoration."""

    def __init__(self, words: dict[str, Word]) -> None:
        initials = "".join(sorted({form for word in words for form in (word[0], word[0].upper())}))
        line = f"{_BEFORE}(?=[{initials}]){_HEAD}{_AFTER}"  # the class turns most lines away at once
        self.at_line = pattern(rf"\n{line}")
        self.at_line_or_return = pattern(rf"[\r\n]{line}")
        self.here = pattern(line)
        self.inside = pattern(_inline(words), re.IGNORECASE)
        """Group 2 is a label of an action, input, observation or answer in mid-line, group 1 the emphasis before it."""
        self.words = words
        """By folded spelling, the words separated by one space or by nothing."""
        self._spelt: dict[str, Word | None] = {
            usual: word
            for label, word in words.items()
            for usual in (label.capitalize(), label.title(), label.upper(), label)
        }
        self.likeness: dict[str, str] = {}
        """Words by their skeleton, filled by the first check for look-alikes."""

    def word(self, label: str) -> Word | None:
        """What a label says; None if it says nothing."""
        usual = self._spelt.get(label)
        if usual is not None:
            return usual
        plain = folded(label)
        is_disguised = plain.isascii() and not "".join(label.split()).isascii()  # the Kelvin sign is no k
        return None if is_disguised else self.words.get(plain)


def labels_of(dialect: Dialect) -> Labels:
    """The labels of a dialect, made once; all dialects without labels of their own share one value."""
    key = dialect.name if dialect.labels else ""
    if key not in _labels:
        _labels[key] = Labels(_words_of(dialect.labels, dialect.label_tools))
    return _labels[key]


def _words_of(labels: Mapping[str, Part], tools: Mapping[str, str]) -> dict[str, Word]:
    """All words of `LABELS` and those of a dialect's own."""
    found: dict[str, Word] = {}
    for parts in LABELS.values():
        for part, spellings in parts.items():
            for spelling in spellings.split("|"):
                _add(found, spelling, Word(part, spelling.lower() in IN_CONTEXT, ""))
    for spelling, part in labels.items():
        _add(found, spelling, Word(part, in_context=False, tool=tools.get(spelling, "")))
    return found


def _add(found: dict[str, Word], spelling: str, word: Word) -> None:
    found[spelling.lower()] = word
    found[spelling.lower().replace(" ", "")] = word


def _inline(words: dict[str, Word]) -> str:
    strong = {Part.ACTION, Part.ACTION_INPUT, Part.OBSERVATION, Part.FINAL_ANSWER}
    spellings = sorted((label for label, word in words.items() if word.part in strong and not word.in_context), key=len)
    spelt = "|".join(re.escape(label).replace(r"\ ", r"[ _]{0,3}") for label in reversed(spellings))
    initials = "".join(sorted({form for label in spellings for form in (label[0], label[0].upper())}))
    before = rf"(?:[ \t]|(?<=[{SENTENCE_ENDS}]))([*_]{{0,3}}+)"
    return rf"{before}(?=[{initials}])({spelt})(?:[ \t_]{{0,3}}+\d{{1,4}}+)?+[ \t]{{0,3}}+[:：]"
