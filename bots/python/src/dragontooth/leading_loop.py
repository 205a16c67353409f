"""An event loop whose thread does short work itself, and passes the loop on if that takes long."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

#: Time in seconds between two looks at the work. Work that two of them find loses the loop.
LOOK = 0.005
#: Time in seconds after which a signal is handled at the latest.
SIGNAL_LOOK = 0.5

Work = TypeVar("Work")


class Worker(Protocol[Work]):
    """Does the work between the turns of a loop."""

    def work(self, work: Work) -> None:
        """Does it, on the thread of the loop. Never raises."""

    def done(self) -> None:
        """Called on the loop after work that has not lost it."""

    def lose(self, waiting: list[Work]) -> None:
        """Called when work loses the loop, with the work that has not begun."""

    def after_loss(self, work: Work) -> None:
        """Called after work that has lost the loop, on its thread."""


class LeadingLoop(asyncio.SelectorEventLoop, Generic[Work]):
    """An event loop that runs on daemon threads, on one at a time.

    To wake a thread costs more than short work, so the thread of the loop does such work between
    two turns. If work takes long, another thread goes on with the loop, after two times `LOOK` at
    most. The thread that calls `run_forever` only waits: it returns whatever the work does.
    """

    def __init__(self, worker: Worker[Work]) -> None:
        super().__init__()
        self._worker = worker
        self._waiting: deque[Work] = deque()
        self._is_ending = False
        self._over = threading.Event()
        self._failure: BaseException | None = None
        #: Guards all below.
        self._lock = threading.Lock()
        self._current: Work | None = None
        #: The number of pieces of work that have begun.
        self._begun = 0
        self._has_watcher = False
        #: Released for a watcher that sleeps because nothing happens.
        self._alarm: threading.Lock | None = None
        self._is_closed = False

    def work(self, work: Work) -> None:
        """Has work done after this turn of the loop. Called on the loop."""
        self._waiting.append(work)
        super().stop()

    def stop(self) -> None:
        self._is_ending = True
        super().stop()

    def run_forever(self) -> None:
        self._is_ending = False
        self._failure = None
        self._over.clear()
        start(self._lead)
        try:
            # A signal that comes just before this thread waits, or to another one, wakes nothing.
            while not self._over.wait(SIGNAL_LOOK):
                pass
        except BaseException:  # Such as a KeyboardInterrupt.
            self.call_soon_threadsafe(self.stop)
            self._over.wait()
            raise
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._wake_watcher()
        super().close()

    def _lead(self) -> None:
        try:
            while True:
                super().run_forever()
                if self._is_ending:
                    break
                if not self._work_off():
                    return
        except BaseException as failure:  # Raised again by the thread that waits.
            self._failure = failure
        self._waiting.clear()
        self._over.set()

    def _work_off(self) -> bool:
        """Does the work that waits; returns False if another thread has the loop now."""
        while self._waiting:
            work = self._waiting.popleft()
            with self._lock:
                self._current = work
                self._begun += 1
                if not self._has_watcher:
                    self._has_watcher = True
                    start(self._watch)
                self._wake_watcher()
            self._worker.work(work)
            with self._lock:
                has_loop = self._current is work
                if has_loop:
                    self._current = None
            if not has_loop:
                self._worker.after_loss(work)
                return False
            self.call_soon(self._worker.done)
        return True

    def _wake_watcher(self) -> None:
        if self._alarm is not None:
            self._alarm.release()
            self._alarm = None

    def _watch(self) -> None:
        """Takes the loop over from work that takes long."""
        seen: Work | None = None
        begun = 0
        while True:
            time.sleep(LOOK)
            with self._lock:
                if self._is_closed:
                    return
                current = self._current
                if current is not None and current is seen:
                    self._current = None
                    self._has_watcher = False
                    break
                alarm = None
                if current is None and self._begun == begun:
                    self._alarm = alarm = threading.Lock()
                    alarm.acquire()
                seen, begun = current, self._begun
            if alarm is not None:
                alarm.acquire()
        waiting = list(self._waiting)
        self._waiting.clear()
        self._worker.lose(waiting)
        self._lead()


def start(target: Callable[[], object]) -> None:
    """Starts a thread that does not keep the program from exiting."""
    threading.Thread(target=target, name="dragontooth-thinking", daemon=True).start()
