use std::pin::pin;

use dragontooth_service_store::{AppendError, ChainHead, EntryChange, Listing, MatchEntry};
use dragontooth_service_vocabulary::{MatchEvent, Stage, Timestamp};

use super::Actor;
use super::timekeeping::latest_timer;
use crate::matches::Refusal;
use crate::matches::message::{Message, Request};

impl Actor {
    /// Appends events and waits until they are durable, or refused. That may take as long as the log is away; nobody else is kept
    /// waiting for it.
    pub(super) async fn append(
        &mut self,
        before: ChainHead,
        time: Timestamp,
        events: &[MatchEvent],
    ) -> Result<ChainHead, AppendError> {
        let log = self.log.clone();
        let listing = self.listing(time, events);
        let mut appended = pin!(log.append_listed(self.shared.id(), before, time, events, listing));
        loop {
            let Some(available) = &mut self.available else {
                return appended.await;
            };
            let is_away = !*available.borrow_and_update();
            tokio::select! {
                biased;
                appended = &mut appended => return appended,
                changed = available.changed() => if changed.is_err() {
                    self.available = None;
                },
                request = self.requests.recv(), if is_away => match request {
                    Some(request) => self.refuse_request(*request),
                    None => return appended.await,
                },
                message = self.messages.recv(), if is_away => match message {
                    Some(message) => self.put_off(*message),
                    None => return appended.await,
                },
            }
        }
    }

    /// The change of the catalogue by events that are appended at a time.
    fn listing(&self, time: Timestamp, events: &[MatchEvent]) -> Listing {
        let state = self.shared.state();
        let entry = events.iter().any(MatchEntry::is_changed_by).then(|| {
            Box::new(EntryChange {
                before: Some(MatchEntry::of(&state)),
                after: MatchEntry::after(&state, events),
            })
        });
        let reached = entry.as_ref().map(|change| change.after.stage);
        let deadline = match reached {
            Some(Stage::Ended) => None,
            _ if !self.is_shared => None,
            Some(Stage::Active) => latest_timer(&state, true, time),
            Some(Stage::Open) | None => latest_timer(&state, state.is_full(), time),
        };
        Listing { entry, deadline }
    }

    /// Refuses a command while nothing is known of what was to be appended before it.
    fn refuse_request(&mut self, request: Request) {
        self.note_caller(&request.command, request.received);
        request.reply.send(Err(unanswered()));
    }

    /// Answers a message while nothing is known of what was to be appended before it.
    fn put_off(&mut self, message: Message) {
        match message {
            Message::StreamOpened(player, done) => {
                if let Some(seat) = self.place_of(player) {
                    self.notify(seat);
                }
                // The stream may have ended meanwhile.
                let _ = done.send(());
            }
            // Both come again: the one when the log is back for good, the other with the next look at the heads.
            Message::LogBack | Message::Grown(_) | Message::Overtaken(_) => {}
            // Who asked may have gone.
            Message::CatchUp { reply, .. } => drop(reply.send(Err(unanswered()))),
        }
    }
}

fn unanswered() -> Refusal {
    Refusal::LogUnavailable("it has not answered an earlier request".to_owned())
}
