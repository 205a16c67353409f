"""The exceptions of this package. All of them extend `DragontoothError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from dragontooth.reason import PASSING, ErrorReason

DOMAIN = "dragontooth.v1"
DETAILS_KEY = "grpc-status-details-bin"

#: The text of grpcio when a message can no longer be written.
BROKEN_WRITE = "Internal error from Core"

#: Codes after which the same call may succeed, if the service gave no reason.
PASSING_CODES = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED"})
#: Proxies before the service also return these for transient errors.
PASSING_CODES_OF_PROXIES = PASSING_CODES | {"INTERNAL", "UNKNOWN", "CANCELLED"}

#: Texts that identify a failed handshake.
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
    """Base class of all errors between a bot and its service."""


class InvalidSetting(DragontoothError, ValueError):
    """An invalid address, token, TLS file, or statement of what a player accepts."""


class CallError(DragontoothError):
    """A call that failed."""

    @property
    def is_transient(self) -> bool:
        """True if the same call may succeed later."""
        return False

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before retrying, if the service asked for that."""
        return None


class Unreachable(CallError):
    """The service cannot be reached, or the connection was lost."""

    @property
    def is_transient(self) -> bool:
        return True


class StreamClosed(Unreachable):
    """The service closed the stream, which may be opened again at the same address."""


class TlsFailed(CallError):
    """The TLS handshake failed. Retrying does not help."""


@dataclass(frozen=True)
class FieldViolation:
    """An invalid field of a request, and the reason."""

    field: str
    description: str


@dataclass(eq=False)
class Refused(CallError):
    """The service refused the request; nothing has changed."""

    #: The gRPC code's name: `FAILED_PRECONDITION`.
    code: str
    reason: ErrorReason
    #: An explanation for people.
    message: str
    #: Facts about the refusal: `rule`, `decision_id`, …
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
        """Advice for the author of a bot."""
        return self.reason.advice

    @property
    def is_transient(self) -> bool:
        return self.wait is not None or self.reason in PASSING

    @property
    def retry_after(self) -> float | None:
        return self.wait


@dataclass(eq=False)
class CallFailed(CallError):
    """The call failed with an error that did not come from the service itself."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"the call failed: {self.message} ({self.code})"

    @property
    def is_transient(self) -> bool:
        return self.code in PASSING_CODES


def is_passing(failure: CallError) -> bool:
    """Returns True if the same question, or a new stream, may be answered after this failure."""
    if isinstance(failure, CallFailed):
        return failure.code in PASSING_CODES_OF_PROXIES
    return failure.is_transient


class InvalidAnswer(CallError):
    """The service's answer is malformed."""


class SessionError(DragontoothError):
    """Base class of errors that end a session early."""


class Superseded(SessionError):
    """A newer stream of the same player has taken over."""

    def __str__(self) -> str:
        return "another program is now playing with the same token"


@dataclass(eq=False)
class TokenRefused(SessionError):
    """The service does not know the token, or the token expired or was revoked."""

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
    """The match that the session is waiting for cannot be played."""

    match_id: str
    source: CallError

    def __str__(self) -> str:
        return f"the match {self.match_id} cannot be played: {self.source}"


@dataclass(eq=False)
class ServiceFailed(SessionError):
    """The service refuses to play, or its messages are malformed."""

    source: CallError

    def __str__(self) -> str:
        return str(self.source)


def too_late(timeout: float) -> Unreachable:
    """Returns the failure of a service that does not answer within `timeout` seconds."""
    return Unreachable(f"the service cannot be reached: no answer within {timeout:g} s")


def from_rpc(error: grpc.RpcError) -> CallError:
    """Converts the error of a failed call."""
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
            return TlsFailed(f"the TLS handshake with the service failed: {message}")
        return Unreachable(f"the service cannot be reached: {message}")
    if message == BROKEN_WRITE:
        return Unreachable("the service cannot be reached: the connection was lost")
    return CallFailed(code, message)


def from_status(status: status_pb2.Status) -> CallError:
    """Converts a status received on a stream to the error that a call would raise."""
    code = next((code for code in grpc.StatusCode if code.value[0] == status.code), None)
    name = code.name if code is not None else "UNKNOWN"
    return refused(name, status.message, status.details) or CallFailed(name, status.message)


def refused(code: str, message: str, details: Sequence[Any]) -> Refused | None:
    """Returns the refusal in a status; None if the status did not come from the service."""
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
