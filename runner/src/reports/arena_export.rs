use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{ArenaEntry, ArenaRules, Contender};
use dragontooth_runner_tournament::{Leg, Name, Verdict};

use crate::record::{JournalError, read_arena};

/// The digits of a player's id that make its label unique.
const ID_DIGITS: usize = 8;

/// Writes the matches of an arena that count as games in PGN without moves, as Ordo and `BayesElo` read them: the
/// players are the contenders, and the first seat is White. `most` is the number of matches of the journal that are
/// looked at.
///
/// # Errors
///
/// The journal cannot be read. An error of `out` is returned as the inner result.
pub fn export_pgn(
    folder: &Path,
    event: &Name,
    rules: ArenaRules,
    most: u64,
    out: &mut dyn Write,
) -> Result<io::Result<()>, JournalError> {
    let mut open: HashMap<u64, [String; 2]> = HashMap::new();
    // A player may change its name, but not its label.
    let mut known: HashMap<Contender, String> = HashMap::new();
    let mut repeated = 0;
    let mut written = Ok(());
    read_arena(folder, rules, most, |entry, state| match entry {
        ArenaEntry::Paired {
            encounter,
            contenders,
            names,
        } => {
            let labels = [0, 1].map(|at| {
                let contender = &contenders[at];
                let known = known.entry(contender.clone());
                known
                    .or_insert_with(|| label(contender, &names[at]))
                    .clone()
            });
            open.insert(*encounter, labels);
            // Those that were given up.
            open.retain(|encounter, _| state.missing_legs(*encounter).is_some());
        }
        ArenaEntry::Ended {
            encounter,
            leg,
            result,
        } => {
            let is_repeated = state.counts().repeated > repeated;
            repeated = state.counts().repeated;
            let verdict = Verdict::of(result.termination, result.winner);
            if let Some(labels) = open.get(encounter)
                && written.is_ok()
                && !is_repeated
                && let Some(word) = pgn_result(verdict)
            {
                let [mut white, mut black] = labels.each_ref();
                if *leg == Leg::Two {
                    (white, black) = (black, white);
                }
                written = writeln!(
                    out,
                    "[Event \"{event}\"]\n[Round \"{encounter}.{}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\
                     [Result \"{word}\"]\n\n{word}\n",
                    leg.number()
                );
            }
        }
    })?;
    Ok(written)
}

fn pgn_result(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Won(Seat::First) => Some("1-0"),
        Verdict::Won(Seat::Second) => Some("0-1"),
        Verdict::Drawn => Some("1/2-1/2"),
        Verdict::Void => None,
    }
}

/// A label that no other contender has, without characters that end a text in PGN.
fn label(contender: &Contender, name: &str) -> String {
    let text = match contender {
        Contender::Anchor(name) => name.to_string(),
        Contender::Build { player, build } => {
            let digits: String = player.to_string().chars().take(ID_DIGITS).collect();
            // The digits alone stand for a player without a name.
            let texts = [name.to_owned(), build.to_string(), format!("({digits})")];
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(" ")
        }
    };
    // In a form that no other text has.
    let text = text.replace('%', "%25");
    text.replace('"', "%22").replace('\\', "%5C")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_label_ends_its_text_or_is_that_of_another() {
        let player = "00112233445566778899aabbccddeeff".parse().unwrap();
        let names = ["ann", "ann\"", "ann%22", "ann\\", "ann%5C", "ann%", "ann'"];
        let labels = names.map(|name| {
            let build = "v1".parse().unwrap();
            label(&Contender::Build { player, build }, name)
        });
        for label in &labels {
            assert!(!label.contains(['"', '\\']), "{label}");
        }
        let different: HashSet<_> = labels.iter().collect();
        assert_eq!(different.len(), names.len(), "{labels:?}");
    }
}
