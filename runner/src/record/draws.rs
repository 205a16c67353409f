use std::path::Path;

use dragontooth_games::chance::Seed;
use dragontooth_games::hex;
use dragontooth_runner_tournament::{Leg, Name, Schedule, ScheduledMatch};
use dragontooth_service_vocabulary::SharedSeed;

use super::{DrawSecrets, DrawSecretsError};
use crate::draw_secret::DrawSecret;

/// The matches of an encounter, which share a seed.
const LEGS: u32 = 2;

/// The source of everything that is drawn in the matches of a run: its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDraws(DrawSecrets);

/// The seed of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSeed {
    /// The text from which the server's seed follows.
    pub text: String,
    /// Number of matches that share it.
    pub matches: u32,
}

impl RunDraws {
    /// Draws that follow from one secret.
    #[must_use]
    pub fn of(secret: DrawSecret) -> Self {
        Self(DrawSecrets::of(secret))
    }

    pub(super) const fn new(secrets: DrawSecrets) -> Self {
        Self(secrets)
    }

    /// The place of the secret of an encounter among the secrets of the run, from 0, and their number.
    pub(crate) fn secret_of(&self, encounter: u32) -> (usize, usize) {
        (self.0.place_of(encounter), self.0.count())
    }

    pub(super) fn renew(&mut self, folder: &Path, encounter: u32) -> Result<(), DrawSecretsError> {
        self.0.renew(folder, encounter)
    }

    pub(super) fn publish(&self, folder: &Path) -> Result<(), DrawSecretsError> {
        self.0.publish(folder)
    }

    /// The seed of a match that has been restarted `replays` times: at first that of its encounter. Each
    /// restart has a seed of its own, because the draws of the match before it have been seen.
    #[must_use]
    pub fn seed_of(&self, schedule: &Schedule, planned: &ScheduledMatch, replays: u32) -> RunSeed {
        let secret = self.0.of_encounter(planned.encounter);
        if replays == 0 {
            let encounter = format!("{}/{}", schedule.event().name(), planned.slot.encounter());
            RunSeed {
                text: secret.derive("dragontooth.encounter.v1", &encounter),
                matches: LEGS,
            }
        } else {
            let again = format!("{} {replays}", schedule.title(planned));
            RunSeed {
                text: secret.derive("dragontooth.replay.v1", &again),
                matches: 1,
            }
        }
    }

    /// The seed of a match of an arena that has been restarted `replays` times, as [`seed_of`](Self::seed_of).
    #[must_use]
    pub fn seed_in_arena(&self, event: &Name, encounter: u64, leg: Leg, replays: u32) -> RunSeed {
        let secret = self.0.first();
        let encounter = format!("{event}/e{encounter}");
        if replays == 0 {
            RunSeed {
                text: secret.derive("dragontooth.encounter.v1", &encounter),
                matches: LEGS,
            }
        } else {
            let again = format!("{encounter}/m{} {replays}", leg.number());
            RunSeed {
                text: secret.derive("dragontooth.replay.v1", &again),
                matches: 1,
            }
        }
    }

    /// A text by which an arena knows its own matches, 64 hexadecimal digits.
    #[must_use]
    pub fn arena_id(&self) -> String {
        self.0.first().derive("dragontooth.arena.v1", "id")
    }

    /// The secret from which a bot's shares of the seeds follow.
    #[must_use]
    pub fn bot_secret(&self, bot: &Name) -> String {
        self.0.first().derive("dragontooth.bot.v1", bot.as_str())
    }
}

impl RunSeed {
    /// The seed as the creator of a match gives it.
    #[must_use]
    pub fn shared(&self) -> SharedSeed {
        let text = self.text.parse().expect("64 digits are a seed");
        SharedSeed::new(text, self.matches).expect("the matches of an encounter are few")
    }

    /// The server's seed.
    #[must_use]
    pub fn server_seed(&self) -> Seed {
        Seed::from_text(&self.text)
    }

    /// The commitment to the server's seed, which the matches that share it have in common.
    #[must_use]
    pub fn commitment(&self) -> [u8; 32] {
        self.server_seed().commitment("")
    }

    /// The same in hexadecimal digits.
    #[must_use]
    pub fn commitment_text(&self) -> String {
        hex(&self.commitment())
    }
}
