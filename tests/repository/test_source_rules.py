"""Rules for `sam_py` that no linter knows, read from the syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest
from sources import PACKAGE, ROOT, calls, dotted, modules, place, tree

# Each runs an event loop inside the running one, which stops the other tasks for good.
NESTED_LOOPS = re.compile(
    r"""(^|\.)(exec|exec_|processEvents)$
    | ^QMessageBox\.(question|information|warning|critical|about|aboutQt)$
    | ^QFileDialog\.(getOpenFile\w+|getSaveFile\w+|getExistingDirectory\w*)$
    | ^QInputDialog\.get\w+$ | ^QColorDialog\.getColor$ | ^QFontDialog\.getFont$
    """,
    re.VERBOSE,
)
OPENERS = {"QDesktopServices.openUrl", "webbrowser.open", "os.startfile"}
LINKS = PACKAGE / "ui" / "links.py"
CONTRACT = ("Must always be true", "May import")
MAX_LINES = 500


def test_nothing_runs_an_event_loop_inside_the_running_one() -> None:
    assert _places(NESTED_LOOPS.search) == []


def test_an_address_is_opened_in_one_file_alone() -> None:
    found = _places(lambda name: name in OPENERS)
    assert [where for where in found if not where.startswith(str(LINKS.relative_to(ROOT)))] == []


def test_no_widget_opens_links_by_itself() -> None:
    by_itself = {"setOpenExternalLinks", "setOpenLinks"}
    found = []
    for path in modules():
        for call, name in calls(path):
            allowed = any(isinstance(value, ast.Constant) and value.value is True for value in call.args)
            if name.rpartition(".")[2] in by_itself and allowed:
                found.append(place(path, call))
    assert found == []


def test_a_label_is_told_that_its_text_is_plain() -> None:
    """Titles, names and errors come from models and servers; a label that guesses would render their markup."""
    found = []
    for path in modules():
        for scope in ast.walk(tree(path)):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [place(path, call) for call in _guessing_labels(scope)]
            elif isinstance(scope, ast.ClassDef) and any(dotted(base).endswith("QLabel") for base in scope.bases):
                says = {dotted(node.func) for node in ast.walk(scope) if isinstance(node, ast.Call)}
                if "self.setTextFormat" not in says:
                    found.append(place(path, scope))
    assert found == []


def test_whoever_catches_everything_says_so_in_the_log() -> None:
    found = []
    for path in modules():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node) and not _speaks(node):
                found.append(place(path, node))
            elif isinstance(node, ast.Call) and dotted(node.func) in {"suppress", "contextlib.suppress"}:
                found += [place(path, node) for what in node.args if dotted(what) in {"Exception", "BaseException"}]
    assert found == []


@pytest.mark.parametrize("folder", ["sam_py", "tests", "packaging"])
def test_a_file_has_one_subject(folder: str) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules(ROOT / folder)}
    assert {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > MAX_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [path for path in modules() if not (ast.get_docstring(tree(path)) or "").strip(" .")]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_every_package_opens_with_its_contract() -> None:
    lacking = []
    for package in sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()):
        contract = ast.get_docstring(tree(package / "__init__.py")) or ""
        lacking += [
            f"{package.name}: {words}" for words in ("Must always be true", "May import") if words not in contract
        ]
    assert lacking == []


def test_a_package_exports_nothing_but_its_contract() -> None:
    """But `sam_py` has its version, and `cli` is a program: nobody imports from it."""
    found = []
    for path in modules():
        if path.name == "__init__.py" and path.parent not in (PACKAGE, PACKAGE / "cli"):
            found += [place(path, node) for node in tree(path).body[1:]]
    assert found == []


def test_the_core_does_not_print() -> None:
    """What a person should know goes to the log, to the window or through the command line."""
    speakers = ("app.py", "__main__.py", "cli")
    found = [
        place(path, call)
        for path in modules()
        for call, name in calls(path)
        if name == "print" and path.relative_to(PACKAGE).parts[0] not in speakers
    ]
    assert found == []


def _places(is_wrong: Callable[[str], object]) -> list[str]:
    return [place(path, call) for path in modules() for call, name in calls(path) if is_wrong(name)]


def _guessing_labels(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
    """The calls of QLabel in a function that does not set the format of what they return."""
    told = {
        dotted(node.func).rpartition(".")[0]
        for node in ast.walk(scope)
        if isinstance(node, ast.Call) and dotted(node.func).endswith(".setTextFormat")
    }
    guessing = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {dotted(target).rpartition(".")[2] for target in targets}
            if dotted(node.value.func).endswith("QLabel") and not names & told:
                guessing.append(node.value)
    assigned = {id(node.value) for node in ast.walk(scope) if isinstance(node, ast.Assign | ast.AnnAssign)}
    guessing += [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Call) and dotted(node.func).endswith("QLabel") and id(node) not in assigned
    ]
    return guessing


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(dotted(one) in {"Exception", "BaseException"} for one in caught)


def _speaks(handler: ast.ExceptHandler) -> bool:
    """Whether a handler logs, lets the exception go on, or hands it to somebody by its name."""
    for node in ast.walk(handler):
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Call) and dotted(node.func).startswith("log."):
            return True
        if isinstance(node, ast.Name) and node.id == handler.name:
            return True
    return False
