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
    assert "its last line is cut off" in again.report.notice
    assert path.read_bytes() == whole
    assert Path(f"{path}.torn").read_bytes() == b'{"v":1,"event":"message_ad\n'


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


def of_the_future(line: bytes) -> bytes:
    return line.replace(b'"v":1', b'"v":2')


def test_our_own_file_of_a_newer_version_is_read_and_never_written(folder: Path) -> None:
    folder.mkdir()
    path = folder / "aa.jsonl"
    before = of_the_future(write_line(said("a", "from the future"), 1, "aa")) + write_line(said("b", "ours"), 2, "aa")
    path.write_bytes(before + b"torn")
    journal = Journal(folder, "aa", min_bytes=1)
    assert {message.id: message.load().text for message in journal.load().messages} == {
        "a": "from the future",
        "b": "ours",
    }
    assert journal.report.read_only
    assert "reading only" in journal.report.notice
    journal.save([])  # nothing was said: nothing is refused
    for id in ("c", "d"):
        with pytest.raises(StorageError, match="newer version"):
            journal.save([said(id, "later", "b")])
    assert path.read_bytes() == before + b"torn"
    assert journal.has_unsaved
    journal.become("cc")  # another file is ours now
    journal.save([])
    assert sorted(texts(folder, "cc")) == ["a", "b", "c", "d"]
    assert path.read_bytes() == before + b"torn"


def test_a_newer_version_on_another_device_does_not_stop_ours(folder: Path) -> None:
    folder.mkdir()
    theirs = of_the_future(write_line(said("a", "from the future"), 7, "bb"))
    theirs += b'{"v":2,"event":"message_added","rev":8,"dev":"bb","note":{"id":"b"}}\n'
    (folder / "bb.jsonl").write_bytes(theirs)
    journal = Journal(folder, "aa", min_bytes=1)
    journal.load()
    assert not journal.report.read_only
    assert not journal.report.damaged_lines
    assert "newer version" in journal.report.notice
    for number in range(9):
        journal.save([said("c", f"ours {number}", "a")])
    assert journal.winners["message:c"].rev == 17
    assert texts(folder) == {"a": "from the future", "c": "ours 8"}
    assert (folder / "bb.jsonl").read_bytes() == theirs
    for path in folder.iterdir():
        path.unlink()
    journal.save([said("d", "and on", "c")])  # carries their lines into our file, as they are
    again = Journal(folder, "aa")
    again.load()
    assert not again.report.read_only
    assert texts(folder) == {"a": "from the future", "c": "ours 8", "d": "and on"}
    assert b'"note":{"id":"b"}' in (folder / "aa.jsonl").read_bytes()


def test_a_newer_version_that_comes_while_it_is_open_is_told(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    (folder / "bb.jsonl").write_bytes(of_the_future(write_line(said("b", "2", "a"), 2, "bb")))
    found = journal.read_others()
    assert found is not None
    assert found.trouble is not None
    assert found.trouble.kind == "missing"
    with (folder / "aa.jsonl").open("ab") as file:
        file.write(of_the_future(write_line(said("c", "3", "b"), 3, "aa")))
    found = journal.read_others()
    assert found is not None
    assert found.trouble is not None
    assert (found.trouble.kind, found.trouble.detail) == ("newer", folder.name)
    with pytest.raises(StorageError, match="reading only"):
        journal.save([said("d", "4", "c")])


def test_a_line_whose_kind_is_damaged_is_damage_and_no_news_of_another_version(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    path = Path(journal.path)
    path.write_bytes(path.read_bytes().replace(b"message_added", b"mes3age_added"))
    again = Journal(folder, "aa")
    again.load()
    assert again.report.damaged_lines == 1


def test_a_damaged_line_that_was_written_to_its_end_is_told_and_stays(folder: Path) -> None:
    journal = Journal(folder, "aa")
    journal.save([said("a", "1")])
    journal.save([said("b", "2", "a")])
    path = Path(journal.path)
    damaged = path.read_bytes()[:-40] + b'\0"' + path.read_bytes()[-38:]
    path.write_bytes(damaged)
    again = Journal(folder, "aa")
    again.load()
    assert "1 damaged line." in again.report.notice
    assert str(folder) in again.report.notice
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("content", [b"", b"\0" * 900, bytes(range(256)) * 3])
def test_a_file_in_which_nothing_can_be_read_is_told_and_kept(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "aa.jsonl").write_bytes(content)
    journal = Journal(folder, "aa")
    journal.load()
    assert "nothing in it can be read" in journal.report.notice
    assert content in b"".join(path.read_bytes() for path in folder.iterdir())
    journal.save([said("a", "1")])
    assert texts(folder) == {"a": "1"}


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
