"""A stand-in for the program ``llama-server``: it takes its arguments and answers as it does, without a model.

The first question after its health says that it loads. A model named ``broken…`` ends it with an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

_PROGRAM = """\
#!{python}
import runpy
runpy.run_path({file!r}, run_name="__main__")
"""


def write_llama_program(folder: Path) -> Path:
    """Write an executable ``llama-server`` into `folder` and return it."""
    program = folder / "llama-server"
    program.write_text(_PROGRAM.format(python=sys.executable, file=__file__), encoding="utf-8")
    program.chmod(0o755)
    return program


class _Answers(BaseHTTPRequestHandler):
    alias = ""
    is_loaded = False

    def do_GET(self) -> None:
        if self.path == "/health":
            self._say(200 if _Answers.is_loaded else 503, {"status": "ok"})
            _Answers.is_loaded = True
        elif self.headers.get("Authorization") != f"Bearer {os.environ['LLAMA_API_KEY']}":
            self._say(401, {"error": {"message": "Invalid API Key"}})
        else:
            self._say(200, {"data": [{"id": _Answers.alias, "owned_by": "llamacpp", "meta": {"n_ctx": 2048}}]})

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: who asks is the test."""

    def _say(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--model", "--host", "--port", "--alias"):
        parser.add_argument(name, required=True)
    parser.add_argument("--jinja", action="store_true")
    options = parser.parse_args()
    if Path(options.model).name.startswith("broken"):
        sys.exit("0.00.1 E llama_model_load: error loading model: unknown model architecture: 'parrot'")
    _Answers.alias = options.alias
    HTTPServer((options.host, int(options.port)), _Answers).serve_forever()


if __name__ == "__main__":
    main()
