"""Work on a thread ends soon after nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading

import pytest

from sam_py.tools.builtin.threads import Stop, Stopped, on_thread


def test_a_result_comes_back_from_the_thread() -> None:
    assert asyncio.run(on_thread(lambda _stop: threading.current_thread().name)) != threading.current_thread().name


def test_work_is_stopped_when_its_call_is_cancelled() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(stop: Stop) -> None:
        begun.set()
        try:
            while True:
                stop.check()
        except Stopped:
            ended.set()
            raise

    async def main() -> None:
        task = asyncio.ensure_future(on_thread(work))
        assert await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(main())
