//! An arena of 40 simulated players of known strength that join, leave, crash and change their builds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{
    ArenaEntry, ArenaRules, ArenaState, Contender, LegResult, PresentContender, Proposal,
    RECENT_ENCOUNTERS,
};
use dragontooth_runner_tournament::statistics::score_of_elo;
use dragontooth_runner_tournament::{Ending, Fault, FaultKind, Leg, Name};
use dragontooth_service_vocabulary::{BuildText, PlayerId, Termination};

const PLAYERS: u64 = 40;
const MATCHES: u64 = 20_000;
const AT_ONCE: usize = 8;
/// Encounters that may begin while a player waits: it is overdue after twice as many as contenders are present, and
/// then each of the others goes first once at most.
const MOST_WAITED: u64 = 3 * (PLAYERS + 2);

/// A generator of numbers for the simulation.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn happens(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }

    fn elo(&mut self, spread: u64) -> f64 {
        f64::from(u32::try_from(self.below(2 * spread)).unwrap())
            - f64::from(u32::try_from(spread).unwrap())
    }
}

struct Player {
    id: PlayerId,
    builds: u64,
    elo: f64,
    crashes: bool,
    is_present: bool,
    /// The encounters that had begun when it began to wait; `None` if it does not.
    waits_since: Option<u64>,
}

impl Player {
    fn contender(&self) -> Contender {
        Contender::Build {
            player: self.id,
            build: BuildText::new(&format!("v{}", self.builds)).unwrap(),
        }
    }
}

struct Simulation {
    draws: Draws,
    state: ArenaState,
    journal: Vec<ArenaEntry>,
    players: Vec<Player>,
    truth: HashMap<Contender, f64>,
    crashing: Vec<Contender>,
    /// The encounters that are played, and the rounds that their next leg takes.
    running: BTreeMap<u64, u64>,
    /// The opponents of each player so far, for the check of the cap.
    opponents: HashMap<String, Vec<String>>,
    most_waited: u64,
    parked: BTreeSet<String>,
}

fn rules(seed: u64) -> ArenaRules {
    ArenaRules {
        seed,
        anchors: vec![
            (Name::new("low").unwrap(), -200.0),
            (Name::new("high").unwrap(), 300.0),
        ],
        pair_cap: 5,
        park_after: 4,
    }
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut draws = Draws(seed);
        let mut truth = HashMap::new();
        let players = (0..PLAYERS).map(|number| {
            let player = Player {
                id: format!("{number:032x}").parse().unwrap(),
                builds: 1,
                elo: draws.elo(500),
                crashes: false,
                is_present: draws.happens(700),
                waits_since: None,
            };
            truth.insert(player.contender(), player.elo);
            player
        });
        let players = players.collect();
        let state = ArenaState::new(rules(seed));
        for (name, elo) in &state.rules().anchors {
            truth.insert(Contender::Anchor(name.clone()), *elo);
        }
        Self {
            draws,
            state,
            journal: Vec::new(),
            players,
            truth,
            crashing: Vec::new(),
            running: BTreeMap::new(),
            opponents: HashMap::new(),
            most_waited: 0,
            parked: BTreeSet::new(),
        }
    }

    fn run(mut self) -> Self {
        while self.state.counts().matches < MATCHES {
            self.change_players();
            self.begin_encounters();
            self.end_matches();
        }
        self
    }

    fn change_players(&mut self) {
        for player in &mut self.players {
            if self.draws.happens(if player.is_present { 5 } else { 20 }) {
                player.is_present = !player.is_present;
                player.waits_since = None;
            }
            let parked = self.state.parked(&player.contender());
            if let Some(reason) = &parked {
                self.parked.insert(reason.clone());
            }
            let is_tired = parked.is_some() && self.draws.happens(100);
            if is_tired || self.draws.happens(2) {
                player.builds += 1;
                player.elo += self.draws.elo(60);
                player.crashes = self.draws.happens(100);
                let contender = player.contender();
                if player.crashes {
                    self.crashing.push(contender.clone());
                }
                self.truth.insert(contender, player.elo);
            }
        }
    }

    fn is_busy(&self, contender: &Contender) -> bool {
        self.running.keys().any(|encounter| {
            let (contenders, _) = self.state.missing_legs(*encounter).unwrap();
            contenders.iter().any(|one| one.is_same_player(contender))
        })
    }

    fn present(&self) -> Vec<PresentContender> {
        let anchors = self.state.rules().anchors.iter();
        let anchors = anchors.map(|(name, _)| Contender::Anchor(name.clone()));
        let players = self.players.iter().filter(|player| player.is_present);
        anchors
            .chain(players.map(Player::contender))
            .map(|contender| PresentContender {
                free: u32::from(!self.is_busy(&contender)),
                contender,
            })
            .collect()
    }

    fn begin_encounters(&mut self) {
        let present = self.present();
        let running: BTreeSet<u64> = self.running.keys().copied().collect();
        let most = AT_ONCE - running.len();
        let proposals = self.state.pair(&present, &running, most);
        assert!(proposals.len() <= most);
        let again = self.state.pair(&present, &running, most);
        assert_eq!(proposals, again, "the same journal, presence and seed");
        let able = present.iter();
        let able = able
            .filter(|one| self.state.parked(&one.contender).is_none())
            .count();
        let cap = 5_usize.max(RECENT_ENCOUNTERS.div_ceil(able.saturating_sub(1).max(1)));
        for proposal in proposals {
            let encounter = match proposal {
                Proposal::Resume(encounter) => encounter,
                Proposal::Begin(contenders) => {
                    self.check_cap(&contenders, cap);
                    let encounter = self.state.counts().encounters + 1;
                    self.enter(ArenaEntry::Paired {
                        encounter,
                        contenders,
                        names: [String::new(), String::new()],
                    });
                    encounter
                }
            };
            let rounds = self.draws.below(3);
            self.running.insert(encounter, rounds);
        }
        for at in 0..self.players.len() {
            let contender = self.players[at].contender();
            let waits = self.players[at].is_present
                && self.state.parked(&contender).is_none()
                && !self.is_busy(&contender);
            let now = self.state.counts().encounters;
            let since = self.players[at].waits_since.unwrap_or(now);
            self.players[at].waits_since = waits.then_some(since);
            if waits {
                self.most_waited = self.most_waited.max(now - since);
            }
        }
    }

    /// The two have met less often than the cap among the last encounters of one of them.
    fn check_cap(&mut self, contenders: &[Contender; 2], cap: usize) {
        let names = contenders.each_ref().map(|contender| match contender {
            Contender::Anchor(name) => name.to_string(),
            Contender::Build { player, .. } => player.to_string(),
        });
        assert_ne!(names[0], names[1]);
        let met = |of: usize| {
            let all = self.opponents.get(&names[of]);
            let recent = all.into_iter().flatten().rev().take(RECENT_ENCOUNTERS - 1);
            recent.filter(|name| **name == names[1 - of]).count()
        };
        assert!(
            met(0).min(met(1)) < cap,
            "{names:?} met {} and {} times",
            met(0),
            met(1)
        );
        for of in 0..2 {
            let opponent = names[1 - of].clone();
            self.opponents
                .entry(names[of].clone())
                .or_default()
                .push(opponent);
        }
    }

    fn end_matches(&mut self) {
        let running: Vec<u64> = self.running.keys().copied().collect();
        for encounter in running {
            // It is given up if one of them has been paired with another build.
            let Some((contenders, legs)) = self.state.missing_legs(encounter) else {
                self.running.remove(&encounter);
                continue;
            };
            let contenders = contenders.map(Clone::clone);
            let rounds = self.running[&encounter];
            if rounds > 0 {
                self.running.insert(encounter, rounds - 1);
                continue;
            }
            let leg = legs[0];
            let result = self.play(&contenders, leg);
            self.enter(ArenaEntry::Ended {
                encounter,
                leg,
                result,
            });
            let stays = |contender: &Contender| match contender {
                Contender::Anchor(_) => true,
                Contender::Build { .. } => {
                    let mut players = self.players.iter();
                    players.any(|player| player.is_present && player.contender() == *contender)
                }
            };
            if leg == Leg::Two || legs.len() == 1 || !contenders.iter().all(stays) {
                self.running.remove(&encounter);
            }
        }
    }

    fn play(&mut self, contenders: &[Contender; 2], leg: Leg) -> LegResult {
        let mut seated = contenders.each_ref();
        if leg == Leg::Two {
            seated.swap(0, 1);
        }
        let result = |winner, termination, faults| LegResult {
            winner,
            termination: Ending::By(termination),
            moves: None,
            faults,
        };
        if self.draws.happens(10) {
            return result(None, Termination::Aborted, Vec::new());
        }
        let crashed = Seat::BOTH
            .into_iter()
            .find(|seat| self.crashing.contains(seated[seat.index()]));
        if let Some(seat) = crashed {
            let fault = Fault {
                seat,
                kind: FaultKind::Crash,
                detail: "it has crashed".to_owned(),
            };
            return result(Some(seat.other()), Termination::Resignation, vec![fault]);
        }
        let [first, second] = seated.map(|contender| self.truth[contender]);
        let expected = score_of_elo(first - second);
        let drawn = 0.4 * expected.min(1.0 - expected);
        let lot = f64::from(u32::try_from(self.draws.below(1_000_000)).unwrap()) / 1e6;
        let winner = if lot < expected - drawn / 2.0 {
            Some(Seat::First)
        } else if lot < expected + drawn / 2.0 {
            None
        } else {
            Some(Seat::Second)
        };
        result(winner, Termination::Normal, Vec::new())
    }

    fn enter(&mut self, entry: ArenaEntry) {
        self.state.apply(&entry).unwrap();
        self.journal.push(entry);
    }
}

/// The rows whose interval contains the truth, and the others. Builds that always crash have no true rating, and
/// anchors no interval.
fn covered(simulation: &Simulation) -> [u32; 2] {
    let mut counts = [0, 0];
    for row in simulation.state.ranking().rows {
        let is_anchor = matches!(row.contender, Contender::Anchor(_));
        if is_anchor || simulation.crashing.contains(&row.contender) {
            continue;
        }
        let off = (row.rating.elo - simulation.truth[&row.contender]).abs();
        counts[usize::from(off > row.rating.error())] += 1;
    }
    counts
}

#[test]
fn forty_players_over_twenty_thousand_matches() {
    let times = std::env::var("ARENA_TEST_SIMULATIONS").map_or(1, |times| times.parse().unwrap());
    let mut counts = [0, 0];
    for seed in 1..=times {
        let simulation = Simulation::new(seed).run();
        let [within, outside] = covered(&simulation);
        println!(
            "seed {seed}: {within} of {} ratings within their interval; {:?}; longest wait {} encounters",
            within + outside,
            simulation.state.counts(),
            simulation.most_waited,
        );
        counts = [counts[0] + within, counts[1] + outside];
        assert!(simulation.most_waited <= MOST_WAITED);
        assert!(!simulation.parked.is_empty());
        for reason in &simulation.parked {
            assert!(reason.contains("it has crashed"), "{reason}");
        }
        let mut again = ArenaState::new(rules(seed));
        for entry in &simulation.journal {
            again.apply(entry).unwrap();
        }
        let texts = [&simulation.state, &again].map(|state| format!("{:?}", state.ranking()));
        assert_eq!(texts[0], texts[1]);
    }
    let [within, outside] = counts.map(f64::from);
    // The errors of one simulation have the anchors in common, so its share varies more than that of as many
    // independent ratings.
    let share = within / (within + outside);
    assert!((0.90..0.985).contains(&share), "{share}");
}
