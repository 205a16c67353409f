/// The fault of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecodable;

/// The parameters of a query with their values, decoded as HTML forms and `encodeURIComponent` encode them.
pub(super) fn parameters(query: &str) -> Result<Vec<(String, String)>, Undecodable> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &str) -> Result<String, Undecodable> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit(), digit());
                let code = high.zip(low).map(|(high, low)| high * 16 + low);
                let code = code.and_then(|code| u8::try_from(code).ok());
                code.ok_or(Undecodable)?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| Undecodable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded() {
        let query = "position=OLMP%2B%2F8+w%20-&before=%C3%A4&x&=y&&z=1=2";
        let expected = [
            ("position", "OLMP+/8 w -"),
            ("before", "ä"),
            ("x", ""),
            ("", "y"),
            ("z", "1=2"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parameters(query), Ok(expected.to_vec()));
        assert_eq!(parameters(""), Ok(Vec::new()));
    }

    #[test]
    fn broken_codes_are_faults() {
        for query in ["a=%", "a=%4", "a=%zz", "%=1", "a=%FF", "a=%C3"] {
            assert_eq!(parameters(query), Err(Undecodable), "{query}");
        }
    }
}
