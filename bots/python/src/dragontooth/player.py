"""Runs the bot of one match."""

from __future__ import annotations

import asyncio
import inspect
import logging
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from dragontooth import wire
from dragontooth.bot import Bot
from dragontooth.effect import Ask, Open, TellGame
from dragontooth.model import Choice, Decision, Match, MatchInfo
from dragontooth.thinking import Job, ThinkingPool
from dragontooth.v1 import match_pb2

log = logging.getLogger("dragontooth")

#: Time for a bot to return and handle the end of its match, in seconds.
GRACE = 5.0
#: The same once the session was stopped, in seconds.
FAREWELL = 1.0

#: Longest choice in bytes. The service refuses far shorter ones and the bot may choose again; a
#: longer one might end the whole stream instead.
MAX_CHOICE = 8 * 1024

#: Methods that do nothing, which need no thread.
NOTHING = (Bot.on_game_ended, Bot.on_match_ended)

BotFactory = Callable[[MatchInfo], Bot]
Chosen = Callable[[Decision, str, match_pb2.Thinking | None], None]
Failed = Callable[[str, str], None]
Question = Open | Ask | TellGame | Match


class BadChoice(TypeError):
    """The bot returned something that cannot be sent as an action."""


class Interrupted(Exception):
    """The awaitable of a bot was cancelled."""


@dataclass(frozen=True)
class Later:
    """What a plain method returned to be awaited."""

    result: Awaitable[Any]


@dataclass(frozen=True)
class Picked:
    """A choice as it is sent."""

    action: str
    thinking: match_pb2.Thinking | None


class BotPlayer:
    """Calls the methods of one bot in order, one at a time: on a thread, or on the event loop.

    It is driven by callbacks: each decision would pay for the turns of a task of its own.

    Any object of the bot may raise whatever it is asked: what a method returns is read as part of
    the call, so that this is an error of that bot alone.
    """

    def __init__(
        self,
        match: MatchInfo,
        factory: BotFactory,
        pool: ThinkingPool,
        chosen: Chosen,
        failed: Failed,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._match = match
        self._factory = factory
        self._pool = pool
        self._chosen = chosen
        self._failed = failed
        #: Returns true once the session was cancelled.
        self._is_cancelled = is_cancelled
        self._loop = asyncio.get_running_loop()
        #: Done once the bot is not called any more.
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._bot: Bot | None = None
        self._chooses_on_loop = False
        self._questions: deque[Question] = deque()
        #: The question of the current call, and the thread or the task that makes it.
        self._asked: Question | None = None
        self._job: Job | None = None
        self._task: asyncio.Task[None] | None = None
        self._over = False
        self.tell(Open(match))

    def tell(self, question: Question) -> None:
        """Queues a call behind those already waiting."""
        self._questions.append(question)
        self._proceed()

    def close(self, result: Match | None) -> asyncio.Future[None]:
        """Ends the bot after its match is over; its current choice no longer counts.

        Returns a future that is done once the bot has handled the end, or after `GRACE`. Without a
        result the bot's `on_match_ended` is not called.
        """
        if result is None:
            self._end()
            return self._ended
        self._over = True
        if isinstance(self._asked, Ask):
            decision = self._asked.decision
            log.info(
                "match %s: ended while the bot was thinking about decision %d: %s",
                self._match.id,
                decision.id,
                decision.position,
            )
            if self._task is not None:
                self._task.cancel()
            if self._job is not None and self._pool.disown(self._job):
                self._job = self._asked = None
        limit = self._loop.call_later(GRACE, self._end)
        self._ended.add_done_callback(lambda _: limit.cancel())
        self.tell(result)
        return self._ended

    def _proceed(self) -> None:
        """Makes the next call unless one is under way."""
        while self._asked is None and self._questions and not self._ended.done():
            question = self._questions.popleft()
            if isinstance(question, Ask) and self._over:
                continue
            self._asked = question
            try:
                function, arguments = self._call(question)
                does_nothing = getattr(function, "__func__", None) in NOTHING
                is_async = self._is_async(function, question)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._finish(None, error)
                continue
            if does_nothing:
                self._finish(None)
            elif is_async:
                self._start(question, function, *arguments)
            else:
                work = partial(self._work, question, function, *arguments)
                self._job = self._pool.submit(work, self._returned)

    def _call(self, question: Question) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        bot = self._bot
        if bot is None:
            return self._begin, ()
        if isinstance(question, Ask):
            if question.refused is None:
                return bot.choose, (question.decision,)
            return bot.on_refused, (question.decision, question.refused)
        if isinstance(question, TellGame):
            return bot.on_game_ended, (self._match, question.game_number, question.score)
        return bot.on_match_ended, (self._match, question)

    def _begin(self) -> object:
        self._bot = bot = self._factory(self._match)
        self._chooses_on_loop = inspect.iscoroutinefunction(bot.choose)
        return bot.on_match_started(self._match)

    def _is_async(self, function: Callable[..., Any], question: Question) -> bool:
        if isinstance(question, Ask) and question.refused is None:
            return self._chooses_on_loop
        return inspect.iscoroutinefunction(function)

    def _work(
        self, question: Question, function: Callable[..., Any], *arguments: Any
    ) -> Later | Picked | None:
        """Calls a plain method. Called on a thread."""
        result = function(*arguments)
        if not isinstance(result, str) and inspect.isawaitable(result):
            return Later(result)
        return self._read(question, result)

    def _read(self, question: Question, result: Any) -> Picked | None:
        """Reads what a method returned; None stands for no choice. Called from any thread."""
        if not isinstance(question, Ask) or (result is None and question.refused is not None):
            return None
        method = "choose" if question.refused is None else "on_refused"
        return picked(self._match.id, method, result)

    def _returned(self, result: Any, failure: BaseException | None) -> None:
        self._job = None
        question = self._asked
        if question is None or self._ended.done():
            return
        if isinstance(result, Later):
            self._start(question, lambda: result.result)
        else:
            self._finish(result, failure)
            self._proceed()

    def _start(
        self, question: Question, function: Callable[..., Awaitable[Any]], *arguments: Any
    ) -> None:
        self._task = self._loop.create_task(self._await(question, function, *arguments))

    async def _await(
        self, question: Question, function: Callable[..., Awaitable[Any]], *arguments: Any
    ) -> None:
        result: Picked | None = None
        failure: BaseException | None = None
        try:
            result = self._read(question, await function(*arguments))
        except asyncio.CancelledError:
            # An event loop that ends cancels all tasks at once, and the session's perhaps after
            # this one.
            self._loop.call_soon(self._interrupted)
            return
        except (GeneratorExit, KeyboardInterrupt):
            raise
        # All bots share the event loop: one that exits must not end it.
        except BaseException as error:
            failure = error
        self._task = None
        self._finish(result, failure)
        self._proceed()

    def _interrupted(self) -> None:
        """Handles the cancelled call of an awaitable."""
        self._task = None
        if self._is_cancelled():
            self._asked = None
            self._end()
        else:
            self._finish(None, Interrupted())
            self._proceed()

    def _finish(self, result: Picked | None, failure: BaseException | None = None) -> None:
        """Handles the end of a call."""
        question, self._asked = self._asked, None
        if self._ended.done():
            return
        if isinstance(question, Ask):
            # Once the match is over, an error of the interrupted bot does not count.
            if self._over:
                return
            if result is not None:
                self._chosen(question.decision, result.action, result.thinking)
            elif failure is None:
                self._end()
                self._failed(self._match.id, str(question.refused))
        if failure is not None:
            log.error("match %s: the bot raised\n%s", self._match.id, traced(failure))
            self._end()
            self._failed(self._match.id, wire.described(failure))
        elif isinstance(question, Match):
            self._end()

    def _end(self) -> None:
        """Calls the bot no more, and abandons the current call."""
        if not self._ended.done():
            if self._over and self._asked is not None:
                log.warning(
                    "match %s: the bot takes too long to handle the end; it is not waited for",
                    self._match.id,
                )
            self._ended.set_result(None)
            if self._task is not None:
                self._task.cancel()
            if self._job is not None:
                self._pool.disown(self._job)


def picked(match_id: str, method: str, choice: Any) -> Picked:
    """Reads a choice. Raises BadChoice if it cannot be sent, and whatever the choice raises."""
    if not isinstance(choice, str):
        raise BadChoice(f"{method} returned {shown(choice)}, which is not a string")
    # A subclass may have methods of its own.
    action = str.__str__(choice)
    if action.isascii():
        length = len(action)
    else:
        try:
            length = len(action.encode())
        except UnicodeEncodeError as error:
            raise BadChoice(f"{method} returned invalid Unicode: {error}") from None
    if length > MAX_CHOICE:
        raise BadChoice(f"{method} returned {length} bytes; the limit is {MAX_CHOICE}")
    thinking = choice.thinking if isinstance(choice, Choice) else None
    return Picked(action, wire.readable_thinking(match_id, thinking))


def shown(value: object) -> str:
    """Returns the `repr` of an object, or its type if that raises."""
    try:
        return repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"


def traced(error: BaseException) -> str:
    """Returns the traceback of an exception, or its description if one cannot be made."""
    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except BaseException:
        return wire.described(error)
