//! The debug database that Vela writes with `--enable-debug-db`: which commands of a stream came of which layer.
//!
//! An XML file with tables of comma-separated values in CDATA sections. Of interest are `queue` (position of the
//! last command of a scheduled operation), `perf` (scheduled operations, with the layers that they came of) and
//! `source` (the layers of the network that was compiled).

use std::collections::BTreeMap;
use std::path::Path;
use tombolo::error::{Error, Result};
use tombolo::files;
use tombolo_sim::Timeline;

/// Where scheduled operations end in the stream, and what they are.
pub(crate) struct Layers {
    /// Position of the last command, index of the layer; in the order of the stream.
    ends: Vec<(u64, usize)>,
    layers: Vec<Layer>,
}

/// A layer as it was scheduled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Name of its result.
    pub(crate) name: String,
    /// Operator of the network.
    pub(crate) source: String,
    /// Operator that the compiler made of it.
    pub(crate) operator: String,
    /// From the end of the layer before to its own.
    pub(crate) cycles: u64,
    pub(crate) macs: u64,
}

type Row = BTreeMap<String, String>;

impl Layers {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Layers> {
        let bytes = files::read(path)?;
        Layers::parse(&String::from_utf8_lossy(&bytes)).map_err(|e| {
            e.in_file(path).help("compile the network again with --enable-debug-db, or leave --debug-db out")
        })
    }

    fn parse(text: &str) -> Result<Layers> {
        let queue = table(text, "queue")?;
        let perf = table(text, "perf")?;
        let sources: BTreeMap<String, String> = table(text, "source")?
            .into_iter()
            .filter_map(|mut row| Some((row.remove("id")?, row.remove("operator")?)))
            .collect();
        let mut index = BTreeMap::new();
        let mut layers = Vec::new();
        for mut row in perf {
            let mut take = |key: &str| row.remove(key).unwrap_or_default();
            index.insert(take("id"), layers.len());
            let source = sources.get(&take("source_id")).cloned().unwrap_or_default();
            layers.push(Layer { name: take("name"), operator: take("operator"), source, ..Layer::default() });
        }
        let mut ends = Vec::new();
        for row in queue {
            let place = row.get("offset").and_then(|offset| offset.parse().ok());
            let layer = row.get("scheduled_id").and_then(|id| index.get(id));
            match (place, layer) {
                (Some(place), Some(&layer)) => ends.push((place, layer)),
                _ => {
                    return Err(Error::new("a row has no position in the stream or names no layer")
                        .at("table 'queue'"));
                }
            }
        }
        ends.sort_unstable();
        Ok(Layers { ends, layers })
    }

    /// The layers with the cycles that they took.
    pub(crate) fn group(&self, timeline: &Timeline) -> Vec<Layer> {
        let mut layers = self.layers.clone();
        let mut before = 0;
        for command in timeline.commands.iter().filter(|command| !command.is_copy()) {
            let at = self.ends.partition_point(|(end, _)| *end < u64::from(command.position));
            let found = self.ends.get(at).or(self.ends.last());
            if let Some(layer) = found.and_then(|(_, layer)| layers.get_mut(*layer)) {
                layer.cycles += command.end.saturating_sub(before);
                layer.macs += command.macs;
            }
            before = before.max(command.end);
        }
        layers
    }
}

/// The rows of a table, by column.
fn table(text: &str, name: &str) -> Result<Vec<Row>> {
    let absent = || Error::new("the table is absent").at(format!("table '{name}'"));
    let (_, rest) = text.split_once(&format!("<table name=\"{name}\">")).ok_or_else(absent)?;
    let (_, rest) = rest.split_once("<![CDATA[").ok_or_else(absent)?;
    let (data, _) = rest.split_once("]]>").ok_or_else(absent)?;
    let mut lines = data.lines().filter(|line| !line.trim().is_empty()).map(cells);
    let head = lines.next().ok_or_else(absent)?;
    Ok(lines.map(|row| head.iter().cloned().zip(row).collect()).collect())
}

/// The cells of a line; a cell in quotation marks may hold commas, and two marks for one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(cell) = cells.last_mut() {
                    cell.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_be_quoted() {
        assert_eq!(cells("1,\"a,b\",\"say \"\"x\"\"\",,2"), ["1", "a,b", "say \"x\"", "", "2"]);
    }

    #[test]
    fn damaged_files_are_refused() {
        for text in [
            "",
            "<table name=\"queue\">",
            "<table name=\"queue\"><![CDATA[\"offset\"\n1\n]]></table>",
            "<table name=\"queue\"><![CDATA[\"offset\",\"scheduled_id\"\n1,2\n]]></table>\
             <table name=\"perf\"><![CDATA[\"id\"\n3\n]]></table><table name=\"source\"><![CDATA[\"id\"\n]]></table>",
        ] {
            assert!(Layers::parse(text).is_err(), "{text}");
        }
    }
}
