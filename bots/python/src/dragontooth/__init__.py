"""Write bots that play board games on a Dragontooth service.

from dragontooth import Bot, Decision, run

class MyBot(Bot):
    def choose(self, decision: Decision) -> str:
        return decision.legal_actions[0]

if __name__ == "__main__":
    run(MyBot)
"""

from dragontooth.bot import Bot
from dragontooth.client import Analysis, Client
from dragontooth.command_line import run
from dragontooth.connection import Connection, Tls
from dragontooth.errors import (
    CallError,
    CallFailed,
    ConnectionLost,
    DragontoothError,
    FieldViolation,
    InvalidAnswer,
    InvalidSetting,
    MatchUnavailable,
    Refused,
    ServiceFailed,
    SessionError,
    Superseded,
    TlsFailed,
    TokenRefused,
    Unreachable,
)
from dragontooth.model import (
    AcceptedGame,
    ActionPlayed,
    Choice,
    Clocks,
    Decision,
    Delay,
    Fischer,
    GameEnded,
    GameStarted,
    HistoryEvent,
    Match,
    MatchInfo,
    MatchState,
    Outcome,
    PerAction,
    Player,
    Rolled,
    Score,
    Seat,
    Summary,
    Termination,
    Thinking,
    TimeControl,
    TurnPassed,
)
from dragontooth.reason import ErrorReason
from dragontooth.session import Session

__all__ = [
    "AcceptedGame",
    "ActionPlayed",
    "Analysis",
    "Bot",
    "CallError",
    "CallFailed",
    "Choice",
    "Client",
    "Clocks",
    "Connection",
    "ConnectionLost",
    "Decision",
    "Delay",
    "DragontoothError",
    "ErrorReason",
    "FieldViolation",
    "Fischer",
    "GameEnded",
    "GameStarted",
    "HistoryEvent",
    "InvalidAnswer",
    "InvalidSetting",
    "Match",
    "MatchInfo",
    "MatchState",
    "MatchUnavailable",
    "Outcome",
    "PerAction",
    "Player",
    "Refused",
    "Rolled",
    "Score",
    "Seat",
    "ServiceFailed",
    "Session",
    "SessionError",
    "Summary",
    "Superseded",
    "Termination",
    "Thinking",
    "TimeControl",
    "Tls",
    "TlsFailed",
    "TokenRefused",
    "TurnPassed",
    "Unreachable",
    "run",
]
