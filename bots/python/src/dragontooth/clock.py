"""What time it is at the service, and how much of it a decision may take.

Times are nanoseconds of two local clocks that are given as arguments; durations are seconds.
"""

from __future__ import annotations

from collections import deque

from dragontooth.model import Delay, Fischer, TimeControl

#: For how long an observation counts, at least: longer ones would outlive a step of a clock.
WINDOW_NS = 60 * 10**9
#: How many answers are remembered.
REMEMBERED = 16
#: What an answer is taken to need before any was accepted, in seconds.
FIRST_GUESS = 0.020
#: The longest round trip that is reckoned with: a longer one is taken for an accident.
LONGEST = 1.0
#: What is kept of a decision's time besides the longest of the last round trips: for a thread that
#: wakes late, and for a journey that is longer than those before.
SAFETY_MARGIN = 0.050
#: The part of the time left that a bot gets at least, as a divisor.
LEAST_PART_DIVISOR = 4
#: The part of a stock of time that one decision gets, as a divisor.
STOCK_DIVISOR = 20


class ServerClock:
    """What the service's clock shows, as far as its messages tell.

    A time of the service that arrives now is a little in the past, so the service's clock is ahead
    of that observation; the observation that is furthest ahead of the others is the best.
    """

    def __init__(self, now_ns: int, wall_ns: int) -> None:
        self._started = now_ns
        self._started_wall = wall_ns
        self._best: int | None = None
        self._best_before: int | None = None
        self._window_start = now_ns

    def observe(self, server_ns: int, now_ns: int) -> None:
        """The service's clock shows at least `server_ns` now."""
        if now_ns - self._window_start > WINDOW_NS:
            self._best_before, self._best = self._best, None
            self._window_start = now_ns
        ahead = server_ns - self._local(now_ns)
        self._best = ahead if self._best is None else max(self._best, ahead)

    def until(self, deadline_ns: int, now_ns: int) -> float:
        """Seconds until `deadline_ns` of the service's clock, at least 0.

        As long as nothing was observed, the local clock stands for the service's.
        """
        seen = [ahead for ahead in (self._best, self._best_before) if ahead is not None]
        ahead = max(seen, default=0)
        return max(0, deadline_ns - (self._local(now_ns) + ahead)) / 1e9

    def _local(self, now_ns: int) -> int:
        return self._started_wall + now_ns - self._started


class RoundTrips:
    """How long the last answers took until the service had accepted them, in seconds."""

    def __init__(self) -> None:
        self._last = deque([FIRST_GUESS] * REMEMBERED, maxlen=REMEMBERED)

    def add(self, took: float) -> None:
        """One more answer."""
        self._last.append(min(took, LONGEST))

    @property
    def longest(self) -> float:
        """What an answer has to reckon with."""
        return max(self._last)


def allowance(control: TimeControl | None, stock: float) -> float:
    """How long a seat may take from the start of a decision, when its clock shows `stock`."""
    return stock + control.delay if isinstance(control, Delay) else stock


def thinking_time(
    control: TimeControl | None, stock: float | None, left: float, kept: float
) -> float:
    """The time that a bot gets for a decision.

    When `left` has passed the clock runs out, the clock shows `stock`, and `kept` is kept for what
    has to be done besides, such as the answer's journey. Where that would eat all of it, a quarter
    is worth the risk. A stock is spent in parts: nobody knows how many decisions follow.
    """
    usable = max(left - kept, left / LEAST_PART_DIVISOR)
    part = (left if stock is None else stock) / STOCK_DIVISOR
    if isinstance(control, Fischer):
        return min(usable, part + control.increment)
    if isinstance(control, Delay):
        return min(usable, part + max(0.0, control.delay - kept))
    return usable
