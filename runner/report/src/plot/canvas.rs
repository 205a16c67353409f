use dragontooth_games_boards::Element;

/// The width of a drawing. It is shown as wide as there is room, so this says how large its
/// letters are beside it.
pub(super) const WIDTH: f64 = 480.0;

/// An empty drawing of this height, with a name for those who do not see it.
pub(super) fn canvas(height: f64, name: &str) -> Element {
    Element::new("svg")
        .with("viewBox", format!("0 0 {WIDTH} {height:.0}"))
        .with("role", "img")
        .with("aria-label", name)
        .with("class", "plot")
}

/// A line from one point to another.
pub(super) fn line(class: &'static str, from: [f64; 2], to: [f64; 2]) -> Element {
    Element::new("line")
        .with("class", class)
        .at("x1", from[0])
        .at("y1", from[1])
        .at("x2", to[0])
        .at("y2", to[1])
}

/// A text, where `anchor` says which part of it is at the place.
pub(super) fn label(anchor: &'static str, at: [f64; 2], text: &str) -> Element {
    Element::new("text")
        .with("text-anchor", anchor)
        .at("x", at[0])
        .at("y", at[1])
        .text(text)
}
