use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, Row, Table, TableStyle};

/// The text of an empty cell.
pub(super) const NOTHING: &str = "–";

/// The characters that Markdown may take for markup within a line.
const MARKUP: &str = "\\`*_{}[]<>|~&!#:@$";

/// A table before it is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DataTable {
    /// The title.
    pub(super) title: &'static str,
    /// The heads of the columns.
    pub(super) head: Vec<String>,
    /// The rows, each with a text for every column.
    pub(super) rows: Vec<Vec<String>>,
    /// Number of columns aligned to the left; the others, numbers, are aligned to the right.
    pub(super) left_columns: usize,
}

impl DataTable {
    /// The table for a terminal.
    pub(super) fn text(&self) -> String {
        self.laid_out(UTF8_FULL_CONDENSED, &self.rows)
    }

    /// The table in Markdown, in which the texts of its rows are no markup.
    pub(super) fn markdown(&self) -> String {
        let rows = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| markdown_text(cell)));
        let table = self.laid_out(ASCII_MARKDOWN, rows);
        let mut lines: Vec<&str> = table.lines().collect();
        let rule = lines
            .get(1)
            .map(|rule| self.aligned(rule))
            .unwrap_or_default();
        if let Some(second) = lines.get_mut(1) {
            *second = &rule;
        }
        lines.join("\n")
    }

    fn laid_out<R: Into<Row>>(
        &self,
        style: TableStyle,
        rows: impl IntoIterator<Item = R>,
    ) -> String {
        let mut table = Table::new();
        table
            .load_style(style)
            .set_header(&self.head)
            .add_rows(rows);
        for column in table.column_iter_mut().skip(self.left_columns) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.trim_fmt()
    }

    /// The rule below the head, with the alignment of the columns.
    fn aligned(&self, rule: &str) -> String {
        let columns = rule.trim_matches('|').split('|').enumerate();
        let marked = columns.map(|(at, dashes)| {
            let shorter = dashes.get(1..).unwrap_or_default();
            if at < self.left_columns {
                dashes.to_owned()
            } else {
                format!("{shorter}:")
            }
        });
        format!("|{}|", marked.collect::<Vec<_>>().join("|"))
    }
}

/// A text for a line in Markdown: nothing in it is markup, ends the cell of a table or becomes a link.
pub(super) fn markdown_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if MARKUP.contains(character) {
            escaped.push('\\');
        }
        escaped.push(if character == '\n' { ' ' } else { character });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_as_they_are_in_markdown() {
        let table = DataTable {
            title: "openings",
            head: vec!["opening".to_owned(), "matches".to_owned()],
            rows: vec![vec!["a|b <i> [x](y)\nc".to_owned(), "2".to_owned()]],
            left_columns: 1,
        };
        let markdown = table.markdown();
        let row = markdown.lines().nth(2).unwrap();
        assert!(row.starts_with(r"| a\|b \<i\> \[x\](y) c "), "{markdown}");
        assert_eq!(markdown.lines().count(), 3, "{markdown}");
        assert!(table.text().contains("a|b <i> [x](y)"));
    }
}
