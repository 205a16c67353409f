use super::Situation;

/// Something that a bot has to do right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name, and that of its section in docs/conformance.md.
    pub name: &'static str,
    /// The kind of check.
    pub kind: CheckKind,
    /// The correct behaviour, in one sentence without a full stop.
    pub expected: &'static str,
}

/// A kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// A situation, in these games; in all if there are none.
    Situation(Situation, &'static [&'static str]),
    /// Something that happens between the bot and the service, in any game.
    Behaviour(Behaviour),
}

/// Something that happens between the bot and the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// It is invited to a match.
    Connects,
    /// It plays a match from its beginning to its end.
    WholeMatch,
    /// Three matches wait for it at the same time.
    ThreeAtOnce,
    /// Its connection breaks before its answer arrives.
    CutWhileThinking,
    /// Its connection breaks before it hears that its answer was accepted.
    CutAfterAnswer,
    /// Messages come twice.
    Duplicates,
    /// Messages are late, in both directions.
    Delays,
    /// The service shuts down and comes back.
    Drained,
    /// Its answer arrives when the decision is no longer due.
    Stale,
    /// The match ends while it thinks.
    MatchEnded,
    /// Its answer is refused as illegal.
    Refused,
    /// Its answer is refused for the time being.
    TryLater,
    /// Its clock has little left.
    NearFlag,
    /// It has little time for each action.
    ShortLimit,
    /// It is asked to exit.
    EndsWhenTold,
}

impl Behaviour {
    /// Returns true if the check measures time, so that nothing else may run meanwhile.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        match self {
            Self::NearFlag | Self::ShortLimit | Self::EndsWhenTold => true,
            Self::Connects
            | Self::WholeMatch
            | Self::ThreeAtOnce
            | Self::CutWhileThinking
            | Self::CutAfterAnswer
            | Self::Duplicates
            | Self::Delays
            | Self::Drained
            | Self::Stale
            | Self::MatchEnded
            | Self::Refused
            | Self::TryLater => false,
        }
    }
}

impl Check {
    /// Returns true if the situation occurs in the game.
    #[must_use]
    pub fn applies_to(&self, game: &str) -> bool {
        match self.kind {
            CheckKind::Situation(_, games) => games.is_empty() || games.contains(&game),
            CheckKind::Behaviour(_) => true,
        }
    }
}

/// All checks, in the order of the report.
pub const CHECKS: &[Check] = &[
    behaviour(
        "connects",
        Behaviour::Connects,
        "connects with its token and takes the seat that is kept for it",
    ),
    behaviour(
        "whole-match",
        Behaviour::WholeMatch,
        "plays a match to its end by the rules",
    ),
    situation(
        "own-pass",
        Situation::OwnPass,
        &["kamisado", "linja", "backgammon"],
        "says nothing when its turn passes, and answers its next decision",
    ),
    situation(
        "opponent-pass",
        Situation::OpponentPass,
        &["kamisado"],
        "decides twice in a row when the opponent's turn passes",
    ),
    situation(
        "only-push",
        Situation::OnlyPush,
        &["kamisado"],
        "plays the push that is its only action, and moves again after it",
    ),
    situation(
        "refill",
        Situation::Refill,
        &["kamisado"],
        "answers left or right between two games",
    ),
    situation(
        "second-move",
        Situation::SecondMove,
        &["linja"],
        "makes the second move of a turn as a decision of its own",
    ),
    situation(
        "extra-turn",
        Situation::ExtraTurn,
        &["linja"],
        "plays the extra turn that follows its own turn",
    ),
    situation(
        "opening-capture",
        Situation::Opening,
        &["tzaar"],
        "opens with a capture, and leaves the turn at that",
    ),
    situation(
        "second-action",
        Situation::SecondAction,
        &["tzaar"],
        "captures, stacks or passes as the second action of its turn",
    ),
    situation(
        "only-pass",
        Situation::OnlyPass,
        &["tzaar"],
        "answers - where a pass is all that is left",
    ),
    situation(
        "doublet",
        Situation::Doublet,
        &["backgammon"],
        "plays as many parts of a double as it can",
    ),
    situation(
        "bar",
        Situation::Bar,
        &["backgammon"],
        "enters from the bar",
    ),
    situation(
        "bearing-off",
        Situation::BearingOff,
        &["backgammon"],
        "bears off, or plays on",
    ),
    situation(
        "roll-or-double",
        Situation::RollOrDouble,
        &["backgammon"],
        "answers roll or double, or offers to resign",
    ),
    situation(
        "take-or-drop",
        Situation::TakeOrDrop,
        &["backgammon"],
        "answers a double with take or drop",
    ),
    situation(
        "resignation",
        Situation::Resignation,
        &["backgammon"],
        "answers an offer to resign with accept or decline",
    ),
    situation(
        "next-game",
        Situation::NextGame,
        &[],
        "plays on in the second game of a match",
    ),
    behaviour(
        "three-at-once",
        Behaviour::ThreeAtOnce,
        "answers in each of three matches while the others wait",
    ),
    behaviour(
        "cut-while-thinking",
        Behaviour::CutWhileThinking,
        "connects again and answers the decision whose answer was lost",
    ),
    behaviour(
        "cut-after-answer",
        Behaviour::CutAfterAnswer,
        "connects again and goes on when it never heard that its answer was accepted",
    ),
    behaviour(
        "duplicates",
        Behaviour::Duplicates,
        "goes on when every message comes twice",
    ),
    behaviour(
        "delays",
        Behaviour::Delays,
        "goes on when messages are late",
    ),
    behaviour(
        "drained",
        Behaviour::Drained,
        "comes back when the service was shut down and is there again",
    ),
    behaviour(
        "stale",
        Behaviour::Stale,
        "drops an answer that is refused as stale and answers the decision that is due",
    ),
    behaviour(
        "match-ended",
        Behaviour::MatchEnded,
        "forgets a match that ended while it thought, and plays the next one",
    ),
    behaviour(
        "refused",
        Behaviour::Refused,
        "answers again or resigns when its answer is refused, and plays the next match",
    ),
    behaviour(
        "try-later",
        Behaviour::TryLater,
        "answers again when the service could not take its answer for a moment",
    ),
    behaviour(
        "near-flag",
        Behaviour::NearFlag,
        "spares its clock when little time is left",
    ),
    behaviour(
        "short-limit",
        Behaviour::ShortLimit,
        "keeps a short limit for each action",
    ),
    behaviour(
        "ends-when-told",
        Behaviour::EndsWhenTold,
        "ends by itself within 2 s after SIGTERM, in the middle of a match too",
    ),
];

const fn behaviour(name: &'static str, what: Behaviour, expected: &'static str) -> Check {
    Check {
        name,
        kind: CheckKind::Behaviour(what),
        expected,
    }
}

const fn situation(
    name: &'static str,
    what: Situation,
    games: &'static [&'static str],
    expected: &'static str,
) -> Check {
    Check {
        name,
        kind: CheckKind::Situation(what, games),
        expected,
    }
}
