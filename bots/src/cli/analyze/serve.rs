use std::io::{self, BufWriter, ErrorKind, Read, Write};

use dragontooth_games::catalogue;

use super::super::Exit;
use super::super::failure::Failure;
use super::answer::Answer;
use super::lines::{LINE_BYTES_MAX, Line, Lines};
use super::question::Question;

/// Size of the output buffer.
const BUFFER_BYTES: usize = 1 << 16;

/// Answers each line of standard input with a line on standard output.
///
/// Answers are written in blocks. Whenever the input has nothing more to read they are flushed, so a caller
/// that writes a line and waits gets its answer.
pub(in crate::cli) fn run() -> Result<Exit, Failure> {
    match serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => Ok(Exit::Done),
        // The reader is gone.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::system(format!("the analysis failed: {error}"))),
    }
}

fn serve(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut lines = Lines::new(input);
    let mut output = BufWriter::with_capacity(BUFFER_BYTES, output);
    while let Some(line) = lines.next(|| output.flush())? {
        let answer = match line {
            Line::Whole(line) => answer(line),
            Line::TooLong => {
                Answer::unreadable(format!("the line is longer than {LINE_BYTES_MAX} bytes"))
            }
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
    }
    output.flush()
}

fn answer(line: &[u8]) -> Answer {
    let question = match Question::parse(line) {
        Ok(question) => question,
        Err(message) => return Answer::unreadable(message),
    };
    let with_results = question.wants_results();
    let game = match catalogue::find(&question.game) {
        Ok(game) => game,
        Err(error) => return Answer::unknown_game(&error, with_results),
    };
    match game.analyze(&question.with_actions(&question.actions())) {
        Ok(analysis) => Answer::new(analysis, with_results),
        Err(error) => Answer::refused(error, with_results),
    }
}
