"""The program, as a process."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from conftest import PATIENCE, REPOSITORY, Pairing, Service, clean_environment, new_token, play
from dragontooth import Client, ErrorReason, MatchState, Session
from dragontooth.examples.random_bot import RandomBot

RANDOM = "dragontooth.examples.random_bot:RandomBot"
NEW = ("play", "--bot", RANDOM, "--new", "kamisado")

BOTS = """
import multiprocessing
import signal

from dragontooth import Bot, run
from dragontooth.examples.random_bot import RandomBot

class Mine(Bot):
    def choose(self, decision):
        print("level", ascii(self.options["level"]))
        return decision.legal_actions[0]

class Seeded(RandomBot):
    def on_match_started(self, match):
        self.told = False

    def choose(self, decision):
        if not self.told:
            print("seed", decision.bot_seed)
            self.told = True
        return super().choose(decision)

class Endless(Bot):
    def choose(self, decision):
        while True:
            pass

def help(ready):
    ready.set()
    signal.pause()

class Helped(Bot):
    def choose(self, decision):
        fork = multiprocessing.get_context("fork")
        ready = fork.Event()
        helper = fork.Process(target=help, args=[ready])
        helper.start()
        ready.wait()
        helper.terminate()
        helper.join()
        print("helper", helper.exitcode)
        return decision.legal_actions[0]

class Broken(Bot):
    def choose(self, decision):
        raise ValueError("no idea")

if __name__ == "__main__":
    run(Mine)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mybot.py").write_text(BOTS)
    (tmp_path / "brokenbot.py").write_text("import nothing_of_that_name\n")
    (tmp_path / "wrongbot.py").write_text("import math\n\nmath.nothing\n")
    return tmp_path


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    # As from a terminal, also where the tests are to outlive theirs.
    command = ["env", "--default-signal=HUP", sys.executable, *arguments]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def dragontooth(folder: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    return ended(start(folder, "-m", "dragontooth", *arguments, **environment))


def of_player(service: Service, token: str) -> dict[str, str]:
    return {"DRAGONTOOTH_SERVER": service.address, "DRAGONTOOTH_TOKEN": token}


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (("-m", "dragontooth", "play", "--bot", "mybot:Mine"), signal.SIGTERM),
        (("mybot.py",), signal.SIGHUP),
    ],
)
def test_it_plays_as_a_tournament_wants_it(
    shared_service: Service, folder: Path, arguments: tuple[str, ...], end: signal.Signals
) -> None:
    """Everything comes from the environment, and a signal ends it."""
    pairing = Pairing(shared_service)
    match = pairing.match("linja")
    environment = of_player(shared_service, pairing.first.token)
    # Only a line feed ends a line, and every other letter is one of the value.
    options = "level= 9\r\f\u2028=\n\nseed=3\n"
    bot = start(folder, *arguments, DRAGONTOOTH_OPTIONS=options, **environment)
    play(Session(RandomBot, pairing.second, matches=1))
    assert bot.stderr is not None
    told: list[str] = []
    while not told or f"match {match.id} ended: " not in told[-1]:
        told.append(bot.stderr.readline())
        assert told[-1], told
    bot.send_signal(end)
    code, out, err = ended(bot)
    assert code == 0, err
    assert set(out.splitlines()) == {r"level ' 9\r\x0c\u2028='"}
    opened = f"match {match.id} opened: linja standard to 1 point, first seat, against 'random'"
    assert any(opened in line for line in told)
    assert pairing.result(match).first.name == "Mine"


def test_a_session_keeps_to_the_address_that_gave_the_seat(
    shared_service: Service, folder: Path
) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("kamisado")
    server = f"http://127.0.0.1:1,{shared_service.address}"
    environment = of_player(shared_service, pairing.first.token) | {"DRAGONTOOTH_SERVER": server}
    arguments = ("play", "--bot", RANDOM, "--match", match.id)
    bot = start(folder, "-m", "dragontooth", *arguments, **environment)
    play(Session(RandomBot, pairing.second, matches=1))
    code, _, err = ended(bot)
    assert code == 0, err
    assert "disconnected" not in err


def first_bot(page: str) -> str:
    """The first block of Python on a page."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    found = re.search(r"^```python\n(?:# mybot\.py\n)?(.+?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, page
    return found[1]


def test_every_page_begins_with_the_same_bot() -> None:
    bot = first_bot("bots/python/README.md")
    assert first_bot("README.md") == bot
    assert first_bot("docs/bots.md") == bot


def test_the_bot_of_the_readme(shared_service: Service, tmp_path: Path) -> None:
    """The first block of Python there, with the commands below it."""
    readme = (REPOSITORY / "bots/python/README.md").read_text(encoding="utf-8")
    (tmp_path / "mybot.py").write_text(first_bot("bots/python/README.md"))
    lines = re.findall(r"^python (mybot\.py .+)$", readme, re.MULTILINE)
    arguments = [line.split(" #")[0].split() for line in lines]
    assert len(arguments) == 2
    environment = {"DRAGONTOOTH_SERVER": shared_service.address}
    creator = start(tmp_path, *arguments[0], **environment)
    assert creator.stderr is not None
    created = re.search(r"match (\S+) created", creator.stderr.readline())
    assert created
    joining = [created[1] if word == "MATCH_ID" else word for word in arguments[1]]
    assert ended(start(tmp_path, *joining, **environment))[0] == 0
    code, _, err = ended(creator)
    assert code == 0
    assert f"match {created[1]} ended: " in err


def test_it_creates_a_match_and_joins_one(shared_service: Service, folder: Path) -> None:
    token = new_token()
    environment = of_player(shared_service, token)
    arguments = ["play", "--bot", RANDOM, "--name", "ann"]
    creator = start(
        folder,
        *("-m", "dragontooth", *arguments, "--new", "tzaar", "--target", "1", "--seat", "second"),
        **environment,
    )
    assert creator.stderr is not None
    told = creator.stderr.readline()
    found = re.search(r"match (\S+) created: tzaar random to 1 point", told)
    assert found, told
    environment["DRAGONTOOTH_TOKEN"] = new_token()
    code, _, err = dragontooth(folder, *arguments, "--match", found[1], **environment)
    assert code == 0, err
    assert ended(creator)[0] == 0
    with Client(shared_service.connection()) as client:
        match = client.match(found[1])
    assert match.state is MatchState.ENDED
    # Once more: it is over already.
    code, _, err = dragontooth(folder, *arguments, "--match", found[1], **environment)
    assert code == 0
    assert "ended: " in err


def test_the_seed_of_a_bot_is_not_that_of_a_match(shared_service: Service, folder: Path) -> None:
    token = new_token()
    creator = start(
        folder,
        *("-m", "dragontooth", "play", "--bot", "mybot:Seeded", "--bot-seed", "7"),
        *("--new", "linja", "--target", "1", "--seed", "of the match"),
        **of_player(shared_service, token),
    )
    assert creator.stderr is not None
    created = re.search(r"match (\S+) created", creator.stderr.readline())
    assert created
    code, out, err = dragontooth(
        folder,
        *("play", "--bot", "mybot:Seeded", "--match", created[1]),
        **of_player(shared_service, new_token()),
        DRAGONTOOTH_SEED="8",
    )
    assert (code, out) == (0, "seed 8\n"), err
    assert ended(creator)[:2] == (0, "seed 7\n")
    with Client(shared_service.connection(token)) as client:
        record = client.record(created[1])
    # As docs/fairness.md defines it.
    fields = [b"dragontooth.seed.v1", b"of the match"]
    text = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert f'[ServerSeed "{hashlib.sha256(text).hexdigest()}"]' in record


def test_a_bot_that_never_stops_thinking_can_be_stopped(
    shared_service: Service, folder: Path
) -> None:
    pairing = Pairing(shared_service)
    match = pairing.match("linja")
    bot = start(
        folder,
        *("-m", "dragontooth", "play", "--bot", "mybot:Endless"),
        **of_player(shared_service, pairing.first.token),
    )
    assert bot.stderr is not None
    for line in bot.stderr:
        if f"match {match.id} opened" in line:
            break
        if "connected" in line:
            with Client(pairing.second) as client:
                client.join_match(match.id)
    bot.send_signal(signal.SIGTERM)
    assert ended(bot)[0] == 0


def test_a_bot_can_end_the_processes_that_it_forks(shared_service: Service, folder: Path) -> None:
    pairing = Pairing(shared_service)
    pairing.match("kamisado")
    bot = start(
        folder,
        *("-m", "dragontooth", "play", "--bot", "mybot:Helped", "--matches", "1"),
        **of_player(shared_service, pairing.first.token),
        # What grpcio itself does when a process is forked may end the new one.
        GRPC_ENABLE_FORK_SUPPORT="false",
    )
    play(Session(RandomBot, pairing.second, matches=1))
    code, out, err = ended(bot)
    assert code == 0, err
    assert set(out.splitlines()) == {f"helper {-signal.SIGTERM}"}


def test_a_bot_that_fails(shared_service: Service, folder: Path) -> None:
    pairing = Pairing(shared_service)
    pairing.match("linja")
    environment = of_player(shared_service, pairing.first.token)
    bot = start(
        folder,
        *("-m", "dragontooth", "play", "--bot", "mybot:Broken", "--matches", "1"),
        **environment,
    )
    play(Session(RandomBot, pairing.second, matches=1))
    code, _, err = ended(bot)
    assert code == 6
    assert 'raise ValueError("no idea")' in err
    assert "the bot failed and resigns: ValueError: no idea" in err
    assert "played 1: won 0, lost 1, the bot failed in 1" in err


def test_another_program_with_the_same_token(shared_service: Service, folder: Path) -> None:
    token = new_token()
    arguments = ("-m", "dragontooth", "play", "--bot", RANDOM)
    older = start(folder, *arguments, **of_player(shared_service, token))
    assert older.stderr is not None
    assert "connected as player" in older.stderr.readline()
    newer = start(folder, *arguments, **of_player(shared_service, token))
    code, _, err = ended(older)
    newer.send_signal(signal.SIGTERM)
    assert ended(newer)[0] == 0
    assert code == 5
    assert "another program is now playing with the same token" in err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "the following arguments are required: command"),
        (("play",), 2, "the following arguments are required: --bot"),
        (("play", "--bot", RANDOM, "--token", "short"), 2, "a token has 16 to 256 characters"),
        (("play", "--bot", RANDOM, "--server", "nowhere"), 2, "it has no port"),
        (("play", "--bot", RANDOM, "--matches", "0"), 2, "is not a whole number from 1"),
        (("play", "--bot", RANDOM, "--seed", "7"), 2, "--seed need --new"),
        (("play", "--bot", RANDOM, "--bot-seed", "x"), 2, "invalid int value"),
        (("play", "--bot", RANDOM, "--name", "é" * 33), 2, "is longer than 64 bytes"),
        (("play", "--bot", RANDOM, "--draw-seed", "x" * 65), 2, "is longer than 64 bytes"),
        (("play", "--bot", RANDOM, "--matches-at-once", str(2**32)), 2, "from 1 to 4294967295"),
        (("play", "--bot", RANDOM, "--accept", f"tzaar:{2**32}"), 2, "from 1 to 4294967295"),
        (("play", "--bot", RANDOM, "--accept", "\udcff"), 2, "is not valid Unicode"),
        (("play", "--bot", RANDOM, "--build", "\udcff"), 2, "is not valid Unicode"),
        (("play", "--bot", RANDOM, "--match", "\udcff"), 2, "is not valid Unicode"),
        (("play", "--bot", RANDOM, "--new", "\udcff"), 2, "is not valid Unicode"),
        ((*NEW, "--target", str(2**32)), 2, "from 1 to 4294967295"),
        ((*NEW, "--variant", "\udcff"), 2, "is not valid Unicode"),
        ((*NEW, "--seed", "\udcff"), 2, "is not valid Unicode"),
        ((*NEW, "--name", "\udcff"), 2, "is not valid Unicode"),
        ((*NEW, "--target", str(2**32 - 1), "--wait", "100ms"), 3, "is the service running there"),
        (("play", "--bot", RANDOM, "--wait", "soon"), 2, "is not a time such as"),
        (("play", "--bot", RANDOM, "--option", "level"), 2, "an option has the form NAME=VALUE"),
        (("play", "--bot", "mybot"), 2, "--bot takes MODULE:NAME"),
        (("play", "--bot", "notthere:Bot"), 2, "no module named 'notthere'"),
        (("play", "--bot", "mybot:Notthere"), 2, "mybot:Notthere does not exist"),
        (("play", "--bot", "dragontooth:Decision"), 2, "does not extend dragontooth.Bot"),
        (("play", "--bot", "mybot.more:Bot"), 2, "no module named 'mybot.more'"),
        (
            ("play", "--bot", "brokenbot:Bot"),
            2,
            "cannot load the module brokenbot: No module named 'nothing_of_that_name'",
        ),
        (
            ("play", "--bot", "wrongbot:Bot"),
            2,
            "cannot load the module wrongbot: module 'math' has no attribute 'nothing'",
        ),
        (("play", "--bot", RANDOM, "--wait", "100ms"), 3, "is the service running there"),
        (("whoami", "--wait", "100ms"), 3, "is the service running there"),
    ],
)
def test_errors_and_exit_codes(
    folder: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    # No service listens on port 1.
    environment = {"DRAGONTOOTH_SERVER": "127.0.0.1:1", "DRAGONTOOTH_TOKEN": new_token()}
    ended_with, _, err = dragontooth(folder, *arguments, **environment)
    assert (ended_with, told in err) == (code, True), err


class Failing:
    """A proxy that ends every stream with an error of its own."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler:
        return grpc.stream_stream_rpc_method_handler(self._fail)

    def _fail(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        context.abort(self._code, "from the proxy")
        return iter(())


@pytest.mark.parametrize("code", ["INTERNAL", "UNKNOWN", "CANCELLED", "UNAVAILABLE"])
def test_a_connection_that_a_proxy_ends(folder: Path, code: str) -> None:
    proxy = grpc.server(ThreadPoolExecutor(1), handlers=[Failing(grpc.StatusCode[code])])
    server = f"127.0.0.1:{proxy.add_insecure_port('127.0.0.1:0')}"
    proxy.start()
    environment = {"DRAGONTOOTH_SERVER": server, "DRAGONTOOTH_TOKEN": new_token()}
    try:
        end, _, err = dragontooth(folder, "play", "--bot", RANDOM, "--wait", "0s", **environment)
    finally:
        proxy.stop(None).wait(PATIENCE)
    assert end == 3, err
    assert "no connection for 0 s: " in err
    assert "from the proxy" in err
    assert "is the service running there" in err


def test_there_has_to_be_a_token(folder: Path) -> None:
    code, _, err = dragontooth(folder, "play", "--bot", RANDOM)
    assert code == 2
    assert "no token: set --token or DRAGONTOOTH_TOKEN" in err


def test_refused_by_the_service(shared_service: Service, folder: Path) -> None:
    environment = of_player(shared_service, new_token())
    unknown = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b"
    code, _, err = dragontooth(folder, "play", "--bot", RANDOM, "--match", unknown, **environment)
    assert code == 4
    assert "MATCH_NOT_FOUND" in err
    environment["DRAGONTOOTH_TOKEN"] = "dgt_this-is-no-issued-token"
    code, _, err = dragontooth(folder, "play", "--bot", RANDOM, **environment)
    assert code == 4
    assert "the service refuses the token" in err
    assert "dgt_this" not in err


def test_explain(folder: Path) -> None:
    code, out, _ = dragontooth(folder, "explain", "stale_decision", "RATE_LIMITED")
    assert code == 0
    lines = out.splitlines()
    assert [lines[0], lines[3]] == ["STALE_DECISION (ABORTED)", "RATE_LIMITED (RESOURCE_EXHAUSTED)"]
    assert lines[2] == f"  A bot: {ErrorReason.STALE_DECISION.advice}"
    _, out, _ = dragontooth(folder, "explain")
    assert re.findall(r"^([A-Z_]+) \(", out, re.MULTILINE) == list(ErrorReason.__members__)
    code, _, err = dragontooth(folder, "explain", "NOTHING")
    assert (code, "unknown reason 'NOTHING'" in err) == (2, True)


def test_whoami(shared_service: Service, folder: Path) -> None:
    connection = shared_service.connection()
    with Client(connection) as client:
        player = client.who_am_i()
    code, out, _ = dragontooth(folder, "whoami", **of_player(shared_service, connection.token))
    assert (code, out) == (0, f"{player}\n")


def test_the_help_tells_everything(folder: Path) -> None:
    for arguments in (("-m", "dragontooth", "play", "--help"), ("mybot.py", "--help")):
        code, out, _ = ended(start(folder, *arguments))
        assert code == 0
        for word in ("--server", "DRAGONTOOTH_TOKEN", "--tls-ca", "--matches", "exit codes:"):
            assert word in out
