use std::time::Duration;

use dragontooth_games::record::{Thinking, ThinkingValue};
use dragontooth_proto::v1::Thinking as Wire;
use dragontooth_proto::v1::thinking::{Tag, Value};
use dragontooth_service_wire::thinking::{from_proto, to_proto};
use prost::Message;

fn thinking(texts: usize) -> Thinking {
    let value = ThinkingValue::points(-999_999.999_999).expect("in range");
    let mut thinking = Thinking::new(Some(value), Some(u32::MAX), Some(u64::MAX));
    thinking
        .set_time(Duration::from_hours(720))
        .expect("in range");
    for index in 0..texts {
        thinking
            .push_tag(format!("{index:02}"), "x".repeat(950 / texts - 10))
            .expect("short enough");
    }
    thinking
}

#[test]
fn thoughts_read_back() {
    for texts in [0_usize, 1, 7, 40] {
        let thinking = thinking(texts.max(1));
        assert_eq!(from_proto(to_proto(&thinking)), Ok(thinking));
    }
    assert_eq!(from_proto(Wire::default()), Ok(Thinking::default()));
}

/// The longest texts, many short ones, and all that is between.
#[test]
fn the_greatest_message_has_at_most_a_kibibyte() {
    for texts in 1..=80 {
        let bytes = to_proto(&thinking(texts)).encoded_len();
        assert!(bytes <= 1024, "{texts} tags make {bytes} bytes");
    }
    let mut line = thinking(1);
    line = Thinking::new(line.value, line.depth, line.nodes);
    line.set_time(Duration::from_hours(720)).unwrap();
    while line.push_line("a").is_ok() {}
    assert!(to_proto(&line).encoded_len() <= 1024);
}

#[test]
fn the_first_part_that_is_wrong_is_named() {
    let wrong = [
        (
            Wire {
                value: Some(Value::WinProbability(f64::NAN)),
                ..Wire::default()
            },
            "thinking.win_probability",
        ),
        (
            Wire {
                value: Some(Value::Points(f64::INFINITY)),
                ..Wire::default()
            },
            "thinking.points",
        ),
        (
            Wire {
                time: Some(prost_types::Duration {
                    seconds: -1,
                    nanos: 0,
                }),
                ..Wire::default()
            },
            "thinking.time",
        ),
        (
            Wire {
                line: vec!["a".repeat(129)],
                ..Wire::default()
            },
            "thinking.line",
        ),
        (
            Wire {
                tags: vec![Tag::default()],
                ..Wire::default()
            },
            "thinking.tags",
        ),
    ];
    for (wire, field) in wrong {
        assert_eq!(from_proto(wire).unwrap_err().field, field);
    }
}
