use dragontooth_games::hex;
use dragontooth_service_vocabulary::{ListOrder, MatchId, PlayerId, Stage};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::fault::InvalidField;
use crate::access::Viewer;
use crate::matches::Filter;

/// Bytes of the code that authenticates a token: half of HMAC-SHA-256, which nobody guesses in the life of a key.
const CODE_BYTES: usize = 16;

/// The longest place, in bytes: that of the digest which hides it.
const MOST_PLACE_BYTES: usize = 32;

/// Issues the tokens of pages and reads them: the place at which the next page begins, with a code over that place, the
/// list and who asked for it. The place is masked by what follows from the code and the key: it may be a match that the caller is not to see in
/// this list yet.
#[derive(Clone)]
pub(super) struct PageTokens {
    key: [u8; 32],
}

/// A list that has pages: its kind, its filter and its caller.
pub(super) struct PagedList(Hmac<Sha256>);

impl std::fmt::Debug for PageTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageTokens(…)")
    }
}

impl PageTokens {
    /// Tokens that are known by this secret key.
    pub(super) const fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The list of matches with a filter, as a viewer sees it.
    pub(super) fn matches(&self, viewer: &Viewer, filter: &Filter) -> PagedList {
        let mut list = self.list("matches", viewer);
        list.field(filter.stage.map(|stage| match stage {
            Stage::Open => "open",
            Stage::Active => "active",
            Stage::Ended => "ended",
        }));
        list.field(filter.game);
        list.field(filter.player.map(PlayerId::bytes));
        // Without a period the list is the one of earlier versions, whose tokens stay valid.
        if filter.from.is_some() || filter.before.is_some() {
            list.field(filter.from.map(MatchId::bytes));
            list.field(filter.before.map(MatchId::bytes));
        }
        // The same holds for these.
        let has_more = filter.variant.is_some()
            || filter.opponent.is_some()
            || filter.creator.is_some()
            || filter.order != ListOrder::NewestFirst;
        if has_more {
            list.field(filter.variant);
            list.field(filter.opponent.map(PlayerId::bytes));
            list.field(filter.creator.map(PlayerId::bytes));
            list.field(Some(match filter.order {
                ListOrder::NewestFirst => "newest",
                ListOrder::OldestFirst => "oldest",
            }));
        }
        list
    }

    /// The list of the present players that accept a game, or any.
    pub(super) fn players(&self, viewer: &Viewer, game: Option<&str>) -> PagedList {
        let mut list = self.list("players", viewer);
        list.field(game);
        list
    }

    /// The list of the issued tokens, for an operator.
    pub(super) fn tokens(&self, viewer: &Viewer) -> PagedList {
        self.list("tokens", viewer)
    }

    fn list(&self, kind: &str, viewer: &Viewer) -> PagedList {
        let code = Hmac::new_from_slice(&self.key).expect("a key of any length will do");
        let mut list = PagedList(code);
        list.field(Some("dragontooth.page.v1"));
        list.field(Some(kind));
        list.field(viewer.is_admin().then_some("operator"));
        list.field(viewer.player().map(PlayerId::bytes));
        list
    }
}

impl PagedList {
    /// Adds a field, which no other fields can be mistaken for.
    fn field(&mut self, field: Option<impl AsRef<[u8]>>) {
        let Some(field) = field else {
            return self.0.update(&[0]);
        };
        let bytes = field.as_ref();
        self.0.update(&[1]);
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// The token of the page of this list that begins after `place`.
    pub(super) fn token<const BYTES: usize>(&self, place: &[u8; BYTES]) -> String {
        let code = self.code(place).finalize().into_bytes();
        let (code, _) = code.split_first_chunk().expect("a digest is longer");
        hex(&self.masked(place, code)) + &hex(code)
    }

    /// The place in the list after which a page begins; `None` for the first page, which has the empty token.
    ///
    /// # Errors
    ///
    /// It is not a token of this list, or has been changed.
    pub(super) fn place<const BYTES: usize>(
        &self,
        token: &str,
    ) -> Result<Option<[u8; BYTES]>, InvalidField> {
        if token.is_empty() {
            return Ok(None);
        }
        let place = Self::parse(token).and_then(|(bytes, code)| {
            let place = self.masked(&bytes, &code);
            let is_issued = self.code(&place).verify_truncated_left(&code).is_ok();
            // Earlier versions issued the place itself. No token of today has a code that makes one of these.
            let is_earlier = || {
                self.earlier_code(&bytes)
                    .verify_truncated_left(&code)
                    .is_ok()
            };
            is_issued
                .then_some(place)
                .or_else(|| is_earlier().then_some(bytes))
        });
        let place = place.ok_or_else(|| {
            let why = "it is not the token of a page of this list: the same caller and filter";
            InvalidField::new("page_token", why)
        })?;
        Ok(Some(place))
    }

    fn code(&self, place: &[u8]) -> Hmac<Sha256> {
        // No field begins with this byte.
        self.0.clone().chain_update([2]).chain_update(place)
    }

    fn earlier_code(&self, place: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(place)
    }

    /// The place masked, or unmasked.
    fn masked<const BYTES: usize>(
        &self,
        place: &[u8; BYTES],
        code: &[u8; CODE_BYTES],
    ) -> [u8; BYTES] {
        const { assert!(BYTES <= MOST_PLACE_BYTES, "the mask is too short") };
        let mask = self.0.clone().chain_update([3]).chain_update(code);
        let mask = mask.finalize().into_bytes();
        std::array::from_fn(|at| place[at] ^ mask[at])
    }

    fn parse<const BYTES: usize>(token: &str) -> Option<([u8; BYTES], [u8; CODE_BYTES])> {
        let (digits, rest) = token.as_bytes().as_chunks::<2>();
        if !rest.is_empty() || digits.len() != BYTES + CODE_BYTES {
            return None;
        }
        let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
        let bytes: Vec<u8> = digits.iter().map(byte).collect::<Option<_>>()?;
        let (place, code) = bytes.split_first_chunk()?;
        Some((*place, code.try_into().ok()?))
    }
}

/// The value of a hexadecimal digit in lower case, so that each token has one form.
const fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::Scope;

    use super::*;
    use crate::access::Caller;

    const PLACE: [u8; 16] = [0x5a; 16];

    fn tokens() -> PageTokens {
        PageTokens::new([7; 32])
    }

    fn player(number: u8) -> PlayerId {
        PlayerId::from_bytes([number; 16])
    }

    fn viewer(number: u8, scopes: &[Scope]) -> Viewer {
        Viewer::from(Caller {
            player: player(number),
            scopes: scopes.iter().copied().collect(),
            token: None,
            name: None,
            expires: None,
        })
    }

    /// Lists that differ in one thing each.
    fn lists(tokens: &PageTokens) -> Vec<PagedList> {
        use Scope::{Admin, Watch};
        let nobody = Viewer::default();
        let any = Filter::default;
        let with_stage = |stage| Filter {
            stage: Some(stage),
            ..any()
        };
        let with_game = |game| Filter {
            game: Some(game),
            ..any()
        };
        let with_player = |number| Filter {
            player: Some(player(number)),
            ..any()
        };
        let between = |from: Option<u8>, before: Option<u8>| {
            let id = |number| MatchId::from_bytes([number; 16]);
            Filter {
                from: from.map(id),
                before: before.map(id),
                ..any()
            }
        };
        vec![
            tokens.matches(&nobody, &between(Some(1), None)),
            tokens.matches(&nobody, &between(None, Some(1))),
            tokens.matches(&nobody, &between(Some(1), Some(2))),
            tokens.matches(&nobody, &any()),
            tokens.matches(&viewer(1, &[Watch]), &any()),
            tokens.matches(&viewer(2, &[Watch]), &any()),
            tokens.matches(&viewer(1, &[Admin]), &any()),
            tokens.matches(&nobody, &with_stage(Stage::Open)),
            tokens.matches(&nobody, &with_stage(Stage::Ended)),
            tokens.matches(&nobody, &with_game("linja")),
            tokens.matches(&nobody, &with_game("tzaar")),
            tokens.matches(&nobody, &with_player(1)),
            tokens.matches(&nobody, &with_player(2)),
            tokens.matches(
                &nobody,
                &Filter {
                    order: ListOrder::OldestFirst,
                    ..any()
                },
            ),
            tokens.matches(
                &nobody,
                &Filter {
                    opponent: Some(player(1)),
                    ..with_player(2)
                },
            ),
            tokens.matches(
                &nobody,
                &Filter {
                    creator: Some(player(1)),
                    ..with_player(2)
                },
            ),
            tokens.matches(
                &nobody,
                &Filter {
                    variant: Some("random"),
                    ..with_game("linja")
                },
            ),
            tokens.players(&nobody, None),
            tokens.players(&nobody, Some("linja")),
            tokens.tokens(&nobody),
            tokens.tokens(&viewer(1, &[Admin])),
            PageTokens::new([8; 32]).matches(&nobody, &any()),
        ]
    }

    #[test]
    fn a_token_is_of_one_list() {
        let lists = lists(&tokens());
        for (issued, list) in lists.iter().enumerate() {
            let token = list.token(&PLACE);
            for (read, other) in lists.iter().enumerate() {
                let place = other.place::<16>(&token);
                if issued == read {
                    assert_eq!(place, Ok(Some(PLACE)));
                } else {
                    assert_eq!(place.unwrap_err().field, "page_token", "{issued} {read}");
                }
            }
        }
    }

    #[test]
    fn a_changed_token_is_refused() {
        let list = tokens().matches(&Viewer::default(), &Filter::default());
        let token = list.token(&PLACE);
        assert_eq!(list.place::<16>(""), Ok(None));
        for place in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[place] = if changed[place] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(list.place::<16>(&changed).is_err(), "{changed}");
            assert!(list.place::<16>(&token[..place]).is_err() || place == 0);
        }
        for changed in [
            token.to_uppercase(),
            format!("{token}00"),
            format!("0{token}"),
        ] {
            assert!(list.place::<16>(&changed).is_err(), "{changed}");
        }
        assert!(list.place::<8>(&token).is_err());
        assert!(list.place::<16>(&list.token(&[1; 8])).is_err());
    }

    /// Computed by Python's `hmac` over the fields as they are written above.
    #[test]
    fn the_code_is_hmac_sha_256_and_hides_the_place() {
        let list = tokens().matches(&Viewer::default(), &Filter::default());
        let known = "544e228362076e624bf28e0c242f0d19d7a9cf74e89f8a8b6a10447d5f3ef4b0";
        assert_eq!(list.token(&PLACE), known);
    }

    /// Computed in the same way. What is known of a place does not make a token of this form out of one that hides it.
    #[test]
    fn a_token_of_earlier_versions_is_read() {
        let list = tokens().matches(&Viewer::default(), &Filter::default());
        let earlier = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a58ad5e5bdcf44393b0b458d686ca8092";
        assert_eq!(list.place(earlier), Ok(Some(PLACE)));
        let code = &list.token(&PLACE)[2 * PLACE.len()..];
        let guessed = format!("{}{code}", "5a".repeat(PLACE.len()));
        assert!(list.place::<16>(&guessed).is_err());
    }
}
