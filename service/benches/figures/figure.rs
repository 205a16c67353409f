/// Prints a figure as a line for programs: `figure NAME VALUE UNIT`.
///
/// A name is made of the section, what is measured and, if there are several, the size, with slashes between
/// them: `throughput/play/256`. Neither a name nor a unit has a space, and no name is printed twice. `cargo xtask
/// bench` reads these lines; other text of a bench is for people.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
pub(crate) fn figure(name: &str, value: f64, unit: &str) {
    println!("figure {name} {value} {unit}");
}
