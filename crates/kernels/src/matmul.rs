//! Products of packed matrices with activations: the bulk of all work.
//!
//! For each output row and token, whatever the ISA, the number of threads or tokens:
//!
//! ```text
//!   acc = 0
//!   for each sub-block in column order (16 or 32 columns that share a scale):
//!       i   = Σ (u − offset) · q             exact, in integers
//!       acc = fma(i, scale · d, acc)         scale of the weights (exact), d of the activations
//!       acc = fma(min, d · Σq, acc)          where the format has minimums
//! ```
//! Float weights: `acc = fma(w, x, acc)` column by column. Lanes are rows, so nothing is
//! ever added across lanes. A tile holds `G` row groups by `T` tokens in registers: for
//! one token several far-apart groups, which keeps several streams from memory in
//! flight; for many tokens one group, which is unpacked once for all of them.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use crate::Format;
use crate::activations::{Activations, Quantized};
use crate::pack::{Matrix, Plan, scales};
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};
use std::ops::Range;

/// One matrix of a product and the place for its result, `[tokens][rows]`.
#[derive(Debug)]
pub struct Product<'a> {
    /// The weights.
    pub weights: &'a Matrix,
    /// The result, row-major by token.
    pub out: &'a mut [f32],
}

/// Computes every product of `x`, which must be quantised, with the matrices in `products`.
///
/// # Panics
/// If a shape does not fit.
pub fn matmul(isa: Isa, pool: &Pool, x: &Activations, products: &mut [Product<'_>]) {
    let tokens = x.rows();
    if tokens == 0 {
        return;
    }
    let mut tasks = Vec::new();
    for product in products.iter_mut() {
        let w = product.weights;
        assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
        assert_eq!(product.out.len(), tokens * w.rows(), "room for the result");
        if Plan::of(w.format()).is_some() {
            assert_eq!(
                x.packed().len() * 32,
                tokens * x.cols(),
                "activations are quantised"
            );
        }
        let out = Out {
            start: product.out.as_mut_ptr(),
            stride: w.rows(),
        };
        let step = groups_per_task(w, tokens, pool.threads());
        let cuts = (0..w.groups()).step_by(step);
        tasks.extend(cuts.map(|first| Task {
            w,
            x,
            out,
            groups: first..w.groups().min(first + step),
        }));
    }
    pool.for_each(tasks.len(), |i| tasks[i].run(isa));
}

/// Groups that a thread takes at once: enough to stream well, few enough to share out evenly.
fn groups_per_task(w: &Matrix, tokens: usize, threads: usize) -> usize {
    if threads == 1 {
        return w.groups().max(1);
    }
    let most = if tokens == 1 { 64 } else { 4 };
    w.groups().div_ceil(4 * threads).clamp(1, most)
}

/// Where results go. Tasks write disjoint rows.
#[derive(Clone, Copy)]
struct Out {
    start: *mut f32,
    stride: usize,
}

// SAFETY: tasks of one `matmul` write disjoint elements, and `matmul` holds the `&mut` for all of them.
unsafe impl Sync for Out {}
// SAFETY: as above.
unsafe impl Send for Out {}

#[derive(Clone)]
struct Task<'a> {
    w: &'a Matrix,
    x: &'a Activations,
    out: Out,
    groups: Range<usize>,
}

impl Task<'_> {
    fn run(&self, isa: Isa) {
        use scales::{CENTRED, MINIMUM, SUPER, SUPER_CENTRED, SUPER_SMALL};
        match self.w.format() {
            Format::F32 => isa.run(Floats::<32>(self)),
            Format::F16 => isa.run(Floats::<16>(self)),
            Format::BF16 => isa.run(Floats::<8>(self)),
            Format::Q4_0 => isa.run(Blocks::<4, CENTRED>(self)),
            Format::Q5_0 => isa.run(Blocks::<5, CENTRED>(self)),
            Format::Q8_0 => isa.run(Blocks::<8, CENTRED>(self)),
            Format::Q4_1 => isa.run(Blocks::<4, MINIMUM>(self)),
            Format::Q5_1 => isa.run(Blocks::<5, MINIMUM>(self)),
            Format::Q4_K => isa.run(Blocks::<4, SUPER>(self)),
            Format::Q5_K => isa.run(Blocks::<5, SUPER>(self)),
            Format::Q3_K => isa.run(Blocks::<3, SUPER_CENTRED>(self)),
            Format::Q6_K => isa.run(Blocks::<6, SUPER_CENTRED>(self)),
            Format::Q2_K => isa.run(Blocks::<2, SUPER_SMALL>(self)),
        }
    }

    /// Visits the task's rows and tokens in tiles.
    #[inline(always)]
    fn tiles<S: Simd>(&self, s: S, tile: &impl Tile) {
        let tokens = self.x.rows();
        if tokens == 1 {
            let mut group = self.groups.clone();
            // Streams start far apart: each walks its own share of the rows.
            if S::STREAMS == 4 {
                let share = group.len() / 4;
                for i in 0..share {
                    self.put(
                        s,
                        [0, 1, 2, 3].map(|k| group.start + k * share + i),
                        0,
                        tile.compute::<S, 4, 1>(s, self, group.start + i, share, 0),
                    );
                }
                group.start += 4 * share;
            }
            if S::STREAMS >= 2 {
                let share = group.len() / 2;
                for i in 0..share {
                    self.put(
                        s,
                        [0, 1].map(|k| group.start + k * share + i),
                        0,
                        tile.compute::<S, 2, 1>(s, self, group.start + i, share, 0),
                    );
                }
                group.start += 2 * share;
            }
            for g in group {
                self.put(s, [g], 0, tile.compute::<S, 1, 1>(s, self, g, 0, 0));
            }
            return;
        }
        for g in self.groups.clone() {
            let mut token = 0;
            while S::TOKENS >= 8 && tokens - token >= 8 {
                self.put(s, [g], token, tile.compute::<S, 1, 8>(s, self, g, 0, token));
                token += 8;
            }
            while S::TOKENS >= 4 && tokens - token >= 4 {
                self.put(s, [g], token, tile.compute::<S, 1, 4>(s, self, g, 0, token));
                token += 4;
            }
            while S::TOKENS >= 2 && tokens - token >= 2 {
                self.put(s, [g], token, tile.compute::<S, 1, 2>(s, self, g, 0, token));
                token += 2;
            }
            while tokens > token {
                self.put(s, [g], token, tile.compute::<S, 1, 1>(s, self, g, 0, token));
                token += 1;
            }
        }
    }

    /// Stores a tile; the last group may have fewer than 16 rows.
    #[inline(always)]
    fn put<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        groups: [usize; G],
        token: usize,
        tile: [[S::F; T]; G],
    ) {
        for g in 0..G {
            let row = groups[g] * LANES;
            let rows = self.w.rows() - row;
            for t in 0..T {
                // SAFETY: `token + t` is one of the tokens and `row` one of the rows, both checked
                // against the length of `out` in `matmul`; a whole vector is stored only if 16 rows are left.
                unsafe {
                    let at = self.out.start.add((token + t) * self.out.stride + row);
                    if rows >= LANES {
                        s.store(at, tile[g][t]);
                    } else {
                        let mut lanes = [0.0; LANES];
                        s.store(lanes.as_mut_ptr(), tile[g][t]);
                        std::ptr::copy_nonoverlapping(lanes.as_ptr(), at, rows);
                    }
                }
            }
        }
    }
}

/// Computes the tile of groups `group + k · share` by tokens from `token`.
trait Tile {
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G];
}

/// Products with float weights: `KIND` 32 is F32, 16 is F16, 8 is BF16.
struct Floats<'a, const KIND: u8>(&'a Task<'a>);

impl<const KIND: u8> Kernel for Floats<'_, KIND> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self);
    }
}

impl<const KIND: u8> Tile for Floats<'_, KIND> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let cols = task.w.cols();
        let x = &task.x.floats()[token * cols..(token + T) * cols];
        let mut w = [std::ptr::null::<u8>(); G];
        for k in 0..G {
            let bytes = task.w.group(group + k * share);
            assert_eq!(bytes.len(), cols * LANES * task.w.format().block_bytes());
            w[k] = bytes.as_ptr();
        }
        let mut acc = [[s.splat(0.0); T]; G];
        for col in 0..cols {
            for g in 0..G {
                // SAFETY: a group has `cols` vectors of 16 weights of its format, and `x` has `cols`
                // inputs for each of the `T` tokens; both lengths were checked above.
                unsafe {
                    let weights = match KIND {
                        32 => s.load(w[g].cast::<f32>().add(col * LANES)),
                        16 => s.load_f16(w[g].cast::<u16>().add(col * LANES)),
                        _ => s.load_bf16(w[g].cast::<u16>().add(col * LANES)),
                    };
                    for t in 0..T {
                        acc[g][t] =
                            s.fma(weights, s.splat(*x.as_ptr().add(t * cols + col)), acc[g][t]);
                    }
                }
            }
        }
        acc
    }
}

/// Products with quantised weights of `BITS` bits and one of the `scales` layouts.
struct Blocks<'a, const BITS: usize, const SCALES: u8>(&'a Task<'a>);

impl<const BITS: usize, const SCALES: u8> Kernel for Blocks<'_, BITS, SCALES> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self);
    }
}

impl<const BITS: usize, const SCALES: u8> Blocks<'_, BITS, SCALES> {
    const PLAN: Plan = Plan {
        bits: BITS,
        scales: SCALES,
    };
    const CENTRED: bool = matches!(SCALES, scales::CENTRED | scales::SUPER_CENTRED);
    const SMALL: bool = matches!(SCALES, scales::SUPER_CENTRED | scales::SUPER_SMALL);
    const MINIMUM: bool = matches!(
        SCALES,
        scales::MINIMUM | scales::SUPER | scales::SUPER_SMALL
    );

    /// What was added to make the integers unsigned, as far as `dot` has not taken it off.
    #[inline(always)]
    const fn offset<S: Simd>() -> i32 {
        match (Self::CENTRED, BITS) {
            (false, _) => 0,
            (true, 8) => S::FULL_BIAS,
            (true, bits) => 1 << (bits - 1),
        }
    }

    /// Scales and minimums of a block: two of each where they change after 16 columns.
    #[inline(always)]
    unsafe fn scales<S: Simd>(s: S, head: [S::F; 2], p: *const u8) -> [[S::F; 2]; 2] {
        let zero = s.splat(0.0);
        // SAFETY: the caller vouches for a block at `p`; a block starts with its scales.
        unsafe {
            match SCALES {
                scales::CENTRED => [[s.load_f16(p.cast()), zero], [zero, zero]],
                scales::MINIMUM => [
                    [s.load_f16(p.cast()), zero],
                    [s.load_f16(p.add(32).cast()), zero],
                ],
                scales::SUPER => [
                    [s.mul(head[0], s.load_u8(p)), zero],
                    [s.mul(head[1], s.load_u8(p.add(16))), zero],
                ],
                scales::SUPER_CENTRED => [
                    [
                        s.mul(head[0], s.load_i8(p)),
                        s.mul(head[0], s.load_i8(p.add(16))),
                    ],
                    [zero, zero],
                ],
                _ => [
                    [
                        s.mul(head[0], s.load_u8(p)),
                        s.mul(head[0], s.load_u8(p.add(16))),
                    ],
                    [
                        s.mul(head[1], s.load_u8(p.add(32))),
                        s.mul(head[1], s.load_u8(p.add(48))),
                    ],
                ],
            }
        }
    }

    /// The halves in front of a unit: scale, and minus the scale of the minimums.
    #[inline(always)]
    unsafe fn head<S: Simd>(s: S, p: *const u8) -> [S::F; 2] {
        let zero = s.splat(0.0);
        // SAFETY: the caller vouches for a unit at `p`; a unit starts with its halves.
        unsafe {
            match SCALES {
                scales::SUPER | scales::SUPER_SMALL => [
                    s.load_f16(p.cast()),
                    s.mul(s.splat(-1.0), s.load_f16(p.add(32).cast())),
                ],
                scales::SUPER_CENTRED => [s.load_f16(p.cast()), zero],
                _ => [zero, zero],
            }
        }
    }

    /// Four columns of 16 rows: word `Q` of the planes at `p`.
    #[inline(always)]
    unsafe fn quants<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
        // SAFETY: the caller vouches for the planes of a block at `p`.
        unsafe {
            match BITS {
                2 => pair::<S, Q>(s, p),
                3 => {
                    s.or_shifted::<2>(pair::<S, Q>(s, p), s.bits::<Q>(s.load_bytes(p.add(128)), 1))
                }
                4 => nibble::<S, Q>(s, p),
                5 => s.or_shifted::<4>(
                    nibble::<S, Q>(s, p),
                    s.bits::<Q>(s.load_bytes(p.add(256)), 1),
                ),
                6 => s.or_shifted::<4>(nibble::<S, Q>(s, p), pair::<S, Q>(s, p.add(256))),
                _ => s.load_bytes(p.add(64 * Q as usize)),
            }
        }
    }

    /// Adds word `Q` of a block to the integer sums of all tokens.
    #[inline(always)]
    unsafe fn step<S: Simd, const T: usize, const Q: u32>(
        s: S,
        p: *const u8,
        x: Inputs,
        sums: &mut [[S::I; 2]; T],
    ) {
        // SAFETY: as for `quants`.
        let u = unsafe { Self::quants::<S, Q>(s, p) };
        let half = if Self::SMALL && Q >= 4 { 1 } else { 0 };
        for t in 0..T {
            // SAFETY: the caller vouches for `T` tokens.
            let word = unsafe { x.token(t) }.words[Q as usize];
            sums[t][half] = if BITS == 8 {
                s.dot_full(sums[t][half], u, word)
            } else {
                s.dot(sums[t][half], u, word)
            };
        }
    }

    /// Adds one block of 32 columns to the accumulators of a row group.
    #[inline(always)]
    unsafe fn block<S: Simd, const T: usize>(
        s: S,
        head: [S::F; 2],
        p: *const u8,
        x: Inputs,
        acc: &mut [S::F; T],
    ) {
        // SAFETY: the caller vouches for a block at `p`.
        unsafe {
            let [scale, min] = Self::scales(s, head, p);
            let mut sums = [[s.splat_int(0); 2]; T];
            if Self::CENTRED {
                for t in 0..T {
                    let [first, second] = x.token(t).sums;
                    if Self::SMALL {
                        sums[t][0] = s.splat_int(-Self::offset::<S>() * first);
                        sums[t][1] = s.splat_int(-Self::offset::<S>() * second);
                    } else {
                        sums[t][0] = s.splat_int(-Self::offset::<S>() * (first + second));
                    }
                }
            }
            let planes = p.add(Self::PLAN.scale_bytes());
            Self::step::<S, T, 0>(s, planes, x, &mut sums);
            Self::step::<S, T, 1>(s, planes, x, &mut sums);
            Self::step::<S, T, 2>(s, planes, x, &mut sums);
            Self::step::<S, T, 3>(s, planes, x, &mut sums);
            Self::step::<S, T, 4>(s, planes, x, &mut sums);
            Self::step::<S, T, 5>(s, planes, x, &mut sums);
            Self::step::<S, T, 6>(s, planes, x, &mut sums);
            Self::step::<S, T, 7>(s, planes, x, &mut sums);
            for t in 0..T {
                let d = s.splat(x.token(t).d);
                for half in 0..if Self::SMALL { 2 } else { 1 } {
                    acc[t] = s.fma(s.float(sums[t][half]), s.mul(scale[half], d), acc[t]);
                    if Self::MINIMUM {
                        let sum = x.token(t).scaled_sums[if Self::SMALL { half } else { 2 }];
                        acc[t] = s.fma(min[half], s.splat(sum), acc[t]);
                    }
                }
            }
        }
    }
}

impl<const BITS: usize, const SCALES: u8> Tile for Blocks<'_, BITS, SCALES> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let plan = Self::PLAN;
        let blocks = task.w.cols() / 32;
        let per_unit = plan.unit_cols() / 32;
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            let bytes = task.w.group(group + k * share);
            assert_eq!(bytes.len(), blocks / per_unit * plan.unit_bytes());
            w[k] = bytes.as_ptr();
        }
        let x = &task.x.packed()[token * blocks..(token + T) * blocks];
        let mut acc = [[s.splat(0.0); T]; G];
        let mut heads = [[s.splat(0.0); 2]; G];
        for unit in 0..blocks / per_unit {
            for g in 0..G {
                // SAFETY: the length of a group was checked above: `unit` is inside it.
                heads[g] = unsafe { Self::head(s, w[g].add(unit * plan.unit_bytes())) };
            }
            for i in 0..per_unit {
                let at = unit * plan.unit_bytes() + plan.head_bytes() + i * plan.block_bytes();
                for g in 0..G {
                    // SAFETY: as above; `at` is the start of a block of that unit, and `x` has a block
                    // for each block of the row and each of the `T` tokens.
                    unsafe {
                        let x = Inputs {
                            first: x.as_ptr().add(unit * per_unit + i),
                            stride: blocks,
                        };
                        Self::block(s, heads[g], w[g].add(at), x, &mut acc[g]);
                    }
                }
            }
        }
        acc
    }
}

/// One block of the inputs of several tokens.
#[derive(Clone, Copy)]
struct Inputs {
    first: *const Quantized,
    /// Blocks from one token to the next.
    stride: usize,
}

impl Inputs {
    /// # Safety
    /// `t` is one of the tokens that the tile was made for.
    #[inline(always)]
    unsafe fn token<'a>(self, t: usize) -> &'a Quantized {
        // SAFETY: as above; the block outlives the tile.
        unsafe { &*self.first.add(t * self.stride) }
    }
}

/// Word `Q` of a 4-bit plane.
#[inline(always)]
unsafe fn nibble<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: the caller vouches for a 4-bit plane (4 vectors) at `p`.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 2))) };
    if Q.is_multiple_of(2) {
        s.bits::<0>(v, 15)
    } else {
        s.bits::<4>(v, 15)
    }
}

/// Word `Q` of a 2-bit plane.
#[inline(always)]
unsafe fn pair<S: Simd, const Q: u32>(s: S, p: *const u8) -> S::B {
    // SAFETY: the caller vouches for a 2-bit plane (2 vectors) at `p`.
    let v = unsafe { s.load_bytes(p.add(64 * (Q as usize / 4))) };
    match Q % 4 {
        0 => s.bits::<0>(v, 3),
        1 => s.bits::<2>(v, 3),
        2 => s.bits::<4>(v, 3),
        _ => s.bits::<6>(v, 3),
    }
}
