"""The small tools: sums, units, the time, a question; and the catalogue of them all."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.message_bus import MessageBus
from sam_py.providers.http import Http
from sam_py.store.notes import Notes
from sam_py.store.writer import Writer
from sam_py.tools.approval import Approvals
from sam_py.tools.base import BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.ask_person import AskPersonTool
from sam_py.tools.builtin.calculate import CalculateTool, ConvertUnitsTool, converted
from sam_py.tools.builtin.catalogue import Doors, builtin_tools
from sam_py.tools.builtin.current_time import CurrentTimeTool
from sam_py.tools.builtin.sums import evaluated
from sam_py.tools.questions import PersonQuestion
from sam_py.tools.registry import ToolRegistry
from sam_py.tools.runner import ToolRunner

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x03\x08\x02"


def ask(tool: BuiltinTool[Any], **arguments: object) -> ToolOutput:
    parsed = tool.parse(json.dumps(arguments))
    assert tool.doing(parsed)
    tool.touches(parsed)
    return asyncio.run(tool.run(parsed, Running("call", "c")))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2"),
        ("0.1 + 0.2", "0.3"),
        ("(19.99 * 3 + 4.5) / 1.19", "54.1764705882353"),
        ("2 ** 100", str(2**100)),
        ("2 ** -2", "0.25"),
        ("7 // 2 + 7 % 2", "4"),
        ("sqrt(2) ** 2", "2"),
        ("sin(radians(30))", "0.5"),
        ("mean(1, 2, 6) + median(1, 2, 9)", "5"),
        ("round(2.675, 1)", "2.7"),
        ("factorial(20)", "2432902008176640000"),
        ("3 > 2", "True"),
        ("1 and 2", "2"),
        ("1" * 999, "1" * 999),
        ("1 if 2 > 3 else 5", "5"),
        (" -pi ", "-3.14159265358979"),
        ("10**20 / 3", "3.33333333333333e+19"),
    ],
)
def test_a_sum_is_right(expression: str, value: str) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "9**9**9**9",
        "(9**999)**999",
        "2**100000",
        "factorial(100000)",
        "factorial(-1)",
        "10**3999 * 10**3999",
        "1e308 * 10",
        "'a' * 10**9",
        "'a'",
        "'%s' % 1",
        "[1] * 10**9",
        "[x for x in (1,2)]",
        "(1).__class__",
        "().__class__",
        "__import__('os')",
        "open('/etc/passwd')",
        "eval('1')",
        "sqrt.__globals__",
        "pi.real",
        "f'{1}'",
        "lambda: 1",
        "x = 1",
        "1; 2",
        "import os",
        "x",
        "foo(1)",
        "1 / 0",
        "0 ** -1",
        "1 % 0",
        "(-8) ** 0.5",
        "sqrt(-1)",
        "2 ^ 3",
        "1 << 10**9",
        "~1",
        "1 +",
        "(((",
        "(" * 500 + ")" * 500,
        "-" * 990 + "1",
        "1" * 1001,
        "",
        "  ",
        "\x00",
        "1 +\n1 +",
        "{1: 2}",
        "{1}",
        "(1, 2)",
        "1, 2",
        "True + 1",
        "round(1, -10**9)",
        "round(2.5, 10**9)",
        "comb(10**6, 5)",
        "max()",
        "log(0)",
        "nan",
        "1e999",
        "a.b.c",
        "1[0]",
        "...",
        "None",
        "1j",
        "b'x'",
        "sum(1, 'a')",
        "await 1",
        "(yield)",
        "*a",
        "not",
        "print(1)",
        "😀",
        "sqrt(x=1)",
        "min(key=sqrt)",
        "10**3000 if 10**4000 else 1",
    ],
)
def test_a_hostile_sum_is_refused_in_words(expression: str) -> None:
    with pytest.raises(ToolError, match=r"\w+ .*\."):
        evaluated(expression)


@given(st.text("0123456789+-*/%(). eE,<>=andorsqrtpi", max_size=40))
def test_whatever_is_reckoned_ends_in_a_value_or_a_sentence(expression: str) -> None:
    try:
        value = evaluated(expression)
    except ToolError as error:
        value = str(error)
    assert value


def test_the_sum_is_told_with_its_value() -> None:
    assert ask(CalculateTool(), expression="6 * 7").text == "6 * 7 = 42"


@pytest.mark.parametrize(
    ("value", "from_unit", "to_unit", "text"),
    [
        (100, "km/h", "m/s", "100 km/h = 27.77777778 m/s"),
        (20, "degC", "degF", "20 degC = 68 degF"),
        (1, "GiB", "MB", "1 GiB = 1073.741824 MB"),
        (1, "mile", "km", "1 mile = 1.609344 km"),
        (3, "m**2", "cm**2", "3 m**2 = 30000 cm**2"),
        (5, "°C", "kelvin", "5 °C = 278.15 kelvin"),
    ],
)
def test_units_are_converted(value: float, from_unit: str, to_unit: str, text: str) -> None:
    assert ask(ConvertUnitsTool(), value=value, from_unit=from_unit, to_unit=to_unit).text == text


@pytest.mark.parametrize(
    ("from_unit", "to_unit", "words"),
    [
        ("kg", "m", "measure different things"),
        ("florps", "m", "florps"),
        ("9**9**9", "m", "is not a unit"),
        ("m**999999999", "m", "is not a unit"),
        ("__import__", "m", "."),
        ("m;os", "m", "is not a unit"),
        ("", "m", "is not a unit"),
        ("((((", "m", "."),
        ("m**", "m", "."),
    ],
)
def test_what_is_no_unit_is_said(from_unit: str, to_unit: str, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        converted(1, from_unit, to_unit)


def test_the_time_is_known_in_every_zone() -> None:
    tool = CurrentTimeTool(lambda: datetime(2026, 3, 29, 12, 0, tzinfo=UTC))
    assert ask(tool, zone="Asia/Kolkata").text == (
        "Sunday, 2026-03-29 17:30:00, Asia/Kolkata (UTC+05:30), calendar week 13"
    )
    assert "Sunday, 2026-03-29" in ask(tool).text
    with pytest.raises(ToolError, match="Did you mean Europe/Lisbon"):
        ask(tool, zone="lisbon")
    for zone in ("../../etc/passwd", "/etc/passwd", "x\x00y", "Mars/Base"):
        with pytest.raises(ToolError, match="no time zone"):
            ask(tool, zone=zone)


def test_a_question_reaches_the_person_and_the_answer_the_model() -> None:
    asked: list[PersonQuestion] = []
    answers = iter(["Blue", "", None])

    async def answer(question: PersonQuestion) -> str | None:
        asked.append(question)
        return next(answers)

    tool = AskPersonTool(answer)
    assert ask(tool, question=" Which? ", choices=["Red", "Blue", "Red", " "]).text == "Blue"
    assert asked == [PersonQuestion("call", "c", "Which?", ("Red", "Blue"))]
    assert "without an answer" in ask(tool, question="Why?").text
    assert "without an answer" in ask(tool, question="Why?").text
    with pytest.raises(ToolError, match="Give the question"):
        ask(tool, question="  ")


# All of them


def doors(root: Path | None = None, bus: MessageBus | None = None) -> Doors:
    async def put(_data: bytes, _mime_type: str) -> str:
        return "hash"

    async def read(_hash: str) -> bytes:
        return b""

    async def answer(_question: PersonQuestion) -> str:
        return "yes"

    return Doors(
        bus_of=lambda _id: bus,
        root_of=lambda id: root if id == "c" else None,
        own_folders=(),
        put_attachment=put,
        read_attachment=read,
        http=Http(),
        notes=Notes(Path(), Writer()),
        ask=answer,
    )


def test_every_tool_explains_itself() -> None:
    tools = builtin_tools(doors())
    assert len({tool.name for tool in tools}) == len(tools) == 17
    for tool in tools:
        assert re.fullmatch(r"[a-z_]{3,64}", tool.name)
        assert tool.label
        assert 80 < len(tool.description) < 700
        schema = tool.parameters
        assert schema["type"] == "object"
        for name, argument in schema["properties"].items():
            assert argument.get("description"), f"{tool.name}.{name}"
        with pytest.raises(ToolError, match="This tool takes"):
            tool.parse('{"surprise": 1}')


def test_no_schema_asks_for_a_length_that_breaks_a_grammar() -> None:
    for tool in builtin_tools(doors()):
        lengths = re.findall(r'"maxLength": (\d+)', json.dumps(tool.parameters))
        assert all(int(length) <= 2_000 for length in lengths), tool.name


def test_a_call_reads_in_the_work_folder_of_its_conversation(tmp_path: Path) -> None:
    async def run(conversation_id: str) -> str:
        bus = MessageBus(conversation_id)
        given = doors(tmp_path, bus)

        async def save() -> None: ...

        runner = ToolRunner(
            bus,
            bus.ledger.writer(),
            ToolRegistry(builtin_tools(given)),
            Approvals(),
            save_now=save,
            put_attachment=given.put_attachment,
        )
        bus.add_user_message("Go")
        reply = bus.begin_assistant()
        bus.begin_call(reply, "x", "x", "read_file")
        bus.append_arguments(reply, "x", '{"path": "a.txt"}')
        message = bus.complete(reply, "tool_use")
        assert message is not None
        (result,) = await runner.run_round(message, offered=lambda _name: True)
        return result.output_text

    (tmp_path / "a.txt").write_text("words")
    assert asyncio.run(run("c")).endswith("words")
    assert "Settings, under Tools" in asyncio.run(run("other"))
