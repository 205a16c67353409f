use dragontooth_games::Seat;
use dragontooth_service_client::DecisionId;
use sha2::{Digest, Sha256};

/// The seed of a decision: the first eight bytes, big-endian, of SHA-256 over a tag, the bot's
/// seed, the seat, the decision's number and the match's title.
///
/// It is the same whenever the same decision of a match of the same title is asked again.
#[must_use]
pub fn decision_seed(seed: u64, title: &str, seat: Seat, decision: DecisionId) -> u64 {
    let seat = match seat {
        Seat::First => [0],
        Seat::Second => [1],
    };
    let digest = Sha256::new()
        .chain_update(b"dragontooth.decision.v1\0")
        .chain_update(seed.to_be_bytes())
        .chain_update(seat)
        .chain_update(decision.sequence().0.to_be_bytes())
        .chain_update(title)
        .finalize();
    digest
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::Sequence;

    use super::*;

    fn at(sequence: u64) -> DecisionId {
        DecisionId::after(Sequence(sequence))
    }

    #[test]
    fn depends_on_all_arguments() {
        let seeds = [
            decision_seed(7, "demo/r1/p1/m1", Seat::First, at(4)),
            decision_seed(8, "demo/r1/p1/m1", Seat::First, at(4)),
            decision_seed(7, "demo/r1/p1/m2", Seat::First, at(4)),
            decision_seed(7, "demo/r1/p1/m1", Seat::Second, at(4)),
            decision_seed(7, "demo/r1/p1/m1", Seat::First, at(6)),
        ];
        for (place, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..place].contains(seed), "{seeds:?}");
        }
        assert_eq!(
            seeds[0],
            decision_seed(7, "demo/r1/p1/m1", Seat::First, at(4))
        );
    }

    #[test]
    fn is_pinned() {
        // printf 'dragontooth.decision.v1\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\4demo' | sha256sum
        assert_eq!(
            decision_seed(7, "demo", Seat::First, at(4)),
            0xc092_f17d_6e72_46e2
        );
    }
}
