use std::collections::HashSet;

use dragontooth_games::backgammon::{Action, CubeLimit, Dice, Due, Position, Variant};
use dragontooth_games::chance::Chance as _;
use dragontooth_games::match_play::Target;
use dragontooth_games::{MatchPlay, Position as _, Roll as _, Turn};

use super::BookPlan;
use super::source::{Candidate, Source};
use crate::backgammon::{Outlook, sound_plays};
use crate::search::SplitMix64;

/// The variant in which openings are played and judged: gammons count. The cube is not turned.
const JUDGED_AS: Variant = Variant::Money(CubeLimit::HIGHEST);
/// The points by which a play may look worse than the best one.
const MARGIN: f64 = 0.08;
/// The unit of [`Source::imbalance`] in points.
const UNIT: f64 = 1e-6;

/// Openings of Backgammon: positions with dice that wait to be played, after plays that look good.
pub(super) struct Rolled {
    plies: usize,
    plays: usize,
    seen: HashSet<Position>,
}

impl Rolled {
    pub(super) fn new(plan: &BookPlan) -> Self {
        let plays = (plan.nodes / Outlook::POSITIONS_A_PLAY).max(1);
        Self {
            plies: plan.plies,
            plays: usize::try_from(plays).unwrap_or(usize::MAX),
            seen: HashSet::new(),
        }
    }
}

/// The position of `played` with the side to move as seat first, before its roll. Both bots play each opening from
/// both seats, so that the other seat would make no other opening.
fn of_first(played: &Position, target: Target) -> Option<Position> {
    let alone: Position = played.position_id().parse().ok()?;
    let mut position = alone.as_start(JUDGED_AS, target).ok()?;
    if position.due() == Due::RollOrDouble {
        position.play_unchecked(Action::Roll);
    }
    Some(position)
}

impl Source for Rolled {
    type End = Position;

    fn draw(&mut self, random: &mut SplitMix64) -> Option<Candidate<Position>> {
        let target = Target::least::<Position>(JUDGED_AS);
        let mut position = Position::first_game(JUDGED_AS, target, random);
        let mut played = 0;
        while played < self.plies {
            match position.turn() {
                Turn::Chance => position.roll(Dice::draw(random)?),
                Turn::Pass(_) => position.pass(),
                Turn::Over(_) => return None,
                Turn::Decide(_) if position.due() == Due::RollOrDouble => {
                    position.play_unchecked(Action::Roll);
                }
                Turn::Decide(seat) => {
                    let plays = sound_plays(&position, seat, MARGIN);
                    let choice = random.below(u32::try_from(plays.len()).ok()?);
                    position.play_unchecked(plays[choice as usize]);
                    played += 1;
                }
            }
        }
        if let Turn::Over(_) = position.turn() {
            return None;
        }
        let mut end = of_first(&position, target)?;
        let dice = Dice::draw(random)?;
        end.roll(Dice::new(dice.high(), dice.low())?);
        if end.count_legal() < 2 || !self.seen.insert(end) {
            return None;
        }
        let entries = vec![end.to_string()];
        Some(Candidate { entries, end })
    }

    fn imbalance(&mut self, end: &Position) -> Option<u32> {
        let outlook = Outlook::of(end, end.mover()?, self.plays)?;
        let distance = (2.0 * outlook.win - 1.0).abs().max(outlook.points.abs());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 3 points"
        )]
        let imbalance = (distance / UNIT).round() as u32;
        Some(imbalance)
    }
}
