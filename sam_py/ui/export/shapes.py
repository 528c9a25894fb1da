"""A drawn formula as one outline: QtSvg takes a hundred times as much of a PDF to draw the same shape by shape."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from PySide6.QtGui import QPainterPath, QPainterPathStroker

_STEP = re.compile(r"([MLQCZ])|(-?\d+(?:\.\d+)?(?:e-?\d+)?)")
_GRID = 4.0
"""Steps to a dot of the printer, 1,200 to the inch: a PDF has numbers with all their decimals, and these have few."""
_TAKES = {"M": 2, "L": 2, "Q": 4, "C": 6}


def outline(svg: bytes) -> QPainterPath | None:
    """The filled outline of what ziamath drew; None where there is more in it than shapes."""
    found = QPainterPath()
    found.setFillRule(found.fillRule().WindingFill)
    for shape in ElementTree.fromstring(svg).iter():  # noqa: S314 - made by ziamath here
        match shape.tag.rpartition("}")[2]:
            case "svg" | "g":
                if "transform" in shape.attrib:
                    return None
            case "path":
                if not _take_path(found, shape.get("d", "")):
                    return None
            case "rect":
                x, y, width, height = (float(shape.get(name, "0")) for name in ("x", "y", "width", "height"))
                found.addRect(x, y, width, height)
            case "line":
                line = QPainterPath()
                line.moveTo(float(shape.get("x1", "0")), float(shape.get("y1", "0")))
                line.lineTo(float(shape.get("x2", "0")), float(shape.get("y2", "0")))
                stroker = QPainterPathStroker()
                stroker.setWidth(float(shape.get("stroke-width", "1")))
                found.addPath(stroker.createStroke(line))
            case _:
                return None
    return found


def on_grid(dots: float) -> float:
    """The nearest place that takes few digits to write.

    >>> on_grid(1.2345)
    1.25
    """
    return round(dots * _GRID) / _GRID


def _take_path(found: QPainterPath, steps: str) -> bool:
    """Add the steps of a path, all of them absolute. False where one is of no kind that is known."""
    step, numbers = "", list[float]()
    if _STEP.sub("", steps).strip(" ,\n"):
        return False
    for match in _STEP.finditer(steps):
        if match[1]:
            if numbers:
                return False
            step = match[1]
            if step == "Z":
                found.closeSubpath()
            continue
        numbers.append(float(match[2]))
        if len(numbers) < _TAKES.get(step, 0):
            continue
        match step:
            case "M":
                found.moveTo(*map(on_grid, numbers))
                step = "L"
            case "L":
                found.lineTo(*map(on_grid, numbers))
            case "Q":
                _curve(found, *numbers)
            case "C":
                found.cubicTo(*map(on_grid, numbers))
            case _:
                return False
        numbers = []
    return not numbers


def _curve(found: QPainterPath, x: float, y: float, to_x: float, to_y: float) -> None:
    """A quadratic curve as the cubic one that a PDF has, its points on the grid."""
    at = found.currentPosition()
    first = (at.x() + (x - at.x()) * 2 / 3, at.y() + (y - at.y()) * 2 / 3)
    second = (to_x + (x - to_x) * 2 / 3, to_y + (y - to_y) * 2 / 3)
    found.cubicTo(*map(on_grid, (*first, *second, to_x, to_y)))
