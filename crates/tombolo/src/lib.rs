//! The host side of Tombolo as a library, and the command line on top of it.
