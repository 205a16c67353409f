//! Fuzzes the target `engine_lines`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("engine_lines").run)(data));
