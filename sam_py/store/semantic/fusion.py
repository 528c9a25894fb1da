"""Two ranks made one: what has the words, and what means the same. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sam_py.store.search_index.results import Hit, Results

_Place = tuple[str, str]


def mixed(words: Results, similar: Sequence[Hit], limit: int) -> Results:
    """The first page of `words` with `similar` among them: each stands by the better of its two places.

    So what stands n-th in either rank is among the first 2n here, however bad the other rank is. Adding up both places
    (reciprocal rank fusion) does not promise that: what both found far below would stand above what one found first.
    What has the same better place goes by its other one, then the words come first.

    All hits of the words' page stay, so that the next page goes on from there; of the others as many come as `limit`
    leaves room for, and half of it at least. What both found shows the words. What has the words and stands on a later
    page of them (`search.with_words` says so by not being `is_similar`) comes sooner, and is counted already.
    """
    by_words = {_place(hit): rank for rank, hit in enumerate(words.hits)}
    most = max(limit - len(words.hits), (limit + 1) // 2)
    only_similar = [hit for hit in similar if _place(hit) not in by_words][:most]
    kept = {_place(hit) for hit in only_similar} | by_words.keys()
    by_meaning = {_place(hit): rank for rank, hit in enumerate(hit for hit in similar if _place(hit) in kept)}
    far = len(by_words) + len(by_meaning)

    def standing(hit: Hit) -> tuple[int, int, bool]:
        ranks = (by_words.get(_place(hit), far), by_meaning.get(_place(hit), far))
        return min(ranks), max(ranks), hit.is_similar

    found = sorted((*words.hits, *only_similar), key=standing)
    scored = tuple(replace(hit, score=1 / (1 + standing(hit)[0])) for hit in found)
    return replace(words, hits=scored, total=words.total + sum(hit.is_similar for hit in only_similar))


def _place(hit: Hit) -> _Place:
    """A message may be found twice by its words: in what it says, and in a file that hangs on it."""
    part = f" {hit.part_index} {hit.label}" if hit.kind == "document" else ""
    return hit.place.conversation_id, hit.place.message_id + part
