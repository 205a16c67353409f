use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::catalogue::Game;
use dragontooth_games::chance::Draws;
use dragontooth_runner_programs::{BotProgram, ProgramLog};
use dragontooth_service_client::{
    Answer, Client, Decision, MatchResignation, MatchView, Reason, TlsFiles, Token,
    random_request_id,
};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, NewMatch, PlayerId, Sequence, Stage, Termination, TimeControl, Title,
};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::bot_under_test::{BotUnderTest, ExaminedBot};
use super::context::Context;
use super::events::{action_of, next_events};
use super::failure::Failure;
use super::protocol_violation::{last_words, protocol_violation};
use super::proxy::{FaultInjection, Proxy, Traffic};
use crate::{Line, pick};

/// Time limit of the kit's own actions.
const OWN_LIMIT: Duration = Duration::from_secs(30);

/// The matches of one check: the bot with its own token behind its own proxy, and an opponent played by the
/// kit.
#[derive(Debug)]
pub(super) struct ScenarioMatch<'g> {
    pub(super) context: &'g Context,
    pub(super) game: &'static Game,
    pub(super) proxy: Proxy,
    /// The opponent.
    pub(super) opponent: Client,
    opponent_id: PlayerId,
    /// Acts for the bot where the check wants it, past the proxy.
    pub(super) bot: Client,
    bot_id: PlayerId,
    token: Token,
    running: Option<BotUnderTest>,
    log: ProgramLog,
    title: Title,
    /// Source of the opponent's random actions.
    draws: Draws,
    /// The number of each match, from 1.
    numbers: HashMap<MatchId, u32>,
    /// The decisions that the kit has looked at, for the story.
    seen: Vec<Decision>,
    /// The event of each match up to which the bot's actions have been counted.
    counted: HashMap<MatchId, Sequence>,
    /// The refusals that the check itself brings about.
    pub(super) pardoned: Vec<Reason>,
    /// True if the bot may answer a decision more than once.
    pub(super) may_repeat: bool,
}

/// A match to be created.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) variant: &'static str,
    pub(super) target: u32,
    pub(super) seed: String,
    /// The seat of the bot.
    pub(super) seat: Seat,
    /// The clock of the bot.
    pub(super) time_control: Option<TimeControl>,
}

impl<'g> ScenarioMatch<'g> {
    pub(super) async fn new(
        context: &'g Context,
        game: &'static Game,
        check: &str,
    ) -> Result<Self, Failure> {
        let token = Token::random();
        let (bot, bot_id) = context.service.client(&token).await.map_err(Failure::kit)?;
        let opponent = context.service.client(&Token::random()).await;
        let (opponent, opponent_id) = opponent.map_err(Failure::kit)?;
        let proxy = Proxy::before(context.service.address()).await;
        Ok(Self {
            context,
            game,
            proxy: proxy.map_err(Failure::kit)?,
            opponent,
            opponent_id,
            bot,
            bot_id,
            token,
            running: None,
            log: ProgramLog::at(context.logs.join(format!("{}-{check}.log", game.name))),
            title: format!("conformance/{}/{check}", game.name)
                .parse()
                .expect("a game and a check are a title"),
            draws: Draws::from_text(check),
            numbers: HashMap::new(),
            seen: Vec::new(),
            counted: HashMap::new(),
            pardoned: Vec::new(),
            may_repeat: false,
        })
    }

    /// Starts the bot and waits for its first word to the service.
    pub(super) async fn start(&mut self) -> Result<(), Failure> {
        let server = self.proxy.address();
        let from = self.proxy.log().len();
        self.proxy.begin_process();
        let running = match &self.context.candidate {
            ExaminedBot::Builtin(spec) => {
                let server = server.parse().map_err(Failure::kit)?;
                BotUnderTest::builtin(spec, &server, &self.token)?
            }
            ExaminedBot::Program(command) => {
                let program = BotProgram {
                    draw_secret: None,
                    bot: self.context.bot.clone(),
                    command: command.clone(),
                    server,
                    insecure_no_tls: false,
                    tls: TlsFiles::default(),
                    token: self.token.clone(),
                    log: self.log.clone(),
                };
                BotUnderTest::program(&program).await?
            }
        };
        self.running = Some(running);
        let limit = self.context.patience.start;
        self.back(from, limit, "connect").await
    }

    /// Waits until the bot has a word with the service, after place `from` of the log.
    pub(super) async fn back(
        &mut self,
        from: usize,
        limit: Duration,
        what: &str,
    ) -> Result<(), Failure> {
        let log = self.proxy.log();
        let word = log.find(from, |all| {
            let is_word =
                |heard: &&Traffic| matches!(heard, Traffic::StreamOpened | Traffic::Called);
            all.iter().find(is_word).map(|_| ())
        });
        let Some(running) = &mut self.running else {
            return Err(Failure::kit("the bot was not started"));
        };
        tokio::select! {
            () = word => Ok(()),
            end = running.ended() => Err(Failure::bot(format!("its program ended: {end}"))),
            () = tokio::time::sleep(limit) => Err(Failure::bot(format!(
                "it did not {what} within {} s",
                limit.as_secs()
            ))),
        }
    }

    /// Returns true if the bot plays by calls, without a stream.
    pub(super) fn plays_by_calls(&self) -> bool {
        self.proxy
            .log()
            .look(|all| !all.contains(&Traffic::StreamOpened))
    }

    /// Creates a match with both seats kept.
    pub(super) async fn create(&mut self, setup: &Setup) -> Result<MatchId, Failure> {
        let mut reserved = [Some(self.opponent_id); 2];
        reserved[setup.seat.index()] = Some(self.bot_id);
        // The kit has no clock: on a busy machine it would lose on time, and end the check.
        let mut time_controls = [None; 2];
        time_controls[setup.seat.index()] = setup.time_control;
        let new = NewMatch {
            variant: Some(setup.variant.to_owned()),
            time_controls,
            seed: Some(setup.seed.parse().expect("the kit's seeds are short")),
            title: self.title.clone(),
            reserved,
            ..NewMatch::new(self.game.name, setup.target)
        };
        let id = self.context.runner.create_match(new).await?.id;
        let number = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        self.numbers.insert(id, number);
        Ok(id)
    }

    /// Plays a line on a new match, for both seats, up to the situation in its end.
    pub(super) async fn lead(&mut self, line: &Line) -> Result<MatchId, Failure> {
        let setup = Setup {
            variant: line.variant,
            target: line.target,
            seed: line.seed.clone(),
            seat: line.bot,
            time_control: None,
        };
        let id = self.create(&setup).await?;
        self.bot
            .join_match(id, Some(line.bot), self.context.bot.as_str(), None)
            .await?;
        let joined = self.join(id).await?;
        let mut view = joined;
        for action in &line.actions {
            let (Some(seat), Some(decision_id)) = (view.to_act, view.decision_id) else {
                return Err(Failure::kit("the line is longer than its match"));
            };
            let player = if seat == line.bot {
                &self.bot
            } else {
                &self.opponent
            };
            let answer = Answer {
                match_id: id,
                decision_id,
                action: action.clone(),
                request_id: None,
                thinking: None,
            };
            view = player.submit_action(answer).await?.view;
        }
        if view.position.as_deref() != Some(line.position.as_str()) {
            return Err(Failure::kit(format!(
                "the line leads to {} and not to {}",
                view.position.as_deref().unwrap_or("no position"),
                line.position
            )));
        }
        self.counted.insert(id, view.head_sequence);
        Ok(id)
    }

    /// Takes the opponent's seat.
    pub(super) async fn join(&self, id: MatchId) -> Result<MatchView, Failure> {
        let joined = self.opponent.join_match(id, None, "kit", None).await?;
        Ok(joined.view)
    }

    /// Returns true if the bot is restarted for each match, and plays one at a time.
    pub(super) fn plays_one_at_a_time(&self) -> bool {
        match &self.context.candidate {
            ExaminedBot::Program(command) => command.restart,
            ExaminedBot::Builtin(_) => false,
        }
    }

    /// Creates a match, waits until the bot has taken its seat, and takes the other one.
    pub(super) async fn invite(&mut self, setup: &Setup) -> Result<MatchId, Failure> {
        if self.plays_one_at_a_time() && !self.numbers.is_empty() {
            self.end().await;
            self.start().await?;
        }
        let id = self.create(setup).await?;
        self.seated(id).await?;
        self.join(id).await?;
        Ok(id)
    }

    /// Waits until the bot has taken the seat that is kept for it.
    pub(super) async fn seated(&mut self, id: MatchId) -> Result<(), Failure> {
        let runner = self.context.runner.clone();
        let bot = self.bot_id;
        let seated = async move {
            let mut after = Sequence(0);
            loop {
                for event in next_events(&runner, id, after).await? {
                    after = event.recorded.sequence;
                    if matches!(event.event(), MatchEvent::SeatJoined { player, .. } if *player == bot)
                    {
                        return Ok(());
                    }
                }
            }
        };
        let what = "it did not take the seat that was kept for it";
        let limit = self.context.patience.start;
        self.while_it_runs(limit, what, seated).await?
    }

    /// The decision that is due; `None` if the match is over.
    pub(super) async fn decision(&mut self, id: MatchId) -> Result<Option<Decision>, Failure> {
        match self.context.runner.get_decision(id).await {
            Ok(decision) => {
                self.seen.push(decision.clone());
                Ok(Some(decision))
            }
            Err(error) if error.reason() == Some(&Reason::MatchEnded) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The decision that is due, which is the bot's.
    pub(super) async fn bots_decision(&mut self, id: MatchId) -> Result<Decision, Failure> {
        let due = self.decision(id).await?;
        let seat = self.seat(id).await?;
        due.filter(|due| due.seat == seat)
            .ok_or_else(|| Failure::kit("it is not the bot's turn"))
    }

    /// The first decision of a seat in a match that the kit has looked at.
    pub(super) fn first_of(&self, id: MatchId, seat: Seat) -> Option<&Decision> {
        let of_seat = |due: &&Decision| due.match_id == id && due.seat == seat;
        self.seen.iter().find(of_seat)
    }

    /// The bot's seat.
    pub(super) async fn seat(&self, id: MatchId) -> Result<Seat, Failure> {
        let view = self.context.runner.get_match(id).await?;
        let seat = view.seat_of(self.bot_id);
        seat.ok_or_else(|| Failure::kit("the bot has no seat"))
    }

    /// Answers a decision for a seat by calls.
    pub(super) async fn submit(
        player: &Client,
        decision: &Decision,
        action: &str,
    ) -> Result<(), Failure> {
        let answer = Answer {
            match_id: decision.match_id,
            decision_id: decision.id,
            action: action.to_owned(),
            request_id: Some(random_request_id()),
            thinking: None,
        };
        match player.submit_action(answer).await {
            // The bot has resigned meanwhile: the next request for a decision shows it.
            Err(error) if error.reason() != Some(&Reason::MatchEnded) => Err(error.into()),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Checks that a match that is over ended by the rules.
    async fn ended_by_rules(&self, id: MatchId) -> Result<Sequence, Failure> {
        let view = self.context.runner.get_match(id).await?;
        match view.outcome {
            Some(outcome) if outcome.termination != Termination::Normal => Err(Failure::bot(
                format!("the match ended before its time: {}", outcome.termination),
            )),
            Some(_) | None => Ok(view.head_sequence),
        }
    }

    /// Any of the legal actions: always the same one at the same point of a match.
    pub(super) fn any(&self, decision: &Decision) -> Result<String, Failure> {
        let number = self.numbers.get(&decision.match_id).copied();
        let mut chance = self.draws.roll(number.unwrap_or_default(), decision.ply);
        pick(&decision.legal_actions, &mut chance)
            .ok_or_else(|| Failure::kit("there is nothing to play"))
    }

    /// Waits for the bot's answer to a decision that it knows or gets to know; gives the action.
    pub(super) async fn answered(&mut self, decision: &Decision) -> Result<String, Failure> {
        let limit = self.context.patience.answer;
        let runner = self.context.runner.clone();
        let (id, after) = (decision.match_id, decision.id.sequence());
        let events = async move { next_events(&runner, id, after).await };
        let answered = self
            .while_it_runs(limit, "it did not answer", events)
            .await
            .map_err(|failure| self.placed(failure, decision))?;
        for event in answered? {
            if let Some(action) = action_of(&event, decision.seat) {
                self.counted.insert(id, event.recorded.sequence);
                return Ok(action.to_owned());
            }
            if let MatchEvent::MatchEnded { outcome, .. } = event.event() {
                let termination = outcome.termination;
                return Err(Failure::at(
                    decision,
                    format!("the match ended instead of an answer: {termination}"),
                ));
            }
        }
        Err(Failure::kit("nothing is known of what was answered"))
    }

    /// Plays on until the bot has made `decisions` answers or the match is over, and returns them. The
    /// opponent plays the actions of `live` first, and then random ones.
    pub(super) async fn play_on(
        &mut self,
        id: MatchId,
        answers: usize,
        live: &[String],
    ) -> Result<Vec<String>, Failure> {
        let seat = self.seat(id).await?;
        let mut live: VecDeque<&String> = live.iter().collect();
        let mut played = Vec::new();
        while let Some(due) = self.decision(id).await? {
            // A quick bot may have decided more than once since the kit has looked.
            self.count(id, seat, due.id.sequence(), &mut played).await?;
            if played.len() >= answers && live.is_empty() {
                return Ok(played);
            }
            if due.seat == seat {
                played.push(self.answered(&due).await?);
            } else {
                let action = match live.pop_front() {
                    Some(action) => action.clone(),
                    None => self.any(&due)?,
                };
                Self::submit(&self.opponent, &due, &action).await?;
            }
        }
        let head = self.ended_by_rules(id).await?;
        self.count(id, seat, head, &mut played).await?;
        Ok(played)
    }

    /// Adds the actions of a seat up to an event that were not counted before.
    async fn count(
        &mut self,
        id: MatchId,
        seat: Seat,
        until: Sequence,
        played: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let mut counted = self.counted.get(&id).copied();
        while counted.is_none_or(|counted| counted < until) {
            let after = counted.unwrap_or(Sequence(0));
            for event in next_events(&self.context.runner, id, after).await? {
                counted = Some(event.recorded.sequence);
                if event.recorded.sequence <= until {
                    played.extend(action_of(&event, seat).map(str::to_owned));
                }
            }
            counted = counted.map(|counted| counted.min(until));
        }
        self.counted.extend(counted.map(|counted| (id, counted)));
        Ok(())
    }

    /// The opponent plays until it is the bot's turn; gives its decision, none if the match is over.
    pub(super) async fn turn_of_bot(&mut self, id: MatchId) -> Result<Option<Decision>, Failure> {
        let seat = self.seat(id).await?;
        loop {
            match self.decision(id).await? {
                Some(due) if due.seat != seat => {
                    let action = self.any(&due)?;
                    Self::submit(&self.opponent, &due, &action).await?;
                }
                Some(due) => return Ok(Some(due)),
                None => return self.ended_by_rules(id).await.map(|_| None),
            }
        }
    }

    /// Awaits `future`, unless the bot exits or violates the protocol first, or `limit` passes.
    pub(super) async fn while_it_runs<T>(
        &mut self,
        limit: Duration,
        late: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let Some(running) = &mut self.running else {
            return Err(Failure::kit("the bot was not started"));
        };
        let (pardoned, may_repeat, seen) = (&self.pardoned, self.may_repeat, &self.seen);
        let wrong = self
            .proxy
            .log()
            .find(0, |all| protocol_violation(all, pardoned, may_repeat, seen));
        tokio::select! {
            biased;
            failure = wrong => Err(failure),
            given = future => Ok(given),
            end = running.ended() => Err(Failure::bot(format!("its program ended: {end}"))),
            () = tokio::time::sleep(limit) => Err(Failure::bot(format!(
                "{late} within {} s",
                limit.as_secs_f32()
            ))),
        }
    }

    /// The bot's violation of the protocol, if there is one.
    pub(super) fn protocol_violation(&self) -> Option<Failure> {
        let look =
            |all: &[Traffic]| protocol_violation(all, &self.pardoned, self.may_repeat, &self.seen);
        self.proxy.log().look(look)
    }

    /// Has the bot end; how that went and how long it took.
    pub(super) async fn end(&mut self) -> Option<(String, Duration)> {
        let running = self.running.take()?;
        // A held message would block the bot.
        self.proxy.inject(FaultInjection::Nothing);
        Some(running.end().await)
    }

    /// The failure with the decision at which it occurred, and the bot's last message about it.
    pub(super) fn placed(&self, failure: Failure, decision: &Decision) -> Failure {
        let Failure::Bot { seen, scene: None } = failure else {
            return failure;
        };
        let mut placed = Failure::at(decision, seen);
        if let Failure::Bot {
            scene: Some(scene), ..
        } = &mut placed
        {
            let look = |all: &[Traffic]| last_words(all, decision.match_id, decision.id, scene);
            self.proxy.log().look(look);
        }
        placed
    }

    /// The last lines that the bot's program, which has ended, wrote.
    pub(super) async fn wrote(&self) -> Vec<String> {
        let log = self.log.clone();
        let lines = spawn_blocking(move || {
            // All of it has to arrive in the file first.
            log.settle(0);
            log.tail().unwrap_or_default()
        });
        lines.await.unwrap_or_default()
    }

    /// The opponent resigns the match when it is its turn, unless the match is over.
    pub(super) async fn give_up(&mut self, id: MatchId) -> Result<(), Failure> {
        let seat = self.seat(id).await?;
        while let Some(due) = self.decision(id).await? {
            if due.seat == seat {
                self.answered(&due).await?;
            } else {
                let resignation = MatchResignation::by_choice(id);
                self.opponent.resign_match(resignation).await?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns true if the match is over.
    pub(super) async fn is_over(&self, id: MatchId) -> Result<bool, Failure> {
        let view = self.context.runner.get_match(id).await?;
        Ok(view.state == Stage::Ended)
    }

    /// Waits for something that the kit itself has brought about.
    pub(super) async fn surely<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let waited = timeout(OWN_LIMIT, future).await;
        waited.map_err(|_| Failure::kit("what the kit waits for does not come"))
    }
}
