//! MATMUL: products of two batches of matrices.

use crate::attr::attributes;
use crate::ops::common::{strided, strides};
use crate::ops::convs::product;
use crate::ops::gemm::{Gemm, centred};
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, pack};

attributes! {
    /// No attributes.
    MatMul {}
}

impl Operator for MatMul {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("A"), input("B"), constant("A_zp"), constant("B_zp")],
            &["output"],
            types![I8 I8 I8 I8 -> I32: INT; I16 I16 I16 I16 -> I48: INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, c] = cx.rank::<3>(0)?;
        let [bn, bc, w] = cx.rank::<3>(1)?;
        ensure!(
            n == bn && c == bc,
            "A is [{n}, {h}, {c}], so B must be [{n}, {c}, any]; it is [{bn}, {bc}, {w}]"
        );
        cx.zero_point(2)?;
        cx.zero_point(3)?;
        Ok(vec![vec![n, h, w]])
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let [_, _, c] = cx.rank::<3>(0).unwrap_or([usize::MAX; 3]);
        product(&outs[0]).saturating_mul(c as u64)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let a = centred(run.data(0), run.scalar(2))?;
        let b = centred(run.data(1), run.scalar(3))?;
        let dims = run.dims(1);
        // Rows of B's columns, so that both run along.
        let s = strides(dims);
        let b = strided(&b, 0, &[s[0], s[2], s[1]], &[dims[0], dims[2], dims[1]]);
        let c = dims[1];
        let gemm = Gemm::new(&a, &b, c, run.out_dtype());
        let mut out = Vec::with_capacity(run.out_dims().iter().product());
        let a_size = run.dims(0)[1] * c;
        for (a, b) in a.chunks_exact(a_size.max(1)).zip(b.chunks_exact((dims[2] * c).max(1))) {
            gemm.rows(a, b, c, &[], &mut out)?;
        }
        run.done(pack(run.out_dtype(), out.into_iter()))
    }
}
