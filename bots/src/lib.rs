//! The Bot trait, built-in bots and the loop that plays them over gRPC.
