//! The memory that the method works in: statics of exactly the size it needs, lent once.
#![expect(unsafe_code, reason = "one exclusive borrow of a static, guarded by a flag")]

use crate::model::{Aligned, PLANNED, TABLES, TEMP};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

const PLANNED_BYTES: usize = {
    let [bytes] = PLANNED;
    bytes
};

/// The three pools.
pub(crate) struct Pools {
    pub(crate) method: Aligned<{ TABLES.bytes() }>,
    pub(crate) planned: Aligned<PLANNED_BYTES>,
    pub(crate) temp: Aligned<TEMP>,
}

struct Once(UnsafeCell<Pools>, AtomicBool);

// SAFETY: the cell is reached through `take` only, which gives it away once.
unsafe impl Sync for Once {}

static POOLS: Once = Once(
    UnsafeCell::new(Pools {
        method: Aligned([0; TABLES.bytes()]),
        planned: Aligned([0; PLANNED_BYTES]),
        temp: Aligned([0; TEMP]),
    }),
    AtomicBool::new(false),
);

/// The pools, at the first call.
pub(crate) fn take() -> Option<&'static mut Pools> {
    if POOLS.1.swap(true, Ordering::Relaxed) {
        return None;
    }
    // SAFETY: the flag was false, so that this is the only borrow there is and will be.
    Some(unsafe { &mut *POOLS.0.get() })
}
