"""One bot at its match: asks it one thing after the other."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from typing import Any

from dragontooth.bot import Bot
from dragontooth.model import Decision, Match, MatchInfo
from dragontooth.table import Ask, TellGame
from dragontooth.thinking import ThinkingPool

log = logging.getLogger("dragontooth")

#: How long a bot may take to hear that its match is over, when the session ends, in seconds.
FAREWELL = 1.0

BotFactory = Callable[[MatchInfo], Bot]
Chosen = Callable[[Decision, str], None]
Failed = Callable[[str, str], None]


class BadChoice(TypeError):
    """A bot chose something that is no text."""


class BotPlayer:
    """Asks the bot of a match, in the order in which things happen, in a task of its own."""

    def __init__(
        self,
        match: MatchInfo,
        factory: BotFactory,
        pool: ThinkingPool,
        chosen: Chosen,
        failed: Failed,
    ) -> None:
        self._match = match
        self._factory = factory
        self._pool = pool
        self._chosen = chosen
        self._failed = failed
        self._questions: asyncio.Queue[Ask | TellGame | Match] = asyncio.Queue()
        self._busy = False
        self._task = asyncio.create_task(self._work())

    def tell(self, question: Ask | TellGame) -> None:
        """Asks the bot when it has done what it was asked before."""
        self._questions.put_nowait(question)

    def close(self, result: Match | None) -> asyncio.Task[None]:
        """The match is over. A bot that is thinking is left alone, and is not told.

        Gives the task that ends when the bot has been told.
        """
        if result is None or self._busy:
            if self._busy:
                log.info("match %s: it ended while the bot was thinking", self._match.id)
            self._task.cancel()
        else:
            self._questions.put_nowait(result)
        return self._task

    async def _work(self) -> None:
        try:
            bot = await self._call(self._factory, self._match)
            await self._call(bot.on_match_started, self._match)
            while True:
                self._busy = False
                question = await self._questions.get()
                self._busy = isinstance(question, Ask)
                if isinstance(question, Match):
                    await self._call(bot.on_match_ended, self._match, question)
                    return
                if isinstance(question, TellGame):
                    await self._call(
                        bot.on_game_ended, self._match, question.game_number, question.score
                    )
                elif not await self._ask(bot, question):
                    return
        except Exception as error:
            log.exception("match %s: the bot raised", self._match.id)
            self._failed(self._match.id, f"{type(error).__name__}: {error}")

    async def _ask(self, bot: Bot, question: Ask) -> bool:
        """Asks for an action; false if there is none."""
        decision = question.decision
        if question.refused is None:
            action = await self._call(bot.choose, decision)
        else:
            action = await self._call(bot.on_refused, decision, question.refused)
            if action is None:
                self._failed(self._match.id, str(question.refused))
                return False
        if not isinstance(action, str):
            raise BadChoice(f"choose gave {action!r}, which is no text")
        self._chosen(decision, action)
        return True

    async def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)
        result = await self._pool.run(lambda: function(*arguments))
        return await result if inspect.isawaitable(result) else result
