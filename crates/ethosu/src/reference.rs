//! The tables as a Markdown page: `docs/ethosu-reference.md` is written from here, and a test
//! compares.

use core::fmt::{self, Write};

use crate::cmd::{Kind, Opcode};
use crate::enums;
use crate::field::{Field, Format};
use crate::pmu::Event;
use crate::regs::{Access, Register};
use crate::{Accelerator, Generation, Generations};

/// Writes the page.
pub fn write(out: &mut dyn Write) -> fmt::Result {
    out.write_str(
        "# Ethos-U reference\n\n\
         Written from the tables of `tombolo-ethosu` (`TOMBOLO_BLESS=1 cargo test -p tombolo-ethosu --test reference`);\n\
         a test fails when this page is stale. Encodings only: what a command computes is told by the simulator.\n\n",
    )?;
    accelerators(out)?;
    commands(out)?;
    enumerations(out)?;
    registers(out)?;
    events(out)
}

fn accelerators(out: &mut dyn Write) -> fmt::Result {
    out.write_str(
        "## Accelerators\n\n\
         | name | MACs/cycle | cores | weight decoders | SHRAM KiB | AXI bits | ports SRAM/EXT | microblocks HxWxD | config word | id word |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    )?;
    for accelerator in Accelerator::ALL {
        let spec = accelerator.spec();
        write!(
            out,
            "| {accelerator} | {} | {} | {} | {} | {} | {}/{} |",
            accelerator.macs(),
            spec.cores,
            spec.weight_decoders,
            accelerator.shram_kib(),
            spec.axi_bits,
            spec.axi_sram_ports,
            spec.axi_ext_ports,
        )?;
        for ublock in spec.ublocks {
            write!(out, " {}x{}x{}", ublock.height, ublock.width, ublock.depth)?;
        }
        writeln!(out, " | `{:#010x}` | `{:#010x}` |", accelerator.config_word(), accelerator.id_word())?;
    }
    out.write_str("\n")
}

/// The fields in a table cell; the generations of a field are told where they are fewer than `all`.
fn fields(out: &mut dyn Write, fields: &[Field], all: Generations) -> fmt::Result {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.write_str("<br>")?;
        }
        write!(out, "`{}`", field.name)?;
        if field.hi == field.lo {
            write!(out, "[{}]", field.lo)?;
        } else {
            write!(out, "[{}:{}]", field.hi, field.lo)?;
        }
        match field.format {
            Format::Int => out.write_str(" signed")?,
            Format::Enum(def) => write!(out, " {}", def.name)?,
            _ => {}
        }
        if field.generations != all {
            write!(out, " ({})", field.generations)?;
        }
    }
    Ok(())
}

fn commands(out: &mut dyn Write) -> fmt::Result {
    out.write_str(
        "## Commands\n\n\
         Little-endian 32-bit words. First word: code in bits 9:0, bit 14 set if a second word follows, parameter in\n\
         bits 31:16. Bits below are those of the command as one 64-bit number, first word low.\n\n",
    )?;
    for (kind, title) in [
        (Kind::Op0, "Operations, one word"),
        (Kind::Op1, "Operations, two words"),
        (Kind::Set0, "Registers, one word"),
        (Kind::Set1, "Registers, two words"),
    ] {
        write!(out, "### {title}\n\n| code | name | on | fields | what |\n|---|---|---|---|---|\n")?;
        for opcode in Opcode::ALL.iter().filter(|o| o.kind() == kind) {
            write!(out, "| `{:#05x}` | {} | {} | ", opcode.code(), opcode.name(), opcode.generations())?;
            fields(out, opcode.fields(), opcode.generations())?;
            out.write_str(" | ")?;
            cell(out, opcode.doc())?;
            out.write_str(" |\n")?;
        }
        out.write_str("\n")?;
    }
    Ok(())
}

/// Text in a table cell: documentation comments keep a blank at the start of each line.
fn cell(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_str(text.trim())
}

fn enumerations(out: &mut dyn Write) -> fmt::Result {
    out.write_str("## Values of fields\n\n| enumeration | values | what |\n|---|---|---|\n")?;
    for def in enums::ALL {
        write!(out, "| {} | ", def.name)?;
        let all = def.variants.first().map(|v| v.generations);
        for (i, variant) in def.variants.iter().enumerate() {
            if i > 0 {
                out.write_str(", ")?;
            }
            write!(out, "{} {}", variant.value, variant.name)?;
            if Some(variant.generations) != all {
                write!(out, " ({})", variant.generations)?;
            }
        }
        out.write_str(" | ")?;
        cell(out, def.doc)?;
        out.write_str(" |\n")?;
    }
    out.write_str("\n")
}

fn registers(out: &mut dyn Write) -> fmt::Result {
    out.write_str(
        "## Registers\n\n\
         Besides these, every SET command has a mirror register between 0x800 and 0xbff (`Opcode::mirror_offset`).\n\n\
         | name | U55 | U65 | U85 | access | after reset | fields | what |\n|---|---|---|---|---|---|---|---|\n",
    )?;
    for register in Register::ALL {
        write!(out, "| {} |", register.name())?;
        for generation in Generation::ALL {
            match register.offset(generation) {
                None => out.write_str(" – |")?,
                Some(offset) => {
                    write!(out, " `{offset:#05x}`")?;
                    let count = register.count(generation);
                    if count > 1 {
                        write!(out, " ×{count} by {}", register.stride())?;
                    }
                    out.write_str(" |")?;
                }
            }
        }
        out.write_str(match register.access() {
            Access::ReadOnly => " RO |",
            Access::ReadWrite => " RW |",
        })?;
        let mut known = false;
        let mut last = None;
        for generation in Generation::ALL {
            let value = register.reset_value(generation);
            if value == last {
                continue;
            }
            if let Some(value) = value {
                write!(out, "{} `{value:#x}`", if known { "," } else { "" })?;
                known = true;
                last = Some(value);
                if register.reset_value(Generation::U55) != register.reset_value(Generation::U85) {
                    write!(out, " ({})", generation.name().trim_start_matches("Ethos-"))?;
                }
            }
        }
        out.write_str(" | ")?;
        fields(out, register.fields(), generations_of(*register))?;
        out.write_str(" | ")?;
        cell(out, register.doc())?;
        out.write_str(" |\n")?;
    }
    out.write_str("\n")
}

fn generations_of(register: Register) -> Generations {
    let has = |generation| register.offset(generation).is_some();
    match (has(Generation::U55), has(Generation::U65), has(Generation::U85)) {
        (true, true, true) => Generations::ALL,
        (true, true, false) => Generations::U55_U65,
        (false, true, true) => Generations::U65_U85,
        (true, false, _) => Generations::U55,
        (false, true, false) => Generations::U65,
        (false, false, _) => Generations::U85,
    }
}

fn events(out: &mut dyn Write) -> fmt::Result {
    out.write_str("## PMU events\n\n| id | name | on | counts |\n|---|---|---|---|\n")?;
    for event in Event::ALL {
        write!(out, "| `{:#05x}` | {} | {} | ", event.id(), event.name(), event.generations())?;
        cell(out, event.doc())?;
        out.write_str(" |\n")?;
    }
    Ok(())
}
