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
from sam_py.transcript.build import build
from sam_py.transcript.calibration import Calibrations, Measure
from sam_py.transcript.tokens import request_tokens, text_tokens
from tests.providers import gemini_bodies, ollama_bodies
from tests.transcript.said import ALL
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


def recorded(recordings: Path) -> Iterator[tuple[str, str, bool, float, int]]:
    """Model, name, our raw estimate and the reported prompt tokens of each recorded request that we could make.

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
        turns = build(messages, limits=ALL).turns
        raw = request_tokens(turns, system=found.system, tools=found.tools)
        yield f"{path.parent.name} {model}", path.name, bool(found.tools), raw, reported


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
    """Each model learns from its own recorded requests. They are short: a few tokens are allowed beside the tenth."""
    requests = list(recorded(recordings))
    known = Calibrations()
    for model, _name, tools, raw, reported in requests:
        known.learn("p", model, raw, reported, with_tools=tools)
    missed = defaultdict(list)
    for model, name, tools, raw, reported in requests:
        estimated = known.measure_of("p", model, with_tools=tools).tokens(raw)
        if abs(estimated - reported) > max(0.1 * reported, 8):
            missed[model].append((name, round(raw), estimated, reported))
    assert sum(map(len, missed.values())) <= 0.1 * len(requests), dict(missed)
