//! Generates the Rust for the protobuf files, with no protoc on the machine.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

const FILES: &[&str] = &[
    "dragontooth/store/v1/event.proto",
    "dragontooth/store/v1/match_summary.proto",
    "dragontooth/store/v1/session.proto",
    "dragontooth/store/v1/token_event.proto",
    "dragontooth/v1/admin_service.proto",
    "dragontooth/v1/error_reason.proto",
    "dragontooth/v1/game_service.proto",
    "dragontooth/v1/match.proto",
    "dragontooth/v1/match_service.proto",
    "dragontooth/v1/player_service.proto",
    // For reflection: clients decode the details of refusals.
    "google/rpc/error_details.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=dragontooth");
    println!("cargo::rerun-if-changed=google");
    let mut files = protox::compile(FILES, ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), files.encode_to_vec())?;
    // Their comments are not written for rustdoc.
    for file in files
        .file
        .iter_mut()
        .filter(|file| file.package().starts_with("google."))
    {
        file.source_code_info = None;
    }
    tonic_prost_build::configure()
        .client_mod_attribute(".", "#[cfg(feature = \"client\")]")
        .server_mod_attribute(".", "#[cfg(feature = \"server\")]")
        .boxed(".dragontooth.v1.MatchEvent.event.created")
        .boxed(".dragontooth.v1.WatchMatchesResponse.Change.change.match")
        .boxed(".dragontooth.store.v1.StoredEvent.event.created")
        .boxed(".dragontooth.v1.ExportMatchesResponse.response.record")
        // A message on a stream is moved many times, and most of them are short.
        .boxed(".dragontooth.v1.PlayResponse.response.invitation")
        .boxed(".dragontooth.v1.PlayResponse.response.match_opened")
        .boxed(".dragontooth.v1.PlayResponse.response.decision")
        .boxed(".dragontooth.v1.PlayResponse.response.match_closed")
        // Most actions have none.
        .boxed(".dragontooth.v1.SubmitActionRequest.thinking")
        .boxed(".dragontooth.v1.PlayRequest.Answer.thinking")
        .boxed(".dragontooth.v1.MatchEvent.ActionPlayed.thinking")
        .boxed(".dragontooth.store.v1.ActionPlayed.thinking")
        .compile_fds(files)?;
    Ok(())
}
