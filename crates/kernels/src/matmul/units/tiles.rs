//! Products of Q4_0 with many tokens on tile registers.
//!
//! The same whole numbers as `units`, so the same bits. A weight times its block's multiple has 16 bits: it goes into
//! two bytes, and tile registers sum high and low bytes apart, over all columns of a unit. The weights of a few row
//! groups are taken apart once and stay in the nearest cache while all tokens pass over them, 32 at a time. While the
//! tile registers are busy with one such pass, the sums of the pass before become floats.

use super::{PLAN, Units, steps, unpack};
use crate::activations::{Quarter, TILE, Unit};
use crate::simd::{Amx, Avx512, LANES, Simd, Sums};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Row groups that are taken apart at once.
const GROUPS: usize = 2;
/// Tiles of tokens that pass over them.
const TILES: usize = 32;
/// Quarters of a unit: 64 columns, what a tile register holds.
const QUARTERS: usize = 4;

/// A unit of 16 rows, ready for tile registers.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Ready {
    /// High and low bytes of each quarter: four columns of 16 rows, 16 times.
    planes: [[[[u8; 64]; LANES]; 2]; QUARTERS],
    steps: [f32; LANES],
}

/// Results of 16 tokens by 16 rows.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Results([[f32; LANES]; TILE]);

/// What goes into tiles and comes out of them; each thread has one and uses it again.
struct Places {
    ready: [Ready; GROUPS],
    /// High and low sums of two tiles, of the pass under way and of the one before.
    sums: [[[Sums; 2]; 2]; 2],
    results: [[Results; GROUPS]; TILES],
}

impl Places {
    const EMPTY: Self = Self {
        ready: [Ready {
            planes: [[[[0; 64]; LANES]; 2]; QUARTERS],
            steps: [0.0; LANES],
        }; GROUPS],
        sums: [[[Sums([[0; LANES]; LANES]); 2]; 2]; 2],
        results: [[Results([[0.0; LANES]; TILE]); GROUPS]; TILES],
    };
}

thread_local! {
    static PLACES: Cell<Option<Box<Places>>> = const { Cell::new(None) };
}

/// One unit of one or two tiles of tokens and one group of rows: where everything is.
#[derive(Clone, Copy)]
struct Pass {
    /// Tiles: one or two.
    count: usize,
    ready: *const Ready,
    /// Of each tile of tokens the first quarter of the unit, what goes with the unit, and the results so far.
    quarters: [*const Quarter; 2],
    units: [*const Unit; 2],
    results: [*mut Results; 2],
    /// Where the results of each tile go in the end.
    out: [*mut f32; 2],
    /// High and low sums of each tile.
    sums: *mut [[Sums; 2]; 2],
}

/// Which of its row's units a pass is about.
#[derive(Clone, Copy)]
struct Turn {
    first: bool,
    last: bool,
}

impl Units<'_> {
    /// Computes all tokens that fill tiles, for whole groups of rows; gives how many tokens are done.
    #[inline(always)]
    pub(super) fn run_tiles(&self, s: Avx512, amx: Amx) -> usize {
        let task = self.0;
        if task.x.rows() < TILE || task.groups.end * LANES > task.w.rows() {
            return 0;
        }
        let tokens = task.x.rows() / TILE * TILE;
        // Taken and put back, not borrowed by a closure, which would be compiled without the vector instructions.
        let mut places = PLACES.take().unwrap_or_else(|| Box::new(Places::EMPTY));
        amx.with_units(
            #[inline(always)]
            || {
                for first in task.groups.clone().step_by(GROUPS) {
                    let groups = first..task.groups.end.min(first + GROUPS);
                    for token in (0..tokens).step_by(TILE * TILES) {
                        let tokens = token..tokens.min(token + TILE * TILES);
                        self.sweep(s, amx, groups.clone(), tokens, &mut places);
                    }
                }
            },
        );
        PLACES.set(Some(places));
        tokens
    }

    /// A few groups by a few tiles of tokens, over all columns.
    #[inline(always)]
    fn sweep(
        &self,
        s: Avx512,
        amx: Amx,
        groups: Range<usize>,
        tokens: Range<usize>,
        places: &mut Places,
    ) {
        for unit in 0..self.units() {
            for (index, group) in groups.clone().enumerate() {
                self.unpack_unit(s, group, unit, &mut places.ready[index]);
            }
            let turn = Turn {
                first: unit == 0,
                last: unit + 1 == self.units(),
            };
            let mut before: Option<Pass> = None;
            for token in tokens.clone().step_by(2 * TILE) {
                for index in 0..groups.len() {
                    let at = (groups.start + index, tokens.start, token);
                    let pass = self.pass(places, unit, index, at, tokens.end);
                    // SAFETY: this runs inside `with_units`, and `pass` found a place for everything; the pass before
                    // wrote its sums and nothing has used them yet.
                    unsafe {
                        match pass.count {
                            2 => self.multiply::<2>(s, amx, &pass, before.as_ref(), turn),
                            _ => self.multiply::<1>(s, amx, &pass, before.as_ref(), turn),
                        }
                    }
                    before = Some(pass);
                }
            }
            if let Some(before) = before {
                for part in 0..QUARTERS {
                    // SAFETY: as above.
                    unsafe { self.add_sums(s, &before, part, turn) };
                }
            }
        }
    }

    /// Takes a unit of a group apart into bytes of weight times multiple.
    #[inline(always)]
    fn unpack_unit(&self, s: Avx512, group: usize, unit: usize, out: &mut Ready) {
        // SAFETY: `unit` is one of the group's, whose length is checked by `weights`, and `out` has whole vectors;
        // an `Avx512` proves the instructions.
        unsafe {
            let p = self.weights(group).add(unit * PLAN.unit_bytes());
            s.store(out.steps.as_mut_ptr(), steps(s, p));
            // What is left of a last unit meets inputs that are zero, so its bytes may be any.
            for block in 0..self.blocks(unit) {
                let p = p.add(PLAN.head_bytes() + block * PLAN.block_bytes());
                let multiples = s.load_multiples(p);
                let multiples = _mm512_or_si512(multiples, _mm512_slli_epi32::<16>(multiples));
                let u = unpack(s, p.add(PLAN.scale_bytes()));
                let [high, low] = &mut out.planes[block / 2];
                for q in 0..8 {
                    let row = block % 2 * 8 + q;
                    let [h, l] = products(u[q], multiples);
                    _mm512_store_si512(high[row].as_mut_ptr().cast(), h);
                    _mm512_store_si512(low[row].as_mut_ptr().cast(), l);
                }
            }
        }
    }

    /// The pass of one or two tiles from `token` on, of the sweep from `start` to `end`, and of a group, the
    /// `index`-th of those taken apart.
    #[inline(always)]
    fn pass(
        &self,
        places: &mut Places,
        unit: usize,
        index: usize,
        (group, start, token): (usize, usize, usize),
        end: usize,
    ) -> Pass {
        let count = 2.min((end - token) / TILE);
        let mut pass = Pass {
            count,
            ready: &raw const places.ready[index],
            quarters: [std::ptr::null(); 2],
            units: [std::ptr::null(); 2],
            results: [std::ptr::null_mut(); 2],
            out: [std::ptr::null_mut(); 2],
            sums: &raw mut places.sums[index % 2],
        };
        for n in 0..count {
            let token = token + n * TILE;
            let (quarters, units) = self.0.x.wide(token).check(self.units(), TILE);
            let out = &self.0.out;
            // SAFETY: `unit` is one of the row's; `token` is one of the tokens and `group` one of the whole groups,
            // both checked against the length of `out` in `matmul`.
            unsafe {
                pass.quarters[n] = quarters.add(QUARTERS * unit * TILE);
                pass.units[n] = units.add(unit * TILE);
                pass.out[n] = out.start.add(token * out.stride + group * LANES);
            }
            pass.results[n] = &raw mut places.results[(token - start) / TILE][index];
        }
        pass
    }

    /// Sums a unit for `N` tiles of tokens and a group, while the sums of the pass before become floats.
    ///
    /// # Safety
    /// As for `add_sums`, for both passes.
    #[inline(always)]
    unsafe fn multiply<const N: usize>(
        &self,
        s: Avx512,
        amx: Amx,
        pass: &Pass,
        before: Option<&Pass>,
        turn: Turn,
    ) {
        // SAFETY: vouched for by the caller.
        unsafe {
            amx.clear();
            for k in 0..QUARTERS {
                let mut tokens = [std::ptr::null::<u8>(); N];
                for n in 0..N {
                    tokens[n] = pass.quarters[n].add(k * TILE).cast();
                }
                let [high, low] = &(&(*pass.ready).planes)[k];
                amx.quarter(tokens, high.as_ptr().cast(), low.as_ptr().cast());
                if let Some(before) = before {
                    self.add_sums(s, before, k, turn);
                }
            }
            let sums = &mut *pass.sums;
            amx.store_sums(sums.first_chunk_mut::<N>().expect("room for two tiles"));
        }
    }

    /// Adds a quarter of a pass's sums, as floats, to the results; after the last unit they go where they belong.
    ///
    /// # Safety
    /// The caller runs inside `with_units`, and every pointer of the pass is to what it says.
    #[inline(always)]
    unsafe fn add_sums(&self, s: Avx512, pass: &Pass, part: usize, turn: Turn) {
        // SAFETY: vouched for by the caller.
        unsafe {
            match (turn.first, turn.last) {
                (false, false) => self.add_some::<false, false>(s, pass, part),
                (true, false) => self.add_some::<true, false>(s, pass, part),
                (false, true) => self.add_some::<false, true>(s, pass, part),
                (true, true) => self.add_some::<true, true>(s, pass, part),
            }
        }
    }

    #[inline(always)]
    unsafe fn add_some<const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        pass: &Pass,
        part: usize,
    ) {
        const TOKENS: usize = TILE / QUARTERS;
        let from = part * TOKENS;
        // SAFETY: vouched for by the caller; whole vectors all, and a tile has 16 tokens.
        unsafe {
            let step = s.load((&raw const (*pass.ready).steps).cast());
            for n in 0..pass.count {
                let sums = pass.sums.cast::<Sums>().add(2 * n).cast::<[i32; LANES]>();
                let (high, low) = (sums.add(from), sums.add(TILE + from));
                let results = pass.results[n].cast::<[f32; LANES]>().add(from);
                let units = pass.units[n].add(from);
                let out = pass.out[n].add(from * self.0.out.stride);
                unroll!(for t in 0..TOKENS {
                    let high = _mm512_load_si512(high.add(t).cast());
                    let low = _mm512_load_si512(low.add(t).cast());
                    let sum = _mm512_add_epi32(_mm512_slli_epi32::<8>(high), low);
                    let acc = match FIRST {
                        true => s.splat(0.0),
                        false => s.load(results.add(t).cast()),
                    };
                    let scale = s.mul(step, s.splat((*units.add(t)).d));
                    let acc = s.fma(s.float(sum), scale, acc);
                    match LAST {
                        true => s.store(out.add(t * self.0.out.stride), acc),
                        false => s.store(results.add(t).cast(), acc),
                    }
                });
            }
        }
    }
}

/// Weights that are 8 too high, taken down and times their multiple: the high and the low byte of each.
#[inline(always)]
unsafe fn products(u: __m512i, multiples: __m512i) -> [__m512i; 2] {
    // SAFETY: the caller has AVX-512.
    unsafe {
        let eight = _mm512_set1_epi16(8);
        let bytes = _mm512_set1_epi16(0xff);
        let even = _mm512_sub_epi16(_mm512_and_si512(u, bytes), eight);
        let odd = _mm512_sub_epi16(_mm512_srli_epi16::<8>(u), eight);
        let even = _mm512_mullo_epi16(even, multiples);
        let odd = _mm512_mullo_epi16(odd, multiples);
        // Where `bytes` is set, the bit of the second, else of the third.
        const CHOOSE: i32 = 0xca;
        let high = _mm512_ternarylogic_epi32::<CHOOSE>(bytes, _mm512_srli_epi16::<8>(even), odd);
        let low = _mm512_ternarylogic_epi32::<CHOOSE>(bytes, even, _mm512_slli_epi16::<8>(odd));
        [high, low]
    }
}
