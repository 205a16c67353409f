use dragontooth_proto::v1;
use v1::match_event::Event;

/// The record of a match without the parts that differ between runs: times, and values that follow from
/// the match id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Course(Vec<String>);

impl Course {
    /// Number of actions.
    pub(super) fn actions(&self) -> usize {
        let is_action = |line: &&String| line.starts_with("action");
        self.0.iter().filter(is_action).count()
    }
}

pub(super) fn course(record: &v1::ExportMatchResponse) -> Course {
    let events = record.events.iter();
    Course(events.map(line).collect())
}

fn line(event: &v1::MatchEvent) -> String {
    match event.event.as_ref().unwrap() {
        Event::Created(created) => {
            let of = created.r#match.as_ref().unwrap();
            format!(
                "created {} {} {} {:?} {:?}",
                of.game, of.variant, of.target, of.title, of.seats
            )
        }
        Event::SeatJoined(v1::match_event::SeatJoined {
            seat,
            player_id,
            name,
            seed,
            ..
        }) => format!("joined {seat} {player_id} {name:?} {seed:?}"),
        Event::GameStarted(started) => {
            format!("game {} {}", started.game_number, started.position)
        }
        Event::ActionPlayed(v1::match_event::ActionPlayed {
            seat,
            action,
            position,
            ..
        }) => format!("action {seat} {action} {position}"),
        Event::ActionRefused(refused) => format!("refused {} {}", refused.seat, refused.action),
        Event::Rolled(rolled) => format!(
            "roll {} {} {}",
            rolled.roll_number, rolled.roll, rolled.position
        ),
        Event::TurnPassed(passed) => format!("pass {} {}", passed.seat, passed.position),
        Event::GameEnded(ended) => format!("game over {:?} {:?}", ended.outcome, ended.score),
        Event::MatchEnded(ended) => format!("match over {:?}", ended.outcome),
    }
}
