"""Unary calls: creating matches, reading them and playing by hand."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import grpc

from dragontooth import wire
from dragontooth.backoff import Backoff
from dragontooth.connection import Connection, Method
from dragontooth.errors import CallError, Unreachable, from_rpc
from dragontooth.model import AcceptedGame, Choice, CloseReason, Match, Seat, TimeControl
from dragontooth.replicas import STEADY, Replicas
from dragontooth.silence import messages
from dragontooth.v1 import game_service_pb2, match_pb2, match_service_pb2, player_service_pb2

#: Time during which a failed call is retried, in seconds.
PATIENCE = 10.0

LIST_GAMES = Method("GameService", "ListGames", game_service_pb2.ListGamesResponse)
ANALYZE = Method("GameService", "AnalyzePosition", game_service_pb2.AnalyzePositionResponse)
GET_DECISION = Method("GameService", "GetDecision", game_service_pb2.GetDecisionResponse)
SUBMIT_ACTION = Method("GameService", "SubmitAction", game_service_pb2.SubmitActionResponse)
CREATE_MATCH = Method("MatchService", "CreateMatch", match_service_pb2.CreateMatchResponse)
JOIN_MATCH = Method("MatchService", "JoinMatch", match_service_pb2.JoinMatchResponse)
GET_MATCH = Method("MatchService", "GetMatch", match_service_pb2.GetMatchResponse)
WATCH_MATCH = Method("MatchService", "WatchMatch", match_service_pb2.WatchMatchResponse)
RESIGN_MATCH = Method("MatchService", "ResignMatch", match_service_pb2.ResignMatchResponse)
ABORT_MATCH = Method("MatchService", "AbortMatch", match_service_pb2.AbortMatchResponse)
DECLINE_INVITATION = Method(
    "MatchService", "DeclineInvitation", match_service_pb2.DeclineInvitationResponse
)
EXPORT_MATCH = Method("MatchService", "ExportMatch", match_service_pb2.ExportMatchResponse)
BLOCK_PLAYER = Method("PlayerService", "BlockPlayer", player_service_pb2.BlockPlayerResponse)
UNBLOCK_PLAYER = Method("PlayerService", "UnblockPlayer", player_service_pb2.UnblockPlayerResponse)
LIST_BLOCKED_PLAYERS = Method(
    "PlayerService", "ListBlockedPlayers", player_service_pb2.ListBlockedPlayersResponse
)
SET_OFFER = Method("PlayerService", "SetOffer", player_service_pb2.SetOfferResponse)
WHO_AM_I = Method("PlayerService", "WhoAmI", player_service_pb2.WhoAmIResponse)


@dataclass(frozen=True)
class Analysis:
    """A position analyzed by the rules."""

    position: str
    #: The seat to act; None if the game is over or a roll is due.
    seat: Seat | None
    legal_actions: tuple[str, ...]
    #: The position after each legal action, if the question asked for it. For Backgammon they are
    #: GNU Backgammon's position ids, in which the mover is still the player on roll.
    results: tuple[str, ...]
    offers: tuple[str, ...]
    roll: str
    rolls: tuple[str, ...]
    #: The rule that ended the game; empty if it is not over.
    ended_by: str
    winner: Seat | None
    points: int


class Client:
    """A blocking client.

    A call that fails with a transient error is retried for `patience` seconds with the same
    request id, so that nothing happens twice. A refusal raises `Refused`.
    """

    def __init__(self, connection: Connection | None = None, *, patience: float = PATIENCE) -> None:
        self._connection = connection or Connection.from_environment()
        addresses = range(len(self._connection.addresses))
        self._channels = [self._connection.channel(at) for at in addresses]
        #: The number of the address in use.
        self._at = 0
        self._patience = patience

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        for channel in self._channels:
            channel.close()

    @property
    def connection(self) -> Connection:
        """The connection, with the address in use as the first one."""
        addresses = self._connection.addresses
        server = ",".join([*addresses[self._at :], *addresses[: self._at]])
        return replace(self._connection, server=server)

    def who_am_i(self) -> str:
        """Returns the id of the player."""
        answer = self._call(WHO_AM_I, player_service_pb2.WhoAmIRequest())
        return str(answer.player_id)

    def games(self) -> list[str]:
        """Returns the names of the games."""
        answer = self._call(LIST_GAMES, game_service_pb2.ListGamesRequest())
        return [game.name for game in answer.games]

    def analyze_position(
        self,
        game: str,
        position: str = "",
        actions: Sequence[str] = (),
        *,
        variant: str = "",
        seed: str = "",
        with_results: bool = False,
    ) -> Analysis:
        """Analyzes the position reached by `actions` from `position`, or from the start."""
        request = game_service_pb2.AnalyzePositionRequest(
            game=game,
            variant=variant,
            position=position,
            actions=actions,
            with_results=with_results,
            seed=seed,
        )
        answer = self._call(ANALYZE, request)
        return Analysis(
            position=answer.position,
            seat=wire.SEATS.get(answer.seat),
            legal_actions=tuple(answer.legal_actions),
            results=tuple(answer.results),
            offers=tuple(answer.offers),
            roll=answer.roll,
            rolls=tuple(answer.rolls),
            ended_by=answer.outcome.reason,
            winner=wire.SEATS.get(answer.outcome.winner),
            points=answer.outcome.points,
        )

    def create_match(
        self,
        game: str,
        target: int,
        *,
        variant: str = "",
        time_control: TimeControl | None = None,
        odds: Mapping[Seat, TimeControl | None] | None = None,
        title: str = "",
        seed: str = "",
        seed_matches: int = 0,
        first: str = "",
        second: str = "",
        disconnect_grace: float | None = None,
        join_timeout: float | None = None,
    ) -> Match:
        """Creates a match. `first` and `second` reserve the seats for these player ids.

        `seed_matches` is the number of matches that are created with `seed`; 0 means one. The
        service reveals the seed when all are over.

        `join_timeout` is the time in seconds within which both seats must be taken; None means the
        longest that the service allows. Then the match expires.

        `odds` overrides `time_control` for single seats; None means no clock.
        """
        request = match_service_pb2.CreateMatchRequest(
            game=game,
            variant=variant,
            target=target,
            title=title,
            seed=seed,
            seed_matches=seed_matches,
            request_id=str(uuid.uuid4()),
        )
        if time_control is not None:
            request.time_control.CopyFrom(wire.to_time_control(time_control))
        for seat, control in (odds or {}).items():
            own = request.seat_time_controls.add(seat=wire.to_seat(seat))
            if control is not None:
                own.time_control.CopyFrom(wire.to_time_control(control))
        if disconnect_grace is not None:
            request.disconnect_grace.CopyFrom(wire.to_duration(disconnect_grace))
        if join_timeout is not None:
            request.join_timeout.CopyFrom(wire.to_duration(join_timeout))
        for seat, player in ((Seat.FIRST, first), (Seat.SECOND, second)):
            if player:
                request.reservations.add(seat=wire.to_seat(seat), player_id=player)
        return wire.match(self._call(CREATE_MATCH, request).match)

    def join_match(
        self, match_id: str, *, seat: Seat | None = None, name: str = "", seed: str = ""
    ) -> tuple[Match, Seat]:
        """Takes a seat and returns the match and the seat."""
        request = match_service_pb2.JoinMatchRequest(
            match_id=match_id, seat=wire.to_seat(seat), name=name, seed=seed
        )
        answer = self._call(JOIN_MATCH, request)
        return wire.match(answer.match), wire.SEATS[answer.seat]

    def match(self, match_id: str) -> Match:
        """Returns the match as it is now."""
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        return wire.match(self._call(GET_MATCH, request).match)

    def decision(self, match_id: str) -> match_pb2.Decision:
        """Returns the decision that is due, whichever seat has to make it."""
        request = game_service_pb2.GetDecisionRequest(match_id=match_id)
        decision: match_pb2.Decision = self._call(GET_DECISION, request).decision
        return decision

    def submit(self, match_id: str, decision_id: int, action: str, request_id: str = "") -> Match:
        """Answers a decision. A `Choice` as `action` is sent with its thinking.

        If the service leaves the thinking out, the log says why; the action counts.
        """
        thinking = action.thinking if isinstance(action, Choice) else None
        request = game_service_pb2.SubmitActionRequest(
            match_id=match_id,
            decision_id=decision_id,
            action=action,
            request_id=request_id or str(uuid.uuid4()),
            thinking=wire.readable_thinking(match_id, thinking),
        )
        answer = self._call(SUBMIT_ACTION, request)
        if answer.HasField("thinking_fault"):
            wire.log_thinking_fault(match_id, answer.thinking_fault)
        return wire.match(answer.match)

    def watch(
        self, match_id: str, after_sequence: int = 0
    ) -> Generator[match_pb2.MatchEvent, None, None]:
        """Yields the events of a match until it ends.

        When the stream is lost, the next one goes on after the last event. Raises the failure if
        there was none for `patience` seconds.
        """
        request = match_service_pb2.WatchMatchRequest(
            match_id=match_id, after_sequence=after_sequence
        )
        replicas = Replicas(self._connection.addresses, self._at)
        backoff = Backoff()
        lost_at: float | None = None
        while True:
            call = WATCH_MATCH.unary_stream(self._channels[replicas.at])
            opened_at, is_brief = time.monotonic(), False
            try:
                stream = call(request, metadata=self._connection.metadata)
                with closing(messages(stream, replicas.timeout)) as read:
                    for message in read:
                        if message.HasField("closing"):
                            reason = wire.close_reason(message.closing.reason)
                            if reason is CloseReason.MATCH_ENDED:
                                return
                            raise wire.closed(reason)
                        lost_at, is_brief = None, True
                        backoff.reset()
                        replicas.answered()
                        for event in message.batch.events:
                            request.after_sequence = event.sequence
                            yield event
                raise Unreachable("the stream has ended")
            except CallError as error:
                failure = error
            now = time.monotonic()
            lost_at = now if lost_at is None else lost_at
            is_brief = is_brief and now - opened_at <= STEADY
            of_all = replicas.failed(failure)
            self._at = replicas.at
            if of_all is None and not is_brief:
                continue
            failure = of_all or failure
            left = lost_at + self._patience - now
            if not failure.is_transient or left <= 0:
                raise failure
            time.sleep(min(backoff.pause(failure.retry_after), left))

    def resign_match(self, match_id: str, reason: str = "") -> Match:
        """Resigns a match. `reason` is public: why the program cannot continue."""
        request = match_service_pb2.ResignMatchRequest(
            match_id=match_id,
            request_id=str(uuid.uuid4()),
            reason=wire.to_failure(reason) if reason else "",
        )
        return wire.match(self._call(RESIGN_MATCH, request).match)

    def abort_match(self, match_id: str) -> Match:
        """Aborts a match."""
        request = match_service_pb2.AbortMatchRequest(
            match_id=match_id, request_id=str(uuid.uuid4())
        )
        return wire.match(self._call(ABORT_MATCH, request).match)

    def decline_invitation(self, match_id: str, reason: str = "") -> Match:
        """Declines the seat reserved for the player, which ends the match. `reason` is public."""
        request = match_service_pb2.DeclineInvitationRequest(
            match_id=match_id, reason=reason, request_id=str(uuid.uuid4())
        )
        return wire.match(self._call(DECLINE_INVITATION, request).match)

    def set_offer(
        self,
        games: Iterable[AcceptedGame] = (),
        *,
        ttl: float,
        matches_at_once: int = 0,
        build: str = "",
        presence_id: str = "",
    ) -> str:
        """Says what the player accepts, for one without a `Session`; no games stand for every game.

        The player is present for `ttl` seconds, from 1 to 3600. Returns the id with which the next
        call makes the offer again, or changes it. A call without an id replaces other programs with
        the same token, which are refused with `SUPERSEDED` when they call again.
        """
        request = player_service_pb2.SetOfferRequest(
            offer=wire.to_offer(games, matches_at_once, build),
            ttl=wire.to_duration(ttl),
            presence_id=presence_id,
        )
        return str(self._call(SET_OFFER, request).presence_id)

    def withdraw_offer(self, presence_id: str = "") -> None:
        """Withdraws what the player has said with `set_offer`."""
        self._call(SET_OFFER, player_service_pb2.SetOfferRequest(presence_id=presence_id))

    def block_player(self, player_id: str) -> None:
        """Blocks a player: its pending invitations are declined, and it can send no more."""
        self._call(BLOCK_PLAYER, player_service_pb2.BlockPlayerRequest(player_id=player_id))

    def unblock_player(self, player_id: str) -> None:
        """Removes a block, if there is one."""
        self._call(UNBLOCK_PLAYER, player_service_pb2.UnblockPlayerRequest(player_id=player_id))

    def blocked_players(self) -> list[str]:
        """Returns the ids of the blocked players, in order."""
        request = player_service_pb2.ListBlockedPlayersRequest()
        return list(self._call(LIST_BLOCKED_PLAYERS, request).player_ids)

    def record(self, match_id: str, record_format: str = "") -> str:
        """Returns the record of a match as text."""
        request = match_service_pb2.ExportMatchRequest(match_id=match_id, format=record_format)
        return str(self._call(EXPORT_MATCH, request).text)

    def _call(self, method: Method, request: Any) -> Any:
        until = time.monotonic() + self._patience
        backoff = Backoff()
        replicas = Replicas(self._connection.addresses, self._at)
        while True:
            call = method.unary(self._channels[replicas.at])
            try:
                metadata, timeout = self._connection.metadata, replicas.timeout
                answer = call(request, metadata=metadata, timeout=timeout)
            except grpc.RpcError as error:
                failure = replicas.failed(from_rpc(error))
                self._at = replicas.at
                if failure is None:
                    continue
                left = until - time.monotonic()
                if not failure.is_transient or left <= 0:
                    raise failure from error
                time.sleep(min(backoff.pause(failure.retry_after), left))
            else:
                return answer
