//! Images of others are named by their digest, so that a tag that is moved changes nothing.

use std::path::Path;

use anyhow::Result;

use crate::{Finding, Tree};

/// The beginnings of the lines that name an image: in a Dockerfile, and in Compose and Kubernetes.
const NAMES: &[&str] = &["FROM ", "image: "];

/// The beginning of the names of our own images, which are built from the same commit.
const OURS: &str = "dragontooth-";

/// Finds the images in `deploy/` that are named without a digest.
///
/// # Errors
///
/// A file cannot be read.
pub fn check_pins(root: &Path) -> Result<Vec<Finding>> {
    Ok(unpinned(&Tree::load(root)?))
}

fn unpinned(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.paths("deploy/", "") {
        let mut stages = vec!["scratch"];
        for (index, line) in tree.text(path).unwrap_or_default().lines().enumerate() {
            let line = line.trim();
            let Some(image) = NAMES.iter().find_map(|name| line.strip_prefix(name)) else {
                continue;
            };
            let mut words = image.split(' ');
            let image = words.next().unwrap_or_default();
            let is_known = stages.contains(&image) || image.starts_with(OURS);
            // What a template puts in is the operator's choice.
            if !is_known && !image.starts_with("{{") && !has_digest(image) {
                let message = format!("{image} has no digest: name it by its tag and @sha256:…");
                findings.push(Finding::at(path, index + 1, "unpinned", message));
            }
            stages.extend(words.next_back());
        }
    }
    findings
}

/// Returns true if the name of an image ends with a digest.
fn has_digest(image: &str) -> bool {
    let digest = image
        .split_once("@sha256:")
        .map_or("", |(_, digest)| digest);
    digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let findings = unpinned(&Tree::of(&[(path, text)]));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_image_without_a_digest_is_found() {
        let digest = "0123456789abcdef".repeat(4);
        let dockerfile = |image: &str| {
            found(
                "deploy/Dockerfile",
                &format!("FROM {image} AS build\nFROM scratch AS base\nFROM base AS last\n"),
            )
        };
        assert_eq!(dockerfile(&format!("rust:1@sha256:{digest}")), [""; 0]);
        for image in ["rust:1", "rust:1@sha256:12"] {
            assert!(dockerfile(image)[0].contains(image));
        }
        let compose = "  image: docker.io/x/y:1\n  image: dragontooth-service:1\n";
        assert_eq!(found("deploy/compose.yaml", compose).len(), 1);
        let chart = "  image: {{ include \"image\" . }}\n";
        assert_eq!(found("deploy/helm/a.yaml", chart), [""; 0]);
    }
}
