use std::num::NonZeroU32;

use dragontooth_bots::builtin::proof::PROOF_NODES;
use dragontooth_games::record::{MAX_THINKING_POINTS, ValueUnit};
use dragontooth_runner_tournament::{
    AUDIT_OF_ALL, Adjudication, DrawRule, MAX_AGREEING_PLIES, MAX_PLIES, MatchRules, ValueRule,
};

use super::field::Field;
use super::section::Section;

/// The share of the matches that are audited if the file names none, in millionths.
pub const DEFAULT_AUDIT: u32 = AUDIT_OF_ALL / 10;

/// A kind of rule by values.
#[derive(Clone, Copy)]
enum Kind {
    Win,
    Draw,
}

/// Reads the key `adjudicate` of an event into its rules; without it, they stay as they are.
pub(super) fn read(field: Option<&Field<'_>>, rules: Option<MatchRules>) -> Option<MatchRules> {
    let Some(field) = field else {
        return rules;
    };
    let adjudication = read_table(field, rules)?;
    let rules = rules?;
    if rules.are_for_money() {
        field.report(
            "a game for money is played for its points, which no call knows before the end",
        );
        return None;
    }
    Some(rules.adjudicated(Some(adjudication)))
}

fn read_table(field: &Field<'_>, rules: Option<MatchRules>) -> Option<Adjudication> {
    let section = Section::of(field)?;
    let unit = section.get("unit");
    let win = section.get("win");
    let draw = section.get("draw");
    let tables = section.get("tables");
    let audit = section.get("audit");
    section.refuse_others();
    let unit = unit.map_or(Some(ValueUnit::WinProbability), |field| read_unit(&field));
    let win = match &win {
        Some(field) => read_rule(field, Kind::Win, unit).map(|read| Some(read.rule)),
        None => Some(None),
    };
    let draw = match &draw {
        Some(field) => read_draw(field, unit, rules).map(Some),
        None => Some(None),
    };
    let tables = tables.map_or(Some(false), |field| field.boolean());
    let audit = audit.map_or(Some(DEFAULT_AUDIT), |field| read_share(&field));
    let (win, draw, tables) = (win?, draw?, tables?);
    if win.is_none() && draw.is_none() && !tables {
        field.report("calls nothing: it needs win, draw or tables = true");
        return None;
    }
    Some(Adjudication {
        unit: unit?,
        win,
        draw,
        proof_nodes: NonZeroU32::new(PROOF_NODES).filter(|_| tables),
        audit: audit?,
    })
}

fn read_unit(field: &Field<'_>) -> Option<ValueUnit> {
    match field.text()? {
        "win_probability" => Some(ValueUnit::WinProbability),
        "points" => Some(ValueUnit::Points),
        other => {
            field.report(format!(
                "must be \"win_probability\" or \"points\", not {other:?}"
            ));
            None
        }
    }
}

fn read_draw(
    field: &Field<'_>,
    unit: Option<ValueUnit>,
    rules: Option<MatchRules>,
) -> Option<DrawRule> {
    let draw = read_rule(field, Kind::Draw, unit);
    if let Some(rules) = rules.filter(|rules| !rules.can_be_drawn()) {
        field.report(format!("a match of {} is never drawn", rules.game()));
        return None;
    }
    draw
}

fn read_rule(field: &Field<'_>, kind: Kind, unit: Option<ValueUnit>) -> Option<DrawRule> {
    let section = Section::of(field)?;
    let value = section.require("value");
    let plies = section.require("plies");
    let both = section.get("both");
    let from = match kind {
        Kind::Win => None,
        Kind::Draw => section.get("from"),
    };
    section.refuse_others();
    let millionths = value.and_then(|field| read_value(&field, kind, unit?));
    let plies = plies.and_then(|field| field.count(1..=MAX_AGREEING_PLIES));
    let both = both.map_or(Some(true), |field| field.boolean());
    let from = from.map_or(Some(1), |field| field.count(1..=MAX_PLIES));
    Some(DrawRule {
        rule: ValueRule {
            millionths: millionths?,
            plies: NonZeroU32::new(plies?)?,
            both: both?,
        },
        from: from?,
    })
}

/// A bound on values, in millionths of their unit.
fn read_value(field: &Field<'_>, kind: Kind, unit: ValueUnit) -> Option<i64> {
    let value = field.number()?;
    let (fits, allowed) = match (kind, unit) {
        (Kind::Win, ValueUnit::WinProbability) => (
            value > 0.5 && value <= 1.0,
            "a win probability above 0.5 and at most 1".to_owned(),
        ),
        (Kind::Draw, ValueUnit::WinProbability) => (
            (0.0..0.5).contains(&value),
            "a distance from the win probability 0.5: at least 0 and below 0.5".to_owned(),
        ),
        (Kind::Win, ValueUnit::Points) => (
            value > 0.0 && value <= MAX_THINKING_POINTS,
            format!("points above 0 and at most {MAX_THINKING_POINTS}"),
        ),
        (Kind::Draw, ValueUnit::Points) => (
            (0.0..=MAX_THINKING_POINTS).contains(&value),
            format!("a distance from 0 points: at least 0 and at most {MAX_THINKING_POINTS}"),
        ),
    };
    if !fits {
        let hint = match unit {
            ValueUnit::WinProbability if value >= 0.5 && value.is_finite() => {
                "; for points the table needs unit = \"points\""
            }
            ValueUnit::WinProbability | ValueUnit::Points => "",
        };
        field.report(format!("must be {allowed}, not {value}{hint}"));
        return None;
    }
    millionths(value)
}

fn read_share(field: &Field<'_>) -> Option<u32> {
    let share = field.number()?;
    if !(0.0..=1.0).contains(&share) {
        field.report(format!("must be a share from 0 to 1, not {share}"));
        return None;
    }
    millionths(share).and_then(|share| u32::try_from(share).ok())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is at most 10^6, and its millionths fit"
)]
fn millionths(value: f64) -> Option<i64> {
    let millionths = (value * 1e6).round();
    millionths.is_finite().then_some(millionths as i64)
}
