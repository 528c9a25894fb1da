"""Glob patterns over relative paths: ``*`` and ``?`` within a name, ``**`` for any number of folders."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence


def matcher_of(pattern: str) -> Callable[[Sequence[str]], bool]:
    """Tells whether the steps of a relative path fit. A pattern without ``/`` is that of a name in any folder.

    >>> fits = matcher_of("src/**/*.py")
    >>> fits(("src", "a.py")), fits(("src", "x", "y", "b.py")), fits(("a.py",))
    (True, True, False)
    >>> matcher_of("*.md")(("docs", "Plan.MD"))
    True
    """
    steps = [step for step in pattern.replace("\\", "/").split("/") if step not in ("", ".")]
    if "/" not in pattern.strip("/"):
        steps = ["**", *steps]
    expected = [None if step == "**" else re.compile(fnmatch.translate(step), re.IGNORECASE) for step in steps]

    def fits(path: Sequence[str]) -> bool:
        # reached[n]: the first n steps of the path fit the steps of the pattern so far.
        reached = [True] + [False] * len(path)
        for step in expected:
            if step is None:
                first = reached.index(True) if True in reached else len(reached)
                reached = [place >= first for place in range(len(path) + 1)]
                continue
            found = [before and step.match(name) is not None for before, name in zip(reached, path, strict=False)]
            reached = [False, *found]
        return reached[-1]

    return fits
