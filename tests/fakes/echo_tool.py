"""Echo: a tool that says something again; the tests say how, in a class of their own."""

from __future__ import annotations

from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolOutput


class Word(Arguments):
    word: str


class Echo(BuiltinTool[Word]):
    name = "echo"
    label = "Echo"
    description = "Says it again."
    takes = Word

    def doing(self, arguments: Word) -> str:
        return f"Saying {arguments.word}"

    async def run(self, arguments: Word, running: Running) -> ToolOutput:
        return ToolOutput(arguments.word * 2)
