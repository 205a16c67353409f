use std::path::Path;
use std::{fs, io};

use anyhow::{Context as _, Result};

/// Makes `folder` an empty folder.
pub(crate) fn empty_folder(folder: &Path) -> Result<()> {
    let place = || folder.display().to_string();
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => removed.with_context(place)?,
    }
    fs::create_dir_all(folder).with_context(place)
}
