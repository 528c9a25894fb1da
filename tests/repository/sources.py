"""Our own sources as the rules read them: files, syntax trees, and what is called where."""

from __future__ import annotations

import ast
import functools
import gc
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "sam_py"


def modules(folder: Path = PACKAGE) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@contextmanager
def read_once() -> Iterator[None]:
    """Keeps what is read until the end. All of our trees are a million objects, and no cycles to collect."""
    gc.disable()
    try:
        yield
    finally:
        for read in (tree, nodes, calls):
            read.cache_clear()
        gc.enable()


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


@functools.cache
def calls(path: Path) -> tuple[tuple[ast.Call, str], ...]:
    """Each call in a file with the dotted name that is called: ``box.setText`` for ``self.box.setText("…")`` too."""
    return tuple((node, dotted(node.func)) for node in nodes(path) if isinstance(node, ast.Call))


def dotted(node: ast.AST) -> str:
    """The last two names of what an expression refers to, for example ``QDesktopServices.openUrl``."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            owner = dotted(value).rpartition(".")[2]
            return f"{owner}.{name}" if owner else name
        case _:
            return ""


@functools.cache
def tracked() -> tuple[Path, ...]:
    """What the repository holds; every file below the root where there is no git, as in an unpacked sdist."""
    if (ROOT / ".git").exists():
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        names = [name for name in done.stdout.decode().split("\0") if name]
        return tuple(path for name in names if (path := ROOT / name).is_file())
    return tuple(path for path in ROOT.rglob("*") if path.is_file() and ".venv" not in path.parts)
