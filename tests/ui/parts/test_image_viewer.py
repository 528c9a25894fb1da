"""A picture shown large: every way to zoom, move, copy and save it is a button and a key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QNativeGestureEvent,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication

from sam_py.errors import SamError
from sam_py.ui.chat.image_viewer import ImageViewer
from sam_py.ui.theme import DARK, LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "red.png"
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(0xFFFF0000)
    image.save(str(path))
    return path


@pytest.fixture
def viewer(qtbot, picture):
    viewer = ImageViewer(Icons(Themes()), picture, "red.png")
    qtbot.addWidget(viewer)
    qtbot.waitUntil(lambda: viewer.canvas.image is not None)
    return viewer


@pytest.mark.parametrize(
    ("name", "file_name"),
    [
        ("red.png", "red.png"),
        ("A red square", "A red square.png"),
        ("red.jpg", "red.jpg.png"),
        ("../../etc/passwd", "_.._etc_passwd.png"),
        ('a:b*c?"<d>|', "a_b_c_d_.png"),
        ("", "square.png"),
        ("x" * 500, "x" * 120 + ".png"),
    ],
)
def test_a_picture_is_saved_under_its_own_name(qtbot, tmp_path, picture, name, file_name):
    square = tmp_path / "square"
    square.write_bytes(picture.read_bytes())
    viewer = ImageViewer(Icons(Themes()), square, name)
    qtbot.addWidget(viewer)
    assert viewer.windowTitle() == (name or "square")
    assert viewer.file_name() == file_name


def test_the_viewer_fits_zooms_and_fits_again(viewer):
    viewer.canvas.resize(132, 132)
    viewer.canvas.fit()
    assert viewer.canvas.zoom == 0.5
    viewer.zoom_in()
    assert viewer.canvas.zoom == 0.625
    viewer.canvas.fit()
    assert viewer.canvas.zoom == 0.5


def test_the_viewer_copies_and_saves(viewer, picture, tmp_path):
    viewer.copy()
    assert QGuiApplication.clipboard().image().width() == 200
    viewer.save_to(tmp_path / "copy.png")
    assert (tmp_path / "copy.png").read_bytes() == picture.read_bytes()
    with pytest.raises(SamError, match="could not be saved"):
        viewer.save_to(tmp_path / "no" / "folder" / "x.png")


def test_escape_closes_the_viewer(viewer, qtbot):
    viewer.show()
    qtbot.keyClick(viewer, Qt.Key.Key_Escape)
    assert not viewer.isVisible()


@pytest.fixture
def large(qtbot, tmp_path):
    path = tmp_path / "large.png"
    image = QImage(1600, 1200, QImage.Format.Format_RGB32)
    image.fill(0xFF336699)
    image.save(str(path))
    viewer = ImageViewer(Icons(Themes()), path, "large.png")
    qtbot.addWidget(viewer)
    viewer.show()
    qtbot.waitUntil(lambda: viewer.canvas.image is not None)
    return viewer


def under(canvas, place):
    """What stands at `place`, in pixels of the picture."""
    return (place - canvas.shown_rect().topLeft()) / canvas.zoom


def close_to(one, other):
    return (one - other).manhattanLength() < 0.5


def test_each_button_of_the_viewer_has_a_name_and_does_what_it_says(large, qtbot):
    bar, canvas = large.bar, large.canvas
    buttons = bar.findChildren(QAbstractButton)
    assert len(buttons) == 6
    assert all(button.accessibleName() and button.isVisible() for button in buttons)
    fitted = canvas.zoom
    bar.zoom_in.click()
    assert canvas.zoom == pytest.approx(fitted * 1.25)
    bar.zoom_out.click()
    assert canvas.zoom == pytest.approx(fitted)
    QGuiApplication.clipboard().clear()
    bar.copy.click()
    assert QGuiApplication.clipboard().image().width() == 1600
    assert bar.copy.accessibleName() == "Copied"
    bar.close_button.click()
    assert not large.isVisible()


def test_the_per_cent_is_shown_and_goes_between_fit_and_original(large):
    canvas, button = large.canvas, large.bar.per_cent
    assert canvas.fits
    assert button.text() == f"{round(canvas.zoom * 100)} %"
    assert "original size" in button.accessibleName()
    button.click()
    assert button.text() == "100 %"
    assert canvas.zoom == 1.0
    assert "fit" in button.accessibleName()
    button.click()
    assert canvas.fits


def test_its_keys_work_without_ctrl_wherever_the_focus_is(large, qtbot):
    canvas = large.canvas
    fitted = canvas.zoom
    for focused in (canvas, large.bar.save):
        focused.setFocus()
        qtbot.keyClick(focused, Qt.Key.Key_Plus)
        assert canvas.zoom == pytest.approx(fitted * 1.25)
        qtbot.keyClick(focused, Qt.Key.Key_Minus)
        assert canvas.zoom == pytest.approx(fitted)
        qtbot.keyClick(focused, Qt.Key.Key_0)
        assert canvas.zoom == 1.0
        before = canvas.shown_rect().topLeft()
        qtbot.keyClick(focused, Qt.Key.Key_Right)
        qtbot.keyClick(focused, Qt.Key.Key_Down)
        assert canvas.shown_rect().topLeft() == before - QPointF(64, 64)
        qtbot.keyClick(focused, Qt.Key.Key_Left)
        qtbot.keyClick(focused, Qt.Key.Key_Up)
        assert canvas.shown_rect().topLeft() == before
        qtbot.keyClick(focused, Qt.Key.Key_F)
        assert canvas.fits


def test_wheel_and_pinch_zoom_at_the_mouse(large):
    canvas = large.canvas
    canvas.show_original_size()
    place = QPointF(300, 200)
    held = under(canvas, place)
    no_buttons, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turn = QWheelEvent(place, place, QPoint(), QPoint(0, 120), no_buttons, no_keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(canvas, turn)
    assert canvas.zoom == 1.25
    assert close_to(under(canvas, place), held)
    device = QPointingDevice.primaryPointingDevice()
    kind = Qt.NativeGestureType.ZoomNativeGesture
    pinch = QNativeGestureEvent(kind, device, 2, place, place, place, 0.2, QPointF())
    QApplication.sendEvent(canvas, pinch)
    assert canvas.zoom == 1.5
    assert close_to(under(canvas, place), held)


def test_a_dragged_picture_follows_the_mouse_up_to_its_edges(large, qtbot):
    canvas = large.canvas
    canvas.show_original_size()
    before = canvas.shown_rect().topLeft()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    qtbot.mouseMove(canvas, QPoint(130, 110))
    assert canvas.shown_rect().topLeft() == before + QPointF(30, 10)
    qtbot.mouseMove(canvas, QPoint(5000, 5000))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(5000, 5000))
    assert canvas.shown_rect().topLeft() == QPointF(0, 0)


def test_the_ground_is_dark_and_transparency_is_seen_in_both_themes(qtbot, tmp_path):
    path = tmp_path / "ink.png"
    image = QImage(100, 100, QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    image.save(str(path))
    for theme in (Theme(LIGHT, dark=False), Theme(DARK, dark=True)):
        viewer = ImageViewer(Icons(Themes(theme)), path)
        qtbot.addWidget(viewer)
        qtbot.waitUntil(lambda: viewer.canvas.image is not None)  # noqa: B023
        seen = viewer.canvas.grab().toImage()
        assert seen.pixelColor(2, 2).lightness() < 40
        assert seen.pixelColor(seen.width() // 2, seen.height() // 2).lightness() > 120
        assert viewer.bar.grab().toImage().pixelColor(3, 20).name() == theme.palette.window


def test_the_buttons_stay_whole_at_twice_the_text(qtbot, picture):
    themes = Themes()
    themes.use(Theme(LIGHT, dark=False).scaled(2))
    viewer = ImageViewer(Icons(themes), picture)
    qtbot.addWidget(viewer)
    viewer.show()
    viewer.resize(100, 100)
    for button in viewer.bar.findChildren(QAbstractButton):
        assert button.size() == button.sizeHint()
        assert viewer.bar.rect().contains(button.geometry())


def test_a_file_that_is_no_picture_can_still_be_saved(qtbot, tmp_path):
    path = tmp_path / "no.png"
    path.write_bytes(b"no picture")
    viewer = ImageViewer(Icons(Themes()), path)
    qtbot.addWidget(viewer)
    assert not viewer.bar.zoom_in.isEnabled()
    assert not viewer.bar.copy.isEnabled()
    assert viewer.bar.save.isEnabled()
