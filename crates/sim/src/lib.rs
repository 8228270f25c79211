//! Register-level simulator of the Arm Ethos-U NPUs.
