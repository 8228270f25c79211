//! Where the fields of the schema's tables stand. Attributes of operators are in their own files.

pub(crate) mod graph {
    pub(crate) const VERSION: usize = 0;
    pub(crate) const REGIONS: usize = 1;
    pub(crate) const SOFTWARE_VERSION: usize = 2;
    pub(crate) const COMPATIBILITY: usize = 3;
}
pub(crate) mod region {
    pub(crate) const NAME: usize = 0;
    pub(crate) const BLOCKS: usize = 1;
}
pub(crate) mod block {
    pub(crate) const NAME: usize = 0;
    pub(crate) const OPERATORS: usize = 1;
    pub(crate) const TENSORS: usize = 2;
    pub(crate) const INPUTS: usize = 3;
    pub(crate) const OUTPUTS: usize = 4;
    pub(crate) const SHAPES: usize = 5;
}
pub(crate) mod tensor {
    pub(crate) const NAME: usize = 0;
    pub(crate) const SHAPE: usize = 1;
    pub(crate) const TYPE: usize = 2;
    pub(crate) const DATA: usize = 3;
    pub(crate) const VARIABLE: usize = 4;
    pub(crate) const IS_UNRANKED: usize = 5;
    pub(crate) const VARIABLE_NAME: usize = 6;
    pub(crate) const OFFSET: usize = 7;
    pub(crate) const SIZE: usize = 8;
    pub(crate) const SCALE_TYPE: usize = 9;
    pub(crate) const SCALE_DATA: usize = 10;
    pub(crate) const BLOCK_SHAPE: usize = 11;
    pub(crate) const SCALE_OFFSET: usize = 12;
    pub(crate) const SCALE_SIZE: usize = 13;
}
pub(crate) mod shape {
    pub(crate) const NAME: usize = 0;
    pub(crate) const RANK: usize = 1;
    pub(crate) const DATA: usize = 2;
}
pub(crate) mod operator {
    pub(crate) const OP: usize = 0;
    pub(crate) const ATTRIBUTE_TYPE: usize = 1;
    pub(crate) const ATTRIBUTE: usize = 2;
    pub(crate) const INPUTS: usize = 3;
    pub(crate) const OUTPUTS: usize = 4;
    pub(crate) const LOCATION: usize = 5;
}

/// The file's identifier, at its byte 4.
pub(crate) const IDENTIFIER: [u8; 4] = *b"TOSA";
