use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::time::Duration;

use crate::program::Program;

/// Longer than any start. Without a notification the test fails after it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The notifications of a service of `Type=notify` to systemd, on a socket as in `sd_notify(3)`.
#[tokio::test]
async fn the_service_manager_is_notified_of_progress() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let program = Program::serve_notifying(&folder.path().join("data"), &path).await;
    assert_eq!(notification(&socket), "STATUS=reading the event log");
    let ready = format!("READY=1\nSTATUS=serving on {}", program.address());
    assert_eq!(notification(&socket), ready);
    program.signal("TERM").await;
    assert_eq!(notification(&socket), "STOPPING=1\nSTATUS=draining");
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(0), "{log:#?}");
}

/// A missing listener does not stop the service.
#[tokio::test]
async fn a_missing_listener_does_not_stop_the_service() {
    let folder = tempfile::tempdir().unwrap();
    for name in [folder.path().join("nobody"), "@dragontooth-nobody".into()] {
        let data = folder.path().join("data");
        let program = Program::serve_notifying(&data, &name).await;
        program.signal("TERM").await;
        let (status, log) = program.wait().await;
        assert_eq!(status.code(), Some(0), "{log:#?}");
        assert!(
            log.iter().any(|line| line.contains("NOTIFY_SOCKET")),
            "{log:#?}"
        );
    }
}

/// An abstract socket, as containers have.
#[tokio::test]
async fn an_abstract_socket_is_notified_too() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("dragontooth-{}-notify", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let socket = UnixDatagram::bind_addr(&address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let name = format!("@{name}");
    let program = Program::serve_notifying(&folder.path().join("data"), Path::new(&name)).await;
    assert_eq!(notification(&socket), "STATUS=reading the event log");
    program.kill().await;
}

fn notification(socket: &UnixDatagram) -> String {
    let mut message = [0; 4096];
    let length = socket.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}
