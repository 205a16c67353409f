/// A name in at most `letters`. Both of its ends stay, because versions of a bot differ at the end.
pub(super) fn shortened(name: &str, letters: usize) -> String {
    let all = name.chars().count();
    if all <= letters {
        return name.to_owned();
    }
    let kept = letters.saturating_sub(1);
    let start = kept / 2;
    let end = name.chars().skip(all - (kept - start));
    name.chars().take(start).chain(['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_both_ends() {
        for (name, letters, short) in [
            ("mybot-v1.2.3", 12, "mybot-v1.2.3"),
            ("mybot-v1.2.3-a", 10, "mybo…2.3-a"),
            ("mybot-v1.2.3-b", 10, "mybo…2.3-b"),
            ("mybot-v1.2.3-b", 13, "mybot-….2.3-b"),
            ("ñandúñandú", 4, "ñ…dú"),
        ] {
            assert_eq!(shortened(name, letters), short);
        }
    }
}
