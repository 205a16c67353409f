use dragontooth_games::Seat;

/// The remark on the thoughts in a request that belongs into its answer.
#[derive(Clone, Debug, Default)]
pub(crate) enum ThinkingNote {
    /// There are none, or they say nothing of a seat: none is left out.
    #[default]
    Nothing,
    /// They are from the view of this seat, and left out if another one acts.
    View(Seat),
    /// They cannot be read and are left out.
    Unreadable {
        /// The field.
        field: &'static str,
        /// The fault.
        why: String,
    },
}

impl ThinkingNote {
    /// The field for which the thoughts were left out, and its fault; `None` if they were not. `actor` is the seat that
    /// acted.
    pub(crate) fn fault(self, actor: Seat) -> Option<(&'static str, String)> {
        match self {
            Self::Nothing => None,
            Self::View(view) if view == actor => None,
            Self::View(view) => {
                let why =
                    format!("the {actor} seat is deciding, but the value is given for the {view}");
                Some(("thinking.seat", why))
            }
            Self::Unreadable { field, why } => Some((field, why)),
        }
    }
}
