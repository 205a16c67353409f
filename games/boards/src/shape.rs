use super::markup::Element;

/// A rectangle from its left upper corner.
pub(super) fn rect(at: [f64; 2], size: [f64; 2], fill: &str) -> Element {
    Element::new("rect")
        .at("x", at[0])
        .at("y", at[1])
        .at("width", size[0])
        .at("height", size[1])
        .with("fill", fill)
}

/// A disc.
pub(super) fn disc(at: [f64; 2], radius: f64, fill: &str) -> Element {
    Element::new("circle")
        .at("cx", at[0])
        .at("cy", at[1])
        .at("r", radius)
        .with("fill", fill)
}

/// A ring with nothing in it.
pub(super) fn ring(at: [f64; 2], radius: f64, stroke: &str, width: f64) -> Element {
    stroked(disc(at, radius, "none"), stroke, width)
}

/// With an outline.
pub(super) fn stroked(shape: Element, stroke: &str, width: f64) -> Element {
    shape.with("stroke", stroke).at("stroke-width", width)
}

/// A straight line.
pub(super) fn line(from: [f64; 2], to: [f64; 2], stroke: &str, width: f64) -> Element {
    let line = Element::new("line")
        .at("x1", from[0])
        .at("y1", from[1])
        .at("x2", to[0])
        .at("y2", to[1]);
    stroked(line, stroke, width)
}

/// A text whose middle is at the place.
pub(super) fn letters(at: [f64; 2], size: f64, fill: &str, text: &str) -> Element {
    Element::new("text")
        .at("x", at[0])
        .at("y", at[1] + size * 0.35)
        .at("font-size", size)
        .with("fill", fill)
        .with("text-anchor", "middle")
        .text(text)
}

/// A coordinate beside the board, in the colour of the page's texts.
pub(super) fn coordinate(at: [f64; 2], text: &str) -> Element {
    letters(at, 12.0, "currentColor", text).with("class", "coordinate")
}

/// A glyph: a group with an id.
pub(super) fn glyph(id: &str, shapes: impl IntoIterator<Item = Element>) -> Element {
    Element::new("g").with("id", id).children(shapes)
}
