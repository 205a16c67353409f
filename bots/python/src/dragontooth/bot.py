"""What an author writes."""

from __future__ import annotations

from collections.abc import Awaitable, Collection
from types import MappingProxyType
from typing import ClassVar

from dragontooth.errors import Refused
from dragontooth.model import Decision, Match, MatchInfo, Options, Score


class Bot:
    """Plays one match: an author writes `choose`, and no more if that is enough.

    A session makes a bot for each match, by calling the class without arguments, and drops it when
    the match is over. In the middle of a match a bot may be made anew, when its program was
    started again: it must be able to choose from the decision alone.

    Every method may be a plain function or an `async def`. Plain ones run on a thread, one at a
    time for each match, so they may think as long as the clock allows and touch the bot as they
    like; what bots of several matches share they guard themselves. An `async def` runs on the
    session's event loop and must not block it. When a match ends while its bot still thinks, an
    `async def` is cancelled; nothing can stop a thread, so a plain function that thinks long looks
    at `decision.over` now and then. A bot that has not come back and heard of the end some seconds
    later is left alone.

    A method that raises loses the match: it is logged with its traceback, and the match is
    resigned, so that the opponent need not wait.
    """

    #: The name in matches, at most 64 bytes; empty for the name of the class.
    name: ClassVar[str] = ""
    #: The games that it plays; None for every game. Invitations to others are left alone.
    plays: ClassVar[Collection[str] | None] = None
    #: What was set by `--option` and `DRAGONTOOTH_OPTIONS`. It is there after `__init__`.
    options: Options = MappingProxyType({})

    def choose(self, decision: Decision) -> str | Awaitable[str]:
        """Chooses an action: one of `decision.legal_actions`, or of `decision.offers`."""
        raise NotImplementedError(f"{type(self).__name__} has no choose(self, decision)")

    def on_match_started(self, match: MatchInfo) -> object:
        """The match begins, or goes on after the program was started again."""

    def on_game_ended(self, match: MatchInfo, game_number: int, score: Score) -> object:
        """A game of the match is over; the score is the one with it."""

    def on_refused(self, decision: Decision, error: Refused) -> str | Awaitable[str | None] | None:
        """The service refused the action that was chosen.

        Returns another action for the same decision. Without one the bot has failed, and its match
        is resigned.
        """
        return None

    def on_match_ended(self, match: MatchInfo, result: Match) -> object:
        """The match is over; `result.outcome` tells how."""
