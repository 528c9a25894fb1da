"""EchoStripper: takes out of a streaming reply what a model repeats of the reminders that it was given.

Models sometimes copy the tags that reminders stand in, with or without what is between them, whole or half.
A person must not read that, and it must not be stored. Text that only speaks of such tags, in code, stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from sam_py.reminders.wording import ANY_TAG, TAGS


def _beginning(name: str) -> str:
    """The pattern of what may become `name` and white space."""
    pattern = r"\s*"
    for character in reversed(name):
        pattern = f"{re.escape(character)}(?:{pattern})?"
    return pattern


_BEGINNING = re.compile(rf"</?\s*(?:{'|'.join(map(_beginning, TAGS))})?", re.IGNORECASE)
_CLOSE = {name: re.compile(rf"</\s*{name}\s*>", re.IGNORECASE) for name in TAGS}
_LONGEST_TAG = max(map(len, TAGS)) + 16
"""One with more white space in it than this leaves room for is text: so much is held back at most."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SLACK = 400
"""A copy may be this much longer than what was sent: models change words."""

_Code = Literal["", "span", "fence"]


class EchoStripper:
    """Feed a reply's text in any pieces; what comes back, joined, is the text without echoes.

    `sent` are the reminders of the request. Costs what is fed; holds back no more than one tag, or one copy
    of a reminder that has begun. The result does not depend on how the text was cut.
    """

    def __init__(self, sent: Sequence[str] = ()) -> None:
        self._sent = tuple(text for text in sent if text.strip())
        self._longest = max(map(len, self._sent), default=0) + _SLACK
        self._held = ""
        """Not handed out yet: perhaps the beginning of a tag, or an echo that has not ended."""
        self._inside = ""
        """The name of the tag that opened the echo which is being held."""
        self._line = ""
        """The line so far that was handed out (at most a few characters matter): fences stand at its start."""
        self._code: _Code = ""
        self._fence = ""
        self._ticks = 0
        """How many backticks opened the code span."""
        self._dropped_line = False
        """An echo was just taken out: the line break after it belongs to it."""

    def feed(self, text: str) -> str:
        """Return what of the text so far is sure to be the reply's own."""
        self._held += text
        return self._run(ended=False)

    def close(self) -> str:
        """The reply has ended: return the rest."""
        return self._run(ended=True)

    def _run(self, *, ended: bool) -> str:
        out: list[str] = []
        while self._held:
            piece = self._from_echo(ended) if self._inside else self._from_text(ended)
            if piece is None:
                break
            out.append(piece)
        return "".join(out)

    def _from_echo(self, ended: bool) -> str | None:
        """Inside an echo: drop it where it ends; give back what is no echo where it does not."""
        close = _CLOSE[self._inside].search(self._held, 0, self._longest)
        if close is not None:
            self._held = self._held[close.end() :]
            self._inside, self._dropped_line = "", True
            return ""
        if len(self._held) <= self._longest and not ended:
            return None
        # It opened and did not close: what was sent is dropped as far as it was copied, the rest is the reply's.
        self._held = self._held[self._copied(self._held) :]
        self._inside, self._dropped_line = "", True
        return ""

    def _copied(self, text: str) -> int:
        """How many characters at the start of `text` were copied from a reminder."""
        longest = 0
        for sent in self._sent:
            start = ANY_TAG.sub("", sent).strip()
            skipped = len(text) - len(text.lstrip())
            same = 0
            for mine, theirs in zip(text[skipped:], start, strict=False):
                if mine != theirs:
                    break
                same += 1
            if same >= 12 or same == len(start):  # a few letters in common are chance
                longest = max(longest, skipped + same)
        return longest

    def _from_text(self, ended: bool) -> str | None:
        """The reply's own text up to the next tag, code or line end; "" where something was dropped."""
        held = self._held
        if self._dropped_line:
            if held[0] in "\r\n":
                self._held = held[1:]
                self._dropped_line = held[0] == "\r"
                return ""
            self._dropped_line = False
        if self._code == "fence" or (not self._line.strip() and _may_begin_fence(self._line + held)):
            return self._line_of_code(ended)
        for at, character in enumerate(held):
            if character == "\n":
                return self._take(at + 1)
            if character == "`":
                ticks = len(held) - at - len(held[at:].lstrip("`"))
                if at + ticks == len(held) and not ended:
                    return self._take(at) if at else None  # more of them may come
                self._span(ticks)
                return self._take(at + ticks)
            if character == "<" and not self._code:
                tag = ANY_TAG.match(held, at, at + _LONGEST_TAG)
                if tag is not None:
                    own = self._take(at)
                    self._held = held[tag.end() :]
                    if tag[1]:
                        self._dropped_line = True
                    else:
                        self._inside = TAGS[(tag.lastindex or 2) - 2]
                    return own
                if not ended and len(held) - at < _LONGEST_TAG and _BEGINNING.fullmatch(held, at):
                    return self._take(at) if at else None
        return self._take(len(held))

    def _line_of_code(self, ended: bool) -> str | None:
        """A line that is, opens or closes a fenced block: code is never changed."""
        held = self._held
        end = held.find("\n")
        whole = self._line + (held if end < 0 else held[:end])
        if end < 0 and not ended and len(whole) < 200 and (self._code != "fence" or _may_begin_fence(whole)):
            return None  # whether it is a fence is known when the line ends
        match = _FENCE.match(whole)
        if match is not None and end < 0 and not ended and self._code == "fence":
            return None
        if self._code == "fence":
            if match is not None and match[1].startswith(self._fence) and not whole[match.end() :].strip():
                self._code = ""
        elif match is not None and not (match[1][0] == "`" and "`" in whole[match.end() :]):
            self._code, self._fence = "fence", match[1]
        else:
            return self._plain_start(ended)
        return self._take(len(held) if end < 0 else end + 1)

    def _plain_start(self, ended: bool) -> str | None:
        """What looked like a fence is a code span at the start of a line."""
        held = self._held
        ticks = len(held) - len(held.lstrip("`"))
        if not ticks:
            return self._take(1)
        if ticks == len(held) and not ended:
            return None
        self._span(ticks)
        return self._take(ticks)

    def _span(self, ticks: int) -> None:
        if not self._code:
            self._code, self._ticks = "span", ticks
        elif self._code == "span" and ticks == self._ticks:
            self._code = ""

    def _take(self, count: int) -> str:
        """Hand out `count` characters of what is held."""
        text, self._held = self._held[:count], self._held[count:]
        at = text.rfind("\n")
        if at < 0:
            self._line = (self._line + text)[-200:] if self._line.strip() or text.strip() else self._line + text
        else:
            self._line = text[at + 1 :][-200:]
            if self._code == "span" and "\n\n" in text:
                self._code = ""
        return text


def _may_begin_fence(line: str) -> bool:
    """Whether `line`, which may be cut anywhere, is or may become the start of a fence."""
    rest = line.partition("\n")[0]
    stripped = rest.lstrip(" ")
    if len(rest) - len(stripped) > 3:
        return False
    return not stripped or stripped.startswith(("```", "~~~")) or stripped in ("`", "``", "~", "~~")
