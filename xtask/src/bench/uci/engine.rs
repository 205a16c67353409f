//! A chess engine that plays one game from memory. It answers at once, so that a match of two costs what the program
//! around them costs.

use std::io::{self, BufRead, Write};

const GAME: &str = include_str!("game.txt");

fn main() -> io::Result<()> {
    let lines = GAME.lines().filter(|line| !line.starts_with('#'));
    let moves: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let mut next = None;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        match line.split(' ').next() {
            Some("uci") => writeln!(output, "id name memory\nuciok")?,
            Some("isready") => writeln!(output, "readyok")?,
            Some("ucinewgame") => next = None,
            Some("position") => next = next.or_else(|| Some(first_ply(&line))),
            Some("go") => {
                let ply = next.unwrap_or_default();
                writeln!(output, "bestmove {}", moves.get(ply).unwrap_or(&"0000"))?;
                next = Some(ply + 2);
            }
            Some("quit") => break,
            _ => continue,
        }
        output.flush()?;
    }
    Ok(())
}

/// The ply of an engine's first position in a game: 0 as White, 1 as Black. Some programs list the moves from the
/// start, others give a position from which the list is shorter.
fn first_ply(line: &str) -> usize {
    let (position, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let is_black = position.contains(" b ");
    (usize::from(is_black) + moves.split_whitespace().count()) % 2
}
