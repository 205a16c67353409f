use std::fmt;

use dragontooth_runner_tournament::Name;
use dragontooth_service_client::Token;
use dragontooth_service_vocabulary::Scope;

use crate::config::{NoToken, Player, RunConfig, ServiceConfig, TokenSource};
use crate::record::Secret;

/// The tokens of a run: those that the event's file names, otherwise those that follow from the
/// run's secret.
pub(super) struct Credentials {
    pub(super) runner: Credential,
    /// In the order of the event's list; `None` for remote players.
    pub(super) bots: Vec<Option<Credential>>,
}

/// A token with its holder and the scopes it needs.
pub(super) struct Credential {
    pub(super) token: Token,
    pub(super) holder: Holder,
    /// The scopes that the holder uses.
    pub(super) scopes: &'static [Scope],
}

/// The holder of a token, and the key of the event's file that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The bot; `None` for the runner.
    bot: Option<Name>,
    /// The key, or the table that has none.
    key: Result<String, String>,
}

impl Credentials {
    /// Reads the issued tokens, and makes up the others.
    pub(super) fn read(config: &RunConfig, secret: &Secret) -> Result<Self, NoToken> {
        let is_arena = config.event.format().is_arena();
        let service = match &config.service {
            ServiceConfig::Direct | ServiceConfig::Embedded(_) => None,
            ServiceConfig::Remote(remote) => remote.token.as_ref(),
        };
        let runner = Credential {
            token: read(service, || secret.runner_token())?,
            holder: Holder::new(None, service, "service".to_owned()),
            scopes: if is_arena {
                // It is present itself, so that there is one arena at a time.
                &[Scope::Create, Scope::Watch, Scope::Play]
            } else {
                &[Scope::Create, Scope::Watch]
            },
        };
        let bots = (1..).zip(&config.bots).map(|(number, bot)| {
            if let Player::Remote(_) = bot.player {
                return Ok(None);
            }
            let source = bot.token.as_ref();
            Ok(Some(Credential {
                token: read(source, || secret.bot_token(&bot.name))?,
                holder: Holder::new(Some(&bot.name), source, format!("bot[{number}]")),
                scopes: &[Scope::Play, Scope::Watch],
            }))
        });
        Ok(Self {
            runner,
            bots: bots.collect::<Result<_, _>>()?,
        })
    }
}

fn read(source: Option<&TokenSource>, own: impl FnOnce() -> Token) -> Result<Token, NoToken> {
    source.map_or_else(|| Ok(own()), TokenSource::read)
}

impl Holder {
    pub(super) fn new(bot: Option<&Name>, source: Option<&TokenSource>, table: String) -> Self {
        Self {
            bot: bot.cloned(),
            key: source.map(|source| source.key().to_owned()).ok_or(table),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bot {
            Some(bot) => write!(f, "the token of the bot {bot}"),
            None => f.write_str("the token of the runner"),
        }?;
        match &self.key {
            Ok(key) => write!(f, " ({key})"),
            Err(table) => write!(
                f,
                " (its own: {table} names no issued one by token_env or token_file)"
            ),
        }
    }
}
