//! The Q4_0 GEMM for many tokens on AMX tile registers.
//!
//! The same integers as `per256`, so the same bits. A weight times its block's multiple has 16 bits, and tile registers
//! multiply bytes: high and low bytes go through separate registers, whose sums stay loaded over all columns of a unit.
//! The weights of a unit are unpacked once and stay in cache while all tokens pass over them, 32 at a time. While the
//! tile unit is busy with one such pass, the vector unit turns the sums of the pass before into floats: without that
//! overlap the two take turns, each waiting for the other.

use super::super::per32::amx::TileResults;
use super::{LAYOUT, Nibbles, Per256Gemm, steps};
use crate::activations::{TILE, UNIT, UnitInputs};
use crate::simd::{Amx, Avx512, LANES, Simd, Sums, Vector};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Tiles of tokens that pass over a unit of weights.
const TILES: usize = 32;
/// Quarters of a unit: 64 columns, what a tile register holds.
const QUARTERS: usize = 4;

/// A unit of 16 rows, as tile registers load it.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct UnpackedUnit {
    /// High and low bytes of weight · multiple for each quarter: four columns of 16 rows, 16 times.
    planes: [[[[u8; 64]; LANES]; 2]; QUARTERS],
    /// The same as 16-bit pairs, for outliers: of each four columns the even ones, then the odd ones.
    whole: [[[u8; 64]; 2]; UNIT / 4],
    steps: [f32; LANES],
}

/// What goes into tiles and comes out of them. One per thread: too large for the stack, and new memory would cost page
/// faults.
struct UnitBuffers {
    ready: UnpackedUnit,
    /// High and low sums of two tiles, of the pass under way and of the one before.
    sums: [[[Sums; 2]; 2]; 2],
    results: [TileResults; TILES],
}

impl UnitBuffers {
    const EMPTY: Self = Self {
        ready: UnpackedUnit {
            planes: [[[[0; 64]; LANES]; 2]; QUARTERS],
            whole: [[[0; 64]; 2]; UNIT / 4],
            steps: [0.0; LANES],
        },
        sums: [[[Sums([[0; LANES]; LANES]); 2]; 2]; 2],
        results: [TileResults([[0.0; LANES]; TILE]); TILES],
    };
}

thread_local! {
    static BUFFERS: Cell<Option<Box<UnitBuffers>>> = const { Cell::new(None) };
}

/// One unit of a tile of tokens and a group of rows.
#[derive(Clone, Copy)]
struct TokenTile {
    /// The unit of its first token.
    x: UnitInputs,
    /// The results so far, and where they go in the end.
    results: *mut TileResults,
    out: *mut f32,
}

impl Per256Gemm<'_> {
    /// Computes all tokens that fill tiles, for whole groups of rows; gives how many tokens are done.
    #[inline(always)]
    pub(super) fn tokens_by_tiles(&self, s: Avx512, amx: Amx) -> usize {
        let task = self.task;
        let tokens = task.tokens_in_tiles();
        if tokens == 0 {
            return 0;
        }
        // Taken and put back, not borrowed by a closure, which would be compiled without the vector instructions.
        let mut buffers = BUFFERS
            .take()
            .unwrap_or_else(|| Box::new(UnitBuffers::EMPTY));
        amx.with_units(
            #[inline(always)]
            || {
                for group in task.groups.clone() {
                    for token in (0..tokens).step_by(TILE * TILES) {
                        let tokens = token..tokens.min(token + TILE * TILES);
                        for unit in 0..self.units() {
                            let tokens = tokens.clone();
                            let buffers = &mut buffers;
                            match (unit == 0, unit + 1 == self.units()) {
                                (false, false) => {
                                    self.sweep::<false, false>(s, amx, group, unit, tokens, buffers)
                                }
                                (true, false) => {
                                    self.sweep::<true, false>(s, amx, group, unit, tokens, buffers)
                                }
                                (false, true) => {
                                    self.sweep::<false, true>(s, amx, group, unit, tokens, buffers)
                                }
                                (true, true) => {
                                    self.sweep::<true, true>(s, amx, group, unit, tokens, buffers)
                                }
                            }
                        }
                    }
                }
            },
        );
        BUFFERS.set(Some(buffers));
        tokens
    }

    /// A unit of a group by a few tiles of tokens.
    #[inline(always)]
    fn sweep<const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        amx: Amx,
        group: usize,
        unit: usize,
        tokens: Range<usize>,
        buffers: &mut UnitBuffers,
    ) {
        let UnitBuffers {
            ready,
            sums,
            results,
        } = buffers;
        self.unpack_unit(s, group, unit, ready);
        let (ready, results) = (&*ready, results.as_mut_ptr());
        let x = self.task.x.per256(tokens.start).check(self.units(), TILE);
        let count = tokens.len() / TILE;
        // SAFETY: `tokens` are whole tiles, which lie one after the other, each with all its units, as `check` found
        // for the first; there are results for every tile of a sweep (at most `TILES`); and `out` has room for every
        // token and all 16 rows of `group`: `tokens_in_tiles` refuses a group of fewer.
        let tile = |n: usize| unsafe {
            TokenTile {
                x: x.unit(n * self.units() + unit, TILE),
                results: results.add(n),
                out: self.task.out.place(tokens.start + n * TILE, group * LANES),
            }
        };
        let mut before = PendingSums {
            tiles: [tile(0); 2],
            count: 0,
            sums: &raw const sums[0],
        };
        for n in (0..count).step_by(2) {
            let sums = &mut sums[n / 2 % 2];
            self.prefetch(s, group, unit + 1, n / 2..count.div_ceil(2));
            // SAFETY: `tokens_by_tiles` calls this inside `with_units`; `tile` makes tiles that exist, and `before` was made
            // by the pass before, whose buffer this pass does not write (they alternate).
            before = unsafe {
                match count - n {
                    1 => self.pass::<1, FIRST, LAST>(s, amx, ready, [tile(n)], sums, &before),
                    _ => {
                        let tiles = [tile(n), tile(n + 1)];
                        self.pass::<2, FIRST, LAST>(s, amx, ready, tiles, sums, &before)
                    }
                }
            };
        }
        for k in 0..QUARTERS {
            // SAFETY: `before` is the last pass, whose sums nobody writes any more.
            unsafe { self.add::<FIRST, LAST>(s, ready, &before, k) };
        }
    }

    /// Prefetches a pass's share of the unit that comes next, maybe the first of the next group; `passes` are those
    /// left.
    #[inline(always)]
    fn prefetch(&self, s: Avx512, group: usize, unit: usize, passes: Range<usize>) {
        let share = (LAYOUT.unit_bytes() / 64 + 1).div_ceil(passes.end);
        let first = unit * LAYOUT.unit_bytes() + passes.start * share * 64;
        let ahead = self.weights(group).wrapping_add(first);
        for line in 0..share {
            s.prefetch(ahead.wrapping_add(64 * line));
        }
    }

    /// Unpacks a unit of a group into bytes of weight · multiple.
    #[inline(always)]
    fn unpack_unit(&self, s: Avx512, group: usize, unit: usize, out: &mut UnpackedUnit) {
        // SAFETY: `weights` checks the group's length, of which `unit` is one; the rows of `out` are 64-byte vectors,
        // aligned as the struct is; and an `Avx512` exists only where the CPU has the instructions.
        unsafe {
            let p = self.weights(group).add(unit * LAYOUT.unit_bytes());
            s.store(out.steps.as_mut_ptr(), steps(s, p));
            // A short last unit leaves stale bytes behind its last block; they meet activations that are zero.
            for block in 0..self.blocks(unit) {
                let p = p.add(LAYOUT.head_bytes() + block * LAYOUT.block_bytes());
                let multiples = s.load_multiples(p);
                let multiples = _mm512_or_si512(multiples, _mm512_slli_epi32::<16>(multiples));
                let u = Nibbles::unpack(s, p.add(LAYOUT.scale_bytes()));
                let [high, low] = &mut out.planes[block / 2];
                for q in 0..8 {
                    let row = block % 2 * 8 + q;
                    let [even, odd] = products(u[q], multiples);
                    let [h, l] = bytes(even, odd);
                    _mm512_store_si512(high[row].as_mut_ptr().cast(), h);
                    _mm512_store_si512(low[row].as_mut_ptr().cast(), l);
                    let whole = &mut out.whole[8 * block + q];
                    _mm512_store_si512(whole[0].as_mut_ptr().cast(), even);
                    _mm512_store_si512(whole[1].as_mut_ptr().cast(), odd);
                }
            }
        }
    }

    /// Sums a unit for `N` tiles of tokens and a group, while the sums of the pass before become floats.
    ///
    /// # Safety
    /// The caller runs inside `with_units`; the tiles exist, and so do those of the pass before, whose sums are not
    /// `sums`.
    #[inline(always)]
    unsafe fn pass<const N: usize, const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        amx: Amx,
        ready: &UnpackedUnit,
        tiles: [TokenTile; N],
        sums: &mut [[Sums; 2]; 2],
        before: &PendingSums,
    ) -> PendingSums {
        // SAFETY: inside `with_units`; a tile's unit has four quarters of 16 tokens, `TILE` apart, and `planes` are 16
        // rows of 64 bytes.
        unsafe {
            amx.clear();
            for k in 0..QUARTERS {
                let mut tokens = [std::ptr::null::<u8>(); N];
                for n in 0..N {
                    tokens[n] = tiles[n].x.quarters.add(k * TILE).cast();
                }
                let [high, low] = &ready.planes[k];
                amx.quarter(tokens, high.as_ptr().cast(), low.as_ptr().cast());
                self.add::<FIRST, LAST>(s, ready, before, k);
            }
            amx.store_sums(sums.first_chunk_mut::<N>().expect("room for two tiles"));
        }
        PendingSums {
            count: N,
            tiles: [tiles[0], tiles[N - 1]],
            sums,
        }
    }

    /// Adds a quarter of the sums of a pass, as floats, to the results; after the `LAST` unit they go where they
    /// belong.
    ///
    /// # Safety
    /// The tiles of the pass exist, and its sums are stored.
    #[inline(always)]
    unsafe fn add<const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        ready: &UnpackedUnit,
        before: &PendingSums,
        k: usize,
    ) {
        const TOKENS: usize = TILE / QUARTERS;
        // SAFETY: `from + t` is below 16, the tokens of a tile; rows of sums and results are 64-byte vectors, aligned
        // as their structs are; `offset` of an outlier is inside `whole`; and `out` has 16 rows for each token.
        unsafe {
            let step = s.load(ready.steps.as_ptr());
            let whole = (&raw const ready.whole).cast::<u8>();
            let from = k * TOKENS;
            for n in 0..before.count {
                let tile = &before.tiles[n];
                let sums = before.sums.cast::<Sums>().add(2 * n).cast::<[i32; LANES]>();
                let (high, low) = (sums.add(from), sums.add(TILE + from));
                let results = tile.results.cast::<[f32; LANES]>().add(from);
                let d = tile.x.d.add(from);
                let outliers = tile.x.outliers.add(from);
                let out = tile.out.add(from * self.task.out.stride);
                unroll!(for t in 0..TOKENS {
                    let high = _mm512_load_si512(high.add(t).cast());
                    let low = _mm512_load_si512(low.add(t).cast());
                    let mut sum = _mm512_add_epi32(_mm512_slli_epi32::<8>(high), low);
                    let [a, b] = &*outliers.add(t);
                    let weights = _mm512_load_si512(whole.add(a.offset as usize).cast());
                    let rest = _mm512_set1_epi32(a.halves.cast_signed());
                    sum = _mm512_dpwssd_epi32(sum, weights, rest);
                    let weights = _mm512_load_si512(whole.add(b.offset as usize).cast());
                    let rest = _mm512_set1_epi32(b.halves.cast_signed());
                    sum = _mm512_dpwssd_epi32(sum, weights, rest);
                    let results = results.add(t).cast::<f32>();
                    let acc = match FIRST {
                        true => s.splat(0.0),
                        false => s.load(results),
                    };
                    let scale = s.mul(step, s.splat(*d.add(t)));
                    let acc = s.fma(s.float(sum), scale, acc);
                    match LAST {
                        true => s.store(out.add(t * self.task.out.stride), acc),
                        false => s.store(results, acc),
                    }
                });
            }
        }
    }
}

/// A pass whose sums are not turned into floats yet.
struct PendingSums {
    /// Tiles of tokens: two, one, or none.
    count: usize,
    tiles: [TokenTile; 2],
    sums: *const [[Sums; 2]; 2],
}

/// (u − 8) · multiple as 16 bits: of each four columns the even and the odd ones.
///
/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn products(u: __m512i, multiples: __m512i) -> [__m512i; 2] {
    // SAFETY: only AVX-512 F and BW instructions on registers.
    unsafe {
        let eight = _mm512_set1_epi16(8);
        let even = _mm512_and_si512(u, _mm512_set1_epi16(0xff));
        let odd = _mm512_srli_epi16::<8>(u);
        [
            _mm512_mullo_epi16(_mm512_sub_epi16(even, eight), multiples),
            _mm512_mullo_epi16(_mm512_sub_epi16(odd, eight), multiples),
        ]
    }
}

/// The high and the low bytes of products, in the order of the columns.
///
/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn bytes(even: __m512i, odd: __m512i) -> [__m512i; 2] {
    // The truth table of `if mask { second } else { third }`, bit by bit.
    const CHOOSE: i32 = 0xca;
    // SAFETY: only AVX-512 F and BW instructions on registers.
    unsafe {
        let mask = _mm512_set1_epi16(0xff);
        [
            _mm512_ternarylogic_epi32::<CHOOSE>(mask, _mm512_srli_epi16::<8>(even), odd),
            _mm512_ternarylogic_epi32::<CHOOSE>(mask, even, _mm512_slli_epi16::<8>(odd)),
        ]
    }
}
