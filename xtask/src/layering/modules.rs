//! The modules of a crate and the other modules that they name.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Names, names};
use crate::Tree;

/// A path of modules from the root of the crate, which is empty.
pub(super) type ModulePath = Vec<String>;

/// The most re-exports that a name is followed through.
const HOPS_MAX: usize = 8;

/// The modules of a crate that lie in files of their own, without those of tests.
#[derive(Debug, Default)]
pub(super) struct Modules {
    names: BTreeMap<ModulePath, Names>,
}

impl Modules {
    /// Reads the modules under `source`, a folder such as `games/src/`.
    pub(super) fn read(tree: &Tree, source: &str) -> Self {
        let mut files = BTreeMap::new();
        for file in &tree.files {
            let inside = file.path.strip_prefix(source);
            let Some(inside) = inside.and_then(|path| path.strip_suffix(".rs")) else {
                continue;
            };
            if inside == "main" || inside.starts_with("bin/") {
                continue;
            }
            let path: ModulePath = match inside {
                "lib" => Vec::new(),
                _ => inside.split('/').map(str::to_owned).collect(),
            };
            files.insert(path, names(&file.text));
        }
        let declared = |path: &ModulePath| {
            (0..path.len()).all(|depth| {
                let parent = files.get(&path[..depth]);
                parent.is_none_or(|names: &Names| names.modules.contains(&path[depth]))
            })
        };
        let kept: BTreeSet<ModulePath> = files
            .keys()
            .filter(|path| declared(path))
            .cloned()
            .collect();
        files.retain(|path, _| kept.contains(path));
        Self { names: files }
    }

    /// The types that each module declares for everyone.
    pub(super) fn types(&self) -> impl Iterator<Item = (&ModulePath, &str)> {
        self.names.iter().flat_map(|(path, names)| {
            let types = names.types.iter();
            types.map(move |noun| (path, noun.as_str()))
        })
    }

    /// The modules that each module names, without itself.
    pub(super) fn edges(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut edges = BTreeSet::new();
        for (from, names) in &self.names {
            let uses = names.uses.iter().filter_map(|one| {
                let target = self.resolve(from, &one.path, HOPS_MAX)?;
                // What a module exports of those inside it, it only passes on.
                let passes_on = one.is_public && target.starts_with(from);
                (!passes_on).then_some(target)
            });
            let paths = names.paths.iter();
            let paths = paths.filter_map(|path| self.resolve(from, path, HOPS_MAX));
            for target in uses.chain(paths).filter(|target| target != from) {
                edges.insert((from.clone(), target));
            }
        }
        edges
    }

    /// The children of each module, as the last names of their paths.
    pub(super) fn children(&self) -> BTreeMap<ModulePath, BTreeSet<String>> {
        let mut children: BTreeMap<ModulePath, BTreeSet<String>> = BTreeMap::new();
        for path in self.names.keys() {
            if let Some((name, parent)) = path.split_last() {
                children
                    .entry(parent.to_vec())
                    .or_default()
                    .insert(name.clone());
            }
        }
        children
    }

    /// The module whose file defines what `path` names in the module `from`; `None` if it is not in
    /// this crate.
    fn resolve(&self, from: &[String], path: &[String], hops: usize) -> Option<ModulePath> {
        let mut module = from.to_vec();
        let mut rest = path;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => {
                    module.pop()?;
                }
                _ => break,
            }
            rest = others;
        }
        let is_relative = rest.len() == path.len();
        loop {
            let Some((name, others)) = rest.split_first() else {
                return Some(module);
            };
            let mut child = module.clone();
            child.push(name.clone());
            if self.names.contains_key(&child) {
                module = child;
                rest = others;
                continue;
            }
            let names = self.names.get(&module)?;
            let imported = names.uses.iter().find(|one| one.name == *name);
            let Some(imported) = imported.filter(|one| hops > 0 && one.path != path) else {
                // A name without a beginning is of another crate, of the prelude or of this file.
                return (!is_relative || module != from).then_some(module);
            };
            let mut target = imported.path.clone();
            target.extend_from_slice(others);
            return self.resolve(&module, &target, hops - 1);
        }
    }
}
