//! Fuzzes the target `sealed_records`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("sealed_records").run)(data));
