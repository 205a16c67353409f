"""Encrypted connections."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Service, new_token, play
from dragontooth import Client, Connection, ServiceFailed, Session, Tls, TlsFailed
from dragontooth.examples.random_bot import RandomBot

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, and certificates of a service and of a client."""
    if shutil.which("openssl") is None and not os.environ.get("CI"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    ca, ca_key = str(folder / "ca.pem"), str(folder / "ca.key")
    openssl("req", "-x509", *NEW_KEY, "-subj", "/CN=authority", "-keyout", ca_key, "-out", ca)
    extensions = folder / "extensions"
    extensions.write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    for name in ("service", "client"):
        request, key = str(folder / f"{name}.csr"), str(folder / f"{name}.key")
        openssl("req", *NEW_KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        signing = ["-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2"]
        signing += ["-extfile", str(extensions), "-out", str(folder / f"{name}.pem")]
        openssl("x509", "-req", "-in", request, *signing)
    return folder


def serving(authority: Path, *more: str) -> list[str]:
    files = ["--tls-cert", str(authority / "service.pem")]
    return [*files, "--tls-key", str(authority / "service.key"), *more]


def test_a_match_over_tls(start_service: Callable[..., Service], authority: Path) -> None:
    """The service demands a certificate of its clients, too."""
    service = start_service(*serving(authority, "--tls-client-ca", str(authority / "ca.pem")))
    tls = Tls(authority / "ca.pem", authority / "client.pem", authority / "client.key")
    first, second = service.connection(tls=tls), service.connection(tls=tls)
    with Client(first) as one, Client(second) as two:
        one.create_match("linja", 1, first=one.who_am_i(), second=two.who_am_i())
    summaries = play(Session(RandomBot, first, matches=1), Session(RandomBot, second, matches=1))
    assert [summary.matches for summary in summaries] == [1, 1]


def test_a_service_that_is_not_trusted(
    start_service: Callable[..., Service], authority: Path
) -> None:
    """Every further try would end in the same way: there is none."""
    service = start_service(*serving(authority))
    with pytest.raises(ServiceFailed, match="CERTIFICATE_VERIFY_FAILED") as raised:
        Session(RandomBot, service.connection()).run()
    assert isinstance(raised.value.source, TlsFailed)


def test_tls_where_none_is_spoken(shared_service: Service, authority: Path) -> None:
    address = shared_service.address.replace("http://", "https://")
    connection = Connection(address, new_token(), Tls(ca=authority / "ca.pem"))
    with pytest.raises(ServiceFailed) as raised:
        Session(RandomBot, connection).run()
    assert isinstance(raised.value.source, TlsFailed)
