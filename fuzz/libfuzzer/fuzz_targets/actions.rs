//! Fuzzes the target `actions`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("actions").run)(data));
