//! The tests of the operators; [`super::cases`] runs them.

/// The test of an operator: all cases of `<operator>.txt` in `tests/data_a` or `tests/data_b`.
macro_rules! like_torch {
    ($operator:literal: $($kernel:ident),+ $(,)?) => {
        #[cfg(test)]
        mod tests {
            #[test]
            fn like_torch() {
                crate::util::cases::check($operator, &[$(super::$kernel),+]);
            }

            #[test]
            fn hostile_arguments() {
                crate::util::cases::endure($operator, &[$(super::$kernel),+]);
            }
        }
    };
}
pub(crate) use like_torch;
