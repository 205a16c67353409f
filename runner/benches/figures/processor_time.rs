use std::fs;
use std::time::Duration;

/// The processor time of this process, to ten milliseconds.
pub(crate) fn own_cpu() -> Duration {
    cpu(11)
}

/// The processor time of all that this process has started and that has ended, to ten milliseconds.
pub(crate) fn cpu_of_children() -> Duration {
    cpu(13)
}

/// The sum of two fields of the system's account of this process: the processor time as a user and in the
/// system, in hundredths of a second.
fn cpu(first: usize) -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("the system lists this process");
    // The name of the program, in brackets, may have spaces.
    let (_, fields) = stat.rsplit_once(')').expect("the name is in brackets");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("it is a number of ticks");
    Duration::from_millis((ticks(first) + ticks(first + 1)) * 10)
}
