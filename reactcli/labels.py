"""The pattern of label lines: built once from the label words of a dialect, linear on any text.

    label line  = line start, decoration, word, number, decoration, colon
    decoration  = bullets, `#`, `>`, ordered-list numbers, bold, italics, backticks, emoji, `【】`

The pattern starts with a literal line break instead of `^` with MULTILINE (4 to 15 times faster: the engine searches
for the byte), and every repeat in it is possessive or bounded, so no text makes it go back more than a few characters.
"""

from __future__ import annotations

import re

from reactcli.dialects import IN_CONTEXT, LABELS, Part
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reactcli.dialects import Dialect

BULLETS = "-•·‣◦●○◆◇■□▪▶►★☆→➤+>"
"""Decoration that makes a line an item of a list or a quotation."""
EMPHASIS = "*_`"
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d"
_DECORATION = f"[ \\t#【{re.escape(EMPHASIS)}{re.escape(BULLETS)}{_EMOJI}]*+"
_BEFORE = rf"({_DECORATION}(?:\d{{1,3}}[.)][ \t]++{_DECORATION})?+)"
_NUMBER = r"(?:[ \t_]{0,3}+\d{1,4}+[.)]?+)?+"
_BETWEEN_WORDS = r"[ \t_]{0,3}(?:\d{1,4}[ \t_]{1,3})?"
_AFTER = rf"{_NUMBER}[ \t]*+([】#{re.escape(EMPHASIS)}]*+)[ \t]*+(?:[:：]|(?<=】)|(?=[ \t]*+(?:[\r\n]|\Z)))"
_STRONG = {Part.ACTION, Part.ACTION_INPUT, Part.FINAL_ANSWER, Part.OBSERVATION}
_SEPARATORS = re.compile(r"[ \t_\d]+")


_labels: dict[str, Labels] = {}


class Word(Value):
    part: Part
    in_context: bool = False
    """A word of everyday prose: a label only where the text around it makes that likely."""
    tool: str = ""


class Labels:
    """The label words of one dialect, as patterns and a table."""

    __slots__ = ("at_line", "at_line_or_return", "here", "inside", "likeness", "words")

    def __init__(self, words: Mapping[str, tuple[str, Word]]) -> None:
        spellings = [spelling for spelling, _ in words.values()]
        initials = "".join(sorted({form for spelling in spellings for form in (spelling[0].lower(), spelling[0].upper())}))
        label = f"(?=[{initials}])({_alternatives(spellings)})"  # one class turns most lines away: 2.3 times faster
        line = f"{_BEFORE}{label}{_AFTER}"
        self.at_line = re.compile(rf"\n{line}")
        self.at_line_or_return = re.compile(rf"[\r\n]{line}")
        self.here = re.compile(line)
        strong = (
            spelling
            for spelling, word in words.values()
            if word.part in _STRONG and not word.in_context
        )
        self.inside = re.compile(rf"(?<=[ \t])({_alternatives(strong)}){_NUMBER}[ \t]{{0,3}}+[:：]")
        self.likeness: dict[str, str] = {}
        """Words by their skeleton, filled by the first check for look-alikes."""
        self.words = {key: word for key, (_, word) in words.items()}
        for spelling, word in words.values():  # the usual spellings cost one look-up
            for usual in (spelling, spelling.title(), spelling.upper(), spelling.capitalize()):
                self.words[usual] = word

    def word(self, label: str) -> Word | None:
        """What a label says; None for a word that only a case rule of some alphabet makes equal to one."""
        return self.words.get(label) or self.words.get(folded(label))


def labels_of(dialect: Dialect) -> Labels:
    """The label patterns of a dialect, compiled once; all dialects without labels of their own share one."""
    key = dialect.name if dialect.labels else ""
    if key not in _labels:
        _labels[key] = Labels(words_of(dialect.labels, dialect.label_tools))
    return _labels[key]


def folded(label: str) -> str:
    """A label without case, spaces, underscores and digits."""
    return _SEPARATORS.sub("", label).lower()


def words_of(labels: Mapping[str, Part], tools: Mapping[str, str]) -> dict[str, tuple[str, Word]]:
    """All words of `LABELS` and those of a dialect's own, from folded word to spelling and meaning."""
    found: dict[str, tuple[str, Word]] = {}
    for parts in LABELS.values():
        for part, spellings in parts.items():
            for spelling in spellings.split("|"):
                key = folded(spelling)
                found[key] = (spelling, Word(part, key in IN_CONTEXT))
    for spelling, part in labels.items():
        key = folded(spelling)
        found[key] = (spelling, Word(part, tool=tools.get(key, "")))
    return found


def _alternatives(spellings: Iterable[str]) -> str:
    """A pattern that matches the longest of some words, any case, as a tree of their letters."""
    tree: dict[str, dict[str, object]] = {}
    for spelling in spellings:
        node = tree
        for letter in spelling.lower():
            node = node.setdefault(letter, {})  # type: ignore[assignment]  # a tree of itself
        node[""] = {}
    return _branches(tree)


def _branches(node: dict[str, dict[str, object]]) -> str:
    branches = [
        (_BETWEEN_WORDS if letter == " " else _any_case(letter)) + _branches(below)  # type: ignore[arg-type]  # as above
        for letter, below in node.items()
        if letter
    ]
    if not branches:
        return ""
    optional = "" in node
    if len(branches) == 1 and not optional:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if optional else ''}"


def _any_case(letter: str) -> str:
    upper = letter.upper()
    return f"[{letter}{upper}]" if len(upper) == 1 and upper != letter else re.escape(letter)
