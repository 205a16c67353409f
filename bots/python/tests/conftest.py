"""Fixtures of the tests: the programs, services and players."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dragontooth import Bot, Client, Connection, Match, Seat, Session, Summary, TimeControl, Tls

REPOSITORY = Path(__file__).resolve().parents[3]
#: The folder of dragontooth-service, dragontooth-bot and dragontooth-runner.
PROGRAMS = Path(os.environ.get("DRAGONTOOTH_PROGRAMS") or REPOSITORY / "target" / "debug").resolve()
#: How long anything that is waited for may take, in seconds.
PATIENCE = 60.0

TOKENS = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-game",
        action="store_true",
        help="run the conformance kit in every game; it takes minutes",
    )


def program(name: str) -> str:
    """The path of one of the programs."""
    path = PROGRAMS / name
    if not path.is_file():
        pytest.fail(f"{path} does not exist: set DRAGONTOOTH_PROGRAMS, or `cargo build`")
    return str(path)


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without what is set for bots and services."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("DRAGONTOOTH_")}
    return kept | more


class Service:
    """A service of a test's own, on a port that stays the same when it is started again."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._scheme = "https" if "--tls-cert" in arguments else "http"
        self._folder = folder
        self._arguments = arguments
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def start(self) -> None:
        """Starts it, and waits until it serves."""
        command = [program("dragontooth-service"), "serve", "--data", str(self._folder)]
        command += ["--listen", f"127.0.0.1:{self._port}", "--side-listen", "off"]
        process = subprocess.Popen(
            [*command, *self._arguments],
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment(NO_COLOR="1"),
        )
        assert process.stderr is not None
        for line in process.stderr:
            found = re.search(r"serving .*address=\S+:(\d+)", line)
            if found:
                self._port = int(found[1])
                self._process = process
                return
        pytest.fail(f"the service ended with {process.wait()}")

    def kill(self) -> None:
        """Kills it outright."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Tells it to end, and waits until it has."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            assert self._process.stderr is not None
            self._process.send_signal(number)
            self._process.stderr.close()
            self._process.wait(PATIENCE)
            self._process = None

    def connection(self, token: str | None = None, tls: Tls | None = None) -> Connection:
        """A new player's connection, or that of a token."""
        return Connection(self.address, token or new_token(), tls or Tls())


def new_token() -> str:
    """The secret of a new player."""
    return f"token-of-player-number-{next(TOKENS)}"


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for tests that leave it alone."""
    service = Service(tmp_path_factory.mktemp("data"))
    yield service
    service.stop()


@pytest.fixture
def start_service(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts services of a test's own."""
    services: list[Service] = []

    def start(*arguments: str) -> Service:
        services.append(Service(tmp_path / f"data-{len(services)}", *arguments))
        return services[-1]

    yield start
    for service in services:
        service.stop()


class Pairing:
    """Two players of a service and the matches between them."""

    def __init__(self, service: Service, first: str | None = None) -> None:
        self.first = Connection(first or service.address, new_token())
        self.second = service.connection()
        # The first player may go by way of a proxy; what the test itself asks does not.
        self._own = [service.connection(self.first.token), self.second]

    def match(
        self,
        game: str,
        target: int = 1,
        *,
        variant: str = "",
        time_control: TimeControl | None = None,
        odds: Mapping[Seat, TimeControl | None] | None = None,
    ) -> Match:
        """A match for which the seats are kept."""
        ids = []
        for connection in self._own:
            with Client(connection) as client:
                ids.append(client.who_am_i())
        with Client(self.second) as client:
            return client.create_match(
                game,
                target,
                variant=variant,
                time_control=time_control,
                odds=odds,
                first=ids[0],
                second=ids[1],
            )

    def result(self, match: Match) -> Match:
        """The match as it is now."""
        with Client(self.second) as client:
            return client.match(match.id)


def play(*sessions: Session) -> list[Summary]:
    """Plays sessions against each other to their ends."""

    async def together() -> list[Summary]:
        playing = asyncio.gather(*(session.run_async() for session in sessions))
        return list(await asyncio.wait_for(playing, PATIENCE))

    return asyncio.run(together())


def play_on_threads(*sessions: Session) -> list[Summary]:
    """The same, each with an event loop of its own."""
    with ThreadPoolExecutor(len(sessions)) as threads:
        playing = [threads.submit(session.run) for session in sessions]
        return [session.result(PATIENCE) for session in playing]


def recorded(made: list[Bot], kind: type[Bot]) -> Callable[[], Bot]:
    """Makes bots of that class and keeps them in the list."""

    def make() -> Bot:
        made.append(kind())
        return made[-1]

    make.__name__ = kind.__name__
    return make
