//! MATMUL_T: MATMUL with the second operand transposed, which may be one for the whole batch.

use crate::attr::attributes;
use crate::ops::convs::product;
use crate::ops::gemm::{Gemm, centred};
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, pack};

attributes! {
    /// No attributes.
    MatMulT {}
}

impl Operator for MatMulT {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("A"), input("B"), constant("A_zp"), constant("B_zp")],
            &["output"],
            types![I8 I8 I8 I8 -> I32: V11; I16 I16 I16 I16 -> I48: V11_INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, c] = cx.rank::<3>(0)?;
        let [d, w, bc] = cx.rank::<3>(1)?;
        ensure!(
            (d == n || d == 1) && c == bc,
            "A is [{n}, {h}, {c}], so B must be [{n} or 1, any, {c}]; it is [{d}, {w}, {bc}]"
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
        let (a_dims, b_dims) = (run.dims(0), run.dims(1));
        let c = a_dims[2];
        let gemm = Gemm::new(&a, &b, c, run.out_dtype());
        let mut out = Vec::with_capacity(run.out_dims().iter().product());
        let matrices = b.chunks_exact((b_dims[1] * c).max(1)).cycle();
        for (a, b) in a.chunks_exact((a_dims[1] * c).max(1)).zip(matrices) {
            gemm.rows(a, b, c, &[], &mut out)?;
        }
        run.done(pack(run.out_dtype(), out.into_iter()))
    }
}
