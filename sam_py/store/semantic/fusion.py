"""Two ranks made one: what has the words, and what means the same. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sam_py.store.search_index.results import Hit, Results

_SMOOTHING = 60
"""Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009. The higher, the less a first place counts."""


def mixed(words: Results, similar: Sequence[Hit], limit: int) -> Results:
    """The first page of `words` with `similar` among them, by how high each stands in either rank.

    All hits of the words' page stay, so that the next page goes on from there; of the others as many come as `limit`
    leaves room for, and a third of it at least. What both found shows the words.
    """
    scores: dict[tuple[str, str], float] = {}
    hits: dict[tuple[str, str], Hit] = {}
    by_words = {_place(hit) for hit in words.hits}
    most = max(limit - len(words.hits), limit // 3)
    only_similar = [hit for hit in similar if _place(hit) not in by_words][:most]
    kept = {_place(hit) for hit in only_similar}
    for rank_of in (words.hits, [hit for hit in similar if _place(hit) in by_words | kept]):
        for rank, hit in enumerate(rank_of):
            place = _place(hit)
            scores[place] = scores.get(place, 0.0) + 1 / (_SMOOTHING + 1 + rank)
            hits.setdefault(place, hit)
    order = sorted(scores, key=lambda place: -scores[place])
    found = tuple(replace(hits[place], score=scores[place]) for place in order)
    return replace(words, hits=found, total=words.total + len(only_similar))


def _place(hit: Hit) -> tuple[str, str]:
    """A message may be found twice by its words: in what it says, and in a file that hangs on it."""
    part = f" {hit.part_index} {hit.label}" if hit.kind == "document" else ""
    return hit.place.conversation_id, hit.place.message_id + part
