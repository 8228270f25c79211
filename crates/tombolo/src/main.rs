//! The `tombolo` command.

fn main() {}
