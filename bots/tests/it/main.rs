//! The built-in bots and the program `dragontooth-bot`, from outside.

mod analyse;
mod cli;
mod perft;
