use std::fmt::{self, Display, Write as _};

/// The elements of HTML that never have anything in them, and so have no end tag.
const VOID: &[&str] = &["br", "col", "hr", "input", "link", "meta"];

/// Replaces a character that a text must not contain.
const REPLACEMENT: char = '\u{fffd}';

/// An element of HTML, SVG or XML. All text is escaped, unless it is an element
/// itself or a text of this program.
///
/// Names and details come from bots, so escaping is part of the type: it also replaces control
/// characters and those that turn the direction of text, which neither maud nor quick-junit does, and
/// writes pages that an XML parser accepts, which maud does not (`<br>`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    attributes: String,
    inside: String,
}

impl Element {
    /// An element with nothing in it.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: String::new(),
            inside: String::new(),
        }
    }

    /// With an attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Display) -> Self {
        let value = escaped(&value.to_string());
        put(&mut self.attributes, format_args!(" {name}=\"{value}\""));
        self
    }

    /// With an attribute whose value is a length or a place in a drawing.
    #[must_use]
    pub fn at(self, name: &'static str, value: f64) -> Self {
        self.with(name, Rounded(value))
    }

    /// With a text at the end.
    #[must_use]
    pub fn text(mut self, text: impl Display) -> Self {
        self.inside.push_str(&escaped(&text.to_string()));
        self
    }

    /// With an element at the end.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        child.close_into(&mut self.inside);
        self
    }

    /// With elements at the end.
    #[must_use]
    pub fn children(self, children: impl IntoIterator<Item = Self>) -> Self {
        children.into_iter().fold(self, Self::child)
    }

    /// With a text of this program at the end, as it is: a style, a script.
    #[must_use]
    pub fn raw(mut self, text: &'static str) -> Self {
        self.inside.push_str(text);
        self
    }

    /// With JSON for a script at the end, escaped so that nothing in it can end the script.
    #[must_use]
    pub fn json(mut self, json: &str) -> Self {
        let harmless = json
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026");
        self.inside.push_str(&harmless);
        self
    }

    /// Returns true if the element begins with this id.
    pub(super) fn has_id(&self, id: &str) -> bool {
        let rest = self.attributes.strip_prefix(" id=\"");
        rest.and_then(|rest| rest.strip_prefix(id))
            .is_some_and(|rest| rest.starts_with('"'))
    }

    /// Writes the element to the end of a text.
    fn close_into(self, text: &mut String) {
        let Self {
            name,
            attributes,
            inside,
        } = self;
        for part in ["<", name, &attributes] {
            text.push_str(part);
        }
        if VOID.contains(&name) {
            text.push_str("/>");
        } else {
            for part in [">", &inside, "</", name, ">"] {
                text.push_str(part);
            }
        }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.clone().close_into(&mut text);
        f.write_str(&text)
    }
}

/// A number with at most one decimal.
#[derive(Clone, Copy, Debug)]
pub struct Rounded(pub f64);

impl Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.1}", self.0);
        let short = text.strip_suffix(".0").unwrap_or(&text);
        f.write_str(if short == "-0" { "0" } else { short })
    }
}

/// A text in which nothing is markup. Characters that XML forbids, and those that turn the
/// direction of what is around them, are replaced.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(letter),
            '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{fffe}'
            | '\u{ffff}' => safe.push(REPLACEMENT),
            letter if letter.is_control() => safe.push(REPLACEMENT),
            letter => safe.push(letter),
        }
    }
    safe
}

fn put(text: &mut String, more: fmt::Arguments<'_>) {
    text.write_fmt(more)
        .expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_cannot_get_out() {
        let hostile = "\"><script>alert('&amp;')</script>\u{202e}\0]]>";
        let element = Element::new("p").with("title", hostile).text(hostile);
        let safe = "&quot;&gt;&lt;script&gt;alert(&#39;&amp;amp;&#39;)&lt;/script&gt;\u{fffd}\u{fffd}]]&gt;";
        assert_eq!(
            element.to_string(),
            format!("<p title=\"{safe}\">{safe}</p>")
        );
    }

    #[test]
    fn data_cannot_end_its_script() {
        let data = "[\"</script><!--\",\"&\"]";
        let script = Element::new("script").json(data).to_string();
        assert_eq!(
            script,
            "<script>[\"\\u003c/script\\u003e\\u003c!--\",\"\\u0026\"]</script>"
        );
    }

    #[test]
    fn elements_are_nested_and_void_ones_have_no_end() {
        let list = Element::new("p")
            .child(Element::new("br"))
            .children([Element::new("b").text("x"), Element::new("i")]);
        assert_eq!(list.to_string(), "<p><br/><b>x</b><i></i></p>");
    }

    #[test]
    fn lengths_have_one_decimal() {
        let text = |value| Rounded(value).to_string();
        assert_eq!([text(2.04), text(-0.01), text(0.26)], ["2", "0", "0.3"]);
    }
}
