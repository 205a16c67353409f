use std::fs;

use crate::program::ask;

#[tokio::test]
async fn shells_complete_the_commands() {
    let (code, script, errors) = ask(&["completions", "fish"], &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(
        script.contains("complete -c dragontooth-service"),
        "{script}"
    );
    assert!(script.contains("side-listen"), "{script}");
}

#[tokio::test]
async fn every_command_has_a_man_page() {
    let (code, page, errors) = ask(&["man"], &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(page.contains(".TH dragontooth-service 1"), "{page}");
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("man1");
    let arguments = ["man", "--dir", dir.to_str().unwrap()];
    let (code, output, errors) = ask(&arguments, &[]).await;
    assert_eq!((code, output.as_str(), errors.as_str()), (0, "", ""));
    let names = fs::read_dir(&dir).unwrap();
    let names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
    assert!(
        names.contains(&"dragontooth-service-token-create.1".into()),
        "{names:?}"
    );
}
