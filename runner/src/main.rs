//! The program `dragontooth-runner`.

fn main() {}
