use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_client::{Decision, DecisionId};
use dragontooth_service_vocabulary::MatchId;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use crate::{Bot, Budget, Choice, DecisionPoint, MatchInfo, MatchOverFlag, error_chain};

/// Creates the bot of a match.
pub type BotFactory = dyn Fn(&MatchInfo) -> Result<Box<dyn Bot>, MakeBotError> + Send + Sync;

/// Error of a [`BotFactory`].
pub type MakeBotError = Box<dyn Error + Send + Sync>;

/// A pool of threads on which bots think. Clones share it; the threads start as decisions need them, and end when the
/// last clone is dropped.
///
/// While all threads are busy, a decision waits and its clock runs; one whose match or session is over by then is dropped.
/// A bot that never returns keeps its thread
/// forever, but does not delay the end of the program: the threads are not joined.
///
/// The pool adds about 5 µs of processor time to a decision; the runtime's blocking threads would add 25 µs
/// (64 matches at once, two cores).
#[derive(Clone)]
pub struct ThinkingPool(Arc<Handle>);

/// Closes the queue when the last clone of the pool is dropped.
struct Handle(Arc<Queue>);

/// The decisions that wait for a thread. A decision wakes one thread: with the standard library's channel, whose
/// receivers take turns, it would wake two.
struct Queue {
    tasks: Mutex<Tasks>,
    news: Condvar,
    threads_max: usize,
}

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<Task>,
    /// Number of threads.
    threads: usize,
    /// Number of threads that wait for a decision.
    idle: usize,
    closed: bool,
}

/// A decision for a bot, with the bot.
pub(super) struct Question {
    pub(super) info: Arc<MatchInfo>,
    pub(super) decision: Decision,
    pub(super) seed: u64,
    /// Time by which the choice must be made; `None` means no limit.
    pub(super) until: Option<Instant>,
    /// Time at which the clock runs out; `None` if no clock is running.
    pub(super) deadline: Option<Instant>,
    /// Set when the match is over.
    pub(super) over: MatchOverFlag,
    /// The match's bot; `None` before its first decision.
    pub(super) bot: Option<Box<dyn Bot>>,
}

/// A question with everything needed to answer it.
pub(super) struct Task {
    pub(super) question: Question,
    pub(super) factory: Arc<BotFactory>,
    pub(super) reply: UnboundedSender<ThinkingResult>,
}

/// The outcome of a question.
pub(super) struct ThinkingResult {
    pub(super) match_id: MatchId,
    pub(super) decision_id: DecisionId,
    /// The choice of the bot, or its failure.
    pub(super) result: Result<Choice, String>,
    /// The bot, unless it panicked or could not be made.
    pub(super) bot: Option<Box<dyn Bot>>,
    /// The thoughts of the bot about its choice.
    pub(super) thinking: Option<Thinking>,
}

impl ThinkingPool {
    /// Creates a pool of at most `threads` threads, of which it starts one.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: NonZeroUsize) -> io::Result<Self> {
        let queue = Arc::new(Queue {
            tasks: Mutex::default(),
            news: Condvar::new(),
            threads_max: threads.get(),
        });
        queue.lock().threads = 1;
        start_thread(&queue, 0)?;
        Ok(Self(Arc::new(Handle(queue))))
    }

    /// Creates a pool with a thread for each processor.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn of_the_machine() -> io::Result<Self> {
        Self::new(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }

    pub(super) fn think(&self, task: Task) {
        let Handle(queue) = &*self.0;
        let mut tasks = queue.lock();
        tasks.waiting.push_back(task);
        let number = tasks.threads;
        let is_short = tasks.waiting.len() > tasks.idle && number < queue.threads_max;
        tasks.threads += usize::from(is_short);
        drop(tasks);
        queue.news.notify_one();
        if is_short && let Err(error) = start_thread(queue, number) {
            // The decision waits for one of the others.
            warn!(%error, "cannot start another thread for bots");
            queue.lock().threads -= 1;
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next decision; `None` once the queue is closed.
    fn next(&self) -> Option<Task> {
        let waits = |tasks: &mut Tasks| tasks.waiting.is_empty() && !tasks.closed;
        let mut tasks = self.lock();
        tasks.idle += 1;
        let woken = self.news.wait_while(tasks, waits);
        let mut tasks = woken.unwrap_or_else(PoisonError::into_inner);
        tasks.idle -= 1;
        tasks.waiting.pop_front()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut tasks = self.0.lock();
        tasks.closed = true;
        let waiting = mem::take(&mut tasks.waiting);
        drop(tasks);
        // Bots may take a while to drop.
        drop(waiting);
        self.0.news.notify_all();
    }
}

impl fmt::Debug for ThinkingPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThinkingPool").finish_non_exhaustive()
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("decision", &self.decision)
            .field("seed", &self.seed)
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

fn start_thread(queue: &Arc<Queue>, number: usize) -> io::Result<()> {
    let queue = Arc::clone(queue);
    let thread = thread::Builder::new().name(format!("thinking-{number}"));
    thread.spawn(move || work(&queue)).map(drop)
}

fn work(queue: &Queue) {
    while let Some(task) = queue.next() {
        let Task {
            question,
            factory,
            reply,
        } = task;
        if question.over.end().is_some() || reply.is_closed() {
            continue;
        }
        let (match_id, decision_id) = (question.decision.match_id, question.decision.id);
        let chosen = catch_unwind(AssertUnwindSafe(|| choose(question, &*factory)));
        let (result, bot, thinking) = chosen.unwrap_or_else(|_| failed("the bot panicked".into()));
        // The session may have ended.
        let _ = reply.send(ThinkingResult {
            match_id,
            decision_id,
            result,
            bot,
            thinking,
        });
    }
}

/// A choice or a failure, with the bot and its thoughts.
type Chosen = (
    Result<Choice, String>,
    Option<Box<dyn Bot>>,
    Option<Thinking>,
);

/// The failure of a bot that is not there any more.
fn failed(failure: String) -> Chosen {
    (Err(failure), None, None)
}

fn choose(question: Question, factory: &BotFactory) -> Chosen {
    let made = question.bot.map_or_else(|| factory(&question.info), Ok);
    let mut bot = match made {
        Ok(bot) => bot,
        Err(error) => return failed(error_chain(&*error)),
    };
    let budget = Budget {
        time: question
            .until
            .map(|until| until.saturating_duration_since(Instant::now())),
        seed: question.seed,
    };
    let decision = &question.decision;
    let point = DecisionPoint {
        decision: decision.id.sequence().0,
        game_number: decision.game_number,
        ply: decision.ply,
        position: &decision.position,
        score: Seat::BOTH.map(|seat| decision.score.of(seat)),
        roll: decision.roll.as_deref(),
        clocks: decision.clocks,
        deadline: question.deadline,
        since: &decision.since,
        over: &question.over,
    };
    let choice = bot.decide(&point, &budget);
    let thinking = choice.is_ok().then(|| bot.take_thinking()).flatten();
    let result = choice.map_err(|error| error_chain(&error));
    (result, Some(bot), thinking)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use dragontooth_games::match_play::Score;
    use dragontooth_service_vocabulary::{History, Sequence};
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::{BotError, MatchEnd};

    /// Answers with the question and the number of questions so far.
    struct Echo(u32);

    impl Bot for Echo {
        fn choose(&mut self, position: &str, budget: &Budget) -> Result<String, BotError> {
            match position {
                "panic" => panic!("on purpose"),
                "nothing" => Err(BotError::NothingToDecide(position.to_owned())),
                _ => {
                    self.0 += 1;
                    let timed = budget.time.is_some();
                    Ok(format!("{position} {} {} {timed}", self.0, budget.seed))
                }
            }
        }
    }

    async fn ask(
        pool: &ThinkingPool,
        factory: Arc<BotFactory>,
        position: &str,
        bot: Option<Box<dyn Bot>>,
    ) -> (Result<Choice, String>, Option<Box<dyn Bot>>) {
        let (reply, mut thoughts) = unbounded_channel();
        pool.think(Task {
            question: question(position, bot),
            factory,
            reply,
        });
        let thought = thoughts.recv().await.unwrap();
        (thought.result, thought.bot)
    }

    fn question(position: &str, bot: Option<Box<dyn Bot>>) -> Question {
        let match_id: MatchId = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap();
        let info = MatchInfo {
            id: match_id.to_string(),
            title: String::new(),
            game: "kamisado".to_owned(),
            variant: "standard".to_owned(),
            target: 1,
            seat: Seat::First,
            time_controls: [None; 2],
        };
        let decision = Decision {
            match_id,
            id: DecisionId::after(Sequence(4)),
            seat: Seat::First,
            game_number: 1,
            ply: 0,
            position: position.to_owned(),
            legal_actions: Vec::new(),
            offers: Vec::new(),
            roll: None,
            score: Score::default(),
            clocks: None,
            deadline: None,
            illegal_actions_left: None,
            since: History::default(),
        };
        Question {
            info: Arc::new(info),
            decision,
            seed: 9,
            until: Some(Instant::now() + Duration::from_secs(1)),
            deadline: None,
            over: MatchOverFlag::default(),
            bot,
        }
    }

    fn one_thread() -> ThinkingPool {
        ThinkingPool::new(NonZeroUsize::MIN).unwrap()
    }

    #[tokio::test]
    async fn a_bot_is_made_once_and_remembers() {
        let pool = one_thread();
        let factory: Arc<BotFactory> = Arc::new(|_| Ok(Box::new(Echo(0))));
        let (action, bot) = ask(&pool, Arc::clone(&factory), "p", None).await;
        assert_eq!(action, Ok(Choice::Action("p 1 9 true".to_owned())));
        let (action, _) = ask(&pool, factory, "q", bot).await;
        assert_eq!(action, Ok(Choice::Action("q 2 9 true".to_owned())));
    }

    /// An engine of 1,024 matches has as many places, of which a session may use one.
    #[test]
    fn threads_start_as_decisions_need_them() {
        let pool = ThinkingPool::new(NonZeroUsize::new(3).unwrap()).unwrap();
        let threads = || pool.0.0.lock().threads;
        assert_eq!(threads(), 1);
        let (busy, is_busy) = channel();
        let (release, released) = channel::<()>();
        let released = Mutex::new(released);
        let blocked: Arc<BotFactory> = Arc::new(move |_| {
            let _ = busy.send(());
            let _ = released.lock().unwrap().recv();
            Ok(Box::new(Echo(0)))
        });
        let (reply, _thoughts) = unbounded_channel();
        while pool.0.0.lock().idle == 0 {
            thread::yield_now();
        }
        for needed in [1, 2, 3, 3] {
            pool.think(Task {
                question: question("p", None),
                factory: Arc::clone(&blocked),
                reply: reply.clone(),
            });
            assert_eq!(threads(), needed);
            if needed < 3 {
                is_busy.recv().unwrap();
            }
        }
        drop(release);
    }

    #[tokio::test]
    async fn a_failure_is_reported_and_the_thread_survives() {
        let pool = one_thread();
        let factory: Arc<BotFactory> = Arc::new(|_| Ok(Box::new(Echo(0))));
        for (position, expected, is_left) in [
            ("panic", "panicked", false),
            ("nothing", "nothing to decide", true),
        ] {
            let (result, bot) = ask(&pool, Arc::clone(&factory), position, None).await;
            let error = result.unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(bot.is_some(), is_left);
        }
        let none: Arc<BotFactory> = Arc::new(|info| Err(format!("no {}", info.game).into()));
        let (result, _) = ask(&pool, none, "p", None).await;
        assert_eq!(result.unwrap_err(), "no kamisado");
        assert!(ask(&pool, factory, "p", None).await.0.is_ok());
    }

    #[tokio::test]
    async fn nobody_thinks_about_what_is_over() {
        let pool = one_thread();
        let made = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&made);
        let factory: Arc<BotFactory> = Arc::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Echo(0)))
        });
        let (reply, thoughts) = unbounded_channel();
        let over = question("p", None);
        over.over.set(MatchEnd {
            winner: None,
            termination: String::new(),
            score: [0; 2],
            since: History::default(),
        });
        let (closed, _) = unbounded_channel();
        for (question, reply) in [(over, reply), (question("p", None), closed)] {
            let factory = Arc::clone(&factory);
            pool.think(Task {
                question,
                factory,
                reply,
            });
        }
        assert!(ask(&pool, factory, "p", None).await.0.is_ok());
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert!(thoughts.is_empty());
    }

    #[test]
    fn what_waits_is_dropped_with_the_pool() {
        let pool = one_thread();
        let (busy, is_busy) = channel();
        let (release, released) = channel::<()>();
        let released = Mutex::new(released);
        let blocked: Arc<BotFactory> = Arc::new(move |_| {
            busy.send(()).unwrap();
            let _ = released.lock().unwrap().recv();
            Ok(Box::new(Echo(0)))
        });
        let (held, is_dropped) = channel::<()>();
        let waiting: Arc<BotFactory> = Arc::new(move |_| {
            held.send(()).unwrap();
            Ok(Box::new(Echo(0)))
        });
        let (reply, _thoughts) = unbounded_channel();
        let think = |factory| {
            pool.think(Task {
                question: question("p", None),
                factory,
                reply: reply.clone(),
            });
        };
        think(blocked);
        is_busy.recv().unwrap();
        think(waiting);
        drop(pool);
        assert!(is_dropped.recv().is_err());
        drop(release);
    }
}
