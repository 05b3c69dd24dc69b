"""Tell a step's text as it arrives: events of part and text, and at the end the step of the whole.

An event never changes. The start of a line is held back until it cannot be a label any more, a tag until it is whole,
and white space, stop words and end-of-turn tokens until more text shows that they do not end their part. Every decision
looks at the text alone, so how it is cut into pieces makes no difference. What only the end of the text can tell (a
fence that never closes, a final answer that beats an action) is told by `close`, which parses the whole.
"""

from __future__ import annotations

import codecs
import re

from reactcli.dialects import DIALECTS
from reactcli.dialects.parts import Part, folded
from reactcli.errors import ReactcliError
from reactcli.loosejson import balanced_end
from reactcli.patterns import pattern
from reactcli.source import BOM, LINE_END, plain_lines
from reactcli.tokens.labels import BULLETS, EMOJI, EMPHASIS, labels_of
from reactcli.tokens.lines import EMPHASIS_HERE, ENDED_BY, RAW, is_item, may_lack_colon, past_closing_emphasis
from reactcli.tokens.marks import Marks
from reactcli.tokens.tails import COLOUR, is_stop_line, is_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reactcli.parser import ReActAgentParser
    from reactcli.tokens.labels import Word
    from reactcli.trace import Step

Event = tuple[str, str]
"""A part's name and some of its text."""

_HELD = 120
"""Characters held back at most while a label or tag may still be coming: longer than any of them."""
_LONGEST_HEAD = 500
"""Characters of a line that are looked at for a label: more than decoration, label and colon have."""
_OPENERS = pattern(r"[<\[✿]")
_MARK_COMING = pattern(r"<\||</?[A-Za-z]|\[\[|\[[A-Za-z]|✿")
_DECORATION = pattern(rf"[ \t#【0-9.)<|{re.escape(EMPHASIS)}{re.escape(BULLETS)}{EMOJI}]*+")
_GROWING = pattern(
    r"(?:<(?:\w{1,8}:)?function_calls>\s{0,9}(?:<[\w:]{0,20}(?: [a-z]{0,4}=?\"?[^\"<>\n]{0,60}\"?)?)?"
    r"|\[TOOL_CALLS\][\w.-]{0,60}(?:\[[A-Z_]{0,7}(?:\]\w{0,20}(?:\[[A-Z]{0,4})?)?)?)\Z"
)
"""What may still become a longer mark."""
_HALF_COLOUR = pattern(r"\x1b(?:\[[\d;]{0,20})?\Z")
_STOP_LINES = ("pause", "end action")
_THINKING = pattern(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_THINKING_TAGS = ("<think>", "<thinking>", "<reasoning>")
_THOUGHT_OUT = pattern(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_MARKS = Marks(
    tuple(mark for dialect in DIALECTS if dialect.evidence for mark in dialect.marks if mark.part is not Part.ARGUMENT)
)


class StepStream:
    """Feeds on one reply. `feed` gives events; `close` the step, and leaves what was still held back in `rest`."""

    def __init__(self, parser: ReActAgentParser) -> None:
        self.rest: list[Event] = []
        """Events that only the end of the text allowed, after `close`."""
        self._parser = parser
        self._labels = labels_of(parser.dialect)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: list[str] = []
        self._text = ""
        """What is not yet told, from the start of its line."""
        self._at = 0
        self._line_start = True
        self._lead = self._part = Part.THOUGHT if parser.policy.primed else Part.PREAMBLE
        self._closer: re.Pattern[str] | None = None
        self._space: list[str] = []
        """White space that is told only if text follows in the same part."""
        self._fenced = False
        self._json: list[str] | None = None
        """The text of a body that began with a bracket, while its JSON value is open."""
        self._begun = False
        self._acted = False
        self._closed = False
        self._line_end: re.Match[str] | None = None
        self._looked_to = 0
        """Up to where `_line_end` is the next one."""
        self._started = False
        self._listed = False
        """A label that opened a part was a list item."""
        self._told = 0
        self._wasted = 0
        """Characters looked at for values that were still open: bounded by the characters told."""
        self._events: list[tuple[str, list[str]]] = []

    def feed(self, chunk: str | bytes) -> list[Event]:
        """Take the next piece of the text, and tell what can be told. ReactcliError once the stream is closed."""
        if self._closed:
            raise ReactcliError("the stream is closed", hint="begin another with parser.stream()")
        if not isinstance(chunk, str | bytes):
            raise TypeError(f"a chunk is str or bytes, and this is of type {type(chunk).__name__}")
        return self._take(self._decoder.decode(chunk) if isinstance(chunk, bytes) else chunk, last=False)

    def close(self) -> Step:
        """The step of the whole text."""
        self._closed = True
        self.rest = self._take(self._decoder.decode(b"", final=True), last=True)
        return self._parser.parse("".join(self._chunks))

    def _take(self, text: str, *, last: bool) -> list[Event]:
        self._chunks.append(text)
        told = max(self._at - 1, 0)  # one character stays, to tell whether a line starts
        self._text = self._text[told:] + text
        self._looked_to = 0
        self._at -= told
        self._events = []
        if self._text and not self._started:
            self._started = True
            self._at = len(BOM) if self._text.startswith(BOM) else 0
        while self._at < len(self._text) and self._advance(last=last):
            pass
        return [(name, "".join(texts)) for name, texts in self._events]

    def _advance(self, *, last: bool) -> bool:
        """Take one line start, one stretch of text or one mark; False while more text is needed."""
        if self._line_start and self._part is not Part.REASONING:
            taken = self._take_line_start(last=last)
            if taken is not None:
                return taken
        return self._take_stretch(last=last)

    def _take_line_start(self, *, last: bool) -> bool | None:
        """None: the line is no label, and its text can be told."""
        line_end = self._next_line_end()
        stop = line_end.start() if line_end else len(self._text)
        head = self._text[self._at : min(stop, self._at + _LONGEST_HEAD)]
        whole = bool(line_end) or last or len(head) >= _HELD
        label = self._labels.here.match(self._text, self._at, self._at + len(head))
        if label and self._text[label.end() - 1] not in ":：】" and not (whole and may_lack_colon(label[1], label[3])):
            label = None
        if not whole and (self._is_unsettled(label) if label else self._may_become_label(head)):
            return False
        thinking = _THINKING.match(self._text, self._at + len(head) - len(head.lstrip()))
        if thinking:
            self._open(Part.REASONING, thinking.end(), _THOUGHT_OUT)
            return True
        word = label and self._labels.word(label[2])
        if label and word and self._counts(word) and not self._is_item(label[1]):
            body = label.end()
            if label[1] and not label[3].strip("】#"):
                body = past_closing_emphasis(self._text, label[1], body, self._at + len(head))
            self._open(Part.ACTION_INPUT if word.tool else word.part, body, None)
            return True
        acting = self._part in (Part.ACTION, Part.ACTION_INPUT)
        if (line_end or last) and is_stop_line(head.strip(), acting=acting, last=last and not line_end):
            self._at += len(head)
            self._line_start = False
            return True
        if head.lstrip().startswith(("```", "~~~")):
            self._fenced = not self._fenced
        self._line_start = False
        return None

    def _is_item(self, before: str) -> bool:
        """As the reader of the whole decides it, but for a plan in a thought, which only the rest of the text tells."""
        item = is_item(before)
        if item and not self._listed and self._part in RAW:
            return True
        self._listed = self._listed or item
        return False

    def _is_unsettled(self, label: re.Match[str]) -> bool:
        """More text may still belong to a label: a colon behind `】`, or the end of bold that began before it."""
        if self._text[label.end() - 1] not in ":：":
            return label.end() == len(self._text)
        if not label[1] or label[3].strip("】#"):
            return False
        closing = EMPHASIS_HERE.match(self._text, label.end())
        return not self._text[label.end() :].strip() or bool(closing and closing.end() == len(self._text))

    def _may_become_label(self, head: str) -> bool:
        if "\x1b" in head:
            if _HALF_COLOUR.search(head):
                return True
            head = COLOUR.sub("", head)
        plain = folded(_DECORATION.sub("", head, count=1).rstrip(f" \t】#|>{EMPHASIS}"))
        tag = head.lstrip().lower()
        if not plain or tag in ("~", "~~") or (tag[0] == "<" and any(name.startswith(tag) for name in _THINKING_TAGS)):
            return True
        return any(word.startswith(plain) for word in (*self._labels.words, *_STOP_LINES))

    def _counts(self, word: Word) -> bool:
        if self._fenced or self._inside_json():
            return False
        if not word.in_context:
            return word.part in ENDED_BY[self._part]
        return (word.part is Part.OBSERVATION and self._part in (Part.ACTION, Part.ACTION_INPUT)) or (
            word.part is Part.ACTION_INPUT and self._part is Part.ACTION
        )

    def _inside_json(self) -> bool:
        """Whether the JSON value that began the current body is still open."""
        if self._json is None or self._wasted > self._told:
            return False
        body = "".join(self._json)
        if balanced_end(body, 0, len(body)) is None:
            self._json = [body]
            self._wasted += len(body)
            return True
        self._json = None
        return False

    def _take_stretch(self, *, last: bool) -> bool:
        """Tell text up to the end of the line or the next mark."""
        text, at = self._text, self._at
        line_end = self._next_line_end()
        stop = line_end.start() if line_end else len(text)
        opener = _OPENERS.search(text, at, stop)
        if opener is not None:
            if opener.start() > at:
                self._tell(text[at : opener.start()])
                return True
            return self._take_mark(at, last=last)
        self._tell(text[at:stop])
        if line_end:
            if line_end.end() == len(text) and line_end[0] == "\r" and not last:
                return False
            self._tell(line_end[0])
            self._line_start = True
        return True

    def _next_line_end(self) -> re.Match[str] | None:
        """Looked for once, however many marks a line holds."""
        if self._looked_to <= self._at:
            self._line_end = LINE_END.search(self._text, self._at)
            self._looked_to = self._line_end.end() if self._line_end else len(self._text)
        return self._line_end

    def _take_mark(self, at: int, *, last: bool) -> bool:
        """A character that may open or close a mark, once enough of the text behind it is there."""
        text = self._text
        if not last and not self._can_judge(at):
            return False
        closing = self._closer.match(text, at) if self._closer else None
        opening = None if self._part is Part.REASONING else _MARKS.pattern.match(text, at)
        if closing:
            self._open(self._lead, closing.end(), None)
            self._line_start = True
        elif opening and not (self._fenced or self._inside_json()):
            mark, _ = _MARKS.of(opening)
            closer = re.compile(re.escape(mark.closes.format(tag=opening[0][1:-1]))) if mark.closes else None
            self._open(mark.part, opening.end(), closer)
        elif last and is_token(text[at:].strip()):
            self._at = len(text)
        else:
            self._tell(text[at])
        return True

    def _can_judge(self, at: int) -> bool:
        """No further text can change whether a mark stands here."""
        text = self._text
        if len(text) - at >= _HELD:
            return True
        if len(text) - at < 3 or text.startswith(("<|", "<｜", "✿"), at) or _GROWING.match(text, at):
            return False
        if not _MARK_COMING.match(text, at):
            return True
        end = max(text.find(">", at), text.find("]]", at), text.find("]", at) if text[at + 1] != "[" else -1)
        return 0 <= end < len(text) - 2 or LINE_END.search(text, at) is not None

    def _open(self, part: Part, at: int, closer: re.Pattern[str] | None) -> None:
        self._part, self._at, self._closer = part, at, closer
        self._acted = self._acted or part is Part.ACTION
        self._space, self._fenced, self._json = [], False, None
        self._line_start = self._begun = False

    def _tell(self, text: str) -> None:
        """Tell text of the current part; white space waits until more follows."""
        self._at += len(text)
        self._told += len(text)
        told = text.rstrip()
        if not told:
            self._space += [text] if self._begun else []
            return
        if not self._begun:
            told = told.lstrip()
            self._json = [] if told[0] in "{[" else None
        elif self._space:
            told = "".join(self._space) + told
        if self._json is not None:
            self._json.append(told)
        self._begun, self._space = True, [text[len(text.rstrip()) :]]
        name = str(Part.FINAL_ANSWER if self._part is Part.ANSWER and not self._acted else self._part)
        if not self._events or self._events[-1][0] != name:
            self._events.append((name, []))
        self._events[-1][1].append(plain_lines(told))
