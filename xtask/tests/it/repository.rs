use xtask::{Finding, deploy, reasons, repository_root};

#[test]
fn the_reasons_of_refusals_stand_everywhere_as_in_the_api() {
    assert_none(&reasons::check_repository(&repository_root()).unwrap());
}

#[test]
fn versions_are_the_same_everywhere() {
    assert_none(&deploy::check_versions(&repository_root()).unwrap());
}

#[test]
fn images_are_named_by_their_digests() {
    assert_none(&deploy::check_pins(&repository_root()).unwrap());
}

#[test]
fn images_are_built_from_every_package() {
    assert_none(&deploy::check_build_context(&repository_root()).unwrap());
}

fn assert_none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}
