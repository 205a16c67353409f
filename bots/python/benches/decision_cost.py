"""Measures the processor time of a decision: this package against bare loops over grpcio.

    python benches/decision_cost.py [--rounds N] [--matches N] [--at-once N] [--game GAME]

Starts a service and an opponent on the loopback, from the programs in DRAGONTOOTH_PROGRAMS or else
target/release. Each way of playing is a process of its own, which answers every decision with the
first legal action; the ways take turns. The time is that of the whole process, all threads, between
its first and its last counted decision. The bare loops exchange the same messages on `Play` and do
nothing else: no retries, no clocks, no reconnecting.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import queue
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import google.protobuf
import grpc

from dragontooth import Bot, Client, Connection, Decision, Fischer, Session
from dragontooth.v1.game_service_pb2 import PlayRequest, PlayResponse

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAMS = Path(os.environ.get("DRAGONTOOTH_PROGRAMS") or REPOSITORY / "target" / "release")
#: Decisions before the count begins: the connection opens, and caches fill.
WARM_UP = 50
OWN_TOKEN = "decision-cost-of-python"
OPPONENT_TOKEN = "decision-cost-opponent"
#: Never runs out; the package keeps an eye on it all the same.
CLOCK = Fischer(base=600, increment=1)


class Meter:
    """Chooses for every way of playing, and counts."""

    def __init__(self) -> None:
        self.decisions = 0
        self._begin = self._end = 0.0

    def choose(self, actions: Sequence[str]) -> str:
        self.decisions += 1
        self._end = time.process_time()
        if self.decisions == WARM_UP:
            self._begin = self._end
        return actions[0]

    @property
    def microseconds(self) -> float:
        return (self._end - self._begin) / (self.decisions - WARM_UP) * 1e6


def answer_to(message: Any, meter: Meter) -> PlayRequest | None:
    """The request that a bare loop sends after this message."""
    what = message.WhichOneof("response")
    if what == "decision":
        decision = message.decision
        return PlayRequest(
            answer=PlayRequest.Answer(
                match_id=decision.match_id,
                decision_id=decision.decision_id,
                action=meter.choose(decision.legal_actions),
                request_id=f"{decision.match_id}:{decision.decision_id}",
            )
        )
    if what == "invitation":
        match_id = message.invitation.match.id
        return PlayRequest(accept_invitation=PlayRequest.AcceptInvitation(match_id=match_id))
    return None


def play_method(channel: Any) -> Any:
    """The method `Play` without anything of the package."""
    return channel.stream_stream(
        "/dragontooth.v1.GameService/Play", PlayRequest.SerializeToString, PlayResponse.FromString
    )


def bare_sync(connection: Connection, matches: int, meter: Meter) -> None:
    requests: queue.SimpleQueue[PlayRequest] = queue.SimpleQueue()
    requests.put(PlayRequest(start=PlayRequest.Start()))
    with connection.channel() as channel:
        stream = play_method(channel)(iter(requests.get, None), metadata=connection.metadata)
        for message in stream:
            request = answer_to(message, meter)
            if request is not None:
                requests.put(request)
            matches -= message.WhichOneof("response") == "match_closed"
            if matches == 0:
                stream.cancel()
                return


def bare_async(connection: Connection, matches: int, meter: Meter) -> None:
    async def play(left: int) -> None:
        async with connection.aio_channel() as channel:
            stream = play_method(channel)(metadata=connection.metadata)
            await stream.write(PlayRequest(start=PlayRequest.Start()))
            while left > 0:
                message = await stream.read()
                request = answer_to(message, meter)
                if request is not None:
                    await stream.write(request)
                left -= message.WhichOneof("response") == "match_closed"
            stream.cancel()

    asyncio.run(play(matches))


def package_sync(connection: Connection, matches: int, meter: Meter) -> None:
    class First(Bot):
        def choose(self, decision: Decision) -> str:
            return meter.choose(decision.legal_actions)

    Session(First, connection, matches=matches).run()


def package_async(connection: Connection, matches: int, meter: Meter) -> None:
    class First(Bot):
        async def choose(self, decision: Decision) -> str:
            return meter.choose(decision.legal_actions)

    Session(First, connection, matches=matches).run()


WAYS: dict[str, Callable[[Connection, int, Meter], None]] = {
    "bare-sync": bare_sync,
    "package-sync": package_sync,
    "bare-async": bare_async,
    "package-async": package_async,
}


@contextmanager
def service() -> Iterator[str]:
    """Runs a service that keeps its log in memory."""
    command = [PROGRAMS / "dragontooth-service", "serve", "--in-memory", "--side-listen", "off"]
    process = subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            found = re.search(r"serving .*address=(\S+:\d+)", line)
            if found:
                # A full pipe would stop the service.
                threading.Thread(target=deque, args=(process.stderr, 0), daemon=True).start()
                yield f"http://{found[1]}"
                return
        raise RuntimeError("the service does not start")
    finally:
        process.terminate()
        process.wait()


@contextmanager
def opponent(server: str) -> Iterator[None]:
    """Runs a built-in bot that accepts every invitation."""
    command = [PROGRAMS / "dragontooth-bot", "play", "--bot", "random", "--server", server]
    process = subprocess.Popen(
        [*command, "--token", OPPONENT_TOKEN], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def measure(way: str, server: str, given: argparse.Namespace) -> float:
    """Plays one way to the end of its matches, in groups, and returns its µs per decision."""
    with (
        Client(Connection(server, OWN_TOKEN)) as first,
        Client(Connection(server, OPPONENT_TOKEN)) as second,
    ):
        seats = {"first": first.who_am_i(), "second": second.who_am_i()}
        command = [sys.executable, __file__, "--play", way, "--server", server]
        command += ["--matches", str(given.matches)]
        player = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for begun in range(0, given.matches, given.at_once):
            group = range(min(given.at_once, given.matches - begun))
            made = [
                first.create_match(given.game, given.target, time_control=CLOCK, **seats)
                for _ in group
            ]
            for match in made:
                for _ in first.watch(match.id):
                    pass
        output, _ = player.communicate()
        if player.returncode != 0:
            raise RuntimeError(f"{way} ended with {player.returncode}")
        return float(output)


def count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the processor time of a decision.")
    parser.add_argument("--rounds", type=count, default=7, help="each has every way once [7]")
    parser.add_argument("--matches", type=count, default=4, help="matches of each [4]")
    parser.add_argument("--at-once", type=count, default=1, help="of them at the same time [1]")
    parser.add_argument("--game", default="kamisado")
    parser.add_argument("--target", type=count, default=15, help="points of a match [15]")
    parser.add_argument("--play", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--server", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.play:
        meter = Meter()
        WAYS[given.play](Connection(given.server, OWN_TOKEN), given.matches, meter)
        print(meter.microseconds)
        return
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    with service() as server, opponent(server):
        for _ in range(given.rounds):
            for way, times in found.items():
                times.append(measure(way, server, given))
    print(
        f"{given.game}, {given.matches} matches to {given.target}, {given.at_once} at once;"
        f" Python {platform.python_version()}, grpcio {grpc.__version__},"
        f" protobuf {google.protobuf.__version__}; median of {given.rounds} rounds (range)"
    )
    medians = {way: statistics.median(times) for way, times in found.items()}
    for way, times in found.items():
        bare = medians[way.replace("package", "bare")]
        print(
            f"{way:14} {medians[way]:6.0f} µs a decision ({min(times):.0f}-{max(times):.0f}),"
            f" {medians[way] / bare:.2f} x bare"
        )
        # For `cargo xtask bench`, which reads such lines of every benchmark.
        print(f"figure decision/{way} {medians[way]} µs")


if __name__ == "__main__":
    main()
