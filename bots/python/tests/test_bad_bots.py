"""Bots that do wrong lose the match, and their authors find out why."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from conftest import Pairing, Service, play, play_on_threads
from dragontooth import (
    Bot,
    Choice,
    Decision,
    ErrorReason,
    Match,
    MatchInfo,
    PerAction,
    Refused,
    Score,
    Seat,
    Session,
    Summary,
    Termination,
)
from dragontooth.examples.random_bot import RandomBot


class Raises(Bot):
    def choose(self, decision: Decision) -> str:
        raise LookupError("nothing in the book")


class RaisesAsync(Bot):
    async def choose(self, decision: Decision) -> str:
        raise LookupError("nothing in the book")


class Exits(Bot):
    def choose(self, decision: Decision) -> str:
        raise SystemExit(3)


class ExitsAsync(Bot):
    async def choose(self, decision: Decision) -> str:
        raise SystemExit(3)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise LookupError("no words")


class RaisesUnspeakably(Bot):
    def choose(self, decision: Decision) -> str:
        raise Unspeakable


class Exiting(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class RaisesExiting(Bot):
    def choose(self, decision: Decision) -> str:
        raise Exiting


class Empty(Exception):
    """It is false, and has no traceback that can be shown."""

    def __len__(self) -> int:
        return 0

    @property
    def __notes__(self) -> list[str]:
        raise LookupError("no notes")


class RaisesEmpty(Bot):
    def choose(self, decision: Decision) -> str:
        raise Empty("an empty error")


class Quits(BaseException):
    pass


class QuitsAsync(Bot):
    async def choose(self, decision: Decision) -> str:
        raise Quits("enough")


class Shy:
    """An object that raises whatever it is asked."""

    def __repr__(self) -> str:
        raise LookupError("no words")


class Liar:
    @property
    def __class__(self) -> Any:
        raise LookupError("no class")

    @__class__.setter
    def __class__(self, kind: Any) -> None:
        pass


class NoWords(Bot):
    def choose(self, decision: Decision) -> Any:
        return Shy()


class NoWordsAsync(Bot):
    async def choose(self, decision: Decision) -> Any:
        return Shy()


class NoClass(Bot):
    def choose(self, decision: Decision) -> Any:
        return Liar()


class NoWordsLater(Bot):
    """Returns something to be awaited, from a plain method."""

    def choose(self, decision: Decision) -> Any:
        async def later() -> Any:
            return Shy()

        return later()


class NoMethod(Bot):
    """The method is there when the bot is made, and raises when it is looked up again."""

    lookups = 0

    @property
    def choose(self) -> Any:
        self.lookups += 1
        if self.lookups > 1:
            raise LookupError("no method")
        return super().choose


class Illegal(Bot):
    def choose(self, decision: Decision) -> str:
        return "a1b1" if decision.seat is Seat.FIRST else "h8g8"


class Garbage(Bot):
    def choose(self, decision: Decision) -> str:
        return "\N{DRAGON} no action at all"


class Huge(Bot):
    def choose(self, decision: Decision) -> str:
        return "a" * 8_000


class TooLong(Bot):
    def choose(self, decision: Decision) -> str:
        return "a" * 2_000_000


class NoUnicode(Bot):
    def choose(self, decision: Decision) -> str:
        return "a1\ud800"


class NoText(Bot):
    def choose(self, decision: Decision) -> Any:
        return 17


class Nothing(Bot):
    def choose(self, decision: Decision) -> Any:
        return None


class ChoiceOfNothing(Bot):
    def choose(self, decision: Decision) -> str:
        nothing: Any = None
        return Choice(nothing)


class NothingElse(Illegal):
    def on_refused(self, decision: Decision, error: Refused) -> Any:
        return 17


class NoChoose(Bot):
    pass


class CannotBeMade(Bot):
    def __init__(self) -> None:
        raise OSError("no weights")


class FailsAtTheStart(RandomBot):
    def on_match_started(self, match: object) -> None:
        raise OSError("no weights")


class RaisesAtLength(Bot):
    def choose(self, decision: Decision) -> str:
        raise LookupError("one\n\ttwo \x1b[2J\ud800 " + "é" * 1000)


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        (Raises, "LookupError: nothing in the book"),
        (RaisesAsync, "LookupError: nothing in the book"),
        (Exits, "SystemExit: 3"),
        (ExitsAsync, "SystemExit: 3"),
        (RaisesUnspeakably, "Unspeakable"),
        (RaisesExiting, "Exiting"),
        (RaisesEmpty, "Empty: an empty error"),
        (QuitsAsync, "Quits: enough"),
        (NoWords, "choose returned an object of type Shy, which is not a string"),
        (NoWordsAsync, "choose returned an object of type Shy, which is not a string"),
        (NoWordsLater, "choose returned an object of type Shy, which is not a string"),
        (NoClass, "LookupError: no class"),
        (NoMethod, "LookupError: no method"),
        (Illegal, "ILLEGAL_ACTION"),
        (Garbage, "ACTION_UNREADABLE"),
        (Huge, "FIELD_INVALID"),
        (TooLong, "2000000 bytes; the limit is"),
        (NoUnicode, "choose returned invalid Unicode"),
        (NoText, "choose returned 17, which is not a string"),
        (Nothing, "choose returned None, which is not a string"),
        (NothingElse, "on_refused returned 17, which is not a string"),
        (ChoiceOfNothing, "TypeError: a choice has an action, not None"),
        (NoChoose, "NoChoose has no choose"),
        (CannotBeMade, "OSError: no weights"),
        (FailsAtTheStart, "OSError: no weights"),
    ],
)
def test_a_bad_bot_resigns(
    shared_service: Service, caplog: pytest.LogCaptureFixture, bot: type[Bot], told: str
) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    caplog.set_level("INFO")
    first, second = play(
        Session(bot, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    result = pairing.result(match)
    assert result.outcome is not None
    assert result.outcome.termination is Termination.RESIGNATION
    assert result.outcome.winner is Seat.SECOND
    assert told in result.outcome.reason
    assert (first.lost, first.failures) == (1, 1)
    assert (second.won, second.failures) == (1, 0)
    line = next(one for one in caplog.messages if "the bot failed and resigns" in one)
    assert match.id in line
    assert told in line
    if bot not in (CannotBeMade, FailsAtTheStart):
        assert line.endswith(", decision 4: OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -")


class OddText(str):
    """A text with methods of its own, which nothing needs to send it."""

    def isascii(self) -> bool:
        raise LookupError("no answer")

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        raise LookupError("no answer")

    def __len__(self) -> int:
        raise LookupError("no answer")

    __repr__ = __str__ = Shy.__repr__


@pytest.mark.parametrize("playing", [play, play_on_threads])
@pytest.mark.parametrize("bad", [NoWords, NoWordsAsync, NoClass, RaisesExiting])
def test_a_bad_bot_touches_no_other_match(
    shared_service: Service, playing: Callable[..., list[Summary]], bad: type[Bot]
) -> None:
    pairing = Pairing(shared_service)
    lost = [pairing.match("kamisado") for _ in range(3)]
    played = [pairing.match("linja") for _ in range(3)]

    class Either(RandomBot):
        def on_match_started(self, match: MatchInfo) -> None:
            self.bad = bad() if match.game == "kamisado" else None

        def choose(self, decision: Decision) -> Any:
            if self.bad is not None:
                return self.bad.choose(decision)
            return OddText(super().choose(decision))

    matches = len(lost) + len(played)
    first, _ = playing(
        Session(Either, pairing.first, matches=matches),
        Session(RandomBot, pairing.second, matches=matches),
    )
    assert (first.matches, first.failures) == (matches, len(lost))
    for match in lost:
        outcome = pairing.result(match).outcome
        assert outcome is not None
        assert outcome.termination is Termination.RESIGNATION
    for match in played:
        outcome = pairing.result(match).outcome
        assert outcome is not None
        assert outcome.termination is Termination.NORMAL


def test_a_failure_is_reported_in_one_short_line(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    play(
        Session(RaisesAtLength, pairing.first, matches=1),
        Session(RandomBot, pairing.second, matches=1),
    )
    outcome = pairing.result(match).outcome
    assert outcome is not None
    # As many of two bytes as fit into 1024 with what stands around them.
    assert outcome.reason == "LookupError: one two [2J? " + "é" * 497 + "…"


def test_a_bot_that_is_refused_may_choose_again(shared_service: Service) -> None:
    refusals: list[Refused] = []

    class Second(RandomBot):
        def choose(self, decision: Decision) -> str:
            return "a1b1"

        def on_refused(self, decision: Decision, error: Refused) -> str:
            refusals.append(error)
            return "nonsense" if len(refusals) % 2 else super().choose(decision)

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    first, _ = play(
        Session(Second, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    outcome = pairing.result(match).outcome
    assert outcome is not None
    assert outcome.termination is Termination.NORMAL
    assert first.failures == 0
    assert len(refusals) == 2 * first.answers
    assert refusals[0].reason is ErrorReason.ILLEGAL_ACTION
    assert refusals[0].code == "FAILED_PRECONDITION"
    assert refusals[0].metadata == {"rule": "M1"}
    assert refusals[0].advice.startswith("Answer the same decision again")
    assert refusals[1].reason is ErrorReason.ACTION_UNREADABLE
    assert refusals[1].fields[0].field == "action"


def test_a_bot_that_is_refused_for_ever(
    shared_service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    class Stubborn(Bot):
        def choose(self, decision: Decision) -> str:
            return "a1b1"

        def on_refused(self, decision: Decision, error: Refused) -> str:
            return "a1b1"

    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    play(Session(Stubborn, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1))
    outcome = pairing.result(match).outcome
    assert outcome is not None
    assert outcome.termination is Termination.RESIGNATION
    assert "16 actions for one decision were refused" in caplog.text


@pytest.mark.parametrize("playing", [play, play_on_threads])
@pytest.mark.parametrize("sort", ["thread", "busy thread", "coroutine"])
def test_a_bot_that_thinks_for_ever_does_not_hold_up_others(
    shared_service: Service,
    caplog: pytest.LogCaptureFixture,
    sort: str,
    playing: Callable[..., list[Summary]],
) -> None:
    """Its clock runs out; the same session, on one thread, plays its other match to the end."""
    release = threading.Event()

    class Endless(RandomBot):
        def choose(self, decision: Decision) -> Any:
            if decision.match.time_control is None:
                return super().choose(decision)
            if sort == "coroutine":
                return asyncio.Event().wait()
            if sort == "thread":
                release.wait()
            while not decision.over:
                pass
            return "too late"

        def on_game_ended(self, match: object, game_number: int, score: Score) -> None:
            release.set()

        def on_match_ended(self, match: MatchInfo, result: Match) -> None:
            told.append(match.id)

    told: list[str] = []
    pairing = Pairing(shared_service)
    lost = pairing.match("linja", time_control=PerAction(0.5))
    played = pairing.match("linja")
    caplog.set_level("INFO")
    first, _ = playing(
        Session(Endless, pairing.first, matches=2, threads=1),
        Session(RandomBot, pairing.second, matches=2),
    )
    release.set()
    outcome = pairing.result(lost).outcome
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (Seat.SECOND, Termination.TIMEOUT)
    outcome = pairing.result(played).outcome
    assert outcome is not None
    assert outcome.termination is Termination.NORMAL
    assert first.matches == 2
    # It hears of the end once it has returned.
    assert sorted(told) == sorted([lost.id, played.id])
    assert f"match {lost.id}: ended while the bot was thinking about decision " in caplog.text
    assert f"match {lost.id} ended: lost 0-0 (timeout)" in caplog.text
