"""Quick work on the thread of the event loop, and the loss of the loop by slow work."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from conftest import PATIENCE
from dragontooth import leading_loop, thinking
from dragontooth.thinking import Job, ThinkingPool

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11) or os.name != "posix", reason="the loop is that of asyncio.run"
)


class Results:
    """Submits work and waits for its results."""

    def __init__(self, threads: int) -> None:
        self.pool = ThinkingPool(threads)
        self._results: asyncio.Queue[tuple[object, BaseException | None]] = asyncio.Queue()

    def submit(self, work: Callable[[], object]) -> Job:
        return self.pool.submit(work, lambda *result: self._results.put_nowait(result))

    async def next(self) -> object:
        result, failure = await asyncio.wait_for(self._results.get(), PATIENCE)
        if failure is not None:
            raise failure
        return result


class Looks:
    """The loop's looks at its work, on demand."""

    def __init__(self) -> None:
        self._paused = threading.Semaphore(0)
        self._goes_on = threading.Semaphore(0)

    def pause(self, _seconds: float) -> None:
        self._paused.release()
        self._goes_on.acquire()

    def look(self) -> None:
        """Has the work that is under way looked at once."""
        assert self._paused.acquire(timeout=PATIENCE)
        self._goes_on.release()
        assert self._paused.acquire(timeout=PATIENCE)
        self._paused.release()

    def end(self) -> None:
        self._goes_on.release()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Looks]:
    looks = Looks()
    monkeypatch.setattr(leading_loop, "time", SimpleNamespace(sleep=looks.pause))
    # All work is quick.
    monkeypatch.setattr(thinking, "time", SimpleNamespace(perf_counter=lambda: 0.0))
    yield looks
    looks.end()


@pytest.mark.parametrize("threads", [1, 4])
def test_quick_work_is_done_on_the_thread_of_the_loop(threads: int, looks: Looks) -> None:
    results = Results(threads)

    def quick() -> int:
        looks.look()
        return threading.get_ident()

    async def main() -> None:
        for _ in range(100):
            results.submit(quick)
            assert await results.next() == threading.get_ident()

    results.pool.run(main())


@pytest.mark.parametrize("threads", [1, 4])
def test_slow_work_loses_the_loop(threads: int) -> None:
    results = Results(threads)
    begun, release = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        release.wait(PATIENCE)
        return threading.get_ident()

    async def main() -> None:
        before = threading.get_ident()
        lost = results.submit(slow)
        # It came in the same turn of the loop, and goes to a thread of its own if it may.
        results.submit(lambda: "quick")
        await asyncio.to_thread(begun.wait)
        assert threading.get_ident() != before
        if threads == 1:
            assert not results.pool.disown(lost)
        assert await results.next() == "quick"
        release.set()
        assert await results.next() == before
        # The loop goes on, and the work too.
        for _ in range(10):
            results.submit(lambda: "done")
            assert await results.next() == "done"

    results.pool.run(main())


def test_work_that_lost_the_loop_hands_out_its_result_before_the_next_job() -> None:
    results = Results(1)
    begun, releases = threading.Semaphore(0), [threading.Event(), threading.Event()]

    def slow(number: int) -> int:
        begun.release()
        releases[number].wait()
        return number

    async def main() -> None:
        results.submit(lambda: slow(0))
        await asyncio.to_thread(begun.acquire)
        results.submit(lambda: slow(1))
        releases[0].set()
        assert await results.next() == 0
        releases[1].set()
        assert await results.next() == 1

    results.pool.run(main())


def test_slow_work_does_not_keep_the_loop_from_ending() -> None:
    results = Results(2)
    begun, release = threading.Semaphore(0), threading.Event()

    def slow() -> None:
        begun.release()
        release.wait(PATIENCE)

    async def main() -> str:
        for _ in range(2):
            results.submit(slow)
            await asyncio.to_thread(begun.acquire)
        # There is no third thread.
        results.submit(slow)
        return "over"

    assert results.pool.run(main()) == "over"
    release.set()


def test_what_a_bot_raises_is_its_result_and_what_the_loop_raises_ends_it() -> None:
    results = Results(1)

    async def main() -> None:
        results.submit(lambda: sys.exit(3))
        with pytest.raises(SystemExit):
            await results.next()
        raise ValueError("the end")

    with pytest.raises(ValueError, match="the end"):
        results.pool.run(main())


def test_an_interrupt_ends_it_whatever_its_thread_does() -> None:
    results = Results(1)
    ended = []

    async def main() -> None:
        results.submit(lambda: os.kill(os.getpid(), signal.SIGINT))
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        results.pool.run(main())
    assert ended == [True]
