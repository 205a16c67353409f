"""Positions and actions as data, against the pages of the rules and against the rules in Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from conftest import REPOSITORY
from dragontooth import Score, Seat
from dragontooth.games import InvalidNotation, backgammon, kamisado, linja, parse, tzaar
from oracle import Oracle

DATA = REPOSITORY / "games/tests/it"
#: The data of the rules: positions, the first thing of each line.
FILES = [
    ("kamisado", "data/positions.txt", ""),
    ("linja", "linja/data/positions.txt", ""),
    ("tzaar", "tzaar/data/positions.txt", ""),
    ("backgammon", "backgammon/data/states.txt", " | "),
]
VARIANTS = [
    ("kamisado", "standard"),
    ("kamisado", "random"),
    ("linja", "random"),
    ("tzaar", "random"),
    ("tzaar", "fixed"),
    ("tzaar", "tournament"),
    ("backgammon", "standard"),
    ("backgammon", "money_jacoby"),
]
READERS = {
    "kamisado": kamisado.parse_action,
    "linja": linja.Move.parse,
    "tzaar": tzaar.parse_action,
    "backgammon": backgammon.parse_action,
}
GAMES_EACH = 8


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    oracle = Oracle()
    yield oracle
    oracle.close()


@pytest.mark.parametrize(("game", "file", "end"), FILES)
def test_positions_of_the_rules_are_written_as_they_were(game: str, file: str, end: str) -> None:
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    texts = [line.split(end)[0] if end else line for line in lines]
    texts = [text for text in texts if text and not text.startswith("# ")]
    assert len(texts) > 10
    for text in texts:
        assert str(parse(game, text)) == text


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_random_games(oracle: Oracle, game: str, variant: str) -> None:
    """Everything that the rules write is read and written again; so are boards."""
    random = Random(f"{game} {variant}")
    reader = READERS[game]
    for _ in range(GAMES_EACH):
        for before, action, legal, text in oracle.playout(game, variant, random):
            for one in legal:
                assert str(reader(one)) == one
            position, result = parse(game, before), parse(game, text)
            assert (str(position), str(result)) == (before, text)
            if not re.fullmatch("[1-6][1-6]", action):
                check_after(position, action, result)


def check_after(position: object, action: str, result: object) -> None:
    """The board is the one of the rules."""
    if isinstance(position, kamisado.Position):
        assert isinstance(result, kamisado.Position)
        # The new tooth is not on its tower yet.
        assert position.after(action).towers == result.towers
    elif isinstance(position, linja.Position):
        assert isinstance(result, linja.Position)
        after = position.after(action)
        assert (after.red, after.black) == (result.red, result.black)
    elif isinstance(position, tzaar.Position):
        assert isinstance(result, tzaar.Position)
        assert position.after(action).units == result.units
    elif isinstance(position, backgammon.Position):
        assert isinstance(result, backgammon.Position)
        assert position.after(action).board == result.board


def test_pushes_of_the_rules(oracle: Oracle) -> None:
    """Towers with teeth: what random games from the start do not reach."""
    random = Random("pushes")
    pushes = 0
    for text in (DATA / "data/positions.txt").read_text(encoding="utf-8").splitlines():
        answer = oracle.ask(game="kamisado", position=text)
        while answer["legal"] and not set(answer["legal"]) & {"left", "right"}:
            position = kamisado.Position.parse(answer["position"])
            action = random.choice(answer["legal"])
            pushes += position.is_push(action)
            answer = oracle.ask(game="kamisado", position=answer["position"], actions=[action])
            check_after(position, action, kamisado.Position.parse(answer["position"]))
    assert pushes > 0


def test_kamisado() -> None:
    start = kamisado.Position.parse("OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -")
    assert len(start.towers) == 16
    assert start.towers["a1"] == kamisado.Tower("black", "brown")
    assert start.towers["h8"] == kamisado.Tower("white", "brown")
    assert (start.side, start.required, start.refill) == ("black", None, False)
    page = (REPOSITORY / "docs/rules/kamisado.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([1-8]) \| (\w+(?: \| \w+){7}) \|$", page, re.MULTILINE)
    assert len(rows) == 8
    for rank, row in rows:
        for file, colour in zip("abcdefgh", row.split(" | "), strict=True):
            assert kamisado.colour_of(f"{file}{rank}") == colour
    refill = kamisado.Position.parse("l+7/o7/8/8/OLMPYRGB/8/ypm5/bgr5 b *")
    assert refill.refill
    assert refill.towers[refill.square_of("black", "blue")].teeth == 1
    tooth = kamisado.Position.parse("3R4/2GlYOM1/gPBp4/y4om1/L7/r4b2/8/8 b p G").tooth
    assert tooth == kamisado.Tower("white", "green")
    # The rulebook's figure 10: a triple sumo pushes three towers, the last one to d2.
    figure = kamisado.Position.parse("OLMP1RGB/8/3Y+++4/3o4/3b4/3g++4/8/rym1pl2 w y")
    assert figure.is_push("d6d5")
    assert not figure.is_push("d6e5")
    after = figure.after("d6d5")
    assert str(after) == "OLMP1RGB/8/8/3Y+++4/3o4/3b4/3g++4/rym1pl2 w y"


def test_linja() -> None:
    position = linja.Position.parse("6,1,2,0,1,1,1,0/0,1,2,0,1,1,1,6 b 2:2x")
    assert (position.side, position.second_move, position.extra) == ("black", 2, True)
    assert (position.pieces("red")[2], position.on(2)) == (2, 4)
    # The leaflet's figure.
    figure = linja.Position.parse("0,0,0,0,1,3,3,5/6,4,2,0,0,0,0,0 b 1")
    assert (figure.points("red"), figure.points("black")) == (41, 46)


def test_tzaar() -> None:
    text = "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o"
    start = tzaar.Position.parse(text)
    assert len(start.units) == 60
    for side in ("white", "black"):
        for kind, count in tzaar.SUPPLY.items():
            assert start.count(side, kind) == count
    page = "a5 b1 b6 c1 c7 d1 d5 d8 e1 e4 f5 i2 i3 i4 i5"
    white = [point for point, unit in start.units.items() if str(unit) == "T"]
    assert white == page.split()
    stack = tzaar.Position.parse(
        "Z2..../....../......R/......../T......t3/......../r....../....../....z w 2"
    )
    assert stack.units["a1"] == tzaar.Unit("white", "tzaar", 2)
    assert stack.units["e9"].height == 3
    assert stack.after("a1+e1").units["e1"] == tzaar.Unit("white", "tzaar", 3)


def test_backgammon() -> None:
    start = backgammon.Position.parse("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:6:2:1:7:10")
    for seat in Seat:
        checkers = start.checkers(seat)
        assert [checkers[point] for point in (24, 13, 8, 6)] == [2, 5, 3, 5]
        assert (sum(checkers), start.pips(seat)) == (15, 167)
    assert (start.cube, start.cube_owner, start.turn) == (2, Seat.SECOND, Seat.SECOND)
    assert (start.dice, start.score, start.length) == ((3, 1), Score(6, 2), 7)
    assert (start.crawford, start.jacoby, start.doubled) == (True, False, False)
    double = backgammon.Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10 dropped")
    assert (double.doubled, double.remarks) == (True, ("dropped",))
    capped = "XGID=-b----E-C---eE---c-e----B-:5:1:1:00:0:0:0:0:6 roll declined:1 capped"
    assert str(backgammon.Position.parse(capped)) == capped
    play = backgammon.parse_action("bar/23* 24/18*/13 8/5(2)")
    assert isinstance(play, backgammon.Play)
    bar, run, pair = play.ways
    assert bar == backgammon.Way((25, 23), frozenset({23}))
    assert run == backgammon.Way((24, 18, 13), frozenset({18}))
    assert (pair.places, pair.times) == ((8, 5), 2)
    assert backgammon.parse_action("resign 2") == backgammon.Resignation(2)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("kamisado", ""),
        ("kamisado", "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b"),
        ("kamisado", "OLMPYRGB/8/8/8/8/8/8/bgrypml1 b -"),
        ("kamisado", "OLMPYRGB/8/8/8/8/8/8/bgrypmll b -"),
        ("kamisado", "OLMPYRGB/44/8/8/8/8/8/bgrypmlo b -"),
        ("kamisado", "OLMPYRGB/8/8/8/8/8/8/bgrypmlo++++ b -"),
        ("kamisado", "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b B"),
        ("linja", "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 2"),
        ("linja", "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,5 r 1"),
        ("linja", "6,1,1,1,1,1,1/0,1,1,1,1,1,1,6 r 1"),
        ("tzaar", "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTT w o"),
        ("tzaar", "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTX w o"),
        ("backgammon", "-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:7:10"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:7"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----BO:0:0:0:00:0:0:0:7:10"),
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:7:10 resign:4"),
    ],
)
def test_what_is_no_position(game: str, text: str) -> None:
    with pytest.raises(InvalidNotation, match="is not a valid position of"):
        parse(game, text)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("kamisado", "a1"),
        ("kamisado", "a1i2"),
        ("kamisado", "up"),
        ("linja", "2-3"),
        ("linja", "2>8"),
        ("tzaar", "d3-c3"),
        ("tzaar", "e5xe4"),
        ("tzaar", "t@i6"),
        ("backgammon", "resign 4"),
        ("backgammon", "26/20"),
        ("backgammon", "8/5(5)"),
        ("backgammon", ""),
    ],
)
def test_what_is_no_action(game: str, text: str) -> None:
    with pytest.raises(InvalidNotation, match="is not a valid action of"):
        READERS[game](text)
