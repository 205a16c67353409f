use std::fmt::Write as _;
use std::time::SystemTime;

use serde_json::{Value, json};

/// A token as it is printed.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) player: String,
    pub(super) name: String,
    pub(super) scopes: Vec<String>,
    pub(super) state: &'static str,
    pub(super) created: SystemTime,
    pub(super) expires: Option<SystemTime>,
    pub(super) revoked: Option<SystemTime>,
    pub(super) last_used: Option<SystemTime>,
}

/// A token that was issued, with its secret.
pub(super) struct Issued {
    pub(super) token: Shown,
    pub(super) secret: String,
}

impl Issued {
    /// The printed text; the secret is on the last line.
    pub(super) fn text(&self, as_json: bool) -> String {
        if as_json {
            let mut value = self.token.json();
            value["secret"] = json!(self.secret);
            return format!("{value}\n");
        }
        let mut text = self.token.text(false);
        writeln!(
            text,
            "The secret, which is shown only here:\n{}",
            self.secret
        )
        .expect("writing to a string does not fail");
        text
    }
}

impl Shown {
    /// A line for each fact, or an object.
    pub(super) fn text(&self, as_json: bool) -> String {
        if as_json {
            return format!("{}\n", self.json());
        }
        let mut text = String::new();
        for (fact, value) in [
            ("token", self.id.clone()),
            ("identity", self.name.clone()),
            ("player", self.player.clone()),
            ("scopes", self.scopes.join(",")),
            ("state", self.state.to_owned()),
            ("issued", rfc3339(self.created)),
            ("expires", or(self.expires, "never")),
            ("revoked", or(self.revoked, "no")),
            ("last used", or(self.last_used, "never")),
        ] {
            writeln!(text, "{fact:<10}{value}").expect("writing to a string does not fail");
        }
        text
    }

    fn json(&self) -> Value {
        json!({
            "id": self.id,
            "player_id": self.player,
            "name": self.name,
            "scopes": self.scopes,
            "state": self.state,
            "create_time": rfc3339(self.created),
            "expire_time": self.expires.map(rfc3339),
            "revoke_time": self.revoked.map(rfc3339),
            "last_use_time": self.last_used.map(rfc3339),
        })
    }
}

/// A line for each token under a headline, or an object a line.
pub(super) fn list(tokens: &[Shown], as_json: bool) -> String {
    if as_json {
        return tokens.iter().fold(String::new(), |mut text, token| {
            writeln!(text, "{}", token.json()).expect("writing to a string does not fail");
            text
        });
    }
    let mut text = format!(
        "{:<17} {:<8} {:<24} {:<26} {:<21} {}\n",
        "TOKEN", "STATE", "SCOPES", "EXPIRES", "LAST USED", "IDENTITY"
    );
    for token in tokens {
        writeln!(
            text,
            "{:<17} {:<8} {:<24} {:<26} {:<21} {}",
            token.id,
            token.state,
            token.scopes.join(","),
            or(token.expires, "never"),
            or(token.last_used, "never"),
            token.name,
        )
        .expect("writing to a string does not fail");
    }
    text
}

fn or(time: Option<SystemTime>, none: &str) -> String {
    time.map_or_else(|| none.to_owned(), rfc3339)
}

fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
