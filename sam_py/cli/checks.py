"""The doctor's checks. Each looks at one thing and says in words what it found and what to do."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from sam_py.paths import default_paths
from sam_py.settings.secrets import Secrets

State = Literal["ok", "warn", "fail"]

CHILD_LIMIT_S = 15.0
VOICES_LIMIT_S = 8.0
_LITTLE_SPACE_BYTES = 200_000_000
_LOOKED_AT_BYTES = 64 * 1024
_NAMED = 3

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
}
"""What Qt's window needs on Linux and the wheel does not bring → its package on Debian and Ubuntu."""

_FONT_PACKAGES = {"emoji": "fonts-noto-color-emoji", "Chinese": "fonts-noto-cjk", "Japanese": "fonts-noto-cjk",
                  "Korean": "fonts-noto-cjk"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    text: str
    advice: str = ""


def python() -> Check:
    packages = ", ".join(f"{name} {_version_of(name)}" for name in ("PySide6", "httpx", "pydantic"))
    text = f"{platform.python_version()} on {platform.system()} {platform.release()}; {packages}"
    return Check("python", "ok", text)


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(version unknown)"


async def window() -> list[Check]:
    """Display, libraries, Qt and fonts. Qt is started in a child, because it ends its process where it cannot start."""
    shown = _has_display()
    checks = [
        Check("display", "ok", _display_name())
        if shown
        else Check("display", "warn", "none", "The window needs one. Without it, use: sam-py ask “…”.")
    ]
    if sys.platform.startswith("linux") and (missing := missing_libraries()):
        packages = " ".join(LIBRARIES[name] for name in missing)
        checks.append(
            Check(
                "libraries",
                "fail" if shown else "warn",
                f"missing: {', '.join(missing)}",
                f"On Debian and Ubuntu: sudo apt install {packages}",
            )
        )
    environ = dict(os.environ)
    if not shown:
        environ["QT_QPA_PLATFORM"] = "offscreen"
    said, trouble = await _child("window", CHILD_LIMIT_S, environ)
    if said is None:
        advice = "Install what is named here or above as missing. “sam-py ask” works without a window."
        return [*checks, Check("window", "fail", f"Qt does not start: {trouble}", advice)]
    screens = ", ".join(
        f"{screen['width_px']} × {screen['height_px']}" + (f" at {screen['scale']:g} ×" if screen["scale"] != 1 else "")
        for screen in said["screens"]
    )
    checks.append(Check("window", "ok", f"Qt {said['qt']} ({said['platform']}), screen {screens}"))
    return [*checks, fonts(said["missing"], said["font"])]


def missing_libraries() -> list[str]:
    """Those of `LIBRARIES` that the system's loader does not find."""
    missing = []
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def fonts(missing: list[str], family: str) -> Check:
    if not missing:
        return Check("fonts", "ok", f"{family}; emoji and all scripts looked for are there")
    packages = sorted({_FONT_PACKAGES.get(name, "fonts-noto-core") for name in missing})
    advice = "Install fonts that have them."
    if sys.platform.startswith("linux"):
        advice = f"On Debian and Ubuntu: sudo apt install {' '.join(packages)}"
    return Check("fonts", "fail" if "Latin" in missing else "warn", f"no glyphs for {', '.join(missing)}", advice)


async def voices() -> Check:
    """Whether the system speaks. A speech engine may hang where there is no sound: it is asked in a child."""
    said, trouble = await _child("voices", VOICES_LIMIT_S, dict(os.environ))
    if said is not None and said["voices"]:
        return Check("voices", "ok", f"{said['voices']} of the system")
    if said is not None:
        trouble = "none installed"
    advice = "Install a voice in the system's settings."
    if sys.platform.startswith("linux"):
        advice = "On Debian and Ubuntu: sudo apt install espeak-ng"
    return Check("voices", "warn", trouble, advice)


def probe_voices() -> int:
    """In the child: print how many voices the system has."""
    import pyttsx3

    engine = pyttsx3.init()
    print(json.dumps({"voices": len(engine.getProperty("voices") or [])}))
    sys.stdout.flush()
    os._exit(0)  # some drivers crash when the interpreter takes them down


async def keyring() -> Check:
    why = await Secrets(lambda _: "").state()
    if why is None:
        return Check("keyring", "ok", "answers; keys are kept there")
    advice = "Until then keys are kept in memory until you quit, or come from environment variables."
    if sys.platform.startswith("linux"):
        advice = f"Install or unlock gnome-keyring or KWallet. {advice}"
    return Check("keyring", "warn", why, advice)


def folders() -> list[Check]:
    """Whether data and settings can be written, and how much room is left. Makes no folder that is not there."""
    paths = default_paths()
    return [_folder("data", paths.data), _folder("settings", paths.config), _folder("state", paths.state)]


def _folder(name: str, folder: Path) -> Check:
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.TemporaryFile(dir=existing) as file:
            file.write(b"x")
        free = shutil.disk_usage(existing).free
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        return Check(name, "fail", f"{folder}: {reason}", "Allow writing there, or set SAM_HOME to another folder.")
    room = f"{free / 1e9:.1f} GB free"
    if free < _LITTLE_SPACE_BYTES:
        return Check(name, "warn", f"{folder}, only {room}", "Make room: what you write could not be saved.")
    return Check(name, "ok", f"{folder}, {room}")


def conversations() -> Check:
    """Whether the conversations that were here are, and their files begin and end as they were written.

    What is between is read when a conversation is opened, and told of there.
    """
    from sam_py.store.folders import is_conversation_id
    from sam_py.store.index import read_index

    paths = default_paths()
    index = read_index(paths.state / "index.json")
    known = index.summaries if index is not None else {}
    try:
        ids = sorted(each.name for each in paths.conversations.iterdir() if is_conversation_id(each.name))
    except FileNotFoundError:
        ids = []
    except OSError as error:
        advice = "Connect the drive, or allow this program to read there."
        return Check("history", "fail", f"{paths.conversations}: {(error.strerror or str(error)).lower()}", advice)
    damaged = {id: words for id in ids if (words := _damage_of(paths.conversations / id))}
    troubles = [f"{id}: {words}" for id, words in list(damaged.items())[:_NAMED]]
    if len(damaged) > _NAMED:
        troubles.append(f"and {len(damaged) - _NAMED} more")
    if gone := len(known.keys() - set(ids)):
        troubles.append(f"{gone} of the {len(known)} that were listed are not in {paths.conversations}")
    if not troubles:
        return Check("history", "ok", f"{len(ids)} conversations" if len(ids) != 1 else "1 conversation")
    advice = (
        f"What is left of a damaged one stays in {paths.conversations}; open it to see. A backup may have it whole: "
        "Settings, Data. If a drive or a sync program is missing, bring that back first."
    )
    return Check("history", "fail" if not ids else "warn", "; ".join(troubles), advice)


def _damage_of(folder: Path) -> str:
    """What is wrong at the beginning or the end of a conversation's files, in a few words."""
    from sam_py.store.journal import is_journal
    from sam_py.store.lines import read_lines

    try:
        for path in sorted(each for each in folder.iterdir() if is_journal(each.name)):
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                if size == 0:
                    return f"{path.name} is empty"
                file.seek(0)
                head = file.read(_LOOKED_AT_BYTES)
                file.seek(max(0, size - _LOOKED_AT_BYTES))
                tail = file.read()
            if not tail.endswith(b"\n"):
                return f"the end of {path.name} is cut off or damaged"
            whole = [head[: head.rfind(b"\n") + 1], tail if len(tail) == size else tail[tail.find(b"\n") + 1 :]]
            if any(read_lines(piece).bad for piece in whole):
                return f"{path.name} has damaged lines"
    except OSError as error:
        return f"it cannot be read, {(error.strerror or str(error)).lower()}"
    return ""


def settings() -> Check:
    """Whether the settings file is whole. Reading it here keeps no copy of a damaged one."""
    path = default_paths().config / "settings.json"
    try:
        values = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Check("chosen", "ok", "no settings yet: the offline guide answers")
    except (OSError, ValueError) as error:
        advice = "The program keeps it aside and goes on with the last good settings."
        return Check("chosen", "warn", f"the settings file cannot be read ({type(error).__name__})", advice)
    default = (values.get("chat") or {}).get("default") if isinstance(values, dict) else None
    if isinstance(default, dict) and default.get("provider") not in (None, "guide"):
        return Check("chosen", "ok", f"default model {default.get('model')} of {default.get('provider')}")
    return Check("chosen", "ok", "the offline guide answers")


async def servers() -> list[Check]:
    from sam_py.providers.local import find_local_servers

    found = await find_local_servers()
    if not found:
        return [Check("servers", "ok", "no model server runs on this computer")]
    return [Check("server", "ok", f"{each.label} at {each.base_url}: {_models(each.models)}") for each in found]


def _models(models: tuple[str, ...]) -> str:
    if not models:
        return "no model loaded"
    return ", ".join(models[:5]) + (f" and {len(models) - 5} more" if len(models) > 5 else "")


def _has_display() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _display_name() -> str:
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    return ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name)) or "the system's own"


async def _child(probe: str, limit_s: float, environ: dict[str, str]) -> tuple[dict[str, Any] | None, str]:
    """Run ``doctor --probe`` in a child. Returns what it found or, with None, what went wrong."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "sam_py"]
    environ["PYTHONIOENCODING"] = "utf-8"
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *program, "doctor", "--probe", probe, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environ
    )
    try:
        out, err = await asyncio.wait_for(child.communicate(), limit_s)
    except TimeoutError:
        child.kill()
        await child.wait()
        return None, f"no answer within {limit_s:g} s"
    for line in reversed(out.decode("utf-8", "replace").splitlines()):
        if line.startswith("{"):
            return json.loads(line), ""
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    return None, _reason(lines, child.returncode)


def _reason(lines: list[str], code: int | None) -> str:
    """The line of a child's stderr that says most."""
    for line in lines:
        if "cannot open shared object file" in line or "is needed to load" in line:
            return line.removeprefix("ImportError: ")
    return lines[-1] if lines else f"it ended with code {code}"
