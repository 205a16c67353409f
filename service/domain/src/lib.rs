//! A match as a pure decider: commands in, events out.
