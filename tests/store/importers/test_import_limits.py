"""What importers are given is not trusted: bombs, names that lead elsewhere, damage, and ends in the middle."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.paths import Paths
from sam_py.store.exporters.background import Progress, Task, in_background
from sam_py.store.exporters.errors import Cancelled, TransferError
from sam_py.store.exporters.run import all_conversations
from sam_py.store.importers import bundle as bundles
from sam_py.store.importers.json_stream import DamagedItem, Item, JsonStream
from sam_py.store.importers.run import import_blocking, import_path
from sam_py.store.library import Library
from tests.store.exporters.shelves import exported, imported, library
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation
from tests.store.importers.samples import SAMPLES


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def many(number: int) -> list[dict[str, Any]]:
    base = chatgpt_conversation()
    return [{**base, "conversation_id": f"c-{n}", "title": f"Number {n}"} for n in range(number)]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=6), st.integers(1, 40), st.booleans())
def test_a_stream_gives_what_json_gives_however_it_is_cut(items: list[Any], piece: int, indented: bool) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(piece)

    raw = json.dumps(items, indent=1 if indented else None).encode()
    read = list(JsonStream(Slow(raw)).items())
    assert [item.value for item in read if isinstance(item, Item)] == items == [item.value for item in read]  # type: ignore[union-attr]


def test_a_stream_goes_on_behind_what_is_damaged() -> None:
    raw = b'{"a": [1, {"x": tru, "y": "]}"}, {"ok": "\\ud83c"}], "b": 7, "c": [2, {"cut": "o'
    stream = JsonStream(io.BytesIO(raw))
    read = [(item.key, item.value if isinstance(item, Item) else "DAMAGED") for item in stream.items()]
    good = [("a", {"ok": "\N{REPLACEMENT CHARACTER}"}), ("b", 7), ("c", 2)]
    assert read[:6] == [("a", 1), ("a", "DAMAGED"), *good, ("c", "DAMAGED")]
    assert all(value == "DAMAGED" for _key, value in read[6:])


def test_an_item_that_is_too_large_is_passed_over_without_being_held() -> None:
    raw = b'[{"x": "' + b"a" * 3_000_000 + b'"}, 5]'
    damaged, item = JsonStream(io.BytesIO(raw), largest=1_000_000).items()
    assert isinstance(damaged, DamagedItem)
    assert "larger than" in damaged.why
    assert item == Item("", 5)


@pytest.mark.parametrize(
    ("name", "why"), [("../../evil.json", "leads out"), ("/etc/passwd", "leads out"), ("C:\\x.json", "leads out")]
)
def test_names_that_lead_elsewhere_are_not_taken(home: Paths, tmp_path: Path, name: str, why: str) -> None:
    file = tmp_path / "x.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("conversations.json", json.dumps(many(1)))
        archive.writestr(name, "[]")
        link = zipfile.ZipInfo("link.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    report = imported(home, file)
    assert report.count("new") == 1
    assert [why in aside.why or "link" in aside.why for aside in report.aside] == [True, True]
    assert not (tmp_path / "evil.json").exists()


def test_links_in_a_folder_are_not_followed(home: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps(many(1)))
    (folder / "file-Abc123.png").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text("secret")
    report = imported(home, folder)
    assert "it is a link" in report.aside[0].why
    assert not list(home.attachments.glob("*/*"))


def test_bombs_and_locked_archives_are_refused(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * 20_000_000)
    for limit in ("UNPACKED_BYTES", "LARGEST_MEMBER_BYTES"):
        with monkeypatch.context() as lower:
            lower.setattr(bundles, limit, 1_000_000)
            with pytest.raises(TransferError, match="far more than an export holds") as bomb:
                imported(home, file)
        assert bomb.value.kind == "bomb"
    monkeypatch.setattr(bundles, "UNPACKED_BYTES", 1_000_000)
    raw = bytearray(file.read_bytes())
    raw[raw.find(b"PK\x01\x02") + 8] |= 1
    file.write_bytes(raw)
    monkeypatch.undo()
    with pytest.raises(TransferError, match=r"password|far more"):
        imported(home, file)
    file.write_bytes(raw[:1000])
    with pytest.raises(TransferError, match="not a whole ZIP"):
        imported(home, file)
    assert list(home.data.glob("imports/*")) == []


def test_what_no_importer_knows_is_refused_and_so_is_what_is_not_there(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for content in (b"", b"hello", b'{"a": 1}', b"[1, 2]", b"\x00\xff" * 50):
        file.write_bytes(content)
        with pytest.raises(TransferError, match="in no format that can be imported"):
            imported(home, file)
    with pytest.raises(TransferError, match="check that it is there"):
        imported(home, tmp_path / "nowhere.json")
    with pytest.raises(TransferError, match="choose one of sam-py, chatgpt"):
        imported(home, file, "hologram")


def test_damaged_entries_are_kept_aside_and_the_rest_comes_in(home: Paths, tmp_path: Path) -> None:
    good, other = (json.dumps(each) for each in many(2))
    corrupt = '{"title": "Corrupted", "id": "x"}'
    broken = good.replace('"mapping":', '"mapping" ', 1)
    strange = json.dumps({"title": "Strange", "id": "y", "mapping": {"a": {"parent": [], "children": [{}]}, "b": 3}})
    file = tmp_path / "conversations.json"
    file.write_text(f"[{good}, {corrupt}, {broken}, {strange}, {other}, {other[:300]}")
    report = imported(home, file)
    assert report.count("new") == 2
    assert [aside.what for aside in report.aside][:1] == ["the conversation “Corrupted”"]
    assert len(report.aside) >= 4
    assert report.folder is not None
    reasons = json.loads((report.folder / "reasons.json").read_text())
    assert [each["why"] for each in reasons] == [aside.why for aside in report.aside]
    assert "Corrupted" in (report.folder / "0001.txt").read_text()


def mutated(value: Any, draw: Any) -> Any:
    """`value` with something in it replaced by something else."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 4)) == 0:
        return draw(values)
    if isinstance(value, list):
        place = draw(st.integers(0, len(value) - 1))
        return [mutated(each, draw) if at == place else each for at, each in enumerate(value)]
    key = draw(st.sampled_from(sorted(value)))
    return {name: mutated(each, draw) if name == key else each for name, each in value.items()}


@settings(max_examples=60)
@given(st.data(), st.sampled_from([sample for sample in SAMPLES if sample.key not in ("lm-studio", "jan")]))
def test_whatever_a_file_holds_comes_in_or_is_kept_aside(data: st.DataObject, sample: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        home, file = library(Path(name) / "home"), sample.write(Path(name))
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                inner = "data.json" if "data.json" in archive.namelist() else "conversations.json"
                whole = json.loads(archive.read(inner))
        else:
            whole = json.loads(file.read_text())
        target = Path(name) / "data.json"
        target.write_text(json.dumps(mutated(whole, data.draw)))
        try:
            report = imported(home, target, sample.key)
        except TransferError:
            return
        assert report.conversations or report.aside
        if report.conversations:
            exported(home, Path(name) / "x.json")


def test_a_large_file_comes_in_conversation_by_conversation(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    told: list[Progress] = []
    file.write_text(json.dumps([{**each, "notes": "x" * 90_000} for each in many(30)]))
    report = import_blocking(home, file, Task(told.append))
    assert report.count("new") == 30
    assert [progress.what for progress in told] == [f"Number {n}" for n in range(30)]
    fractions = [progress.fraction or 0.0 for progress in told]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 0.5 < fractions[-1] <= 1


def test_stopping_keeps_whole_conversations(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(many(5)))

    def tell(progress: Progress) -> None:
        if progress.done == 2:
            task.stop()

    task = Task(tell)
    with pytest.raises(Cancelled):
        import_blocking(home, file, task)
    assert len(all_conversations(home)) in (2, 3)
    assert imported(home, file).count("new") == 5 - len(all_conversations(home)) or len(all_conversations(home)) == 5
    assert not list(home.data.glob("imports/*"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("after", [0, 1, 7])
def test_a_kill_leaves_whole_conversations_or_none(home: Paths, tmp_path: Path, after: int) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(many(10)))
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from sam_py.paths import default_paths\n"
        "from sam_py.store.disk import Disk\n"
        "from sam_py.store.importers.run import import_blocking\n"
        "class Dying(Disk):\n"
        "    calls = 0\n"
        "    def sync(self, fd):\n"
        "        super().sync(fd)\n"
        "        Dying.calls += 1\n"
        f"        if Dying.calls > {after} + 3: os.kill(os.getpid(), signal.SIGKILL)\n"
        "import_blocking(default_paths(sys.argv[1]), Path(sys.argv[2]), disk=Dying())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "home"), str(file)]
    ended = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    before = all_conversations(home)
    assert len(before) < 10
    whole = exported(home, tmp_path / "x.json") if before else b""
    report = imported(home, file)
    assert (report.count("known"), report.count("new")) == (len(before), 10 - len(before))
    assert whole.count(b'"message_added"') == 8 * len(before)
    os.utime(next(home.data.glob("imports/staging-*")), (0, 0))
    imported(home, file)
    assert not list(home.data.glob("imports/*"))


def test_an_import_runs_beside_the_program_and_its_list_learns_of_it(home: Paths, tmp_path: Path) -> None:
    async def story() -> None:
        store = Library(home)
        await store.start()
        told: list[Progress] = []
        report = await import_path(home, SAMPLES[0].write(tmp_path), told.append)
        await store.refresh()
        assert [summary.title for summary in store.summaries()] == ["A picture"]
        opened = await store.open(report.conversations[0].id)
        assert opened.report.notice == ""
        await store.delete(report.conversations[0].id)
        again = await import_path(home, SAMPLES[0].write(tmp_path), told.append)
        assert [each.outcome for each in again.conversations] == ["restored"]
        assert told
        await store.aclose()

    asyncio.run(story())


def test_what_fails_in_the_background_fails_where_it_was_asked_for() -> None:
    def work(task: Task) -> None:
        task.progress(1, 2, "x")
        raise TransferError("no", kind="failed")

    told: list[Progress] = []
    with pytest.raises(TransferError):
        asyncio.run(in_background(work, told.append))
    assert told == [Progress(1, 2, "x", fraction=0.5)]
