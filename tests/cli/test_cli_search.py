"""``sam-py search`` as a person starts it: without a window, with an index that it makes first."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sam_py import cli
from sam_py.messages.history import SettingsChanged
from sam_py.paths import default_paths
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ModelChoice, ProviderSettings, SearchSettings
from sam_py.store.journal import Journal
from tests.fakes.embedding_server import EmbeddingServer
from tests.store.kit import answered, said

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("SAM_HOME", str(tmp_path))
    paths = default_paths().create()
    Journal(paths.conversations / "harbour", "aa").save(
        [
            SettingsChanged(key="title", value="At the sea"),
            said("q", "How tall is the lighthouse?\x1b[31m"),
            answered("r", "Forty metres; see `tower.py`.", "q", at_s=90_000),
        ]
    )
    Journal(paths.conversations / "kitchen", "aa").save([said("k", "Soup without a lighthouse")])

    def search(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(["search", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return search


def test_a_search_prints_where_and_what(run: Run) -> None:
    code, out, err = run("lighthouse -soup")
    assert (code, err) == (0, "")
    where, what = out.splitlines()
    assert "At the sea · you · harbour" in where
    assert what.strip() == "How tall is the lighthouse? [31m"


def test_the_filters_narrow_what_is_found(run: Run) -> None:
    def ids(*arguments: str) -> list[str]:
        return [hit["message_id"] for hit in json.loads(run(*arguments, "--json")[1])["hits"]]

    assert sorted(ids("lighthouse")) == ["k", "q"]
    assert ids("lighthouse", "--conversation", "kit") == ["k"]
    assert ids("lighthouse", "--kind", "code") == []
    assert ids("forty", "--from", "2026-01-02", "--to", "2026-01-04") == ["r"]
    assert ids("forty", "--to", "9999-12-31") == ["r"]  # no day comes after that one
    assert ids("forty", "--to", "2026-01-01") == []
    assert len(ids("lighthouse", "--limit", "1", "--order", "newest")) == 1


def test_json_has_marks_that_lie_on_the_words(run: Run) -> None:
    found = json.loads(run("forty", "metres", "--json")[1])
    [hit] = found["hits"]
    assert (found["schema"], found["total"], hit["conversation_title"], hit["kind"]) == (1, 1, "At the sea", "text")
    assert [hit["snippet"][start:end] for start, end in hit["marks"]] == ["Forty", "metres"]
    assert hit["at"] == "2026-01-03T04:04:05+00:00"


def test_nothing_found_is_no_error_and_more_is_told(run: Run) -> None:
    assert run("submarine") == (0, "", "Nothing was found.\n")
    assert run("lighthouse", "--limit", "1")[2] == "1 of 2 hits: --limit shows more.\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["x", "--from", "tomorrow"], "tomorrow is not a date: write it as 2026-03-31."),
        (
            ["x", "--conversation", "zzz"],
            "No conversation begins with zzz: take an id that sam-py search --json prints.",
        ),
    ],
)
def test_what_cannot_be_understood_is_said(run: Run, arguments: list[str], told: str) -> None:
    assert run(*arguments) == (2, "", told + "\n")


def test_before_the_first_conversation_nothing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "new"))
    assert cli.main(["search", "hello"]) == 0
    assert tuple(capsys.readouterr()) == ("", "Nothing was found.\n")


def test_an_index_that_cannot_be_made_is_an_error_that_says_what_to_do(run: Run, tmp_path: Path) -> None:
    (tmp_path / "state" / "search.sqlite").mkdir()
    code, out, err = run("lighthouse")
    assert (code, out) == (1, "")
    assert err.startswith("Search needs to write in ")
    assert "Your chats are not affected." in err


def test_the_words_are_bold_on_a_terminal_and_control_characters_are_not_sent_to_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    run("tall")
    assert "How \x1b[1mtall\x1b[0m is the lighthouse? [31m" in terminal.getvalue()


def test_what_says_it_in_other_words_is_found_once_that_is_switched_on(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("apsw")
    pytest.importorskip("sqlite_vec")
    code, out, err = run("beacon", "--meaning")
    assert (code, out) == (2, "")
    assert err == "The search by meaning is not switched on: do that in the window, in Settings > Data > Search.\n"
    beacons = ("beacon", "lighthouse")
    with EmbeddingServer(lambda text: (1.0, 2.0 if any(word in text.lower() for word in beacons) else 0.0)) as server:
        account = ProviderSettings(id="near", preset="lmstudio", label="LM Studio", base_url=server.base_url)
        wanted = SearchSettings(semantic=True, embeddings=ModelChoice(provider="near", model="m"))
        file = SettingsFile(default_paths().config / "settings.json")
        file.change(lambda settings: settings.model_copy(update={"providers": (account,), "search": wanted}))
        file.close()
        assert run("beacon") == (0, "", "Nothing was found.\n")
        code, out, _err = run("beacon", "--meaning", "--limit", "2")
        assert code == 0
        headlines = out.splitlines()[::2]
        assert len(headlines) == 2
        assert all("similar in meaning" in line for line in headlines)
        hits = json.loads(run("lighthouse -soup", "--meaning", "--json")[1])["hits"]
        assert (hits[0]["message_id"], hits[0]["is_similar"]) == ("q", False)
        assert "k" not in [hit["message_id"] for hit in hits], "a word that must not occur does not"
        assert [text for text in server.asked if "beacon" in text] == ["beacon"]
        assert run("beacon", "--meaning", "--order", "newest")[0] == 2
