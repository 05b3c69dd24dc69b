"""From an action's input to a call: which parameter gets which value.

A JSON object gives keywords, a call's arguments give positions and keywords, and any other text goes to the only or
first required parameter. No input, an empty one and `{}` are three things: a parameter that wants text takes an empty
one, and nothing else does. Everything that is wrong is named at once, so that a model can mend it in one go.
"""

from __future__ import annotations

import json
import re

from reactcli.errors import ToolError
from reactcli.registry import nearest
from reactcli.tools.coercion import CoercionError, admits, coerce, shown, unchecked, wants_digits, wish
from reactcli.tools.results import as_json
from reactcli.tools.schema import EMPTY
from reactcli.tools.textinput import exact, spelt, unwrapped
from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from inspect import Parameter, Signature
    from typing import Any

NO_INPUT = frozenset(("", "none", "null", "n/a", "{}", "[]", "()", '""', "''", "``"))
"""How a model says that a tool without parameters gets no input."""

OPENING_FENCE = re.compile(r"`{3,}\w*\s*")


class BindingError(ToolError):
    """The input does not fit the tool's parameters."""


class Bound(Value):
    """A call that can be made."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    arguments: dict[str, Any]
    """The same by parameter, as JSON holds it: taken before the call, which may change what it is given."""
    notes: tuple[str, ...] = ()
    """What was guessed about the input."""


def bind(
    signature: Signature,
    action_input: str | None,
    arguments: Any = None,
    *,
    changes: Mapping[str, Any] | None = None,
    tool: str = "",
) -> Bound:
    """The call that an input asks for. `arguments` is the parsed input as a step has it, None for plain text.

    `changes` are set over what the input says; `tool` is the name by which a call in the input is known. BindingError
    names every wrong, missing and unknown argument.
    """
    call = _Call(signature, tool)
    if action_input and call.wants_digits:
        arguments = exact(arguments, action_input)
    positional, named = call.read(action_input, arguments)
    call.place(positional, {**named, **(changes or {})}, frozenset(changes or ()))
    return call.bound()


def written(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as text, for people: `search(query="kelp", limit=5)`."""
    spelled = (f"{key}={json.dumps(value, ensure_ascii=False, default=repr)}" for key, value in arguments.items())
    return f"{name}({', '.join(spelled)})"


def demands(signature: Signature) -> str:
    """What a tool takes, for who got it wrong: `it takes query: text, limit: a whole number (optional)`."""
    parameters = [_demand(each) for each in signature.parameters.values()]
    return f"it takes {', '.join(parameters)}" if parameters else "it takes no input"


class _Call:
    """One call being put together: values by parameter, and what is wrong with it so far."""

    def __init__(self, signature: Signature, tool: str) -> None:
        self.tool = tool
        parameters = list(signature.parameters.values())
        self.plain = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        self.more = next((each for each in parameters if each.kind is each.VAR_POSITIONAL), None)
        self.others = next((each for each in parameters if each.kind is each.VAR_KEYWORD), None)
        self.wants_digits = any(wants_digits(each.annotation) for each in parameters)
        self.values: dict[str, Any] = {}
        self.more_values: list[Any] = []
        self.other_values: dict[str, Any] = {}
        self.tried: set[str] = set()
        self.problems: list[str] = []
        self.notes: list[str] = []

    def read(self, text: str | None, arguments: Any) -> tuple[list[Any], dict[str, Any]]:
        """The values by position and by name that an input gives."""
        if isinstance(arguments, dict):
            return self._read_object(arguments)
        if isinstance(arguments, list):
            return self._read_array(text or "", arguments) if _is_array(text, arguments) else (arguments, {})
        if text is None and arguments is None:
            return [], {}
        return self._read_text(json.dumps(arguments) if text is None else text, arguments)

    def place(self, positional: list[Any], named: dict[str, Any], changed: frozenset[str]) -> None:
        slots = [each for each in self.plain if each.kind is not each.KEYWORD_ONLY]
        for parameter, value in zip(slots, positional, strict=False):
            if parameter.name not in changed:
                self._put(parameter, value)
        rest = positional[len(slots) :]
        if rest and self.more is None:
            self.problems.append(f"it takes {len(slots)} values by position, and {len(positional)} were given")
        for value in rest if self.more is not None else ():
            self._put_more(value)
        for name, value in named.items():
            self._place_named(name, value)

    def bound(self) -> Bound:
        missing = [each.name for each in self.plain if each.default is EMPTY and each.name not in self.tried]
        if missing:
            self.problems.append(f"missing: {', '.join(map(repr, missing))}")
        if self.problems:
            raise BindingError("; ".join(self.problems))
        args, kwargs = self._arranged()
        arguments = {**self.values, **self.other_values}
        if self.more is not None and self.more_values:
            arguments[self.more.name] = self.more_values
        return Bound(args, kwargs, {name: as_json(value) for name, value in arguments.items()}, tuple(self.notes))

    def _arranged(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positions where Python demands them, names elsewhere. A default fills the gap before a given position."""
        ordered = [each for each in self.plain if each.kind is each.POSITIONAL_ONLY]
        if self.more_values:
            ordered = [each for each in self.plain if each.kind is not each.KEYWORD_ONLY]
        while ordered and not self.more_values and ordered[-1].name not in self.values:
            ordered.pop()
        args = [self.values.get(each.name, each.default) for each in ordered]
        named = [each.name for each in self.plain if each not in ordered and each.name in self.values]
        return (*args, *self.more_values), {**{name: self.values[name] for name in named}, **self.other_values}

    def _read_object(self, named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        positional = named.get("*")
        if isinstance(positional, list):
            return positional, {key: value for key, value in named.items() if key != "*"}
        target = self._target()
        if target is None or self.others is not None or not admits(target.annotation, dict):
            return [], named
        if named.keys() & {each.name for each in self.plain}:
            return [], named
        whole = target.default is EMPTY or (len(self.plain) == 1 and named)
        return [], {target.name: named} if whole else named

    def _read_array(self, text: str, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """An array is one value. An object alone in an array is the object: models wrap it so."""
        target = self._target() or self.more
        if target is not None and admits(target.annotation, list):
            return self._give(target, values)
        if len(values) == 1 and isinstance(values[0], dict):
            return self._read_object(values[0])
        return self._read_text(text, None)

    def _read_text(self, text: str, value: Any) -> tuple[list[Any], dict[str, Any]]:
        target = self._target() or self.more
        if value is None and (given := self._read_spelt(text)) is not None:
            return given
        if target is None:
            if text.strip().lower() not in NO_INPUT:
                self.problems.append(f"it takes no {'text' if self.others else 'input'}, but was given {shown(text)}")
            return [], {}
        optional = target.default is not EMPTY or target is self.more
        if not text.strip() and (optional or not _wants_text(target)):
            return [], {}
        if not _wants_text(target):
            return self._give(target, self._bare(text).strip() if value is None and not _is_null(text) else value)
        if _is_null(text) and (_takes(target, None) or target.default is None):
            return self._give(target, None)
        return self._give(target, value if isinstance(value, str) else self._bare(text))

    def _read_spelt(self, text: str) -> tuple[list[Any], dict[str, Any]] | None:
        """The arguments that text spells out as a call or as pairs, if it does."""
        found = spelt(text, self.tool, [each.name for each in self.plain if each.kind is not each.POSITIONAL_ONLY])
        self.notes += [found.note] if found.note else []
        arguments = exact(found.arguments, text) if self.wants_digits else found.arguments
        if isinstance(arguments, dict):
            return arguments.pop("*", []), arguments
        return None if arguments is None else (arguments, {})

    def _bare(self, text: str) -> str:
        """Text for one parameter, without what encloses it."""
        found = unwrapped(text)
        self.notes += [found.note] if found.note else []
        return str(found.arguments[0]) if isinstance(found.arguments, list) else text

    def _give(self, parameter: Parameter, value: Any) -> tuple[list[Any], dict[str, Any]]:
        return ([value], {}) if parameter is self.more else ([], {parameter.name: value})

    def _target(self) -> Parameter | None:
        """The parameter that an input without names is for: the first required one, else the first."""
        required = (each for each in self.plain if each.default is EMPTY)
        return next(required, None) or (self.plain[0] if self.plain else None)

    def _place_named(self, name: str, value: Any) -> None:
        parameter = next((each for each in self.plain if each.name == name), None)
        if parameter is not None and name in self.tried:
            self.problems.append(f"'{name}' is given twice")
        elif parameter is not None:
            self._put(parameter, value)
        elif self.more is not None and name == self.more.name and isinstance(value, list):
            for each in value:
                self._put_more(each)
        elif self.others is not None:
            self.other_values[name] = self._coerced(value, self.others.annotation, name)
        else:
            meant = nearest(name, [each.name for each in self.plain if each.name not in self.tried])
            self.problems.append(f"unknown: '{name}'" + (f" (did you mean '{meant}'?)" if meant else ""))

    def _put(self, parameter: Parameter, value: Any) -> None:
        self.tried.add(parameter.name)
        if value is None and parameter.default is None:  # `limit: int = None` says that None is fine
            self.values[parameter.name] = None
            return
        found = self._coerced(value, parameter.annotation, parameter.name)
        if value is None and found is None and parameter.default is not EMPTY and self._refused(parameter.name):
            self.problems[-1] += f" (leave it out for {shown(as_json(parameter.default))})"
        self.values[parameter.name] = found

    def _refused(self, name: str) -> bool:
        return bool(self.problems) and self.problems[-1].startswith(f"'{name}' ")

    def _put_more(self, value: Any) -> None:
        if self.more is not None:
            name = f"{self.more.name}[{len(self.more_values)}]"
            self.more_values.append(self._coerced(value, self.more.annotation, name))

    def _coerced(self, value: Any, annotation: Any, name: str) -> Any:
        try:
            return coerce(value, annotation, name)
        except CoercionError as error:
            self.problems.append(error.message)
            return None


def _demand(parameter: Parameter) -> str:
    stars = "*" * ((parameter.kind is parameter.VAR_POSITIONAL) + 2 * (parameter.kind is parameter.VAR_KEYWORD))
    wanted = "" if unchecked(parameter.annotation) else f": {wish(parameter.annotation)}"
    return f"{stars}{parameter.name}{wanted}" + ("" if parameter.default is EMPTY else " (optional)")


def _is_array(text: str | None, values: list[Any]) -> bool:
    """Whether a list was written as one array, and not as the arguments of a call, as `[1], [2]` in `f(…)` are."""
    if text is None:
        return False
    fence = OPENING_FENCE.match(text.lstrip())
    body = text.lstrip()[fence.end() :] if fence else text.strip()
    if not body.startswith("["):
        return False
    try:
        first, end = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return True  # an array in a loose spelling
    return bool(first == values) or not body[end:].lstrip().startswith(",")


def _wants_text(parameter: Parameter) -> bool:
    """A parameter without an annotation is given what the model wrote: text, as `execute_step` gives it."""
    return unchecked(parameter.annotation) or admits(parameter.annotation, str)


def _takes(parameter: Parameter, value: Any) -> bool:
    try:
        coerce(value, parameter.annotation, "")
    except CoercionError:
        return False
    return True


def _is_null(text: str) -> bool:
    return text.strip() == "null"
