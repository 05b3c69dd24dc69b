"""What a tool returns or raises, as text.

Text stays as it is, other values become JSON where JSON can hold them, then what the value says of itself; a value that
has only an address in memory is refused. Nothing here knows what a tool is.
"""

from __future__ import annotations

import json
import re

from reactcli.errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+>")
"""How Python prints an object that has no text of its own: it says nothing, and differs on every run."""

ERROR_LIMIT = 4_000
"""Characters of an exception's message that reach an observation: a page, and no flood from a generated message."""


def as_text(result: object) -> str:
    """The observation that a result stands for. ToolError if it has no text; whatever its own `__str__` raises."""
    if isinstance(result, str):
        return str.__str__(result)  # a subclass may lie about itself; this reads the characters it holds
    if isinstance(result, bytes | bytearray):
        return bytes(result).decode("utf-8", "replace")
    if hasattr(type(result), "__next__") or hasattr(type(result), "__anext__"):
        unfinished = f"the tool returned a value of class '{_class_name(result)}', which is no result yet"
        raise ToolError(unfinished, hint="return text or a list")
    try:
        return _encode(result)
    except (TypeError, ValueError, RecursionError):
        return _own_words(result)


def as_json(value: object) -> Any:
    """The value as JSON holds it, for a report; what JSON cannot hold becomes text."""
    try:
        return json.loads(_encode(value))
    except (TypeError, ValueError, RecursionError):
        return shortened(f"<{_class_name(value)}>" if _has_no_words(value) else str(value), ERROR_LIMIT)


def failure(error: BaseException) -> str:
    """`<Type>: <message>`, of an exception that may not even be able to print itself."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # a tool's own class raised inside its __str__: its name has to do
        message = ""
    name = type(error).__name__
    return f"{name}: {shortened(message, ERROR_LIMIT)}" if message else name


def missing_variable(error: BaseException) -> str | None:
    """The name of the environment variable that a KeyError is about, if it came out of `os.environ`."""
    if not isinstance(error, KeyError) or not error.args or not isinstance(error.args[0], str):
        return None
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return error.args[0] if frames is not None and frames.tb_frame.f_globals.get("__name__") == "os" else None


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, kept from both ends, with a line between them that counts what is missing."""
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - head
    cut = f"\n… {len(text) - limit} characters omitted …\n"
    return f"{text[:head]}{cut}{text[len(text) - tail :]}"


def settled(result: object, wait: Callable[[Awaitable[object]], object] | None = None) -> object:
    """The result itself, or what awaiting it gives. `wait` is how, if the caller keeps an event loop of its own."""
    if not hasattr(type(result), "__await__"):
        return result
    return (wait or _waited)(result)  # type: ignore[arg-type]  # __await__ is what makes it awaitable


def _waited(result: Awaitable[object]) -> object:
    import asyncio  # 48 ms, only for a coroutine

    async def finish() -> object:
        return await result

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(finish())
    # A loop runs in this thread already, as in a notebook; it cannot be entered twice, so another thread has its own.
    from concurrent.futures import ThreadPoolExecutor  # 9 ms, only inside a running loop

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, finish()).result()


def _own_words(result: object) -> str:
    text = "" if _has_no_words(result) else str(result)
    if text and not ADDRESS.search(text):
        return text
    hint = "return text, or plain values"
    raise ToolError(f"the tool returned a value of class '{_class_name(result)}', neither text nor JSON", hint=hint)


def _has_no_words(value: object) -> bool:
    cls = type(value)
    return cls.__str__ is object.__str__ and cls.__repr__ is object.__repr__


def _class_name(value: object) -> str:
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _plain(value: object) -> object:
    """One step towards JSON for a value that JSON does not know; TypeError if there is none."""
    for claims, convert in _CONVERSIONS:
        if claims(value):
            return convert(value)
    raise TypeError(_class_name(value))


def _fields(record: Any) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def _in_order(values: Any) -> list[object]:
    """Sets have no order of their own, and an observation has to be the same on every run."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def _is_a(*names: str) -> Callable[[object], bool]:
    """True for values whose class, or one it inherits from, has one of these names: their modules stay unloaded."""
    return lambda value: any(f"{cls.__module__}.{cls.__qualname__}" in names for cls in type(value).__mro__)


def _has(name: str) -> Callable[[object], bool]:
    return lambda value: hasattr(type(value), name)


_CONVERSIONS: tuple[tuple[Callable[[object], bool], Callable[[Any], object]], ...] = (
    (_has("model_dump"), lambda model: model.model_dump(mode="json")),
    (_has("__dataclass_fields__"), _fields),
    (_is_a("enum.Enum"), lambda member: member.value),
    (_has("isoformat"), lambda moment: moment.isoformat()),
    (lambda value: isinstance(value, set | frozenset), _in_order),
    (lambda value: isinstance(value, bytes | bytearray), lambda octets: bytes(octets).decode("utf-8")),
    (_is_a("pathlib.PurePath", "uuid.UUID", "decimal.Decimal", "fractions.Fraction", "datetime.timedelta"), str),
    (_has("tolist"), lambda array: array.tolist()),
    (_is_a("collections.UserDict", "types.MappingProxyType", "builtins.mappingproxy"), dict),
    (_is_a("collections.deque", "collections.UserList", "builtins.range"), list),
    (_is_a("builtins.dict_keys", "builtins.dict_values", "builtins.dict_items"), list),
)

# Bound once: a tool that replaces json.dumps or the like must not change what becomes of the next result.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain).encode
