"""Plays all the matches of a player over one stream."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any

import grpc
import grpc.aio

from dragontooth import wire
from dragontooth.active_matches import ActiveMatches, Plan
from dragontooth.backoff import Backoff
from dragontooth.bot import Bot
from dragontooth.connection import Connection, Method
from dragontooth.effect import (
    Accept,
    Answer,
    Ask,
    Check,
    Close,
    Decline,
    Effect,
    Fail,
    Open,
    Resign,
    Retry,
    TellGame,
)
from dragontooth.errors import (
    CallError,
    CallFailed,
    ConnectionLost,
    InvalidSetting,
    Refused,
    ServiceFailed,
    SessionError,
    Superseded,
    TokenRefused,
    Unreachable,
    from_rpc,
    from_status,
    is_passing,
    too_late,
)
from dragontooth.model import (
    AcceptedGame,
    CloseReason,
    Decision,
    Match,
    MatchInfo,
    Options,
    Summary,
)
from dragontooth.player import FAREWELL, BotPlayer, traced
from dragontooth.replicas import CALL_TIMEOUT, STEADY, Replicas
from dragontooth.share_secret import own_secret, share
from dragontooth.thinking import ThinkingPool
from dragontooth.v1 import game_service_pb2, match_pb2, match_service_pb2

log = logging.getLogger("dragontooth")

#: Time to keep trying before the first connection, in seconds.
FIRST_PATIENCE = 10.0
#: Time to keep reconnecting, in seconds.
PATIENCE = 600.0
#: Number of matches played at once.
MATCHES_AT_ONCE = 1024
#: Number of bots that think at the same time on threads.
THREADS = min(32, 4 * (os.cpu_count() or 1))
#: Missing heartbeats after which the connection counts as lost.
MISSING_HEARTBEATS = 3
#: Shortest time between checks for missing heartbeats, in seconds.
WATCHDOG_PERIOD = 1.0
#: Number of matches read at once after a stream was opened.
CHECKS_AT_ONCE = 16

PLAY = Method("GameService", "Play", game_service_pb2.PlayResponse)
GET_MATCH = Method("MatchService", "GetMatch", match_service_pb2.GetMatchResponse)

Request = game_service_pb2.PlayRequest
Wants = Callable[[MatchInfo], bool]


class _Lost(Exception):
    """The stream was lost; a new one may succeed."""

    def __init__(self, source: CallError) -> None:
        super().__init__(str(source))
        self.source = source


class Session:
    """Plays all matches of a player: accepts invitations, asks bots to choose, and answers.

    It reconnects after a lost connection, a restart of the service, and a stream that was closed
    because it was read too slowly. It ends when it is stopped, when all its matches are played, or
    with a `SessionError`.

    `bot` is a class of bots, or any callable without arguments that returns one; it is called once
    per match. `options` become its `options`. The session accepts the invitations that `wants`
    approves, or without it those to the games in the class's `plays`, and declines the others,
    which ends their matches; also those at which `wants` raises. With `accepts`, they must also fit
    one of these. A session of one match, `match_id`, leaves other invitations alone. The service
    lists the player with what it accepts, and with its `build`, a text such as `v12` or a commit,
    of at most 64 bytes.

    The session contributes a random share to the seed of each match, derived from `draw_secret`,
    or from DRAGONTOOTH_DRAW_SECRET, or else from a secret drawn from the operating system.
    `draw_seed` is a share to use in its place.

    Raises `InvalidSetting` if `plays`, `accepts` or a list in it is a text, or if what the player
    accepts, or its `build`, does not fit the wire.
    """

    def __init__(
        self,
        bot: Callable[[], Bot],
        connection: Connection | None = None,
        *,
        name: str | None = None,
        options: Options | None = None,
        seed: int = 0,
        draw_seed: str = "",
        draw_secret: str = "",
        matches: int | None = None,
        match_id: str | None = None,
        matches_at_once: int = MATCHES_AT_ONCE,
        threads: int = THREADS,
        first_patience: float = FIRST_PATIENCE,
        patience: float = PATIENCE,
        wants: Wants | None = None,
        accepts: Sequence[AcceptedGame] = (),
        build: str = "",
    ) -> None:
        self._bot = bot
        self._connection = connection or Connection.from_environment()
        self._name = name or getattr(bot, "name", "") or getattr(bot, "__name__", "")
        self._options = dict(options or {})
        self._draw_seed = draw_seed
        self._draw_secret = draw_secret or own_secret()
        self._first_patience = first_patience
        self._patience = patience
        names = games_of(bot)
        self._wants = fits(accepts, wants or plays(names))
        games = accepts or [AcceptedGame(name) for name in names or ()]
        offer = wire.to_offer(games, matches_at_once, build)
        #: None for a session of one match, which accepts no other.
        self._offer = None if match_id else offer
        plan = Plan(seed, matches, match_id, matches_at_once)
        self._matches = ActiveMatches(plan, time.monotonic_ns(), time.time_ns())
        self._players: dict[str, BotPlayer] = {}
        self._outbox: asyncio.Queue[Request] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Any]] = set()
        #: The players whose matches are over, until their bots have handled that.
        self._farewells: dict[asyncio.Future[None], BotPlayer] = {}
        #: Ends the open stream: with a result once all matches are played, or with the error that
        #: ends the session.
        self._ended: asyncio.Future[None] | None = None
        self._stop = asyncio.Event()
        self._is_cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channel: grpc.aio.Channel | None = None
        self._pool = ThinkingPool(threads)
        self._checking = asyncio.Semaphore(CHECKS_AT_ONCE)

    @property
    def summary(self) -> Summary:
        """The totals so far."""
        return self._matches.summary

    def run(self) -> Summary:
        """Plays until `stop` is called or all matches are played.

        For programs without an event loop; if `choose` is a plain method, that of the session runs
        on threads of its own. A session runs once. Raises a `SessionError` if another program plays
        with the token, if the service refuses the token or to play, or if there was no connection
        for longer than the session's patience.
        """
        if inspect.iscoroutinefunction(getattr(self._bot, "choose", None)):
            return asyncio.run(self.run_async())
        return self._pool.run(self.run_async())

    def stop(self) -> None:
        """Ends the session soon, without waiting for bots that are thinking. Thread-safe."""
        loop = self._loop
        if loop is None or loop.is_closed():
            self._stop.set()
        else:
            loop.call_soon_threadsafe(self._stop.set)

    async def run_async(self) -> Summary:
        """Like `run`, on the event loop of the caller."""
        if self._loop is not None:
            raise RuntimeError("a session runs once: create another one")
        self._loop = asyncio.get_running_loop()
        playing = asyncio.create_task(self._play())
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({playing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                playing.result()
        except asyncio.CancelledError:
            self._is_cancelled = True
            raise
        finally:
            if not playing.done():
                # It was cancelled, or stopped anyway.
                self._stop.set()
            await _end(playing, *self._tasks)
            # What a bot chooses because of this is not sent any more.
            self._matches.end()
            for player in self._players.values():
                player.close(None)
            # Each is done after `GRACE` at the latest.
            farewells: asyncio.Future[Any] = asyncio.gather(*self._farewells)
            either = {farewells, stopped}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({farewells}, timeout=FAREWELL)
            for player in self._farewells.values():
                player.close(None)
            await _end(stopped)
            self._pool.close()
        return self.summary

    async def _play(self) -> None:
        backoff = Backoff()
        replicas = Replicas(self._connection.addresses)
        patience, lost_at = self._first_patience, time.monotonic()
        while not self._matches.is_done:
            opened_at: float | None = None
            async with self._connection.aio_channel(replicas.at) as channel:
                self._channel = channel
                try:
                    stream, interval = await self._open(channel, replicas.timeout)
                    opened_at = time.monotonic()
                    patience = self._patience
                    replicas.answered()
                    await self._serve(stream, interval)
                    return
                except _Lost as lost:
                    failure = lost.source
                except grpc.RpcError as error:
                    failure = from_rpc(error)
            is_brief = False
            if opened_at is not None:
                lost_at = time.monotonic()
                is_brief = lost_at - opened_at <= STEADY
                if not is_brief:
                    backoff.reset()
            of_all = replicas.failed(failure)
            text = str(of_all or replicas.named(failure))
            if of_all is None and not is_brief:
                log.warning("disconnected: %s; trying the next address", text)
                continue
            failure = of_all or failure
            if not is_passing(failure):
                raise final_error(failure)
            left = lost_at + patience - time.monotonic()
            if left <= 0:
                raise ConnectionLost(patience, failure)
            pause = min(backoff.pause(failure.retry_after), left)
            log.warning("disconnected: %s; trying again in %.0f ms", text, pause * 1000)
            await asyncio.sleep(pause)

    async def _open(self, channel: grpc.aio.Channel, timeout: float) -> tuple[Any, float]:
        """Opens a stream; returns it and the interval of its heartbeats, both times in seconds."""
        stream = PLAY.stream_stream(channel)(metadata=self._connection.metadata)

        async def start() -> Any:
            await stream.write(Request(start=Request.Start(offer=self._offer)))
            return await stream.read()

        try:
            first = await asyncio.wait_for(start(), timeout)
        except asyncio.InvalidStateError:
            # The stream ended before the request was written: reading it gives the reason.
            first = await stream.read()
        except asyncio.TimeoutError:
            raise _Lost(too_late(timeout)) from None
        if first is grpc.aio.EOF:
            raise await _end_of(stream)
        if first.WhichOneof("response") != "ready":
            raise _Lost(CallFailed("UNKNOWN", "the first message of the stream is not ready"))
        self._matches.connected(first.ready.player_id)
        log.info("connected as player %s", first.ready.player_id)
        return stream, wire.seconds(first.ready.heartbeat_interval)

    async def _serve(self, stream: Any, interval: float) -> None:
        """Serves a stream until all matches are played. Raises when the stream is lost."""
        self._outbox = asyncio.Queue()
        heard = [time.monotonic()]
        self._ended = ended = asyncio.get_running_loop().create_future()
        services = [
            asyncio.create_task(self._read(stream, heard, ended)),
            asyncio.create_task(self._write(stream, self._outbox)),
            asyncio.create_task(watch(heard, max(interval, WATCHDOG_PERIOD))),
        ]
        try:
            self._proceed()
            await asyncio.wait({ended, *services}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                ended.result()
                return
            for service in services:
                if service.cancelled():
                    raise _Lost(Unreachable("the stream was cancelled"))
                if service.done():
                    service.result()
        finally:
            self._ended = None
            ended.cancel()
            stream.cancel()
            checks, self._tasks = self._tasks, set()
            await _end(*services, *checks)

    async def _read(self, stream: Any, heard: list[float], ended: asyncio.Future[None]) -> None:
        while not ended.done():
            message = await stream.read()
            if message is grpc.aio.EOF:
                raise await _end_of(stream)
            now_ns = time.monotonic_ns()
            heard[0] = now_ns / 1e9
            self._take(message, now_ns)
            self._proceed()

    async def _write(self, stream: Any, outbox: asyncio.Queue[Request]) -> None:
        while True:
            request = await outbox.get()
            try:
                await stream.write(request)
            except (asyncio.InvalidStateError, grpc.RpcError):
                # The stream has ended: the reader gets the reason.
                await asyncio.Event().wait()

    def _take(self, message: game_service_pb2.PlayResponse, now_ns: int) -> None:
        matches = self._matches
        what = message.WhichOneof("response")
        if what == "decision":
            matches.decision(message.decision, now_ns)
        elif what == "answer_accepted":
            matches.accepted(message.answer_accepted, now_ns)
        elif what == "heartbeat":
            matches.heartbeat(wire.nanoseconds(message.heartbeat.server_time), now_ns)
        elif what == "refused":
            refused = message.refused
            error = from_status(refused.status)
            matches.refused(refused.match_id, refused.decision_id, refused.request_id, error)
        elif what == "invitation":
            seat = wire.SEATS.get(message.invitation.seat)
            if seat is not None:
                view = wire.match(message.invitation.match)
                info = wire.match_info(view, seat)
                if self._is_wanted(info):
                    matches.invited(view.id, view.seed_commitment)
                else:
                    matches.unwanted(info)
        elif what == "match_opened":
            seat = wire.SEATS.get(message.match_opened.seat)
            if seat is not None:
                matches.opened(wire.match(message.match_opened.match), seat)
        elif what == "match_closed":
            matches.closed(wire.match(message.match_closed.match))
        elif what == "closing":
            reason = wire.close_reason(message.closing.reason)
            if reason is CloseReason.SUPERSEDED:
                raise Superseded
            raise _Lost(wire.closed(reason))

    def _is_wanted(self, match: MatchInfo) -> bool:
        try:
            return bool(self._wants(match))
        except Exception as error:  # It must not end the matches that are being played.
            log.error("match %s: `wants` raised\n%s", match.id, traced(error))
            return False

    def _proceed(self) -> None:
        """Carries out the pending effects; without a stream they wait for the next one."""
        if self._ended is None or self._ended.done():
            return
        try:
            for effect in self._matches.take_effects():
                self._carry_out(effect)
        except SessionError as error:
            self._ended.set_exception(error)
        else:
            if self._matches.is_done:
                self._ended.set_result(None)

    def _carry_out(self, effect: Effect) -> None:
        """Carries out an effect. Unsent requests become due again on the next stream."""
        if isinstance(effect, Answer):
            request = Request()
            answer = request.answer
            answer.match_id = effect.match_id
            answer.decision_id = effect.decision_id
            answer.action = effect.action
            answer.request_id = effect.request_id
            if effect.thinking is not None:
                answer.thinking.CopyFrom(effect.thinking)
            self._outbox.put_nowait(request)
        elif isinstance(effect, (Ask, TellGame)):
            match = effect.decision.match if isinstance(effect, Ask) else effect.match
            player = self._players.get(match.id)
            if player is not None:
                player.tell(effect)
        elif isinstance(effect, Accept):
            seed = self._draw_seed or share(self._draw_secret, effect.commitment)
            accept = Request.AcceptInvitation(match_id=effect.match_id, name=self._name, seed=seed)
            self._outbox.put_nowait(Request(accept_invitation=accept))
        elif isinstance(effect, Decline):
            decline = Request.DeclineInvitation(
                match_id=effect.match_id,
                reason=effect.reason,
                request_id=f"{effect.match_id}:decline",
            )
            self._outbox.put_nowait(Request(decline_invitation=decline))
        elif isinstance(effect, Open):
            self._players[effect.match.id] = BotPlayer(
                effect.match,
                self._make,
                self._pool,
                self._chosen,
                self._failed,
                lambda: self._is_cancelled,
            )
        elif isinstance(effect, Close):
            player = self._players.pop(effect.match_id, None)
            if player is not None:
                farewell = player.close(effect.result)
                self._farewells[farewell] = player
                farewell.add_done_callback(self._farewells.pop)
        elif isinstance(effect, Resign):
            resign = Request.Resign(
                match_id=effect.match_id,
                request_id=effect.request_id,
                reason=wire.to_failure(effect.failure),
            )
            self._outbox.put_nowait(Request(resign=resign))
        elif isinstance(effect, Check):
            self._later(self._check(effect))
        elif isinstance(effect, Retry):
            self._later(self._retry(effect))
        elif isinstance(effect, Fail):
            raise effect.error

    def _make(self, match: MatchInfo) -> Bot:
        bot = self._bot()
        if not isinstance(bot, Bot):
            raise TypeError(f"{self._bot!r} returned {bot!r}, which is not a Bot")
        bot.options = self._options
        return bot

    def _chosen(self, decision: Decision, action: str, thinking: match_pb2.Thinking | None) -> None:
        self._matches.chosen(decision, action, time.monotonic_ns(), thinking)
        self._proceed()

    def _failed(self, match_id: str, failure: str) -> None:
        self._matches.bot_failed(match_id, failure)
        self._proceed()

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _retry(self, effect: Retry) -> None:
        await asyncio.sleep(effect.pause)
        self._matches.retry(effect.match_id, time.monotonic_ns())
        self._proceed()

    async def _check(self, effect: Check) -> None:
        await asyncio.sleep(effect.pause)
        found: Match | CallError
        try:
            async with self._checking:
                answer = await GET_MATCH.unary(self._channel)(
                    match_service_pb2.GetMatchRequest(match_id=effect.match_id),
                    metadata=self._connection.metadata,
                    timeout=CALL_TIMEOUT,
                )
            found = wire.match(answer.match)
        except grpc.RpcError as error:
            found = from_rpc(error)
        self._matches.checked(effect.match_id, found)
        self._proceed()


def games_of(bot: object) -> Collection[str] | None:
    """Returns the games that a class of bots plays; None for every game."""
    games: Collection[str] | None = getattr(bot, "plays", None)
    if isinstance(games, str):
        raise InvalidSetting(f"plays is a list of names, such as ({games!r},), not a text")
    return games


def plays(games: Collection[str] | None) -> Wants:
    """Returns a filter for some games, or every game."""
    return lambda match: games is None or match.game in games


def fits(accepts: Sequence[AcceptedGame], wants: Wants) -> Wants:
    """Returns a filter for the matches that fit one of some games, or any if there are none."""
    if not accepts:
        return wants
    return lambda match: wants(match) and any(game.fits(match) for game in accepts)


def final_error(failure: CallError) -> SessionError:
    """Returns the error that ends the session."""
    code = failure.code if isinstance(failure, (Refused, CallFailed)) else ""
    return TokenRefused(failure) if code == "UNAUTHENTICATED" else ServiceFailed(failure)


async def _end_of(stream: Any) -> Exception:
    """Returns the reason why a stream ended."""
    code = await stream.code()
    if code is grpc.StatusCode.OK:
        return _Lost(Unreachable("the stream has ended"))
    error = grpc.aio.AioRpcError(
        code,
        await stream.initial_metadata(),
        await stream.trailing_metadata(),
        await stream.details(),
    )
    return _Lost(from_rpc(error))


async def watch(heard: list[float], period: float) -> None:
    """Raises when too many heartbeats are missing."""
    while time.monotonic() - heard[0] <= MISSING_HEARTBEATS * period:
        await asyncio.sleep(period)
    raise _Lost(Unreachable("the service stopped sending heartbeats"))


async def _end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks and waits until they have ended, ignoring their results."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
