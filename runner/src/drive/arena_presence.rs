use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;
use std::time::Duration;

use dragontooth_runner_tournament::arena::{Contender, PresentContender};
use dragontooth_runner_tournament::{MatchRules, Name};
use dragontooth_service_client::{
    Client, ClientError, PlayerView, PlayersUpdate, PlayersWatch, Resume,
};
use dragontooth_service_vocabulary::{BuildText, PlayerId, TimeControl};
use tokio::time::{Instant, sleep_until};

use super::arena_build::is_arena;
use super::health::health;
use super::outage::{Outage, PATIENCE};
use super::players::Player;

/// The most encounters of a player at once, whatever it offers.
const MAX_AT_ONCE: u32 = 64;
/// A silence of the service after which it counts as away. It says something at least every 10 seconds.
const SILENCE: Duration = Duration::from_secs(15);

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
    /// The encounters at once of an anchor that this program has started.
    pub(super) anchor_matches: u32,
    /// The arena's own player.
    pub(super) own: PlayerId,
}

/// The players that are present on a service, followed.
pub(super) struct Presence<'a> {
    watch: PlayersWatch,
    outage: &'a Outage,
    /// The time of the last message.
    contact: Instant,
    was_missed: bool,
}

impl<'a> Presence<'a> {
    /// Nothing is known of them before the first [`change`](Self::change).
    pub(super) fn new(client: &Client, outage: &'a Outage) -> Self {
        Self {
            watch: client.watch_players(None, Resume::For(PATIENCE)),
            outage,
            contact: Instant::now(),
            was_missed: false,
        }
    }

    /// The players after the next change; the first one comes at once. Cancel safe.
    pub(super) async fn change(&mut self) -> Result<&BTreeMap<PlayerId, PlayerView>, ClientError> {
        loop {
            tokio::select! {
                update = self.watch.next() => {
                    let update = update?;
                    self.contact = Instant::now();
                    if take(&mut self.was_missed) {
                        self.outage.ended();
                    }
                    match update {
                        PlayersUpdate::Changed => return Ok(self.watch.present()),
                        PlayersUpdate::Heartbeat => {}
                    }
                }
                () = sleep_until(self.contact + SILENCE), if !self.was_missed => {
                    self.was_missed = true;
                    let seconds = SILENCE.as_secs();
                    self.outage.began(&format!("it has said nothing for {seconds} s"));
                }
            }
        }
    }
}

impl Admission<'_> {
    /// The players of the arena among those that are present.
    pub(super) fn admit(&self, present: &BTreeMap<PlayerId, PlayerView>) -> PresentPlayers {
        let players = present.iter();
        let players = players.filter_map(|(id, view)| Some((*id, self.player(view)?)));
        players.collect()
    }

    /// The players among those that are present that accept the game, but no match of the arena.
    pub(super) fn misfits(&self, present: &BTreeMap<PlayerId, PlayerView>) -> BTreeSet<PlayerId> {
        let game = self.rules.game();
        let views = present.iter().filter(|(id, view)| {
            let offer = view.offer.as_ref();
            let accepts_game = offer.is_some_and(|offer| {
                let mut games = offer.games.iter();
                games.any(|accepted| accepted.game == game) && !is_arena(&offer.build)
            });
            let is_allowed = self.allowed.is_none_or(|allowed| allowed.contains(id));
            accepts_game && is_allowed && **id != self.own && self.player(view).is_none()
        });
        views.map(|(id, _)| *id).collect()
    }

    fn player(&self, view: &PlayerView) -> Option<ArenaPlayer> {
        let id = view.player;
        let at_once = view.offer.as_ref().and_then(|offer| offer.matches_at_once);
        let at_once = at_once.map_or(1, |count| count.get().min(MAX_AT_ONCE));
        if let Some(anchor) = self.anchors.get(&id) {
            return Some(ArenaPlayer {
                contender: Contender::Anchor(anchor.name.clone()),
                name: anchor.name.to_string(),
                at_once: match anchor.client {
                    Some(_) => self.anchor_matches,
                    None => at_once,
                },
                player: anchor.clone(),
            });
        }
        let is_allowed = self.allowed.is_none_or(|allowed| allowed.contains(&id));
        // Arenas are present by offers too, and play nothing.
        let is_arena = (view.offer.as_ref()).is_some_and(|offer| is_arena(&offer.build));
        if id == self.own || is_arena || !is_allowed {
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
        let offer = view.offer.as_ref();
        accepts.then(|| ArenaPlayer {
            contender: Contender::Build {
                player: id,
                build: offer.map(|offer| offer.build.clone()).unwrap_or_default(),
            },
            at_once,
            player: remote(id, &view.name),
            name: view.name.clone(),
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

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use dragontooth_service_vocabulary::{AcceptedGame, Offer};

    use super::super::arena_build::arena_build;
    use super::*;

    #[test]
    fn no_other_arena_takes_part() {
        let [own, other, player] = [1, 2, 3].map(|number| {
            let id: PlayerId = format!("{number:032x}").parse().unwrap();
            id
        });
        let present = |id, build| PlayerView {
            player: id,
            name: String::new(),
            offer: Some(Offer {
                games: vec![AcceptedGame::any("linja")],
                build,
                ..Offer::default()
            }),
            opened: SystemTime::UNIX_EPOCH,
            expires: None,
        };
        let arena = |id| arena_build(id, &Name::new("open").unwrap());
        let views = [
            present(own, arena("0123456789abcdef")),
            present(other, arena("fedcba9876543210")),
            present(player, BuildText::new("v1").unwrap()),
        ];
        let views = views.map(|view| (view.player, view)).into();
        for allowed in [None, Some(&[own, other, player][..])] {
            let admission = Admission {
                rules: MatchRules::new("linja", None, 1).unwrap(),
                time_control: None,
                allowed,
                anchors: HashMap::new(),
                anchor_matches: 1,
                own,
            };
            let admitted: Vec<PlayerId> = admission.admit(&views).into_keys().collect();
            assert_eq!(admitted, [player]);
        }
    }

    #[test]
    fn who_accepts_the_game_on_other_terms_is_known() {
        let [fits, other_target, other_game] = [1, 2, 3].map(|number| {
            let id: PlayerId = format!("{number:032x}").parse().unwrap();
            id
        });
        let present = |player, terms: &str| PlayerView {
            player,
            name: String::new(),
            offer: Some(Offer {
                games: vec![terms.parse().unwrap()],
                ..Offer::default()
            }),
            opened: SystemTime::UNIX_EPOCH,
            expires: None,
        };
        let views = [
            present(fits, "kamisado:1-3"),
            present(other_target, "kamisado:3"),
            present(other_game, "linja"),
        ];
        let views = views.map(|view| (view.player, view)).into();
        let admission = Admission {
            rules: MatchRules::new("kamisado", None, 1).unwrap(),
            time_control: None,
            allowed: None,
            anchors: HashMap::new(),
            anchor_matches: 1,
            own: PlayerId::from_bytes([9; 16]),
        };
        assert_eq!(admission.misfits(&views), BTreeSet::from([other_target]));
    }

    #[test]
    fn an_anchor_elsewhere_plays_as_many_at_once_as_it_says() {
        let id = PlayerId::from_bytes([1; 16]);
        let admission = Admission {
            rules: MatchRules::new("linja", None, 1).unwrap(),
            time_control: None,
            allowed: None,
            anchors: HashMap::from([(id, remote(id, "zero"))]),
            anchor_matches: 8,
            own: PlayerId::from_bytes([9; 16]),
        };
        let at_once = |offer: Option<Offer>| {
            let view = PlayerView {
                player: id,
                name: String::new(),
                offer,
                opened: SystemTime::UNIX_EPOCH,
                expires: None,
            };
            admission.admit(&BTreeMap::from([(id, view)]))[&id].at_once
        };
        let offer = |most: u32| Offer {
            matches_at_once: most.try_into().ok(),
            ..Offer::default()
        };
        assert_eq!(at_once(None), 1);
        assert_eq!(at_once(Some(Offer::default())), 1);
        assert_eq!(at_once(Some(offer(3))), 3);
        assert_eq!(at_once(Some(offer(1000))), 64);
    }
}
