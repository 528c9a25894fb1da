from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sam_py.providers.json_objects import JsonObjects

_OBJECTS = st.lists(
    st.dictionaries(
        st.text(max_size=4),
        st.recursive(
            st.none() | st.integers() | st.text('{}[]"\\\n,é🎉', max_size=6),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=6,
        ),
        max_size=3,
    ),
    max_size=4,
)


def read(body: bytes, *cuts: int, limit: int = 1 << 20) -> tuple[list[dict[str, Any]], JsonObjects]:
    objects = JsonObjects(limit)
    places = [0, *sorted(cuts), len(body)]
    found = [value for a, b in pairwise(places) for value in objects.feed(body[a:b])]
    return found + objects.close(), objects


@given(_OBJECTS, st.sampled_from([None, 1]), st.sampled_from(["\n", "\r\n", "\n,\n", ",", " "]), st.data())
def test_objects_in_a_row_are_found_however_they_are_written_and_cut(
    values: list[dict[str, Any]], indent: int | None, between: str, data: st.DataObject
) -> None:
    text = between.join(json.dumps(value, indent=indent, ensure_ascii=False) for value in values)
    body = (f"[{text}]" if "," in between else text).encode()
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=4))
    found, objects = read(body, *cuts)
    assert found == values
    assert (objects.stray, objects.damaged, objects.too_large, objects.is_open) == (b"", b"", False, False)


def test_what_is_no_object_is_kept_as_stray() -> None:
    found, objects = read(b'<html>\n{"a": 1} oops\n')
    assert found == [{"a": 1}]
    assert objects.stray == b"<html>\noops\n"
    assert objects.stray_bytes == 10


def test_a_damaged_object_ends_the_reading() -> None:
    found, objects = read(b'{"a": 1}\n{"b": }\n{"c": 1}\n')
    assert found == [{"a": 1}]
    assert objects.damaged == b'{"b": }'


def test_an_object_without_end_is_open_and_one_without_measure_is_dropped() -> None:
    assert read(b'{"a": {\n"b"')[1].is_open
    assert read(b'{"a": "' + b"x" * 3000, 1000, 2000, limit=2000)[1].too_large
    assert read(b'{"a": "\n' + b"x\n" * 3000, limit=2000)[1].too_large
    assert read(b'{"a":' * 1000)[1].damaged
