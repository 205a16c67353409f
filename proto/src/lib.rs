//! The protobuf API and the stored events of Dragontooth, as Rust.
//!
//! The `.proto` files beside this crate are the documentation of the API; the Rust is generated
//! from them and nothing else is here. Only the edges of the service, its store's codec and its
//! client name these types. The clients and the servers of the services are behind the features
//! `client` and `server`, so that who needs only the messages does not reach tonic.

#![cfg_attr(
    any(feature = "client", feature = "server"),
    expect(clippy::allow_attributes_without_reason, reason = "generated")
)]
#![cfg_attr(
    feature = "server",
    expect(clippy::allow_attributes, reason = "generated")
)]

/// The public API.
pub mod dragontooth {
    /// Version 1.
    #[expect(clippy::pedantic, reason = "generated")]
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/dragontooth.v1.rs"));
    }

    /// The stored events.
    pub mod store {
        /// Version 1.
        #[expect(clippy::pedantic, reason = "generated")]
        pub mod v1 {
            include!(concat!(env!("OUT_DIR"), "/dragontooth.store.v1.rs"));
        }
    }
}

/// The types of Google's that the API uses.
pub mod google {
    /// Errors.
    #[expect(missing_docs, reason = "generated, and documented where it comes from")]
    pub mod rpc {
        include!(concat!(env!("OUT_DIR"), "/google.rpc.rs"));
    }
}

pub use dragontooth::{store, v1};

/// All the files as an encoded `google.protobuf.FileDescriptorSet`, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
