//! Bundled programs (`.bpte`): a program with inputs to run it on and the outputs to expect.

use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind};
use crate::flat::{Cx, Tables};
use crate::list::I32List;
use crate::program::{check_address, check_identifier};
use crate::schema::{self, Field};
use crate::value::read_shape;

/// A bundled program: a view of its bytes, all of which were checked but for the program inside.
#[derive(Clone, Copy)]
pub struct Bundle<'a> {
    flat: &'a [u8],
    program: &'a [u8],
    suites: Tables,
}

/// The test cases of a method.
#[derive(Clone, Copy)]
pub struct Suite<'a> {
    flat: &'a [u8],
    method: &'a str,
    cases: Tables,
}

/// A test case: inputs and the outputs that belong to them.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    flat: &'a [u8],
    inputs: Tables,
    outputs: Tables,
}

/// An input or an output.
#[derive(Clone, Copy, Debug)]
pub enum CaseValue<'a> {
    /// A tensor.
    Tensor {
        /// The element type.
        dtype: Dtype,
        /// The sizes, outermost first.
        sizes: I32List<'a>,
        /// The dimensions in the order in which they lie in memory, outermost first: a permutation.
        dim_order: &'a [u8],
        /// The elements: exactly the bytes that type and sizes make.
        data: &'a [u8],
    },
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

impl<'a> Bundle<'a> {
    /// Whether these bytes say that they are a bundled program.
    pub fn is(bytes: &[u8]) -> bool {
        bytes.get(4..8) == Some(b"BP08")
    }

    /// Reads and checks a bundled program, except for the program inside. After this no getter fails.
    ///
    /// `bytes` is the whole file and must start at a 16-byte aligned address; then the program inside does, too.
    ///
    /// # Errors
    /// At the first thing that is wrong; see [`Error`].
    pub fn parse(bytes: &'a [u8]) -> Result<Bundle<'a>, Error> {
        check_address(bytes, schema::File::address)?;
        check_identifier(bytes, b"BP08")?;
        let cx = Cx::unchecked(bytes);
        Bundle::check(&cx).ok_or_else(|| cx.fault())
    }

    fn check(cx: &Cx<'a>) -> Option<Bundle<'a>> {
        use schema::BundledProgram as f;
        let root = cx.table(0, schema::File::root);
        // 2 is what goes with `BP08`.
        if root.u32(f::version) > 2 {
            return root.fail(ErrorKind::Unknown, f::version);
        }
        let suites = root.tables(f::method_test_suites);
        let bundle = Bundle { flat: cx.flat, program: root.need_vector(f::program, 1), suites };
        for i in 0..suites.len(cx.flat) {
            let suite = bundle.read(cx, i)?;
            for j in 0..suite.cases.len(cx.flat) {
                let case = suite.read(cx, j)?;
                for (list, field) in case.lists() {
                    for k in 0..list.len(cx.flat) {
                        case.read(cx, list, k, field)?;
                    }
                }
            }
        }
        cx.ok().map(|()| bundle)
    }

    fn read(&self, cx: &Cx<'a>, i: usize) -> Option<Suite<'a>> {
        use schema::BundledMethodTestSuite as f;
        let table = self.suites.get(cx, i, schema::BundledProgram::method_test_suites)?;
        let method = table.need_string(f::method_name);
        let suite = Suite { flat: cx.flat, method, cases: table.tables(f::test_cases) };
        cx.ok().map(|()| suite)
    }

    /// The program inside, as [`Program::parse`](crate::Program::parse) wants it.
    pub fn program(&self) -> &'a [u8] {
        self.program
    }

    /// The test cases by method.
    pub fn suites(&self) -> impl Iterator<Item = Suite<'a>> + use<'a> {
        let bundle = *self;
        (0..self.suites.len(self.flat)).filter_map(move |i| bundle.read(&Cx::new(bundle.flat), i))
    }
}

impl<'a> Suite<'a> {
    fn read(&self, cx: &Cx<'a>, i: usize) -> Option<Case<'a>> {
        use schema::BundledMethodTestCase as f;
        let table = self.cases.get(cx, i, schema::BundledMethodTestSuite::test_cases)?;
        let (inputs, outputs) = (table.tables(f::inputs), table.tables(f::expected_outputs));
        cx.ok()?;
        Some(Case { flat: cx.flat, inputs, outputs })
    }

    /// The method's name.
    pub fn method(&self) -> &'a str {
        self.method
    }

    /// The test cases.
    pub fn cases(&self) -> impl Iterator<Item = Case<'a>> + use<'a> {
        let suite = *self;
        (0..self.cases.len(self.flat)).filter_map(move |i| suite.read(&Cx::new(suite.flat), i))
    }
}

impl<'a> Case<'a> {
    fn lists(&self) -> [(Tables, Field); 2] {
        use schema::BundledMethodTestCase as f;
        [(self.inputs, f::inputs), (self.outputs, f::expected_outputs)]
    }

    fn read(&self, cx: &Cx<'a>, list: Tables, i: usize, field: Field) -> Option<CaseValue<'a>> {
        use schema::BundledTensor as t;
        use schema::BundledValue as f;
        let table = list.get(cx, i, field)?;
        let value = table.need_table(f::val);
        let read = match table.u8(f::val_type) {
            1 => {
                let shape = read_shape(value, [t::scalar_type, t::sizes, t::dim_order])?;
                let data = value.need_vector(t::data, 1);
                if data.len() != shape.nbytes {
                    return value.fail(ErrorKind::DataTooSmall, t::data);
                }
                CaseValue::Tensor { dtype: shape.dtype, sizes: shape.sizes, dim_order: shape.dim_order, data }
            }
            2 => CaseValue::Int(value.i64(schema::Int::int_val)),
            3 => CaseValue::Bool(value.bool(schema::Bool::bool_val)),
            4 => CaseValue::Double(value.f64(schema::Double::double_val)),
            _ => return table.fail(ErrorKind::Unknown, f::val_type),
        };
        cx.ok().map(|()| read)
    }

    fn values(&self, (list, field): (Tables, Field)) -> impl Iterator<Item = CaseValue<'a>> + use<'a> {
        let case = *self;
        (0..list.len(self.flat)).filter_map(move |i| case.read(&Cx::new(case.flat), list, i, field))
    }

    /// The inputs.
    pub fn inputs(&self) -> impl Iterator<Item = CaseValue<'a>> + use<'a> {
        let [inputs, _] = self.lists();
        self.values(inputs)
    }

    /// The outputs to expect.
    pub fn expected_outputs(&self) -> impl Iterator<Item = CaseValue<'a>> + use<'a> {
        let [_, outputs] = self.lists();
        self.values(outputs)
    }
}
