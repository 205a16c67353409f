use std::path::PathBuf;

use dragontooth_runner_tournament::MatchRules;

use super::field::Field;
use super::section::Section;
use crate::openings::{InvalidOpenings, OpeningChoice, Openings};

/// The key `openings` of an event, before the book is read.
pub(super) struct OpeningKeys<'a> {
    file: Field<'a>,
    start_field: Option<Field<'a>>,
    book: PathBuf,
    is_random: bool,
    seed: Option<u64>,
    start: u32,
    plies: Option<u32>,
}

pub(super) fn read<'a>(field: &Field<'a>) -> Option<OpeningKeys<'a>> {
    let section = Section::of(field)?;
    let file = section.require("file");
    let order = section.get("order");
    let start = section.get("start");
    let plies = section.get("plies");
    let seed = section.get("seed");
    section.refuse_others();
    let is_random = order.map_or(Some(false), |field| match field.text()? {
        "sequential" => Some(false),
        "random" => Some(true),
        other => {
            field.report(format!(
                "must be \"sequential\" or \"random\", not {other:?}"
            ));
            None
        }
    });
    let first = match &start {
        Some(field) => field.count(1..=u32::MAX),
        None => Some(1),
    };
    let plies = match plies {
        Some(field) => Some(field.count(1..=u32::MAX)?),
        None => None,
    };
    if let (Some(field), Some(false)) = (&seed, is_random) {
        field.report("is for order = \"random\"");
        return None;
    }
    let seed = match seed {
        Some(field) => Some(field.integer(0..=i64::MAX as u64)?),
        None => None,
    };
    let file = file?;
    let book = file.folder().join(file.text()?);
    Some(OpeningKeys {
        file,
        start_field: start,
        book,
        is_random: is_random?,
        seed,
        start: first?,
        plies,
    })
}

impl OpeningKeys<'_> {
    /// The openings of an event with this seed and at most this many encounters.
    pub(super) fn openings(
        &self,
        rules: MatchRules,
        event_seed: u64,
        encounters: u64,
    ) -> Option<Openings> {
        let choice = OpeningChoice {
            shuffled: self.is_random.then(|| self.seed.unwrap_or(event_seed)),
            start: self.start,
            plies: self.plies,
        };
        let read = Openings::read(&self.book, choice, rules, encounters);
        let guilty = match (&read, &self.start_field) {
            (Err(InvalidOpenings::Start { .. }), Some(start)) => start,
            _ => &self.file,
        };
        guilty.check(read)
    }
}
