"""Pauses between retries."""

from __future__ import annotations

import random

#: The longest first pause, in seconds.
FIRST = 0.100
#: The longest pause, in seconds.
CAP = 10.0


class Backoff:
    """Exponential backoff with jitter: each pause is up to twice the one before, up to `CAP`."""

    def __init__(self) -> None:
        self._next = FIRST

    def reset(self) -> None:
        """Starts again from the shortest pause, after a success."""
        self._next = FIRST

    def pause(self, asked: float | None = None) -> float:
        """Returns the seconds to wait after another failure.

        It is between half and all of the longest pause allowed now. If `asked` is longer than
        half, it takes the place of the half, up to `CAP`.
        """
        longest = self._next
        self._next = min(2 * longest, CAP)
        jitter = longest / 2 * random.random()
        return max(longest / 2, min(asked or 0.0, CAP)) + jitter
