use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::priority::lower_priority;

/// The threads that serve browsers. They get the processor time that those who serve players leave, so that a thousand
/// spectators of a match do not delay its players.
#[derive(Debug)]
pub(crate) struct WebThreads {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl WebThreads {
    pub(crate) fn start() -> io::Result<Self> {
        let mut threads = Builder::new_multi_thread();
        threads.enable_all().thread_name("web");
        let runtime = threads.on_thread_start(lower_priority).build()?;
        Ok(Self {
            runtime: Some(runtime),
        })
    }

    pub(crate) fn handle(&self) -> &Handle {
        let runtime = self.runtime.as_ref();
        runtime.expect("it is not dropped").handle()
    }
}

impl Drop for WebThreads {
    /// A runtime that waited for its threads could not be dropped on a thread of another.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
