"""Evaluates a sum as a person writes it: numbers, functions and comparisons; nothing else, and nothing endless."""

from __future__ import annotations

import ast
import functools
import math
import operator
import statistics
from collections.abc import Callable
from typing import Any

from sam_py.tools.base import ToolError

LONGEST = 1_000
MOST_BITS = 13_000
"""Of a whole number on the way: about 3,900 digits."""
_DEEPEST = 50
_MOST_N = 1_000


def evaluated(expression: str) -> str:
    """The value of `expression` as text. Raises `ToolError`, worded for a model.

    >>> evaluated("0.1 + 0.2"), evaluated("2 ** 64"), evaluated("sqrt(2) * 3 > 4")
    ('0.3', '18446744073709551616', 'True')
    """
    text = expression.strip()
    if not text:
        raise ToolError("Give an expression, for example (3 + 4) * 1.19.")
    if len(text) > LONGEST:
        raise ToolError(f"The expression is longer than {LONGEST:,} characters. Split it.")
    if ";" in text or "\n" in text:
        raise ToolError("Give one expression in one line.")
    _check_depth(text)
    import simpleeval  # loaded when first used

    try:
        return _shown(_evaluator().eval(text))
    except ToolError:
        raise
    except ZeroDivisionError as error:
        raise ToolError("The expression divides by zero.") from error
    except OverflowError as error:
        raise ToolError("A number on the way becomes too large. Use smaller numbers.") from error
    except (simpleeval.NameNotDefined, simpleeval.FunctionNotDefined) as error:
        known = ", ".join([*sorted(_CONSTANTS), *sorted(_FUNCTIONS)])
        raise ToolError(f"A name in the expression is not known. Known are: {known}.") from error
    except (simpleeval.InvalidExpression, SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ToolError(
            f"The expression cannot be evaluated ({str(error)[:200] or type(error).__name__}). Write it with numbers, "
            "+ - * / // % **, parentheses, comparisons and functions such as sqrt(2)."
        ) from error


def _check_depth(text: str) -> None:
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise ToolError("The expression has too many parentheses inside each other. Split it.")


def _number(value: Any) -> Any:
    """`value`, where it is a number of a size that can be gone on with."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "no real number" if isinstance(value, complex) else "not a number"
        raise ToolError(f"A part of the expression is {kind}. Only numbers can be reckoned with.")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise OverflowError
    return value


def _of_numbers(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def checked(*values: Any) -> Any:
        return _number(work(*(_number(value) for value in values)))

    return checked


def _power(base: Any, exponent: Any) -> Any:
    both_whole = isinstance(base, int) and isinstance(exponent, int)
    if both_whole and exponent > 0 and base.bit_length() * exponent > 2 * MOST_BITS:
        raise OverflowError
    return base**exponent


def _times(one: Any, other: Any) -> Any:
    if isinstance(one, int) and isinstance(other, int) and one.bit_length() + other.bit_length() > 2 * MOST_BITS:
        raise OverflowError
    return one * other


def _small(work: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*values: Any) -> Any:
        if any(not isinstance(value, int) or abs(value) > _MOST_N for value in values):
            raise ToolError(f"This function takes whole numbers up to {_MOST_N:,}.")
        return work(*values)

    return checked


def _round(value: Any, places: int = 0) -> Any:
    if abs(places) > 300:
        raise ToolError("round takes at most 300 places.")
    return round(value, places) if places else round(value)


def _xor(_one: Any, _other: Any) -> Any:
    raise ToolError("Write ** for a power, not ^.")


_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
_PLAIN: dict[str, Callable[..., Any]] = {
    "abs": abs, "round": _round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "min": min, "max": max,
    "sqrt": math.sqrt, "cbrt": math.cbrt, "exp": math.exp, "log": math.log, "ln": math.log, "log2": math.log2,
    "log10": math.log10, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "degrees": math.degrees, "radians": math.radians, "hypot": math.hypot, "gcd": math.gcd, "lcm": math.lcm,
    "factorial": _small(math.factorial), "comb": _small(math.comb), "perm": _small(math.perm),
    "sum": lambda *values: sum(values), "mean": lambda *values: statistics.fmean(values),
    "median": lambda *values: statistics.median(values), "stdev": lambda *values: statistics.stdev(values),
}  # fmt: skip
_FUNCTIONS = {name: _of_numbers(function) for name, function in _PLAIN.items()}


def _evaluator() -> Any:
    # simpleeval walks the syntax tree itself and is one maintained file; asteval is a whole interpreter with loops and
    # assignments, of which more would have to be taken away.
    import simpleeval

    operators = {
        ast.Add: _of_numbers(operator.add),
        ast.Sub: _of_numbers(operator.sub),
        ast.Mult: _of_numbers(_times),
        ast.Div: _of_numbers(operator.truediv),
        ast.FloorDiv: _of_numbers(operator.floordiv),
        ast.Mod: _of_numbers(operator.mod),
        ast.Pow: _of_numbers(_power),
        ast.BitXor: _xor,
        ast.USub: _of_numbers(operator.neg),
        ast.UAdd: _of_numbers(operator.pos),
        ast.Not: operator.not_,
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Gt: operator.gt,
        ast.Lt: operator.lt,
        ast.GtE: operator.ge,
        ast.LtE: operator.le,
    }
    names = {**_CONSTANTS, "True": True, "False": False}
    evaluator = simpleeval.SimpleEval(operators=operators, functions=_FUNCTIONS, names=names)
    kept = (ast.Expr, ast.Expression, ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare)
    evaluator.nodes = {
        kind: work for kind, work in evaluator.nodes.items() if kind in (*kept, ast.IfExp, ast.Call, ast.keyword)
    }
    return evaluator


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    value = _number(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            raise OverflowError
        return format(value, ".15g")
    return str(value)
