"""ReplayedHttp: an `Http` that sends nothing, notes what was asked and answers with bytes that a test wrote."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

from sam_py.providers.base import Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import not_the_protocol
from sam_py.providers.http import Call, Http


class ReplayedHttp(Http):
    """Answers each call with the next of `answers`, cut into pieces of `piece` bytes."""

    def __init__(self, answers: list[bytes], *, piece: int = 37) -> None:
        super().__init__()
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self._piece = piece

    async def stream(self, call: Call) -> AsyncGenerator[bytes | Waiting, None]:
        if not self.answers:
            raise ProviderError("There is no answer left.", code="unreachable", retryable=False)
        sent = json.dumps(call.body, allow_nan=False)  # as the wire would carry it
        self.bodies.append(json.loads(sent))
        answer = self.answers.pop(0)
        for start in range(0, len(answer), self._piece):
            yield answer[start : start + self._piece]

    async def get_json(self, call: Call) -> Any:
        """What is asked beside a conversation (lists, what a model can do) finds nothing here."""
        raise not_the_protocol(b"", call.asked)
