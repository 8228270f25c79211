//! The three generations of the NPU, and sets of them.

use core::fmt;

/// A generation: what decides encodings and register offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Ethos-U55.
    U55,
    /// Ethos-U65.
    U65,
    /// Ethos-U85.
    U85,
}

impl Generation {
    /// The generations, oldest first.
    pub const ALL: [Generation; 3] = [Generation::U55, Generation::U65, Generation::U85];

    /// "Ethos-U55" and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Generation::U55 => "Ethos-U55",
            Generation::U65 => "Ethos-U65",
            Generation::U85 => "Ethos-U85",
        }
    }

    /// The number in the product field of the CONFIG register and of a stream's configuration word.
    pub const fn product(self) -> u32 {
        self as u32
    }

    /// The generation with that product number.
    pub const fn from_product(product: u32) -> Option<Generation> {
        match product {
            0 => Some(Generation::U55),
            1 => Some(Generation::U65),
            2 => Some(Generation::U85),
            _ => None,
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generations(u8);

impl Generations {
    /// Ethos-U55 only.
    pub const U55: Generations = Generations(1);
    /// Ethos-U65 only.
    pub const U65: Generations = Generations(2);
    /// Ethos-U85 only.
    pub const U85: Generations = Generations(4);
    /// Ethos-U55 and U65.
    pub const U55_U65: Generations = Generations(3);
    /// Ethos-U65 and U85.
    pub const U65_U85: Generations = Generations(6);
    /// All three.
    pub const ALL: Generations = Generations(7);

    /// Whether the set holds `generation`.
    pub const fn contains(self, generation: Generation) -> bool {
        let bit = match generation {
            Generation::U55 => 1,
            Generation::U65 => 2,
            Generation::U85 => 4,
        };
        self.0 & bit != 0
    }
}

impl fmt::Display for Generations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for generation in Generation::ALL {
            if self.contains(generation) {
                if !first {
                    f.write_str(" ")?;
                }
                first = false;
                f.write_str(generation.name().trim_start_matches("Ethos-"))?;
            }
        }
        Ok(())
    }
}
