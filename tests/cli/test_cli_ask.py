"""``sam-py ask`` in this process: against the guide and a server that answers well, wrongly or not at all."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sam_py.cli import main
from sam_py.cli.attach import Attachments, mime_of, standard_input
from sam_py.errors import SamError
from sam_py.messages.parts import FilePart, ImagePart
from sam_py.providers.guide.demos import drawing
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ChatSettings, ModelChoice, ProviderSettings, Settings
from tests.fakes import documents as made
from tests.fakes.fault_server import Behaviour, FaultServer, Hangup, Json, Reply, Status, Stream, chunk, closed_port


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of their own, no keyring, nothing piped in."""
    monkeypatch.setenv("SAM_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


@pytest.fixture(autouse=True)
def quick_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    from sam_py.cli import ask as ask_module
    from sam_py.providers.guide.provider import GuideProvider

    monkeypatch.setattr(ask_module, "GuideProvider", lambda: GuideProvider(chunks_per_s=1e6))


class Served:
    """A `FaultServer` on a thread of its own, because the command runs its own loop."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.server = FaultServer(*behaviours)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()))

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        async with self.server:
            self._ready.set()
            await self._stop.wait()

    def __enter__(self) -> FaultServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self.server

    def wait_until_streaming(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.streaming.wait(), self._loop).result(20)

    def __exit__(self, *_: object) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture
def settings_with(person: Path) -> Callable[[Settings], None]:
    def write(settings: Settings) -> None:
        file = SettingsFile(person / "config" / "settings.json")
        file.change(lambda _: settings)
        file.close()

    return write


def test_without_any_provider_the_guide_answers(capsys):
    assert main(["ask", "how", "do", "I", "stop", "a", "reply"]) == 0
    said = capsys.readouterr()
    assert "Press **Esc**" in said.out
    assert said.out.endswith("\n")
    assert said.err == ""


def test_a_reply_of_a_server_is_printed(capsys):
    with Served(Reply("Hello", " there")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) == 0
    assert capsys.readouterr().out == "Hello there\n"
    [request] = server.requests
    assert request.body["model"] == "m"
    assert request.body["messages"][-1]["content"] == "Hi"
    assert "authorization" not in {name.lower() for name in request.headers}


def test_the_options_reach_the_request(capsys):
    options = ["--system", "Be brief.", "--temperature", "0.2", "--max-tokens", "7", "--no-stream"]
    with Served(Reply("ok")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m", *options]) == 0
    body = server.requests[0].body
    assert body["messages"][0]["content"] == "Be brief."
    assert body["temperature"] == 0.2
    assert 7 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert capsys.readouterr().out == "ok\n"


def test_no_tool_is_offered_where_nobody_can_be_asked(capsys):
    with Served(Reply("ok")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) == 0
    assert not {"tools", "tool_choice", "functions"} & set(server.requests[0].body)


def test_without_a_model_the_server_is_asked_for_one(capsys):
    models = Json({"data": [{"id": "first"}, {"id": "second"}]})
    with Served(models, Reply("ok")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url]) == 0
    assert server.requests[-1].body["model"] == "first"


def test_a_key_comes_from_the_environment(capsys, monkeypatch):
    monkeypatch.setenv("SAM_PY_KEY_CLI", "sk-canary")
    with Served(Reply("ok")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) == 0
    assert server.requests[0].headers.get("authorization", server.requests[0].headers.get("Authorization")) == (
        "Bearer sk-canary"
    )


def test_the_default_model_of_the_settings_answers(capsys, settings_with):
    with Served(Reply("from", " settings")) as server:
        provider = ProviderSettings(id="box", label="Box", base_url=server.base_url)
        chosen = ChatSettings(default=ModelChoice(provider="box", model="big"), system_prompt="S")
        settings_with(Settings(providers=(provider,), chat=chosen))
        assert main(["ask", "Hi"]) == 0
    assert capsys.readouterr().out == "from settings\n"
    assert server.requests[0].body["model"] == "big"
    assert server.requests[0].body["messages"][0]["content"] == "S"


@pytest.mark.parametrize(
    ("behaviour", "code", "said"),
    [
        (Status(401, '{"error": {"message": "bad key"}}'), 4, "key"),
        (Status(404, '{"error": {"message": "no such model", "code": "model_not_found"}}'), 5, "m"),
        (Status(400, '{"error": {"message": "nonsense"}}'), 5, "nonsense"),
        (Stream((chunk("Half"),), then="cut"), 5, ""),
        (Status(200, "<html>", content_type="text/html"), 5, ""),
    ],
)
def test_the_exit_code_says_what_went_wrong(capsys, behaviour, code, said):
    with Served(behaviour) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err


def test_what_came_before_a_break_is_printed(capsys):
    with Served(Stream((chunk("Half"),), then="cut")) as server:
        main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"])
    assert capsys.readouterr().out == "Half\n"


def test_no_server_is_no_connection(capsys):
    assert main(["ask", "Hi", "--base-url", f"http://127.0.0.1:{closed_port()}/v1", "--model", "m"]) == 3
    assert main(["ask", "Hi", "--base-url", f"http://127.0.0.1:{closed_port()}/v1"]) == 3
    assert capsys.readouterr().err


def test_a_server_that_hangs_up_is_an_error_and_no_traceback(capsys):
    with Served(Hangup()) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) in (3, 5)
    assert "Traceback" not in capsys.readouterr().err


def test_json_is_one_object_with_everything(capsys):
    with Served(Stream((chunk(reasoning_content="Hm."), *Reply("Hello").chunks))) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == 1
    assert (said["text"], said["thinking"], said["stop_reason"]) == ("Hello", "Hm.", "stop")
    assert (said["provider"], said["error"]) == ("cli", None)
    assert said["metrics"]["duration_s"] >= 0


@pytest.mark.parametrize("options", [["--base-url", "ftp://x"], ["--provider", "nobody"], ["--file", "/no/such"]])
def test_json_says_usage_errors_too(capsys, options):
    assert main(["ask", "Hi", "--json", *options]) == 2
    said = json.loads(capsys.readouterr().out)
    assert said["error"]["text"]
    assert said["text"] == ""


def test_json_says_errors_of_the_provider_with_what_came(capsys):
    with Served(Stream((chunk("Half"),), then="cut")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m", "--json"]) == 5
    said = json.loads(capsys.readouterr().out)
    assert (said["text"], said["stop_reason"]) == ("Half", "error")
    assert said["error"]["code"] == "cut_off"


def test_an_image_of_the_guide_is_listed_in_json(capsys):
    assert main(["ask", "an image", "--json"]) == 0
    [image] = json.loads(capsys.readouterr().out)["images"]
    assert image == {"mime_type": "image/png", "size": len(drawing())}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--provider", "nobody"], "openai"),
        (["--base-url", "localhost:8080"], "http://"),
        (["--file", "/no/such/file"], "cannot be read"),
        (["--model", "unknown-model"], "--provider"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_can(capsys, options, said):
    assert main(["ask", "Hi", *options]) == 2
    assert said in capsys.readouterr().err


def test_an_empty_question_is_refused(capsys):
    assert main(["ask"]) == 2
    assert "Write a question" in capsys.readouterr().err


def test_files_go_along(capsys, tmp_path):
    notes, picture = tmp_path / "notes.rs", tmp_path / "p.png"
    notes.write_text("fn main() {}")
    picture.write_bytes(drawing(4, 4))
    with Served(Reply("ok")) as server:
        options = ["--file", str(notes), "--file", str(picture), "--base-url", server.base_url, "--model", "gpt-4o"]
        assert main(["ask", "See", *options]) == 0
    sent = json.dumps(server.requests[0].body)
    assert "fn main() {}" in sent
    assert "notes.rs" in sent


def test_a_folder_or_a_huge_file_is_refused(tmp_path, monkeypatch):
    with pytest.raises(SamError, match="is a folder"):
        Attachments().add(tmp_path)
    monkeypatch.setattr("sam_py.cli.attach.LARGEST_BYTES", 3)
    large = tmp_path / "large"
    large.write_bytes(b"1234")
    with pytest.raises(SamError, match="larger than"):
        Attachments().add(large)


@pytest.mark.parametrize(
    ("data", "name", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n", "x.txt", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "x", "image/webp"),
        (b"const a = 1;", "a.zig", "text/plain"),
        (b"# Title", "a.md", "text/markdown"),
        (b"{}", "a.json", "application/json"),
        (b"%PDF-1.7\x00", "a.pdf", "application/pdf"),
        (b"\x00\x00", "a.png", "application/octet-stream"),
        ("ä".encode("latin-1"), "a.dat", "application/octet-stream"),
    ],
)
def test_the_type_of_a_file_is_told_by_its_content(data, name, mime):
    assert mime_of(data, name) == mime
    part = Attachments().put(data, name)
    assert isinstance(part, ImagePart if mime.startswith("image/") else FilePart)


def test_piped_text_is_read_and_a_terminal_is_not():
    assert standard_input(False, io.StringIO("piped\n")) == "piped"
    assert standard_input(True, io.StringIO("not a pipe")) == ""
    terminal = io.StringIO("typed")
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    assert standard_input(False, terminal) == ""


def test_damaged_settings_are_said_and_do_not_stop_the_answer(capsys, person):
    (person / "config").mkdir()
    (person / "config" / "settings.json").write_text("{")
    assert main(["ask", "dark mode"]) == 0
    said = capsys.readouterr()
    assert "damaged" in said.err
    assert "Light and dark" in said.out


def test_a_reply_cannot_steer_the_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with Served(Reply("a\x1b[31mred\x07\x9b2J\nnext\tline")) as server:
        assert main(["ask", "Hi", "--base-url", server.base_url, "--model", "m"]) == 0
    assert capsys.readouterr().out == "a[31mred2J\nnext\tline\n"


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_prints_what_came_as_json(person):
    served = Served(Stream((chunk("Half"),), then="hang"))
    with served as server:
        command = [sys.executable, "-m", "sam_py", "ask", "x", "--json", "--base-url", server.base_url, "--model", "m"]
        with subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        ) as process:
            served.wait_until_streaming()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == ""
    assert json.loads(out)["stop_reason"] in ("aborted", None)  # None: interrupted before the first word was read


def test_a_document_on_the_command_line_has_its_text_taken_out(tmp_path: Path) -> None:
    (tmp_path / "plan").write_bytes(made.docx())
    attachments = Attachments()
    part = attachments.add(tmp_path / "plan")
    assert isinstance(part, FilePart)
    for _ in range(2):  # the second time without a process
        document = asyncio.run(attachments.document(part))
        assert document is not None
        assert "| Name | City | Age |" in document.markdown
