"""The addresses of one service: one is in use until it fails, and then the next."""

from __future__ import annotations

from collections.abc import Sequence

from dragontooth.errors import CallError, CallFailed, Refused, StreamClosed, TlsFailed, Unreachable

#: Time in seconds in which an address has to answer: a call, or the opening of a stream.
CALL_TIMEOUT = 20.0
#: The same if another address is left to try.
REPLICA_TIMEOUT = 5.0
#: Age in seconds of a stream from which on its loss is mended at once if another address is left.
STEADY = 1.0
#: Codes after which another address may answer.
AWAY = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED"})


class Replicas:
    """The addresses of one service, in the order in which they are tried, and their failures."""

    def __init__(self, addresses: Sequence[str], at: int = 0) -> None:
        self._addresses = addresses
        #: The number of the address in use, from 0.
        self.at = at
        #: The failures of this round, in which each address is tried once.
        self._failures: dict[int, CallError] = {}
        #: True if the address in use has answered: when its stream is lost, it is tried again too.
        self._has_answered = False

    @property
    def timeout(self) -> float:
        """The time in seconds in which the address in use has to answer."""
        is_last = len(self._failures) + 1 >= len(self._addresses)
        return CALL_TIMEOUT if is_last else REPLICA_TIMEOUT

    def answered(self) -> None:
        """Begins a new round: the address in use has answered."""
        self._failures.clear()
        self._has_answered = True

    def failed(self, failure: CallError) -> CallError | None:
        """Moves on if another address may help.

        Returns None if that is still to be tried in this round, or else the failure of the round.
        """
        has_answered, self._has_answered = self._has_answered, False
        if len(self._addresses) == 1 or not is_away(failure):
            self._failures.clear()
            return failure
        if not has_answered:
            self._failures[self.at] = failure
        self.at = (self.at + 1) % len(self._addresses)
        if len(self._failures) < len(self._addresses):
            return None
        of_all = self._all_failed()
        self._failures.clear()
        return of_all

    def named(self, failure: CallError) -> str:
        """Returns the text of the last failure, with the address if there are several."""
        if len(self._addresses) == 1 or not is_away(failure):
            return str(failure)
        return f"{self._addresses[self.at - 1]}: {failure}"

    def _all_failed(self) -> CallError:
        failures = self._failures.items()
        refusals = [failure for _, failure in failures if isinstance(failure, Refused)]
        if refusals:
            return refusals[-1]
        text = "; ".join(f"{self._addresses[at]}: {failure}" for at, failure in failures)
        is_tls = all(isinstance(failure, TlsFailed) for _, failure in failures)
        return TlsFailed(text) if is_tls else Unreachable(text)


def is_away(failure: CallError) -> bool:
    """Returns True if the address does not answer, or answers that it cannot serve for now."""
    if isinstance(failure, StreamClosed):
        return False
    code = failure.code if isinstance(failure, (Refused, CallFailed)) else ""
    return isinstance(failure, (Unreachable, TlsFailed)) or code in AWAY
