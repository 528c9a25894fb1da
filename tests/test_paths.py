"""Paths: where the data are is known or asked, never guessed."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from sam_py import cli
from sam_py.cli import exit_codes
from sam_py.paths import DATA_FOLDER, PathsError, default_paths


def _say(home: Path, content: bytes) -> None:
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / DATA_FOLDER).write_bytes(content)


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_a_moved_data_folder_is_where_the_file_says(tmp_path: Path, ending: bytes) -> None:
    elsewhere = tmp_path / "a drive " / "späte Bücher "  # the spaces belong to the names
    _say(tmp_path, str(elsewhere).encode() + ending)
    assert (default_paths(tmp_path).data, default_paths(tmp_path).moved) == (elsewhere, True)


def test_a_moved_data_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    _say(tmp_path, str(tmp_path / "drive" / "library").encode())
    paths = default_paths(tmp_path).create()
    assert paths.drafts.is_dir()
    assert not (tmp_path / "drive").exists()  # its drive may be mounted there in a moment


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"  \n", "it is empty"),
        (b"\0" * 40, "it is damaged"),
        (b"/one\n/two\n", "it is damaged"),
        (b"library\n", "does not begin at the root"),
        (b"~nobody-of-that-name/library\n", "home directory"),
    ],
)
def test_a_file_that_names_no_folder_is_told_and_nothing_is_guessed(
    tmp_path: Path, content: bytes, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _say(tmp_path, content)
    with pytest.raises(PathsError, match=why) as told:
        default_paths(tmp_path)
    assert str(tmp_path / "config" / DATA_FOLDER) in str(told.value)
    assert cli.main(["paths", "--home", str(tmp_path)]) == exit_codes.NOT_STARTED
    assert why in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_data_settings_and_state_are_apart_where_the_system_has_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On macOS and Windows they are; whoever lets a program sync the data must not share a device's own things."""
    monkeypatch.delenv("SAM_HOME", raising=False)
    one = str(tmp_path / "sam-py")
    for name in ("user_config_dir", "user_data_dir", "user_state_dir"):
        monkeypatch.setattr(platformdirs.PlatformDirs, name, one)
    paths = default_paths()
    assert {paths.config.parent, paths.data.parent, paths.state.parent} == {Path(one)}
    assert len({paths.config, paths.data, paths.state}) == 3
