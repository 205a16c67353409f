"""Errors as exceptions."""

from __future__ import annotations

import re

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from conftest import REPOSITORY, Service, new_token
from dragontooth import (
    Client,
    Connection,
    ConnectionLost,
    ErrorReason,
    InvalidSetting,
    Refused,
    Session,
    Tls,
    TokenRefused,
    Unreachable,
)
from dragontooth.errors import from_status
from dragontooth.examples.random_bot import RandomBot
from dragontooth.v1 import error_reason_pb2

#: It has the form of an issued token but was never issued.
UNKNOWN_TOKEN = "dgt_4mbGx0Jr1IMsS6iBy5ZqXnFbGHvWzKdQe0TcN3pYL7ruVaa"


def test_the_reasons_are_those_of_the_api() -> None:
    names = error_reason_pb2.ErrorReason.keys()
    words = [name.removeprefix("ERROR_REASON_") for name in names]
    assert words[0] == "UNSPECIFIED"
    assert [reason.value for reason in ErrorReason] == words[1:]


def test_the_advice_is_that_of_the_documentation() -> None:
    text = (REPOSITORY / "docs/errors.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    documented = {row[0].strip("`"): row[-1] for row in rows}
    assert documented == {reason.value: reason.advice for reason in ErrorReason}


def test_a_reason_that_is_not_known_survives() -> None:
    reason = ErrorReason("MOON_TOO_FULL")
    assert (reason, str(reason), reason.name) == ("MOON_TOO_FULL", "MOON_TOO_FULL", "MOON_TOO_FULL")
    assert reason == ErrorReason("MOON_TOO_FULL")
    assert not reason.is_known
    assert reason.advice == ""
    assert ErrorReason.DRAINING.is_known
    assert "MOON_TOO_FULL" not in list(ErrorReason)


def status(*details: Message, code: grpc.StatusCode) -> status_pb2.Status:
    packed = []
    for detail in details:
        packed.append(any_pb2.Any())
        packed[-1].Pack(detail)
    return status_pb2.Status(code=code.value[0], message="not now", details=packed)


def test_a_refusal_is_read_whole() -> None:
    error = from_status(
        status(
            error_details_pb2.ErrorInfo(
                reason="MOON_TOO_FULL", domain="dragontooth.v1", metadata={"phase": "4"}
            ),
            error_details_pb2.BadRequest(
                field_violations=[
                    error_details_pb2.BadRequest.FieldViolation(field="a.b", description="too long")
                ]
            ),
            error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(nanos=250_000_000)),
            code=grpc.StatusCode.UNAVAILABLE,
        )
    )
    assert isinstance(error, Refused)
    assert (error.code, error.reason, error.metadata) == (
        "UNAVAILABLE",
        "MOON_TOO_FULL",
        {"phase": "4"},
    )
    assert (error.is_transient, error.retry_after) == (True, 0.25)
    assert str(error) == "not now (MOON_TOO_FULL); a.b: too long"


def test_a_status_of_somebody_else_is_no_refusal() -> None:
    other = error_details_pb2.ErrorInfo(reason="ILLEGAL_ACTION", domain="example.org")
    error = from_status(status(other, code=grpc.StatusCode.ABORTED))
    assert not isinstance(error, Refused)
    assert str(error) == "the call failed: not now (ABORTED)"
    assert error.is_transient


def test_refusals_of_calls(shared_service: Service) -> None:
    with Client(shared_service.connection()) as client:
        with pytest.raises(Refused) as raised:
            client.match("0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b")
        assert raised.value.reason is ErrorReason.MATCH_NOT_FOUND
        with pytest.raises(Refused) as raised:
            client.create_match("kamisado", 2)
        assert raised.value.reason is ErrorReason.FIELD_INVALID
        assert raised.value.fields[0].field == "target"
        with pytest.raises(Refused) as raised:
            client.create_match("go", 1)
        assert raised.value.reason is ErrorReason.UNKNOWN_GAME
    with Client(Connection(shared_service.address)) as client:
        with pytest.raises(Refused) as raised:
            client.who_am_i()
        assert raised.value.reason is ErrorReason.TOKEN_MISSING


def test_a_token_that_is_refused(shared_service: Service) -> None:
    with pytest.raises(TokenRefused, match=r"TOKEN_MALFORMED|TOKEN_UNKNOWN"):
        Session(RandomBot, shared_service.connection(UNKNOWN_TOKEN)).run()


def test_a_service_that_is_not_there() -> None:
    with Client(Connection("http://127.0.0.1:1", new_token()), patience=0.2) as client:
        with pytest.raises(Unreachable, match="the service cannot be reached"):
            client.who_am_i()
    several = "http://127.0.0.1:1,http://localhost:1"
    text = (
        r"http://127\.0\.0\.1:1: the service .*; http://localhost:1: the service cannot be reached"
    )
    with Client(Connection(several, new_token()), patience=0.2) as client:
        with pytest.raises(Unreachable, match=text):
            client.who_am_i()
    with pytest.raises(ConnectionLost, match=text):
        Session(RandomBot, Connection(several, new_token()), first_patience=0.2).run()


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("localhost", "it has no port"),
        ("ftp://host:1", "only http and https are supported"),
        ("http://", "it has no host"),
        ("http://host:1/path", "something follows the port"),
        ("http://host:99999", "its port is not a number"),
        ("http://me:secret@host:1", "it contains credentials"),
        ("http://host:1,http://me:secret@host:1", "…@host:1' is not a service address"),
        ("http://host:1,", "'' is not a service address: it has no host"),
        ("http://host:1,https://host:2", "all addresses of a service use https, or none"),
        (",".join(["host:1"] * 17), "has more than 16 addresses"),
    ],
)
def test_refuses_invalid_addresses(address: str, fault: str) -> None:
    with pytest.raises(InvalidSetting, match=re.escape(fault)) as raised:
        Connection(address, new_token())
    assert "secret" not in str(raised.value)


def test_refuses_invalid_tokens() -> None:
    with pytest.raises(InvalidSetting, match="has 16 to 256 characters; this one has 5") as raised:
        Connection(token="short")
    assert "short" not in str(raised.value)
    with pytest.raises(InvalidSetting, match="character 5 is not one"):
        Connection(token="with a space inside")
    assert new_token() not in repr(Connection(token=new_token()))


def test_sends_no_token_in_the_clear_to_another_machine() -> None:
    remote = ("http://192.0.2.1:4640", "play.example:4640", "127.0.0.1.example:1", "[::2]:1")
    for address in (*remote, "localhost:1,192.0.2.1:4640"):
        with pytest.raises(InvalidSetting, match="in the clear"):
            Connection(address, new_token())
        Connection(address)
        Connection(address, new_token(), insecure_no_tls=True)
        variables = {"DRAGONTOOTH_SERVER": address, "DRAGONTOOTH_TOKEN": new_token()}
        with pytest.raises(InvalidSetting, match="in the clear"):
            Connection.from_environment(environment=variables)
        variables["DRAGONTOOTH_INSECURE_NO_TLS"] = "true"
        Connection.from_environment(environment=variables)
    for address in ("127.9.9.9:1", "localhost:1", "[::1]:1", "localhost:1, 127.0.0.1:2"):
        Connection(address, new_token())


def test_refuses_tls_files_without_tls() -> None:
    with pytest.raises(InvalidSetting, match="does not use TLS"):
        Connection(tls=Tls(ca="ca.pem"))
    with pytest.raises(InvalidSetting, match="cannot read the file"):
        Connection("https://localhost:1", tls=Tls(ca="/does/not/exist.pem"))
    with pytest.raises(InvalidSetting, match="a certificate needs its key"):
        Connection("https://localhost:1", tls=Tls(cert="cert.pem"))
