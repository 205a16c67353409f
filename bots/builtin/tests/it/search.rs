//! The search, on the games of the catalogue and on a small game in which a seat may act twice in a row, turns
//! pass and games are drawn.

mod backgammon;
mod kamisado;
mod limits;
mod linja;
mod minimax;
mod plain;
mod sticks;
mod tzaar;

use dragontooth_bots_builtin::search::SplitMix64;

#[test]
fn split_mix_gives_the_published_numbers() {
    // Rosetta Code, "Pseudo-random numbers/Splitmix64".
    let mut generator = SplitMix64::new(1_234_567);
    let numbers: Vec<u64> = (0..5).map(|_| generator.next_word()).collect();
    assert_eq!(
        numbers,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
    );
}
