"""``sam-py ask``: one question through the same core as the window, the reply printed while it arrives."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from sam_py.agent.session import ChatSession
from sam_py.agent.state import SessionState
from sam_py.bus.deltas import Appended, Delta, ErrorShown
from sam_py.bus.message_bus import MessageBus
from sam_py.cli import exit_codes
from sam_py.cli.attach import Attachments, standard_input
from sam_py.cli.choose import Choice, choose, model_of
from sam_py.errors import SamError
from sam_py.messages.history import ErrorOccurred
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import Part
from sam_py.paths import default_paths
from sam_py.providers.errors import ProviderError
from sam_py.providers.guide.provider import GuideProvider
from sam_py.providers.registry import Registry
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ModelChoice, Settings
from sam_py.settings.secrets import Secrets

SCHEMA = 1
"""Of the object that ``--json`` prints; described in ``sam-py ask --help``."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a reply could steer a terminal with; line breaks and tabs stay."""


def ask(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    with _quiet_log():
        try:
            file = SettingsFile(default_paths().config / "settings.json")
            for problem in file.problems:
                _complain(problem)
            settings = file.current
            choice = choose(settings, provider=options.provider, base_url=options.base_url, model=options.model)
            attachments = Attachments()
            parts = [attachments.add(path) for path in options.file]
            text = _question(options.question)
            if not text and not parts:
                raise SamError('Write a question: sam-py ask "…", or pipe one in.')
        except SamError as error:
            return _report(options, error, exit_codes.USAGE)
        try:
            return asyncio.run(_ask(options, settings, choice, attachments, text, parts))
        except KeyboardInterrupt:
            return exit_codes.INTERRUPTED


async def _ask(
    options: argparse.Namespace,
    settings: Settings,
    choice: Choice,
    attachments: Attachments,
    text: str,
    parts: Sequence[Part],
) -> int:
    secrets = Secrets(lambda provider_id: _base_url(settings, choice, provider_id))
    registry = Registry(secrets.key_of)
    registry.add(GuideProvider())
    own = (choice.provider.model_copy(update={"enabled": True}),) if choice.provider is not None else ()
    registry.configure(own)
    try:
        chosen = await model_of(choice, registry)
        return await _converse(options, settings, chosen, registry, attachments, text, parts)
    except ProviderError as error:
        return _report(options, error, exit_codes.for_error(error.code), code=error.code)
    except SamError as error:
        return _report(options, error, exit_codes.PROVIDER_ERROR)
    finally:
        await registry.aclose()


async def _converse(
    options: argparse.Namespace,
    settings: Settings,
    chosen: ModelChoice,
    registry: Registry,
    attachments: Attachments,
    text: str,
    parts: Sequence[Part],
) -> int:
    changed: dict[str, Any] = {"default": chosen, "model_titles": False}
    for name, value in (
        ("system_prompt", options.system),
        ("temperature", options.temperature),
        ("max_tokens", options.max_tokens),
    ):
        if value is not None:
            changed[name] = value
    bus = MessageBus(auto_pin=0)
    session = ChatSession(
        bus,
        provider_of=registry.get,
        save_now=_nothing_to_save,
        read_attachment=attachments.read,
        read_document=attachments.document,
        put_attachment=attachments.keep,
        defaults=settings.chat.model_copy(update=changed),
    )
    printer = _Printer(bus, session, streams=not (options.json or options.no_stream))
    interrupted = False
    try:
        await session.send(text, parts)
    except asyncio.CancelledError:  # Ctrl+C: asyncio.run raises KeyboardInterrupt once this task has ended
        interrupted = True
        raise
    finally:
        session.stop()
        reply = _reply_of(bus)
        if options.json:
            print(json.dumps(_as_object(chosen, reply, printer.error, attachments), ensure_ascii=False), flush=True)
        else:
            printer.end(reply)
        await session.aclose()
        if interrupted and not options.json:
            _complain("Stopped.")
    if printer.error is not None:
        if not options.json:
            detail = f" ({printer.error.detail})" if printer.error.code == "internal" else ""
            _complain(printer.error.text + detail)
        return exit_codes.for_error(printer.error.code)
    return exit_codes.OK


class _Printer:
    """Writes the reply to stdout as it comes, and keeps the error that ended it."""

    def __init__(self, bus: MessageBus, session: ChatSession, *, streams: bool, out: IO[str] | None = None) -> None:
        self.error: ErrorOccurred | None = None
        self._out = out or sys.stdout
        self._session = session
        self._streams = streams
        self._to_terminal = self._out.isatty()
        self._ends_line = True
        self._broken = False
        bus.subscribe(self._take)
        if sys.stderr.isatty():
            session.subscribe(self._say_what_it_waits_for)

    def end(self, reply: AssistantMessage | None) -> None:
        """Write what was not streamed, and end the line."""
        if reply is not None and not self._streams:
            self._write(reply.text)
        if not self._ends_line:
            self._write("\n")

    def _take(self, delta: Delta) -> None:
        match delta:
            case Appended(kind="text", text=text) if self._streams and text:
                self._write(text)
            case ErrorShown(error=error):
                self.error = error
            case _:
                pass

    def _write(self, text: str) -> None:
        if self._broken:
            return
        try:
            self._out.write(_CONTROLS.sub("", text) if self._to_terminal else text)
            self._out.flush()
        except BrokenPipeError:  # whoever read it has enough (`| head -1`)
            self._broken = True
            with suppress(OSError, ValueError):  # or the interpreter complains when it flushes at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
            asyncio.get_running_loop().call_soon(self._session.stop)
        else:
            self._ends_line = text.endswith("\n")

    def _say_what_it_waits_for(self, state: SessionState) -> None:
        if state.phase == "waiting" and state.text:
            _complain(state.text)


def _question(words: Sequence[str]) -> str:
    asked = " ".join(words).strip()
    piped = standard_input(bool(asked))
    return "\n\n".join(text for text in (asked, piped) if text.strip())


def _base_url(settings: Settings, choice: Choice, provider_id: str) -> str:
    if choice.provider is not None and choice.provider.id == provider_id:
        return choice.provider.base_url
    known = settings.provider(provider_id)
    return known.base_url if known is not None else ""


def _reply_of(bus: MessageBus) -> AssistantMessage | None:
    replies = [message for message in bus.messages() if isinstance(message, AssistantMessage)]
    return replies[-1] if replies else None


def _as_object(
    chosen: ModelChoice, reply: AssistantMessage | None, error: ErrorOccurred | None, attachments: Attachments
) -> dict[str, Any]:
    usage = reply.usage if reply is not None else None
    metrics = reply.metrics if reply is not None else None
    return {
        "schema": SCHEMA,
        "text": reply.text if reply is not None else "",
        "thinking": reply.thinking if reply is not None else "",
        "provider": chosen.provider,
        "model": (reply.model if reply is not None else "") or chosen.model,
        "stop_reason": reply.stop_reason if reply is not None else None,
        "usage": usage.model_dump(mode="json") if usage is not None else None,
        "metrics": metrics.model_dump(mode="json") if metrics is not None else None,
        "images": [
            {"mime_type": image.mime_type, "size": attachments.size_of(image.attachment)}
            for image in (reply.images if reply is not None else ())
        ],
        "error": {"code": error.code, "text": error.text, "detail": error.detail} if error is not None else None,
    }


def _report(options: argparse.Namespace, error: SamError, exit_code: int, *, code: str = "request") -> int:
    """Say what went wrong before there was a reply."""
    if options.json:
        chosen = ModelChoice(provider=options.provider or "", model=options.model or "")
        said = ErrorOccurred(message_id=None, code=code, text=str(error), detail=error.detail)
        print(json.dumps(_as_object(chosen, None, said, Attachments()), ensure_ascii=False))
    else:
        _complain(str(error))
    return exit_code


def _complain(text: str) -> None:
    print(f"sam-py: {text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Warnings of the log are for the window's log file: here the person is told what matters in words."""
    quiet = logging.NullHandler()
    root = logging.getLogger()
    root.addHandler(quiet)
    try:
        yield
    finally:
        root.removeHandler(quiet)


async def _nothing_to_save() -> None:
    """A question on the command line is kept nowhere."""
