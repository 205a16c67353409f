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
    """A piece of work; `done` is what it gives or raises."""

    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]
    running: bool = False
    disowned: bool = False


class ThinkingPool:
    """At most so many threads, made when they are needed.

    A piece of work waits while all threads are busy. One that nobody waits for any more keeps its
    thread, for a thread cannot be stopped, but another takes its place: so bots that never come
    back hold up no others. The threads are daemons: they hold up no program that ends.
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._threads = 0
        self._idle = 0
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def submit(self, work: Callable[[], Any]) -> Job:
        """Has a piece of work done for the running event loop."""
        loop = asyncio.get_running_loop()
        job = Job(work, loop, loop.create_future())
        with self._changed:
            self._waiting.append(job)
            self._serve()
        return job

    def disown(self, job: Job) -> None:
        """Does not begin a piece of work, or has another thread take the place of its thread."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
            elif job.running and not job.disowned:
                job.disowned = True
                self._threads -= 1
                if self._waiting:
                    self._serve()

    def close(self) -> None:
        """Lets the threads end that have nothing to do."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _serve(self) -> None:
        """Sees to it that a thread takes what waits. The lock is held."""
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
            except RuntimeError:  # The loop is closed: nobody waits any more.
                return
            if job.disowned:
                return


def _settle(done: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(result)
    elif isinstance(failure, StopIteration) or not isinstance(failure, Exception):
        # A future does not take the first; the others would end the loop.
        wrapped = RuntimeError(f"{type(failure).__name__}: {failure}")
        wrapped.__cause__ = failure
        done.set_exception(wrapped)
    else:
        done.set_exception(failure)
