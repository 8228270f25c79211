//! Small pictures in a terminal.

/// One picture: grey values row by row, and a line below it.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) pixels: Vec<f64>,
    pub(crate) caption: String,
}

/// From dark to bright on a dark terminal. Each is printed twice to make a pixel about square.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Draws pictures side by side, as many as fit 80 columns, then the next row of them.
pub(crate) fn draw(pictures: &[Picture]) -> String {
    let cell =
        pictures.iter().map(|p| (2 * p.width).max(p.caption.chars().count())).max().unwrap_or(0).max(1);
    let per_row = (80 / (cell + 2)).max(1);
    let mut out = String::new();
    for row in pictures.chunks(per_row) {
        let drawn: Vec<Vec<String>> = row.iter().map(lines).collect();
        let height = drawn.iter().map(Vec::len).max().unwrap_or(0);
        for y in 0..height {
            let mut text = String::new();
            for lines in &drawn {
                let line = lines.get(y).map_or("", String::as_str);
                text.push_str("  ");
                text.push_str(line);
                text.extend(std::iter::repeat_n(' ', cell.saturating_sub(line.chars().count())));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
    out
}

fn lines(picture: &Picture) -> Vec<String> {
    let (low, high) =
        picture.pixels.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let span = if high > low { high - low } else { 1.0 };
    let mut lines: Vec<String> = picture
        .pixels
        .chunks(picture.width.max(1))
        .map(|row| {
            let shade = |&v: &f64| {
                let level = ((v - low) / span * (SHADES.len() - 1) as f64).round() as usize;
                SHADES[level.min(SHADES.len() - 1)]
            };
            row.iter().map(shade).flat_map(|c| [c, c]).collect()
        })
        .collect();
    lines.push(picture.caption.clone());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_side_by_side() {
        let picture =
            |caption: &str| Picture { width: 2, pixels: vec![0.0, 1.0, 0.5, 0.0], caption: caption.into() };
        assert_eq!(draw(&[picture("one"), picture("two!")]), "    ██    ██\n  ▒▒    ▒▒\n  one   two!\n");
        assert_eq!(draw(&[]), "");
    }

    #[test]
    fn a_picture_of_one_grey_or_of_no_numbers_draws() {
        for v in [3.0, f64::NAN, f64::INFINITY] {
            let flat = Picture { width: 1, pixels: vec![v], caption: String::new() };
            assert!(!draw(&[flat]).is_empty());
        }
    }
}
