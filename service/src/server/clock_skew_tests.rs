//! Services on one database have one time, whatever the clocks of their machines show.

use dragontooth_service_vocabulary::Timestamp;

use super::database_server::Server;
use super::*;

const SKEW: Duration = Duration::from_secs(5);

/// The most by which the times of services may differ.
const TOLERANCE: Duration = Duration::from_millis(50);

#[tokio::test]
async fn the_clocks_of_the_machines_do_not_matter() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let database = server.connect().await;
    for system_time in [|| SystemTime::now() + SKEW, || SystemTime::now() - SKEW] {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage: Storage::Postgres(server.options()),
            ..Config::default()
        };
        let service = Service::start_with(config, open, system_time)
            .await
            .unwrap();
        let earliest = service.matches.now();
        let time = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
        let time: i64 = database.query_one(time, &[]).await.unwrap().get(0);
        let time = Timestamp::from_micros(time.unsigned_abs());
        let latest = service.matches.now();
        assert!(earliest.before(TOLERANCE) < time, "{earliest:?} {time:?}");
        assert!(time < latest.after(TOLERANCE), "{time:?} {latest:?}");
        service.stop().await;
    }
}
