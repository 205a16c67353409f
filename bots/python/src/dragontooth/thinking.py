"""Threads on which bots think."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from dragontooth.leading_loop import LeadingLoop

#: Gets the result of some work, or the exception that it raised.
Done = Callable[[Any, BaseException | None], None]

#: Time in seconds below which work is quick.
QUICK = 0.001
#: Time in seconds without a result after which waiting work gets threads of its own.
PATIENCE = 0.002

T = TypeVar("T")


@dataclass(eq=False)
class Job:
    """A piece of work."""

    work: Callable[[], Any]
    done: Done
    started: bool = False
    finished: bool = False
    quick: bool = False
    disowned: bool = False
    result: Any = None
    failure: BaseException | None = None


class ThinkingPool:
    """A pool of up to `threads` threads, started on demand, for the work of one event loop.

    Slow work gets a thread at once. To wake a thread costs more than a quick decision: as long as
    work is quick, the thread of a `LeadingLoop` does it itself. On another loop one thread does it
    all and returns the results together; if nothing comes back for `PATIENCE`, the work that waits
    gets threads of its own. Beyond `threads`, work waits.

    A thread cannot be stopped, so disowned work keeps its thread and the pool starts another one: a
    bot that never returns does not block the others. The threads are daemons and do not keep the
    program from exiting.
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        #: Guards the stages of jobs, the finished ones and the number of threads.
        self._lock = threading.Lock()
        #: The jobs whose results the event loop does not have yet.
        self._finished: list[Job] = []
        #: The threads that are not disowned.
        self._threads = 0
        #: Only the event loop counts these: jobs that are not disowned, and results.
        self._unfinished = 0
        self._results = 0
        self._is_quick = False
        self._is_watched = False
        #: The event loop, if its thread works too.
        self._loop: LeadingLoop[Job] | None = None

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on an event loop whose thread does quick work itself.

        Where the calling thread could not be interrupted while it waits, it is `asyncio.run`.
        """
        if sys.version_info < (3, 11) or os.name != "posix":
            return asyncio.run(main)

        def loop() -> asyncio.AbstractEventLoop:
            self._loop = LeadingLoop(self)
            return self._loop

        self._is_quick = True
        with asyncio.Runner(loop_factory=loop) as runner:
            return runner.run(main)

    def submit(self, work: Callable[[], Any], done: Done) -> Job:
        """Runs work on a thread, and then `done` on the running event loop."""
        job = Job(work, done)
        self._unfinished += 1
        # If it takes long after all, its thread counts as one of the pool.
        if self._loop is not None and self._is_quick and self._threads < self._most:
            self._loop.work(job)
            return job
        with self._lock:
            # A thread that finds no job may leave.
            self._jobs.put(job)
            waits = self._unfinished > self._threads
        if waits:
            self._staff()
        return job

    def disown(self, job: Job) -> bool:
        """Cancels work that has not started, and returns True; otherwise replaces its thread.

        `done` is called for work that has started only.
        """
        with self._lock:
            if job.finished or job.disowned:
                return False
            job.disowned = True
            if job.started:
                self._threads -= 1
        self._unfinished -= 1
        if not job.started:
            return True
        if self._unfinished > self._threads:
            self._staff()
        return False

    def close(self) -> None:
        """Ends the threads that are not at work."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _staff(self) -> None:
        """Starts threads for the work that waits; looks at it soon instead if work is quick."""
        loop = asyncio.get_running_loop()
        if not self._is_quick or self._threads == 0:
            self._start_threads(loop)
        elif not self._is_watched:
            self._is_watched = True
            loop.call_later(PATIENCE, self._look, self._results)

    def _look(self, results: int) -> None:
        """Starts threads for the work that waits if there were no results meanwhile."""
        self._is_watched = False
        self._settle()
        if self._unfinished > self._threads:
            if self._results == results:
                self._start_threads(asyncio.get_running_loop())
            else:
                self._staff()

    def _start_threads(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            missing = max(min(self._unfinished, self._most) - self._threads, 0)
            self._threads += missing
        for _ in range(missing):
            threading.Thread(
                target=self._work, args=(loop,), name="dragontooth-thinking", daemon=True
            ).start()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                if not self._report(loop) or self._leaves():
                    return
                job = self._jobs.get()
            if job is None:
                return
            if not self._do(job):
                continue
            # The next job may take long. A single thread may go on with it if a `_look` is due,
            # which hands out what it has done.
            is_looked_at = self._threads <= 1 and self._is_watched
            if not (job.quick and is_looked_at) and not self._report(loop):
                return
            if job.disowned:
                self._report(loop)
                return

    def _do(self, job: Job) -> bool:
        """Does a job, unless it was disowned before: then it returns False."""
        with self._lock:
            if job.disowned:
                return False
            job.started = True
        begun = time.perf_counter()
        try:
            job.result = job.work()
        except BaseException as error:  # A bot may raise anything, SystemExit too.
            job.failure = error
        job.quick = time.perf_counter() - begun < QUICK
        with self._lock:
            job.finished = True
            self._finished.append(job)
            self._is_quick = job.quick
        return True

    def work(self, work: Job) -> None:
        """Does a job on the thread of the event loop."""
        self._do(work)

    def done(self) -> None:
        """Hands out the results."""
        self._settle()

    def lose(self, waiting: list[Job]) -> None:
        """Counts the thread that loses the event loop as one of the pool."""
        assert self._loop is not None
        with self._lock:
            self._threads += 1
            self._is_quick = False
        for job in waiting:
            self._jobs.put(job)
        if waiting:
            self._loop.call_soon(self._staff)

    def after_loss(self, work: Job) -> None:
        """Goes on as a thread of the pool."""
        assert self._loop is not None
        # Before the next job, which may take long.
        if self._report(self._loop) and not work.disowned:
            self._work(self._loop)

    def _report(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Wakes the event loop if there are results; returns False if it is closed."""
        if self._finished:
            try:
                loop.call_soon_threadsafe(self._settle)
            except RuntimeError:  # Nothing waits for the results.
                return False
        return True

    def _leaves(self) -> bool:
        """Returns True if the calling thread is one too many."""
        with self._lock:
            needed = 1 if self._loop is None else 0
            if self._is_quick and self._threads > needed and self._jobs.empty():
                self._threads -= 1
                return True
            return False

    def _settle(self) -> None:
        with self._lock:
            finished, self._finished = self._finished, []
        self._results += len(finished)
        for job in finished:
            if not job.disowned:
                self._unfinished -= 1
            job.done(job.result, job.failure)
