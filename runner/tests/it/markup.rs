//! Checks of HTML and XML.

/// The names of the elements of a text. Asserts that every opened element is closed. Attributes
/// are in double quotes and contain none of `<`, `>`, `"`, as ours do.
pub(crate) fn elements(text: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let tag = &rest[start + 1..];
        let end = tag.find('>').unwrap();
        let (tag, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        if tag.starts_with(['!', '?']) {
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap().to_owned();
        names.push(name.clone());
        if name == "script" || name == "style" {
            rest = behind(&name, rest);
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
    names
}

/// The values of an attribute of all elements, in order. The text is as in [`elements`].
pub(crate) fn attributes<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').unwrap();
        let value = tag.split_once(&start);
        values.extend(value.map(|(_, value)| value.split('"').next().unwrap()));
        rest = match tag.split(' ').next() {
            Some(name @ ("script" | "style")) => behind(name, after),
            _ => after,
        };
    }
    values
}

/// The text behind the end of an element whose contents are no markup.
fn behind<'a>(name: &str, text: &'a str) -> &'a str {
    text.split_once(&format!("</{name}>")).unwrap().1
}
