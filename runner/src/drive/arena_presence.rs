use std::collections::{BTreeMap, HashMap};

use dragontooth_runner_tournament::arena::{Contender, PresentContender};
use dragontooth_runner_tournament::{MatchRules, Name};
use dragontooth_service_client::{Client, ClientError, PlayerView};
use dragontooth_service_vocabulary::{BuildText, PlayerId, TimeControl};

use super::health::health;
use super::outage::{Outage, PATIENCE};
use super::players::Player;

/// The most encounters of a player at once, whatever it offers.
const MAX_AT_ONCE: u32 = 64;
/// The most players of a service that an arena looks at.
const MAX_LISTED: usize = 10_000;

/// The players of an arena that are present, by their ids.
pub(super) type PresentPlayers = BTreeMap<PlayerId, ArenaPlayer>;

/// A player of an arena that is present.
#[derive(Clone, Debug)]
pub(super) struct ArenaPlayer {
    pub(super) contender: Contender,
    /// Its public name; may be empty.
    pub(super) name: String,
    pub(super) at_once: u32,
    pub(super) player: Player,
}

/// The terms on which players take part in an arena.
pub(super) struct Admission<'a> {
    pub(super) rules: MatchRules,
    pub(super) time_control: Option<TimeControl>,
    /// None for everybody who accepts the game.
    pub(super) allowed: Option<&'a [PlayerId]>,
    /// The anchors by their players.
    pub(super) anchors: HashMap<PlayerId, Player>,
    /// The encounters at once of an anchor.
    pub(super) anchor_matches: u32,
    /// The arena's own player.
    pub(super) own: PlayerId,
}

/// Lists all players that are present.
pub(super) async fn list_all(
    client: &Client,
    outage: &Outage,
) -> Result<Vec<PlayerView>, ClientError> {
    let mut all = Vec::new();
    let mut page = None;
    loop {
        let list = || client.list_players(None, page.clone());
        let listed = outage.retry(PATIENCE, list).await?;
        all.extend(listed.items);
        page = listed.next;
        if page.is_none() || all.len() >= MAX_LISTED {
            return Ok(all);
        }
    }
}

impl Admission<'_> {
    /// The players of the arena among those that are present.
    pub(super) fn admit(&self, present: Vec<PlayerView>) -> PresentPlayers {
        let players = present.into_iter().filter_map(|view| {
            let id = view.player;
            Some((id, self.player(view)?))
        });
        players.collect()
    }

    fn player(&self, view: PlayerView) -> Option<ArenaPlayer> {
        let id = view.player;
        if let Some(anchor) = self.anchors.get(&id) {
            return Some(ArenaPlayer {
                contender: Contender::Anchor(anchor.name.clone()),
                name: anchor.name.to_string(),
                at_once: self.anchor_matches,
                player: anchor.clone(),
            });
        }
        let is_allowed = self.allowed.is_none_or(|allowed| allowed.contains(&id));
        if id == self.own || !is_allowed {
            return None;
        }
        let rules = self.rules;
        let accepts = match &view.offer {
            Some(offer) => offer.accepts(
                rules.game(),
                rules.variant(),
                rules.target(),
                self.time_control,
            ),
            // It has not said. Who is on the list may be invited nevertheless.
            None => self.allowed.is_some(),
        };
        let offer = view.offer.unwrap_or_default();
        accepts.then(|| ArenaPlayer {
            contender: Contender::Build {
                player: id,
                build: offer.build,
            },
            at_once: offer
                .matches_at_once
                .map_or(1, |count| count.get().min(MAX_AT_ONCE)),
            player: remote(id, &view.name),
            name: view.name,
        })
    }
}

/// A player of an arena that is not here any more.
pub(super) fn absent(id: PlayerId, build: BuildText) -> ArenaPlayer {
    ArenaPlayer {
        contender: Contender::Build { player: id, build },
        name: String::new(),
        at_once: 0,
        player: remote(id, ""),
    }
}

/// A player that this program has not started.
fn remote(id: PlayerId, name: &str) -> Player {
    let by_id = || Name::new(&id.to_string()).expect("the digits of an id are a name");
    Player {
        name: Name::new(name).unwrap_or_else(|_| by_id()),
        id,
        client: None,
        pulse: health().1,
        engine_faults: None,
        turn: None,
        seen: std::sync::Arc::default(),
    }
}

/// Those that can begin an encounter, when the encounters with these players run.
pub(super) fn free(players: &PresentPlayers, running: &[PlayerId]) -> Vec<PresentContender> {
    let mut busy: HashMap<PlayerId, u32> = HashMap::new();
    for player in running {
        *busy.entry(*player).or_default() += 1;
    }
    let present = players.iter().map(|(id, player)| PresentContender {
        contender: player.contender.clone(),
        free: player
            .at_once
            .saturating_sub(busy.get(id).copied().unwrap_or(0)),
    });
    present.collect()
}
