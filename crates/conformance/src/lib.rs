//! Operator and model cases that know no backend.
