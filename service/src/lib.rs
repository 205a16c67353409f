//! The gRPC match service of Dragontooth.
