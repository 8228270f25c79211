//! Runs an image in QEMU and reads what it prints.

use crate::Result;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a run ended.
pub(crate) struct Run {
    /// The exit status that the image asked for.
    pub status: i32,
    /// What it printed.
    pub text: String,
    /// How long it took.
    pub seconds: f32,
}

/// Runs `image` on the Cortex-M33 board of QEMU; an error if it does not end within `limit`.
pub(crate) fn run(image: &Path, limit: Duration) -> Result<Run> {
    let start = Instant::now();
    let mut qemu = Command::new("qemu-system-arm")
        .args(["-machine", "mps2-an505", "-display", "none", "-monitor", "none", "-serial", "none"])
        .args(["-chardev", "stdio,id=host,signal=off"])
        .args(["-semihosting-config", "enable=on,target=native,chardev=host", "-kernel"])
        .arg(image)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!("qemu-system-arm cannot be started: {error}; on Debian `apt-get install qemu-system-arm`")
        })?;
    let output = qemu.stdout.take();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        // An image that prints without end is stopped by the time limit; a megabyte of it is enough.
        let read = output.map(|output| output.take(1 << 20).read_to_end(&mut text));
        (read, String::from_utf8_lossy(&text).into_owned())
    });
    let status = loop {
        let failed = |error| format!("waiting for qemu-system-arm: {error}");
        if let Some(status) = qemu.try_wait().map_err(failed)? {
            break Some(status);
        }
        if start.elapsed() > limit {
            qemu.kill().and_then(|()| qemu.wait()).map_err(failed)?;
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let (_, text) = reader.join().map_err(|_| "the thread that reads QEMU's output failed")?;
    let Some(status) = status else {
        return Err(format!(
            "{} did not end within {} s; it printed:\n{text}",
            image.display(),
            limit.as_secs()
        ));
    };
    let status = status.code().ok_or_else(|| format!("qemu-system-arm ended with {status}"))?;
    Ok(Run { status, text, seconds: start.elapsed().as_secs_f32() })
}

/// Compares the elements of output 0 that an image printed with `expected`, bit by bit; how many there are.
///
/// The decimals are for people: they must be the same number to six places. Every pool must have
/// been printed with exactly the size needed.
pub(crate) fn compare(text: &str, expected: &[f32]) -> Result<usize> {
    let mut count = 0;
    let mut pools = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["out", output, element, bits, decimal] => {
                let parsed = bits.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
                let bits = parsed.ok_or_else(|| format!("no bits in the line '{line}'"))?;
                let wanted = expected.get(count).ok_or("the image printed more numbers than expected")?;
                if (*output, *element) != ("0", count.to_string().as_str()) {
                    return Err(format!(
                        "element {count} of output 0 is missing: the image printed '{line}'"
                    ));
                }
                if bits != wanted.to_bits() {
                    return Err(format!(
                        "element {count} differs: {bits:#010x} ({decimal}), expected {:#010x} ({wanted})",
                        wanted.to_bits()
                    ));
                }
                let decimal: f64 = decimal.parse().map_err(|_| format!("no number in the line '{line}'"))?;
                let wanted = f64::from(*wanted);
                // Half of the last place, and one rounding of the product that gives the places.
                if (decimal - wanted).abs() > 0.5e-6 + 1e-7 {
                    return Err(format!("element {count} is printed as {decimal}, it is {wanted}"));
                }
                count += 1;
            }
            ["pool", name, "given", given, "needed", needed, "peak", peak] => {
                if given != needed {
                    return Err(format!("pool {name} has {given} bytes, {needed} are needed (peak {peak})"));
                }
                pools += 1;
            }
            _ => {}
        }
    }
    if count != expected.len() {
        return Err(format!("the image printed {count} numbers, {} are expected:\n{text}", expected.len()));
    }
    if pools != 3 || text.lines().last() != Some("done") {
        return Err(format!("the report of the image is incomplete:\n{text}"));
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
out 0 0 0x3f800000  1.000000
out 0 1 0xbf000000 -0.500000
pool method given 8 needed 8 peak 8
pool planned given 4 needed 4 peak 4
pool temp given 0 needed 0 peak 0
done
";

    #[test]
    fn equal_numbers_are_counted() {
        assert_eq!(compare(REPORT, &[1.0, -0.5]), Ok(2));
    }

    #[test]
    fn one_bit_a_missing_number_a_wrong_decimal_and_a_pool_too_large_are_refused() {
        let refused = |text: &str, expected: &[f32], words: &str| {
            let error = compare(text, expected).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        refused(REPORT, &[1.0, f32::from_bits(0xbf00_0001)], "element 1 differs");
        refused(REPORT, &[1.0, -0.5, 0.0], "2 numbers, 3 are expected");
        refused(REPORT, &[1.0], "more numbers");
        refused(&REPORT.replace("-0.500000", "-0.500002"), &[1.0, -0.5], "printed as");
        refused(&REPORT.replace("given 8", "given 9"), &[1.0, -0.5], "pool method");
        refused(&REPORT.replace("done", "error: x"), &[1.0, -0.5], "incomplete");
        refused(&REPORT.replace("out 0 1", "out 0 2"), &[1.0, -0.5], "element 1 of output 0 is missing");
    }
}
