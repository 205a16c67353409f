"""Pauses between tries."""

from __future__ import annotations

import random

#: The longest first pause, in seconds.
FIRST = 0.100
#: The longest pause, in seconds.
CAP = 10.0


class Backoff:
    """Each pause is up to twice as long as the one before, with a cap, and drawn."""

    def __init__(self) -> None:
        self._next = FIRST

    def reset(self) -> None:
        """A try succeeded: the next pause is a first one."""
        self._next = FIRST

    def pause(self, asked: float | None = None) -> float:
        """The seconds to wait after one more failure, at least `asked`.

        Between half and all of the longest one, or that much more than `asked`.
        """
        longest = self._next
        self._next = min(2 * longest, CAP)
        jitter = longest / 2 * random.random()
        return (longest / 2 if asked is None else min(asked, CAP)) + jitter
