"""The time for a decision. The cases are those of the session in Rust."""

from __future__ import annotations

import pytest

from dragontooth import Delay, Fischer, PerAction, Seat
from dragontooth.backoff import CAP, FIRST, Backoff
from dragontooth.clock import (
    FIRST_GUESS,
    LONGEST,
    REMEMBERED,
    RoundTrips,
    ServerClock,
    allowance,
    thinking_time,
)
from dragontooth.model import decision_seed
from dragontooth.share_secret import share

MS = 10**6
WALL = 1_800_000_000 * 10**9


def test_trusts_the_local_clock_until_it_knows_better() -> None:
    clock = ServerClock(0, WALL)
    assert clock.until(WALL + 100 * MS, 30 * MS) == 0.070
    assert clock.until(WALL, 30 * MS) == 0


def test_takes_the_observation_with_the_least_delay() -> None:
    clock = ServerClock(0, WALL)
    # The service's clock is 5 s behind; its messages travel 40 ms, 2 ms and 300 ms.
    behind = 5000 * MS
    for sent, travelled in [(0, 40), (100, 2), (200, 300)]:
        clock.observe(WALL + sent * MS - behind, (sent + travelled) * MS)
    assert clock.until(WALL + 1000 * MS - behind, 600 * MS) == 0.402


def test_forgets_what_is_old() -> None:
    clock = ServerClock(0, WALL)
    clock.observe(WALL + 9000 * MS, 0)
    for minute in (1, 2, 3):
        later = minute * 60_000 * MS + minute * MS
        clock.observe(WALL + later, later)
    later = 4 * 60_000 * MS
    assert clock.until(WALL + later + MS, later) == 0.001


def test_leaves_no_more_than_the_whole_clock_and_not_nothing_unless_it_knows() -> None:
    clock = ServerClock(0, WALL)
    hour = 3_600_000 * MS
    # The local clock is an hour behind, right, and an hour ahead.
    assert clock.left(WALL + hour, 0.1, 0) == 0.1
    assert clock.left(WALL + 70 * MS, 0.1, 0) == 0.07
    assert clock.left(WALL - hour, 0.1, 0) == 0.1
    clock.observe(WALL, 0)
    assert clock.left(WALL - MS, 0.1, 0) == 0
    assert clock.left(WALL + hour, 0.1, 0) == 0.1


def test_remembers_the_longest_of_the_last_round_trips() -> None:
    trips = RoundTrips()
    assert trips.longest == FIRST_GUESS
    trips.add(300)
    assert trips.longest == LONGEST
    for _ in range(REMEMBERED):
        trips.add(0.003)
    assert trips.longest == 0.003


@pytest.mark.parametrize(
    ("control", "stock", "left", "expected"),
    [
        (PerAction(1), 1, 1, 0.95),
        (PerAction(1), 1, 0.4, 0.35),
        (PerAction(0.06), 0.06, 0.06, 0.015),
        (PerAction(0.06), 0.06, 0, 0),
        (Fischer(60, 0.5), 60, 60, 3.5),
        (Fischer(60, 0.5), 0.4, 0.4, 0.35),
        (Delay(60, 2), 60, 62, 4.95),
        (Delay(60, 2), 0, 2, 1.95),
    ],
)
def test_thinking_time(
    control: PerAction | Fischer | Delay, stock: float, left: float, expected: float
) -> None:
    assert thinking_time(control, stock, left, 0.05) == pytest.approx(expected)


def test_a_delay_comes_on_top_of_the_stock() -> None:
    assert allowance(Delay(60, 2), 60) == 62
    assert allowance(Fischer(60, 2), 60) == 60


def test_pauses_double_up_to_the_cap() -> None:
    backoff = Backoff()
    longest = FIRST
    for _ in range(9):
        assert longest / 2 <= backoff.pause() <= longest
        longest = min(2 * longest, CAP)
    assert backoff.pause(3600) >= CAP
    backoff.reset()
    assert backoff.pause() <= FIRST
    assert 2 <= Backoff().pause(2) <= 2 + FIRST
    for _ in range(9):
        backoff.pause(2)
    assert backoff.pause(2) >= CAP / 2


def test_the_seed_of_a_decision_is_that_of_all_programs() -> None:
    # printf 'dragontooth.decision.v1\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\4demo' | sha256sum
    assert decision_seed(7, "demo", Seat.FIRST, 4) == 0xC092F17D6E7246E2


def test_the_share_of_a_seed_is_that_of_all_programs() -> None:
    # printf 'dragontooth.share.v1\0c0ffee' | openssl dgst -sha256 -hmac 'a secret'
    expected = "1c502e1cc2993f45c40d46cfcc4b9e8ac1ab8222bac959f0513f2f2009890222"
    assert share("a secret", "c0ffee") == expected
