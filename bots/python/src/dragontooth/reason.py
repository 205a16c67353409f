"""Reasons of refusals."""

from __future__ import annotations

from enum import Enum

from dragontooth.reason_table import REASONS


class ErrorReason(str, Enum):
    """The reason of a refusal, named as in the API.

    A name unknown to this version is a reason too: `ErrorReason("NEW_WORD")` has that name and
    value, no advice, and `is_known` is false.
    """

    TOKEN_MISSING = "TOKEN_MISSING"
    TOKEN_MALFORMED = "TOKEN_MALFORMED"
    FIELD_INVALID = "FIELD_INVALID"
    UNKNOWN_GAME = "UNKNOWN_GAME"
    UNKNOWN_VARIANT = "UNKNOWN_VARIANT"
    POSITION_UNREADABLE = "POSITION_UNREADABLE"
    ACTION_UNREADABLE = "ACTION_UNREADABLE"
    ILLEGAL_ACTION = "ILLEGAL_ACTION"
    GAME_OVER = "GAME_OVER"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_ENDED = "MATCH_ENDED"
    NO_SEAT = "NO_SEAT"
    SEAT_TAKEN = "SEAT_TAKEN"
    SEAT_RESERVED = "SEAT_RESERVED"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    STALE_DECISION = "STALE_DECISION"
    ABORT_DENIED = "ABORT_DENIED"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    DRAINING = "DRAINING"
    LIMIT_REACHED = "LIMIT_REACHED"
    LOG_UNAVAILABLE = "LOG_UNAVAILABLE"
    LOG_DAMAGED = "LOG_DAMAGED"
    SEQUENCE_OUT_OF_RANGE = "SEQUENCE_OUT_OF_RANGE"
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"
    TOKEN_EXPIRED = "TOKEN_EXPIRED"
    TOKEN_REVOKED = "TOKEN_REVOKED"
    SCOPE_MISSING = "SCOPE_MISSING"
    TOKEN_NOT_FOUND = "TOKEN_NOT_FOUND"
    TOO_MANY_TOKENS = "TOO_MANY_TOKENS"
    RATE_LIMITED = "RATE_LIMITED"
    ALREADY_JOINED = "ALREADY_JOINED"
    PLAYER_NOT_FOUND = "PLAYER_NOT_FOUND"
    NAME_CONFUSABLE = "NAME_CONFUSABLE"
    NOT_INVITED = "NOT_INVITED"
    BLOCKED = "BLOCKED"
    SUPERSEDED = "SUPERSEDED"

    @classmethod
    def _missing_(cls, value: object) -> ErrorReason:
        word = str(value)
        unknown = str.__new__(cls, word)
        unknown._name_ = word
        unknown._value_ = word
        return unknown

    def __str__(self) -> str:
        return str(self.value)

    @property
    def is_known(self) -> bool:
        """True if this version of the package knows the reason."""
        return self.value in ErrorReason.__members__

    @property
    def advice(self) -> str:
        """Advice for a bot's author; empty for an unknown reason."""
        return REASONS[self.value].advice if self.is_known else ""


#: Transient reasons: a later retry may succeed.
PASSING = frozenset(
    {
        ErrorReason.DRAINING,
        ErrorReason.LIMIT_REACHED,
        ErrorReason.LOG_UNAVAILABLE,
        ErrorReason.RATE_LIMITED,
    }
)
