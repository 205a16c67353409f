"""Runs the bot of one match."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from dragontooth.bot import Bot
from dragontooth.effect import Ask, TellGame
from dragontooth.model import Decision, Match, MatchInfo
from dragontooth.thinking import Job, ThinkingPool

log = logging.getLogger("dragontooth")

#: Time for a bot to return and handle the end of its match, in seconds.
GRACE = 5.0
#: The same when the session ends, in seconds.
FAREWELL = 1.0

#: Longest choice in bytes. The service refuses far shorter ones and the bot may choose again; a
#: longer one might end the whole stream instead.
MAX_CHOICE = 8 * 1024

BotFactory = Callable[[MatchInfo], Bot]
Chosen = Callable[[Decision, str], None]
Failed = Callable[[str, str], None]


class BadChoice(TypeError):
    """The bot returned something that cannot be sent as an action."""


class Interrupted(Exception):
    """The awaitable of a bot was cancelled."""


class BotPlayer:
    """Calls the methods of one bot in order, in its own task."""

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
        #: The decision that the bot is thinking about.
        self._thinks: Decision | None = None
        self._over = False
        #: The bot's current call: on a thread, or on the event loop.
        self._job: Job | None = None
        self._coroutine: asyncio.Task[Any] | None = None
        self._task = asyncio.create_task(self._work())

    def tell(self, question: Ask | TellGame) -> None:
        """Queues a call behind those already waiting."""
        self._questions.put_nowait(question)

    def close(self, result: Match | None) -> asyncio.Task[None]:
        """Ends the bot after its match is over; its current choice no longer counts.

        Returns the task, which ends once the bot has handled the end, or after `GRACE`. Without a
        result the bot's `on_match_ended` is not called.
        """
        if result is None:
            self._task.cancel()
            return self._task
        self._over = True
        if self._thinks is not None:
            log.info(
                "match %s: ended while the bot was thinking about decision %d: %s",
                self._match.id,
                self._thinks.id,
                self._thinks.position,
            )
            if self._coroutine is not None:
                self._coroutine.cancel()
        if self._job is not None:
            self._pool.disown(self._job)
        self._questions.put_nowait(result)
        limit = asyncio.get_running_loop().call_later(GRACE, self._task.cancel)
        self._task.add_done_callback(lambda _: limit.cancel())
        return self._task

    async def _work(self) -> None:
        try:
            bot = await self._call(self._factory, self._match)
            await self._call(bot.on_match_started, self._match)
            while True:
                question = await self._questions.get()
                if isinstance(question, Match):
                    await self._call(bot.on_match_ended, self._match, question)
                    return
                if isinstance(question, TellGame):
                    await self._call(
                        bot.on_game_ended, self._match, question.game_number, question.score
                    )
                elif not self._over and not await self._ask(bot, question):
                    return
        except Exception as error:
            log.exception("match %s: the bot raised", self._match.id)
            self._failed(self._match.id, described(error))

    async def _ask(self, bot: Bot, question: Ask) -> bool:
        """Asks for an action; returns False if the bot has failed."""
        decision = question.decision
        self._thinks = decision
        try:
            if question.refused is None:
                action = await self._call(bot.choose, decision)
            else:
                action = await self._call(bot.on_refused, decision, question.refused)
        except Exception:
            # The match is over: an error of the interrupted bot does not count.
            if self._over:
                return True
            raise
        finally:
            self._thinks = None
        if action is None and question.refused is not None:
            self._failed(self._match.id, str(question.refused))
            return False
        if not isinstance(action, str):
            raise BadChoice(f"choose returned {action!r}, which is not a string")
        try:
            length = len(action.encode())
        except UnicodeEncodeError as error:
            raise BadChoice(f"choose returned invalid Unicode: {error}") from error
        if length > MAX_CHOICE:
            raise BadChoice(f"choose returned {length} bytes; the limit is {MAX_CHOICE}")
        self._chosen(decision, action)
        return True

    async def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if inspect.iscoroutinefunction(function):
            return await self._await(function(*arguments))
        self._job = job = self._pool.submit(lambda: function(*arguments))
        try:
            result = await job.done
        except asyncio.CancelledError:
            self._pool.disown(job)
            raise
        finally:
            self._job = None
        return await self._await(result) if inspect.isawaitable(result) else result

    async def _await(self, awaitable: Awaitable[Any]) -> Any:
        self._coroutine = task = asyncio.ensure_future(outcome(awaitable))
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            self._coroutine = None
        if task.cancelled():
            raise Interrupted
        return task.result()


async def outcome(awaitable: Awaitable[Any]) -> Any:
    """Awaits for a bot. All bots share the event loop: one that exits must not end it."""
    try:
        return await awaitable
    except SystemExit as error:
        raise RuntimeError(f"SystemExit: {error}") from error


def described(error: Exception) -> str:
    """Returns the type and the message of an exception."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # A bot may raise anything, even an exception whose __str__ raises.
        return name
