//! Names and numbers of the fields of the flatbuffer schemas.
//!
//! From `program.fbs`, `flat_tensor.fbs` and `bundled_program_schema.fbs` of ExecuTorch 1.5. The schemas
//! give no ids, so a field's slot in the vtable is its position; a union takes two slots, its type first.

/// A field of a table or of a header: where it stands and what it is called.
///
/// The name is only looked up when an error is shown, so that an image which never prints one carries
/// no names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Field(u16);

impl Field {
    const fn new(table: u8, slot: u8) -> Field {
        Field((table as u16) << 8 | slot as u16)
    }

    /// The slot in the table's vtable.
    pub(crate) const fn slot(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// The name, `Table.field`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(field, _)| *field == self).map_or("?", |&(_, name)| name)
    }
}

impl core::fmt::Debug for Field {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl core::fmt::Display for Field {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! tables {
    ($($id:literal $table:ident { $($slot:literal $field:ident),* $(,)? })*) => {
        $(
            #[expect(non_snake_case, reason = "a module per table of the schema, with the table's name")]
            #[allow(dead_code, reason = "fields without use to a runtime are listed too, to keep the slots right")]
            pub(crate) mod $table {
                $(
                    #[allow(non_upper_case_globals, reason = "the field's name in the schema")]
                    pub(crate) const $field: super::Field = super::Field::new($id, $slot);
                )*
            }
        )*
        const NAMES: &[(Field, &str)] = &[
            $($((Field::new($id, $slot), concat!(stringify!($table), ".", stringify!($field))),)*)*
        ];
    };
}

tables! {
    // Not tables: the file around them. The slots have no meaning here.
    0 File { 0 address, 1 identifier, 2 root }
    1 ExtendedHeader {
        0 magic, 1 length, 2 program_size, 3 segment_base_offset, 4 segment_data_size,
        5 flatbuffer_offset, 6 flatbuffer_size,
    }
    // program.fbs
    2 Program {
        0 version, 1 execution_plan, 2 constant_buffer, 3 backend_delegate_data, 4 segments,
        5 constant_segment, 6 mutable_data_segments, 7 named_data,
    }
    3 ExecutionPlan {
        0 name, 1 container_meta_type, 2 values, 3 inputs, 4 outputs, 5 chains, 6 operators,
        7 delegates, 8 non_const_buffer_sizes, 9 non_const_buffer_device,
    }
    4 ContainerMetadata { 0 encoded_inp_str, 1 encoded_out_str }
    5 EValue { 0 val_type, 1 val }
    6 Tensor {
        0 scalar_type, 1 storage_offset, 2 sizes, 3 dim_order, 4 requires_grad, 5 data_buffer_idx,
        6 allocation_info, 7 layout, 8 shape_dynamism, 9 extra_tensor_info,
    }
    7 AllocationDetails { 0 memory_id, 1 memory_offset_low, 2 memory_offset_high }
    8 ExtraTensorInfo {
        0 mutable_data_segments_idx, 1 fully_qualified_name, 2 location, 3 device_type, 4 device_index,
    }
    9 Int { 0 int_val }
    10 Bool { 0 bool_val }
    11 Double { 0 double_val }
    12 String { 0 string_val }
    13 IntList { 0 items }
    14 DoubleList { 0 items }
    15 BoolList { 0 items }
    16 TensorList { 0 items }
    17 OptionalTensorList { 0 items }
    18 Operator { 0 name, 1 overload }
    19 KernelCall { 0 op_index, 1 args }
    20 DelegateCall { 0 delegate_index, 1 args }
    21 MoveCall { 0 move_from, 1 move_to }
    22 JumpFalseCall { 0 cond_value_index, 1 destination_instruction }
    23 FreeCall { 0 value_index }
    24 Instruction { 0 instr_args_type, 1 instr_args }
    25 Chain { 0 inputs, 1 outputs, 2 instructions, 3 stacktrace }
    26 FrameList { 0 items }
    27 Frame { 0 filename, 1 lineno, 2 name, 3 context }
    28 BackendDelegate { 0 id, 1 processed, 2 compile_specs }
    29 BackendDelegateDataReference { 0 location, 1 index }
    30 CompileSpec { 0 key, 1 value }
    31 BackendDelegateInlineData { 0 data }
    32 Buffer { 0 storage }
    33 DataSegment { 0 offset, 1 size }
    34 SubsegmentOffsets { 0 segment_index, 1 offsets }
    35 NamedData { 0 key, 1 segment_index, 2 tensor_layout }
    36 NonConstBufferDevice { 0 buffer_idx, 1 device_type, 2 device_index }
    // flat_tensor.fbs; its NamedData is the one above with one field more, its DataSegment the same.
    37 FlatTensor { 0 version, 1 segments, 2 named_data }
    38 TensorLayout { 0 scalar_type, 1 sizes, 2 dim_order }
    // bundled_program_schema.fbs
    39 BundledProgram { 0 version, 1 method_test_suites, 2 program }
    40 BundledMethodTestSuite { 0 method_name, 1 test_cases }
    41 BundledMethodTestCase { 0 inputs, 1 expected_outputs }
    42 BundledValue { 0 val_type, 1 val }
    43 BundledTensor { 0 scalar_type, 1 sizes, 2 data, 3 dim_order }
    // Vela's binary stream: no flatbuffer, the slots have no meaning.
    44 BinStream {
        0 address, 1 vela_bin_stream, 2 block_name, 3 block_size, 4 block_external, 5 cmd_data,
        6 weight_data, 7 scratch_size, 8 inputs, 9 outputs, 10 vela_end_stream, 11 persistent_size, 12 persistent_init, 13 vela_model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_one_name_of_its_own() {
        for (i, (field, name)) in NAMES.iter().enumerate() {
            assert_eq!(field.name(), *name);
            assert!(NAMES.iter().skip(i + 1).all(|(f, n)| f != field && n != name), "{name} twice");
        }
        assert_eq!(Tensor::extra_tensor_info.slot(), 9);
        assert_eq!(Tensor::extra_tensor_info.name(), "Tensor.extra_tensor_info");
    }
}
