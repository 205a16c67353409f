use std::sync::Arc;
use std::time::Duration;

use dragontooth_runner_live::{EventPage, MatchFeed};
use dragontooth_runner_report::contender_label;
use dragontooth_runner_tournament::{Event, Leg};
use dragontooth_service_client::{Client, MatchFilter, MatchView};
use dragontooth_service_vocabulary::{NewMatch, PlayerId, SharedSeed, TimeControl, Title};
use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use super::RunLimits;
use super::arena_presence::{ArenaPlayer, PresentPlayers};
use super::outage::Outage;
use super::players::Player;
use super::seated_match::SeatedMatch;
use super::turns::Turns;
use super::watched_match::WatchError;
use crate::adjudicator::EarlyEnd;
use crate::openings::Opening;
use crate::record::{Played, RunDraws, ServiceKind};

/// The pages of a player's matches in which one of an earlier process is sought.
const MAX_PAGES: usize = 20;

/// The attempts at a match that other matches on the service may have taken: those after which the folder of the arena
/// was restored from a backup. Each time takes one.
pub(crate) const MAX_TAKEN: u32 = 100;

/// The setting that the encounters of an arena share.
pub(super) struct ArenaSetting {
    pub(super) client: Client,
    pub(super) outage: Outage,
    pub(super) event: Event,
    pub(super) time_control: Option<TimeControl>,
    pub(super) limits: RunLimits,
    pub(super) draws: RunDraws,
    /// The id of the arena, from which those of its matches follow.
    pub(super) id: String,
    /// The arena's own player.
    pub(super) own: PlayerId,
    pub(super) present: watch::Receiver<PresentPlayers>,
    /// Where the matches are shown, if anywhere.
    pub(super) page: Option<EventPage>,
    pub(super) results: mpsc::UnboundedSender<LegPlayed>,
}

/// A match of an encounter that is over.
pub(super) struct LegPlayed {
    pub(super) encounter: u64,
    pub(super) leg: Leg,
    pub(super) played: Played,
}

/// An encounter to be played.
pub(super) struct Encounter {
    pub(super) number: u64,
    /// The players of the first leg, by seat.
    pub(super) players: [ArenaPlayer; 2],
    pub(super) legs: Vec<Leg>,
    /// None for the usual start.
    pub(super) opening: Option<Opening>,
}

impl Encounter {
    /// Plays the missing matches, one after the other, as long as both players are present with the same build.
    pub(super) async fn play(self, setting: Arc<ArenaSetting>) -> Result<(), WatchError> {
        for leg in &self.legs {
            if !self.are_present(&setting) {
                break;
            }
            self.play_leg(&setting, *leg).await?;
        }
        Ok(())
    }

    /// Follows the matches to their end that an earlier process has created, and creates none.
    pub(super) async fn settle(self, setting: Arc<ArenaSetting>) -> Result<(), WatchError> {
        for leg in &self.legs {
            let title = self.title(&setting, *leg);
            let players = self.seated(*leg);
            let turns = Turns::take(players).await;
            let Some(view) = setting.find(&title, players).await? else {
                continue;
            };
            let Some(replays) = setting.attempt_of(&view, self.number, *leg) else {
                continue;
            };
            let played = setting
                .seated(players, &title)
                .follow(&view, Vec::new(), None)
                .await;
            turns.end(&played);
            let played = Played { replays, ..played? };
            if !played.is_void() || !played.faults.is_empty() {
                setting.tell(&self, *leg, played);
            }
        }
        Ok(())
    }

    fn are_present(&self, setting: &ArenaSetting) -> bool {
        let present = setting.present.borrow();
        self.players.iter().all(|one| {
            let now = present.get(&one.player.id);
            now.is_some_and(|now| now.contender == one.contender)
        })
    }

    async fn play_leg(&self, setting: &ArenaSetting, leg: Leg) -> Result<(), WatchError> {
        let turns = Turns::take(self.seated(leg)).await;
        let played = self.follow_leg(setting, leg, &turns).await;
        turns.end(&played);
        setting.tell(self, leg, played?);
        Ok(())
    }

    /// Plays a match, again if the infrastructure has spoilt it. An attempt of which the service has another match is passed
    /// over, and with it its seed, which may be known.
    async fn follow_leg(
        &self,
        setting: &ArenaSetting,
        leg: Leg,
        turns: &Turns,
    ) -> Result<Played, WatchError> {
        let players = self.seated(leg);
        let (mut replays, mut spoilt) = (0, 0);
        loop {
            let seed = setting
                .draws
                .seed_in_arena(setting.event.name(), self.number, leg, replays);
            let new = self.new_match(setting, leg, replays, seed.shared());
            let feed = setting.page.as_ref().map(|page| self.show_on(page, leg));
            let seated = setting.seated(players, &self.title(setting, leg));
            let played = seated.play(new, Vec::new(), feed).await;
            let is_spoilt = match &played {
                Ok(played) => played.is_void() && played.faults.is_empty(),
                Err(error) => error.is_infrastructure(),
            };
            if matches!(&played, Err(error) if error.is_taken()) && replays - spoilt < MAX_TAKEN {
                replays += 1;
                continue;
            }
            if is_spoilt && spoilt < setting.limits.max_replays {
                replays += 1;
                spoilt += 1;
                turns.renew().await;
                continue;
            }
            let mut played = Played { replays, ..played? };
            played.gameplay.seed_commitment = Some(seed.commitment());
            played.gameplay.opening.clone_from(&self.opening);
            return Ok(played);
        }
    }

    fn seated(&self, leg: Leg) -> [&Player; 2] {
        let [first, second] = self.players.each_ref().map(|one| &one.player);
        match leg {
            Leg::One => [first, second],
            Leg::Two => [second, first],
        }
    }

    fn show_on(&self, page: &EventPage, leg: Leg) -> MatchFeed {
        let labels = self.players.each_ref();
        let mut labels = labels.map(|one| contender_label(&one.contender, &one.name));
        if leg == Leg::Two {
            labels.swap(0, 1);
        }
        let slot = format!("e{}/m{}", self.number, leg.number());
        page.started_in_arena(self.number, slot, labels)
    }

    fn title(&self, setting: &ArenaSetting, leg: Leg) -> String {
        format!(
            "{}/e{}/m{}",
            setting.event.name(),
            self.number,
            leg.number()
        )
    }

    fn new_match(
        &self,
        setting: &ArenaSetting,
        leg: Leg,
        replays: u32,
        seed: SharedSeed,
    ) -> NewMatch {
        let title = self.title(setting, leg);
        let text = format!("{} {title} {replays}", setting.id);
        let request_id = Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()).to_string();
        NewMatch {
            variant: Some(setting.event.rules().variant().to_owned()),
            time_controls: [setting.time_control; 2],
            seed: Some(seed),
            title: title
                .parse::<Title>()
                .expect("a name and numbers are a title"),
            reserved: self.seated(leg).map(|player| Some(player.id)),
            join_timeout: Some(setting.limits.join + JOIN_MARGIN),
            request_id: Some(request_id.parse().expect("a UUID is a request id")),
            opening: (self.opening.as_ref())
                .map_or_else(Vec::new, |opening| opening.entries.clone()),
            illegal_action_limit: setting.limits.illegal_actions,
            ..NewMatch::new(setting.event.rules().game(), setting.event.rules().target())
        }
    }
}

/// The service gives up a match with a free seat this much later than the arena does: for an arena that is away.
const JOIN_MARGIN: Duration = Duration::from_mins(1);

impl ArenaSetting {
    fn seated<'a>(&'a self, players: [&'a Player; 2], title: &str) -> SeatedMatch<'a> {
        SeatedMatch {
            client: &self.client,
            outage: &self.outage,
            players,
            limits: self.limits,
            early_end: EarlyEnd::of(&self.event, title),
            service: ServiceKind::Remote,
        }
    }

    fn tell(&self, encounter: &Encounter, leg: Leg, played: Played) {
        // Without a receiver the arena is ending, and the next process finds the match.
        let _ = self.results.send(LegPlayed {
            encounter: encounter.number,
            leg,
            played,
        });
    }

    /// The number of earlier attempts at a match of the arena, by its seed; `None` if it is of another arena.
    fn attempt_of(&self, view: &MatchView, encounter: u64, leg: Leg) -> Option<u32> {
        let seed = |replays: &u32| {
            let name = self.event.name();
            self.draws.seed_in_arena(name, encounter, leg, *replays)
        };
        let most = self.limits.max_replays.saturating_add(MAX_TAKEN);
        (0..=most).find(|replays| seed(replays).commitment_text() == view.seed_commitment)
    }

    /// The newest match of the arena with this title and these players by seat, one of whom may be left out.
    async fn find(
        &self,
        title: &str,
        players: [&Player; 2],
    ) -> Result<Option<MatchView>, WatchError> {
        let mut page = None;
        let is_theirs = |view: &MatchView| {
            let mut seats = view.seats.iter().zip(players);
            seats.all(|(seat, player)| seat.player.is_none_or(|there| there == player.id))
        };
        for _ in 0..MAX_PAGES {
            let filter = MatchFilter {
                game: Some(self.event.rules().game().to_owned()),
                player: Some(players[0].id),
                ..MatchFilter::default()
            };
            let list = || self.client.list_matches(filter.clone(), page.clone());
            let listed = self.outage.retry(&self.client, list).await?;
            let mut views = listed.items.into_iter();
            let found = views.find(|view| {
                view.title == title && view.creator == Some(self.own) && is_theirs(view)
            });
            if found.is_some() {
                return Ok(found);
            }
            page = listed.next;
            if page.is_none() {
                break;
            }
        }
        Ok(None)
    }
}
