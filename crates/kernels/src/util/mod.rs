//! What the operators share.
