use clap::ValueEnum;

/// The form of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
    /// Comma-separated values, a line for each bot.
    Csv,
    /// Comma-separated values, a line for each opening.
    OpeningsCsv,
    /// A page in Markdown.
    Markdown,
    /// The matches of an arena as games in PGN without moves, for programs that rate such games.
    Pgn,
}
