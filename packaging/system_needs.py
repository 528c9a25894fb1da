"""What the program and its tests need from the system, beside Python packages, and how to get it.

Standard library only. `missing_for` looks; `install` acts, on Debian and Ubuntu; `install_command` tells a person
elsewhere what to type. Nothing is installed that is there already: libraries are loaded, programs looked up on the
PATH, fonts asked for by a character that they must have.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

APT_LISTS = Path("/var/lib/apt/lists")

# How each family of Linux systems installs a package, by the program that does it there. A package table has one
# column for each of them, in this order.
INSTALLERS = {
    "apt-get": "apt-get install -y",
    "dnf": "dnf install",
    "pacman": "pacman -S --needed",
    "zypper": "zypper install",
}


class NotInstalled(Exception):
    """The system's installer failed; `str()` says what to do."""


@dataclass(frozen=True)
class Need:
    """One thing that the system must have. `packages` has one name for each of `INSTALLERS`."""

    what: str
    is_there: Callable[[], bool]
    packages: Sequence[str]
    is_required: bool = True
    """False: the program starts without it, and something is poorer."""


# The libraries that Qt's Linux wheels leave to the system (`ldd` over libqxcb.so, libQt6Gui, libQt6Widgets).
_QT_LIBRARIES = {
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor", "libxcb-cursor0"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm", "libxcb-icccm4"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image", "libxcb-image0"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms", "libxcb-keysyms1"),
    "libxcb-render-util.so.0": (
        "libxcb-render-util0",
        "xcb-util-renderutil",
        "xcb-util-renderutil",
        "libxcb-render-util0",
    ),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb", "libxcb", "libxcb-randr0"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb", "libxcb", "libxcb-render0"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb", "libxcb-shape0"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb", "libxcb", "libxcb-shm0"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb", "libxcb", "libxcb-sync1"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb", "libxcb", "libxcb-xfixes0"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb", "libxcb-xkb1"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11", "libX11-xcb1"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon0"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11-0"),
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd", "libglvnd"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus", "libdbus-1-3"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig", "libfontconfig1"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2", "libfreetype6"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2", "libgthread-2_0-0"),
}


def of_program() -> list[Need]:
    """What the window needs on Linux. Elsewhere: nothing."""
    if not sys.platform.startswith("linux"):
        return []
    needs = [Need(f"the library {name}", _library(name), packages) for name, packages in _QT_LIBRARIES.items()]
    return [
        *needs,
        Need("the list of fonts (fontconfig)", _program("fc-list"), ("fontconfig",) * 4),
        Need(
            "a font for text",
            _font_with("a"),
            ("fonts-dejavu-core", "dejavu-sans-fonts", "ttf-dejavu", "dejavu-fonts"),
        ),
        Need(
            "a font with emoji",
            _font_with("😀"),
            (
                "fonts-noto-color-emoji",
                "google-noto-color-emoji-fonts",
                "noto-fonts-emoji",
                "google-noto-coloremoji-fonts",
            ),
            is_required=False,
        ),
        Need(
            "sound (libpulse)",  # QtMultimedia is linked with it, whatever plays in the end
            _library("libpulse.so.0"),
            ("libpulse0", "pulseaudio-libs", "libpulse", "libpulse0"),
            is_required=False,
        ),
        Need("a voice (espeak-ng)", _library("libespeak-ng.so.1"), ("espeak-ng",) * 4, is_required=False),
    ]


def of_virtual_screen() -> list[Need]:
    """What shows the window where there is no screen."""
    if not sys.platform.startswith("linux"):
        return []
    packages = ("xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "xorg-x11-server-Xvfb")
    return [Need("a virtual screen (Xvfb)", _program("Xvfb"), packages)]


def of_tests() -> list[Need]:
    """What the end-to-end tests drive the window with, a real keyring, and loudspeakers that nobody hears."""
    if not sys.platform.startswith("linux"):
        return []
    return [
        *of_virtual_screen(),
        Need("a window manager (openbox)", _program("openbox"), ("openbox",) * 4),
        Need("keys and clicks (xdotool)", _program("xdotool"), ("xdotool",) * 4),
        Need("a keyring (gnome-keyring)", _program("gnome-keyring-daemon"), ("gnome-keyring",) * 4),
        Need("a message bus (dbus)", _program("dbus-run-session"), ("dbus", "dbus-daemon", "dbus", "dbus-1")),
        Need("a program that syncs folders (syncthing)", _program("syncthing"), ("syncthing",) * 4),
        Need("a browser (chromium)", _program("chromium"), ("chromium",) * 4, is_required=False),
        Need("a sound server (pulseaudio)", _program("pulseaudio"), ("pulseaudio",) * 4),
        Need(
            "what is heard from it (parec)",
            _program("parec"),
            ("pulseaudio-utils", "pulseaudio-utils", "libpulse", "pulseaudio-utils"),
        ),
        Need("questions to it (gdbus)", _program("gdbus"), ("libglib2.0-bin", "glib2", "glib2", "glib2-tools")),
    ]


def missing(needs: Iterable[Need]) -> list[Need]:
    return [need for need in needs if not need.is_there()]


def installer() -> str | None:
    """The key of `INSTALLERS` that this system has, None on an unknown one."""
    return next((name for name in INSTALLERS if shutil.which(name)), None)


def packages_of(needs: Iterable[Need], installer_name: str) -> list[str]:
    """The packages that bring `needs`, each once, in order."""
    column = list(INSTALLERS).index(installer_name)
    return list(dict.fromkeys(need.packages[column] for need in needs))


def install_command(needs: Sequence[Need], installer_name: str | None) -> str:
    """What a person types to get `needs`, or their names where the system's installer is unknown."""
    if installer_name is None:
        return "by this system's own means: " + ", ".join(need.what for need in needs)
    return f"with: sudo {INSTALLERS[installer_name]} {' '.join(packages_of(needs, installer_name))}"


def become_root() -> list[str] | None:
    """What to put before a command that root must run: nothing for root itself, None where there is no way."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0:
        return ["sudo", "-n"]
    return ["sudo"] if sys.stdin is not None and sys.stdin.isatty() else None


def apt_install(packages: Sequence[str], prefix: Sequence[str]) -> None:
    """Install Debian packages; fetch the package lists before, where there are none or too old ones.

    Raises NotInstalled.
    """
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
    install = [*apt, "install", "-y", "--no-install-recommends", *packages]
    if any(APT_LISTS.glob("*_Packages*")) and _run(install).returncode == 0:
        return
    for command in ([*apt, "update"], install):
        done = _run(command)
        if done.returncode != 0:
            print("\n".join(done.stdout.splitlines()[-15:]), flush=True)
            raise NotInstalled(
                f"apt-get could not install {' '.join(packages)} (see above): check the network and that no other "
                "installer is at work, and run the same command again."
            )


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _library(name: str) -> Callable[[], bool]:
    def is_there() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return is_there


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _font_with(character: str) -> Callable[[], bool]:
    def is_there() -> bool:
        if shutil.which("fc-list") is None:
            return False
        pattern = f":charset={ord(character):x}"
        fonts = subprocess.run(["fc-list", pattern, "family"], capture_output=True, text=True, check=False)
        return bool(fonts.stdout.strip())

    return is_there
