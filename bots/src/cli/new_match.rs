use dragontooth_games::{Seat, catalogue};
use dragontooth_service_client::random_request_id;
use dragontooth_service_vocabulary::{NewMatch, SharedSeed};

use super::arguments::New;

/// Default target of a variant with several ones, as in the file of an event.
const DEFAULT_TARGET: u32 = 3;

/// The match of `--new`, if it is given, for a bot in this seat.
pub(super) fn new_match(new: &New, own_seat: Seat) -> Option<NewMatch> {
    let game = new.game.as_ref()?;
    let target = new.target.unwrap_or_else(|| {
        // The service may have games that are unknown here.
        catalogue::find(game).map_or(DEFAULT_TARGET, |known| {
            known.default_target(new.variant.as_deref(), DEFAULT_TARGET)
        })
    });
    let own = new.time.and_then(|agreement| agreement.0);
    let mut time_controls = [own; 2];
    if let Some(opponent) = new.opponent_time {
        time_controls[own_seat.other().index()] = opponent.0;
    }
    Some(NewMatch {
        variant: new.variant.clone(),
        time_controls,
        seed: new.seed.clone().map(SharedSeed::from),
        title: new.title.clone().unwrap_or_default(),
        request_id: Some(random_request_id()),
        ..NewMatch::new(game, target)
    })
}

/// The seat that a bot takes in a match that it creates.
pub(super) fn own_seat(wanted: Option<Seat>) -> Seat {
    wanted.unwrap_or(Seat::First)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;
    use dragontooth_service_vocabulary::TimeControl;

    use super::*;
    use crate::cli::arguments::{Arguments, Command};

    /// The time controls by seat of the match of these arguments.
    fn time_controls(arguments: &str) -> [Option<TimeControl>; 2] {
        let words =
            "dragontooth-bot play --bot random --token 0123456789abcdef --new linja --target 1";
        let words = words.split(' ').chain(arguments.split_whitespace());
        let Command::Play(play) = Arguments::parse_from(words).command else {
            panic!("it is the command play");
        };
        new_match(&play.playing.new, own_seat(play.playing.seat))
            .unwrap()
            .time_controls
    }

    #[test]
    fn the_opponent_may_have_another_time() {
        let [two, nine] = [2, 9].map(|seconds| {
            let limit = Duration::from_secs(seconds);
            Some(TimeControl::PerAction { limit })
        });
        let own = "--time per-action:2s";
        assert_eq!(time_controls(""), [None, None]);
        assert_eq!(time_controls(own), [two, two]);
        for (arguments, expected) in [
            ("--opponent-time per-action:9s", [two, nine]),
            ("--opponent-time none", [two, None]),
        ] {
            let arguments = format!("{own} {arguments}");
            assert_eq!(time_controls(&arguments), expected);
            let [own, opponent] = expected;
            assert_eq!(
                time_controls(&format!("{arguments} --seat second")),
                [opponent, own]
            );
        }
    }

    #[test]
    fn the_default_target_is_that_of_a_file() {
        let target = |arguments: &str| {
            let words = format!(
                "dragontooth-bot play --bot random --token 0123456789abcdef --new {arguments}"
            );
            let Command::Play(play) = Arguments::parse_from(words.split(' ')).command else {
                panic!("it is the command play");
            };
            new_match(&play.playing.new, Seat::First).unwrap().target
        };
        assert_eq!(target("linja"), DEFAULT_TARGET);
        assert_eq!(target("ludo"), DEFAULT_TARGET);
        assert_eq!(target("backgammon --variant money_64"), 1);
    }
}
