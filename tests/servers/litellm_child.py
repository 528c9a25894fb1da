"""Runs the LiteLLM proxy until standard input closes: ``python litellm_child.py CONFIG.yaml PORT``.

It is run by the interpreter of the servers' own environment. Prints its address when it takes requests.
"""

import os
import sys
import threading
import time
import urllib.error
import urllib.request


def main(config: str, port: str) -> None:
    address, printed = f"http://127.0.0.1:{port}", os.dup(1)
    os.dup2(2, 1)  # what it prints itself goes into the log
    for work in (end_with_parent, lambda: say_when_up(address, printed)):
        threading.Thread(target=work, daemon=True).start()

    from litellm.proxy.proxy_cli import run_server  # a parent that goes while this loads is noticed

    run_server(["--config", config, "--host", "127.0.0.1", "--port", port, "--telemetry", "False"])


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


def say_when_up(address: str, printed: int) -> None:
    while True:
        try:
            with urllib.request.urlopen(f"{address}/health/liveliness", timeout=5):
                break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    os.write(printed, f"{address}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
