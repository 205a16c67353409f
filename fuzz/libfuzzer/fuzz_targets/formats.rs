//! Fuzzes the target `formats`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("formats").run)(data));
