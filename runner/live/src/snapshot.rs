use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use dragontooth_runner_report::{RunPhase, live_page};
use dragontooth_runner_tournament::Event;

/// The most bytes of a part of the page; one that is larger is replaced by a sentence.
const MAX_PART_BYTES: usize = 2 << 20;

const TOO_LARGE: &str = "<p class=\"note\">This part is too large for a page that changes; it is in the report of the run.</p>";

/// The page at a moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) phase: RunPhase,
    /// Counts the states of the page, from 1.
    pub(crate) version: u64,
    /// A word that no other start of a runner has.
    start: Arc<str>,
    parts: Vec<Arc<Part>>,
    /// The page, once somebody has asked for it.
    page: OnceLock<Bytes>,
}

/// A part of the page.
#[derive(Debug)]
pub(crate) struct Part {
    name: &'static str,
    inside: String,
    /// The event that replaces it.
    event: Bytes,
    /// The version of the page with which it came.
    since: u64,
}

impl Snapshot {
    /// The page before anything is painted.
    pub(crate) fn nothing(start: Arc<str>) -> Self {
        Self {
            phase: RunPhase::Live,
            version: 0,
            start,
            parts: Vec::new(),
            page: OnceLock::new(),
        }
    }

    /// The page with other parts; `None` if nothing changes.
    pub(crate) fn with(
        &self,
        phase: RunPhase,
        painted: Vec<(&'static str, String)>,
    ) -> Option<Self> {
        let version = self.version + 1;
        let mut parts = self.parts.clone();
        let mut is_new = phase != self.phase;
        for (name, inside) in painted {
            let place = parts.iter().position(|part| part.name == name);
            if place.is_some_and(|place| parts[place].inside == inside) {
                continue;
            }
            is_new = true;
            let part = Arc::new(Part::new(name, inside, version));
            match place {
                Some(place) => parts[place] = part,
                None => parts.push(part),
            }
        }
        is_new.then(|| Self {
            phase,
            version,
            start: Arc::clone(&self.start),
            parts,
            page: OnceLock::new(),
        })
    }

    /// The version with this id; 0 if it is not one of this start of the runner.
    pub(crate) fn version_of(&self, id: &str) -> u64 {
        let version = id.strip_prefix(&*self.start);
        let version = version.and_then(|rest| rest.strip_prefix('-')?.parse().ok());
        version
            .filter(|version| *version <= self.version)
            .unwrap_or(0)
    }

    /// The events that lead a page of version `seen` to this one.
    pub(crate) fn events(&self, seen: u64) -> impl Iterator<Item = Bytes> {
        let news = self.parts.iter().filter(move |part| part.since > seen);
        let news = news.map(|part| part.event.clone());
        let id = self.id();
        let state = format!("event: state\nid: {id}\ndata: {}\n\n", self.phase.word());
        news.chain(std::iter::once(state.into()))
    }

    /// The whole page.
    pub(crate) fn page(&self, event: &Event) -> Bytes {
        let page = self.page.get_or_init(|| {
            let parts = self.parts.iter();
            let parts: Vec<(&str, &str)> = parts
                .map(|part| (part.name, part.inside.as_str()))
                .collect();
            live_page(event, &parts, &self.id()).into()
        });
        page.clone()
    }

    fn id(&self) -> String {
        format!("{}-{}", self.start, self.version)
    }
}

impl Part {
    fn new(name: &'static str, inside: String, since: u64) -> Self {
        let inside = if inside.len() > MAX_PART_BYTES {
            TOO_LARGE.to_owned()
        } else {
            inside
        };
        let mut event = format!("event: part\ndata: {name}\n");
        for line in inside.split('\n') {
            writeln!(event, "data: {line}").expect("writing to a string does not fail");
        }
        event.push('\n');
        Self {
            name,
            inside,
            event: event.into(),
            since,
        }
    }
}
