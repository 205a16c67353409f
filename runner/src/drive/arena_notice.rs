use std::time::Duration;

use dragontooth_runner_tournament::arena::Contender;
use dragontooth_service_client::ClientError;
use dragontooth_service_vocabulary::{
    Audience, EndReason, NewMatch, PlayerId, RequestId, Title, Visibility,
};
use uuid::Uuid;

use super::arena_encounter::ArenaSetting;

/// The time after which the service gives the match up if the arena dies before it has declined it.
const GIVEN_UP_AFTER: Duration = Duration::from_mins(1);

/// Tells a contender that it is parked: by an invitation to a private match with the arena, which the arena declines for
/// the reason. So any bot gets it on its stream, and finds it in the list of its matches later. Once for each contender:
/// the ids of the requests follow from it.
pub(super) async fn tell_parked(
    setting: &ArenaSetting,
    contender: &Contender,
    player: PlayerId,
    reason: &str,
) -> Result<(), ClientError> {
    let title = format!("{}: parked", setting.event.name());
    let rules = setting.event.rules();
    let text = format!("{} parked {contender}", setting.id);
    let request_id = Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()).to_string();
    let request_id: RequestId = request_id.parse().expect("a UUID is a request id");
    let new = NewMatch {
        variant: Some(rules.variant().to_owned()),
        title: title.parse::<Title>().expect("a name is a title"),
        reserved: [Some(setting.own), Some(player)],
        audience: Audience::new(Visibility::Private, Duration::ZERO).expect("it has no delay"),
        join_timeout: Some(GIVEN_UP_AFTER),
        request_id: Some(request_id.clone()),
        ..NewMatch::new(rules.game(), rules.target())
    };
    let ArenaSetting { client, outage, .. } = setting;
    let create = || client.create_match(new.clone());
    let view = outage.retry(client, create).await?;
    if view.outcome.is_some() {
        // An earlier process has told it.
        return Ok(());
    }
    let (reason, request_id) = (end_reason(reason), Some(request_id));
    let decline = || client.decline_invitation(view.id, reason.clone(), request_id.clone());
    outage.retry(client, decline).await?;
    Ok(())
}

/// A reason as the service takes it, which allows fewer characters than a bot's message may have.
fn end_reason(text: &str) -> Option<EndReason> {
    EndReason::new(text).ok().or_else(|| {
        let plain = text
            .chars()
            .map(|c| if c.is_ascii_graphic() { c } else { ' ' });
        EndReason::new(plain.collect::<String>().trim()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_any_characters_becomes_a_reason() {
        let kept = |text: &str| end_reason(text).unwrap().as_str().to_owned();
        assert_eq!(kept("parked: “gone”"), "parked: “gone”");
        assert_eq!(kept("line one\nline two\u{202e}"), "line one line two");
    }
}
