//! Fuzzes the target `stored_events`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("stored_events").run)(data));
