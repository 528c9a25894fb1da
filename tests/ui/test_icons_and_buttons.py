"""Icons follow the theme and stay sharp; buttons have a name, work from the keyboard and show it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from sam_py.paths import resources
from sam_py.ui.theme import DARK, LIGHT, Theme, Themes
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

AGREED = [
    "new",
    "search",
    "pin",
    "pin-filled",
    "library",
    "folder",
    "folder-open",
    "settings",
    "attach",
    "send",
    "stop",
    "speaker",
    "copy",
    "check",
    "edit",
    "regenerate",
    "continue",
    "chevron-left",
    "chevron-right",
    "chevron-down",
    "chevron-up",
    "more",
    "trash",
    "archive",
    "duplicate",
    "rename",
    "close",
    "warning",
    "error",
    "info",
    "image",
    "file",
    "code",
    "model",
    "sun",
    "moon",
    "monitor",
    "arrow-down",
    "thinking",
    "sidebar",
    "play",
    "download",
    "external",
    "link",
    "key",
    "server",
    "undo",
    "tasks",
    "calculator",
]


@pytest.fixture
def icons(qtbot: QtBot) -> Iterator[Icons]:
    themes = Themes()
    yield Icons(themes)
    themes.deleteLater()


def darkest(image: QImage) -> QColor:
    """The colour of the most opaque pixel."""
    best = max(
        ((x, y) for x in range(image.width()) for y in range(image.height())),
        key=lambda at: image.pixelColor(*at).alpha(),
    )
    return image.pixelColor(*best)


@pytest.mark.parametrize("name", AGREED)
def test_every_agreed_icon_draws_something(icons: Icons, name: str) -> None:
    image = icons.icon(name).pixmap(QSize(18, 18)).toImage()
    assert darkest(image).alpha() > 150


def test_every_drawing_keeps_to_the_grid_weight_and_theme_colour() -> None:
    for path in sorted((resources() / "icons").glob("*.svg")):
        if path.stem == "app":
            continue
        svg = path.read_text(encoding="utf-8")
        assert 'viewBox="0 0 24 24"' in svg, path.name
        assert 'stroke-width="1.75"' in svg, path.name
        assert 'stroke-linecap="round"' in svg, path.name
        assert not re.search(r"#[0-9a-fA-F]{3}", svg), path.name


def test_an_icon_is_as_sharp_as_the_screen(icons: Icons) -> None:
    for ratio in (1.0, 1.5, 2.0, 3.0):
        pixmap = icons.icon("search").pixmap(QSize(16, 16), ratio)
        assert pixmap.size() == QSize(round(16 * ratio), round(16 * ratio))
        assert pixmap.devicePixelRatio() == ratio


def test_an_icon_that_someone_holds_follows_the_theme(icons: Icons, qtbot: QtBot) -> None:
    held = icons.icon("stop", "text")
    assert darkest(held.pixmap(QSize(32, 32)).toImage()).name() == LIGHT.text
    with qtbot.waitSignal(icons.changed):
        icons.themes.use(Theme(DARK, dark=True))
    assert darkest(held.pixmap(QSize(32, 32)).toImage()).name() == DARK.text


def test_a_disabled_icon_is_paler(icons: Icons) -> None:
    off = icons.icon("stop", "text").pixmap(QSize(32, 32), 1.0, QIcon.Mode.Disabled)
    assert darkest(off.toImage()).alpha() < 120


def test_the_same_icon_is_made_once(icons: Icons) -> None:
    assert icons.icon("copy").cacheKey() == icons.icon("copy").cacheKey()


def test_an_icon_without_a_drawing_is_refused_by_name(icons: Icons) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-thing"):
        icons.icon("no-such-thing")


def test_svg_support_is_not_imported_before_the_first_drawing() -> None:
    code = "import sys, sam_py.ui.widgets.buttons; sys.exit('PySide6.QtSvg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_button_without_a_name_is_refused(icons: Icons) -> None:
    with pytest.raises(ValueError, match="screen reader"):
        IconButton(icons, "copy", " ")


def test_a_tooltip_tells_the_shortcut(icons: Icons, qtbot: QtBot) -> None:
    button = IconButton(icons, "search", "Search", shortcut="Ctrl+F")
    qtbot.addWidget(button)
    assert button.toolTip() == "Search (Ctrl+F)"
    assert button.accessibleName() == "Search"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_button_is_pressed_from_the_keyboard(icons: Icons, qtbot: QtBot, key: Qt.Key) -> None:
    button = PillButton(icons, "Retry", kind="accent", icon="regenerate")
    qtbot.addWidget(button)
    button.show()
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, key)


def test_the_focus_ring_shows_for_the_keyboard_and_not_for_the_mouse(icons: Icons, qtbot: QtBot) -> None:
    button = IconButton(icons, "copy", "Copy")
    qtbot.addWidget(button)
    with qtbot.waitActive(button):
        button.show()
        button.activateWindow()
    button.setFocus(Qt.FocusReason.MouseFocusReason)
    quiet = button.grab().toImage()
    button.clearFocus()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != quiet


def test_buttons_grow_with_the_text(icons: Icons, qtbot: QtBot) -> None:
    icon, pill = IconButton(icons, "copy", "Copy"), PillButton(icons, "A longer label")
    qtbot.addWidget(icon)
    qtbot.addWidget(pill)
    before = icon.sizeHint().width(), pill.sizeHint().width()
    icons.themes.use(icons.themes.current.scaled(1.5))
    assert icon.sizeHint().width() == round(before[0] * 1.5)
    assert pill.sizeHint().width() > before[1] * 1.2


_CYCLE = """
import gc
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QPushButton
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

class Holder:
    pass

app = QApplication([])
gc.disable()
button = QPushButton()
for _ in range(30):
    icons = Icons(Themes())
    holder = Holder()
    holder.icon, holder.me = icons.icon("check"), holder
    icons._icons["another", "muted"] = holder.icon
    button.setIcon(holder.icon)
    icons.holder = holder
    del icons, holder
    gc.collect()
    button.icon().pixmap(QSize(16, 16))
print("survived")
"""


def test_icons_that_die_in_a_cycle_take_nothing_with_them_that_a_button_still_shows() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CYCLE],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "survived", done.stderr[-2000:]
    assert done.returncode == 0
