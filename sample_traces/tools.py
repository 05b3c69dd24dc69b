"""Tools for the recorded traces beside this file: a table to search, a document to look things up in, a calculator.

    reactcli exec --tools sample_traces/tools.py --tool calculator --input "8849 - 5895"

Every public function here is a tool; what its name, signature and docstring say is what a model is told.
"""

# ruff: noqa: INP001, D413  # a module of tools stands alone; its docstrings are written for models

from __future__ import annotations

import ast
import math
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOUNTAINS = {
    "Mount Everest": "8849 m, on the border of Nepal and China, first climbed in 1953",
    "K2": "8611 m, on the border of Pakistan and China, first climbed in 1954",
    "Denali": "6190 m, in Alaska, first climbed in 1913",
    "Kilimanjaro": "5895 m, in Tanzania, first climbed in 1889",
    "Mont Blanc": "4806 m, on the border of France and Italy, first climbed in 1786",
}

DOCUMENT = """\
ReAct stands for reasoning and acting.
A ReAct agent writes a thought, then an action with its input, and is given an observation.
It goes on until it writes a final answer.
The observation comes from a tool, never from the model.
"""

LONGEST_EXPRESSION = 200
"""Characters; deep nesting needs length."""

LARGEST_NUMBER = 4096
"""Bits: a number of 1234 digits. Each step of a calculation is held to it, so that none takes time or memory."""

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def search(query: str, limit: int = 3) -> str:
    """Search a table of mountains by name or fact.

    Args:
        query: words to look for, such as 'Everest' or 'Alaska'
        limit: how many lines to return at most
    """
    words = query.lower().split()
    lines = [f"{name}: {facts}" for name, facts in MOUNTAINS.items()]
    found = [line for line in lines if any(word in line.lower() for word in words)]
    return "\n".join(found[:limit]) or f"nothing found for {query!r}; the table has {', '.join(MOUNTAINS)}"


def lookup(term: str) -> str:
    """Look a term up in a short document about ReAct, and return the sentences that have it."""
    found = [line for line in DOCUMENT.splitlines() if term.lower() in line.lower()]
    return "\n".join(found) or f"the document does not mention {term!r}"


def calculator(expression: str) -> str:
    """Calculate with numbers: + - * / // % ** and brackets.

    Args:
        expression: arithmetic such as '(8849 - 5895) / 2'
    """
    if len(expression) > LONGEST_EXPRESSION:
        raise ValueError(f"the expression is longer than {LONGEST_EXPRESSION} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"{expression!r} is not arithmetic") from None
    return str(_calculated(tree.body))


def _calculated(node: ast.expr) -> int | float:
    """The value of an expression made of numbers and OPERATORS; ValueError for anything else, before it is run."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _checked(number)
        case ast.UnaryOp(op=sign, operand=inner) if type(sign) in OPERATORS:
            return _checked(OPERATORS[type(sign)](_calculated(inner)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return _applied(type(op), _calculated(left), _calculated(right))
    raise ValueError(f"{ast.unparse(node)!r} is not a number: names, calls, attributes and text are not calculated")


def _applied(op: type[ast.operator], left: float, right: float) -> int | float:
    if op is ast.Pow and isinstance(left, int) and abs(right) * left.bit_length() > LARGEST_NUMBER:
        raise ValueError(f"{left} ** {right} is too large")
    try:
        return _checked(OPERATORS[op](left, right))
    except OverflowError:
        raise ValueError("the result is too large") from None


def _checked(number: object) -> int | float:
    """A number as it is; ValueError if it is too large, infinite or complex."""
    if isinstance(number, int) and number.bit_length() <= LARGEST_NUMBER:
        return number
    if isinstance(number, float) and math.isfinite(number):
        return number
    raise ValueError("the result is not a real number" if isinstance(number, complex) else "the result is too large")
