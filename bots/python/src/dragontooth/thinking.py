"""Threads on which bots think."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

#: Gets the result of some work, or the exception that it raised.
Done = Callable[[Any, BaseException | None], None]


@dataclass(eq=False)
class Job:
    """A piece of work."""

    work: Callable[[], Any]
    done: Done
    started: bool = False
    finished: bool = False
    disowned: bool = False


class ThinkingPool:
    """A pool of up to `threads` threads, started on demand, for the work of one event loop.

    Work waits while all threads are busy. A thread cannot be stopped, so disowned work keeps its
    thread and the pool starts another one: a bot that never returns does not block the others. The
    threads are daemons and do not keep the program from exiting.
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        #: Guards the stages of jobs.
        self._lock = threading.Lock()
        #: The threads and the jobs that are not disowned; only the event loop counts them.
        self._threads = 0
        self._unfinished = 0

    def submit(self, work: Callable[[], Any], done: Done) -> Job:
        """Runs work on a thread, and then `done` on the running event loop."""
        job = Job(work, done)
        self._unfinished += 1
        self._staff()
        self._jobs.put(job)
        return job

    def disown(self, job: Job) -> bool:
        """Cancels work that has not started, and returns True; otherwise replaces its thread.

        `done` is called for work that has started only.
        """
        with self._lock:
            if job.finished or job.disowned:
                return False
            job.disowned = True
        self._unfinished -= 1
        if not job.started:
            return True
        self._threads -= 1
        self._staff()
        return False

    def close(self) -> None:
        """Ends the threads that are not at work."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _staff(self) -> None:
        """Starts a thread for work that would wait."""
        if self._threads < min(self._unfinished, self._most):
            self._threads += 1
            loop = asyncio.get_running_loop()
            threading.Thread(
                target=self._work, args=(loop,), name="dragontooth-thinking", daemon=True
            ).start()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while (job := self._jobs.get()) is not None:
            with self._lock:
                if job.disowned:
                    continue
                job.started = True
            result, failure = None, None
            try:
                result = job.work()
            except BaseException as error:  # A bot may raise anything, SystemExit too.
                failure = error
            with self._lock:
                job.finished = True
            try:
                loop.call_soon_threadsafe(self._settle, job, result, failure)
            except RuntimeError:  # The loop is closed: nothing waits for the result.
                return
            if job.disowned:
                return

    def _settle(self, job: Job, result: Any, failure: BaseException | None) -> None:
        if not job.disowned:
            self._unfinished -= 1
        job.done(result, failure)
