from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sam_py.providers.sse import ServerEvent, SseParser
from tests.fakes.fault_server import split_bytes

ENDS = (b"\n", b"\r\n", b"\r")


def parse(*chunks: bytes, limit: int = 1 << 20) -> list[ServerEvent]:
    parser = SseParser(limit)
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.close()


@given(
    texts=st.lists(
        st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1), max_size=6
    ),
    ends=st.lists(st.sampled_from(ENDS), min_size=12, max_size=12),
    cuts=st.lists(st.integers(0, 400), max_size=20),
    bom=st.booleans(),
)
def test_events_come_whole_whatever_ends_their_lines(
    texts: list[str], ends: list[bytes], cuts: list[int], bom: bool
) -> None:
    body = b"\xef\xbb\xbf" if bom else b""
    for number, text in enumerate(texts):
        body += b"data: " + text.encode() + ends[2 * number] + ends[2 * number + 1]
    # A CR and an LF that meet are one line end; the event then ends with the next blank line or the stream.
    events = parse(*split_bytes(body, [cut for cut in cuts if cut <= len(body)]))
    assert "\n".join(event.data for event in events) == "\n".join(texts)


@given(body=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=20))
def test_rubbish_never_raises_and_cuts_never_matter(body: bytes, cuts: list[int]) -> None:
    assert parse(*split_bytes(body, [cut for cut in cuts if cut <= len(body)]), limit=64) == parse(body, limit=64)


@given(pieces=st.lists(st.sampled_from([b"data: a", b"data:", b"event: e", b": c", b"x", b"", b"\xff"]), max_size=20))
def test_every_byte_alone_gives_the_same_events(pieces: list[bytes]) -> None:
    for end in ENDS:
        body = end.join(pieces)
        assert parse(*(bytes([byte]) for byte in body)) == parse(body)


def test_only_cr_and_lf_end_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
    assert parse(f"data: {text}\n\n".encode()) == [ServerEvent("message", text)]


def test_names_lines_and_spaces_follow_the_standard() -> None:
    body = b"event: add\ndata: one\ndata:two\ndata:  three\nid: 1\nretry: 5\n\ndata\n\nevent: empty\n\n"
    assert parse(body) == [ServerEvent("add", "one\ntwo\n three"), ServerEvent("message", "")]


def test_a_crlf_is_one_line_end_even_where_it_is_cut() -> None:
    body = b"data: one\r\ndata: two\r\n\r\ndata: three\r\n\r\n"
    events = [ServerEvent("message", "one\ntwo"), ServerEvent("message", "three")]
    assert parse(body) == events
    assert parse(*(bytes([byte]) for byte in body)) == events


def test_comments_count_as_life() -> None:
    parser = SseParser()
    assert parser.feed(b": ping\n\n: OPENROUTER PROCESSING\n\n") == []
    assert parser.comments == 2


def test_the_last_event_needs_no_blank_line() -> None:
    assert parse(b"data: last") == [ServerEvent("message", "last")]


def test_an_event_that_is_too_large_is_dropped_whole_and_the_next_is_read() -> None:
    parser = SseParser(max_event_bytes=100)
    body = b"data: " + b"x" * 500 + b"\ndata: tail\n\n" + b"data: y\n" * 60 + b"\n" + b"data: next\n\n"
    events = [event for start in range(0, len(body), 7) for event in parser.feed(body[start : start + 7])]
    assert events == [ServerEvent("message", "next")]
    assert parser.oversized == 2


def test_what_is_no_field_is_kept_for_the_error_s_detail() -> None:
    parser = SseParser()
    parser.feed(b"<html>\r\n<body>502\r\n")
    assert parser.stray == b"<html>\n<body>502\n"
