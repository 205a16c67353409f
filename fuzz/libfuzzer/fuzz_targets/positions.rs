//! Fuzzes the target `positions`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("positions").run)(data));
