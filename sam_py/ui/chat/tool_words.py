"""The words of tool cards: what a call touches, how long it took, and text of others with nothing hidden in it."""

from __future__ import annotations

import contextlib
import json
import unicodedata

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.bus.tool_ledger import ENDED_WITH_THE_PROGRAM
from sam_py.tools.base import Effect, Touch
from sam_py.tools.runner import DENIED
from sam_py.ui.chat.tool_calls import ShownCall, Stage

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_KEPT = frozenset("\n\t")
_EMOJI_JOINERS = frozenset("\u200d\ufe0f")


class _Seen(dict[int, str]):
    """Each character as it is shown; worked out once."""

    def __missing__(self, code: int) -> str:
        seen = self[code] = _visible(chr(code))
        return seen


_SEEN = _Seen()


def made_visible(text: str) -> str:
    """`text` with each character that hides, or turns the direction of what follows, written out.

    >>> made_visible("rm a\\u202etxt\\x1b[0m")
    'rm a⟨U+202E⟩txt⟨U+001B⟩[0m'
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_SEEN)


def visible_line(text: str) -> str:
    """The same in one line: a line break in it cannot pass for another line of a list.

    >>> visible_line("a\\nb")
    'a⟨U+000A⟩b'
    """
    return made_visible(text).replace("\n", "⟨U+000A⟩").replace("\t", "⟨U+0009⟩")


def pretty_arguments(arguments_json: str) -> str:
    """The arguments in lines, nothing left out; as they were written where they are not JSON.

    A text of several lines is shown as such, a bar before each line: none of them can pass for another argument.

    >>> pretty_arguments('{"city": "Oslo"}')
    '{\\n  "city": "Oslo"\\n}'
    >>> print(pretty_arguments('{"path": "a.txt", "text": "one\\\\ntwo"}'))
    {
      "path": "a.txt",
      "text":
        │ one
        │ two
    }
    """
    text = arguments_json.strip()
    if not text:
        return "{}"
    with contextlib.suppress(ValueError, RecursionError):  # else it is shown as it came
        given = json.loads(text, object_pairs_hook=_once)
        is_plain = not isinstance(given, dict) or not any(_has_lines(each) for each in given.values())
        text = json.dumps(given, ensure_ascii=False, indent=2) if is_plain else _in_lines(given)
    return made_visible(text)


def touch_words(touch: Touch) -> tuple[str, str]:
    """What kind of touch it is, and what is touched."""
    return effect_words(touch.effect), visible_line(touch.target)


def effect_words(effect: Effect | str) -> str:
    match effect:
        case "read":
            return _tr("Reads")
        case "write":
            return _tr("Changes")
        case "network":
            return _tr("Sends to")
        case "own network":
            return _tr("Reaches into your own network")
        case "run":
            return _tr("Runs")
        case "spend":
            return _tr("Costs money")
        case _:
            return effect


def granted_words(effect: str) -> str:
    """What a tool that was allowed may do, as `Touch.granted` names it."""
    kind, _, within = effect.partition(":")
    if kind == "write" and within:
        return _tr("changes files in %1").replace("%1", visible_line(within))
    match effect:
        case "read":
            return _tr("reads")
        case "write":
            return _tr("changes things")
        case "network":
            return _tr("sends something out")
        case "run":
            return _tr("drives another program")
        case "spend":
            return _tr("spends money")
        case _:
            return effect


def stage_words(stage: Stage) -> str:
    match stage:
        case "writing":
            return _tr("being prepared")
        case "scheduled":
            return _tr("waiting")
        case "awaiting_approval":
            return _tr("asks you")
        case "running":
            return _tr("running")
        case "success":
            return _tr("done")
        case "error":
            return _tr("failed")
        case "aborted":
            return _tr("stopped")


def duration_words(seconds: float) -> str:
    """How long it took, as short as it can be told.

    >>> duration_words(0.0421), duration_words(3.14159), duration_words(75)
    ('42 ms', '3.1 s', '1 min 15 s')
    """
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{QLocale().toString(seconds, 'f', 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def ticking_words(seconds: float) -> str:
    """How long it runs by now, in whole seconds."""
    return duration_words(int(seconds)) if seconds >= 60 else f"{int(seconds)} s"


def ended_words(call: ShownCall) -> str:
    """Why a call that is ``aborted`` did not come to its end, in a word or two."""
    if call.reason == DENIED[:200]:
        return _tr("not allowed")
    if call.reason == ENDED_WITH_THE_PROGRAM:
        return _tr("interrupted")
    if call.result is None and not call.reason:
        return _tr("not run")
    return _tr("stopped")


def spoken_call(call: ShownCall) -> str:
    """The card for a screen reader."""
    stage = ended_words(call) if call.stage == "aborted" else stage_words(call.stage)
    words = [call.label, call.doing, stage]
    if call.duration_s is not None:
        words.append(duration_words(call.duration_s))
    if call.stage == "error" and call.reason:
        words.append(made_visible(call.reason))
    return ", ".join(word for word in words if word)


def _visible(character: str) -> str:
    if character in _KEPT or character in _EMOJI_JOINERS:
        return character
    if unicodedata.category(character) in _INVISIBLE or 0xE0000 <= ord(character) <= 0xE0FFF:
        return f"⟨U+{ord(character):04X}⟩"
    return character


def _has_lines(value: object) -> bool:
    return isinstance(value, str) and "\n" in value


def _in_lines(given: dict[str, object]) -> str:
    pieces = []
    for name, value in given.items():
        key = json.dumps(name, ensure_ascii=False)
        if isinstance(value, str) and "\n" in value:
            # Quotes stay escaped: a long line is wrapped, and what comes to stand at the left is no argument either.
            lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in value.split("\n")]
            pieces.append("\n    │ ".join((f"  {key}:", *lines)))
        else:
            shown = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
            pieces.append(f"  {key}: {shown},")
    pieces[-1] = pieces[-1] if _has_lines(list(given.values())[-1]) else pieces[-1][:-1]
    return "\n".join(("{", *pieces, "}"))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, if no name comes twice: which of the two holds is not ours to show."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _tr(text: str) -> str:
    return QCoreApplication.translate("ToolWords", text)
