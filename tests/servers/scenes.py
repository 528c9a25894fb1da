"""What aimock says to what: each test says one of these sentences. Written by us; every wire answers the same."""

from __future__ import annotations

from typing import Any

HELLO = "Say hello."
HELLO_TEXT = "Hello there! Ünïcödé, 漢字 and a longer sentence that comes in many pieces."
EMOJI = "Show me emoji."
EMOJI_TEXT = "a🎉b🎉🎉 👩‍👩‍👧 done"
THINK = "Think first."
THINKING_TEXT = "First I weigh it, then I answer."
THOUGHT_TEXT = "Forty-two."
WEATHER = "How is the weather in Paris and Zürich?"
WEATHER_TEXT = "Let me look."
WEATHER_CALLS = (("weather", {"city": "Paris"}), ("weather", {"city": "Zürich"}))
WEATHER_END = "Sunny in Paris, foggy in Zürich."
LOOK = "What is on this picture?"
LOOK_TEXT = "A red square."
BUSY = "Are you busy?"
BUSY_TEXT = "Not any more."
NEVER_FREE = "Are you ever free?"
BROKE = "Have I credit?"
CUT = "Tell me a story that breaks off."
CUT_TEXT = "Once upon a time there was a connection that broke, and nobody ever heard how it went on. "
ENDLESS = "Tell me a story without an end."
ENDLESS_TEXT = "And then. " * 400
LENGTH = "Say more than you may."

PIECE = 7
"""Characters (UTF-16 units) in a piece, where a scene does not say."""


def _scene(said: str, response: dict[str, Any], *, match: dict[str, Any] | None = None, **how: Any) -> dict[str, Any]:
    return {"match": {"userMessage": said, **(match or {})}, "response": response, **how}


def _error(message: str, kind: str, status: int, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}, "status": status, **more}


SCENES: dict[str, Any] = {
    "fixtures": [
        _scene(HELLO, {"content": HELLO_TEXT}),
        _scene(EMOJI, {"content": EMOJI_TEXT}, chunkSize=1),
        _scene(THINK, {"content": THOUGHT_TEXT, "reasoning": THINKING_TEXT, "reasoningSignature": "c2lnbmVk"}),
        _scene(
            WEATHER,
            {
                "content": WEATHER_TEXT,
                "toolCalls": [{"name": name, "arguments": given} for name, given in WEATHER_CALLS],
            },
            match={"hasToolResult": False},
        ),
        _scene(WEATHER, {"content": WEATHER_END}, match={"hasToolResult": True}),
        _scene(LOOK, {"content": LOOK_TEXT}),
        _scene(BUSY, _error("slow down", "rate_limit_error", 429, retryAfter=3), match={"sequenceIndex": 0}),
        _scene(BUSY, {"content": BUSY_TEXT}, match={"sequenceIndex": 1}),
        _scene(NEVER_FREE, _error("still busy", "rate_limit_error", 429, retryAfter=1)),
        _scene(BROKE, _error("Incorrect API key provided", "authentication_error", 401)),
        _scene(CUT, {"content": CUT_TEXT}, truncateAfterChunks=8, latency=15),
        _scene(ENDLESS, {"content": ENDLESS_TEXT}, latency=40),
        _scene(LENGTH, {"content": "Half of", "finishReason": "length"}),
    ]
}
