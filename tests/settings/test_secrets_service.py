"""Secrets against the real Secret Service (gnome-keyring on a bus of its own), in each of its states."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.keyring,
    pytest.mark.skipif(
        not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
        reason="needs dbus-run-session and gnome-keyring-daemon",
    ),
]

PERSON = """
import asyncio, json, sys, time
from sam_py.settings.secrets import Secrets

def new():
    return Secrets(lambda _: "https://api.openai.com/v1", limit_s=float(sys.argv[1]), environ={})

started = time.monotonic()
kept = asyncio.run(new().set("openai", "sk-canary-51d2"))
found = asyncio.run(new().get("openai"))
print(json.dumps({
    "kept": kept.source, "kept_text": kept.text, "found": found.source, "found_text": found.text,
    "same": found.reveal() == "sk-canary-51d2", "seconds": time.monotonic() - started,
}))
"""

UNLOCKED = (
    'printf test | gnome-keyring-daemon --unlock --components=secrets >"$HOME/daemon"\n'
    "gdbus wait --session --timeout 10 org.freedesktop.secrets\n"
)
LOCK = """
gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \
  --method org.freedesktop.Secret.Service.Lock "['/org/freedesktop/secrets/collection/login']" >/dev/null
"""


UNLOCKED_LATER = """
import asyncio, json, subprocess, sys
from sam_py.settings.secrets import Secrets

async def main():
    secrets = Secrets(lambda _: "https://api.openai.com/v1", environ={})
    kept = await secrets.set("openai", "sk-canary-51d2")
    still = await secrets.keep_in_keyring("openai")
    subprocess.run(sys.argv[2], shell=True, check=True)
    moved = await secrets.keep_in_keyring("openai")
    anew = await Secrets(lambda _: "https://api.openai.com/v1", environ={}).get("openai")
    print(json.dumps({
        "kept": kept.source, "still": still.source, "moved": moved.source, "anew": anew.source,
        "same": anew.reveal() == "sk-canary-51d2",
    }))

asyncio.run(main())
"""
UNLOCK = "printf test | gnome-keyring-daemon --replace --unlock --components=secrets >/dev/null"


def as_person(
    tmp_path: Path,
    script: str,
    *,
    limit_s: float = 5.0,
    bus: bool = True,
    person: str = PERSON,
    argument: str = "",
    **env: str,
) -> dict[str, object]:
    """Run the person's program after `script`, on a bus and in a home of its own; returns what it printed."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "person.py").write_text(person)
    run = f'{script}\n"$PYTHON" "{tmp_path}/person.py" {limit_s} {shlex.quote(argument)}\n'
    command = ["bash", "-c", run]
    if bus:
        command = ["dbus-run-session", "--", *command]
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "PATH": os.environ["PATH"],
        "PYTHON": sys.executable,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        **env,
    }
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, cwd=home)
    assert ran.returncode == 0, ran.stderr
    result: dict[str, object] = json.loads(ran.stdout.strip().splitlines()[-1])
    for file in home.rglob("*"):
        if file.is_file():
            assert b"sk-canary-51d2" not in file.read_bytes(), f"the key stands in {file}"
    return result


def test_an_unlocked_secret_service_keeps_the_key(tmp_path):
    said = as_person(tmp_path, UNLOCKED)
    assert (said["kept"], said["found"], said["same"]) == ("keyring", "keyring", True)


def test_a_locked_secret_service_is_said_and_the_session_has_the_key(tmp_path):
    said = as_person(tmp_path, UNLOCKED + LOCK)
    assert said["kept"] == "session"
    assert "unlock it and try again" in str(said["kept_text"])
    assert said["found"] == "missing"


def test_a_key_moves_into_the_keyring_once_that_is_unlocked(tmp_path):
    said = as_person(tmp_path, UNLOCKED + LOCK, person=UNLOCKED_LATER, argument=UNLOCK)
    assert (said["kept"], said["still"]) == ("session", "session")
    assert (said["moved"], said["anew"], said["same"]) == ("keyring", "keyring", True)


def test_a_keyring_that_nobody_made_and_whose_prompt_nobody_answers_leaves_the_key_in_memory(tmp_path):
    # The daemon runs without a login keyring: making one asks for a password, which ends without an answer here.
    started = "gnome-keyring-daemon --start --components=secrets >/dev/null\n"
    said = as_person(tmp_path, started, limit_s=3.0)
    assert said["kept"] == "session"
    assert "keyring" in str(said["kept_text"])
    assert float(str(said["seconds"])) < 10


def test_without_a_bus_the_session_has_the_key(tmp_path):
    said = as_person(tmp_path, "", bus=False, DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent")
    assert said["kept"] == "session"
    assert "No system keyring is available" in str(said["kept_text"])


def test_a_secret_service_that_hangs_costs_the_limit_and_no_more(tmp_path):
    # The daemon of this bus is the one that has the service's name on it.
    hang = """
pid=$(gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus \
  --method org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.secrets)
pid=${pid#(uint32 }; pid=${pid%,)}
kill -STOP "$pid"; trap 'kill -CONT "$pid"; kill "$pid"' EXIT
"""
    said = as_person(tmp_path, UNLOCKED + hang, limit_s=1.0)
    assert said["kept"] == "session"
    assert "did not answer in 1 s" in str(said["kept_text"])
    assert float(str(said["seconds"])) < 4


def test_a_plaintext_backend_is_refused_and_nothing_is_on_disk(tmp_path):
    folder = tmp_path / "plain"
    (folder / "keyrings" / "alt").mkdir(parents=True)
    (folder / "keyrings" / "alt" / "file.py").write_text(
        "import os, pathlib, keyring.backend\n"
        "class PlaintextKeyring(keyring.backend.KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, username): return None\n"
        "    def set_password(self, service, username, password):\n"
        "        pathlib.Path(os.environ['HOME'], 'keys.txt').write_text(password)\n"
    )
    said = as_person(
        tmp_path,
        f'export PYTHONPATH="$PYTHONPATH:{folder}"',
        bus=False,
        DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent",
        PYTHON_KEYRING_BACKEND="keyrings.alt.file.PlaintextKeyring",
    )
    assert said["kept"] == "session"
    assert "keyrings.alt.file does not protect keys" in str(said["kept_text"])
