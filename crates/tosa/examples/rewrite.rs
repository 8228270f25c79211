//! Reads a TOSA file and writes it again: `rewrite FROM TO`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(from), Some(to)) = (args.next(), args.next()) else {
        return Err("usage: rewrite FROM TO".into());
    };
    let file = std::fs::read(from)?;
    let graph = tombolo_tosa::read(&file)?;
    std::fs::write(to, tombolo_tosa::write(&graph)?)?;
    Ok(())
}
