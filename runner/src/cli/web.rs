use std::io;
use std::net::SocketAddr;

use clap::Args;
use dragontooth_runner_live::{EventPage, PagePort, WebAddress};
use dragontooth_runner_report::RunPhase;
use dragontooth_runner_tournament::Event;
use dragontooth_runner_tournament::arena::RatingHistory;
use dragontooth_service_vocabulary::HostNames;
use tokio::runtime::Runtime;

use super::{Failure, cannot_run, say, stop_signal, usage};
use crate::drive::Finish;
use crate::reports::PastRun;

#[derive(Debug, Args)]
pub(super) struct PageOptions {
    /// Show the event as it happens on a page at this address, for example 127.0.0.1:4642. Anyone who
    /// can reach it may look; it shows no secrets and takes no orders.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "plays_nothing")]
    web: Option<SocketAddr>,
    /// Allow --web on an address other than the loopback, without TLS.
    #[arg(long, requires = "web")]
    web_insecure_no_tls: bool,
    /// Names by which browsers reach the page, separated by commas; IP addresses and `localhost` always do.
    #[arg(long, value_name = "NAMES", requires = "web")]
    web_hosts: Option<HostNames>,
    /// After the event keep the page open until a signal stops the runner.
    #[arg(long, requires = "web")]
    web_stay: bool,
}

/// The page of a run, open.
pub(super) struct OpenPage {
    page: EventPage,
    port: PagePort,
    stays: bool,
}

/// The address of the page cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}, the option `--web`")]
struct CannotListen {
    address: SocketAddr,
    source: io::Error,
}

impl PageOptions {
    /// Opens the page of an event, if there is to be one.
    pub(super) fn open(
        &self,
        runtime: &Runtime,
        event: &Event,
    ) -> Result<Option<OpenPage>, Failure> {
        self.open_arena(runtime, event, || Ok(RatingHistory::new(0)))
    }

    /// Opens the page of an arena with its ratings so far, if there is to be one.
    pub(super) fn open_arena(
        &self,
        runtime: &Runtime,
        event: &Event,
        history: impl FnOnce() -> Result<RatingHistory, Failure>,
    ) -> Result<Option<OpenPage>, Failure> {
        let Some(address) = self.web else {
            return Ok(None);
        };
        let checked = WebAddress::new(address, self.web_insecure_no_tls).map_err(usage)?;
        let names = self.web_hosts.clone().unwrap_or_default();
        let page = EventPage::with_history(event.clone(), history()?).map_err(cannot_run)?;
        let port = runtime.block_on(PagePort::open(checked, names, &page));
        let port = port.map_err(|source| cannot_run(CannotListen { address, source }))?;
        say(&format!("the event is shown at http://{}", port.address()));
        Ok(Some(OpenPage {
            page,
            port,
            stays: self.web_stay,
        }))
    }
}

impl OpenPage {
    /// The page, for the run.
    pub(super) fn page(&self) -> EventPage {
        self.page.clone()
    }

    /// These are the final results of a run.
    pub(super) fn show_results(&self, past: &PastRun) {
        self.page
            .show_luck(&past.schedule, &past.results, past.luck.clone());
    }

    /// The run has ended; `None` means in an error.
    pub(super) fn end(&self, finish: Option<Finish>) {
        self.page.end(match finish {
            Some(Finish::Complete) => RunPhase::Over,
            Some(Finish::Interrupted | Finish::Faulted) | None => RunPhase::Stopped,
        });
    }

    /// Shows the last state, and closes the page; if it is to stay after the event, a signal does so first.
    pub(super) fn close(self, runtime: &Runtime, finish: Option<Finish>) -> Result<(), Failure> {
        if self.stays && finish == Some(Finish::Complete) {
            let address = self.port.address();
            say(&format!(
                "the page stays at http://{address} until a signal stops the runner"
            ));
            runtime.block_on(async {
                stop_signal().map_err(cannot_run)?.await;
                Ok(())
            })?;
        }
        self.page.close();
        runtime.block_on(self.port.close());
        Ok(())
    }
}
