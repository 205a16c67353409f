use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The least that an entry of a folder counts: many empty files take room too.
const ENTRY_BYTES: u64 = 4096;

/// The size of everything in a folder and in the folders in it, by the blocks that it takes; the search ends
/// when it is more than `most`. What cannot be read does not count, and links are not followed.
pub(super) fn size_up_to(folder: &Path, most: u64) -> u64 {
    let mut size = 0_u64;
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.path().symlink_metadata() else {
                continue;
            };
            size = size.saturating_add(found.blocks().saturating_mul(512).max(ENTRY_BYTES));
            if size > most {
                return size;
            }
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_files_in_folders_and_stops_at_the_limit() {
        let place = std::env::temp_dir().join(format!("dragontooth-{}", uuid::Uuid::new_v4()));
        fs::create_dir_all(place.join("deep/deeper")).unwrap();
        assert_eq!(size_up_to(&place, u64::MAX), 2 * ENTRY_BYTES);
        fs::write(place.join("deep/deeper/file"), vec![1; 100_000]).unwrap();
        fs::File::open(place.join("deep/deeper/file"))
            .unwrap()
            .sync_all()
            .unwrap();
        std::os::unix::fs::symlink("/", place.join("root")).unwrap();
        let size = size_up_to(&place, u64::MAX);
        assert!((100_000..200_000).contains(&size), "{size}");
        assert!(size_up_to(&place, 10_000) > 10_000);
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(size_up_to(&place, u64::MAX), 0);
    }
}
