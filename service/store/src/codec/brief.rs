//! Briefs of ended matches as bytes. A line of them is checked where it is stored.

use dragontooth_service_vocabulary::{PlayerId, RequestId, Visibility};

use crate::MatchBrief;

/// The version of the format that is written, and the only one that is read: briefs of another are rebuilt.
const BRIEF_FORMAT: u8 = 2;

/// Bits of the second byte: the parts that are there.
const FIRST_PLAYER: u8 = 1;
const SECOND_PLAYER: u8 = 2;
const SEED_MARK: u8 = 4;
const REQUEST_ID: u8 = 8;
const PRIVATE: u8 = 16;

/// The format, the parts that are there, the creator, the players, the seed's mark, a length with the name of the game and one with
/// that of the variant, and the id of the request.
pub(crate) fn encode_brief(brief: &MatchBrief) -> Vec<u8> {
    let [first, second] = brief.players;
    let parts = [
        (first.is_some(), FIRST_PLAYER),
        (second.is_some(), SECOND_PLAYER),
        (brief.seed_mark.is_some(), SEED_MARK),
        (brief.request_id.is_some(), REQUEST_ID),
        (brief.visibility == Visibility::Private, PRIVATE),
    ];
    let parts = parts.iter().filter(|(is_there, _)| *is_there);
    let mut bytes = vec![BRIEF_FORMAT, parts.map(|(_, bit)| bit).sum()];
    bytes.extend(brief.creator.bytes());
    for player in brief.players.into_iter().flatten() {
        bytes.extend(player.bytes());
    }
    bytes.extend(brief.seed_mark.iter().flatten());
    for name in [&brief.game, &brief.variant] {
        let name = name.as_bytes();
        let name = &name[..name.len().min(u8::MAX.into())];
        bytes.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        bytes.extend(name);
    }
    bytes.extend(brief.request_id.iter().flat_map(|id| id.as_str().bytes()));
    bytes
}

/// The brief that these bytes store; `None` if they are of another format.
pub(crate) fn decode_brief(bytes: &[u8]) -> Option<MatchBrief> {
    let ([BRIEF_FORMAT, parts], mut rest) = bytes.split_first_chunk()? else {
        return None;
    };
    let mut id = |bit: u8| -> Option<Option<[u8; 16]>> {
        if parts & bit != bit {
            return Some(None);
        }
        let (id, behind) = rest.split_first_chunk()?;
        rest = behind;
        Some(Some(*id))
    };
    let creator = id(0)??;
    let players = [id(FIRST_PLAYER)?, id(SECOND_PLAYER)?];
    let seed_mark = id(SEED_MARK)?;
    let mut name = || -> Option<String> {
        let (length, behind) = rest.split_first()?;
        let (name, behind) = behind.split_at_checked(usize::from(*length))?;
        rest = behind;
        String::from_utf8(name.to_vec()).ok()
    };
    let (game, variant) = (name()?, name()?);
    Some(MatchBrief {
        game,
        variant,
        players: players.map(|player| player.map(PlayerId::from_bytes)),
        creator: PlayerId::from_bytes(creator),
        visibility: if parts & PRIVATE == 0 {
            Visibility::Public
        } else {
            Visibility::Private
        },
        seed_mark,
        request_id: if parts & REQUEST_ID == 0 {
            None
        } else {
            Some(RequestId::new(std::str::from_utf8(rest).ok()?).ok()?)
        },
    })
}
