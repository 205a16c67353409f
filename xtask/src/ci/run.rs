#![expect(clippy::print_stdout, reason = "the report is the product")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::step::{STEPS, Step, Verdict, When, verdict};
use crate::Workspace;
use crate::exec::{Context, Effort, is_ci};
use crate::selection::Selection;

/// A step that was run.
struct Done {
    step: &'static Step,
    verdict: Verdict,
    duration: Duration,
    /// The output that was kept; empty if it was printed at once.
    output: String,
}

/// Runs the checks that `words` select, even if some fail, and returns true if none fails.
/// A check whose tool is missing is skipped and reported; with `CI` in the environment it fails.
///
/// # Errors
///
/// [`crate::selection::BadSelection`] for words that select nothing; or Cargo cannot name its target folder.
pub fn run(root: &Path, effort: Effort, words: &[&str]) -> Result<bool> {
    let steps: Vec<&'static Step> = STEPS
        .iter()
        .filter(|step| effort == Effort::Night || step.when != When::AtNight)
        .collect();
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    let selection = Selection::parse(words, &names)?;
    let steps: Vec<&'static Step> = steps
        .into_iter()
        .filter(|step| selection.has(step.name))
        .collect();
    if selection.list {
        for step in steps {
            println!("{:<14} {}", step.name, step.about);
        }
        return Ok(true);
    }
    let context = Context::new(root, &Workspace::load(root)?.target, effort, true);
    let start = Instant::now();
    let done = run_steps(&context, &steps);
    println!("\nSummary");
    for step in &steps {
        for done in done.iter().filter(|done| done.step.name == step.name) {
            println!("  {}", done.line());
        }
    }
    let failed = done.iter().filter(|done| done.verdict == Verdict::Failed);
    let failed = failed.count();
    println!(
        "  {failed} failed of {}, {:.1} s",
        done.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(failed == 0)
}

/// Runs one check by itself. It is skipped if its tool is missing, and fails in the CI.
///
/// # Errors
///
/// Cargo cannot name its target folder.
pub(crate) fn run_alone(root: &Path, check: fn(&Context) -> Result<bool>) -> Result<bool> {
    let target = Workspace::load(root)?.target;
    let context = Context::new(root, &target, Effort::Night, false);
    Ok(verdict(&context, check(&context), is_ci()) != Verdict::Failed)
}

/// One step more at once than there are processors, as they also wait. With more of them, programs miss the time limits of
/// the steps that test them.
fn steps_at_once() -> usize {
    1 + thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Runs the steps that have an order in that order, and others beside them, one after another; then those that run
/// together. The output of a step that is not in order is printed when it is over, between two others.
fn run_steps(context: &Context, steps: &[&'static Step]) -> Vec<Done> {
    let aside = |when| -> Vec<(&'static Step, Context)> {
        let steps = steps.iter().filter(|step| step.when == when);
        steps
            .map(|&step| (step, context.keeping_output()))
            .collect()
    };
    let (beside, together) = (aside(When::Beside), aside(When::Together));
    let in_order = steps
        .iter()
        .filter(|step| matches!(step.when, When::InOrder | When::AtNight));
    let (sender, finished) = mpsc::channel();
    let sender_of_last = sender.clone();
    let mut all = Vec::new();
    thread::scope(|scope| {
        scope.spawn(move || {
            for (step, context) in beside {
                let done = Done::of(step, context);
                sender
                    .send(done)
                    .expect("the receiver outlives this thread");
            }
        });
        for step in in_order {
            for done in finished.try_iter() {
                done.print();
                all.push(done);
            }
            println!("\n==> {}", step.name);
            let done = Done::of(step, context.printing());
            println!("<== {}", done.line());
            all.push(done);
        }
        let queue = Arc::new(Mutex::new(together.into_iter()));
        for _ in 0..steps_at_once() {
            let (queue, sender) = (Arc::clone(&queue), sender_of_last.clone());
            scope.spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some((step, context)) = next() {
                    let done = Done::of(step, context);
                    sender
                        .send(done)
                        .expect("the receiver outlives this thread");
                }
            });
        }
        drop(sender_of_last);
        for done in finished {
            done.print();
            all.push(done);
        }
    });
    all
}

impl Done {
    fn of(step: &'static Step, context: Context) -> Self {
        let start = Instant::now();
        let verdict = step.run(&context);
        Self {
            step,
            verdict,
            duration: start.elapsed(),
            output: String::from_utf8_lossy(&context.into_output()).into_owned(),
        }
    }

    /// Prints the output that was kept, between a head and the verdict.
    fn print(&self) {
        println!("\n==> {}", self.step.name);
        print!("{}", self.output);
        println!("<== {}", self.line());
    }

    fn line(&self) -> String {
        let seconds = self.duration.as_secs_f64();
        let word = match &self.verdict {
            Verdict::Passed => "ok".to_owned(),
            Verdict::Failed => "FAILED".to_owned(),
            Verdict::Skipped(reason) => format!("SKIPPED ({reason})"),
        };
        format!("{:<14}{seconds:>7.1} s  {word}", self.step.name)
    }
}
