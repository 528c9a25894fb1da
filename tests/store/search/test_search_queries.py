"""What is found, in which order, and how it is shown."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sam_py.messages.history import BranchSelected, MessageAnnotated
from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import CodePart, FilePart, ImagePart, ThinkingTextPart, ToolCallPart
from sam_py.paths import default_paths
from sam_py.store.search_index import candidates, lists
from sam_py.store.search_index.database import COLUMNS
from sam_py.store.search_index.query import Term, understand
from sam_py.store.search_index.results import HIT_KINDS, Filters
from sam_py.store.search_index.words import entered, fold, places, shown
from tests.store.kit import START
from tests.store.search.index_of import EVERYTHING, NOTES, Index, reply, user, write
from tests.store.search.shelf import Shelf

NFC = partial(unicodedata.normalize, "NFC")
PICTURE, REPORT = "a" * 64, "c" * 64
LETTERS = (
    "Ελλάδα και Αθήνας. Ещё один за́мок, й. كِتَابٌ كبيـــر أحمد، می\u200cخواهم ﻻ. Øre, đak, ısı, Cæsar, œuvre; "
    "the o\ufb03ce staﬀ, 𝐛𝐨𝐥𝐝 x → y 5 € 👩\u200d💻. An endless alley of großen Füßen, Maßen Soßen."
)
OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    paths = default_paths(tmp_path_factory.mktemp("queries")).create()
    place = paths.attachments / NOTES[:2]
    place.mkdir(parents=True)
    (place / NOTES).write_text("Buy saffron, and a paella pan", encoding="utf-8")
    kept = paths.data / "documents" / REPORT[:2]
    kept.mkdir(parents=True)
    (kept / f"{REPORT}.json").write_text(
        '{"v": 1, "kind": "docx", "title": "Yearly report", "pages": 2, "notes": [], "is_cut": false, "sections": '
        '[{"label": "Page 1", "text": "Nothing"}, {"label": "Page 2", "text": "The turnover of saffron rose"}]}'
    )
    notes = FilePart(attachment=NOTES, filename="shopping list.txt", mime_type="text/plain", size=30)
    report = FilePart(attachment=REPORT, filename="report 2026.docx", mime_type=OFFICE, size=9_000)
    call = ToolCallPart(call_id="c1", tool_name="generate_image", arguments_json='{"prompt": "a heron at dawn"}')
    write(
        paths,
        "cooking",
        user("q1", "How do I make **paella**, like in València?", days=1, pinned=True),
        reply("r1", "Use a wide pan and bomba rice.", parent="q1", days=1, model="alpha", importance=0.9),
        user("q2", "And with less salt", notes, report, parent="r1", days=2),
        reply("r2", ThinkingTextPart(text="They want less sodium"), "Then add lemon.", parent="q2", days=2),
        reply("r2b", "Or vinegar from the other branch.", parent="q2", days=3),
        title="Rice dishes",
        more=(BranchSelected(parent_id="q2", message_id="r2"),),
    )
    write(
        paths,
        "programming",
        user("p1", "Why does getUserName fail?\n```python\nasync def fetch_rows(cursor):\n    return 1\n```", days=30),
        reply("p2", "[The docs](https://docs.example.org/cursor)", call, parent="p1", days=30, model="beta"),
        ToolResultMessage(
            id="p3", parent_id="p2", created_at=START + timedelta(days=30), call_id="c1", tool_name="generate_image",
            status="success", output_text="The picture is made.", parts=(ImagePart(attachment=PICTURE),),
        ),
        user("p4", CodePart(code="SELECT wombat FROM zoo", language="sql", filename="zoo.sql"), parent="p3", days=31),
        title="Asynchronous Python",
        more=(MessageAnnotated(message_id="p4", pinned=True, importance=0.33),),
    )  # fmt: skip
    write(
        paths,
        "languages",
        user("l1", "你好世界，我们讨论搜索引擎。", days=60),
        reply(
            "l2",
            "Straße, naïve café, Łódź, ＡＢＣ, הַשָּׁלוֹם, ไม่มีช่องว่าง, 東京タワー, iPhone手机 done🎉",
            parent="l1",
            days=60,
        ),
        reply("l3", "Haftpflichtversicherung und don't e-mail me at foo_bar@example.org", parent="l2", days=61),
        user("l4", LETTERS, parent="l3", days=62),
        title="旅行計画",
    )
    shelf = Shelf(paths)
    shelf.update()
    connection = shelf.read()
    shelf.close()
    yield Index(connection)
    connection.close()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("paella", ["q1", "q2"]),
        ("PAELLA valencia", ["q1"]),
        ("pael", ["q1", "q2"]),
        ("pael ", ["q1", "q2"]),
        ('"bomba rice"', ["r1"]),
        ('"rice bomba"', []),
        ("rice bomba", ["r1"]),
        ("pan -bomba", ["q2"]),
        ("pan -rice", ["q2"]),
        ("less salt", ["q2"]),
        ("sodium", []),
        ("vinegar", ["r2b"]),
        ("username", ["p1"]),
        ("versicherung", ["l3"]),
        ("fetch_rows", ["p1"]),
        ("fetch", ["p1"]),
        ("wombat", ["p4"]),
        ("zoo.sql", ["p4"]),
        ("docs.example.org", ["p2"]),
        ("heron", ["p2", "p3"]),
        ("saffron", ["q2", "q2"]),
        ("turnover", ["q2"]),
        ("shopping", ["q2"]),
        ("世界", ["l1"]),
        ("索", ["l1"]),
        ("好世界", ["l1"]),
        ("世好", []),
        ("タワー", ["l2"]),
        ("ช่อง", ["l2"]),
        ("手机", ["l2"]),
        ("iphone", ["l2"]),
        ("strasse", ["l2"]),
        ("straße", ["l2"]),
        ("stras", ["l2"]),
        ("STRASS", ["l2"]),
        ("rasse", ["l2"]),
        ("lodz", ["l2"]),
        ("abc", ["l2"]),
        ("השלום", ["l2"]),
        ("הַשָּׁלוֹם", ["l2"]),
        ("ελλαδα", ["l4"]),
        ("αθηνασ", ["l4"]),
        ("ΑΘΉΝΑΣ και", ["l4"]),
        ("еще замок", ["l4"]),
        ('"еще один"', ["l4"]),
        ("и ", []),
        ("كتاب", ["l4"]),
        ("كِتاب كبير احمد", ["l4"]),
        ("ميخواهم", []),
        ("میخواهم", ["l4"]),
        ("می\u200cخواهم", ["l4"]),
        ("لا", ["l4"]),
        ("ore dak isi caesar oeuvre", ["l4"]),
        ("office staff bold", ["l4"]),
        ('"the office staff"', ["l4"]),
        ('"endless alley of grossen fussen massen sossen"', ["l4"]),
        ('"alley of grossen massen fussen"', []),
        ("→", ["l4"]),
        ("x → y 5 €", ["l4"]),
        ("👩\u200d💻", ["l4"]),
        ("🎉 done", ["l2"]),
        ("🎉 -done", []),
        ("NAIVE cafe", ["l2"]),
        ("łódź", ["l2"]),
        ("done", ["l2"]),
        ("don't", ["l3"]),
        ("e-mail", ["l3"]),
        ("foo_bar", ["l3"]),
        ("", []),
        ("   ", []),
        ("🎉", ["l2"]),
        ('"', []),
    ],
)
def test_words_find_messages(index: Index, text: str, found: list[str]) -> None:
    assert sorted(id for id in index.ids(text) if id) == sorted(found)


def test_a_title_comes_first_and_is_a_place_of_its_own(index: Index) -> None:
    hit = index.search("python").hits[0]
    assert (hit.kind, hit.place.conversation_id, hit.place.message_id) == ("title", "programming", "")
    assert index.search("旅行").hits[0].place.conversation_id == "languages"
    assert index.search("ri").hits[0].snippet == "Rice dishes"


def test_a_hit_says_what_it_was_found_in(index: Index) -> None:
    def kinds(text: str, *wanted: str) -> set[str]:
        return {hit.kind for hit in index.search(text, Filters(kinds=frozenset(wanted))).hits}

    assert kinds("fetch") == {"code"}
    assert kinds("saffron") == {"document"}
    assert kinds("sodium", "thinking") == {"thinking"}
    assert kinds("heron", "image") == {"image"}
    assert kinds("heron", "tool") == {"tool"}
    assert kinds("shopping") == {"file"}
    assert kinds("paella", "code") == set()
    [hit] = index.search("turnover").hits
    assert (hit.name, hit.label, hit.part_index) == ("report 2026.docx", "Page 2", 2)
    [hit] = index.search("wombat").hits
    assert (hit.name, hit.part_index, hit.place.is_pinned, hit.place.importance) == ("zoo.sql", 0, True, 0.33)


def test_filters_narrow_and_a_hit_knows_its_branch(index: Index) -> None:
    assert [hit.place.is_on_path for hit in index.search("vinegar").hits] == [False]
    assert index.ids("vinegar", Filters(shown_path_only=True)) == []
    assert index.ids("a", Filters(conversation_id="programming", kinds=frozenset({"file"}))) == []
    assert index.ids("cursor", Filters(conversation_id="programming")) == index.ids("cursor")
    assert index.ids("cursor", Filters(conversation_id="cooking")) == []
    assert index.ids("username", Filters(conversation_id="programming"), order="oldest") == ["p1"]
    assert index.ids("cursor", Filters(conversation_id="nowhere")) == []
    assert index.ids("rice", Filters(model="alpha")) == ["r1"]
    assert index.ids("rice", Filters(min_importance=0.95)) == []
    assert index.ids("paella", Filters(pinned_only=True)) == ["q1"]
    cooks = frozenset({"cooking", "nowhere"})
    assert index.ids("cursor", Filters(folder="Kitchen", among=cooks)) == []
    in_kitchen = index.ids("rice", Filters(folder="Kitchen", among=cooks))
    assert in_kitchen == ["", *index.ids("rice", Filters(conversation_id="cooking"))]  # its title, too
    assert index.ids("rice", Filters(folder="Empty")) == []
    assert "r1" not in index.ids("rice", Filters(role="user"))
    since = Filters(since=START + timedelta(days=2))
    assert "q1" not in index.ids("pan", since)
    assert index.ids("paella", Filters(until=START + timedelta(days=2))) == ["q1"]
    assert index.ids("paella", Filters(until=START + timedelta(days=1))) == []


def test_lists_have_every_thing_once(index: Index) -> None:
    def names(**filters: Any) -> list[str]:
        return [item.name for item in lists.items(index.connection, Filters(**filters), limit=50, after=None).items]

    assert names(kinds=frozenset({"code"})) == ["zoo.sql", "async def fetch_rows(cursor):"]
    assert names(kinds=frozenset({"file", "document"})) == ["shopping list.txt", "report 2026.docx"]
    assert names(kinds=frozenset({"link"})) == ["The docs"]
    assert names(kinds=frozenset({"tool"})) == ["generate_image"]
    [picture] = lists.items(index.connection, Filters(kinds=frozenset({"image"})), limit=5, after=None).items
    assert (picture.attachment, picture.text, picture.place.message_id) == (PICTURE, "a heron at dawn", "p3")
    assert names(text="LIST shop") == ["shopping list.txt"]
    assert names(text="wombat", kinds=frozenset({"code"})) == ["zoo.sql"]
    assert names(conversation_id="cooking") == ["shopping list.txt", "report 2026.docx"]
    assert names(kinds=frozenset({"nothing"})) == []
    pins = lists.pinned(index.connection, EVERYTHING, limit=1, after=None)
    assert [(pin.place.message_id, pin.rule) for pin in pins.pins] == [("p4", "set by hand")]
    pins = lists.pinned(index.connection, EVERYTHING, limit=1, after=pins.next)
    assert [pin.place.message_id for pin in pins.pins] == ["q1"]
    assert pins.pins[0].text == "How do I make paella, like in València?"
    assert pins.next is None
    assert not lists.pinned(index.connection, Filters(text="xyz"), limit=9, after=None).pins
    counts = lists.counts(index.connection, EVERYTHING)
    assert counts.items == {"image": 1, "code": 2, "file": 1, "link": 1, "document": 1, "tool": 1}
    assert (counts.pinned, counts.messages, counts.models) == (2, 13, (("alpha", 1), ("beta", 1)))
    assert lists.counts(index.connection, Filters(conversation_id="cooking")).items["code"] == 0


def test_what_is_hidden_is_nowhere(index: Index) -> None:
    hidden = (frozenset({"programming"}), frozenset({("cooking", "q1")}))
    assert index.ids("paella", hidden=hidden) == ["q2"]
    assert index.search("python", hidden=hidden).hits == ()
    assert not lists.items(
        index.connection, Filters(kinds=frozenset({"link"})), limit=9, after=None, hidden=hidden
    ).items
    assert not lists.pinned(index.connection, EVERYTHING, limit=9, after=None, hidden=hidden).pins


SIGNS = st.sampled_from(
    [*"\"“-*():^+ ,.~{}[]\\'\x00\x1f/&|<>AND NOT OR NEAR tags : c1 世界 é 🎉 paella pan rice cu", "ＡＢＣ"]
)


@given(st.one_of(st.text(max_size=40), st.lists(SIGNS, max_size=25).map("".join)), st.sampled_from(["best", "newest"]))
@example('paella" OR (', "best")
@example("{text} : pan", "best")
@example("pan NEAR(rice", "newest")
@example("\ud800 pan", "best")
@example("-pan -rice", "best")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_input_is_a_query_and_its_hits_are_true(index: Index, text: str, order: str) -> None:
    for kinds in (frozenset(), frozenset(HIT_KINDS)):
        results = index.search(text, Filters(kinds=kinds), order=order)
        patterns = [term.pattern(inside=True) for term in understand(text).terms]
        for hit in results.hits:
            known = index.connection.execute(
                "SELECT count(*) FROM message m JOIN conversation c ON c.key = m.conversation "
                "WHERE c.id = ? AND m.id = ?",
                (hit.place.conversation_id, hit.place.message_id),
            ).fetchone()
            assert known == (0 if hit.kind == "title" else 1,)
            assert hit.marks, (text, hit)
            before = 0
            for start, end in hit.marks:
                assert before <= start < end <= len(hit.snippet)
                assert places(hit.snippet[start:end], patterns)[:1] == [(0, end - start)]
                before = end


PIECES = st.sampled_from(
    ["paella", "pan", "rice", "a", "th", "the", "co", "fetch_rows", "e-mail", "don't", "世", "界", "世界",
     "タワー", "手机", "me at", "lo", "łó", "NAIVE", "of", "picture", "2026", "docs", "made", "ช่อง", "saffron", "x",
     "strasse", "lodz", "ελλαδα και", "еще", "ещё один", "كتاب", "שלום", "the office staff", "→", "🎉", "grossen fus"]
)  # fmt: skip
TERMS = st.tuples(st.sampled_from(["", "", "", "-"]), st.booleans(), PIECES).map(
    lambda term: f'{term[0]}"{term[2]}"' if term[1] else f"{term[0]}{term[2]}"
)


@given(st.lists(TERMS, min_size=1, max_size=4).map(" ".join), st.sampled_from(["", " "]))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_search_finds_what_reading_everything_finds(index: Index, text: str, end: str) -> None:
    query = understand(text + end)
    kinds = [column for column in COLUMNS if column != "thinking"]
    rows = index.connection.execute(
        f"SELECT m.id, {', '.join('e.' + kind for kind in kinds)} FROM entry e LEFT JOIN chunk k ON k.key = e.rowid "
        "JOIN message m ON m.key = coalesce(k.message, e.rowid)"
    ).fetchall()

    def has(term: Term, texts: list[str]) -> bool:
        return any(re.search(term.pattern(), text) for text in texts)

    read = set()
    for id, *columns in rows:
        texts = [fold(shown(column)) for column in columns if column]
        if all(has(term, texts) for term in query.terms) and not any(has(term, texts) for term in query.without):
            read.add(id)
    found = candidates.in_order(index.connection, query, EVERYTHING, None, 1_000, newest=True)
    keys = dict(index.connection.execute("SELECT key, id FROM message"))
    assert {keys[each.message] for each in found} == read
    for order in ("best", "newest", "oldest"):
        assert set(index.ids(text + end, order=order)) - {""} >= read


WORDS = st.one_of(
    st.text(st.sampled_from("abcé世界한ท🎉ÅßİĐ_-. 1ﬃsfήςёꭰᏠＡ"), min_size=1, max_size=12),
    st.text(st.sampled_from("كﻻأب\u0640\u0650\u064b\u200c שׁלו\u05b8🎉東"), min_size=1, max_size=9),
)


@given(st.lists(WORDS, min_size=1, max_size=6), st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_each_word_of_a_message_finds_it(words: list[str], data: st.DataObject) -> None:
    connection = _one_message(" ".join(words))
    said = understand(" ".join(words), typing=False).terms
    for term in said:
        rows = connection.execute("SELECT rowid FROM entry WHERE entry MATCH ?", (term.match(),)).fetchall()
        assert rows, (words, term)
        text = shown(entered(" ".join(words)))
        assert places(text, [term.pattern()]), (text, term)
    connection.close()


def test_every_letter_is_found_in_whichever_case_and_form() -> None:
    letters = [char for char in map(chr, range(0x80, 0x2FFF)) if char.isalpha() and NFC(char) == char]
    letters += map(
        chr, (*range(0xA640, 0xA7D0, 3), *range(0xFB00, 0xFB07), *range(0xFE81, 0xFEFD), *range(0x10C80, 0x10CB3))
    )
    connection = _one_message("")
    connection.executemany(
        "INSERT INTO entry (rowid, text) VALUES (?, ?)",
        [(10 + ord(char), entered(f"begin x{char}y end")) for char in letters],
    )
    for char in letters[::7]:
        other = char.upper() if char.upper().lower() == char else char
        for text in (f"x{char}y", f'"begin x{other}y end"'):
            [term] = understand(text, typing=False).terms
            rows = connection.execute("SELECT rowid FROM entry WHERE entry MATCH ?", (term.match(),)).fetchall()
            assert (10 + ord(char),) in rows, (char, hex(ord(char)), term)
    connection.close()


def _one_message(text: str) -> Any:
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE entry USING fts5 (text, tokenize=\"unicode61 remove_diacritics 2 categories 'L* N*'\")"
    )
    connection.execute("INSERT INTO entry VALUES (?)", (entered(text),))
    return connection


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Twelve hundred messages with one word in all of them."""
    paths = default_paths(tmp_path_factory.mktemp("crowd")).create()
    rnd = random.Random(5)
    for conversation in range(5):
        parent = None
        messages = []
        for number in range(240):
            text = f"crowd {rnd.choice('abcdef')}{number % 40} [x](https://a.org/{number})"
            messages.append(user(f"{conversation}-{number}", text, parent=parent, days=rnd.random() * 300))
            parent = messages[-1].id
        write(paths, f"c{conversation}", *messages)
    shelf = Shelf(paths)
    shelf.update()
    connection = shelf.read()
    shelf.close()
    yield Index(connection)
    connection.close()


@pytest.mark.parametrize("order", ["best", "newest", "oldest"])
@pytest.mark.parametrize("text", ["crowd ", "b7 ", "cro"])
def test_pages_hold_every_hit_once(crowd: Index, text: str, order: str) -> None:
    seen: list[str] = []
    results = crowd.search(text, limit=333, order=order)
    while True:
        seen += [hit.place.message_id for hit in results.hits]
        if results.next is None:
            break
        results = crowd.search(text, limit=333, order=order, after=results.next)
    assert len(seen) == len(set(seen))
    said = crowd.connection.execute("SELECT count(*) FROM entry WHERE text LIKE ?", (f"% {text}%",)).fetchone()[0]
    assert len(seen) == (1_200 if text.startswith("cro") else said)
    if order != "best":
        dates = [
            crowd.connection.execute("SELECT created / 1000 FROM message WHERE id = ?", (id,)).fetchone()[0]
            for id in seen
        ]
        assert dates == sorted(dates, reverse=order == "newest")


def test_more_within_longer_words_than_are_ranked_are_told(crowd: Index) -> None:
    results = crowd.search("row")
    assert (results.total, results.is_total_least) == (candidates.BLOCK, True)


def test_a_rare_word_with_a_common_beginning_is_found_whole(crowd: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "_MANY_PLACES", 100)
    monkeypatch.setattr(candidates, "_LIKELY", 1)
    assert len(crowd.ids("cro b")) == 50
    [some] = crowd.connection.execute("SELECT text FROM entry LIMIT 1").fetchone()
    rare = some.split()[1]
    found = crowd.ids(f"{rare} c")
    assert len(found) == len(crowd.ids(f"{rare} crowd "))
    assert found


def test_item_pages_hold_every_item_once(crowd: Index) -> None:
    seen: list[tuple[str, str]] = []
    page = lists.items(crowd.connection, EVERYTHING, limit=300, after=None)
    while True:
        seen += [(item.place.message_id, item.url) for item in page.items]
        if page.next is None:
            break
        page = lists.items(crowd.connection, EVERYTHING, limit=300, after=page.next)
    assert len(seen) == len(set(seen)) == 1_200


def test_what_is_important_and_new_comes_first_among_equals(tmp_path: Path) -> None:
    paths = default_paths(tmp_path).create()
    write(
        paths,
        "c1",
        user("old", "the harbour master", days=1, importance=0.5),
        user("new", "the harbour master", parent="old", days=390, importance=0.5),
        user("weighty", "the harbour master", parent="new", days=389, importance=1.0),
    )
    shelf = Shelf(paths)
    shelf.update()
    index = Index(shelf.read())
    assert index.ids("harbour") == ["weighty", "new", "old"]
    assert fold("Å") == "a"
    index.connection.close()
    shelf.close()
