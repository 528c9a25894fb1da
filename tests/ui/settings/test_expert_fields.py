"""Extra headers and body keys: what is wrong is said in its field, nothing typed is lost, no key ends in a file."""

from __future__ import annotations

import pytest

from sam_py.ui.settings.expert_fields import read_body, read_headers


def test_headers_are_read_line_by_line() -> None:
    assert read_headers("X-Title: SAM\n\n  X-Org :  me : you \n") == ({"X-Title": "SAM", "X-Org": "me : you"}, "")
    assert read_headers("") == ({}, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X-Title", "Line 1"),
        ("X-A: 1\nX B: 2", "Line 2"),
        (": x", "cannot be the name"),
        ("X-A: caf\u00e9", "plain characters"),
        ("X-A: a\x0bb", "Line 2"),
        ("X-A: a\x7fb", "plain characters"),
        ("Host: example.com", "set by SAM"),
        ("Content-Length: 5", "set by SAM"),
        ("Authorization: Bearer sk-1", "its own field"),
        ("x-api-key: sk-1", "its own field"),
        ("X-Goog-Api-Key: 1", "its own field"),
        ("Cookie: a=b", "its own field"),
    ],
)
def test_a_header_that_cannot_be_sent_is_explained(text: str, said: str) -> None:
    headers, fault = read_headers(text)
    assert headers is None
    assert said in fault


def test_a_body_is_an_object() -> None:
    assert read_body('{"seed": 7, "provider": {"order": ["a"]}}') == ({"seed": 7, "provider": {"order": ["a"]}}, "")
    assert read_body("  ") == ({}, "")


@pytest.mark.parametrize("text", ["seed: 7", "[1]", '"x"', "{", '{"a": 1}\n}', "[" * 100_000, '{"messages": []}'])
def test_a_body_that_is_none_is_explained(text: str) -> None:
    body, fault = read_body(text)
    assert body is None
    assert fault
