//! Fuzzes the target `page_tokens`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (dragontooth_fuzz::target("page_tokens").run)(data));
