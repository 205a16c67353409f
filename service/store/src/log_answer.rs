//! The answers of logs and catalogues.

use std::future::Ready;

use futures::future::{BoxFuture, Either};

/// The answer to a read: ready, or to be waited for.
pub type LogAnswer<'a, T> = Either<Ready<T>, BoxFuture<'a, T>>;
