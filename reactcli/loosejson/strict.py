"""JSON by the letter, at the speed of the C scanner, for text that may be hostile.

`scan` gives a value only if there is nothing to say about it. Anything odd (a duplicate key, NaN, a number that is too
long or too large, half a surrogate pair, nesting over the limit) is left to the loose reader, which says where it is.
"""

from __future__ import annotations

from itertools import accumulate
from json.decoder import JSONDecoder
from sys import get_int_max_str_digits

from reactcli.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from reactcli.source import Span

DEPTH_LIMIT = 200
"""The C scanner recurses: on a stack of 256 kB it dies at a depth of 900, and Python's own limit varies."""
DIGIT_LIMIT = 4300
"""What Python converts by default; beyond it, the time grows with the square."""
INFINITY = float("inf")

SPACE = pattern(r"[ \t\n\r]*")
SURROGATE = pattern(r"\\u[dD][89a-fA-F]")
SURROGATE_PAIR = pattern(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]")
NUMBER_GOES_ON = pattern(r"[\w.+-]")

# A value is looked for in ever larger windows: many small values in a long text must not each cost the whole text.
WINDOWS = (2_000, 60_000)
# How near the end of a window an error may be caused by the cut: longer than any literal, escape or pair of escapes.
CUT_MARGIN = 16
DEPTH_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
NEITHER_BRACKET_NOR_QUOTE = bytes(byte for byte in range(256) if byte not in b'[]{}"')


def scan(text: str, at: int, end: int) -> tuple[Any, int] | None:
    """The value whose first character is at `at`, and the offset behind it; None if it is not plainly valid JSON."""
    for width in (*WINDOWS, end - at):
        stop = min(at + width, end)
        window = text[at:stop]
        if not is_shallow(window):
            return None
        scan_once = SCAN_ONCE if 0 < get_int_max_str_digits() <= DIGIT_LIMIT else SCAN_ONCE_COUNTING_DIGITS
        try:
            value, length = scan_once(window, 0)
        except (ValueError, StopIteration, RecursionError) as error:
            if stop == end or _is_certain(error, len(window)):
                return None
            continue
        if length < len(window) or stop == end:
            return (value, at + length) if _is_clean(window, length) else None
    return None


def scan_items(text: str, at: int, end: int) -> list[tuple[str, Span]] | None:
    """Key (empty in an array) and span of each top-level value of the container at `at`; None if not plainly valid."""
    whole = scan(text, at, end)
    if whole is None or not isinstance(whole[0], dict | list):
        return None
    window = text[at : whole[1]]
    length = len(window)
    items: list[tuple[str, Span]] = []
    key = ""
    here = skip_space(window, 1, length)
    while window[here] not in "}]":
        if window[0] == "{":
            key, here = SCAN_ONCE(window, here)
            here = skip_space(window, skip_space(window, here, length) + 1, length)
        stop = SCAN_ONCE(window, here)[1]
        items.append((key, (at + here, at + stop)))
        here = skip_space(window, stop, length)
        if window[here] == ",":
            here = skip_space(window, here + 1, length)
    return items


def is_shallow(window: str) -> bool:
    """True if no value that starts with the window nests deeper than the limit. Text behind it counts too.

    For JSON exact: up to the first error, where the scanner stops, strings are cut out as it would cut them.
    """
    if window.count("[") + window.count("{") <= DEPTH_LIMIT:
        return True
    if "\\" in window:
        window = window.replace("\\\\", "").replace('\\"', "")
    # Quotes side by side hold no bracket, or join two strings with none between them: either way they can go.
    marks = (
        window.encode("utf-8", "surrogatepass").translate(DEPTH_STEPS, NEITHER_BRACKET_NOR_QUOTE).replace(b'""', b"")
    )
    outside = b"".join(marks.split(b'"')[::2])
    return max(accumulate(memoryview(outside).cast("b")), default=0) <= DEPTH_LIMIT


def skip_space(text: str, at: int, end: int) -> int:
    """The offset of the first character from `at` that JSON does not call white space, or `end`."""
    return SPACE.match(text, at, end).end()  # type: ignore[union-attr]  # the pattern matches anywhere


def _is_certain(error: Exception, length: int) -> bool:
    """The error would be there in a larger window too."""
    if str(error).startswith("Unterminated"):
        return False
    place = error.value if isinstance(error, StopIteration) else getattr(error, "pos", 0)
    return bool(place + CUT_MARGIN < length)


def _is_clean(window: str, length: int) -> bool:
    """Not half a surrogate pair, and not a number that goes on in a way JSON does not know (`01`, `2024-05-06`)."""
    if window[0] in "-0123456789" and NUMBER_GOES_ON.match(window, length):
        return False
    if window.find("\\u", 0, length) < 0:
        return True
    source = window[:length]
    return len(SURROGATE.findall(source)) == 2 * len(SURROGATE_PAIR.findall(source))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _float(source: str) -> float:
    number = float(source)
    if number in (INFINITY, -INFINITY):
        raise ValueError("not finite")
    return number


def _int(source: str) -> int:
    if len(source) > DIGIT_LIMIT:
        raise ValueError("too long")
    return int(source)


def _constant(source: str) -> Any:
    raise ValueError(source)


def _scanner(integer: Callable[[str], int]) -> Callable[[str, int], tuple[Any, int]]:
    decoder = JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=integer, parse_constant=_constant)
    return decoder.scan_once  # type: ignore[attr-defined, no-any-return]  # the stub lacks it


SCAN_ONCE = _scanner(int)
SCAN_ONCE_COUNTING_DIGITS = _scanner(_int)
"""For a process that has lifted Python's own limit on digits: a call for each number makes it slower."""
