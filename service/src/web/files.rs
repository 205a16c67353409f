use std::sync::LazyLock;

use super::answer::Content;

/// The files of the page, as `service/web` builds them, by their paths.
static FILES: LazyLock<[(&str, Content); 4]> = LazyLock::new(|| {
    [
        (
            "/",
            Content::page(
                "text/html; charset=utf-8",
                include_bytes!("../../web/dist/index.html"),
            ),
        ),
        (
            "/app.js",
            Content::page(
                "text/javascript; charset=utf-8",
                include_bytes!("../../web/dist/app.js"),
            ),
        ),
        (
            "/app.css",
            Content::page(
                "text/css; charset=utf-8",
                include_bytes!("../../web/dist/app.css"),
            ),
        ),
        (
            "/icon.svg",
            Content::page("image/svg+xml", include_bytes!("../../web/dist/icon.svg")),
        ),
    ]
});

/// The file at a path.
pub(super) fn at(path: &str) -> Option<&'static Content> {
    let file = FILES.iter().find(|(known, _)| *known == path);
    file.map(|(_, content)| content)
}
