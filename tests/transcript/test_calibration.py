"""Estimates against what providers counted: the running line, and recorded requests."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from sam_py.messages.message import Message
from sam_py.messages.parts import ImagePart
from sam_py.transcript.budget import plan
from sam_py.transcript.calibration import Calibrations, Measure
from sam_py.transcript.plan import Room
from sam_py.transcript.tokens import text_tokens, tools_tokens
from tests.providers import gemini_bodies, ollama_bodies
from tests.wire import anthropic_reader, chat_reader, responses_reader

READERS: dict[str, Any] = {
    "openai_chat": chat_reader.read_body,
    "openai_responses": responses_reader.read_body,
    "anthropic": anthropic_reader.read_body,
    "ollama": ollama_bodies.read_body,
}


def test_a_model_that_never_answered_is_estimated_as_we_count() -> None:
    assert Calibrations().measure_of("p", "m") == Measure(1.0, 0.0)


def test_what_a_model_counts_is_learned_of_it_alone() -> None:
    known = Calibrations()
    for raw in (1000, 2000, 4000, 8000):
        known.learn("p", "m", raw, round(raw * 1.3 + 350))
    assert known.measure_of("p", "m").tokens(16_000) == pytest.approx(16_000 * 1.3 + 350, rel=0.01)
    assert known.measure_of("p", "n") == Measure()


def test_one_strange_count_moves_nothing() -> None:
    known = Calibrations()
    for raw in (1000, 2000, 3000, 4000, 5000):
        known.learn("p", "m", raw, raw * 2 if raw != 3000 else 90_000)
    assert known.measure_of("p", "m").tokens(10_000) == pytest.approx(20_000, rel=0.05)


@given(st.lists(st.tuples(st.floats(1, 1e6), st.integers(1, 1_000_000)), max_size=20))
def test_whatever_was_reported_estimates_grow_with_the_request(pairs: list[tuple[float, int]]) -> None:
    known = Calibrations()
    for raw, reported in pairs:
        known.learn("p", "m", raw, reported)
    measure = known.measure_of("p", "m")
    assert 0.4 <= measure.factor <= 2.5
    assert 0 <= measure.tokens(10) <= measure.tokens(1000)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 170, 230),
        ("Der schnelle braune Fuchs springt über den faulen Hund. Schöne Grüße! " * 20, 300, 440),
        ("Быстрая коричневая лиса прыгает через ленивую собаку. " * 20, 300, 560),
        ("敏捷的棕色狐狸跳过了懒狗。" * 20, 180, 320),
        ('{"type":"object","properties":{"city":{"type":"string"}}}' * 20, 280, 420),
        ("def take(text: str) -> int:\n    return len(text.split())\n" * 20, 260, 420),
    ],
)
def test_text_is_counted_by_its_script(text: str, least: int, most: int) -> None:
    assert least <= text_tokens(text) <= most


def recorded(recordings: Path) -> Iterator[tuple[str, str, float, float, int]]:
    """Of each recorded request that we can make: model, name, our raw estimates of tools and of all, what was counted.

    Left out: what our readers do not take, and requests whose prompt is not what was sent (searches that the
    provider ran and put into it).
    """
    for path in sorted(recordings.glob("*/*.expected.json")):
        expected = json.loads(path.read_bytes())
        asked = path.with_name(path.name.replace(".expected.json", ".request.json"))
        reported = (expected.get("usage") or {}).get("input")
        if not reported or not asked.exists() or "server-tools" in path.name or "cites" in path.name:
            continue
        body = json.loads(asked.read_bytes())
        model = body.get("model") or path.name.partition("_after")[0].partition("_t")[0]
        try:
            if expected["wire"] == "gemini":
                found: Any = gemini_bodies.read_body(body, "m")
            else:
                found = READERS[expected["wire"]](body)
        except (ValueError, KeyError):
            continue
        messages = [_measured(message, found.attachments) for message in found.messages]
        fixed = text_tokens(found.system) + tools_tokens(found.tools)
        raw = plan(messages, Room(fixed=fixed)).raw
        yield f"{path.parent.name} {model}", path.name, tools_tokens(found.tools), raw, reported


def _measured(message: Message, attachments: dict[str, bytes]) -> Message:
    """`message` with the size of its pictures, as the program notes it when one is attached."""
    parts = []
    for part in message.parts:
        if isinstance(part, ImagePart) and (data := attachments.get(part.attachment or "")) is not None:
            image = QImage.fromData(data)
            part = part.model_copy(update={"width": image.width() or None, "height": image.height() or None})
        parts.append(part)
    return message.model_copy(update={"parts": tuple(parts)})


def test_after_calibration_nine_of_ten_recorded_requests_are_within_a_tenth(recordings: Path) -> None:
    """Each model learns from its own recorded requests, as the program does while a conversation goes on."""
    requests = list(recorded(recordings))
    known = Calibrations()
    for model, _name, tools, raw, reported in requests:
        known.learn("p", model, raw, reported, tools=tools)
    missed = defaultdict(list)
    for model, name, tools, raw, reported in requests:
        estimated = known.measure_of("p", model, tools=tools).tokens(raw)
        if abs(estimated - reported) > 0.1 * reported:
            missed[model].append((name, round(raw), estimated, reported))
    assert sum(map(len, missed.values())) <= 0.1 * len(requests), dict(missed)


def test_a_request_like_no_other_before_it_is_estimated_all_the_better_for_them(recordings: Path) -> None:
    """Each recorded request as its model's others say. They are short, and most have tools of their own: no figure of
    the program, where the tools stay and the conversation grows, but none that learned from its own answer."""
    requests = list(recorded(recordings))
    nearer = others = 0
    for place, (model, _name, tools, raw, reported) in enumerate(requests):
        known = Calibrations()
        for each in (*requests[:place], *requests[place + 1 :]):
            if each[0] == model and bool(each[2]) == bool(tools):
                known.learn("p", model, each[3], each[4], tools=each[2])
        measure = known.measure_of("p", model, tools=tools)
        if measure != Measure():
            others += 1
            nearer += abs(measure.tokens(raw) - reported) < abs(raw - reported)
    assert others >= 50
    assert nearer >= 0.75 * others


def test_what_tools_cost_is_known_for_as_long_as_they_stay() -> None:
    known = Calibrations()
    for raw in (400, 900, 2600):
        known.learn("p", "m", raw, round(1.2 * raw + 600), tools=300)
    for raw in (100, 700, 3000):
        known.learn("p", "m", raw, round(1.2 * raw + 20))
    assert known.measure_of("p", "m", tools=300).tokens(10_000) == pytest.approx(12_600, rel=0.01)
    assert known.measure_of("p", "m").tokens(10_000) == pytest.approx(12_020, rel=0.01)


def test_what_was_learned_is_the_same_after_it_was_written_and_read() -> None:
    known = Calibrations()
    for raw in (400, 900, 2600):
        known.learn("p", "m", raw, 2 * raw, tools=300.4)
    known.learn_window("p", "n", 8_192)
    again = Calibrations()
    again.learn("p", "m", 5_000, 10_000, tools=300.4)  # before the file was read
    again.read(json.loads(json.dumps(known.written())))
    assert again.window_of("p", "n") == 8_192
    assert again.measure_of("p", "m", tools=300).tokens(1_000) == 2_000
    known.learn("p", "m", 5_000, 10_000, tools=300.4)
    assert again.written() == known.written()


def test_no_more_is_remembered_than_of_the_last_models() -> None:
    known = Calibrations()
    for number in range(500):
        known.learn("p", f"m{number}", 100, 120)
        known.learn_window("p", f"m{number}", 4_096)
        known.learn("p", "m0", 100, 120)
    assert known.measure_of("p", "m0") != Measure()
    assert known.measure_of("p", "m100") == Measure()
    assert len(json.dumps(known.written())) < 30_000
