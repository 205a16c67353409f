use std::fmt::Display;

use dragontooth_games_boards::Element;

/// Nothing is loaded from anywhere, whatever may have got into a page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// The style of every page.
pub(super) const STYLE: &str = include_str!("page.css");

/// A page with this title and this style besides the one of all pages.
pub(super) fn page(
    title: &str,
    style: &'static str,
    body: impl IntoIterator<Item = Element>,
) -> String {
    let meta = |name: &'static str, content: &str| {
        Element::new("meta")
            .with("name", name)
            .with("content", content)
    };
    let policy = Element::new("meta")
        .with("http-equiv", "Content-Security-Policy")
        .with("content", POLICY);
    let head = Element::new("head")
        .child(Element::new("meta").with("charset", "utf-8"))
        .child(policy)
        .child(meta("viewport", "width=device-width, initial-scale=1"))
        .child(meta("color-scheme", "light dark"))
        .child(Element::new("title").text(title))
        .child(Element::new("style").raw(STYLE).raw(style));
    let html = Element::new("html")
        .with("lang", "en")
        .child(head)
        .child(Element::new("body").children(body));
    format!("<!doctype html>\n{html}\n")
}

/// A part of a page with a heading, to which links may lead.
pub(super) fn section(id: &'static str, heading: &str) -> Element {
    Element::new("section")
        .with("aria-labelledby", id)
        .child(Element::new("h2").with("id", id).text(heading))
}

/// A text with its line breaks, which the keyboard scrolls, too.
pub(super) fn preformatted(text: impl Display) -> Element {
    Element::new("pre").with("tabindex", 0).text(text)
}

/// A paragraph of secondary text.
pub(super) fn note(text: &str) -> Element {
    Element::new("p").with("class", "note").text(text)
}
