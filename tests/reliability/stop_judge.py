"""What must hold of a conversation that was stopped: nothing lost, nothing open, and the next request is valid."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import ToolStateChanged
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, TextDelta, ThinkingDelta, ToolCallDelta
from sam_py.store.journal import Journal
from sam_py.transcript.build import build
from tests.reliability.stop_streams import Asked, Played
from tests.reliability.stop_trial import PATIENCE_S, Trial
from tests.wire.fault import Fault
from tests.wire.judge import judge
from tests.wire.wires import NAMES, WIRES

SOCKET_S, IDLE_S = 0.5, 0.1
_ALL = Limits(images=True, pdfs=True, tools=True, thinking=True)


async def faults_of_trial(trial: Trial) -> list[str]:
    """All that is wrong; at the end a next request is sent, and judged as the server got it."""
    found = list(trial.problems)
    if trial.stop is None:
        return found
    found += _of_what_came(trial)
    found += _of_calls(trial)
    if trial.idle_s > IDLE_S:
        found.append(f"idle after {trial.idle_s * 1000:.0f} ms")
    found += [f"socket closed after {each * 1000:.0f} ms" for each in trial.closed_s if each > SOCKET_S]
    if list(trial.bus.messages()) != trial.left:
        found.append("something was written after the stop")
    again = await asyncio.to_thread(_read_again, trial)
    if list(again.messages()) != trial.left:
        found.append("the disk says something else")
    if dict(again.ledger) != dict(trial.bus.ledger):
        found.append("the disk knows other states of calls")
    found += faults_of_history(trial.left, trial.bus.ledger, trial.scene.script[0])
    return found + await _of_next_request(trial)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _of_what_came(trial: Trial) -> Iterator[str]:
    replies = [message for message in trial.left if isinstance(message, AssistantMessage)]
    said = "".join(message.text for message in replies)
    thought = "".join(part.text for reply in replies for part in reply.parts if isinstance(part, ThinkingTextPart))
    called = "".join(call.arguments_json for reply in replies for call in reply.tool_calls)
    if _squeezed(said) != _squeezed("".join(each.text for each in trial.came if isinstance(each, TextDelta))):
        yield "text that came is not there"
    if _squeezed(thought) != _squeezed("".join(each.text for each in trial.came if isinstance(each, ThinkingDelta))):
        yield "thinking that came is not there"
    arguments = "".join(each.arguments_json for each in trial.came if isinstance(each, ToolCallDelta))
    if Counter(_squeezed(called)) != Counter(_squeezed(arguments)):  # calls may come interleaved
        yield "arguments that came are not there"


def _of_calls(trial: Trial) -> Iterator[str]:
    results = {message.call_id: message for message in trial.results_left}
    if len(results) != len(trial.results_left):
        yield "two results of one call"
    for ended in trial.ended:
        result = results.get(ended.call_id)
        if result is None or ended.marker not in result.output_text:
            yield f"the result of {ended.call_id} was there, and is not kept: {result!r}"
        elif result.status != ("error" if ended.failed else "success"):
            yield f"the result of {ended.call_id} is kept as {result.status}"
    finished = {ended.call_id for ended in trial.ended}
    for result in results.values():
        if result.status == "success" and result.call_id not in finished:
            yield f"{result.call_id} had not ended and counts as done"
        state = trial.bus.ledger.get(result.call_id)
        if state is None or (state.state, state.result_id) != (result.status, result.id):
            yield f"the ledger says {state} of {result!r}"
    begun = False
    for message in trial.left:
        if isinstance(message, AssistantMessage) and message.stop_reason == "tool_use":
            begun = begun or any(call.call_id in results for call in message.tool_calls)
            missing = [call.call_id for call in message.tool_calls if call.call_id not in results]
            if missing and len(missing) < len(message.tool_calls):
                yield f"calls of a round without a result: {missing}"
    yield from (f"{call_id} was begun after the stop" for call_id in trial.begun_late)


def _read_again(trial: Trial) -> MessageBus:
    folder = trial.library._paths.conversations / trial.bus.conversation_id
    bus = MessageBus(trial.bus.conversation_id)
    bus.load(Journal(folder, "judge").load(mend=False))
    return bus


def faults_of_history(
    messages: Sequence[Message], ledger: Mapping[str, ToolStateChanged], own: Played | None = None
) -> Iterator[str]:
    """What each wire would say to the next question, were it asked. `own` is an answer that is part of the history."""
    history = [*messages, UserMessage(parts=(TextPart(text="And now?"),))]
    for name in NAMES:
        wires = [wire for wire in WIRES if wire.name == name]
        wire, model, provider = wires[0], wires[0].models[0], "other"
        if own is not None and own.wire == name:
            wire = next((each for each in wires if each.service == own.preset), wire)
            model, provider = own.model, f"at-{own.preset}"
        transcript = build(history, ledger, limits=_ALL, provider=provider, model=model)
        request = ChatRequest(model=model, turns=transcript.turns, provider=provider, limits=_ALL)
        body = json.loads(json.dumps(wire.build_body(request)))
        for fault in _not_forgiven(judge(name, body, wire.service, model=model)):
            yield f"{wire}: {fault}"


async def _of_next_request(trial: Trial) -> list[str]:
    """Ask on, in the session that is there or in one on what the disk says, and judge what the server got."""
    session, autosave, bus = trial.session, None, trial.bus
    if trial.stop is not None and trial.stop.how == "close":
        opened = await trial.library.open(bus.conversation_id)
        bus = MessageBus(bus.conversation_id)
        bus.load(opened.history)
        session, autosave = trial.attached(bus)
    trial.server.script, trial.server.pace = [trial.scene.later], 0.0
    trial.ask_of(trial.scene.later, session)
    before = len(trial.server.asked)
    asking = asyncio.ensure_future(session.send("And now?"))
    _done, late = await asyncio.wait({asking}, timeout=PATIENCE_S)
    found = ["in vain: the next reply"] if late else []
    asked = trial.server.asked[before:]
    if not asked:
        return [*found, "no next request went out"]
    found += [f"next request, {trial.scene.later.preset}: {fault}" for fault in _faults_in(asked[0])]
    texts = "\n".join(_strings(json.loads(asked[0].body)))
    found += [f"the model is not told of {each.marker}" for each in trial.ended if each.marker not in texts]
    for message in trial.left:
        for part in message.parts if isinstance(message, AssistantMessage) else ():
            if isinstance(part, TextPart) and _squeezed(part.text) not in _squeezed(texts):
                found.append(f"the model is not told what it said: {part.text[:80]!r}")
    if autosave is not None:
        await session.aclose()
        autosave.close()
    return found


def _faults_in(asked: Asked) -> list[str]:
    body: Any = json.loads(asked.body)
    answer = asked.answer
    return [str(fault) for fault in _not_forgiven(judge(answer.wire, body, answer.preset, model=answer.model))]


def _strings(value: Any) -> Iterable[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                if key != "citations":  # they stand between pieces of one text
                    yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)


def _not_forgiven(faults: Iterable[Fault]) -> Iterator[Fault]:
    """All but the nulls that a service wrote into a block of its own, which goes back to it as it came."""
    return (fault for fault in faults if not (fault.strict and fault.code == "null"))
