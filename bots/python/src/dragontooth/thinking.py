"""Threads on which bots think."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class Job:
    """A piece of work; `done` holds its result or exception."""

    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]
    running: bool = False
    disowned: bool = False


class ThinkingPool:
    """A pool of up to `threads` threads, started on demand.

    Work waits while all threads are busy. A thread cannot be stopped, so disowned work keeps its
    thread and the pool starts another one: a bot that never returns does not block the others. The
    threads are daemons and do not keep the program from exiting.
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._threads = 0
        self._idle = 0
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def submit(self, work: Callable[[], Any]) -> Job:
        """Runs work on a thread, for the running event loop."""
        loop = asyncio.get_running_loop()
        job = Job(work, loop, loop.create_future())
        with self._changed:
            self._waiting.append(job)
            self._serve()
        return job

    def disown(self, job: Job) -> None:
        """Cancels work that has not started; otherwise replaces its thread."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
            elif job.running and not job.disowned:
                job.disowned = True
                self._threads -= 1
                if self._waiting:
                    self._serve()

    def close(self) -> None:
        """Ends the idle threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _serve(self) -> None:
        """Wakes or starts a thread for waiting work. The caller holds the lock."""
        if self._idle < len(self._waiting) and self._threads < self._most:
            self._threads += 1
            threading.Thread(target=self._work, name="dragontooth-thinking", daemon=True).start()
        self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting and not self._closed:
                    self._changed.wait()
                self._idle -= 1
                if not self._waiting:
                    self._threads -= 1
                    return
                job = self._waiting.popleft()
                job.running = True
            result, failure = None, None
            try:
                result = job.work()
            except BaseException as error:  # A bot may raise anything, SystemExit too.
                failure = error
            with self._changed:
                job.running = False
            try:
                job.loop.call_soon_threadsafe(_settle, job.done, result, failure)
            except RuntimeError:  # The loop is closed: nothing waits for the result.
                return
            if job.disowned:
                return


def _settle(done: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(result)
    elif isinstance(failure, StopIteration) or not isinstance(failure, Exception):
        # A future refuses StopIteration; the others would end the loop.
        wrapped = RuntimeError(f"{type(failure).__name__}: {failure}")
        wrapped.__cause__ = failure
        done.set_exception(wrapped)
    else:
        done.set_exception(failure)
