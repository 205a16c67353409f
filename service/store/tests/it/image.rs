//! File systems in files, from which a copy takes what has reached the "disk".

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
    process::Command,
};

use crate::mount::run;

/// Makes an image with an empty file system, with `options` of `mkfs.ext4`.
pub(crate) fn format(image: &Path, bytes: u64, options: &[&str]) -> Result<(), String> {
    let _ = fs::remove_file(image);
    File::create(image)
        .and_then(|file| file.set_len(bytes))
        .unwrap();
    run(Command::new("mkfs.ext4")
        .args(["-q", "-F"])
        .args(options)
        .arg(image))
}

/// Copies an image as of one moment, although the kernel may be writing to it.
pub(crate) fn copy_at_rest(image: &Path, copy: &Path) -> io::Result<()> {
    loop {
        fs::copy(image, copy)?;
        if is_equal(image, copy)? {
            return Ok(());
        }
    }
}

fn is_equal(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let mut buffers = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let blocks = one.metadata()?.len() >> 20;
    for _ in 0..blocks {
        one.read_exact(&mut buffers.0)?;
        other.read_exact(&mut buffers.1)?;
        if buffers.0 != buffers.1 {
            return Ok(false);
        }
    }
    Ok(true)
}
