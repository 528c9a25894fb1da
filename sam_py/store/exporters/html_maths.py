"""Formulas in pages: LaTeX drawn to SVG that takes the colour of the text around it.

ziamath (pure Python) draws; of its SVG only shapes and their geometry are taken over, so that nothing else can be in a
page. What cannot be drawn stands there as its source.
"""

from __future__ import annotations

import html
import logging
import math
import re
from functools import lru_cache
from xml.etree import ElementTree

log = logging.getLogger(__name__)

MAX_LATEX_CHARS = 2_000
SIZE_PX = 16.0
DEPTH_STEP = 0.05
MOST_DEPTHS = 120
"""Classes ``d0`` … in the style sheet: how far a formula reaches below the line, in steps of `DEPTH_STEP` em."""

_MOST_WORK = 4_000
"""Of `work_of`: a second or two."""
_PIECE = re.compile(r"\\begin\s*\{[^{}]*\}|\\end\s*\{[^{}]*\}|\\[A-Za-z]+|\\.|[{}]|[^\s{}\\]")
_SHAPES = {
    "path": ("d", "fill"),
    "rect": ("x", "y", "width", "height", "fill"),
    "line": ("x1", "y1", "x2", "y2", "stroke", "stroke-width"),
    "polyline": ("points", "fill", "stroke", "stroke-width"),
    "polygon": ("points", "fill"),
}
_SAFE = re.compile(r"[\w .,+#-]*\Z")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


def can_be_drawn(latex: str) -> bool:
    """Whether ziamath gets done with a formula: it sets each group anew for every group around it."""
    return len(latex) <= MAX_LATEX_CHARS and work_of(latex) <= _MOST_WORK


def work_of(latex: str) -> int:
    """How much there is to set: a letter is twice as much with each group that it stands in, a matrix is two of them.

    >>> work_of("x + 1"), work_of(r"\\frac{x}{2}"), work_of("{" * 40 + "x" + "}" * 40) > _MOST_WORK
    (3, 5, True)
    """
    work = depth = 0
    for piece in _PIECE.finditer(latex):
        text = piece[0]
        if text.startswith("\\begin"):
            depth += 2
        elif text.startswith("\\end"):
            depth -= 2
        elif text in ("{", "\\left"):
            depth += 1
        elif text in ("}", "\\right"):
            depth -= 1
        else:
            work += 1 << min(max(depth, 0), 40)
        if work > _MOST_WORK:
            break
    return work


@lru_cache(maxsize=500)
def formula(latex: str, *, display: bool) -> str:
    """The HTML for a formula. Never raises: what a model wrote may be anything."""
    source = html.escape(latex)
    if can_be_drawn(latex) and (svg := _drawn(latex, display=display)):
        return f'<div class="maths">{svg}</div>' if display else svg
    tag = "pre" if display else "code"
    return f'<{tag} class="latex">{source}</{tag}>'


def _drawn(latex: str, *, display: bool) -> str:
    try:
        from ziamath.config import config
        from ziamath.zmath import Latex

        config.svg2 = False  # paths, no symbols that refer to each other
        svg = Latex(latex, size=SIZE_PX, color="currentColor", inline=not display).svg()
        drawn = ElementTree.fromstring(svg)  # noqa: S314 - made by ziamath here
        return _taken_over(drawn, latex)
    except Exception:  # ziamath raises whatever it met; the formula is shown as its source
        log.debug("a formula cannot be drawn", exc_info=True)
        return ""


def _taken_over(drawn: ElementTree.Element, latex: str) -> str:
    left, top, width, height = (float(number) for number in _NUMBERS.findall(drawn.get("viewBox", "")))
    if not (0 < width < 10_000 and 0 < height < 10_000):
        return ""
    shapes: list[str] = []
    for shape in drawn.iter():
        name = shape.tag.rpartition("}")[2]
        if name in ("svg", "g"):
            continue
        if name not in _SHAPES:
            return ""
        kept = [(key, shape.get(key, "")) for key in _SHAPES[name] if key in shape.attrib]
        if not all(_SAFE.match(value) for _key, value in kept):
            return ""
        attributes = " ".join(f'{key}="{value}"' for key, value in kept)
        shapes.append(f"<{name} {attributes}/>")
    depth = min(MOST_DEPTHS - 1, max(0, math.floor((height + top) / SIZE_PX / DEPTH_STEP + 0.5)))
    size = f'width="{width / SIZE_PX:.3f}em" height="{height / SIZE_PX:.3f}em"'
    label = html.escape(" ".join(latex.split()), quote=True)
    box = f"{left:g} {top:g} {width:g} {height:g}"
    return f'<svg class="d{depth}" {size} viewBox="{box}" role="img" aria-label="{label}">{"".join(shapes)}</svg>'
