"""PartsBuilder: the growing parts of a reply that still streams. Every operation costs only what it adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sam_py.messages.parts import Part, Parts, TextPart, ThinkingTextPart, ToolCallPart

TextKind = Literal["text", "thinking_text"]


class _Growing:
    """Text or tool arguments that arrive in pieces."""

    __slots__ = ("call_id", "kind", "pieces", "tool_name")

    def __init__(self, kind: str, call_id: str = "", tool_name: str = "") -> None:
        self.kind = kind
        self.pieces: list[str] = []
        self.call_id = call_id
        self.tool_name = tool_name

    def freeze(self) -> Part:
        # Gateways cut emoji into two lone surrogates; joined and re-coded they are whole again.
        text = mend_surrogates("".join(self.pieces))
        match self.kind:
            case "text":
                return TextPart(text=text)
            case "thinking_text":
                return ThinkingTextPart(text=text)
            case _:
                return ToolCallPart(call_id=self.call_id, tool_name=self.tool_name, arguments_json=text)


def mend_surrogates(text: str) -> str:
    """Join surrogate pairs that were split between chunks; a lone one becomes U+FFFD. O(len(text)).

    >>> mend_surrogates("\\ud83c" + "\\udf89 done") == "\\N{PARTY POPPER} done"
    True
    """
    if text.isascii():  # known without looking at the text
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class PartsBuilder:
    """The parts of one streaming message, in order of arrival.

    Text goes to the last part where that is of the same kind, otherwise it opens a new one. Tool
    calls are found by the provider's own key (index or id), so that their arguments may interleave.
    """

    def __init__(self, parts: Parts = ()) -> None:
        self._parts: list[Part | _Growing] = list(parts)
        self._calls: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._parts)

    def append(self, kind: TextKind, text: str) -> int:
        """Append `text` to the open part of `kind` and return that part's index."""
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Growing) or last.kind != kind:
            if last is not None and not isinstance(last, _Growing) and last.kind == kind:
                last = self._reopen(last)
                self._parts[-1] = last
            else:
                last = _Growing(kind)
                self._parts.append(last)
        last.pieces.append(text)
        return len(self._parts) - 1

    def add(self, part: Part) -> int:
        """Add a whole part (an image, a signature, code) and return its index."""
        self._parts.append(part)
        return len(self._parts) - 1

    def begin_call(self, key: str, call_id: str, tool_name: str) -> int:
        """Open a tool call, or set the id and name of one that is open (they may be resent)."""
        if key in self._calls:
            index = self._calls[key]
            call = self._parts[index]
            assert isinstance(call, _Growing)
            call.call_id = call_id or call.call_id
            call.tool_name = tool_name or call.tool_name
            return index
        self._parts.append(_Growing("tool_call", call_id, tool_name))
        self._calls[key] = len(self._parts) - 1
        return len(self._parts) - 1

    def append_arguments(self, key: str, text: str) -> int:
        """Append to the arguments of the call `key`. Raises KeyError if it was never begun."""
        index = self._calls[key]
        call = self._parts[index]
        assert isinstance(call, _Growing)
        call.pieces.append(text)
        return index

    def text_of(self, index: int) -> str:
        """The text of part `index` so far. O(its length)."""
        part = self._parts[index]
        if isinstance(part, _Growing):
            return mend_surrogates("".join(part.pieces))
        return part.text if isinstance(part, TextPart | ThinkingTextPart) else ""

    def freeze(self, *, trim: bool = False) -> Parts:
        """All parts so far.

        `trim` drops empty texts, line breaks before the first text and white space after the last.
        """
        parts = [part.freeze() if isinstance(part, _Growing) else part for part in self._parts]
        if not trim:
            return tuple(parts)
        kept = [part for part in parts if not isinstance(part, TextPart | ThinkingTextPart) or part.text.strip()]
        texts = [index for index, part in enumerate(kept) if isinstance(part, TextPart)]
        if texts:
            kept[texts[0]] = _changed(kept[texts[0]], str.lstrip, "\r\n")
            kept[texts[-1]] = _changed(kept[texts[-1]], str.rstrip, None)
        return tuple(kept)

    @staticmethod
    def _reopen(part: Part) -> _Growing:
        assert isinstance(part, TextPart | ThinkingTextPart)
        growing = _Growing(part.kind)
        growing.pieces.append(part.text)
        return growing


def _changed(part: Part, strip: Callable[[str, str | None], str], characters: str | None) -> Part:
    assert isinstance(part, TextPart)
    text = strip(part.text, characters)
    return part if text == part.text else part.model_copy(update={"text": text})
