"""The choice among the addresses of a service."""

from __future__ import annotations

import pytest

from dragontooth import wire
from dragontooth.model import CloseReason
from dragontooth.replicas import Replicas

ADDRESSES = ("http://a.example:1", "http://b.example:1")
#: Those that docs/protocol.md names under "Several addresses".
LEFT = {CloseReason.DRAINING, CloseReason.LOG_UNAVAILABLE}


@pytest.mark.parametrize("reason", CloseReason)
def test_only_a_replica_that_goes_away_is_left(reason: CloseReason) -> None:
    replicas, failure = Replicas(ADDRESSES), wire.closed(reason)
    is_left = replicas.failed(failure) is None
    assert (is_left, replicas.at) == ((True, 1) if reason in LEFT else (False, 0))
    assert failure.is_transient
