use tokio::sync::watch;

/// Ready when the bots are told to stop.
pub(super) async fn stopped(mut stop: watch::Receiver<bool>) {
    // Whoever could tell may be gone: then it is time too.
    let _ = stop.wait_for(|stop| *stop).await;
}
