//! The paths in the text of a module, and the types that it declares. No compiler reads it: it does not see names that a macro makes,
//! methods, and names that a glob imports.

use std::collections::BTreeSet;

use crate::rust_text::{is_name, tokens};

/// The names in a module's file, tests aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The modules that it declares, those for tests aside.
    pub(super) modules: BTreeSet<String>,
    /// The types that it declares for everyone.
    pub(super) types: BTreeSet<String>,
    /// The names that it imports.
    pub(super) uses: Vec<Use>,
    /// The paths in its code that begin with `crate`, `super`, `self` or a module that it declares.
    pub(super) paths: Vec<Vec<String>>,
}

/// An imported name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// The name here; `*` for all.
    pub(super) name: String,
    pub(super) path: Vec<String>,
    /// True if others can import it from here.
    pub(super) is_public: bool,
}

/// The paths of the names that a module imports, tests aside, with groups written out.
pub(crate) fn imports(text: &str) -> impl Iterator<Item = String> {
    names(text).uses.into_iter().map(|one| one.path.join("::"))
}

/// Reads the text of a module.
pub(super) fn names(text: &str) -> Names {
    let tokens = tokens(text);
    let mut names = Names::default();
    let mut at = 0;
    let mut in_path = false;
    while let Some(&token) = tokens.get(at) {
        match token {
            "mod" if tokens.get(at + 2) == Some(&";") => {
                if !is_for_tests(&tokens[..at]) {
                    names.modules.insert(tokens[at + 1].to_owned());
                }
                at += 3;
            }
            "mod" if tokens.get(at + 2) == Some(&"{") && is_for_tests(&tokens[..at]) => {
                at = block_end(&tokens, at + 2);
            }
            "struct" | "enum" | "trait" | "type" | "union" if at > 0 && tokens[at - 1] == "pub" => {
                let name = tokens.get(at + 1).filter(|name| is_name(name));
                names.types.extend(name.map(|&name| name.to_owned()));
                at += 1;
            }
            "use" => {
                let is_public = at > 0 && [")", "pub"].contains(&tokens[at - 1]);
                at = read_use(&tokens, at + 1, &mut Vec::new(), is_public, &mut names.uses);
            }
            _ if !in_path && is_name(token) && tokens.get(at + 1) == Some(&"::") => {
                let mut path = vec![token.to_owned()];
                while tokens.get(at + 1) == Some(&"::")
                    && tokens.get(at + 2).is_some_and(|name| is_name(name))
                {
                    path.push(tokens[at + 2].to_owned());
                    at += 2;
                }
                names.paths.push(path);
                at += 1;
            }
            _ => at += 1,
        }
        in_path = at > 0 && tokens.get(at - 1) == Some(&"::");
    }
    let modules = &names.modules;
    let begins = |path: &Vec<String>| {
        ["crate", "super", "self"].contains(&path[0].as_str()) || modules.contains(&path[0])
    };
    names.paths.retain(begins);
    names
}

/// Reads the tree of a `use` from `at` on and returns where it ends.
fn read_use(
    tokens: &[&str],
    mut at: usize,
    prefix: &mut Vec<String>,
    is_public: bool,
    uses: &mut Vec<Use>,
) -> usize {
    let depth = prefix.len();
    while let Some(&token) = tokens.get(at) {
        match token {
            "{" => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(&"}")) {
                    let next = read_use(tokens, at, &mut prefix.clone(), is_public, uses);
                    // Skips a token that begins no name, such as the `r#` of a raw identifier.
                    let stuck = next == at;
                    at = next + usize::from(stuck || tokens.get(next) == Some(&","));
                }
                return at + 1;
            }
            "::" => at += 1,
            "as" => {
                if let (Some(one), Some(name)) = (uses.last_mut(), tokens.get(at + 1)) {
                    (*name).clone_into(&mut one.name);
                }
                return at + 2;
            }
            _ if is_name(token) || token == "*" => {
                at += 1;
                if tokens.get(at) == Some(&"::") {
                    prefix.push(token.to_owned());
                    continue;
                }
                let mut path = prefix.clone();
                if token != "*" && !(token == "self" && depth > 0) {
                    path.push(token.to_owned());
                }
                let name = if token == "self" {
                    path.last().cloned().unwrap_or_default()
                } else {
                    token.to_owned()
                };
                uses.push(Use {
                    name,
                    path,
                    is_public,
                });
                if tokens.get(at) != Some(&"as") {
                    return at;
                }
            }
            _ => return at,
        }
    }
    at
}

/// Returns true if the tokens end with `#[cfg(test)]`, perhaps with a visibility after it.
fn is_for_tests(before: &[&str]) -> bool {
    let mut before = before;
    while let [rest @ .., "pub" | "(" | ")" | "crate" | "super"] = before {
        before = rest;
        if before.ends_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            break;
        }
    }
    before.ends_with(&["#", "[", "cfg", "(", "test", ")", "]"])
}

/// The place after the block that opens at `open`.
fn block_end(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
