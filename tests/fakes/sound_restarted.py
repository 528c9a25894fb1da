"""A sound server that is lost in the middle of a sound and comes back. Run as a program with a folder for its socket.

QtMultimedia looks for the server once, three seconds after it was lost. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from sam_py.speech.base import SpeechError, Started
from tests.fakes.heard import Scene, _Known, heard, noise, wait
from tests.fakes.pulse import PulseServer


def main() -> int:
    folder = Path(sys.argv[1])
    server = PulseServer(folder, "headset", "speakers")
    os.environ["PULSE_SERVER"] = server.address
    QCoreApplication(sys.argv)
    scene = Scene(_Known())
    scene.play(1, noise(5, 1))
    wait(lambda: Started(1) in scene.news, 5)
    wait(lambda: False, 0.2)
    server.close()
    wait(lambda: len(scene.news) > 1, 5)
    first = scene.told()
    seen = [each.id for each in scene.devices.outputs()]
    words = []
    for mark in (2, 3):
        scene.play(mark, noise(0.2, mark))
        wait(lambda: False, 0.2)
        words.append(str(getattr(scene.news[-1], "error", "")))
    try:
        scene.devices.input("")
    except SpeechError as error:
        words.append(str(error))
    server = PulseServer(folder, "headset", "speakers")
    is_back = wait(lambda: bool(scene.devices.outputs()), 12)
    later = Scene(_Known())
    later.player.close()
    scene.headset, scene.speakers = later.headset, later.speakers
    scene.begin()
    scene.play(4, noise(0.3, 4))
    is_heard = scene.finished(4)
    seconds = len(heard(scene.headset)) / 22_050
    scene.player.close()
    scene.devices.close()
    server.close()
    print(json.dumps({"first": first, "seen": seen, "words": words, "back": [is_back, is_heard], "seconds": seconds}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
