"""Tools that reckon: sums, and units into each other."""

from __future__ import annotations

import functools
import re
import threading
from tokenize import TokenError
from typing import Any

from pydantic import Field

from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.sums import evaluated
from sam_py.tools.builtin.threads import on_thread

_UNIT = re.compile(r"[A-Za-zµμ°Ωåé%_\d\s*/^().²³-]{1,80}\Z")
_ENDLESS = re.compile(r"\d\s*(\*\*|\^)|\)\s*(\*\*|\^)|\d{3}")
# What pint's reader of units raises for text that is none: it asserts, and reads past the end.
_UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    SyntaxError,
    AssertionError,
    TokenError,
)
_loading = threading.Lock()


class Calculate(Arguments):
    expression: str = Field(
        max_length=1_000,
        description="For example (19.99 * 3 + 4.5) / 1.19 or sqrt(2) * sin(radians(30)). ** is a power; angles are in "
        "radians; mean, median, sum, min and max take several numbers.",
    )


class CalculateTool(BuiltinTool[Calculate]):
    name = "calculate"
    label = "Calculate"
    icon = "calculator"
    description = (
        "Evaluate an arithmetic expression exactly. Use it for every sum with more than two small numbers instead of "
        "reckoning yourself. For units use convert_units, for today's date current_time."
    )
    takes = Calculate
    deadline_s = 10.0

    def doing(self, arguments: Calculate) -> str:
        return f"Calculate {arguments.expression}"

    async def run(self, arguments: Calculate, running: Running) -> ToolOutput:
        value = await on_thread(lambda _stop: evaluated(arguments.expression))
        return ToolOutput(f"{arguments.expression.strip()} = {value}", details=(value,))


class ConvertUnits(Arguments):
    value: float = Field(description="How many of from_unit.", allow_inf_nan=False)
    from_unit: str = Field(max_length=80, description="For example km/h, degC, GiB, fluid_ounce or N*m.")
    to_unit: str = Field(max_length=80, description="The unit to convert to, written alike.")


class ConvertUnitsTool(BuiltinTool[ConvertUnits]):
    name = "convert_units"
    label = "Convert units"
    icon = "regenerate"
    description = (
        "Convert a quantity from one unit to another: length, mass, time, temperature, energy, data and more. Not for "
        "money, whose rates change."
    )
    takes = ConvertUnits

    def doing(self, arguments: ConvertUnits) -> str:
        return f"Convert {arguments.value:g} {arguments.from_unit} to {arguments.to_unit}"

    async def run(self, arguments: ConvertUnits, running: Running) -> ToolOutput:
        text = await on_thread(lambda _stop: converted(arguments.value, arguments.from_unit, arguments.to_unit))
        return ToolOutput(text, details=(text,))


def converted(value: float, from_unit: str, to_unit: str) -> str:
    """The quantity in both units, as text. Raises `ToolError`.

    >>> converted(20, "degC", "degF")
    '20 degC = 68 degF'
    """
    for unit in (from_unit, to_unit):
        if not _UNIT.match(unit) or _ENDLESS.search(unit):
            raise ToolError(f"{unit!r} is not a unit. Write one such as km/h, degC, GiB or m**2.")
    import pint

    try:
        units = _units()
        result = units.Quantity(value, units.parse_units(from_unit)).to(units.parse_units(to_unit))
        number = format(result.magnitude, ".10g")
    except pint.DimensionalityError as error:
        raise ToolError(f"{from_unit} cannot become {to_unit}: they measure different things.") from error
    except pint.UndefinedUnitError as error:
        raise ToolError(f"{error}. Write the unit's English name or its usual sign.") from error
    except _UNREADABLE as error:
        raise ToolError(f"{value:g} {from_unit} cannot be converted to {to_unit}: one of them is no unit.") from error
    except pint.PintError as error:
        raise ToolError(f"{value:g} {from_unit} cannot be converted to {to_unit} ({error}).") from error
    return f"{value:.10g} {from_unit} = {number} {to_unit}"


@functools.cache
def _registry() -> Any:
    import pint  # takes 0.3 s with its table of units

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def _units() -> Any:
    with _loading:
        return _registry()
