"""Whole matches on a service."""

from __future__ import annotations

import asyncio
import copy
import math
import pickle
import re
import subprocess
from dataclasses import asdict, replace
from typing import Any

import grpc
import pytest

from conftest import (
    PATIENCE,
    Pairing,
    Service,
    clean_environment,
    new_token,
    play,
    program,
    recorded,
)
from dragontooth import (
    AcceptedGame,
    ActionPlayed,
    Bot,
    Choice,
    Client,
    Clocks,
    Connection,
    Decision,
    Delay,
    ErrorReason,
    Fischer,
    InvalidSetting,
    Match,
    MatchInfo,
    MatchState,
    PerAction,
    Refused,
    Score,
    Seat,
    Session,
    Termination,
    Thinking,
    TimeControl,
    wire,
)
from dragontooth.connection import Method
from dragontooth.examples.random_bot import RandomBot
from dragontooth.v1 import player_service_pb2

GAMES = ("kamisado", "linja", "tzaar", "backgammon")


class Thinker(Bot):
    """Chooses at random, as an `async def`, and keeps its decisions."""

    name = "thinker"

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []
        self.decisions: list[Decision] = []

    async def on_match_started(self, match: MatchInfo) -> None:
        self.told.append(("started", match))

    async def choose(self, decision: Decision) -> str:
        self.decisions.append(decision)
        return decision.random().choice(decision.legal_actions)

    def on_game_ended(self, match: MatchInfo, game_number: int, score: Score) -> None:
        self.told.append(("game", (game_number, score)))

    def on_match_ended(self, match: MatchInfo, result: Match) -> None:
        self.told.append(("ended", result))


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_to_its_end(shared_service: Service, game: str) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match(game)
    first = Session(RandomBot, pairing.first, matches=1)
    summaries = play(first, Session(Thinker, pairing.second, matches=1))
    with pytest.raises(RuntimeError, match="runs once"):
        first.run()
    result = pairing.result(match)
    assert result.state is MatchState.ENDED
    assert result.outcome is not None
    assert result.outcome.termination is Termination.NORMAL
    assert [summary.matches for summary in summaries] == [1, 1]
    assert [summary.failures for summary in summaries] == [0, 0]
    winner = result.outcome.winner
    assert [summary.won for summary in summaries] == [winner is seat for seat in Seat]
    assert [summary.lost for summary in summaries] == [winner is seat.other for seat in Seat]
    assert (result.first.name, result.second.name) == ("random", "thinker")


def test_a_bot_sees_every_event(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("kamisado", 3, time_control=Fischer(300, 2))
    made: list[Bot] = []
    play(
        Session(recorded(made, Thinker), pairing.first, matches=1),
        Session(RandomBot, pairing.second, matches=1),
    )
    result = pairing.result(match)
    (bot,) = made
    assert isinstance(bot, Thinker)
    assert bot.told[0] == (
        "started",
        MatchInfo(
            id=match.id,
            title="",
            game="kamisado",
            variant="standard",
            target=3,
            seat=Seat.FIRST,
            opponent="random",
            time_control=Fischer(300, 2),
            opponent_time_control=Fischer(300, 2),
        ),
    )
    games = [fact for what, fact in bot.told if what == "game"]
    assert len(games) == result.game_number
    assert games[-1] == (result.game_number, result.score)
    assert bot.told[-1] == ("ended", result)
    first = bot.decisions[0]
    assert first.position == "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -"
    assert len(first.legal_actions) == 102
    assert (first.game, first.seat, first.game_number, first.ply) == ("kamisado", Seat.FIRST, 1, 0)
    assert first.clocks is not None
    assert first.clocks.first == first.clocks.second == 300
    # A twentieth of the stock and the increment; by now the match is long over.
    assert first.deadline is not None
    assert first.choose_by is not None
    assert 250 < first.deadline - first.choose_by < 284
    assert len({decision.seed for decision in bot.decisions}) == len(bot.decisions)
    played = 0
    for decision in bot.decisions:
        played += sum(isinstance(event, ActionPlayed) for event in decision.since)
        assert decision.ply == played
    assert bot.decisions[-1].game_number > 1


def test_a_decision_can_be_copied_as_data(shared_service: Service) -> None:
    copies: list[tuple[Decision, Decision]] = []

    class Copies(RandomBot):
        def choose(self, decision: Decision) -> str:
            # Before the bot has looked at the clocks and the events.
            made = [pickle.loads(pickle.dumps(decision)), copy.deepcopy(decision)]
            made += [replace(one, bot_seed=decision.bot_seed) for one in made]
            copies.extend((decision, one) for one in made)
            return super().choose(decision)

    pairing = Pairing(shared_service)
    pairing.match("backgammon", time_control=Fischer(300, 2))
    first, _ = play(
        Session(Copies, pairing.first, matches=1), Session(RandomBot, pairing.second, matches=1)
    )
    assert first.failures == 0
    assert any(len(decision.since) > 1 for decision, _ in copies)
    for decision, other in copies:
        assert other == decision
        assert other.times == decision.times
        assert other.since == decision.since
        assert other.deadline is not None
        assert other.random().random() == decision.random().random()
        assert asdict(other) == asdict(decision)


def line_of_nothing() -> Any:
    """A line that is made when it is read."""
    yield "b1b4"
    raise LookupError("not there yet")


def test_what_a_bot_thinks_is_recorded(
    shared_service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    """Thoughts that break a rule, or have no form on the wire, cost no action."""
    thoughts = [
        Thinking(
            win_probability=0.25,
            depth=7,
            nodes=12345,
            time=0.25,
            line=["b1b4", "c8c5"],
            tags={"net": "v2"},
        ),
        Thinking(points=-1.5),
        Thinking(win_probability=float("nan")),
        Thinking(depth=-1),
        Thinking(win_probability=0.5, points=0),
        Thinking(line=["x" * 100_000]),
        Thinking(line="b1b4"),
        Thinking(tags={"n": "\ud800"}),
        Thinking(line=line_of_nothing()),
        None,
    ]

    class Thoughtful(RandomBot):
        def choose(self, decision: Decision) -> str:
            action = super().choose(decision)
            assert isinstance(action, str)
            thinking = thoughts[len(sent)] if len(sent) < len(thoughts) else None
            sent.append(action)
            return Choice(action, thinking)

    sent: list[str] = []
    pairing = Pairing(shared_service)
    match = pairing.match("linja")
    play(
        Session(Thoughtful, pairing.first, matches=1),
        Session(RandomBot, pairing.second, matches=1),
    )
    with Client(pairing.first) as client:
        events = [event.action_played for event in client.watch(match.id)]
    played = [event for event in events if event.seat == 1]
    assert [event.action for event in played] == sent
    first, second, *rest = played
    assert first.thinking.win_probability == 0.25
    assert (first.thinking.depth, first.thinking.nodes) == (7, 12345)
    assert first.thinking.time.ToMicroseconds() == 250_000
    assert list(first.thinking.line) == ["b1b4", "c8c5"]
    assert [(tag.name, tag.value) for tag in first.thinking.tags] == [("net", "v2")]
    assert second.thinking.points == -1.5
    assert not any(event.HasField("thinking") for event in rest)
    left_out = [record.getMessage() for record in caplog.records if "left out" in record.message]
    for why in (
        "thinking.win_probability: NaN",
        "depth",
        "line: expected a list",
        "tags: 'n'",
        "either win_probability",
        "LookupError: not there yet",
        "100",
    ):
        assert any(why in message for message in left_out), (why, left_out)


def test_each_seat_may_have_a_clock_of_its_own(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    pairing.match("kamisado", time_control=Fischer(300, 2), odds={Seat.SECOND: None})
    bots: list[list[Bot]] = [[], []]
    play(
        Session(recorded(bots[0], Thinker), pairing.first, matches=1),
        Session(recorded(bots[1], Thinker), pairing.second, matches=1),
    )
    ((first,), (second,)) = bots
    assert isinstance(first, Thinker)
    assert isinstance(second, Thinker)
    decision = first.decisions[0]
    assert (decision.match.time_control, decision.match.opponent_time_control) == (
        Fischer(300, 2),
        None,
    )
    assert decision.clocks == Clocks(300, None)
    assert decision.time_left is not None
    decision = second.decisions[0]
    assert decision.match.time_control is None
    assert decision.clocks is not None
    assert (decision.clocks.second, decision.time_left, decision.budget) == (None, None, None)


def test_two_matches_at_once_and_a_slow_bot_in_one(shared_service: Service) -> None:
    """The bot of one match thinks until the other match is over."""
    over = asyncio.Event()

    class Waiting(Bot):
        def on_match_started(self, match: MatchInfo) -> None:
            self.waits = match.game == "linja"

        async def choose(self, decision: Decision) -> str:
            if self.waits:
                await over.wait()
            return decision.legal_actions[0]

        async def on_match_ended(self, match: MatchInfo, result: Match) -> None:
            ended.append(match.game)
            over.set()

    ended: list[str] = []
    pairing = Pairing(shared_service)
    pairing.match("linja")
    pairing.match("kamisado")
    play(
        Session(Waiting, pairing.first, matches=2),
        Session(RandomBot, pairing.second, matches=2),
    )
    assert ended == ["kamisado", "linja"]


def test_only_games_that_the_bot_plays(shared_service: Service) -> None:
    class Linja(RandomBot):
        plays = ("linja",)

    pairing = Pairing(shared_service)
    other = pairing.match("kamisado")
    match = pairing.match("linja")
    play(
        Session(Linja, pairing.first, matches=1),
        Session(RandomBot, pairing.second, matches=1, match_id=match.id),
    )
    assert pairing.result(match).state is MatchState.ENDED
    declined = pairing.result(other).outcome
    assert declined is not None
    assert declined.termination is Termination.DECLINED


def test_an_invitation_that_cannot_be_judged_is_declined(
    shared_service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    def wants(match: MatchInfo) -> bool:
        if match.game == "kamisado":
            raise LookupError("no opinion")
        return True

    pairing = Pairing(shared_service)
    other = pairing.match("kamisado")
    match = pairing.match("linja")
    play(
        Session(RandomBot, pairing.first, matches=1, wants=wants),
        Session(RandomBot, pairing.second, match_id=match.id),
    )
    assert pairing.result(match).state is MatchState.ENDED
    declined = pairing.result(other).outcome
    assert declined is not None
    assert declined.termination is Termination.DECLINED
    assert "LookupError: no opinion" in caplog.text


def test_a_session_of_one_match_leaves_other_invitations_alone(shared_service: Service) -> None:
    """They may be meant for the player's next run."""

    class Linja(RandomBot):
        plays = ("linja",)

    pairing = Pairing(shared_service)
    others = [pairing.match("kamisado"), pairing.match("linja")]
    match = pairing.match("linja")
    play(
        Session(Linja, pairing.first, match_id=match.id),
        Session(RandomBot, pairing.second, match_id=match.id),
    )
    assert pairing.result(match).state is MatchState.ENDED
    assert [pairing.result(other).state for other in others] == [MatchState.OPEN, MatchState.OPEN]


def test_a_text_is_refused_where_a_list_is_expected() -> None:
    class Kamisado(RandomBot):
        plays = "kamisado"

    connection = Connection(token=new_token())
    with pytest.raises(InvalidSetting, match=r"plays is a list .* \('kamisado',\), not a text"):
        Session(Kamisado, connection)
    accepts: Any = "linja"
    with pytest.raises(InvalidSetting, match=r"accepts is a list, .*'linja'.*, not a text"):
        Session(RandomBot, connection, accepts=accepts)
    for game in (AcceptedGame("linja", accepts), AcceptedGame("linja", time_controls=accepts)):
        with pytest.raises(InvalidSetting, match=r"a list is expected, .*'linja'.*, not a text"):
            Session(RandomBot, connection, accepts=[game])


@pytest.mark.parametrize("match_id", [None, "a match"])
@pytest.mark.parametrize(
    ("game", "matches_at_once", "build"),
    [
        (AcceptedGame("linja", target_max=2**32), 1, ""),
        (AcceptedGame("linja", ("\udcff",)), 1, ""),
        (AcceptedGame("linja", time_controls=(PerAction(math.inf),)), 1, ""),
        (AcceptedGame("linja", time_controls=(Fischer(math.nan),)), 1, ""),
        (AcceptedGame("linja"), 2**32, ""),
        (AcceptedGame("linja"), -1, ""),
        (AcceptedGame("linja"), 1, "\udcff"),
    ],
)
def test_what_a_player_accepts_has_to_fit_the_wire(
    game: AcceptedGame, matches_at_once: int, build: str, match_id: str | None
) -> None:
    with pytest.raises(InvalidSetting, match="what the player accepts cannot be sent: "):
        Session(
            RandomBot,
            Connection(token=new_token()),
            match_id=match_id,
            matches_at_once=matches_at_once,
            accepts=[game],
            build=build,
        )


def test_only_matches_with_the_terms_that_the_player_accepts(shared_service: Service) -> None:
    """The service lists the player with them, as long as it is there."""
    listed: list[player_service_pb2.PresentPlayer] = []

    class Looking(RandomBot):
        def on_match_started(self, match: MatchInfo) -> None:
            with grpc.insecure_channel(f"127.0.0.1:{shared_service.port}") as channel:
                answer_type = player_service_pb2.ListPlayersResponse
                call = Method("PlayerService", "ListPlayers", answer_type).unary(channel)
                answer = call(player_service_pb2.ListPlayersRequest(game="linja"))
                listed.extend(answer.players)

    pairing = Pairing(shared_service)
    other = pairing.match("linja")
    match = pairing.match("linja", 3)
    accepts = [AcceptedGame.parse("linja:3-7"), AcceptedGame.parse("tzaar/random@60+0.5")]
    play(
        Session(Looking, pairing.first, matches=1, accepts=accepts, build="v12"),
        Session(RandomBot, pairing.second, matches=1, match_id=match.id),
    )
    declined = pairing.result(other).outcome
    assert declined is not None
    assert declined.termination is Termination.DECLINED
    assert declined.reason == "this bot does not accept these terms: linja standard to 1"
    offers = {player.player_id: player.offer for player in listed}
    first = pairing.result(match).first.id
    assert offers[first] == player_service_pb2.Offer(
        games=[
            player_service_pb2.AcceptedGame(game="linja", target_min=3, target_max=7),
            player_service_pb2.AcceptedGame(
                game="tzaar",
                variants=["random"],
                time_controls=[wire.to_time_control(Fischer(60, 0.5))],
            ),
        ],
        matches_at_once=1024,
        build="v12",
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", ":3", "linja:", "linja:0", "linja:7-3", "linja/"),
        *("linja@", "linja@60", "linja@60+", "linja@0+1", "linja@60d0", "linja@1.0005s"),
        *("linja@2592001s", "linja@1.5ms", "linja@-1s", "linja@none:3"),
    ],
)
def test_terms_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a game|target|time"):
        AcceptedGame.parse(text)


@pytest.mark.parametrize(
    ("text", "control", "others"),
    [
        ("60.1+0.25", Fischer(60.1, 0.25), [None, Fischer(60.1), Delay(60.1, 0.25)]),
        ("2592000+0", Fischer(2592000), [Fischer(2591999)]),
        ("60d0.125", Delay(60, 0.125), [None, Fischer(60, 0.125), Delay(60, 0.126)]),
        ("1.5s", PerAction(1.5), [None, PerAction(1.501)]),
        ("100ms", PerAction(0.1), [PerAction(0.01)]),
        ("none", None, [PerAction(1), Fischer(60)]),
    ],
)
def test_terms_with_a_clock(
    text: str, control: TimeControl | None, others: list[TimeControl | None]
) -> None:
    """A match has to have that of the player's own seat, as the service tells it."""
    accepted = AcceptedGame.parse(f"linja@{text}")
    assert accepted.time_controls == (control,)

    def fits(own: TimeControl | None) -> bool:
        told = None if own is None else wire.time_control(wire.to_time_control(own))
        return accepted.fits(MatchInfo("", "", "linja", "standard", 3, Seat.FIRST, "", told, None))

    assert fits(control)
    assert not any(fits(other) for other in others)


def test_against_a_bot_in_rust(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("tzaar", variant="fixed")
    command = [program("dragontooth-bot"), "play", "--bot", "greedy", "--match", match.id]
    opponent = subprocess.Popen(
        command,
        env=clean_environment(
            DRAGONTOOTH_SERVER=shared_service.address, DRAGONTOOTH_TOKEN=pairing.second.token
        ),
        stdout=subprocess.DEVNULL,
    )
    try:
        (summary,) = play(Session(RandomBot, pairing.first, match_id=match.id))
        assert opponent.wait(PATIENCE) == 0
    finally:
        opponent.kill()
    assert summary.matches == 1


def test_the_same_seed_plays_the_same_match(shared_service: Service) -> None:
    records = []
    for _ in range(2):
        pairing = Pairing(shared_service)
        with Client(pairing.first) as client:
            ids = client.who_am_i(), Client(pairing.second).who_am_i()
            match = client.create_match(
                "backgammon", 3, seed="the same", title="again", first=ids[0], second=ids[1]
            )
            play(
                Session(RandomBot, pairing.first, matches=1, seed=7, draw_secret="ann's"),
                Session(RandomBot, pairing.second, matches=1, seed=8, draw_secret="bob's"),
            )
            records.append(client.record(match.id))
    first, second = (record[record.index("Game 1:") :] for record in records)
    assert first == second


def test_the_share_of_a_seed_is_random(shared_service: Service) -> None:
    """A share that is known in advance would let others choose the dice."""
    shares = []
    for _ in range(2):
        pairing = Pairing(shared_service)
        with Client(pairing.first) as client:
            ids = client.who_am_i(), Client(pairing.second).who_am_i()
            match = client.create_match("linja", 1, seed="given", first=ids[0], second=ids[1])
            play(
                Session(RandomBot, pairing.first, matches=1),
                Session(RandomBot, pairing.second, matches=1, draw_seed="mine"),
            )
            record = client.record(match.id)
            shares.append(re.findall(r'\[(?:First|Second)Seed "(.*)"\]', record))
    assert [own for _, own in shares] == ["mine", "mine"]
    first, second = (share for share, _ in shares)
    assert len(first) == len(second) == 64
    assert first != second


def test_a_player_that_is_blocked_sends_no_more_invitations(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("linja")
    with Client(pairing.first) as first, Client(pairing.second) as second:
        inviter = second.who_am_i()
        assert first.blocked_players() == []
        first.block_player(inviter)
        first.block_player(inviter)
        assert first.blocked_players() == [inviter]
        outcome = pairing.result(match).outcome
        assert outcome is not None
        assert outcome.termination is Termination.DECLINED
        with pytest.raises(Refused) as refused:
            pairing.match("linja")
        assert refused.value.reason is ErrorReason.BLOCKED
        first.unblock_player(inviter)
        first.unblock_player(inviter)
        assert first.blocked_players() == []
    assert pairing.match("linja").outcome is None


def test_a_player_without_a_session_is_present_by_its_calls(shared_service: Service) -> None:
    pairing = Pairing(shared_service)
    with Client(pairing.first) as first:
        accepted = [AcceptedGame.parse("linja:3")]
        presence = first.set_offer(accepted, ttl=60, build="v1")
        assert first.set_offer(accepted, ttl=60, build="v2", presence_id=presence) == presence
        newer = first.set_offer(ttl=60)
        with pytest.raises(Refused) as refused:
            first.set_offer(accepted, ttl=60, presence_id=presence)
        assert refused.value.reason is ErrorReason.SUPERSEDED
        first.withdraw_offer(newer)
        with pytest.raises(Refused) as refused:
            first.set_offer(ttl=0.5)
        assert refused.value.reason is ErrorReason.FIELD_INVALID
