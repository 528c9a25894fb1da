"""Rules for `sam_py` that no linter knows, read from the syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from sources import PACKAGE, ROOT, calls, dotted, modules, nodes, place, read_once, tree

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


@pytest.fixture(scope="module", autouse=True)
def sources_that_are_read_once() -> Iterator[None]:
    with read_once():
        yield


def test_nothing_runs_an_event_loop_inside_the_running_one() -> None:
    found = [where.partition(":")[0] for where in _places(NESTED_LOOPS.search)]
    assert found == ["sam_py/ui/audio/aloud_worker.py"]  # the first loop of a process of its own


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
    assert [place(path, call) for path in modules() for call in _guessing_labels(nodes(path))] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("title = QLabel(text)", 1),
        ("title = QLabel(text)\ntitle.setTextFormat(PLAIN)", 0),
        ("self.title = QtWidgets.QLabel(text)\nself.note = QLabel()\nself.title.setTextFormat(PLAIN)", 1),
        ("layout.addWidget(QLabel(text))", 1),
        ("a = QLabel()\nb = QLabel()\nfor label in (a, b):\n    label.setTextFormat(PLAIN)", 0),
        ("class Hint(QLabel):\n    pass\nhint = Hint(text)", 1),
        ("class Hint(QLabel):\n    def __init__(self):\n        self.setTextFormat(PLAIN)\nHint(text)", 0),
    ],
)
def test_the_rule_about_labels_finds_what_it_should(source: str, found: int) -> None:
    assert len(_guessing_labels(tuple(ast.walk(ast.parse(source))))) == found


@pytest.mark.parametrize(
    ("name", "is_nested"),
    [
        ("dialog.exec", True),
        ("app.processEvents", True),
        ("QMessageBox.question", True),
        ("QFileDialog.getOpenFileNames", True),
        ("cursor.execute", False),
        ("dialog.open", False),
        ("QFileDialog.selectFile", False),
    ],
)
def test_the_rule_about_nested_loops_finds_what_it_should(name: str, is_nested: bool) -> None:
    assert bool(NESTED_LOOPS.search(name)) == is_nested


def test_whoever_catches_everything_says_so_in_the_log() -> None:
    found = []
    for path in modules():
        for node in nodes(path):
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


def test_an_error_does_not_offer_to_continue_what_may_not_have_begun() -> None:
    """Whether a reply began is not known where the error is made; the window shows *Continue* where it did."""
    found = [
        place(path, node)
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] in ("providers", "agent")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "ontinue the reply" in node.value
    ]
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


def _guessing_labels(module: tuple[ast.AST, ...]) -> list[ast.Call]:
    """The labels that are made in a file and are nowhere in it told the format of their text."""
    told = {
        _name(call.func.value) for call in _calls_of(module, "setTextFormat") if isinstance(call.func, ast.Attribute)
    }
    for loop in module:  # for label in (self.title, self.note): label.setTextFormat(…)
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Tuple | ast.List) and _name(loop.target) in told:
            told |= {_name(one) for one in loop.iter.elts}
    kinds = {"QLabel"}
    for kind in module:
        if isinstance(kind, ast.ClassDef) and any(_name(base) == "QLabel" for base in kind.bases):
            says_so = any(
                dotted(call.func) == "self.setTextFormat" for call in _calls_of(ast.walk(kind), "setTextFormat")
            )
            kinds |= set() if says_so else {kind.name}
    names: dict[int, set[str]] = {}
    for node in module:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names[id(node.value)] = {_name(target) for target in targets}
    made = [call for kind in kinds for call in _calls_of(module, kind)]
    return [call for call in made if not names.get(id(call), set()) & told]


def _calls_of(nodes: Iterable[ast.AST], name: str) -> list[ast.Call]:
    return [node for node in nodes if isinstance(node, ast.Call) and _name(node.func) == name]


def _name(node: ast.AST) -> str:
    return dotted(node).rpartition(".")[2]


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
