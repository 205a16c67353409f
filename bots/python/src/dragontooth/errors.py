"""What goes wrong, as exceptions. All of them are a `DragontoothError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from dragontooth.reason import PASSING, ErrorReason

DOMAIN = "dragontooth"
DETAILS_KEY = "grpc-status-details-bin"

#: What grpcio says when a message cannot be written any more.
BROKEN_WRITE = "Internal error from Core"

#: Codes, without a reason of the service's own, after which the same call may succeed.
PASSING_CODES = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED"})
#: What stands between here and the service gives these codes in passing, too, on a stream.
PASSING_CODES_OF_STREAMS = PASSING_CODES | {"INTERNAL", "UNKNOWN", "CANCELLED"}

#: What the texts of failed handshakes have in common.
TLS_WORDS = (
    "handshake failed",
    "CERTIFICATE_VERIFY_FAILED",
    "WRONG_VERSION_NUMBER",
    "Cannot check peer",
    "certificate required",
    "CERTIFICATE_REQUIRED",
    "INADEQUATE_SECURITY",
    "Peer name",
)


class DragontoothError(Exception):
    """Anything that goes wrong between a bot and its service."""


class InvalidSetting(DragontoothError, ValueError):
    """An address, a token or a file of TLS that is none."""


class CallError(DragontoothError):
    """A call that gave no answer."""

    @property
    def is_transient(self) -> bool:
        """Whether the same call may succeed later."""
        return False

    @property
    def retry_after(self) -> float | None:
        """How many seconds the service asks to wait before the next try."""
        return None


class Unreachable(CallError):
    """The service cannot be reached, or the connection broke."""

    @property
    def is_transient(self) -> bool:
        return True


class TlsFailed(CallError):
    """Client and service do not agree on TLS or on certificates: every try ends like this."""


@dataclass(frozen=True)
class FieldViolation:
    """A field of a request that cannot be read, and why."""

    field: str
    description: str


@dataclass(eq=False)
class Refused(CallError):
    """The service refused the request; nothing has changed."""

    #: The gRPC code's name: `FAILED_PRECONDITION`.
    code: str
    reason: ErrorReason
    #: What is the case, for people.
    message: str
    #: The facts that belong to the reason: `rule`, `decision_id`, …
    metadata: Mapping[str, str] = field(default_factory=dict)
    fields: Sequence[FieldViolation] = ()
    wait: float | None = None

    def __str__(self) -> str:
        text = f"{self.message} ({self.reason})"
        for violation in self.fields:
            if violation.description not in self.message:
                text += f"; {violation.field}: {violation.description}"
        return text

    @property
    def advice(self) -> str:
        """What a bot does about it."""
        return self.reason.advice

    @property
    def is_transient(self) -> bool:
        return self.wait is not None or self.reason in PASSING

    @property
    def retry_after(self) -> float | None:
        return self.wait


@dataclass(eq=False)
class CallFailed(CallError):
    """What answered gave an error that is not the service's own."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"the call failed: {self.message} ({self.code})"

    @property
    def is_transient(self) -> bool:
        return self.code in PASSING_CODES


class InvalidAnswer(CallError):
    """The service's answer cannot be read."""


class SessionError(DragontoothError):
    """Why a session ended before its time."""


class Superseded(SessionError):
    """A newer stream of the same player has taken over."""

    def __str__(self) -> str:
        return "another program plays with the same token now"


@dataclass(eq=False)
class TokenRefused(SessionError):
    """The service knows no player of this token, or it has ended."""

    source: CallError

    def __str__(self) -> str:
        return f"the service refuses the token: {self.source}"


@dataclass(eq=False)
class ConnectionLost(SessionError):
    """There was no connection for longer than the session's patience, in seconds."""

    patience: float
    source: CallError

    def __str__(self) -> str:
        return f"no connection for {self.patience:g} s: {self.source}"


@dataclass(eq=False)
class MatchUnavailable(SessionError):
    """The match that the session waits for cannot be played."""

    match_id: str
    source: CallError

    def __str__(self) -> str:
        return f"the match {self.match_id} cannot be played: {self.source}"


@dataclass(eq=False)
class ServiceFailed(SessionError):
    """The service refuses to play, or cannot be understood."""

    source: CallError

    def __str__(self) -> str:
        return str(self.source)


def from_rpc(error: grpc.RpcError) -> CallError:
    """The error of a failed call."""
    code = error.code().name if hasattr(error, "code") else "UNKNOWN"
    message = (error.details() if hasattr(error, "details") else str(error)) or ""
    metadata = error.trailing_metadata() if hasattr(error, "trailing_metadata") else None
    for key, value in metadata or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            status = status_pb2.Status()
            try:
                status.ParseFromString(value)
            except DecodeError:
                continue
            refusal = refused(code, message, status.details)
            if refusal is not None:
                return refusal
    if code == "UNAVAILABLE":
        if any(word in message for word in TLS_WORDS):
            return TlsFailed(f"the service cannot be spoken with: {message}")
        return Unreachable(f"the service cannot be reached: {message}")
    if message == BROKEN_WRITE:
        return Unreachable("the service cannot be reached: the connection broke")
    return CallFailed(code, message)


def from_status(status: status_pb2.Status) -> CallError:
    """The error that a call with this status raises; for a refusal on a stream."""
    code = next((code for code in grpc.StatusCode if code.value[0] == status.code), None)
    name = code.name if code is not None else "UNKNOWN"
    return refused(name, status.message, status.details) or CallFailed(name, status.message)


def refused(code: str, message: str, details: Sequence[Any]) -> Refused | None:
    """The refusal in a status; None if the status is not the service's own."""
    info: error_details_pb2.ErrorInfo | None = None
    fields: list[FieldViolation] = []
    wait: float | None = None
    for detail in details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo()
            detail.Unpack(info)
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            request = error_details_pb2.BadRequest()
            detail.Unpack(request)
            fields += [
                FieldViolation(one.field, one.description) for one in request.field_violations
            ]
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(retry)
            delay = retry.retry_delay
            if delay.seconds >= 0:
                wait = delay.seconds + delay.nanos / 1e9
    if info is None or info.domain != DOMAIN:
        return None
    reason = ErrorReason(info.reason)
    return Refused(code, reason, message, dict(info.metadata), tuple(fields), wait)
