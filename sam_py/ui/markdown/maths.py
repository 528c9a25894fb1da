"""Formulas: readable text at once, and a drawn picture a moment later.

ziamath (LaTeX to SVG, pure Python, its own font) is imported when the first formula is met; import and drawing happen
on a worker thread, since they take 200 and 15 ms. Pictures are kept by (latex, size, colour).
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QObject, QPointF, QRectF, QRunnable, QSizeF, Qt, QThreadPool, Signal
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from sam_py.ui.last_things import at_the_end

log = logging.getLogger(__name__)

MAX_LATEX_CHARS = 2_000
CACHED = 300

_SYMBOLS = {
    name: char
    for group in (
        "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ",
        "lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω",
        "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω times × cdot · div ÷ pm ±",
        "mp ∓ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ infty ∞ to → rightarrow →",
        "leftarrow ← Rightarrow ⇒ Leftarrow ⇐ iff ⇔ implies ⇒ mapsto ↦ in ∈ notin ∉ subset ⊂ subseteq ⊆",
        "cup ∪ cap ∩ emptyset ∅ forall ∀ exists ∃ neg ¬ land ∧ lor ∨ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇",
        "sqrt √ ldots … cdots ⋯ dots … ell ℓ hbar ℏ circ ∘ degree ° prime ′ angle ∠ perp ⊥ parallel ∥",
        "mid ∣ langle ⟨ rangle ⟩ ll ≪ gg ≫ propto ∝ star ⋆",
    )
    for name, char in zip(group.split()[::2], group.split()[1::2], strict=True)
}
_COMMAND = re.compile(r"\\([A-Za-z]+|[,;:! {}%$&#_|])")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_WRAPPED = re.compile(
    r"\\(?:text|mathrm|mathbf|mathit|mathsf|mathcal|operatorname|boldsymbol|bar|vec|hat)\s*\{([^{}]*)\}"
)
_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|(\S))")
_SUPER = str.maketrans("0123456789+-=()niabcdefghjklmoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_SUB = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


Key = tuple[str, float, str, bool]
"""latex, size in pixels, colour, whether it stands in a line"""


@dataclass(slots=True)
class Picture:
    """A drawn formula. `depth_px` of its height lie below the line."""

    svg: QSvgRenderer
    size: QSizeF
    depth_px: float

    def paint(self, painter: QPainter, at: QPointF) -> None:
        self.svg.render(painter, QRectF(at, self.size))


class Formulas(QObject):
    """The formulas that were drawn; ask `picture`, and again after `ready`."""

    ready = Signal(tuple)
    drawn = Signal(tuple, bytes, float, float, float)
    """From the worker thread: key, SVG, width, height, depth."""

    def __init__(self) -> None:
        super().__init__()
        self._pictures: OrderedDict[Key, Picture | None] = OrderedDict()
        self._asked: set[Key] = set()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self.drawn.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def picture(self, key: Key) -> Picture | None:
        """Return the formula's picture; None while it is being drawn, and where it cannot be drawn."""
        if key in self._pictures:
            self._pictures.move_to_end(key)
            return self._pictures[key]
        if key not in self._asked and 0 < len(key[0]) <= MAX_LATEX_CHARS:
            self._asked.add(key)
            self._pool.start(_Draw(key, self))
        return None

    def is_pending(self, key: Key) -> bool:
        return key in self._asked

    def is_broken(self, key: Key) -> bool:
        """Whether the formula cannot be drawn: as far as was tried, or because it is too long."""
        return self._pictures.get(key, ...) is None or len(key[0]) > MAX_LATEX_CHARS

    def stop(self, patience_ms: int = 1_000) -> bool:
        """Give up the formulas that still wait, and wait for the one in hand. False where it takes longer."""
        self._pool.clear()
        self._asked.clear()
        return self._pool.waitForDone(patience_ms)

    def _keep(self, key: Key, svg: bytes, width: float, height: float, depth: float) -> None:
        self._asked.discard(key)
        picture = None
        if svg:
            renderer = QSvgRenderer(QByteArray(svg))
            if renderer.isValid():
                picture = Picture(renderer, QSizeF(width, height), depth)
        self._pictures[key] = picture
        while len(self._pictures) > CACHED:
            self._pictures.popitem(last=False)
        self.ready.emit(key)


class _Draw(QRunnable):
    """Draws one formula on the worker thread."""

    def __init__(self, key: Key, formulas: Formulas) -> None:
        super().__init__()
        self._key = key
        self._formulas = formulas

    def run(self) -> None:
        self._formulas.drawn.emit(self._key, *draw(self._key))


def draw(key: Key) -> tuple[bytes, float, float, float]:
    """Return (svg, width, height, depth) of a formula in pixels; no svg where it cannot be drawn."""
    latex, size_px, colour, inline = key
    try:
        from ziamath.config import config
        from ziamath.zmath import Latex

        from sam_py.store.exporters.html_maths import can_be_drawn

        if not can_be_drawn(latex):  # it would draw for hours, and hold up all others
            return b"", 0, 0, 0
        config.svg2 = False  # QtSvg draws SVG 1.2 Tiny: paths, no symbols
        formula = Latex(latex, size=size_px, color=colour, inline=inline)
        svg = formula.svg()
        box = re.search(r'viewBox="([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+)"', svg)
        if box is None:
            return b"", 0, 0, 0
        _left, top, width, height = (float(number) for number in box.groups())
        if width <= 0 or height <= 0:  # a line break with nothing around it, for one
            return b"", 0, 0, 0
        return svg.encode(), width, height, max(0.0, height + top)
    except Exception:  # whatever a model wrote: the formula is shown as its source instead
        log.debug("a formula cannot be drawn", exc_info=True)
        return b"", 0, 0, 0


_shared: list[Formulas] = []


def stop_formulas() -> None:
    """The program ends: a thread that draws on while everything goes would take the process down with it."""
    if _shared and not _shared[0].stop():
        log.info("a formula is still being drawn at the end")


def shared_formulas() -> Formulas:
    """Return the formulas of the program; made on the window's thread when the first one is met."""
    if not _shared:
        _shared.append(Formulas())
        at_the_end(stop_formulas)
    return _shared[0]


def readable_maths(latex: str) -> str:
    """Return `latex` as a line of text that reads like mathematics.

    >>> readable_maths(r"e^{i\\pi} + x_1^2 \\le \\frac{a}{b}")
    'e^(iπ) + x₁² ≤ a/b'
    """
    text = latex.strip()
    for _ in range(3):
        text = _WRAPPED.sub(r"\1", text)
        text = _FRACTION.sub(lambda m: f"{_group(m[1])}/{_group(m[2])}", text)
    text = re.sub(r"\\(?:left|right|big|Big|displaystyle|limits|mathbb)\b", "", text)
    text = _COMMAND.sub(lambda m: _SYMBOLS.get(m[1], _plain(m[1])), text)
    text = _SCRIPT.sub(_script, text)
    return text.replace("{", "").replace("}", "")


def _plain(command: str) -> str:
    if command in ",;: ":
        return " "
    return command if command.isalpha() or command in "%$&#_|" else "" if command == "!" else command


def _group(text: str) -> str:
    return text if re.fullmatch(r"\w+|\\\w+", text.strip()) else f"({text})"


def _script(match: re.Match[str]) -> str:
    text = match[2] if match[2] is not None else match[3]
    table = _SUPER if match[1] == "^" else _SUB
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return f"{match[1]}{text}" if len(text) == 1 else f"{match[1]}({text})"
