use std::fmt;

/// A place at which a record says something else than the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The field of the record.
    pub field: &'static str,
    /// The value in the record.
    pub recorded: String,
    /// The value in the schedule.
    pub scheduled: String,
}

impl Contradiction {
    /// Nothing, if both say the same.
    ///
    /// # Errors
    ///
    /// They do not.
    pub(super) fn check<T: PartialEq + fmt::Display + ?Sized>(
        field: &'static str,
        recorded: &T,
        scheduled: &T,
    ) -> Result<(), Self> {
        if recorded == scheduled {
            return Ok(());
        }
        let (recorded, scheduled) = (recorded.to_string(), scheduled.to_string());
        Err(Self {
            field,
            recorded,
            scheduled,
        })
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            recorded,
            scheduled,
        } = self;
        write!(
            f,
            "{field} is {recorded:?} in the record and {scheduled:?} in the schedule"
        )
    }
}
