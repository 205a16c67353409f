//! Every value of the vocabulary is read from the API as it was written.

mod numbers;
mod thinking;
mod times;
