"""Links, pictures and addresses in running text: their labels, alternative texts and hosts remain."""

from __future__ import annotations

import re

from sam_py.speech.scanner import ENDS, PICTURE_ENDS, Held, Scanner, Sink

LABEL_CHARS = 400
TARGET_CHARS = 2_000
ADDRESS_CHARS = 300
"""So much of a bare address is kept: its host is in it."""
DEPTH = 4
"""Brackets within brackets, in labels and addresses."""

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@\s]*@)?(?:www\.)?([^/?#:\s]+)", re.IGNORECASE)
_SCHEMES = ("http://", "https://", "ftp://", "www.")
_ADDRESS_END = frozenset('<>"`|。，、；：！？）」』】》“”')
_TRAILING = frozenset(".,;:!?'*_~)]}…’")


class Links(Scanner):
    """What begins with ``[``, ``![``, ``http`` or ``www``."""

    def __init__(self, sink: Sink, *, emoji: bool = False) -> None:
        super().__init__(sink, emoji=emoji)
        self._open: list[int] = []  # where in `_held` the brackets of a label open
        self._label: Held = []
        self._escaped = False
        self._quote = ""
        self._nesting = 0
        self._tail: Held = []

    # Labels and their targets

    def _open_bang(self, char: str, at: int) -> None:
        self._hold(self._bang, char, at)

    def _bang(self, char: str, at: int) -> None:
        if char == "[" and at not in self._dead:
            self._held.append((char, at))
            self._begin_label()
        else:
            self._give_up(1, char, at)

    def _open_label(self, char: str, at: int) -> None:
        if at in self._dead:
            self._say(char, at, at + 1)
        else:
            self._hold(self._in_label, char, at)
            self._begin_label()

    def _begin_label(self) -> None:
        self._open = [len(self._held) - 1]
        self._escaped = False
        self._state = self._in_label

    def _in_label(self, char: str, at: int) -> None:
        if not char or len(self._held) >= LABEL_CHARS or len(self._open) > DEPTH:
            self._dead.update(self._held[place][1] for place in self._open)
            self._not_a_link(char, at)
            return
        self._held.append((char, at))
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == "[":
            self._open.append(len(self._held) - 1)
        elif char == "]":
            first = self._open.pop()
            if not self._open:
                self._label = self._held[first + 1 : -1]
                self._state = self._after_label
                if self._label and self._label[0][0] == "^" and not any(each.isspace() for each, _ in self._label):
                    self._held = []  # a footnote's mark
                    self._state = self._text_state

    def _after_label(self, char: str, at: int) -> None:
        if char == "(":
            self._held.append((char, at))
            self._nesting = 0
            self._quote = ""
            self._state = self._target_start
        elif char == "[" and not self._before.isalnum():
            self._held.append((char, at))
            self._state = self._reference
        elif self._held[0][0] == "[" and self._is_reference():
            self._say_label(char, at)
        else:
            self._not_a_link(char, at)

    def _is_reference(self) -> bool:
        """Whether a label that stands alone may be a link whose address comes later; its brackets say nothing."""
        text = "".join(each for each, _ in self._label)
        return not self._before.isalnum() and text[:1].isalpha() and not any(each in ".!?…" for each in text)

    def _not_a_link(self, char: str, at: int) -> None:
        spoken = 2 if self._held[0][0] == "!" else 1
        self._give_up(spoken, char, at)

    def _say_label(self, char: str, at: int) -> None:
        """Read the label's own text, and then `char`."""
        self._again.appendleft((char, at))
        self._read_label(at)

    def _read_label(self, at: int) -> None:
        if self._held[0][0] == "!" and self._label:
            self._again.appendleft((PICTURE_ENDS, self._label[0][1]))
        self._held = []
        self._state = self._text_state
        self._again.appendleft((ENDS, at))
        self._again.extendleft(reversed(self._label))

    def _end_picture(self, _char: str, at: int) -> None:
        self._sink.may_end(at)

    def _reference(self, char: str, at: int) -> None:
        if char == "]":
            self._read_label(at)
        elif not char or char == "[" or len(self._held) - len(self._label) > 100:
            self._not_a_link(char, at)
        else:
            self._held.append((char, at))

    def _target_start(self, char: str, at: int) -> None:
        if char.isspace():
            self._take_target(char, at)
        elif char == "<":
            self._state = self._angle_target
            self._take_target(char, at)
        else:
            self._state = self._bare_target
            self._bare_target(char, at)

    def _angle_target(self, char: str, at: int) -> None:
        if char == ">":
            self._state = self._after_target
        elif not char or char in "\n<":
            self._not_a_link(char, at)
            return
        self._take_target(char, at)

    def _bare_target(self, char: str, at: int) -> None:
        if char == ")" and not self._nesting:
            self._end_target(at)
            return
        if char.isspace():
            self._state = self._after_target
        elif char == "(":
            self._nesting += 1
        elif char == ")":
            self._nesting -= 1
        if not char or self._nesting > DEPTH:
            self._not_a_link(char, at)
            return
        self._take_target(char, at)

    def _after_target(self, char: str, at: int) -> None:
        if char == ")":
            self._end_target(at)
        elif char.isspace():
            self._take_target(char, at)
        elif char and char in "\"'(":
            self._quote = ")" if char == "(" else char
            self._state = self._title
            self._take_target(char, at)
        else:
            self._not_a_link(char, at)

    def _title(self, char: str, at: int) -> None:
        if char == self._quote:
            self._state = self._after_target
        if not char:
            self._not_a_link(char, at)
            return
        self._take_target(char, at)

    def _take_target(self, char: str, at: int) -> None:
        if len(self._held) > TARGET_CHARS + LABEL_CHARS and not self._is_data():
            self._not_a_link(char, at)
        else:
            self._held.append((char, at))

    def _is_data(self) -> bool:
        first = len(self._label) + (3 if self._held[0][0] == "[" else 4)
        return "".join(each for each, _ in self._held[first : first + 5]) == "data:"

    def _end_target(self, at: int) -> None:
        self._read_label(at)

    # Addresses

    def _open_scheme(self, char: str, at: int) -> None:
        if self._before.isalnum():
            self._say(char, at, at + 1)
        else:
            self._hold(self._scheme, char, at)

    def _scheme(self, char: str, at: int) -> None:
        word = "".join(each for each, _ in self._held).lower()
        if word in _SCHEMES:
            if char and (char.isalnum() or char == "["):
                self._nesting = 0
                self._tail = []
                self._state = self._address
                self._address(char, at)
            else:
                self._give_up(len(self._held), char, at)
        elif char and any(scheme.startswith(word + char.lower()) for scheme in _SCHEMES):
            self._held.append((char, at))
        else:
            self._give_up(len(self._held), char, at)

    def _address(self, char: str, at: int) -> None:
        """In a bare address: marks at its end belong to the sentence; so does a bracket that it does not open."""
        if not char or char.isspace() or char in _ADDRESS_END or "\u3000" <= char <= "\u9fff":
            self._end_address(char, at)
            return
        if char == "(":
            self._nesting += 1
        elif char == ")" and self._nesting and not self._tail:
            self._nesting -= 1
            self._keep(char, at)
            return
        if char in _TRAILING:
            self._tail.append((char, at))
            return
        for each, place in self._tail:
            self._keep(each, place)
        self._tail = []
        self._keep(char, at)

    def _keep(self, char: str, at: int) -> None:
        if len(self._held) < ADDRESS_CHARS:
            self._held.append((char, at))
        else:
            self._held[-1] = (char, at)

    def _end_address(self, char: str, at: int) -> None:
        start, end = self._range()
        self._sink.add_solid(host_of("".join(each for each, _ in self._held)), start, end)
        self._before = "/"
        tail, self._tail = self._tail, []
        self._resume(char, at)
        self._again.extendleft(reversed(tail))


def host_of(address: str) -> str:
    """Return what of an address can be said.

    >>> host_of("https://user@www.example.org:8080/a.b?c#d"), host_of("mailto:a@b.org"), host_of("tel:+123")
    ('example.org', 'a@b.org', '+123')
    """
    scheme, colon, rest = address.partition(":")
    if colon and not rest.startswith("//") and "." not in scheme:
        return rest.partition("?")[0]
    match = _HOST.match(address)
    return match[1] if match else ""
