"""Makes ``sources`` and the bootstrap's modules importable: both are scripts beside each other, not packages."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE, _HERE.parent.parent / "packaging"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))
