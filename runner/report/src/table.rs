use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, Table, TableStyle};

/// The text of an empty cell.
pub(super) const NOTHING: &str = "–";

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
        self.laid_out(UTF8_FULL_CONDENSED)
    }

    /// The table in Markdown.
    pub(super) fn markdown(&self) -> String {
        let table = self.laid_out(ASCII_MARKDOWN);
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

    fn laid_out(&self, style: TableStyle) -> String {
        let mut table = Table::new();
        table
            .load_style(style)
            .set_header(&self.head)
            .add_rows(&self.rows);
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
