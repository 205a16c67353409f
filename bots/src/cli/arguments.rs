use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use dragontooth_bots_builtin::book::MAX_CANDIDATES;
use dragontooth_cli::{Completions, Man};
use dragontooth_games::Seat;
use dragontooth_games::match_play::MAX_OPENING_ENTRIES;
use dragontooth_service_client::ServerAddress;
use dragontooth_service_vocabulary::{
    AcceptedGame, BuildText, MatchId, PlayerId, PlayerName, SeedText, Timestamp, Title,
};

use super::time_control::Agreement;
use super::{Exit, time_control};
use crate::session::MATCHES_AT_ONCE;

/// Largest depth of perft: far beyond what can be counted in any game.
const PERFT_DEPTH_MAX: u32 = 1000;

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
    /// Without --match and --new it waits for invitations and accepts those to games that the bot plays.
    Play(Box<Play>),
    /// Play matches on a service with an engine: a program that speaks the protocol of docs/stdio.md
    /// on standard input and output.
    ///
    /// It waits for invitations and accepts those to games that the engine plays. The engine's standard
    /// error and its faults go to standard error.
    Stdio(Box<Stdio>),
    #[command(hide = true)]
    Supervise(Supervise),
    /// Answer questions about positions: reads a JSON object per line from standard input and writes a JSON
    /// object per line to standard output.
    ///
    /// A question is {"game":…}, with the optional keys "variant", "position" (default: the start), "actions"
    /// (played from there), "results" (true: also return the position after each legal action) and "seed" (of
    /// a drawn start). The answer to a line with a mistake is an error.
    Analyze,
    /// Count the lines of play of a length; the last line of the output is the number.
    Perft(Perft),
    /// Make a book of openings for an event: random play that ends where a search finds the sides even.
    ///
    /// Openings differ by more than a symmetry of the board, leave the next seat a choice, and are won by
    /// neither side as far as the search sees. At Backgammon an opening is a position with dice, reached by plays that
    /// look good and even in chances to win and in points. The same arguments give the same book, on standard output.
    Openings(Openings),
    /// List the built-in bots with their games and options.
    Bots,
    /// Print the meaning of a refusal of the service, and advice for bots.
    Explain(Explain),
    /// Fetch the record of a match, convert it into another format, compute the luck in its dice, or verify its
    /// random draws.
    #[command(subcommand)]
    Record(Record),
    /// Print the id of the player of the token.
    Whoami(Service),
    /// Print a script that completes commands in a shell.
    Completions(Completions),
    /// Print the man page, or write one for each command.
    Man(Man),
}

/// The service and the player.
#[derive(Args)]
pub(super) struct Service {
    /// The service's address. Several, separated by commas, are replicas: the next is used when one fails.
    #[arg(
        long,
        env = "DRAGONTOOTH_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:4640"
    )]
    pub(super) server: ServerAddress,
    /// The player's token, 16 to 256 visible ASCII characters. Set it in the environment to hide it from other
    /// users.
    #[arg(
        long,
        env = "DRAGONTOOTH_TOKEN",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub(super) token: String,
    /// Certificates of the authorities that an https service is verified against, in PEM; the system's by
    /// default.
    #[arg(long, env = "DRAGONTOOTH_TLS_CA", value_name = "FILE")]
    pub(super) tls_ca: Option<PathBuf>,
    /// Client certificate, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_CERT", value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,
    /// Key of the client certificate, in PEM.
    #[arg(long, env = "DRAGONTOOTH_TLS_KEY", value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
    /// Send the token in the clear to http addresses other than the loopback, where anyone on the way can read
    /// it.
    #[arg(long, env = "DRAGONTOOTH_INSECURE_NO_TLS")]
    pub(super) insecure_no_tls: bool,
    /// Time to wait for a service that cannot be reached. Each address that does not answer has 5
    /// seconds all the same.
    #[arg(long, value_name = "TIME", default_value = "10s",
          value_parser = humantime::parse_duration)]
    pub(super) wait: Duration,
}

#[derive(Args)]
pub(super) struct Play {
    /// The bot: see `dragontooth-bot bots`. Options may follow: alphabeta:nodes=20000,seed=7
    #[arg(long, value_name = "NAME")]
    pub(super) bot: String,
    /// Set an option of the bot.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(super) options: Vec<String>,
    /// Largest number of matches at once.
    #[arg(long, value_name = "N", default_value_t = MATCHES_AT_ONCE,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(super) matches_at_once: usize,
    /// Number of threads for thinking; by default one per processor.
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) playing: Playing,
}

#[derive(Args)]
pub(super) struct Stdio {
    /// Set an option of the engine; it is sent with the first message.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = engine_option)]
    pub(super) options: Vec<(String, String)>,
    /// Set an environment variable of the engine, which otherwise gets PATH, HOME, LANG and TMPDIR alone.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(super) variables: Vec<(String, String)>,
    /// Seed of the engine's random choices.
    #[arg(long, value_name = "N", env = "DRAGONTOOTH_SEED", default_value_t = 0)]
    pub(super) engine_seed: u64,
    /// Largest number of engine processes; by default one per processor. As many as the matches may need are started
    /// at once, and invitations wait until one has room for a match.
    #[arg(long, value_name = "N")]
    pub(super) processes: Option<NonZeroUsize>,
    /// Restart the engine for every match.
    #[arg(long)]
    pub(super) restart: bool,
    /// Time for the engine to say hello.
    #[arg(long, value_name = "TIME", default_value = "60s",
          value_parser = humantime::parse_duration)]
    pub(super) start_limit: Duration,
    #[command(flatten)]
    pub(super) playing: Playing,
    /// The engine and its arguments. It is started without a shell.
    #[arg(last = true, required = true, value_name = "ENGINE")]
    pub(super) words: Vec<OsString>,
}

/// The matches to play, the service and the player.
#[derive(Args)]
pub(super) struct Playing {
    #[command(flatten)]
    pub(super) service: Service,
    /// The player's name in the matches, at most 64 bytes; by default the name of the bot. With an issued token
    /// it is always the name of the identity.
    #[arg(long)]
    pub(super) name: Option<PlayerName>,
    /// Your share of the seed of each match, at most 64 bytes, instead of a random one for each seed. With the same
    /// text every time, others know your share in advance and can choose the dice.
    #[arg(long, value_name = "TEXT")]
    pub(super) draw_seed: Option<SeedText>,
    /// Text from which your random shares are derived, so that they are the same in another run. By default the
    /// operating system draws it, as it does if the text is empty.
    #[arg(
        long,
        value_name = "TEXT",
        env = "DRAGONTOOTH_DRAW_SECRET",
        hide_env_values = true
    )]
    pub(super) draw_secret: Option<String>,
    /// Join this match, and exit when it is over.
    #[arg(long = "match", value_name = "ID", group = "one_match")]
    pub(super) match_id: Option<MatchId>,
    #[command(flatten)]
    pub(super) new: New,
    /// Seat in the match of --match or --new: first or second. By default a free one, and in a new match the
    /// first.
    #[arg(long, requires = "one_match")]
    pub(super) seat: Option<Seat>,
    /// Exit after this number of matches.
    #[arg(long, value_name = "N", conflicts_with = "one_match",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) matches: Option<u32>,
    /// Accept only invitations to matches with these terms, and decline the others: GAME, or with a variant, points or
    /// your clock, such as kamisado:3, kamisado/random:1-7 or tzaar:3@60+0.5. Repeatable; by default every game that the
    /// bot plays. Everyone reads it in the service's list of players.
    #[arg(long, value_name = "TERMS", conflicts_with = "one_match")]
    pub(super) accept: Vec<AcceptedGame>,
    /// Build of the bot, such as v12 or a commit, at most 64 bytes. Everyone reads it in the list of players.
    #[arg(
        long,
        value_name = "TEXT",
        env = "DRAGONTOOTH_BUILD",
        default_value = ""
    )]
    pub(super) build: BuildText,
    /// Time to reconnect after a lost connection.
    #[arg(long, value_name = "TIME", default_value = "10m",
          value_parser = humantime::parse_duration)]
    pub(super) patience: Duration,
}

/// The supervisor of a program: see [`dragontooth_bots_engines::supervise`].
#[derive(Args)]
pub(super) struct Supervise {
    /// Time for the program to exit, in milliseconds.
    #[arg(long)]
    pub(super) grace_ms: u64,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub(super) words: Vec<OsString>,
}

/// A match to create.
#[derive(Args)]
pub(super) struct New {
    /// Create a match of this game, take a seat in it, and exit when it is over. The opponent takes the other
    /// seat with --match. `dragontooth-bot bots` lists the games.
    #[arg(long = "new", id = "new", value_name = "GAME", group = "one_match")]
    pub(super) game: Option<String>,
    /// Points that win the new match; by default 3, or the only target of the variant.
    #[arg(long, value_name = "N", requires = "new")]
    pub(super) target: Option<u32>,
    /// Variant of the new match; by default the game's.
    #[arg(long, requires = "new")]
    pub(super) variant: Option<String>,
    /// Time control of the new match: 60+0.5 (seconds and increment), 60d0.5 (seconds and delay), 1s (per
    /// action) or none. The kind may come first: fischer:5m+2s, delay:5m+2s or per-action:2s.
    #[arg(long, value_name = "AGREEMENT", requires = "new", value_parser = time_control::parse)]
    pub(super) time: Option<Agreement>,
    /// The opponent's time control in the new match, if it is different.
    #[arg(long, value_name = "AGREEMENT", requires = "new", value_parser = time_control::parse)]
    pub(super) opponent_time: Option<Agreement>,
    /// Seed of the random draws of the new match; by default the service draws one.
    #[arg(long, requires = "new")]
    pub(super) seed: Option<SeedText>,
    /// Title of the new match.
    #[arg(long, requires = "new")]
    pub(super) title: Option<Title>,
}

#[derive(Subcommand)]
pub(super) enum Record {
    /// Print the record of a match of the service.
    Export(Box<Export>),
    /// Write the records of all matches that fit the options into a folder, each into a file of its own.
    ///
    /// A run that was interrupted goes on where it was. The oldest match comes first. A match that has no record is
    /// named on standard error, and the exit code is 4.
    ExportAll(Box<ExportAll>),
    /// Read a record in one format and print it in another.
    Convert(Convert),
    /// Compute the luck in the dice of a match of Backgammon: how much more the rolls were worth than on average.
    Luck(Luck),
    /// Verify that every deal and every roll of a match follows from the seeds, and that the server's seed
    /// matches the commitment to it.
    ///
    /// The record has the format text, and the match is over.
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
pub(super) struct ExportAll {
    #[command(flatten)]
    pub(super) service: Service,
    /// The folder. It is created if it does not exist; files of matches that are in it are replaced.
    pub(super) folder: PathBuf,
    /// The format: `text`, or another of the game of --game, such as `mat`.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub(super) format: String,
    /// Matches in this state, when their turn comes.
    #[arg(long, value_name = "STATE", default_value = "ended")]
    pub(super) state: ExportedState,
    /// Matches of this game alone.
    #[arg(long, value_name = "NAME")]
    pub(super) game: Option<String>,
    /// Matches of this variant of the game alone.
    #[arg(long, value_name = "NAME", requires = "game")]
    pub(super) variant: Option<String>,
    /// Matches of this player alone, by its id.
    #[arg(long, value_name = "ID")]
    pub(super) player: Option<PlayerId>,
    /// Matches of this player with that of --player alone.
    #[arg(long, value_name = "ID", requires = "player")]
    pub(super) opponent: Option<PlayerId>,
    /// Matches that this player created alone.
    #[arg(long, value_name = "ID")]
    pub(super) creator: Option<PlayerId>,
    /// Matches created at this time or later: 2026-01-31 or 2026-01-31T12:00:00Z, in UTC.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) created_from: Option<Timestamp>,
    /// Matches created before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) created_before: Option<Timestamp>,
}

/// The state of the matches to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportedState {
    /// A seat is free.
    Open,
    /// Under way.
    Active,
    /// Over.
    Ended,
    /// Whatever it is.
    Any,
}

#[derive(Args)]
pub(super) struct Luck {
    /// The file; `-` for standard input.
    pub(super) file: PathBuf,
    /// The format of the file: `text`, or another, such as `mat`.
    #[arg(long, default_value = "text")]
    pub(super) from: String,
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
    /// Refuse a file with lines that are otherwise read with a warning.
    #[arg(long)]
    pub(super) strict: bool,
}

#[derive(Args)]
pub(super) struct Explain {
    /// Reasons of refusals, such as `STALE_DECISION`; all by default.
    #[arg(value_name = "REASON")]
    pub(super) reasons: Vec<String>,
}

#[derive(Args)]
pub(super) struct Perft {
    /// The game, by its name in `dragontooth-bot bots`.
    pub(super) game: String,
    /// The length of the lines, in actions.
    #[arg(value_parser = perft_depth, allow_negative_numbers = true)]
    pub(super) depth: u32,
    /// Start, in the game's notation; by default the first position of a match.
    #[arg(long, conflicts_with_all = ["variant", "seed"])]
    pub(super) position: Option<String>,
    /// The variant; by default the game's.
    #[arg(long)]
    pub(super) variant: Option<String>,
    /// Seed of the first position, in a variant that draws it.
    #[arg(long, default_value = "")]
    pub(super) seed: String,
    /// Also print a line `ACTION NUMBER` for each legal action.
    #[arg(long)]
    pub(super) divide: bool,
}

#[derive(Args)]
pub(super) struct Openings {
    /// The game.
    pub(super) game: String,
    /// Number of actions of each opening; at Backgammon, of checker plays.
    #[arg(long, value_name = "N",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_OPENING_ENTRIES as u64))]
    pub(super) plies: usize,
    /// The variant; by default the game's. If it draws the first position, each opening begins with one.
    #[arg(long, value_name = "NAME")]
    pub(super) variant: Option<String>,
    /// Number of openings.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_CANDIDATES as u64))]
    pub(super) count: usize,
    /// Number of openings that are judged, of which the most even are taken; by default ten times the count.
    #[arg(long, value_name = "N",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_CANDIDATES as u64))]
    pub(super) candidates: Option<usize>,
    /// Positions that the search visits for each of those. At Backgammon a play, evaluated one roll ahead, counts as
    /// 420.
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    pub(super) nodes: u64,
    /// Seed of the random play.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

/// Parses a day or a time, in UTC.
fn time(text: &str) -> Result<Timestamp, String> {
    let time = humantime::parse_rfc3339_weak(text)
        .or_else(|_| humantime::parse_rfc3339(&format!("{text}T00:00:00Z")))
        .map_err(|_| "must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z")?;
    let since = time.duration_since(UNIX_EPOCH);
    let since = since.map_err(|_| "must not be before 1970")?;
    Ok(Timestamp::default().after(since))
}

fn perft_depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok().filter(|depth| *depth <= PERFT_DEPTH_MAX);
    depth.ok_or_else(|| format!("not a whole number from 0 to {PERFT_DEPTH_MAX}"))
}

fn engine_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        Some(_) | None => Err("must be NAME=VALUE".to_owned()),
    }
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
