/// The `protocol` of an engine.
pub(super) const STDIO: &str = "stdio";

/// The table of a built-in bot, as text: `alphabeta:nodes=300,seed=7`.
#[must_use]
pub fn builtin_table(name: &str, bot: &str) -> String {
    let (builtin, options) = bot.split_once(':').unwrap_or((bot, ""));
    format!(
        "[[bot]]\nname = {}\nbuiltin = {}\noptions = {{ {} }}\n",
        quoted(name),
        quoted(builtin),
        options.replace('=', " = ").replace(',', ", ")
    )
}

/// The table of a bot that a program plays.
#[must_use]
pub fn command_table<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(quoted).collect();
    format!(
        "[[bot]]\nname = {}\ncommand = [{}]\n",
        quoted(name),
        words.join(", ")
    )
}

/// The table of a bot that an engine plays.
#[must_use]
pub fn engine_table<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> String {
    format!(
        "{}protocol = {}\n",
        command_table(name, words),
        quoted(STDIO)
    )
}

/// A text as TOML and JSON have it.
#[must_use]
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text can be written")
}
