"""What the first paint does not need is not loaded before it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LATER = {
    "httpx",
    "httpcore",
    "anyio",
    "h11",
    "pygments",
    "ziamath",
    "ziafont",
    "keyring",
    "pyttsx3",
    "numpy",
    "markdown_it",
}
OURS_LATER = {
    "sam_py.cli",
    "sam_py.ui.inspector",
    "sam_py.ui.settings.settings_dialog",
    "sam_py.ui.widgets.command_palette",
    "sam_py.ui.shortcut_sheet",
    "sam_py.ui.demo",
    "sam_py.providers.openai_chat.provider",
}
PROGRAM = """
import json, sys
from tests.benchmarks import child
child.start_program(sys.argv[1])
print(json.dumps(sorted(sys.modules)), flush=True)
"""


def test_what_the_first_paint_does_not_need_is_not_loaded_before_it(tmp_path):
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        cwd=root, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "sam_py.ui.main_window" in loaded
    assert {name.split(".")[0] for name in loaded} & LATER == set()
    assert loaded & OURS_LATER == set()
