use super::kind::Kind;

/// One thing that an operator can set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Its key in the file, with its table: `limits.live_matches`.
    pub(crate) key: &'static str,
    /// Its flag without the dashes: `max-live-matches`. The variable follows from it.
    pub(crate) flag: &'static str,
    /// Its documentation: one or more sentences, each with a full stop.
    pub(crate) doc: &'static str,
    /// Its type, range and place among the values.
    pub(crate) kind: Kind,
    /// A variable that other programs share, weaker than everything but the default.
    pub(crate) usual_variable: Option<&'static str>,
    /// True if its value must not be shown.
    pub(crate) secret: bool,
}

impl Setting {
    /// A setting that anyone may see.
    pub(super) const fn new(
        key: &'static str,
        flag: &'static str,
        kind: Kind,
        doc: &'static str,
    ) -> Self {
        Self {
            key,
            flag,
            doc,
            kind,
            usual_variable: None,
            secret: false,
        }
    }

    /// It can be set by a variable that other programs share, too.
    pub(super) const fn or_variable(mut self, name: &'static str) -> Self {
        self.usual_variable = Some(name);
        self
    }

    /// Marks its value as secret.
    pub(super) const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Its variable: `DRAGONTOOTH_MAX_LIVE_MATCHES`.
    pub(crate) fn variable(&self) -> String {
        let name = self.flag.replace('-', "_").to_uppercase();
        format!("DRAGONTOOTH_{name}")
    }

    /// Its table in the file, if any, and its name there.
    pub(crate) fn place(&self) -> (Option<&'static str>, &'static str) {
        match self.key.rsplit_once('.') {
            Some((table, name)) => (Some(table), name),
            None => (None, self.key),
        }
    }
}
