"""The data folder moved under the running window: conversations are closed for it, and it starts again there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import default_paths
from sam_py.store.moving import Cancelled
from sam_py.ui import program_moving
from sam_py.ui.program_moving import ProgramMoving
from sam_py.ui.window_state import load_window_state
from tests.fakes.sitting import Sitting


def test_the_library_moves_with_the_window_open_and_is_shown_again_after_the_restart(
    run: Callable[[Any], Any], sit_down: Callable[[], Sitting], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    afters: list[Callable[[], object]] = []
    monkeypatch.setattr(program_moving, "after_the_end", afters.append)
    monkeypatch.setattr(program_moving, "restart", lambda: True)

    async def story() -> None:
        sitting = await sit_down().start()
        window = sitting.window
        sitting.chat.use_here("guide", "guide")
        await sitting.send("What is a mini prompt?")
        await sitting.answered()
        id = sitting.chat.conversation.id
        said = [message.plain_text for message in sitting.messages]
        keeping = sitting.chat.keeping
        moving = ProgramMoving(keeping._services, keeping.backups, window)
        target = tmp_path / "elsewhere"

        with pytest.raises(Cancelled):
            await moving.move(target, lambda _words, _share: moving.give_up())
        await sitting.until(lambda: sitting.chat.conversation.id == id, "the conversation that was shown")
        assert [message.plain_text for message in sitting.messages] == said
        assert default_paths(tmp_path / "home").data == tmp_path / "home" / "data"

        await moving.move(target, lambda _words, _share: None)
        assert window.conversations.get(id) is None
        assert default_paths(tmp_path / "home").data == target
        assert (target / "conversations" / id).is_dir()
        assert (tmp_path / "home" / "data" / "conversations" / id).is_dir(), "the old folder stays"
        moving.restart()
        await sitting.program.aclose()
        for after in afters:
            after()
        assert load_window_state(tmp_path / "home" / "state" / "window.json").conversation == id
        again = await sit_down().start()
        await again.until(lambda: len(again.bus) == len(said), "the conversation on the new folder")
        await again.close()

    run(story())
