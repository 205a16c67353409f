"""Runs an arena and its service, kills one or both of them again and again, and proves that every match is counted once:
kills.py PROGRAMS [KILLS [SECONDS]], where PROGRAMS is the folder of ours, and up to SECONDS pass before each kill.

The journal is read here, line by line, and compared with the service by `verify`. Exits with 1 at the first fault.
"""

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = Path(sys.argv[1]).resolve()
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 30
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
PATIENCE_S = 120
SEED = 2026

ARENA = """
[event]
name = "kills"
format = "arena"
game = "kamisado"
variant = "random"
target = 1
concurrency = 4
[service]
address = "http://{address}"
[[bot]]
name = "zero"
builtin = "random"
rating = 0
"""

BOTS = ["greedy", "alphabeta:nodes=20", "alphabeta:nodes=60", "random"]


def free_address():
    """An address on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % taken.getsockname()[1]


class Arena:
    """The programs, and the folder in which they run."""

    def __init__(self, folder):
        self.folder = folder
        self.address = free_address()
        self.side = free_address()
        (folder / "arena.toml").write_text(ARENA.format(address=self.address))
        self.log = open(folder / "log", "ab")
        self.running = {}

    def start(self, name, program, *arguments):
        """Starts a program of ours."""
        command = [PROGRAMS / program, *arguments]
        started = subprocess.Popen(command, cwd=self.folder, stdout=self.log, stderr=self.log)
        self.running[name] = started

    def start_service(self):
        """Starts the service, on the address and with the data of the one before."""
        listen = ["--listen", self.address, "--side-listen", self.side]
        self.start("service", "dragontooth-service", "serve", "--data", "data", *listen)

    def start_arena(self):
        """Starts the runner, which goes on where the one before was."""
        self.start("arena", "dragontooth-runner", "run", "arena.toml")

    def start_bot(self, number):
        """Starts a bot, which stays while the service is away."""
        name = "bot%d" % number
        token = "%s-of-an-arena-with-kills" % name
        server = ["--server", "http://" + self.address, "--wait", "10min"]
        accept = ["--accept", "kamisado", "--build", "v1", "--threads", "1"]
        self.start(name, "dragontooth-bot", "play", "--bot", BOTS[number], "--token", token, *server, *accept)

    def kill(self, name):
        """Kills a program like a lost machine."""
        self.running[name].kill()
        self.running.pop(name).wait()

    def stop(self):
        """Ends all programs, the arena first."""
        for name in ["arena", *[name for name in self.running if name.startswith("bot")], "service"]:
            if name in self.running:
                self.running[name].send_signal(signal.SIGINT)
                self.running.pop(name).wait(PATIENCE_S)

    def lines(self):
        """The whole lines of the journal."""
        for segment in sorted((self.folder / "runs/kills").glob("arena-*.jsonl")):
            for line in segment.read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):
                    yield line[:-1]

    def matches(self):
        """The number of matches in the journal, each of them once and in an unbroken chain."""
        before, legs, ids = "0" * 64, set(), set()
        for line in self.lines():
            entry = json.loads(line)
            ended = entry.get("ended")
            previous = (ended or entry["paired"])["previous"]
            assert previous == before, "the chain breaks at %s" % line
            before = hashlib.sha256(line).hexdigest()
            if ended:
                leg = (ended["encounter"], ended["leg"])
                assert leg not in legs, "counted twice: %s" % line
                assert ended["match_id"] not in ids, "counted twice: %s" % line
                legs.add(leg)
                ids.add(ended["match_id"])
        return len(ids)

    def wait_for_more_than(self, matches):
        """Waits until the arena has gone on."""
        deadline = time.monotonic() + PATIENCE_S
        while self.matches() <= matches:
            ended = [name for name, program in self.running.items() if program.poll() is not None]
            assert not ended, "%s ended by itself" % ended
            assert time.monotonic() < deadline, "the arena does not go on"
            time.sleep(0.2)


def main():
    """Kills, and compares."""
    # The arena plays as fast as it can, and the checks beside it have clocks.
    os.nice(10)
    print("seed %d" % SEED)
    lots = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(Path(folder))
        kills = {"arena": 0, "service": 0}
        try:
            arena.start_service()
            for number in range(len(BOTS)):
                arena.start_bot(number)
            arena.start_arena()
            for _ in range(KILLS):
                arena.wait_for_more_than(arena.matches())
                time.sleep(lots.uniform(0.0, SECONDS))
                killed = lots.choice([["arena"], ["service"], ["service", "arena"]])
                for name in killed:
                    arena.kill(name)
                    kills[name] += 1
                before = arena.matches()
                if "service" in killed:
                    time.sleep(lots.uniform(0.0, 3.0))
                    arena.start_service()
                if "arena" in killed:
                    arena.start_arena()
                arena.wait_for_more_than(before)
                print("%s: %d matches" % (kills, arena.matches()), flush=True)
            # What was under way is recorded before the comparison.
            arena.wait_for_more_than(arena.matches() + 20)
            verified = subprocess.run(
                [PROGRAMS / "dragontooth-runner", "verify", "runs/kills", "--file", "arena.toml"],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            print(verified.stdout, verified.stderr, sep="", end="")
            assert verified.returncode == 0, "the journal and the service disagree"
        except BaseException:
            arena.log.flush()
            print(Path(arena.log.name).read_text(errors="replace")[-5000:])
            raise
        finally:
            arena.stop()
        print("%d matches, each counted once" % arena.matches())


main()
