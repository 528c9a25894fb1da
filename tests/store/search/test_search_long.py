"""What is too long for one entry: files of many pages, and things of the library that are shown in part."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import CodePart, FilePart, ImagePart
from sam_py.paths import default_paths
from sam_py.store.search_index import lists
from sam_py.store.search_index.results import Filters
from sam_py.store.search_index.snippet import snippet_of
from sam_py.store.search_index.words import entered
from tests.store.kit import START
from tests.store.search.index_of import NOTES, Index, reply, user, write
from tests.store.search.shelf import Shelf


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Three messages with one file of several pages each, long code and a long result."""
    paths = default_paths(tmp_path_factory.mktemp("book")).create()
    (paths.attachments / NOTES[:2]).mkdir(parents=True)
    (paths.attachments / NOTES[:2] / NOTES).write_text("An otter swims. " * 5_000 + "Then a narwhal.", encoding="utf-8")
    notes = FilePart(attachment=NOTES, filename="otters.txt", mime_type="text/plain", size=80_015)
    code = CodePart(code="x = 1\n" * 500 + "platypus()\n")
    output = "nothing\n" * 400 + "a giraffe" + "nothing\n" * 60_000 + "an okapi"
    drawn = ImagePart(url="data:image/png;base64," + "iVBORw0KGgo" * 2_000, alt="a gnu")
    at = START + timedelta(days=4)
    write(
        paths,
        "zoo",
        *(user(f"b{number}", "Read this", notes, days=number) for number in range(3)),
        reply("c", code, CodePart(code="short()"), parent="b2", days=3),
        ToolResultMessage(id="t", parent_id="c", created_at=at, call_id="1", tool_name="look", status="success",
                          output_text=output),
        title="Ottawa",
    )  # fmt: skip
    write(paths, "new", user("n1", "Where do   **llamas**\nlive, 東京?", drawn))
    shelf = Shelf(paths)
    shelf.update()
    connection = shelf.read()
    shelf.close()
    yield Index(connection)
    connection.close()


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("limit", [1, 2, 50])
def test_by_date_a_file_is_one_hit_however_many_of_its_pages_have_the_words(
    book: Index, order: str, limit: int
) -> None:
    seen: list[str] = []
    results = book.search("otter ", order=order, limit=limit)
    while True:
        seen += [hit.place.message_id for hit in results.hits if hit.kind == "document"]
        if results.next is None:
            break
        results = book.search("otter ", order=order, limit=limit, after=results.next)
    assert seen == (["b2", "b1", "b0"] if order == "newest" else ["b0", "b1", "b2"])


@pytest.mark.parametrize("order", ["best", "newest", "oldest"])
def test_every_order_finds_titles_and_words_within_longer_ones(book: Index, order: str) -> None:
    titles = [hit.kind for hit in book.search("ottawa", order=order).hits]
    assert titles == ["title"]
    assert set(book.ids("arwha", order=order)) == {"b0", "b1", "b2"}
    page = book.search("arwha", order=order, limit=2)
    rest = book.search("arwha", order=order, limit=2, after=page.next)
    assert sorted(hit.place.message_id for hit in (*page.hits, *rest.hits)) == ["b0", "b1", "b2"]


@pytest.mark.parametrize(
    ("text", "names"),
    [("platypus", ["x = 1"]), ("giraf", ["look"]), ("narwhal otter", ["otters.txt"] * 3), ("narwhal platypus", [])],
)
def test_a_word_beyond_the_beginning_of_an_item_keeps_it_in_the_list(book: Index, text: str, names: list[str]) -> None:
    found = lists.items(book.connection, Filters(text=text), limit=20, after=None)
    assert [item.name for item in found.items] == names
    assert sum(lists.counts(book.connection, Filters(text=text)).items.values()) == len(names)


def test_what_has_no_title_is_called_by_its_words_and_is_no_title_hit(book: Index) -> None:
    [hit] = book.search("llamas").hits
    assert (hit.kind, hit.place.conversation_title) == ("text", "Where do llamas live, 東京?")
    assert {hit.place.conversation_title for hit in book.search("giraffe").hits} == {"Ottawa"}


def test_what_stands_far_down_is_found_and_marked(book: Index) -> None:
    [hit] = book.search("okapi").hits
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["okapi"]


def test_a_picture_that_is_held_in_its_address_is_none_in_the_index(book: Index) -> None:
    [picture] = lists.items(book.connection, Filters(text="gnu"), limit=5, after=None).items
    assert (picture.kind, picture.name, picture.url) == ("image", "a gnu", "")
    assert not book.connection.execute("SELECT 1 FROM item WHERE folded LIKE '%ivborw0%'").fetchall()


def test_a_snippet_keeps_what_joins_letters_and_emoji() -> None:
    said = "می\u200cخواهم 👩\u200d💻 work"
    assert snippet_of(entered(said), ["work"])[0] == said
