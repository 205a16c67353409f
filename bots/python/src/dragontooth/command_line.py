"""The program `python -m dragontooth`."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, NoReturn

from dragontooth.active_matches import ended, kind
from dragontooth.bot import Bot
from dragontooth.client import Client
from dragontooth.connection import DEFAULT_SERVER, Connection, Tls
from dragontooth.errors import (
    CallError,
    ConnectionLost,
    DragontoothError,
    InvalidSetting,
    ServiceFailed,
    Superseded,
    TlsFailed,
    TokenRefused,
    Unreachable,
)
from dragontooth.model import MAX_COUNT, AcceptedGame, Match, MatchState, Seat, Summary
from dragontooth.reason_table import REASONS
from dragontooth.session import (
    FIRST_PATIENCE,
    MATCHES_AT_ONCE,
    PATIENCE,
    THREADS,
    Session,
)
from dragontooth.share_secret import own_secret, share

log = logging.getLogger("dragontooth")

TARGET = 3
"""The points that win a new match if none are set."""

MAX_TEXT = 64
"""Longest name and share of the seed that the service takes, in bytes."""

BotMaker = Callable[[], Bot]


class Exit(IntEnum):
    """Exit codes, the same as those of `dragontooth-bot`."""

    DONE = 0
    SYSTEM = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4
    SUPERSEDED = 5
    BOT_FAILED = 6


EXIT_CODES = """\
exit codes:
  0  done, or stopped by SIGINT, SIGTERM or SIGHUP
  1  the operating system reported an error
  2  the command line is wrong, or the bot cannot be loaded
  3  the service cannot be reached
  4  the service refused the token, the match or the request
  5  another program started playing with the same token
  6  the bot failed and resigned in at least one match

The progress of matches is logged on standard error."""

NOT_THERE = "is the service running there, and is the address of --server right?"
HINTS: dict[type[DragontoothError], str] = {
    Superseded: "programs that play at the same time need different tokens",
    Unreachable: NOT_THERE,
    ConnectionLost: NOT_THERE,
    TlsFailed: "does the service speak TLS (if not, its address begins with http://)?"
    " See --tls-ca, --tls-cert and --tls-key",
}


class BotNotFound(Exception):
    """The bot named by --bot cannot be loaded."""


def run(bot: BotMaker, arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs one bot as a program: like `python -m dragontooth play`, without --bot."""
    parser = argparse.ArgumentParser(
        description=f"Play matches on a Dragontooth service with {getattr(bot, '__name__', bot)}.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_play(parser)
    sys.exit(carry_out(parser, parser.parse_args(arguments), lambda parsed: play(parsed, bot)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m dragontooth",
        description="Play matches on a Dragontooth service with a bot written in Python.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    about = (
        "Play matches. Without --match or --new, wait for invitations and accept those to games"
        " that the bot plays."
    )
    command = commands.add_parser(
        "play",
        help="play matches",
        description=about,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--bot",
        required=True,
        metavar="MODULE:NAME",
        help="the bot: a class in a module, such as mybot:MyBot for the one in mybot.py here",
    )
    add_play(command)
    about = "print the id of the player that owns the token"
    whoami = commands.add_parser("whoami", help=about, description=about)
    add_service(whoami)
    about = "explain the reasons of refusals, with advice for bots"
    explaining = commands.add_parser("explain", help=about, description=about)
    explaining.add_argument(
        "reasons",
        nargs="*",
        type=reason,
        metavar="REASON",
        help="for example STALE_DECISION; without a reason, all are printed",
    )
    parsed = parser.parse_args(arguments)
    if parsed.command == "explain":
        return explain(parsed.reasons)
    if parsed.command == "whoami":
        return carry_out(whoami, parsed, print_player)
    return carry_out(command, parsed, lambda parsed: play(parsed, load(parsed.bot)))


def add_service(parser: argparse.ArgumentParser) -> None:
    """Adds the options for reaching a service."""
    group = parser.add_argument_group("service")
    variable = os.environ.get
    group.add_argument(
        "--server",
        metavar="URL",
        default=variable("DRAGONTOOTH_SERVER") or DEFAULT_SERVER,
        help="address of the service, or several of its replicas, separated by commas"
        f" [DRAGONTOOTH_SERVER; {DEFAULT_SERVER}]",
    )
    group.add_argument(
        "--token",
        metavar="SECRET",
        help="the player's secret, 16 to 256 visible ASCII characters; other users cannot see it if"
        " it is set in the environment [DRAGONTOOTH_TOKEN]",
    )
    for name, what in (
        ("ca", "certificate authorities to trust for https, in PEM"),
        ("cert", "client certificate, in PEM"),
        ("key", "key of the client certificate, in PEM"),
    ):
        group.add_argument(
            f"--tls-{name}",
            metavar="FILE",
            default=variable(f"DRAGONTOOTH_TLS_{name.upper()}") or None,
            help=f"{what} [DRAGONTOOTH_TLS_{name.upper()}]",
        )
    group.add_argument(
        "--insecure-no-tls",
        action="store_true",
        help="send the token in the clear to http:// addresses other than the loopback"
        " [DRAGONTOOTH_INSECURE_NO_TLS=true]",
    )
    group.add_argument(
        "--wait",
        type=duration,
        metavar="TIME",
        default=FIRST_PATIENCE,
        help="time to wait for a service that is not running yet [10s]",
    )
    group.add_argument(
        "--patience",
        type=duration,
        metavar="TIME",
        default=PATIENCE,
        help="time to keep reconnecting after a lost connection [10m]",
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="log more")


def add_play(parser: argparse.ArgumentParser) -> None:
    """Adds the options for playing."""
    add_service(parser)
    group = parser.add_argument_group("matches")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--match", type=unicode, metavar="ID", help="join this match and exit when it is over"
    )
    which.add_argument(
        "--new",
        type=unicode,
        metavar="GAME",
        help="create a match of this game, take a seat and exit when it is over",
    )
    which.add_argument(
        "--matches", type=count, metavar="N", help="accept invitations and exit after N matches"
    )
    group.add_argument(
        "--target", type=count, metavar="N", help=f"points that win the new match [{TARGET}]"
    )
    group.add_argument("--variant", type=unicode, default="", help="variant of the new match")
    group.add_argument(
        "--seed",
        type=unicode,
        metavar="TEXT",
        default="",
        help="seed of the random draws of the new match [one that the service draws]",
    )
    group.add_argument(
        "--seat", type=Seat, metavar="SEAT", help="seat in that match: first or second"
    )
    group.add_argument(
        "--matches-at-once",
        type=count,
        metavar="N",
        default=MATCHES_AT_ONCE,
        help=f"play at most N matches at once [{MATCHES_AT_ONCE}]",
    )
    group.add_argument(
        "--accept",
        type=accepted,
        action="append",
        default=[],
        metavar="TERMS",
        help="accept only invitations to matches with these terms, and decline the others: GAME,"
        " GAME:3, GAME:1-7, GAME/VARIANT:3 or GAME:3@60+0.5 (@60d0.5, @1s, @none); repeatable;"
        " shown in the service's list of players",
    )
    group = parser.add_argument_group("the bot")
    group.add_argument(
        "--build",
        type=unicode,
        metavar="TEXT",
        default=os.environ.get("DRAGONTOOTH_BUILD", ""),
        help="build of the bot, such as v12 or a commit, at most 64 bytes; shown in the list of"
        " players [DRAGONTOOTH_BUILD]",
    )
    group.add_argument(
        "--name",
        type=short_text,
        help="name of the player in matches, at most 64 bytes, unless its token is issued"
        " [the bot's]",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set an option of the bot [DRAGONTOOTH_OPTIONS, one per line]",
    )
    group.add_argument(
        "--bot-seed",
        type=int,
        metavar="N",
        default=None,
        help="seed of the bot's random choices [DRAGONTOOTH_SEED; 0]",
    )
    group.add_argument(
        "--draw-seed",
        type=short_text,
        metavar="TEXT",
        default="",
        help="the player's share of the seed for dice and other draws, at most 64 bytes"
        " [a random one for each seed, derived from DRAGONTOOTH_DRAW_SECRET if it is set]",
    )
    group.add_argument(
        "--threads",
        type=count,
        metavar="N",
        default=THREADS,
        help=f"think on at most N threads [{THREADS}]",
    )


def accepted(text: str) -> AcceptedGame:
    """Reads the terms of `--accept`."""
    try:
        return AcceptedGame.parse(unicode(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def carry_out(
    parser: argparse.ArgumentParser,
    parsed: argparse.Namespace,
    command: Callable[[argparse.Namespace], Exit],
) -> int:
    """Runs a command and returns the exit code."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if parsed.verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    if not (parsed.token or os.environ.get("DRAGONTOOTH_TOKEN")):
        parser.error("no token: set --token or DRAGONTOOTH_TOKEN")
    try:
        return command(parsed)
    except InvalidSetting as error:
        parser.error(str(error))
    except BotNotFound as error:
        return failed(Exit.USAGE, str(error))
    except DragontoothError as error:
        return failed(exit_of(error), with_hint(error))


def explain(reasons: Sequence[str]) -> Exit:
    """Prints the documentation of some reasons, or of all."""
    for name in reasons or REASONS:
        code, meaning, advice = REASONS[name]
        sys.stdout.write(f"{name} ({code})\n  {meaning}\n  A bot: {advice}\n")
    return Exit.DONE


def connection(parsed: argparse.Namespace) -> Connection:
    """Returns the connection given by the options."""
    tls = Tls(parsed.tls_ca, parsed.tls_cert, parsed.tls_key)
    return Connection.from_environment(
        parsed.server, parsed.token, tls, insecure_no_tls=parsed.insecure_no_tls
    )


def print_player(parsed: argparse.Namespace) -> Exit:
    """Prints the player's id."""
    with Client(connection(parsed), patience=parsed.wait) as client:
        sys.stdout.write(client.who_am_i() + "\n")
    return Exit.DONE


def play(parsed: argparse.Namespace, bot: BotMaker) -> Exit:
    """Plays until all matches are played or a signal stops the program."""
    if not parsed.new and (parsed.target or parsed.variant or parsed.seed):
        raise InvalidSetting("--target, --variant and --seed need --new")
    lines = os.environ.get("DRAGONTOOTH_OPTIONS", "").split("\n")
    options = dict(pairs([*filter(None, lines), *parsed.option]))
    place = connection(parsed)
    name = parsed.name or getattr(bot, "name", "") or getattr(bot, "__name__", "")
    stop = threading.Event()
    session: Session | None = None
    handlers: dict[int, Any] = {}

    def end(number: int, frame: Any) -> None:
        stop.set()
        if session is None:
            raise SystemExit(Exit.DONE)
        session.stop()

    for signal_name in ("SIGTERM", "SIGINT", "SIGHUP"):
        # Not every system has all of them. Under `nohup`, SIGHUP stays ignored.
        number = getattr(signal, signal_name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            handlers[number] = signal.signal(number, end) or signal.SIG_DFL

    def restore() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    if hasattr(os, "register_at_fork"):
        # A signal is to end a process that the bot forks.
        os.register_at_fork(after_in_child=restore)
    match_id = None
    draw_secret = own_secret()
    if parsed.match or parsed.new:
        view, seat, place = take_seat(parsed, place, name, draw_secret)
        if view.state is MatchState.ENDED:
            log.info("%s", ended(view, seat))
            return Exit.DONE
        match_id = view.id
    session = Session(
        bot,
        place,
        name=name,
        options=options,
        seed=seed_of(parsed, options),
        draw_seed=parsed.draw_seed,
        draw_secret=draw_secret,
        matches=parsed.matches,
        match_id=match_id,
        matches_at_once=parsed.matches_at_once,
        threads=parsed.threads,
        first_patience=parsed.wait,
        patience=parsed.patience,
        accepts=parsed.accept,
        build=parsed.build,
    )
    if stop.is_set():
        return Exit.DONE
    summary = session.run()
    log.info("%s", summary_text(summary))
    return Exit.BOT_FAILED if summary.failures else Exit.DONE


def take_seat(
    parsed: argparse.Namespace, place: Connection, name: str, draw_secret: str
) -> tuple[Match, Seat, Connection]:
    """Joins or creates the match given by the options.

    The connection returned begins with the address that answered.
    """
    with Client(place, patience=parsed.wait) as client:
        if parsed.new:
            target = parsed.target or TARGET
            view = client.create_match(parsed.new, target, variant=parsed.variant, seed=parsed.seed)
            log.info(
                "match %s created: %s; the opponent joins it with --match", view.id, kind(view)
            )
        else:
            view = client.match(parsed.match)
        held = view.seat_of(client.who_am_i())
        if held and view.player(held).joined and parsed.seat in (None, held):
            # An earlier program has joined, perhaps with another share of the seed.
            seat = held
        else:
            seed = parsed.draw_seed or share(draw_secret, view.seed_commitment)
            view, seat = client.join_match(view.id, seat=parsed.seat, name=name, seed=seed)
        log.info("match %s joined: %s, %s seat", view.id, kind(view), seat.value)
        return view, seat, client.connection


def load(place: str) -> BotMaker:
    """Returns the bot at `module:name`. Raises `BotNotFound`."""
    module_name, colon, name = place.partition(":")
    if not (module_name and colon and name):
        raise InvalidSetting(f"--bot takes MODULE:NAME, such as mybot:MyBot, not {place!r}")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{module_name}.".startswith(f"{missing}."):
            raise BotNotFound(f"--bot {place}: no module named {missing!r}") from error
        log.exception("cannot load the module %s", module_name)
        raise BotNotFound(f"cannot load the module {module_name}: {error}") from error
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise BotNotFound(f"--bot {place} does not exist: {error}") from error
    if not callable(found):
        raise BotNotFound(f"--bot {place} is not a class")
    if isinstance(found, type) and not issubclass(found, Bot):
        raise BotNotFound(f"--bot {place} does not extend dragontooth.Bot")
    maker: BotMaker = found
    return maker


def pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Parses options of the form `name=value`."""
    result = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InvalidSetting(f"an option has the form NAME=VALUE, not {text!r}")
        result.append((name, value))
    return result


def seed_of(parsed: argparse.Namespace, options: dict[str, str]) -> int:
    """Returns the bot's seed from --bot-seed, its options or the environment."""
    if parsed.bot_seed is not None:
        return int(parsed.bot_seed)
    text = options.get("seed") or os.environ.get("DRAGONTOOTH_SEED") or "0"
    try:
        return int(text)
    except ValueError:
        raise InvalidSetting(f"a seed is a whole number, not {text!r}") from None


def duration(text: str) -> float:
    """Parses a time such as `90s`, `500ms` or `10m` to seconds."""
    for unit, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        number = text.removesuffix(unit)
        if number != text and number.replace(".", "", 1).isdigit():
            return float(number) * factor
    raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 500ms or 10m")


def reason(text: str) -> str:
    """Parses the name of a reason."""
    if text.upper() not in REASONS:
        raise argparse.ArgumentTypeError(
            f"unknown reason {text!r}; explain without a reason lists all of them"
        )
    return text.upper()


def count(text: str) -> int:
    """Parses a positive whole number that a message can have."""
    if not text.isdecimal() or not 1 <= int(text) <= MAX_COUNT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MAX_COUNT}")
    return int(text)


def unicode(text: str) -> str:
    """Checks a text that goes into a message; bytes that are no UTF-8 do not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not valid Unicode") from None
    return text


def short_text(text: str) -> str:
    """Checks a text that the service takes with a seat."""
    if len(unicode(text).encode()) > MAX_TEXT:
        raise argparse.ArgumentTypeError(f"{text!r} is longer than {MAX_TEXT} bytes")
    return text


def exit_of(error: DragontoothError) -> Exit:
    """Returns the exit code of an error."""
    if isinstance(error, Superseded):
        return Exit.SUPERSEDED
    if isinstance(error, ConnectionLost):
        return Exit.UNREACHABLE
    cause: object = getattr(error, "source", error)
    if isinstance(error, TokenRefused):
        return Exit.REFUSED
    if isinstance(cause, (Unreachable, TlsFailed)) or (
        isinstance(cause, CallError) and cause.is_transient
    ):
        return Exit.UNREACHABLE
    return Exit.REFUSED


def with_hint(error: DragontoothError) -> str:
    """Returns the text of an error with a hint if there is one."""
    cause = getattr(error, "source", error)
    hint = HINTS.get(type(cause)) or getattr(cause, "advice", "") or HINTS.get(type(error))
    text = str(cause if isinstance(error, ServiceFailed) else error)
    return f"{text}; {hint}" if hint else text


def summary_text(summary: Summary) -> str:
    """Returns the totals of a session as text."""
    failed = f", the bot failed in {summary.failures}" if summary.failures else ""
    return f"played {summary.matches}: won {summary.won}, lost {summary.lost}{failed}"


def failed(code: Exit, message: str) -> Exit:
    """Logs an error and returns the exit code."""
    log.error("%s", message)
    return code
