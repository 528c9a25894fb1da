"""TopicEmbedder: an embedding model that a test can foresee: a vector says which words of few topics a text has."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sam_py.errors import SamError

TOPICS = (
    ("dog", "puppy", "hound", "terrier"),
    ("car", "automobile", "vehicle", "lorry"),
    ("money", "price", "salary", "cost"),
    ("rain", "storm", "weather", "snow"),
)


class TopicEmbedder:
    """`asked` are the texts that it was sent, in order. While `trouble` is set, it raises that."""

    def __init__(self, identity: str = "topics", length: int = 8) -> None:
        self.identity = identity
        self.length = length
        self.asked: list[str] = []
        self.questions: list[str] = []
        self.trouble: SamError | None = None
        self.refused: set[str] = set()

    async def texts(self, texts: Sequence[str]) -> list[list[float] | None]:
        if self.trouble is not None:
            raise self.trouble
        self.asked += texts
        return [None if text in self.refused else self.vector(text) for text in texts]

    async def question(self, text: str) -> list[float]:
        if self.trouble is not None:
            raise self.trouble
        self.questions.append(text)
        return self.vector(text)

    def vector(self, text: str) -> list[float]:
        words = text.lower().replace(".", " ").split()
        found = [float(sum(word in topic for word in words)) for topic in TOPICS]
        vector = [*found, 0.1, *([0.0] * (self.length - len(found) - 1))]
        size = math.hypot(*vector)
        return [each / size for each in vector]
