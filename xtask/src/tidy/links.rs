//! Links between the documents lead somewhere.

use super::kind::{Kind, extension};
use super::marks::without_code;
use crate::{File, Finding, Tree};

pub(super) fn check(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    if Kind::of(file) != Kind::Markdown {
        return findings;
    }
    for (index, line) in without_code(&file.text).lines().enumerate() {
        for target in targets(line) {
            if let Err(message) = follow(file, target, tree) {
                findings.push(Finding::at(&file.path, index + 1, "link", message));
            }
        }
    }
    findings
}

/// Where the links of `line` lead: `[text](target)` and `[label]: target`.
fn targets(line: &str) -> Vec<&str> {
    let mut targets: Vec<&str> = line
        .match_indices("](")
        .filter_map(|(at, open)| line[at + open.len()..].split(')').next())
        .collect();
    if let Some((label, target)) = line.split_once("]: ")
        && label.starts_with('[')
    {
        targets.push(target);
    }
    targets
        .iter()
        .filter_map(|target| target.split_whitespace().next())
        .collect()
}

fn follow(file: &File, target: &str, tree: &Tree) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() {
        file.path.clone()
    } else {
        resolve(&file.path, path).ok_or_else(|| format!("{target} leads out of the repository"))?
    };
    if !path.is_empty() && !tree.contains(&path) {
        return Err(format!("{target} leads to {path}, which does not exist"));
    }
    let has_heading = |text: &str| {
        text.lines()
            .any(|line| anchor(line).as_deref() == Some(heading))
    };
    if !heading.is_empty() && extension(&path) == "md" && !tree.text(&path).is_some_and(has_heading)
    {
        return Err(format!("{path} has no heading for #{heading}"));
    }
    Ok(())
}

/// The path that `link` in the file `from` means, relative to the repository.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "" => return None,
            "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The name under which a heading can be linked to: as GitHub and most viewers make it.
fn anchor(line: &str) -> Option<String> {
    let title = line.trim_start_matches('#').strip_prefix(' ')?;
    if title.len() + 1 == line.len() {
        return None;
    }
    let name = title.trim().to_lowercase();
    let kept = name
        .chars()
        .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, text: &str) -> usize {
        let others = [
            ("docs/rules/kamisado.md", "# Kamisado\n## A round's end\n"),
            (path, text),
        ];
        let tree = Tree::of(&others);
        check(&tree.files[1], &tree).len()
    }

    #[test]
    fn follows_links() {
        assert_eq!(
            broken(
                "README.md",
                "[a](docs/rules/kamisado.md), [b](docs/), <x>\n"
            ),
            0
        );
        assert_eq!(
            broken("docs/a.md", "[a](rules/kamisado.md#a-rounds-end \"t\")\n"),
            0
        );
        assert_eq!(
            broken(
                "docs/a.md",
                "[a]: ../docs/rules\n[b](https://example.org/x)\n"
            ),
            0
        );
        assert_eq!(
            broken("docs/a.md", "# Here\n[a](#here) `[b](nowhere.md)`\n"),
            0
        );
    }

    #[test]
    fn sees_links_to_nowhere() {
        assert_eq!(
            broken("README.md", "[a](docs/rules/go.md) and [b](nothing)\n"),
            2
        );
        assert_eq!(broken("docs/a.md", "[a](rules/kamisado.md#no-such)\n"), 1);
        assert_eq!(broken("docs/a.md", "[a]: nothing.md\n"), 1);
        assert_eq!(broken("docs/a.md", "[a](../../x.md) [b](/docs)\n"), 2);
    }
}
