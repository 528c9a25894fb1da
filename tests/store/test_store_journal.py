"""A journal on a real folder: appending, tails, compaction, other programs."""

from __future__ import annotations

import errno
import itertools
import os
from pathlib import Path

import pytest

from sam_py.messages.history import SettingsChanged
from sam_py.store.errors import StorageError
from sam_py.store.journal import Journal
from sam_py.store.lines import write_line
from tests.store.kit import RefusingDisk, answered, said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def texts(folder: Path, device: str = "aa") -> dict[str, str]:
    return {message.id: message.load().text for message in Journal(folder, device).load().messages}


def test_each_save_appends_only_what_changed(folder: Path) -> None:
    journal = Journal(folder, "aa")
    sizes = []
    for number in range(50):
        journal.save([said(f"m{number:02d}", "x" * 100)])
        sizes.append(Path(journal.path).stat().st_size)
    steps = {after - before for before, after in itertools.pairwise(sizes[9:])}
    assert steps == {sizes[20] - sizes[19]}
    assert len(texts(folder)) == 50


def test_a_save_is_one_write(folder: Path) -> None:
    disk = RefusingDisk()
    journal = Journal(folder, "aa", disk)
    journal.save([said("a", "1"), said("b", "2", "a"), SettingsChanged(key="title", value="T")])
    assert disk.writes == 1


def test_revisions_go_on_after_a_reload_and_count_other_devices(folder: Path) -> None:
    Journal(folder, "aa").save([said("a", "1")])
    Journal(folder, "bb").save([said("b", "2")])
    journal = Journal(folder, "aa")
    journal.save([said("c", "3")])
    assert journal.winners["message:c"].rev == 3


def test_a_torn_tail_of_our_own_is_put_aside_and_cut(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "whole")])
    path = Path(journal.path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"event":"message_ad')
    again = Journal(folder, "aa")
    again.load()
    assert again.report.torn_bytes == 26
    assert path.read_bytes() == whole
    assert Path(f"{path}.torn").read_bytes() == b'{"v":1,"event":"message_ad\n'


def test_a_damaged_last_line_is_told_of_and_a_torn_one_is_not(folder: Path) -> None:
    for content, lines in ((b'{"v":1,"event":"mess\x00ge"}\n', 1), (b'{"v":1,"event":"mess', 0)):
        Journal(folder, "aa").save([said("a", "kept")])
        with (folder / "aa.jsonl").open("ab") as file:
            file.write(content)
        journal = Journal(folder, "aa")
        assert [message.id for message in journal.load().messages] == ["a"]
        assert journal.report.damaged_lines == lines
        assert journal.report.notice.startswith("A damaged line") == bool(lines)
        assert content.rstrip(b"\n") in Path(f"{journal.path}.torn").read_bytes()


@pytest.mark.parametrize("rev", [10**12, 10**15 - 1, 10**40])
def test_a_line_that_claims_to_be_the_last_of_all_stops_nobody(folder: Path, rev: int) -> None:
    folder.mkdir()
    (folder / "bb.jsonl").write_bytes(write_line(said("a", "first"), rev, "bb"))
    for text in ("second", "third"):
        journal = Journal(folder, "aa")
        journal.save([said("a", text)])
        assert [message.load().text for message in Journal(folder, "cc").load().messages] == [text]


def test_a_torn_tail_of_another_device_is_left_alone(folder: Path) -> None:
    Journal(folder, "bb").save([said("b", "theirs")])
    path = folder / "bb.jsonl"
    path.write_bytes(path.read_bytes() + b'{"v":1,"ev')
    before = path.read_bytes()
    journal = Journal(folder, "aa")
    journal.load()
    journal.save([said("a", "ours")])
    assert path.read_bytes() == before
    assert sorted(os.listdir(folder)) == ["aa.jsonl", "bb.jsonl"]
    assert texts(folder) == {"a": "ours", "b": "theirs"}


def test_reading_for_the_list_changes_nothing(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "whole")])
    path = Path(journal.path)
    path.write_bytes(path.read_bytes() + b"torn")
    before = path.read_bytes()
    Journal(folder, "aa").load(mend=False)
    assert path.read_bytes() == before
    assert os.listdir(folder) == ["aa.jsonl"]


def test_a_lost_line_break_does_not_join_two_lines(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    path = Path(journal.path)
    path.write_bytes(path.read_bytes()[:-1])
    Journal(folder, "aa").save([said("b", "2")])
    assert texts(folder) == {"a": "1", "b": "2"}


def test_compaction_keeps_what_holds_and_puts_damage_aside(folder: Path) -> None:
    journal = Journal(folder, "aa", min_bytes=2000)
    journal.save([said("a", "first")])
    path = Path(journal.path)
    path.write_bytes(path.read_bytes() + b'damaged line\n{"v":1,"event":"from_mars","rev":2,"dev":"aa","x":[1]}\n')
    journal = Journal(folder, "aa", min_bytes=2000)
    journal.load()
    assert journal.report.damaged_lines == 1
    for number in range(30):
        journal.save([answered("b", f"growing {number}", "a")])
    assert journal.compactions > 0
    assert path.stat().st_size < 3000
    assert Path(f"{path}.bad").read_bytes() == b"damaged line\n"
    assert b'{"v":1,"event":"from_mars","rev":2,"dev":"aa","x":[1]}' in path.read_bytes()
    assert texts(folder) == {"a": "first", "b": "growing 29"}


def test_a_small_or_useful_file_is_not_compacted(folder: Path) -> None:
    journal = Journal(folder, "aa", min_bytes=2000)
    for number in range(30):
        journal.save([said(f"m{number}", "all of it counts" * 10)])
    assert journal.compactions == 0


def test_a_full_disk_stops_compaction_but_no_save(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = RefusingDisk()
    journal = Journal(folder, "aa", disk, min_bytes=500)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(disk, "rename", full)
    for number in range(30):
        journal.save([said("a", f"text {number}")])
    assert journal.compactions == 0
    assert texts(folder) == {"a": "text 29"}
    assert os.listdir(folder) == ["aa.jsonl"]
    monkeypatch.undo()
    for number in range(5):
        journal.save([said("a", f"later {number}")])
    assert journal.compactions > 0


def test_a_file_replaced_by_a_sync_program_loses_no_save(folder: Path) -> None:
    journal = Journal(folder, "aa")
    path = Path(journal.path)
    for number in range(40):
        journal.save([said(f"m{number}", "x")])
        if number % 5 == 0:
            copy = folder / ".syncthing.tmp"
            copy.write_bytes(path.read_bytes())
            copy.replace(path)
    assert len(texts(folder)) == 40


def test_an_old_copy_put_back_by_a_sync_program_is_completed_again(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    old = Path(journal.path).read_bytes()
    journal.save([said("b", "2")])
    Path(journal.path).write_bytes(old)
    journal.save([said("c", "3")])
    assert texts(folder) == {"a": "1", "b": "2", "c": "3"}
    assert journal.restored


def test_a_folder_that_vanishes_is_written_again_from_memory(folder: Path) -> None:
    Journal(folder, "bb").save([said("b", "theirs")])
    journal = Journal(folder, "aa")
    journal.save([said("a", "ours")])
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    journal.save([])
    assert journal.restored
    assert texts(folder) == {"a": "ours", "b": "theirs"}


def test_a_newer_version_is_read_and_never_written(folder: Path) -> None:
    folder.mkdir()
    line = write_line(said("a", "from the future"), 1, "bb").replace(b'"v":1', b'"v":2')
    (folder / "bb.jsonl").write_bytes(line + b'{"v":2,"event":"message_added","rev":2,"dev":"bb","note":{"id":"b"}}\n')
    own = write_line(said("c", "ours"), 3, "aa") + b"torn"
    (folder / "aa.jsonl").write_bytes(own)
    journal = Journal(folder, "aa")
    history = journal.load()
    assert {message.id: message.load().text for message in history.messages} == {"a": "from the future", "c": "ours"}
    assert journal.report.read_only
    assert "newer version" in journal.report.notice
    with pytest.raises(StorageError, match="newer version"):
        journal.save([said("d", "no")])


def test_what_the_disk_refused_goes_with_the_next_save(folder: Path) -> None:
    disk = RefusingDisk()
    journal = Journal(folder, "aa", disk)
    journal.save([said("a", "1")])
    for refuse in ("full", "read_only", "sync"):
        disk.refuse = refuse  # type: ignore[assignment]
        with pytest.raises(StorageError, match=str(folder)):
            journal.save([said(f"b-{refuse}", refuse)])
        disk.refuse = ""
        journal.save([])
        assert texts(folder)[f"b-{refuse}"] == refuse


def test_a_half_written_record_is_rolled_back(folder: Path) -> None:
    disk = RefusingDisk()
    journal = Journal(folder, "aa", disk)
    journal.save([said("a", "1")])
    before = Path(journal.path).read_bytes()
    disk.refuse, disk.free = "full", 20
    with pytest.raises(StorageError, match="The disk is full: free some space"):
        journal.save([said("b", "2")])
    assert Path(journal.path).read_bytes() == before


def test_a_growing_reply_waits_once_however_long_the_disk_is_full(folder: Path) -> None:
    disk = RefusingDisk()
    journal = Journal(folder, "aa", disk)
    disk.refuse = "full"
    for number in range(20):
        with pytest.raises(StorageError):
            journal.save([answered("b", f"text {number}")])
    assert len(journal.waiting) == 1


def test_our_own_file_that_cannot_be_read_is_an_error_and_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = RefusingDisk()
    Journal(folder, "aa", disk).save([said("a", "1")])

    def refuse(_path: str) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(disk, "read", refuse)
    with pytest.raises(StorageError, match="could not be read"):
        Journal(folder, "aa", disk).load()
    monkeypatch.undo()
    assert texts(folder) == {"a": "1"}


def test_another_devices_file_that_cannot_be_read_hides_only_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = RefusingDisk()
    Journal(folder, "aa", disk).save([said("a", "1")])
    Journal(folder, "bb", disk).save([said("b", "2")])
    read = disk.read
    monkeypatch.setattr(disk, "read", lambda path: read(path) if path.endswith("aa.jsonl") else read(path + "gone"))
    journal = Journal(folder, "aa", disk)
    assert [message.id for message in journal.load().messages] == ["a"]
    assert "bb.jsonl" in journal.report.notice


def test_files_are_private(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0
        assert Path(journal.path).stat().st_mode & 0o077 == 0


def test_what_was_said_while_our_file_could_not_be_read_is_saved_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = RefusingDisk()
    Journal(folder, "aa", disk).save([said("a", "1")])
    journal = Journal(folder, "aa", disk)

    def refuse(_path: str) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(disk, "read", refuse)
    with pytest.raises(StorageError, match="could not be read"):
        journal.save([said("b", "2")])
    assert journal.has_unsaved
    monkeypatch.undo()
    journal.save([])
    assert texts(folder) == {"a": "1", "b": "2"}


def test_an_event_that_cannot_be_written_does_not_stop_the_others(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    circle: list[object] = []
    circle.append(circle)
    broken = SettingsChanged.model_construct(event="settings_changed", key="x", value=circle)
    journal = Journal(folder, "aa")
    with pytest.raises(StorageError, match="all else is saved"):
        journal.save([said("a", "1"), broken, said("b", "2")])
    assert texts(folder) == {"a": "1", "b": "2"}
    assert "cannot be written" in caplog.text
    journal.save([said("c", "3")])
    assert not journal.has_unsaved
