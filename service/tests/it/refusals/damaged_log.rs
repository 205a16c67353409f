use tonic::Code;

use super::provoke::{Provoked, fact};
use crate::backups;
use crate::pair::Pair;
use crate::served::Served;

/// The event that is damaged.
const DAMAGED: u64 = 5;

/// Damages an event of one match of two between two runs of the service.
pub(super) async fn provoke() -> Provoked {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let damaged = Pair::seat(&served).await;
    let sound = Pair::seat(&served).await;
    for _ in 0..3 {
        damaged.play().await.unwrap();
        sound.play().await.unwrap();
    }
    let answer = damaged.answer("").await;
    let view = sound.view().await;
    served.stop().await;

    let id = &damaged.match_id;
    backups::change(folder.path(), id, DAMAGED, Some("no event"));
    let served = Served::in_folder(folder.path()).await;
    let first = served.raw("first").await;
    assert_eq!(first.get(&sound.match_id).await.unwrap(), view);
    let id = &damaged.match_id;
    let provoked = vec![
        ("get", first.get(id).await.unwrap_err()),
        ("decision", first.decision(id).await.unwrap_err()),
        ("submit", first.submit(answer).await.unwrap_err()),
        ("watch", first.watch(id, 0).await.unwrap_err()),
        ("resign", first.resign(id, "").await.unwrap_err()),
        ("export", first.export(id).await.unwrap_err()),
    ];
    for (_, status) in &provoked {
        assert_eq!(status.code(), Code::DataLoss);
        assert_eq!(fact(status, "sequence"), DAMAGED.to_string());
    }
    provoked
}
