//! The log on PostgreSQL passes the suite of every log.

use std::sync::Arc;

use dragontooth_service_postgres::PostgresLog;

use crate::{
    server::{Server, options},
    suite,
};

macro_rules! conformance {
    ($($case:ident)*) => {
        /// On one server, each case in a database of its own.
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn the_suite_of_every_log_passes() {
            let Some(server) = Server::start(&[]) else {
                return;
            };
            $(
                let name = stringify!($case);
                println!("case: {name}");
                server.execute(&format!("CREATE DATABASE {name}")).await;
                let address = format!("postgres://postgres@127.0.0.1:{}/{name}", server.port());
                let log = PostgresLog::open(&options(&address)).await.unwrap();
                suite::$case(Arc::new(log)).await;
            )*
        }
    };
}

conformance! {
    an_append_moves_the_head
    a_wrong_expectation_is_refused
    the_same_append_twice_is_refused
    appending_nothing_checks_the_head_and_writes_nothing
    one_of_many_concurrent_appends_wins
    concurrent_appends_to_many_streams_all_succeed
    a_refused_append_disturbs_no_other
    an_append_builds_on_the_ones_before_it
    reads_are_contiguous_and_limited
    neighbouring_streams_stay_apart
    streams_are_listed_in_pages
    limits_are_kept
    more_than_the_queue_holds_waits
    readers_see_whole_prefixes_while_writers_write
    a_closed_log_refuses_appends_and_reads_on
    closing_answers_what_has_begun
    random_operations_agree_with_a_model
    lists_have_what_a_scan_finds
    live_matches_are_found_by_their_players
    matches_and_invitations_of_a_player_are_counted
    a_seed_is_spent_with_its_last_match
    a_refused_append_changes_no_list
    what_is_entered_is_listed_and_its_timers_are_taken_once
}
