//! What of TOSA a target has: version, extensions of the INT profile, level.

/// Extensions of the profile INT, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extensions(u16);

impl Extensions {
    /// None.
    pub const NONE: Extensions = Extensions(0);
    /// 16-bit activations, 48-bit sums.
    pub const INT16: Extensions = Extensions(1);
    /// 4-bit weights.
    pub const INT4: Extensions = Extensions(1 << 1);
    /// 64-bit integers (1.1).
    pub const INT64: Extensions = Extensions(1 << 2);
    /// Tensors that keep their value.
    pub const VARIABLE: Extensions = Extensions(1 << 3);
    /// COND_IF and WHILE_LOOP.
    pub const CONTROL_FLOW: Extensions = Extensions(1 << 4);
    /// RESCALE rounds twice.
    pub const DOUBLE_ROUND: Extensions = Extensions(1 << 5);
    /// RESCALE rounds as it likes.
    pub const INEXACT_ROUND: Extensions = Extensions(1 << 6);
    /// What must be constant need not be.
    pub const DYNAMIC: Extensions = Extensions(1 << 7);
    /// Computing with shapes (1.1).
    pub const SHAPE: Extensions = Extensions(1 << 8);
    /// All of the above.
    pub const ALL: Extensions = Extensions((1 << 9) - 1);

    const NAMES: [(&'static str, Extensions); 9] = [
        ("int16", Extensions::INT16),
        ("int4", Extensions::INT4),
        ("int64", Extensions::INT64),
        ("var", Extensions::VARIABLE),
        ("cf", Extensions::CONTROL_FLOW),
        ("doubleround", Extensions::DOUBLE_ROUND),
        ("inexactround", Extensions::INEXACT_ROUND),
        ("dynamic", Extensions::DYNAMIC),
        ("shape", Extensions::SHAPE),
    ];

    /// Both sets.
    pub const fn and(self, other: Extensions) -> Extensions {
        Extensions(self.0 | other.0)
    }

    /// Whether all of `other` are in it.
    pub const fn has(self, other: Extensions) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of `other` that are not in it.
    pub const fn lacks(self, other: Extensions) -> Extensions {
        Extensions(other.0 & !self.0)
    }
}

impl std::fmt::Display for Extensions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> =
            Extensions::NAMES.iter().filter(|(_, e)| self.has(*e)).map(|(n, _)| *n).collect();
        f.write_str(&names.join(", "))
    }
}

/// Limits that an implementation may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// What it is called.
    pub name: &'static str,
    /// Dimensions of a tensor.
    pub max_rank: usize,
    /// Kernel sizes, with dilation, and paddings.
    pub max_kernel: i64,
    /// Strides.
    pub max_stride: i64,
    /// By how much RESIZE enlarges.
    pub max_scale: i64,
    /// Binary logarithm of the bytes of a tensor.
    pub max_log2_size: u32,
    /// How deep COND_IF and WHILE_LOOP may nest.
    pub max_nesting: usize,
    /// Tensors in a list.
    pub max_tensor_list_size: usize,
    /// Numbers in a shape.
    pub max_shape_len: usize,
}

impl Level {
    /// The level 8K.
    pub const K8: Level = Level {
        name: "8K",
        max_rank: 6,
        max_kernel: 8192,
        max_stride: 8192,
        max_scale: 256,
        max_log2_size: 31,
        max_nesting: 6,
        max_tensor_list_size: 64,
        max_shape_len: 16,
    };
    /// No level; even so there are some limits.
    pub const NONE: Level = Level {
        name: "none",
        max_rank: 32,
        max_kernel: i32::MAX as i64,
        max_stride: i32::MAX as i64,
        max_scale: 2048,
        max_log2_size: 63,
        max_nesting: 256,
        max_tensor_list_size: 256,
        max_shape_len: 64,
    };
}

/// A target: what a graph may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The minor version: 0 for 1.0, 1 for 1.1.
    pub minor: i32,
    /// Extensions to the profile INT.
    pub extensions: Extensions,
    /// Limits.
    pub level: Level,
}

impl Spec {
    /// 1.1 with every extension of the profile INT, level 8K: what this crate knows.
    pub const fn everything() -> Spec {
        Spec { minor: 1, extensions: Extensions::ALL, level: Level::K8 }
    }

    /// The target in ExecuTorch's spelling: `TOSA-1.0+INT+int16+int4+cf`. `u55` is accepted: it stands for
    /// limits of a product, which a compiler for it checks.
    ///
    /// # Errors
    /// A sentence, for anything unknown.
    pub fn parse(text: &str) -> Result<Spec, String> {
        let mut parts = text.split('+');
        let minor = match parts.next() {
            Some("TOSA-1.0" | "TOSA-1.00" | "TOSA-1.0.0") => 0,
            Some("TOSA-1.1" | "TOSA-1.1.0") => 1,
            other => {
                return Err(format!("'{}' is not a version; TOSA-1.0 and TOSA-1.1 are", other.unwrap_or("")));
            }
        };
        let mut spec = Spec { minor, extensions: Extensions::NONE, level: Level::K8 };
        let mut int = false;
        for part in parts {
            match part {
                "INT" => int = true,
                "8k" | "8K" => spec.level = Level::K8,
                "u55" => {}
                "FP" => return Err("the profile FP is not supported; only INT is".to_owned()),
                _ => match Extensions::NAMES.iter().find(|(name, _)| *name == part) {
                    Some((_, extension)) => spec.extensions = spec.extensions.and(*extension),
                    None => {
                        let names: Vec<&str> = Extensions::NAMES.iter().map(|(n, _)| *n).collect();
                        return Err(format!("unknown extension '{part}'; known are {}", names.join(", ")));
                    }
                },
            }
        }
        if int { Ok(spec) } else { Err("no profile is named; add +INT".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_like_executorch() {
        let spec = Spec::parse("TOSA-1.0+INT+int16+int4+u55").unwrap();
        assert_eq!(spec.minor, 0);
        assert_eq!(spec.extensions, Extensions::INT16.and(Extensions::INT4));
        assert!(Spec::parse("TOSA-1.0").unwrap_err().contains("+INT"));
        assert!(Spec::parse("TOSA-1.0+INT+bf16").unwrap_err().contains("int16"));
        assert!(Spec::parse("TOSA-1.0+FP").is_err());
    }
}
