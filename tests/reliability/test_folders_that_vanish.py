"""A data folder that goes away while the program runs and comes back, and two programs that share one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import default_paths
from sam_py.ui.single_instance import SingleInstance
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting
from tests.ui.window.test_window_pictures import png

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def told(sam: Sitting) -> list[str]:
    return [notice.text for notice in sam.window.notices.notices]


@pytest.mark.parametrize("is_mount", [False, True], ids=["folder", "drive"])
def test_a_folder_that_vanishes_and_comes_back_has_everything(
    run: Run, sit_down: SitDown, tmp_path: Path, is_mount: bool
) -> None:
    """Of a drive that is unmounted the folder stays, empty: what is written into it then is hidden for ever."""
    data, elsewhere = tmp_path / "home/data", tmp_path / "unplugged"

    async def scenario() -> None:
        async with FaultServer(Reply("fine"), Reply("well")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            await sam.program._library.flush()
            data.rename(elsewhere)
            if is_mount:
                data.mkdir()
            await sam.send("And now?")
            await sam.until(lambda: sam.program._library.trouble, "the trouble")
            await sam.answered()
            (tmp_path / "sea.png").write_bytes(png(20, 10))
            refused: list[str] = []
            sam.chat.composer.tray.failed.connect(refused.append)
            sam.chat.composer.add_paths([tmp_path / "sea.png"])
            await sam.type("what I thought")
            assert any("kept in memory" in text for text in told(sam))
            await sam.until(lambda: any("connect the drive" in text for text in refused), "what became of the file")
            hidden = [path for path in data.rglob("*") if path.is_file()] if data.exists() else []
            assert hidden == []
            assert data.exists() == is_mount
            if data.exists():
                shutil.rmtree(data)
            elsewhere.rename(data)
            await sam.until(lambda: sam.program._library.trouble is None, "saving works again")
            assert any("Saving works again" in text for text in told(sam))
            said = [message.text for message in sam.messages]
            await sam.close()

            again = await sit_down().start()
            assert [message.text for message in again.messages] == said
            assert "And now?" in said
            assert again.chat.composer.draft().text == "what I thought"
            await again.close()

    run(scenario())


def test_a_second_program_on_one_data_folder_waits_for_the_end_of_the_first(qapp: Any, tmp_path: Path) -> None:
    """With one state folder. Two of them are two computers: each device has a journal of its own."""
    first = default_paths(tmp_path / "one").create()
    data = first.data / os.fsdecode(b"caf\xe9")  # a drive may have names that are no UTF-8
    holder, second = SingleInstance(data, first.state), SingleInstance(data, first.state)
    assert holder.acquire()
    assert not second.acquire()
    assert second.holder == str(os.getpid())
    holder.release()
    assert second.acquire()
    second.release()
