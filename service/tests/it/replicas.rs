//! Several services on one database. Skipped without PostgreSQL.

mod cut_off;
mod lists;
mod matches;
mod players;
mod tokens;

use dragontooth_service::{Limits, Storage};

use crate::database_server::Server;
use crate::served::Served;

/// A service on the database.
async fn replica(server: &Server) -> Served {
    Served::start(Storage::Postgres(server.options()), &Limits::default()).await
}
