"""Why the service refuses."""

from __future__ import annotations

from enum import Enum


class ErrorReason(str, Enum):
    """The reason of a refusal, in the words of the API.

    A word that this version does not know is a reason too: `ErrorReason("NEW_WORD")` has that name
    and value, no advice, and `is_known` is false.
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
        """Whether this version of the package knows the reason."""
        return self.value in ErrorReason.__members__

    @property
    def advice(self) -> str:
        """What a bot does about it; empty for a reason that is not known."""
        return ADVICE.get(self.value, "")


#: The last column of the table in docs/errors.md.
ADVICE = {
    "TOKEN_MISSING": "Send the header.",
    "TOKEN_MALFORMED": "Use another token.",
    "FIELD_INVALID": "Mend the program: the same request is always refused.",
    "UNKNOWN_GAME": "Ask `ListGames`.",
    "UNKNOWN_VARIANT": "Ask `ListGames`.",
    "POSITION_UNREADABLE": "Mend the program's notation.",
    "ACTION_UNREADABLE": "Answer the same decision again, with an action of `legal_actions`.",
    "ILLEGAL_ACTION": "Answer the same decision again, with an action of `legal_actions`.",
    "GAME_OVER": "Leave out the action and what follows it.",
    "MATCH_NOT_FOUND": "Forget the match.",
    "MATCH_NOT_STARTED": "Wait for `match_opened`, or watch the match.",
    "MATCH_ENDED": "Forget the match; `GetMatch` tells how it ended.",
    "NO_SEAT": "Join first; check that the token is the one that joined.",
    "SEAT_TAKEN": "Play another match.",
    "SEAT_RESERVED": "Play another match.",
    "NOT_YOUR_TURN": "Wait for a decision of your own.",
    "STALE_DECISION": (
        "Drop the answer. If the decision that is due is yours, answer that: "
        "`GetDecision`, or the stream, has it."
    ),
    "ABORT_DENIED": "Resign instead.",
    "REQUEST_ID_REUSED": (
        "Use a new id for every new request. Revoke a token whose secret is lost."
    ),
    "DRAINING": "Connect again after the delay, and go on: nothing is lost.",
    "LIMIT_REACHED": "Try again after the delay, then ever more rarely.",
    "LOG_UNAVAILABLE": (
        "Make the same request with the same `request_id` again, after the delay and then"
        " ever more rarely."
    ),
    "LOG_DAMAGED": "Forget the match, and tell the operator.",
    "SEQUENCE_OUT_OF_RANGE": (
        "Watch from `head_sequence`. A bot that has seen more has mixed up two matches."
    ),
    "TOKEN_UNKNOWN": "Check that the token is one of this service.",
    "TOKEN_EXPIRED": "Ask the operator for another.",
    "TOKEN_REVOKED": "Ask the operator for another.",
    "SCOPE_MISSING": "Ask the operator for a token with that scope.",
    "TOKEN_NOT_FOUND": "Ask `ListTokens`.",
    "TOO_MANY_TOKENS": "Revoke a token of the identity first.",
    "RATE_LIMITED": (
        "Make the same request again after the delay, which is exact; `GetBudgets` tells "
        "what is left."
    ),
}

#: Reasons that may be gone after a while.
PASSING = frozenset(
    {
        ErrorReason.DRAINING,
        ErrorReason.LIMIT_REACHED,
        ErrorReason.LOG_UNAVAILABLE,
        ErrorReason.RATE_LIMITED,
    }
)
