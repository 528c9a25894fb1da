"""The database of vectors: exact, made anew when it has to be, and the same whatever led to it."""

from __future__ import annotations

import math
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.store.search_index.errors import SearchError
from sam_py.store.semantic.passages import LENGTH, cut_passages
from sam_py.store.semantic.vectors import Cut, DifferentLengthError, Vectors, digest_of, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


def unit(random_: random.Random, length: int) -> list[float]:
    vector = [random_.gauss(0, 1) for _ in range(length)]
    size = math.hypot(*vector)
    return [each / size for each in vector]


def put(vectors: Vectors, conversation: str, message: str, version: int, *texts: str) -> None:
    """A message of passages one after the other; each vector is told by the text alone."""
    digests = tuple(digest_of(text) for text in texts)
    spans = tuple((10 * place, 10 * place + len(text)) for place, text in enumerate(texts))
    new = vectors.unknown(digests)
    found = {digest: unit(random.Random(text), 8) for digest, text in zip(digests, texts, strict=True) if digest in new}
    vectors.put(conversation, [Cut(message, version, spans, digests)], found)


def says(vectors: Vectors) -> list[tuple[str, str, tuple[int, int], bytes]]:
    return sorted(
        (near.conversation, near.message, near.span, near.digest) for near in vectors.nearest([1.0] + [0.0] * 7, 10_000)
    )


def test_the_nearest_are_exactly_those_of_a_comparison_by_hand(tmp_path: Path) -> None:
    random_ = random.Random(5)
    vectors = Vectors(tmp_path / "meaning.sqlite", "m")
    known = {f"text {number}": unit(random_, 48) for number in range(600)}
    digests = {digest_of(text): vector for text, vector in known.items()}
    cuts = [Cut(text, 1, ((0, len(text)),), (digest_of(text),)) for text in known]
    vectors.put("c", cuts, digests)
    for _ in range(20):
        question = unit(random_, 48)
        near = {text: sum(a * b for a, b in zip(question, known[text], strict=True)) for text in known}
        by_hand = sorted(known, key=lambda text: -near[text])
        assert [near.message for near in vectors.nearest(question, 25)] == by_hand[:25]
    vectors.close()


def test_another_model_or_damage_begins_anew_and_another_length_is_told(tmp_path: Path) -> None:
    path = tmp_path / "meaning.sqlite"
    first = Vectors(path, "one model")
    put(first, "c", "m", 1, "hello")
    with pytest.raises(DifferentLengthError):
        first.nearest([1.0, 0.0], 5)
    first.close()
    assert [near.message for near in Vectors(path, "one model").nearest([1.0] * 8, 5)] == ["m"]
    other = Vectors(path, "another model")
    assert other.versions("c") == {}
    put(other, "c", "m", 1, "hello")
    other.close()
    path.write_bytes(b"this is no database" * 2_000)
    damaged = Vectors(path, "another model")
    assert damaged.count() == 0
    put(damaged, "c", "m", 1, "hello")
    assert damaged.count() == 1
    damaged.close()


def test_what_was_removed_leaves_no_bytes_in_the_file(tmp_path: Path) -> None:
    vectors = Vectors(tmp_path / "meaning.sqlite", "m")
    put(vectors, "c", "kept", 1, "hello")
    put(vectors, "c", "secret-message-id", 1, "a password")
    digest = digest_of("a password")
    vectors.remove_conversation("elsewhere")
    vectors.remove("c", ["secret-message-id"])
    vectors.close()
    content = (tmp_path / "meaning.sqlite").read_bytes()
    assert digest not in content
    assert b"secret-message-id" not in content
    assert digest_of("hello") in content


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchError, match=r"search by meaning"):
        Vectors(tmp_path / "file" / "meaning.sqlite", "m").count()


TEXTS = st.lists(st.sampled_from(["one", "two", "three", "four", "ok"]), max_size=3)
STEP = st.one_of(
    st.tuples(st.just("put"), st.sampled_from("ab"), st.sampled_from("xyz"), TEXTS),
    st.tuples(st.just("remove"), st.sampled_from("ab"), st.sampled_from("xyz"), st.just([])),
    st.tuples(st.just("forget"), st.sampled_from("ab"), st.just(""), st.just([])),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(STEP, max_size=12))
def test_after_any_changes_it_says_what_one_made_anew_says(steps: list[tuple[str, str, str, list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vectors = Vectors(Path(folder) / "meaning.sqlite", "m")
        now: dict[tuple[str, str], list[str]] = {}
        for version, (kind, conversation, message, texts) in enumerate(steps):
            match kind:
                case "put":
                    put(vectors, conversation, message, version, *texts)
                    now[conversation, message] = texts
                case "remove":
                    vectors.remove(conversation, [message])
                    now.pop((conversation, message), None)
                case _:
                    vectors.remove_conversation(conversation)
                    now = {place: texts for place, texts in now.items() if place[0] != conversation}
        anew = Vectors(Path(folder) / "anew.sqlite", "m")
        for (conversation, message), texts in now.items():
            put(anew, conversation, message, 0, *texts)
        assert says(vectors) == says(anew)
        kept = {text for texts in now.values() for text in texts}
        everything = ["one", "two", "three", "four", "ok"]
        assert vectors.unknown(map(digest_of, everything)) == {
            digest_of(text) for text in everything if text not in kept
        }
        vectors.close()
        anew.close()


@given(st.text(alphabet=st.sampled_from("aé .\n東。!"), max_size=6_000))
@settings(max_examples=30, deadline=None)
def test_passages_hold_every_word_once_and_none_is_too_long(text: str) -> None:
    spans = cut_passages(text)
    assert "".join("".join(text[start:stop] for start, stop in spans).split()) == "".join(text.split())
    assert all(stop - start <= LENGTH * 1.25 for start, stop in spans)
    assert all(text[start:stop].strip() == text[start:stop] != "" for start, stop in spans)
