//! Products of Q4_0 with many tokens on tile registers.
//!
//! The same whole numbers as `units`, so the same bits. A weight times its block's multiple has 16 bits: it goes into
//! two bytes, and tile registers sum high and low bytes apart, over all columns of a unit. The weights of a unit are
//! taken apart once and stay near while all tokens pass over them, 32 at a time. While the tile registers are
//! busy with one such pass, the sums of the pass before become floats.

use super::{Nibbles, PLAN, Units, steps};
use crate::activations::{TILE, Token, UNIT};
use crate::simd::{Amx, Avx512, LANES, Simd, Sums};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Tiles of tokens that pass over a unit of weights.
const TILES: usize = 32;
/// Quarters of a unit: 64 columns, what a tile register holds.
const QUARTERS: usize = 4;

/// A unit of 16 rows, ready for tile registers.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Ready {
    /// High and low bytes of each quarter: four columns of 16 rows, 16 times.
    planes: [[[[u8; 64]; LANES]; 2]; QUARTERS],
    /// The same as 16 bits, for outliers: of each four columns the even ones, then the odd ones.
    whole: [[[u8; 64]; 2]; UNIT / 4],
    steps: [f32; LANES],
}

/// Results of 16 tokens by 16 rows.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Results([[f32; LANES]; TILE]);

/// What goes into tiles and comes out of them; each thread has one and uses it again.
struct Places {
    ready: Ready,
    /// High and low sums of two tiles, of the pass under way and of the one before.
    sums: [[[Sums; 2]; 2]; 2],
    results: [Results; TILES],
}

impl Places {
    const EMPTY: Self = Self {
        ready: Ready {
            planes: [[[[0; 64]; LANES]; 2]; QUARTERS],
            whole: [[[0; 64]; 2]; UNIT / 4],
            steps: [0.0; LANES],
        },
        sums: [[[Sums([[0; LANES]; LANES]); 2]; 2]; 2],
        results: [Results([[0.0; LANES]; TILE]); TILES],
    };
}

thread_local! {
    static PLACES: Cell<Option<Box<Places>>> = const { Cell::new(None) };
}

/// One unit of a tile of tokens and a group of rows.
#[derive(Clone, Copy)]
struct Tile {
    /// The unit of its first token.
    x: Token,
    /// The results so far, and where they go in the end.
    results: *mut Results,
    out: *mut f32,
}

impl Units<'_> {
    /// Computes all tokens that fill tiles, for whole groups of rows; gives how many tokens are done.
    #[inline(always)]
    pub(super) fn run_tiles(&self, s: Avx512, amx: Amx) -> usize {
        let task = self.0;
        let tokens = task.tokens_in_tiles();
        if tokens == 0 {
            return 0;
        }
        // Taken and put back, not borrowed by a closure, which would be compiled without the vector instructions.
        let mut places = PLACES.take().unwrap_or_else(|| Box::new(Places::EMPTY));
        amx.with_units(
            #[inline(always)]
            || {
                for group in task.groups.clone() {
                    for token in (0..tokens).step_by(TILE * TILES) {
                        let tokens = token..tokens.min(token + TILE * TILES);
                        for unit in 0..self.units() {
                            let tokens = tokens.clone();
                            let places = &mut places;
                            match (unit == 0, unit + 1 == self.units()) {
                                (false, false) => {
                                    self.sweep::<false, false>(s, amx, group, unit, tokens, places)
                                }
                                (true, false) => {
                                    self.sweep::<true, false>(s, amx, group, unit, tokens, places)
                                }
                                (false, true) => {
                                    self.sweep::<false, true>(s, amx, group, unit, tokens, places)
                                }
                                (true, true) => {
                                    self.sweep::<true, true>(s, amx, group, unit, tokens, places)
                                }
                            }
                        }
                    }
                }
            },
        );
        PLACES.set(Some(places));
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
        places: &mut Places,
    ) {
        let Places {
            ready,
            sums,
            results,
        } = places;
        self.unpack_unit(s, group, unit, ready);
        let (ready, results) = (&*ready, results.as_mut_ptr());
        let x = self.0.x.wide(tokens.start).check(self.units(), TILE);
        let count = tokens.len() / TILE;
        // SAFETY: tiles lie one after the other, each with all its units; there is room for the results of every
        // tile of a sweep; `tokens` are some of the tokens and `group` one of the task's whole groups, for which there
        // is a place.
        let tile = |n: usize| unsafe {
            Tile {
                x: x.unit(n * self.units() + unit, TILE),
                results: results.add(n),
                out: self.0.out.place(tokens.start + n * TILE, group * LANES),
            }
        };
        let mut before = Before {
            tiles: [tile(0); 2],
            count: 0,
            sums: &raw const sums[0],
        };
        for n in (0..count).step_by(2) {
            let sums = &mut sums[n / 2 % 2];
            self.ask(s, group, unit + 1, n / 2..count.div_ceil(2));
            // SAFETY: this runs inside `with_units`, and a tile is what it says.
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
            // SAFETY: as above.
            unsafe { self.add::<FIRST, LAST>(s, ready, &before, k) };
        }
    }

    /// Asks for a pass's share of a unit that comes next, maybe the first of the next group; `passes` are those left.
    #[inline(always)]
    fn ask(&self, s: Avx512, group: usize, unit: usize, passes: Range<usize>) {
        let share = (PLAN.unit_bytes() / 64 + 1).div_ceil(passes.end);
        let first = unit * PLAN.unit_bytes() + passes.start * share * 64;
        let ahead = self.weights(group).wrapping_add(first);
        for line in 0..share {
            s.prefetch(ahead.wrapping_add(64 * line));
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
                let u = Nibbles::unpack(s, p.add(PLAN.scale_bytes()));
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
    /// The caller runs inside `with_units`, and every pointer is to what it says.
    #[inline(always)]
    unsafe fn pass<const N: usize, const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        amx: Amx,
        ready: &Ready,
        tiles: [Tile; N],
        sums: &mut [[Sums; 2]; 2],
        before: &Before,
    ) -> Before {
        // SAFETY: vouched for by the caller.
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
        Before {
            count: N,
            tiles: [tiles[0], tiles[N - 1]],
            sums,
        }
    }

    /// Adds a quarter of the sums of a pass, as floats, to the results; after the `LAST` unit they go where they belong.
    ///
    /// # Safety
    /// Every pointer of the pass is to what it says.
    #[inline(always)]
    unsafe fn add<const FIRST: bool, const LAST: bool>(
        &self,
        s: Avx512,
        ready: &Ready,
        before: &Before,
        k: usize,
    ) {
        const TOKENS: usize = TILE / QUARTERS;
        // SAFETY: vouched for by the caller; whole vectors all, and a tile has 16 tokens.
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
                let out = tile.out.add(from * self.0.out.stride);
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
                        true => s.store(out.add(t * self.0.out.stride), acc),
                        false => s.store(results, acc),
                    }
                });
            }
        }
    }
}

/// A pass whose sums are not added yet.
struct Before {
    /// Tiles of tokens: two, one, or none.
    count: usize,
    tiles: [Tile; 2],
    sums: *const [[Sums; 2]; 2],
}

/// Weights that are 8 too high, taken down and times their multiple: of each four columns the even and the odd ones.
#[inline(always)]
unsafe fn products(u: __m512i, multiples: __m512i) -> [__m512i; 2] {
    // SAFETY: the caller has AVX-512.
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
#[inline(always)]
unsafe fn bytes(even: __m512i, odd: __m512i) -> [__m512i; 2] {
    // Where the mask is set, the bit of the second, else of the third.
    const CHOOSE: i32 = 0xca;
    // SAFETY: the caller has AVX-512.
    unsafe {
        let mask = _mm512_set1_epi16(0xff);
        [
            _mm512_ternarylogic_epi32::<CHOOSE>(mask, _mm512_srli_epi16::<8>(even), odd),
            _mm512_ternarylogic_epi32::<CHOOSE>(mask, even, _mm512_slli_epi16::<8>(odd)),
        ]
    }
}
