//! One module per operator; its constants are the overloads.
