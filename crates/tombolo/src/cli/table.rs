//! Tables as text.

/// Rows of cells in columns as wide as they need to be. Cells of numbers stand to the right.
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&'static str]) -> Table {
        Table { head: head.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.head.len());
        self.rows.push(cells.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table's lines, each indented by two blanks and without blanks at its end.
    pub(crate) fn render(&self) -> String {
        let columns = self.head.len();
        let width = |c: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(c)).map(|s| s.chars().count());
            cells.chain([self.head[c].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        // A column is one of numbers if each of its cells begins with a digit and none has a word.
        let numeric: Vec<bool> = (0..columns)
            .map(|c| {
                self.rows.iter().filter_map(|row| row.get(c)).all(|cell| {
                    cell.is_empty()
                        || cell == "-"
                        || (cell.starts_with(|ch: char| ch.is_ascii_digit())
                            && cell.chars().all(|ch| ch.is_ascii_digit() || ".,_ %".contains(ch)))
                })
            })
            .collect();
        let mut out = String::new();
        let mut line = |cells: &[&str]| {
            let mut text = String::from(" ");
            for (c, cell) in cells.iter().enumerate() {
                let pad = widths[c].saturating_sub(cell.chars().count());
                text.push(' ');
                if numeric[c] {
                    text.extend(std::iter::repeat_n(' ', pad));
                    text.push_str(cell);
                } else {
                    text.push_str(cell);
                    text.extend(std::iter::repeat_n(' ', pad));
                }
                text.push(' ');
            }
            out.push_str(text.trim_end());
            out.push('\n');
        };
        line(&self.head);
        for row in &self.rows {
            line(&row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        out
    }
}

/// Bytes for people: exact below 10 KiB, else also rounded.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..10_240 => format!("{n} B"),
        10_240..10_485_760 => format!("{n} B ({:.1} KiB)", n as f64 / 1024.0),
        _ => format!("{n} B ({:.1} MiB)", n as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = Table::new(&["what", "calls"]);
        table.row(["add".into(), "7".into()]);
        table.row(["convolution".into(), "123".into()]);
        assert_eq!(table.render(), "  what         calls\n  add              7\n  convolution    123\n");
    }

    #[test]
    fn sizes_are_exact() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(20_480), "20480 B (20.0 KiB)");
    }
}
