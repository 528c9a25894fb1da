"""Usage and metrics of one reply, as the provider reported or the clock measured them."""

from __future__ import annotations

from sam_py.messages.parts import Frozen

CHARACTERS_PER_TOKEN = 4
"""What estimates go by: near enough for Latin scripts, too few tokens for others."""


class Usage(Frozen):
    """Tokens as the provider reported them; None where it said nothing.

    `input_tokens` counts all of the prompt, cached part included; `output_tokens` all that was
    generated, reasoning included. `cost_usd` is the provider's own figure where it gives one.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    estimated: bool = False
    """True where nobody counted: the tokens are our estimate from the characters."""

    def and_then(self, later: Usage) -> Usage:
        """The usage of a reply that a second request went on with: its prompt is the later one, its output both.

        >>> Usage(input_tokens=10, output_tokens=5).and_then(Usage(input_tokens=16, output_tokens=7)).output_tokens
        12
        """
        both = self.cost_usd is not None and later.cost_usd is not None
        return later.model_copy(
            update={
                "output_tokens": _sum(self.output_tokens, later.output_tokens),
                "reasoning_tokens": _sum(self.reasoning_tokens, later.reasoning_tokens),
                "cost_usd": (self.cost_usd or 0.0) + (later.cost_usd or 0.0) if both else None,
                "estimated": self.estimated or later.estimated,
            }
        )


class Metrics(Frozen):
    """Measured by us, in seconds. Tokens per second leave out the wait for the first token."""

    first_token_s: float | None = None
    duration_s: float | None = None
    tokens_per_second: float | None = None
    estimated: bool = False
    """True where the token count behind `tokens_per_second` is our estimate, not the provider's figure."""


class ReminderReceipt(Frozen):
    """That a reminder was part of a request: which, a hash of its text, and about how many tokens it was."""

    kind: str
    hash: str
    tokens: int


def estimated_usage(asked_characters: int, came_characters: int) -> Usage:
    """The usage of a request and a reply of so many characters, where no provider counted.

    >>> estimated_usage(400, 90).output_tokens
    23
    """
    return Usage(
        input_tokens=-(-asked_characters // CHARACTERS_PER_TOKEN),
        output_tokens=-(-came_characters // CHARACTERS_PER_TOKEN),
        estimated=True,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)
