use std::collections::HashSet;

use dragontooth_games::Seat;

use dragontooth_runner_tournament::{
    MatchNumber, MatchResult, Results, Schedule, ScheduledMatch, Verdict,
};

/// The default number of matches with a page.
pub const DEFAULT_PAGES: usize = 100;

/// The most matches with a page.
pub const MAX_PAGES: usize = 10_000;

/// The folder of the pages of matches, beside the report.
pub const PAGES_FOLDER: &str = "matches";

/// A match with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedMatch {
    /// The match.
    pub number: MatchNumber,
    /// Its title.
    pub title: String,
    /// The name of the page's file.
    pub file: String,
    /// The outcome, in a few words.
    pub outcome: String,
}

/// The matches that get pages, at most `pages`, in the schedule's order: first of all those in which
/// a bot had a fault, then the others from the first on.
#[must_use]
pub fn selected(schedule: &Schedule, results: &Results, pages: usize) -> Vec<SelectedMatch> {
    let has_fault = |result: &MatchResult| !result.faults.is_empty();
    let played = || results.with_match(schedule.matches());
    let at_fault = played().filter(|(_, result)| has_fault(result)).count();
    let mut rooms = [pages.min(at_fault), pages.saturating_sub(at_fault)];
    let mut taken = HashSet::new();
    let chosen = played().filter(|(_, result)| {
        let room = &mut rooms[usize::from(!has_fault(result))];
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        has_room
    });
    chosen
        .map(|(planned, result)| {
            let title = schedule.title(planned);
            let mut file = file_name(&title, schedule.event().name().as_str());
            if !taken.insert(file.clone()) {
                file = format!("match-{}.html", planned.number.get() + 1);
            }
            SelectedMatch {
                number: planned.number,
                title,
                file,
                outcome: outcome(schedule, planned, result),
            }
        })
        .collect()
}

fn outcome(schedule: &Schedule, planned: &ScheduledMatch, result: &MatchResult) -> String {
    let [first, second] = result.score;
    let won = |seat: Seat| format!("{} wins", schedule.event().bot(planned.bot(seat)));
    let what = match result.verdict() {
        Verdict::Won(seat) => won(seat),
        Verdict::Drawn => "drawn".to_owned(),
        Verdict::Void => "void".to_owned(),
    };
    format!("{what}, {first}–{second} ({})", result.termination)
}

/// A name for the page of a match: its title without the event's name, in letters that every file
/// system and address takes.
fn file_name(title: &str, event: &str) -> String {
    let place = title.strip_prefix(event).unwrap_or(title);
    let place = place.trim_start_matches('/');
    let safe = place.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' => letter,
        _ => '-',
    });
    format!("{}.html", safe.collect::<String>())
}
