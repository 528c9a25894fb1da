"""Files that released versions wrote open, whatever this version is, and lose nothing when it writes to them.

The files lie under ``tests/upgrade/vN/``, a folder per conversation; they are never rewritten.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import UnknownPart
from sam_py.store.journal import Journal, is_journal
from sam_py.store.lines import MessageRecord
from sam_py.store.migrations import SCHEMA
from tests.store.kit import said

RELEASED = Path(__file__).resolve().parents[1] / "upgrade"
CONVERSATIONS = sorted(path for path in RELEASED.glob("v*/*") if path.is_dir())


@pytest.fixture(params=CONVERSATIONS, ids=lambda path: f"{path.parent.name}-{path.name}")
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(request.param, tmp_path / request.param.name))


def content(folder: Path) -> list[dict[str, object]]:
    """Every line of the folder's files as JSON, without what a rewrite may change."""
    lines = []
    for path in sorted(folder.iterdir()):
        if is_journal(path.name):
            lines += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return lines


def open_bus(folder: Path) -> MessageBus:
    journal = Journal(folder, "99999999")
    bus = MessageBus(folder.name)
    bus.load(journal.load())
    assert not journal.report.read_only
    assert journal.report.damaged_lines == 0
    return bus


def test_every_schema_has_its_files() -> None:
    assert {path.name for path in RELEASED.glob("v*")} == {f"v{number}" for number in range(1, SCHEMA + 1)}


def test_a_released_file_opens_and_goes_on(folder: Path) -> None:
    bus = open_bus(folder)
    before = list(bus.messages())
    assert before
    assert not any("could not be read" in message.text for message in bus.tree())
    Journal(folder, "99999999").save([said("new", "goes on", before[-1].id)])
    assert [message.id for message in open_bus(folder).messages()] == [*(message.id for message in before), "new"]


def test_a_released_file_says_the_same_after_compaction(folder: Path) -> None:
    before, tree = content(folder), list(open_bus(folder).tree())
    for path in folder.iterdir():
        journal = Journal(folder, path.stem)
        journal.load()
        journal._compact()
    assert sorted(map(str, content(folder))) == sorted(map(str, before))
    assert list(open_bus(folder).tree()) == tree


def test_v1_says_what_it_said() -> None:
    bus = open_bus(RELEASED / "v1" / "everything")
    assert bus.settings.title == "Everything of v1"
    assert bus.settings.mini_prompts == ("short", "kind")
    assert bus.path == ("sys", "dev", "ask", "call", "result", "reply")
    assert bus.siblings("ask") == ("ask", "edit")
    ask, call, reply = bus.get("ask"), bus.get("call"), bus.get("reply")
    assert isinstance(ask, UserMessage)
    assert [part.kind for part in ask.parts] == ["text", "image", "file", "code"]
    assert isinstance(call, AssistantMessage)
    assert call.tool_calls[0].arguments_json == '{"zone": "UTC"'
    assert call.usage is not None
    assert call.usage.cached_input_tokens == 2
    assert (reply.parent_id, reply.pinned, reply.importance) == ("result", True, 0.75)
    assert [task.cost_usd for task in bus.tasks] == [0.01]


def test_additions_of_a_later_version_survive_an_edit_of_ours(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(RELEASED / "v1" / "additions", tmp_path / "c"))
    journal = Journal(folder, "44444444")
    message = journal.load().messages[1].load()
    assert isinstance(message.parts[1], UnknownPart)
    journal.save([said("a", "edited")])
    journal._compact()
    record = Journal(folder, "44444444")
    record.load()
    again = record.winners["message:b"]
    assert isinstance(again, MessageRecord)
    dumped = again.load().model_dump(mode="json")
    assert (dumped["mood"], dumped["parts"][0]["voice"], dumped["parts"][1]["depth"]) == ("calm", "alto", 3)
    raw = (folder / "44444444.jsonl").read_text(encoding="utf-8")
    assert '"sky": {"clouds": 4}' in raw
    assert '"source": "import"' in raw
    assert record.history().settings["zodiac"] == ["aries"]
