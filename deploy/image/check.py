#!/usr/bin/env python3
"""Builds the images of deploy/Dockerfile without a container engine, and tries them.

    deploy/image/check.py [--binaries FOLDER]

Needs root on Linux, buildah, openssl, and the static binaries: those in FOLDER, or it builds them with Cargo. Only
the last stages of the Dockerfile are built; the binaries replace the output of its first stage.

Every container has a root that cannot be written, a user without rights, a volume, and the image's own settings,
as a container engine would start it: by chroot in namespaces. In a network of its own the service is found
by name through a name server, which also tests the name resolution of a static binary.
"""

import argparse
import atexit
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "service.dragontooth.test"
PATIENCE_S = 60
SHUTDOWN_TIMEOUT_S = 10
FLAGS = {"RUSTFLAGS": "-C target-feature=+crt-static"}
CUP = """
[event]
name = "{name}"
game = "kamisado"
target = 1
cycles = {cycles}
[service]
address = "https://{host}:4640"
tls_ca = "/tls/ca.pem"
token_env = "RUNNER_TOKEN"
[[bot]]
name = "greedy"
builtin = "greedy"
token_env = "GREEDY_TOKEN"
[[bot]]
name = "random"
builtin = "random"
token_env = "RANDOM_TOKEN"
"""


def say(text):
    print(text, flush=True)


def expect(holds, text):
    if not holds:
        sys.exit(f"FAILED: {text}")
    say(f"ok: {text}")


def output(*words, **more):
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


class Image:
    """An image, its settings and its files."""

    def __init__(self, buildah, name, context):
        self.name = name
        command = ["build", "--quiet", "--build-arg", "TARGETPLATFORM=local", "--format", "docker"]
        command += ["--build-context", f"build={context}", "-f", "deploy/Dockerfile", "--target", name, "-t", f"dragontooth-{name}", "."]
        buildah(*command)
        about = json.loads(buildah("inspect", "--type", "image", f"dragontooth-{name}"))
        self.config = about["Docker"]["config"]
        self.layer_bytes = sum(layer["size"] for layer in json.loads(about["Manifest"])["layers"])
        container = buildah("from", f"dragontooth-{name}").strip()
        self.root = Path(buildah("mount", container).strip())

    def check(self, volume, size_most, more_files=()):
        files = [str(path.relative_to(self.root)) for path in sorted(self.root.rglob("*")) if path.is_file()]
        binary = f"dragontooth-{self.name}"
        own = ["LICENSE", binary, *more_files, "etc/ssl/certs/ca-certificates.crt"]
        expect(files == own, f"{self.name}: one binary, no shell: {files}")
        expect(self.config["User"] == "65532:65532", f"{self.name}: a user without rights, by number")
        expect(list(self.config["Volumes"]) == [volume], f"{self.name}: one volume, {volume}")
        labels = self.config["Labels"]
        for label in ["title", "description", "licenses", "version", "revision"]:
            expect(labels.get(f"org.opencontainers.image.{label}"), f"{self.name}: the label {label}")
        megabytes = self.layer_bytes / 1e6
        expect(self.layer_bytes < size_most, f"{self.name}: {megabytes:.1f} MB")


class Container:
    """A process as an engine starts it."""

    def __init__(self, image, arguments, volume, mounts, environment=(), **more):
        root, (user, group) = image.root, image.config["User"].split(":")
        steps = [f"mount --bind {root} {root}"]
        for at in ["proc", "dev", "tls"]:
            (root / at).mkdir(exist_ok=True)
        targets = {next(iter(image.config["Volumes"])): (volume, "rw")}
        targets.update({at: (source, "ro") for at, source in mounts.items()})
        for at, (source, mode) in targets.items():
            place = root / at.lstrip("/")
            if Path(source).is_file():
                place.touch()
            steps.append(f"mount --bind {source} {place}")
            if mode == "ro":
                steps.append(f"mount -o remount,bind,ro {place}")
        steps.append(f"mount -t proc -o ro proc {root}/proc")
        steps.append(f"mount -t tmpfs -o mode=755 dev {root}/dev")
        for device in ["null", "random", "urandom"]:
            steps.append(f"touch {root}/dev/{device}; mount --bind /dev/{device} {root}/dev/{device}")
        steps.append(f"mount -o remount,bind,ro {root}")
        place = f"--root={root} --wd={image.config['WorkingDir'] or '/'} --setgid={group} --setuid={user}"
        steps.append(f'exec setpriv --no-new-privs --clear-groups unshare {place} "$@"')
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", "\n".join(steps), "sh"]
        words += image.config["Entrypoint"] if arguments is None or arguments[0][0] != "/" else []
        words += image.config["Cmd"] if arguments is None else arguments
        environment = dict(each.split("=", 1) for each in [*image.config["Env"], *environment])
        path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        self.process = subprocess.Popen(words, env={**environment, "PATH": path}, text=True, **more)
        # What is in it ends with it.
        atexit.register(self.process.kill)

    def id(self):
        """The id of the process in it, which is the first one of its own."""
        parent = self.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return int(children[0]) if children else None

    def wait(self, patience_s=PATIENCE_S):
        return self.process.wait(patience_s)


class NameServer(threading.Thread):
    """Answers every question with the loopback."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        self.asked = set()

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            labels, at = [], 12
            while question[at]:
                labels.append(question[at + 1 : at + 1 + question[at]].decode())
                at += 1 + question[at]
            asked = question[12 : at + 5]
            self.asked.add(".".join(labels))
            is_v4 = asked[-4:-2] == b"\0\1"
            record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 60, 4) + socket.inet_aton("127.0.0.1")
            head = question[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_v4 else b"\0\0") + b"\0\0\0\0"
            self.socket.sendto(head + asked + (record if is_v4 else b""), sender)


def until(holds, what):
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: {what}: not within {PATIENCE_S} s")
        time.sleep(0.05)


def binaries_of(folder):
    if folder:
        return Path(folder)
    target = output("rustc", "--print", "host-tuple").strip()
    words = ["cargo", "build", "--release", "--locked", "--target", target]
    words += ["--bin", "dragontooth-service", "--bin", "dragontooth-runner", "--message-format", "json"]
    built = output(*words, cwd=ROOT, env={**os.environ, **FLAGS})
    programs = [json.loads(line).get("executable") for line in built.splitlines()]
    return Path([program for program in programs if program][0]).parent


def context_of(binaries, work):
    """What the first stage of the Dockerfile leaves."""
    out = work / "context" / "out"
    for volume in ["data", "work"]:
        (out / volume).mkdir(parents=True)
    for program in ["dragontooth-service", "dragontooth-runner"]:
        if "statically linked" not in subprocess.run(["ldd", binaries / program], text=True, capture_output=True).stdout:
            sys.exit(f"{binaries / program} is not statically linked")
        shutil.copy(binaries / program, out)
        subprocess.run(["strip", "--strip-debug", out / program], check=True)
    shutil.copy(ROOT / "LICENSE", out)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", out)
    return out.parent


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binaries", help="the folder of the static binaries")
    arguments.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = arguments.parse_args()
    if not arguments.inside:
        binaries = binaries_of(arguments.binaries).resolve()
        # Nothing of this is to be reached by anybody, and all of its mounts go with it.
        inside = ["unshare", "--mount", "--net", sys.executable, __file__, "--inside", str(binaries)]
        sys.exit(subprocess.run(inside).returncode)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory() as work:
        check(Path(arguments.inside), Path(work))


def check(binaries, work):
    def buildah(*words):
        storage = ["--storage-driver", "vfs", "--root", work / "storage", "--runroot", work / "run"]
        return output("buildah", *storage, *words, cwd=ROOT, env={**os.environ, "BUILDAH_ISOLATION": "chroot"})

    context = context_of(binaries, work)
    service_image, runner_image = (Image(buildah, name, context) for name in ["service", "runner"])
    service_image.check("/data", 40_000_000, ["etc/dragontooth/service.toml"])
    runner_image.check("/work", 50_000_000)
    health = service_image.config["Healthcheck"]["Test"]
    expect(health == ["CMD", "/dragontooth-service", "healthcheck"], "service: its health is asked without a shell")

    # The volumes, as an engine makes them of the folders in the image.
    data, runs, tls = work / "data", work / "runs", work / "tls"
    for volume in [data, runs]:
        volume.mkdir(mode=0o700)
        os.chown(volume, 65532, 65532)
    output(ROOT / "deploy/compose/certificate.sh", tls, HOST)
    tls.chmod(0o755)
    os.chown(tls / "service.key", 65532, 65532)
    resolver = work / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\n")
    mounts = {"/tls": tls, "/etc/resolv.conf": resolver}
    names = NameServer()
    names.start()

    def service(words, *environment, **more):
        return Container(service_image, words, data, mounts, environment, **more)

    database = "DRAGONTOOTH_LOG=postgres://user@127.0.0.1/database"
    printed = service(["config", "print"], database, stdout=subprocess.PIPE).process.communicate()[0]
    fields = dict(line.split()[:2] for line in printed.splitlines() if len(line.split()) > 1)
    expect(fields["data"] == "-" and fields["listen"] == "0.0.0.0:4640", "service: a variable goes before the image's folder")

    bare = service(None, stderr=subprocess.PIPE)
    code, said = bare.wait(), bare.process.stderr.read()
    expect(code == 2 and "without TLS" in said, "service: without a certificate it does not start, and says why")

    tokens = {}
    for name, scopes in {"runner": "create,watch", "greedy": "play,watch", "random": "play,watch"}.items():
        issued = service(["token", "create", name, "--scopes", scopes, "--data", "/data"], stdout=subprocess.PIPE)
        tokens[name] = issued.process.communicate()[0].splitlines()[-1]
        expect(issued.wait() == 0 and tokens[name].startswith("dgt_"), f"service: a token for {name}")

    def serve():
        files = ["DRAGONTOOTH_TLS_CERT=/tls/service.pem", "DRAGONTOOTH_TLS_KEY=/tls/service.key"]
        served = service(None, *files)
        until(lambda: service(health[1:], stderr=subprocess.DEVNULL).wait() == 0, "the service is healthy")
        return served

    def run(name, cycles):
        cup = work / f"{name}.toml"
        cup.write_text(CUP.format(name=name, cycles=cycles, host=HOST))
        secrets = [f"{name.upper()}_TOKEN={token}" for name, token in tokens.items()]
        words = ["run", "/cup.toml"]
        return Container(runner_image, words, runs, {**mounts, "/cup.toml": cup}, secrets, stdout=subprocess.DEVNULL)

    served = serve()
    say("ok: service: healthy")
    status = Path(f"/proc/{served.id()}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    rights = [fields[name].split()[0] for name in ["Uid", "Gid", "CapEff", "CapPrm", "NoNewPrivs"]]
    expect(rights == ["65532", "65532", "0" * 16, "0" * 16, "1"], f"service: without rights: {rights}")
    root = Path(f"/proc/{served.id()}/mountinfo").read_text().splitlines()
    root = [line.split()[5] for line in root if line.split()[4] == "/"]
    expect(root and root[-1].startswith("ro"), "service: its root cannot be written")

    expect(run("first", 2).wait() == 0, "runner: a tournament of 4 matches, over TLS with issued tokens")
    results = (runs / "runs/first/results.jsonl").read_text().splitlines()
    played = [json.loads(line) for line in results]
    expect(len(played) == 4 and all(each["termination"] == "normal" for each in played), "runner: 4 matches played out")
    expect(HOST in names.asked, "runner: the service was found by the name server")

    second, results = run("second", 400), runs / "runs/second/results.jsonl"
    until(lambda: results.exists() and results.read_text().count("\n") >= 20, "the second tournament is under way")
    began = time.monotonic()
    os.kill(served.id(), signal.SIGTERM)
    code, took_s = served.wait(), time.monotonic() - began
    expect(code == 0 and took_s < SHUTDOWN_TIMEOUT_S, f"service: drained in {took_s:.2f} s while 2 bots played")
    before = results.read_text().count("\n")
    served = serve()
    expect(second.wait(10 * PATIENCE_S) == 0, f"runner: went on after {before} of 800 matches when the service was back")
    expect(results.read_text().count("\n") == 800, "runner: 800 matches played out")
    os.kill(served.id(), signal.SIGTERM)
    expect(served.wait() == 0, "service: drained")
    sound = service(["verify", "--data", "/data"], stdout=subprocess.PIPE)
    last = sound.process.communicate()[0].splitlines()[-1]
    expect(sound.wait() == 0, f"service: verify: {last}")


if __name__ == "__main__":
    main()
