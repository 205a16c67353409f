use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use dragontooth_games::Seat;
use dragontooth_service_client::ServerAddress;
use dragontooth_service_vocabulary::MatchId;

use super::time_control::Agreement;
use super::{Exit, time_control};
use crate::session::MATCHES_AT_ONCE;

/// The deepest perft: no game of the catalogue has so long a line that anyone could count it.
const PERFT_DEPTH_MAX: i64 = 1000;

/// Plays board games against other bots on a Dragontooth service, and answers questions about
/// positions.
#[derive(Parser)]
#[command(name = "dragontooth-bot", version, after_help = Exit::HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Play matches on a service with a built-in bot.
    ///
    /// Without --match and --new it waits for invitations and accepts those to games that the bot
    /// can play.
    Play(Box<Play>),
    /// Play matches on a service with an engine: a program that speaks the protocol of docs/stdio.md
    /// on standard input and output.
    ///
    /// It waits for invitations and accepts those to games that the engine plays. What the engine writes
    /// to standard error, and what is wrong with it, goes to standard error.
    Stdio(Box<Stdio>),
    #[command(hide = true)]
    Supervise(Supervise),
    /// Answer questions about positions: a JSON object a line on standard input, and for each a
    /// JSON object a line on standard output.
    ///
    /// A question is {"game":…}, with "variant", "position" (none: the start), "actions" (played
    /// from there), "results" (true: tell what each legal action leads to) and "seed" (of a drawn
    /// start) if they are wanted. A line that cannot be answered is answered with an error.
    Analyse,
    /// Count the lines of play of a length; the number is the last line of the output.
    Perft(Perft),
    /// List the built-in bots, the games that each plays, and what can be set on them.
    Bots,
    /// Print what a refusal of the service means and what a bot does about it.
    Explain(Explain),
    /// Fetch the record of a match, change it into another format, or check what was drawn in it.
    #[command(subcommand)]
    Record(Record),
    /// Print the id of the player that the token stands for.
    Whoami(Service),
}

/// The service and the player.
#[derive(Args)]
pub(super) struct Service {
    /// The service's address.
    #[arg(
        long,
        env = "DRAGONTOOTH_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:4640"
    )]
    pub(super) server: ServerAddress,
    /// The player's secret, 16 to 256 visible ASCII characters. In the environment it is hidden
    /// from other users.
    #[arg(
        long,
        env = "DRAGONTOOTH_TOKEN",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub(super) token: String,
    /// The authorities against which an https service is verified, in PEM; without this the system's.
    #[arg(long, env = "DRAGONTOOTH_TLS_CA", value_name = "FILE")]
    pub(super) tls_ca: Option<PathBuf>,
    /// The certificate to show to the service, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_CERT", value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,
    /// The key of that certificate, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_KEY", value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
    /// How long to wait for a service that is not there.
    #[arg(long, value_name = "TIME", default_value = "10s",
          value_parser = humantime::parse_duration)]
    pub(super) wait: Duration,
}

#[derive(Args)]
pub(super) struct Play {
    /// The bot: see `dragontooth-bot bots`. Its options may follow: alphabeta:nodes=20000,seed=7
    #[arg(long, value_name = "NAME")]
    pub(super) bot: String,
    /// Set an option of the bot.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(super) options: Vec<String>,
    /// Play so many matches at once, at most.
    #[arg(long, value_name = "N", default_value_t = MATCHES_AT_ONCE,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(super) matches_at_once: usize,
    /// Think on so many threads; as many as there are processors if it is not set.
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) playing: Playing,
}

#[derive(Args)]
pub(super) struct Stdio {
    /// Set an option of the engine: it is told with the first message.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = engine_option)]
    pub(super) options: Vec<(String, String)>,
    /// What the engine's random choices follow from.
    #[arg(long, value_name = "N", env = "DRAGONTOOTH_SEED", default_value_t = 0)]
    pub(super) engine_seed: u64,
    /// Run the engine so often at the same time; as often as there are processors if it is not set. All
    /// are started at once, and invitations wait until one has room for a match.
    #[arg(long, value_name = "N")]
    pub(super) processes: Option<NonZeroUsize>,
    /// Start the engine anew for every match.
    #[arg(long)]
    pub(super) restart: bool,
    /// How long the engine may take to say hello.
    #[arg(long, value_name = "TIME", default_value = "60s",
          value_parser = humantime::parse_duration)]
    pub(super) start_limit: Duration,
    #[command(flatten)]
    pub(super) playing: Playing,
    /// The engine and its arguments. It is started as it stands here, never through a shell.
    #[arg(last = true, required = true, value_name = "ENGINE")]
    pub(super) words: Vec<OsString>,
}

/// Which matches are played on which service, and as whom.
#[derive(Args)]
pub(super) struct Playing {
    #[command(flatten)]
    pub(super) service: Service,
    /// The player's name in the matches, at most 64 bytes; that of the program that plays if it is not
    /// set.
    #[arg(long)]
    pub(super) name: Option<String>,
    /// What you add to the random choices of a match, dice among them, so that nobody can have
    /// chosen them; at most 64 bytes.
    #[arg(long, value_name = "TEXT")]
    pub(super) draw_seed: Option<String>,
    /// Join this match, and end when it is over.
    #[arg(long = "match", value_name = "ID", group = "one_match")]
    pub(super) match_id: Option<MatchId>,
    #[command(flatten)]
    pub(super) new: New,
    /// The seat to take in the match of --match or --new: first or second. If it is not set, a free one,
    /// and in a new match the first.
    #[arg(long, requires = "one_match")]
    pub(super) seat: Option<Seat>,
    /// End after so many matches.
    #[arg(long, value_name = "N", conflicts_with = "one_match",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) matches: Option<u32>,
    /// How long to try again after a lost connection.
    #[arg(long, value_name = "TIME", default_value = "10m",
          value_parser = humantime::parse_duration)]
    pub(super) patience: Duration,
}

/// What keeps an engine in check: see [`dragontooth_bots_engines::supervise`].
#[derive(Args)]
pub(super) struct Supervise {
    /// How long the program may take to end when it is told to.
    #[arg(long)]
    pub(super) grace_ms: u64,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub(super) words: Vec<OsString>,
}

/// A match to be created.
#[derive(Args)]
pub(super) struct New {
    /// Create a match of this game, take a seat in it, and end when it is over. The other player
    /// takes the other seat with --match. The games stand in `dragontooth-bot bots`.
    #[arg(long = "new", id = "new", value_name = "GAME", group = "one_match")]
    pub(super) game: Option<String>,
    /// The points that win the new match, 3 if it is not set.
    #[arg(long, value_name = "N", requires = "new")]
    pub(super) target: Option<u32>,
    /// The variant of the new match; the game's default if it is not set.
    #[arg(long, requires = "new")]
    pub(super) variant: Option<String>,
    /// The new match's time control: 60+0.5 (seconds and increment), 60d0.5 (seconds and delay), 1s (for each
    /// action) or none; also with its kind in front: fischer:5m+2s, delay:5m+2s or per-action:2s.
    #[arg(long, value_name = "AGREEMENT", requires = "new", value_parser = time_control::parse)]
    pub(super) time: Option<Agreement>,
    /// The opponent's time control in the new match, if it is another one.
    #[arg(long, value_name = "AGREEMENT", requires = "new", value_parser = time_control::parse)]
    pub(super) opponent_time: Option<Agreement>,
    /// What the random choices of the new match follow from; drawn by the service if it is not
    /// set.
    #[arg(long, requires = "new")]
    pub(super) seed: Option<String>,
    /// The new match's title.
    #[arg(long, requires = "new")]
    pub(super) title: Option<String>,
}

#[derive(Subcommand)]
pub(super) enum Record {
    /// Print the record of a match of the service.
    Export(Box<Export>),
    /// Read a record in one format and print it in another.
    Convert(Convert),
    /// Check that every deal and every roll of a match follows from the seeds, and that the
    /// server's seed is the one to which it had committed.
    ///
    /// The record is one in the format text of a match that is over.
    Verify {
        /// The file; `-` for standard input.
        file: PathBuf,
    },
}

#[derive(Args)]
pub(super) struct Export {
    #[command(flatten)]
    pub(super) service: Service,
    /// The match.
    pub(super) match_id: MatchId,
    /// The format: `text`, or another of the game, such as `mat`.
    #[arg(long)]
    pub(super) format: Option<String>,
}

#[derive(Args)]
pub(super) struct Convert {
    /// The file; `-` for standard input.
    pub(super) file: PathBuf,
    /// The format of the file.
    #[arg(long)]
    pub(super) from: String,
    /// The format to print.
    #[arg(long)]
    pub(super) to: String,
}

#[derive(Args)]
pub(super) struct Explain {
    /// The reasons that refusals name, such as `STALE_DECISION`; all if there is none.
    #[arg(value_name = "REASON")]
    pub(super) reasons: Vec<String>,
}

#[derive(Args)]
pub(super) struct Perft {
    /// The game, by its name in `dragontooth-bot bots`.
    pub(super) game: String,
    /// The length of the lines, in actions.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=PERFT_DEPTH_MAX))]
    pub(super) depth: u32,
    /// Where to start, in the game's notation; the first position of a match if it is not set.
    #[arg(long, conflicts_with_all = ["variant", "seed"])]
    pub(super) position: Option<String>,
    /// The variant; the game's default if it is not set.
    #[arg(long)]
    pub(super) variant: Option<String>,
    /// What the first position is drawn from, in a variant that draws it.
    #[arg(long, default_value = "")]
    pub(super) seed: String,
    /// Also print the number for each legal action, a line `ACTION NUMBER` each.
    #[arg(long)]
    pub(super) divide: bool,
}

fn engine_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_defined() {
        Arguments::command().debug_assert();
    }
}
