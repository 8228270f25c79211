//! Memory maps: which buffer lies where, and when.

use crate::alloc::{Allocation, Buffer};
use std::fmt::Write as _;

/// A region of the command stream with the buffers in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The index of its base pointer.
    pub number: u8,
    /// What it is for, as `scratch`.
    pub role: String,
    /// Where it lies, as `Sram`.
    pub memory: String,
    /// Most bytes that it may have, if there is a limit.
    pub limit: Option<u64>,
    /// What lies in it. Steps of life are operations of the command stream.
    pub buffers: Vec<Buffer>,
    /// Where.
    pub allocation: Allocation,
}

impl Region {
    /// Its buffers of at least one byte with their addresses, by address, then by the start of life.
    pub fn sorted(&self) -> Vec<(&Buffer, u64)> {
        let pairs = self.buffers.iter().zip(self.allocation.addresses.iter().copied());
        let mut list: Vec<_> = pairs.filter(|(buffer, _)| buffer.bytes > 0).collect();
        list.sort_by_key(|&(buffer, address)| (address, buffer.first, buffer.last));
        list
    }
}

/// Maps of regions as text.
pub fn text(regions: &[Region]) -> String {
    let mut out = String::new();
    for (n, region) in regions.iter().enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let Region { number, role, memory, allocation, .. } = region;
        let _ = write!(out, "region {number}: {role} in {memory}, {} bytes", allocation.peak);
        if let Some(limit) = region.limit {
            let _ = write!(out, " of {limit}");
        }
        if allocation.peak > allocation.bound {
            let _ = write!(out, "; live at once are {} at least", allocation.bound);
        }
        out.push('\n');
        let list = region.sorted();
        if list.is_empty() {
            continue;
        }
        let rows: Vec<[String; 4]> = list
            .iter()
            .map(|(b, address)| {
                let end = address.saturating_add(b.bytes);
                let life =
                    if b.first == b.last { b.first.to_string() } else { format!("{}-{}", b.first, b.last) };
                [format!("{address:#x}"), format!("{end:#x}"), b.bytes.to_string(), life]
            })
            .collect();
        let head = ["from", "to", "bytes", "operations"];
        let widths = [0, 1, 2, 3]
            .map(|c| rows.iter().map(|row| row[c].len()).chain([head[c].len()]).max().unwrap_or(0));
        let mut line = |cells: [&str; 4], name: &str| {
            let [a, b, c, d] = widths;
            let text =
                format!("  {:>a$}  {:>b$}  {:>c$}  {:<d$}  {name}", cells[0], cells[1], cells[2], cells[3]);
            out.push_str(text.trim_end());
            out.push('\n');
        };
        line(head, "buffer");
        for (row, (buffer, _)) in rows.iter().zip(&list) {
            let name: String = buffer.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            line([&row[0], &row[1], &row[2], &row[3]], &name);
        }
    }
    out
}

/// Width of a panel's plot.
const WIDTH: u64 = 1000;
/// Height of a panel's plot.
const HEIGHT: u64 = 320;
/// Room to the left of a plot, for addresses.
const LEFT: u64 = 90;
/// Room above a plot, for its title.
const TOP: u64 = 34;
/// Room below a plot, for operations.
const BOTTOM: u64 = 34;

/// Fills of light colours that black text can be read on.
const FILLS: [&str; 8] =
    ["#8ecae6", "#ffd166", "#95d5b2", "#f4a6a6", "#cdb4db", "#e9c46a", "#a3c4f3", "#d9d9d9"];

/// Maps of regions as a picture: an SVG file with a panel for each region that holds anything. To the right go
/// the operations of the command stream, up the addresses; each buffer is a box, with all that is known of it in
/// its tooltip.
pub fn svg(regions: &[Region]) -> String {
    let panels: Vec<&Region> = regions.iter().filter(|region| region.allocation.peak > 0).collect();
    let panel_height = TOP + HEIGHT + BOTTOM;
    let (width, height) = (LEFT + WIDTH + 20, (panel_height * panels.len() as u64).max(TOP));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">"
    );
    let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>");
    for (n, region) in panels.iter().enumerate() {
        panel(&mut out, region, panel_height * n as u64 + TOP);
    }
    out.push_str("</svg>\n");
    out
}

/// `value` of `whole` as a part of `length`.
fn scaled(value: u64, whole: u64, length: u64) -> u64 {
    let part = u128::from(value) * u128::from(length) / u128::from(whole.max(1));
    u64::try_from(part).unwrap_or(u64::MAX).min(length)
}

fn panel(out: &mut String, region: &Region, top: u64) {
    let peak = region.allocation.peak;
    let list = region.sorted();
    let steps = list.iter().map(|(b, _)| b.last as u64).max().unwrap_or(0).saturating_add(1);
    let limit = region.limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
    let title =
        format!("region {}: {} in {}, {peak} bytes{limit}", region.number, region.role, region.memory);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\">{}</text>",
        top - 12,
        escaped(&title)
    );
    let bottom = top + HEIGHT;
    let y = |address: u64| bottom - scaled(address, peak, HEIGHT);
    let x = |step: u64| LEFT + scaled(step, steps, WIDTH);
    for quarter in 0..=4 {
        // Divided first where the product would not fit.
        let address = u64::try_from(u128::from(peak) * quarter / 4).unwrap_or(peak);
        let at = y(address);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{at}\" x2=\"{}\" y2=\"{at}\" stroke=\"#cccccc\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{address:#x}</text>",
            LEFT + WIDTH,
            LEFT - 6,
            at + 4
        );
    }
    for tick in 0..=10 {
        let step = u64::try_from(u128::from(steps) * tick / 10).unwrap_or(steps);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">{step}</text>",
            x(step),
            bottom + 16
        );
    }
    for (n, (b, address)) in list.iter().enumerate() {
        let end = address.saturating_add(b.bytes);
        let (left, right) = (x(b.first as u64), x((b.last as u64).saturating_add(1)));
        let (low, high) = (y(*address), y(end));
        // What is thinner than a line can still be seen.
        let (width, height) = (right.saturating_sub(left).max(1), low.saturating_sub(high).max(1));
        let name = escaped(&b.name);
        let _ = write!(
            out,
            "<g><title>{name}: {address:#x} to {end:#x}, {} bytes, operations {} to {}</title>\
             <rect x=\"{left}\" y=\"{high}\" width=\"{width}\" height=\"{height}\" fill=\"{}\" stroke=\"#333333\" stroke-width=\"0.5\"/>",
            b.bytes,
            b.first,
            b.last,
            FILLS[n % FILLS.len()]
        );
        // Seven units a letter, as far as they fit.
        let room = usize::try_from(width / 7).unwrap_or(0);
        if height >= 12 && room >= 3 {
            let label: String = b.name.chars().take(room).collect();
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\">{}</text>",
                left + 2,
                high + height / 2 + 4,
                escaped(&label)
            );
        }
        out.push_str("</g>\n");
    }
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#333333\"/>"
    );
}

/// Text as XML takes it: markup escaped, characters that no XML file may hold replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc::{Effort, allocate};

    fn region(names: &[&str]) -> Region {
        let buffers: Vec<Buffer> = names
            .iter()
            .enumerate()
            .map(|(i, name)| Buffer {
                name: (*name).into(),
                bytes: 100 * (1 + i as u64),
                align: 16,
                first: i,
                last: i + 1,
                ..Buffer::default()
            })
            .collect();
        let allocation = allocate(&buffers, Effort::DEFAULT).unwrap();
        Region {
            number: 1,
            role: "scratch".into(),
            memory: "Sram".into(),
            limit: Some(4096),
            buffers,
            allocation,
        }
    }

    #[test]
    fn a_map_lists_buffers_by_address() {
        let expected = "\
region 1: scratch in Sram, 504 bytes of 4096
  from     to  bytes  operations  buffer
   0x0  0x12c    300  2-3         third
   0x0   0x64    100  0-1         first
 0x130  0x1f8    200  1-2         second
";
        let found = text(&[region(&["first", "second", "third"])]);
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        let mut found = lines(&found);
        let mut expected = lines(expected);
        // Both at address 0: the one that lives first.
        expected.swap(2, 3);
        found.truncate(expected.len());
        assert_eq!(found, expected);
    }

    /// Every tag is closed, every attribute quoted, no character stands that must be escaped.
    fn well_formed(xml: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").expect("a declaration");
        while let Some(at) = rest.find('<') {
            let (text, tag) = (&rest[..at], &rest[at + 1..]);
            assert!(!text.contains('>') && text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            for part in text.split('&').skip(1) {
                let entity = part.split(';').next().unwrap();
                assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "{part}");
            }
            let end = tag.find('>').expect("a tag ends");
            let (inner, after) = (&tag[..end], &tag[end + 1..]);
            if let Some(name) = inner.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else {
                let quotes = inner.matches('"').count();
                assert!(quotes % 2 == 0 && quotes / 2 == inner.matches("=\"").count(), "{inner}");
                if !inner.ends_with('/') {
                    open.push(inner.split(' ').next().unwrap());
                }
            }
            rest = after;
        }
        assert!(open.is_empty() && rest == "\n", "{open:?} {rest:?}");
    }

    #[test]
    fn pictures_are_xml_whatever_names_hold() {
        let hostile = region(&[
            "</svg><script>\"'&",
            "a\u{0}\u{1b}\u{ffff}\n]]>",
            "Größe 層 name that is much too long for its box",
        ]);
        let picture = svg(&[hostile, region(&["x"])]);
        well_formed(&picture);
        assert_eq!(picture.matches("<title>").count(), 4);
        assert!(!picture.contains("<script>"));
        well_formed(&svg(&[]));
    }

    #[test]
    fn the_largest_numbers_are_drawn() {
        let mut far = region(&["a", "b"]);
        far.buffers[1].last = usize::MAX;
        far.buffers[1].bytes = u64::MAX;
        far.allocation.addresses[1] = u64::MAX - 16;
        far.allocation.peak = u64::MAX;
        well_formed(&svg(&[far.clone()]));
        assert!(text(&[far]).contains("b"));
    }
}
