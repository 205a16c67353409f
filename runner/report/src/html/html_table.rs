use dragontooth_games_boards::Element;

use super::super::table::DataTable;

/// A table in HTML that scrolls by itself where it is too wide.
#[derive(Debug)]
pub(super) struct HtmlTable {
    caption: &'static str,
    class: &'static str,
    frame: &'static str,
    head: Vec<Element>,
    rows: Vec<Element>,
}

impl HtmlTable {
    /// A table with a caption for screen readers.
    pub(super) const fn new(caption: &'static str) -> Self {
        Self {
            caption,
            class: "",
            frame: "scroll",
            head: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// With a class of the style.
    pub(super) const fn of_class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    /// With a fixed height, beyond which it scrolls.
    pub(super) const fn tall(mut self) -> Self {
        self.frame = "scroll tall";
        self
    }

    /// With a column of texts, or of numbers.
    pub(super) fn column(mut self, name: &str, is_text: bool) -> Self {
        let head = Element::new("th").with("scope", "col").text(name);
        self.head.push(if is_text {
            head.with("class", "text")
        } else {
            head
        });
        self
    }

    /// With columns of numbers.
    pub(super) fn columns(self, names: &[&str]) -> Self {
        names
            .iter()
            .fold(self, |table, name| table.column(name, false))
    }

    /// With rows of cells.
    pub(super) fn rows(mut self, rows: impl IntoIterator<Item = Vec<Element>>) -> Self {
        let rows = rows.into_iter();
        self.rows
            .extend(rows.map(|cells| Element::new("tr").children(cells)));
        self
    }

    /// The element.
    pub(super) fn element(self) -> Element {
        let head = Element::new("thead").child(Element::new("tr").children(self.head));
        let body = Element::new("tbody").children(self.rows);
        let table = Element::new("table").with("class", self.class);
        Element::new("div")
            .with("class", self.frame)
            .with("tabindex", 0)
            .with("role", "region")
            .with("aria-label", format!("table of {}", self.caption))
            .child(table.child(head).child(body))
    }
}

/// A table of a run as one in HTML.
pub(super) fn of_data(caption: &'static str, data: &DataTable) -> HtmlTable {
    let columns = data.head.iter().enumerate();
    let table = columns.fold(HtmlTable::new(caption), |table, (at, name)| {
        table.column(name, at < data.left_columns)
    });
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate();
        let cell = |(at, value): (usize, &String)| {
            if at < data.left_columns {
                text(value)
            } else {
                number(value)
            }
        };
        cells.map(cell).collect::<Vec<_>>()
    };
    table.rows(data.rows.iter().map(row))
}

/// A cell with a number.
pub(super) fn number(value: impl std::fmt::Display) -> Element {
    Element::new("td").text(value)
}

/// A cell with a number, or with a dash.
pub(super) fn maybe(value: Option<impl std::fmt::Display>) -> Element {
    match value {
        Some(value) => number(value),
        None => number("–"),
    }
}

/// A cell with a text.
pub(super) fn text(value: impl std::fmt::Display) -> Element {
    number(value).with("class", "text")
}

/// The head cell of a row.
pub(super) fn row_head(value: impl std::fmt::Display) -> Element {
    Element::new("th")
        .with("scope", "row")
        .with("class", "text")
        .text(value)
}
