//! All of it in any order.

use std::collections::BTreeMap;

use dragontooth_service_store::StreamId;
use dragontooth_service_vocabulary::Sequence;

use super::given::{Log, assert_conflict, stream};
use crate::random::Random;

pub(crate) async fn random_operations_agree_with_a_model(log: Log) {
    let mut random = Random::for_test("random_operations_agree_with_a_model");
    let mut model: BTreeMap<StreamId, Vec<Vec<u8>>> = BTreeMap::new();
    for _ in 0..1500 {
        let stream = stream(random.below(12));
        let known = model.get(&stream).map_or(0, |records| records.len() as u64);
        match random.below(4) {
            0 | 1 => {
                let expected = known + random.below(8).saturating_sub(6);
                let record = |random: &mut Random| {
                    let len = usize::try_from(random.below(300)).unwrap();
                    vec![u8::try_from(random.below(256)).unwrap(); len]
                };
                let count = random.below(6);
                let appended: Vec<_> = (0..count).map(|_| record(&mut random)).collect();
                let answer = log
                    .append(stream, Sequence(expected), appended.clone())
                    .await;
                if expected == known {
                    assert_eq!(answer.unwrap(), Sequence(known + count));
                    if count > 0 {
                        model.entry(stream).or_default().extend(appended);
                    }
                } else {
                    assert_conflict(&answer, stream, expected, known);
                }
            }
            2 => {
                let after = usize::try_from(random.below(known + 3)).unwrap();
                let limit = usize::try_from(random.below(40)).unwrap();
                let read = log
                    .read(stream, Sequence(after as u64), limit)
                    .await
                    .unwrap();
                let records = model.get(&stream).into_iter().flatten().cloned();
                assert!(
                    read.into_iter()
                        .eq((1..).map(Sequence).zip(records).skip(after).take(limit))
                );
                assert_eq!(log.head(stream).await.unwrap(), Sequence(known));
            }
            _ => {
                let after = (random.below(3) > 0).then_some(stream);
                let listed = log.streams(after, 5).await.unwrap();
                let expected = model
                    .iter()
                    .filter(|(id, _)| after.is_none_or(|after| **id > after))
                    .map(|(id, records)| (*id, Sequence(records.len() as u64)));
                assert!(listed.into_iter().eq(expected.take(5)));
            }
        }
    }
}
