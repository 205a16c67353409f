use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::bencher::Bencher;
use super::figures::Figures;
use crate::exec::Missing;

/// The variable with the folder of a checkout of wildbg.
const CHECKOUT: &str = "WILDBG";

/// The program that measures both. It depends on a checkout, so it is no package of the workspace.
const PROGRAM: &str = include_str!("wildbg/main.rs");

/// The files of wildbg that list plays. The rest of its crate is a neural network, which takes many minutes to build.
const FILES: &[&str] = &[
    "dice.rs",
    "position.rs",
    "position/conversion.rs",
    "position/double_moves.rs",
    "position/mixed_moves.rs",
];

/// The library that these files become.
const LIBRARY: &str = "#![allow(dead_code)]\npub mod dice;\npub mod position;\n";

/// Builds a program of our rules and wildbg's and measures both.
///
/// # Errors
///
/// [`Missing`] if `WILDBG` does not name a checkout; or the program cannot be built.
pub(super) fn measure(bench: &Bencher) -> Result<Figures> {
    let checkout = env::var(CHECKOUT).unwrap_or_default();
    let engine = Path::new(&checkout).join("crates/engine/src");
    if !engine.join(FILES[0]).is_file() {
        return Err(Missing(format!("{CHECKOUT} names no checkout of wildbg")).into());
    }
    let folder = bench.context.target.join("bench-wildbg");
    for file in FILES {
        let text = fs::read_to_string(engine.join(file)).with_context(|| (*file).to_owned())?;
        write(&folder.join("engine").join(file), &text)?;
    }
    write(&folder.join("engine/lib.rs"), LIBRARY)?;
    write(&folder.join("main.rs"), PROGRAM)?;
    write(&folder.join("Cargo.toml"), &manifest(&bench.context.root))?;
    let mut cargo = bench.context.cargo();
    cargo.current_dir(&folder);
    cargo.args(["run", "--quiet", "--release"]);
    bench.figures(cargo.env("CARGO_TARGET_DIR", folder.join("target")))
}

fn manifest(root: &Path) -> String {
    format!(
        "[package]\nname = \"engine\"\nedition = \"2024\"\n\
         [lib]\npath = \"engine/lib.rs\"\n\
         [[bin]]\nname = \"bench-wildbg\"\npath = \"main.rs\"\n\
         [dependencies]\n\
         base64 = \"0.22\"\n\
         dragontooth-games.path = '{}'\n\
         mimalloc = {{ version = \"0.1\", default-features = false }}\n\
         [workspace]\n",
        root.join("games").display(),
    )
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(path, text).with_context(|| path.display().to_string())
}
