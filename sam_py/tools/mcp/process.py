"""A server as a child process, spoken to over its standard streams; it and all that it started end with us.

The SDK's own transport is not used: it keeps a line of any length, leaves what the server started running where
the server itself ends in time, and hands its standard error to a file that nobody bounds (mcp 2.3). May go when
it does these three.  # D-024
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import mcp_types
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from sam_py.tools.mcp.log import ServerLog

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

LONGEST_MESSAGE = 16_000_000
"""Bytes of one message; a server that sends a longer one is ended."""
MOST_GARBAGE = 4_000_000
"""Bytes of lines that are no messages; some servers greet on standard output, none talks for megabytes."""
LEAVE_S = 1.0
"""For a server to end by itself once its input has closed; as long again after SIGTERM, before SIGKILL."""
_POLL_S = 0.02
_WATCH_S = 0.5
_WORK_S, _REST_S = 0.005, 0.005
"""A server that never stops talking gets half of the loop's thread at most."""
_ENDED = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, OSError)


@dataclass(slots=True)
class Ended:
    """That and why the conversation with a server is over; set once, read by who owns it."""

    event: anyio.Event = field(default_factory=anyio.Event)
    reason: str = ""

    def set(self, reason: str) -> None:
        if not self.event.is_set():
            self.reason = reason
            self.event.set()


@asynccontextmanager
async def stdio_streams(
    command: str,
    args: tuple[str, ...],
    *,
    env: Mapping[str, str],
    cwd: str,
    log: ServerLog,
    ended: Ended,
) -> AsyncGenerator[Streams]:
    """Start the server; leaving ends it and its whole process group, within `3 * LEAVE_S`. Raises OSError."""
    process = await _spawn(command, args, {**get_default_environment(), **env}, cwd or None, log)
    _running.add(process)
    inbox_end, inbox = anyio.create_memory_object_stream[Incoming](0)
    outbox, outbox_end = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, inbox_end, ended)
            tasks.start_soon(_write, process, outbox_end, inbox_end, ended)
            if process.stderr is not None:
                tasks.start_soon(_keep_errors, process.stderr, log)
            tasks.start_soon(_watch, process, inbox_end, ended)
            try:
                yield inbox, outbox
            finally:
                with anyio.CancelScope(shield=True):
                    inbox.close()
                    outbox.close()
                    await _end(process)
                tasks.cancel_scope.cancel()
    finally:  # also when the loop's own end cut the above short: no process outlives this
        _kill_group(process)
        _running.discard(process)
        for stream in (inbox_end, inbox, outbox, outbox_end):
            stream.close()
        _close_pipes(process)


async def _read(process: Process, inbox: MemoryObjectSendStream[Incoming], ended: Ended) -> None:
    """Messages line by line; what is no message is counted and dropped."""
    assert process.stdout is not None
    buffer, garbage, listening = bytearray(), 0, True
    worked_s = 0.0
    with suppress(*_ENDED):
        while True:
            chunk = await process.stdout.receive()
            if not listening:
                continue  # drained, so that a server that still writes can end
            searched = len(buffer)
            buffer += chunk
            while (end := buffer.find(b"\n", searched)) >= 0:
                began = time.monotonic()
                line = bytes(buffer[:end])
                del buffer[: end + 1]
                searched = 0
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    garbage += len(line) + 1
                else:
                    try:
                        await inbox.send(SessionMessage(message))
                    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                        listening = False
                        break
                worked_s += time.monotonic() - began
                if worked_s > _WORK_S:
                    await anyio.sleep(_REST_S)
                    worked_s = 0.0
            if len(buffer) > LONGEST_MESSAGE or garbage > MOST_GARBAGE:
                too_much = "one endless message" if len(buffer) > LONGEST_MESSAGE else "text that is no message"
                ended.set(f"It sent {too_much} to its standard output.")
                listening = False
            if not listening:
                buffer.clear()
                inbox.close()
    await _wait_a_moment_for(process)
    ended.set(_how_it_ended(process))
    inbox.close()


async def _write(
    process: Process,
    outbox: MemoryObjectReceiveStream[SessionMessage],
    inbox: MemoryObjectSendStream[Incoming],
    ended: Ended,
) -> None:
    assert process.stdin is not None
    try:
        async for message in outbox:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(text.encode() + b"\n")
    except _ENDED:
        await _wait_a_moment_for(process)
        ended.set("It no longer reads its standard input." if process.returncode is None else _how_it_ended(process))
        inbox.close()


async def _keep_errors(stderr: ByteReceiveStream, log: ServerLog) -> None:
    with suppress(*_ENDED):
        while True:
            chunk = await stderr.receive()
            log.write(chunk)
            if len(chunk) >= 32_000:
                await anyio.sleep(_REST_S * 4)  # one that writes without end waits for us, not we for it


async def _watch(process: Process, inbox: MemoryObjectSendStream[Incoming], ended: Ended) -> None:
    """Notice a server that ended while a child of it holds its output open."""
    while process.returncode is None:
        await anyio.sleep(_WATCH_S)
    await anyio.sleep(_WATCH_S)  # for what it wrote last
    ended.set(_how_it_ended(process))
    inbox.close()


async def _wait_a_moment_for(process: Process) -> None:
    """A dying server closes its pipes a moment before it is gone; what became of it is the better reason."""
    with anyio.move_on_after(_WATCH_S):
        await _gone(process)


def _how_it_ended(process: Process) -> str:
    code = process.returncode
    if code is None:
        return "It closed its standard output."
    return f"It ended with code {code}." if code >= 0 else f"It was ended by signal {-code}."


# Starting and ending

_running: set[Process] = set()


@atexit.register
def _end_what_is_left() -> None:
    """Where the loop was closed under its owner, nothing ends a server that ignores the end of its input."""
    for process in _running:
        _kill_group(process)


async def _spawn(command: str, args: tuple[str, ...], env: dict[str, str], cwd: str | None, log: ServerLog) -> Process:
    if sys.platform == "win32":
        from mcp.os.win32.utilities import create_windows_process, get_windows_executable_command

        program = await anyio.to_thread.run_sync(get_windows_executable_command, command)
        with open(log.path or os.devnull, "w", encoding="utf-8") as errors:
            return await create_windows_process(program, list(args), env, errors, Path(cwd) if cwd else None)
    return await anyio.open_process([command, *args], env=env, cwd=cwd, start_new_session=True)


async def _end(process: Process) -> None:
    """Ask, insist, kill: the server first by closing its input, then all of its group by signals."""
    if process.stdin is not None:
        with suppress(*_ENDED):
            await process.stdin.aclose()
    with anyio.move_on_after(LEAVE_S):
        await _gone(process)
    if sys.platform == "win32":
        from mcp.os.win32.utilities import terminate_windows_process_tree

        await terminate_windows_process_tree(process)
        return
    if _signal_group(process, signal.SIGTERM):
        with anyio.move_on_after(LEAVE_S):
            while process.returncode is None or _signal_group(process, 0):
                await anyio.sleep(_POLL_S)
        if _signal_group(process, signal.SIGKILL):
            with anyio.move_on_after(LEAVE_S):
                await _gone(process)


async def _gone(process: Process) -> None:
    """Not `process.wait()`: that also waits for the pipes, which a child of the server may hold open."""
    while process.returncode is None:
        await anyio.sleep(_POLL_S)


def _signal_group(process: Process, number: int) -> bool:
    """Send a signal to all that is left of the group, which the server leads; False where nothing is."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so of zombies
        return process.returncode is None
    return True


def _kill_group(process: Process) -> None:
    if sys.platform == "win32":
        if process.returncode is None:
            process.kill()
        return
    _signal_group(process, signal.SIGKILL)


def _close_pipes(process: Process) -> None:
    """Close our ends: asyncio keeps them open, and warns later, while a child of the server holds the others."""
    transport: Any = getattr(getattr(process, "_process", None), "_transport", None)  # nothing public leads there
    if transport is not None:
        with suppress(ProcessLookupError, PermissionError):
            transport.close()
