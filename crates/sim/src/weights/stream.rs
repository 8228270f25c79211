//! Entropy coding of weights (U55, U65, and the standard decoder of U85).
