"""The class that bot authors extend."""

from __future__ import annotations

from collections.abc import Awaitable, Collection
from types import MappingProxyType
from typing import ClassVar

from dragontooth.errors import Refused
from dragontooth.model import Decision, Match, MatchInfo, Options, Score


class Bot:
    """Plays one match. Only `choose` is required.

    A session creates one bot per match, by calling the class without arguments, and drops it when
    the match is over. If the program restarts in the middle of a match, the session creates a new
    bot: it must be able to choose from the decision alone.

    Every method may be a plain function or an `async def`. Plain functions run on a thread, one at
    a time for each match, so they may think as long as the clock allows and use the bot's state
    freely; state shared between matches needs a lock. An `async def` runs on the session's event
    loop and must not block it. If a match ends while its bot is thinking, an `async def` is
    cancelled. A thread cannot be cancelled, so a plain function that thinks for long should check
    `decision.over` now and then. A bot that has not returned a few seconds later is abandoned.

    A method that raises loses the match: the traceback is logged and the match is resigned, so
    that the opponent need not wait.
    """

    #: The name shown in matches, at most 64 bytes. If empty, the name of the class.
    name: ClassVar[str] = ""
    #: The names of the games that it plays, as in `("kamisado",)`; None means every game.
    #: Invitations to other games are declined, which ends their matches.
    plays: ClassVar[Collection[str] | None] = None
    #: Options from `--option` and `DRAGONTOOTH_OPTIONS`. Set after `__init__` has run.
    options: Options = MappingProxyType({})

    def choose(self, decision: Decision) -> str | Awaitable[str]:
        """Returns an action: one of `decision.legal_actions` or `decision.offers`.

        A `Choice` is an action with what the bot thinks of it, which is recorded.
        """
        raise NotImplementedError(f"{type(self).__name__} has no choose(self, decision)")

    def on_match_started(self, match: MatchInfo) -> object:
        """Called when the match starts, or resumes after the program restarted."""

    def on_game_ended(self, match: MatchInfo, game_number: int, score: Score) -> object:
        """Called when a game of the match is over; `score` includes it."""

    def on_refused(self, decision: Decision, error: Refused) -> str | Awaitable[str | None] | None:
        """Called when the service refuses the chosen action.

        Returns another action for the same decision. If it returns None, the bot has failed and
        its match is resigned.
        """
        return None

    def on_match_ended(self, match: MatchInfo, result: Match) -> object:
        """Called when the match is over; `result.outcome` holds the result."""
