"""Icons: our line drawings in the theme's colours, crisp at every size and screen scale."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from weakref import ReferenceType, ref

from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap

from sam_py.paths import resources
from sam_py.ui.theme import Palette, Themes

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgRenderer

Role = Literal["muted", "text", "accent", "error", "on_accent", "warning", "success"]
_DISABLED: Final = QIcon.Mode.Disabled
_DISABLED_OPACITY = 0.4


class Icons(QObject):
    """Icons by name (a file of ``resources/icons`` without ``.svg``) and role (what colour the theme gives it).

    A `QIcon` from here follows the theme by itself: it asks for the colour when it is painted, so nobody has to set
    it again; `changed` says when a widget that shows one should repaint. SVG support is imported with the first
    drawing; a drawing is read once per colour and rendered once per size.
    """

    changed = Signal()

    def __init__(self, themes: Themes, folder: Path | None = None) -> None:
        super().__init__(themes)
        self._themes = themes
        self._folder = folder or resources() / "icons"
        self._icons: dict[tuple[str, Role], QIcon] = {}
        self._renderers: dict[tuple[str, str], QSvgRenderer] = {}
        self._pixmaps: dict[tuple[str, str, int, int, float, bool], QPixmap] = {}
        themes.changed.connect(self._theme_changed)

    @property
    def themes(self) -> Themes:
        """The themes whose colours the icons take."""
        return self._themes

    def icon(self, name: str, role: Role = "muted") -> QIcon:
        """The icon `name` in the colour of `role`. Raises `FileNotFoundError` for a name that has no drawing."""
        key = (name, role)
        if key not in self._icons:
            if not (self._folder / f"{name}.svg").is_file():
                raise FileNotFoundError(f"no icon {name!r} in {self._folder}")
            self._icons[key] = QIcon(_kept(_ThemedEngine(ref(self), name, role)))
        return self._icons[key]

    def pixmap(
        self, name: str, role: Role, size: QSize, device_pixel_ratio: float = 1.0, *, disabled: bool = False
    ) -> QPixmap:
        """`name` drawn into `size` device pixels (not logical ones), marked with `device_pixel_ratio`."""
        colour = colour_of(self._themes.current.palette, role)
        key = (name, colour, size.width(), size.height(), device_pixel_ratio, disabled)
        if key not in self._pixmaps:
            side = min(size.width(), size.height())
            square = QRectF((size.width() - side) / 2, (size.height() - side) / 2, side, side)
            pixmap = QPixmap(size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            if disabled:  # the renderer sets the painter's opacity itself, so it cannot be asked for pale strokes
                painter.setOpacity(_DISABLED_OPACITY)
                painter.drawPixmap(0, 0, self.pixmap(name, role, size))
            else:
                self._renderer(name, colour).render(painter, square)
            painter.end()
            pixmap.setDevicePixelRatio(device_pixel_ratio)
            self._pixmaps[key] = pixmap
        return self._pixmaps[key]

    def paint(self, painter: QPainter, name: str, role: Role, rect: QRectF, *, disabled: bool = False) -> None:
        """Draw `name` into the square in the middle of `rect`, in the painter's opacity."""
        side = min(rect.width(), rect.height())
        ratio = painter.device().devicePixelRatioF()
        whole = max(1, round(side * ratio))
        place = QPointF(rect.center().x() - side / 2, rect.center().y() - side / 2)
        painter.drawPixmap(place, self.pixmap(name, role, QSize(whole, whole), ratio, disabled=disabled))

    def _renderer(self, name: str, colour: str) -> QSvgRenderer:
        from PySide6.QtSvg import QSvgRenderer

        key = (name, colour)
        if key not in self._renderers:
            svg = _drawing(self._folder / f"{name}.svg").replace(b"currentColor", colour.encode())
            self._renderers[key] = QSvgRenderer(QByteArray(svg), self)
        return self._renderers[key]

    def _theme_changed(self) -> None:
        self._pixmaps.clear()
        for renderer in self._renderers.values():
            renderer.deleteLater()
        self._renderers.clear()
        self.changed.emit()


def colour_of(palette: Palette, role: Role) -> str:
    """The palette's colour for `role`, as ``#rrggbb``."""
    return palette.text_muted if role == "muted" else str(getattr(palette, role))


@cache
def _drawing(path: Path) -> bytes:
    return path.read_bytes()


class _ThemedEngine(QIconEngine):
    """Draws on demand, so one `QIcon` serves every size, screen scale and theme. Draws nothing once `icons` is gone."""

    def __init__(self, icons: ReferenceType[Icons], name: str, role: Role) -> None:
        super().__init__()
        self._icons = icons
        self._name = name
        self._role: Role = role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        icons = self._icons()
        if icons is not None:
            icons.paint(painter, self._name, self._role, QRectF(rect), disabled=mode == _DISABLED)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        icons = self._icons()
        return icons.pixmap(self._name, self._role, size, disabled=mode == _DISABLED) if icons else QPixmap()

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        # `size` is in logical pixels (Qt 6.8 and later)
        whole = QSize(round(size.width() * scale), round(size.height() * scale))
        icons = self._icons()
        return icons.pixmap(self._name, self._role, whole, scale, disabled=mode == _DISABLED) if icons else QPixmap()

    def actualSize(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QSize:
        return size

    def isNull(self) -> bool:
        return False

    def key(self) -> str:
        return "sam-py"

    def clone(self) -> QIconEngine:
        return _kept(_ThemedEngine(self._icons, self._name, self._role))


def _kept(engine: _ThemedEngine) -> _ThemedEngine:
    """Keep `engine` for the life of the process: some hundreds of bytes each, one per drawing and colour.

    A `QIcon` owns its engine, but an engine that Python finds in a cycle is given back to Python and deleted there,
    under every copy of the icon that Qt still holds. What is kept here is never part of a cycle. # D-011
    """
    from _ctypes import Py_INCREF  # ctypes itself would take a millisecond of the start

    # A reference that the collector does not see: a list dies with this module, and at Python's end icons outlive it.
    Py_INCREF(engine)
    return engine
