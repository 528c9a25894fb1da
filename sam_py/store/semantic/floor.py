"""Floor: how near something has to be to what is asked before it means the same. Pure.  # D-046

Each model finds a nearest passage for anything. How near that is for words without a meaning, among what this person
said and for this model, is what a question has to beat.
"""

from __future__ import annotations

from collections.abc import Sequence

_GROWN = 1.25
"""So many times more passages, and it is measured anew."""
_A_HAIR = 1e-4


class Floor:
    """Begins unknown: `learn` it for `WORDS` whenever it `is_wanted`."""

    WORDS = ("qzxv", "wkjtr", "zzqqxx", "vbnxq plkzw", "hgfqx", "xkcdz wvqj", "jjqzt", "mrwqpz kxv")

    def __init__(self) -> None:
        self._count = -1
        self._low = self._high = -1.0

    def is_wanted(self, count: int) -> bool:
        """Whether it is to be measured, where there are `count` passages now."""
        return self._count < 0 or not self._count / _GROWN <= count <= self._count * _GROWN

    def learn(self, count: int, nearest: Sequence[float]) -> None:
        """`nearest`: for each of `WORDS` how near its nearest passage is (cosine), of `count` ones."""
        self._count, self._low, self._high = count, min(nearest), max(nearest)

    def is_below(self, nearest: float, *, is_unknown: bool) -> bool:
        """Whether what is nearest to a question is no nearer than to nonsense.

        Where none of its words was ever said (`is_unknown`) it has to be nearer than to all of the nonsense; else it
        counts for something that they were, and farther than from all of it is too far.

        >>> floor = Floor()
        >>> floor.learn(100, [0.4, 0.5])
        >>> [floor.is_below(0.45, is_unknown=each) for each in (True, False)], floor.is_below(0.3, is_unknown=False)
        ([True, False], True)
        """
        return nearest < (self._high if is_unknown else self._low) - _A_HAIR
