"""An estimate of the service's clock, and the time to spend on a decision.

Times are nanoseconds of two local clocks, passed as arguments; durations are seconds.
"""

from __future__ import annotations

from collections import deque
from threading import Lock

from dragontooth.model import Delay, Fischer, TimeControl

#: Minimum lifetime of an observation. A longer one would outlive a step of a clock.
WINDOW_NS = 60 * 10**9
#: Number of round trips remembered.
REMEMBERED = 16
#: Assumed round trip before any answer was accepted, in seconds.
FIRST_GUESS = 0.020
#: Longest round trip that counts, in seconds: a longer one is an outlier.
LONGEST = 1.0
#: Safety margin subtracted from the clock besides the longest recent round trip, in seconds: for a
#: thread that wakes late and a round trip that is longer than those before.
SAFETY_MARGIN = 0.050
#: A bot gets at least the time left divided by this.
LEAST_PART_DIVISOR = 4
#: One decision gets the time left on the clock divided by this.
STOCK_DIVISOR = 20


class ServerClock:
    """An estimate of the service's clock from the times in its messages.

    A time that arrives now was read a little earlier, so the service's clock is ahead of it. The
    observation furthest ahead is the best one. Any thread may use it.
    """

    def __init__(self, now_ns: int, wall_ns: int) -> None:
        self._lock = Lock()
        self._started = now_ns
        self._started_wall = wall_ns
        self._best: int | None = None
        self._best_before: int | None = None
        #: The better one of both; None before the first observation.
        self._ahead: int | None = None
        self._window_start = now_ns

    def observe(self, server_ns: int, now_ns: int) -> None:
        """Records that the service's clock shows at least `server_ns` now."""
        ahead = server_ns - self._local(now_ns)
        with self._lock:
            if now_ns - self._window_start > WINDOW_NS:
                self._best_before, self._best = self._best, None
                self._window_start = now_ns
            if self._best is None or ahead > self._best:
                self._best = ahead
                before = self._best_before
                self._ahead = ahead if before is None else max(ahead, before)

    def until(self, deadline_ns: int, now_ns: int) -> float:
        """Returns the seconds until `deadline_ns` on the service's clock, at least 0.

        Before the first observation it assumes that both clocks agree.
        """
        return max(0, deadline_ns - (self._local(now_ns) + (self._ahead or 0))) / 1e9

    def left(self, deadline_ns: int, whole: float, now_ns: int) -> float:
        """Returns the seconds until `deadline_ns` of a seat that has `whole` for its decision.

        Before the first observation, a deadline that seems to have passed shows that the local
        clock is ahead: a service sends no decision that is too late.
        """
        is_unknown = self._ahead is None
        left = self.until(deadline_ns, now_ns)
        return whole if is_unknown and left == 0 else min(left, whole)

    def _local(self, now_ns: int) -> int:
        return self._started_wall + now_ns - self._started


class RoundTrips:
    """Recent times from sending an answer until the service accepted it, in seconds."""

    def __init__(self) -> None:
        self._last = deque([FIRST_GUESS] * REMEMBERED, maxlen=REMEMBERED)
        #: The longest recent round trip.
        self.longest = FIRST_GUESS

    def add(self, took: float) -> None:
        """Adds a round trip."""
        self._last.append(min(took, LONGEST))
        self.longest = max(self._last)


def allowance(control: TimeControl | None, stock: float) -> float:
    """Returns the time a seat has for a decision when its clock shows `stock`."""
    return stock + control.delay if isinstance(control, Delay) else stock


def thinking_time(
    control: TimeControl | None, stock: float | None, left: float, kept: float
) -> float:
    """Returns the thinking time for a decision.

    The clock runs out after `left` and shows `stock`; `kept` is reserved for overhead such as the
    round trip of the answer. If that would leave nothing, a quarter of `left` is worth the risk.
    The clock is spent in fractions, because the number of decisions to come is unknown.
    """
    usable = max(left - kept, left / LEAST_PART_DIVISOR)
    part = (left if stock is None else stock) / STOCK_DIVISOR
    if isinstance(control, Fischer):
        return min(usable, part + control.increment)
    if isinstance(control, Delay):
        return min(usable, part + max(0.0, control.delay - kept))
    return usable
