"""How hard to think, in the words that a service has: the nearest one is taken."""

from __future__ import annotations

from collections.abc import Mapping

from sam_py.providers.base import Effort

_LADDER: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def nearest_word(effort: Effort, words: Mapping[Effort, str]) -> str | None:
    """The word of `words` that comes nearest to `effort`, the lower one between two; None where there is none.

    Not to think at all is never meant by another effort: where a service has only that word, nothing is said.

    >>> words = {"none": "none", "low": "low", "high": "high"}
    >>> nearest_word("minimal", words), nearest_word("medium", words), nearest_word("max", words)
    ('low', 'low', 'high')
    >>> nearest_word("low", {"none": "off"}), nearest_word("none", {"low": "low", "high": "high"})
    (None, 'low')
    """
    if effort in words:
        return words[effort]
    place = _LADDER.index(effort)
    near = [each for each in _LADDER if each in words and each != "none"]
    if not near:
        return None
    return words[min(near, key=lambda each: abs(_LADDER.index(each) - place))]


def words_of(*efforts: Effort) -> dict[Effort, str]:
    """The efforts as a service names them that names them as we do."""
    return {effort: effort for effort in efforts}
