use tokio::runtime::Runtime;

use crate::figure::figure;
use crate::footprint::open_streams;
use crate::program::Program;
use crate::scale::Scale;

/// `Play` streams of as many players, whose clients read them.
const STREAMS: usize = 1000;

/// Prints the time from SIGTERM to the end of the service while streams are open.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let program = Program::serve(folder.path());
    let streams = scale.count(STREAMS);
    let sessions = runtime.block_on(open_streams(program.address(), streams));
    for mut session in sessions {
        runtime.spawn(async move { while let Some(Ok(_)) = session.receiver.next().await {} });
    }
    let taken = program.stop();
    println!(
        "SIGTERM to exit with {streams} open streams: {:.3} s",
        taken.as_secs_f64()
    );
    figure("shutdown/streams", taken.as_secs_f64(), "s");
}
