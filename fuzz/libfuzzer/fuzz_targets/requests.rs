//! Fuzzes the target `requests`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("requests").run)(data));
