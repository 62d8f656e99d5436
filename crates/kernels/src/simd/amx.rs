//! Intel AMX: tile registers that multiply 16 tokens by 16 rows of small integers in one instruction.
//!
//! The instructions have no stable intrinsics, so they are spelled out here as assembly, each with what it needs. Only
//! the integer instructions are used: sums of integers are exact, so results equal those of every other ISA; the bf16
//! ones would not keep the numeric contract. An [`Amx`] exists only where the CPU has tiles and AVX-512, and the system
//! permits their use (Linux saves the 8 KB of tile state for a process only on request).

use super::avx512::Avx512;
use super::{LANES, TileKernel};
use std::arch::asm;

/// Proof of AMX-INT8 and of AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Amx(Avx512);

/// Integer sums of 16 tokens (rows) by 16 rows of weights (lanes).
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct Sums(pub(crate) [[i32; LANES]; LANES]);

/// The shapes of the tile registers, as `ldtilecfg` reads them.
#[repr(C, align(64))]
struct TileConfig {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    /// Bytes of a row of each register.
    bytes: [u16; 16],
    rows: [u8; 16],
}

impl TileConfig {
    /// For the `per256` GEMM: every register has 16 rows of 64 bytes. 0 to 3: sums; 4 and 5: tokens; 6 and 7: weights.
    const UNITS: Self = Self {
        palette: 1,
        start_row: 0,
        reserved: [0; 14],
        bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
        rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
    };

    /// For the `per32` GEMM. Registers 0 and 1: sums; 4 and 5: tokens and weights of 32 columns; 6 and 7: of 16
    /// columns.
    const BLOCKS: Self = Self {
        palette: 1,
        start_row: 0,
        reserved: [0; 14],
        bytes: [64, 64, 0, 0, 32, 64, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0],
        rows: [16, 16, 0, 0, 16, 8, 16, 4, 0, 0, 0, 0, 0, 0, 0, 0],
    };
}

/// Tokens in one register times each of `N` weights in another, summed in a third and stored.
macro_rules! multiply {
    ($n:ident, $a:literal, $b:literal, $sum:literal, $tokens:ident, $weights:ident, $out:ident) => {{
        asm!(
            concat!("tileloadd ", $a, ", [{tokens} + {row}]"),
            tokens = in(reg) $tokens,
            row = in(reg) 64usize,
            options(nostack, readonly),
        );
        for i in 0..$n {
            asm!(
                concat!("tilezero ", $sum),
                concat!("tileloadd ", $b, ", [{weights} + {row}]"),
                concat!("tdpbssd ", $sum, ", ", $a, ", ", $b),
                concat!("tilestored [{out} + {row}], ", $sum),
                weights = in(reg) $weights[i],
                row = in(reg) 64usize,
                out = in(reg) $out[i],
                options(nostack),
            );
        }
    }};
}

impl Amx {
    pub(crate) fn detect() -> Option<Self> {
        let avx512 = Avx512::detect()?;
        (has_tiles() && is_allowed()).then_some(Self(avx512))
    }

    /// What is not done in tiles.
    pub(super) const fn avx512(self) -> Avx512 {
        self.0
    }

    /// Does the part of a kernel that fits tiles; gives the rest.
    #[inline]
    pub(super) fn enter<K: TileKernel>(self, kernel: K) -> K {
        self.0.enter_with_tiles(kernel, self)
    }

    /// Runs `work` with the tiles set up for `products` and `half_products`, on this thread.
    #[inline(always)]
    pub(crate) fn with_blocks<R>(self, work: impl FnOnce() -> R) -> R {
        self.with(&TileConfig::BLOCKS, work)
    }

    /// Runs `work` with the tiles set up for `quarter`, on this thread.
    #[inline(always)]
    pub(crate) fn with_units<R>(self, work: impl FnOnce() -> R) -> R {
        self.with(&TileConfig::UNITS, work)
    }

    #[inline(always)]
    fn with<R>(self, config: &TileConfig, work: impl FnOnce() -> R) -> R {
        // SAFETY: an `Amx` exists only where tiles may be used; the configuration is 64 bytes, aligned, with shapes
        // that the architecture allows (palette 1: at most 16 rows of 64 bytes).
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const *config, options(nostack, readonly)) };
        let result = work();
        // Released, so that the system need not save 8 KB of state at every switch of threads.
        // SAFETY: `tilerelease` only resets the tile state, which nobody reads after `work`.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
        result
    }

    /// Σ over 32 columns, for one or two groups of rows: `tokens` points at the first of 16 rows of 32 signed bytes, 64
    /// bytes apart; each of `weights` at eight rows of 16 × 4 signed bytes.
    ///
    /// # Safety
    /// The memory is as said, and the caller runs inside `with_blocks`.
    #[inline(always)]
    pub(crate) unsafe fn products<const N: usize>(
        self,
        tokens: *const u8,
        weights: [*const u8; N],
        out: [*mut Sums; N],
    ) {
        // SAFETY: `BLOCKS` shapes tmm4 as 16 rows of 32 bytes, tmm5 as 8 rows of 64, tmm0 as 16 rows of 64: the memory
        // that the caller promises, at strides of 64, and a `Sums` for each result.
        unsafe { multiply!(N, "tmm4", "tmm5", "tmm0", tokens, weights, out) }
    }

    /// As `products` for 16 columns: rows of 16 bytes, four rows of weights.
    ///
    /// # Safety
    /// As for `products`.
    #[inline(always)]
    pub(crate) unsafe fn half_products<const N: usize>(
        self,
        tokens: *const u8,
        weights: [*const u8; N],
        out: [*mut Sums; N],
    ) {
        // SAFETY: `BLOCKS` shapes tmm6 as 16 rows of 16 bytes, tmm7 as 4 rows of 64, tmm1 as 16 rows of 64: the memory
        // that the caller promises, at strides of 64, and a `Sums` for each result.
        unsafe { multiply!(N, "tmm6", "tmm7", "tmm1", tokens, weights, out) }
    }

    /// Makes the sums of `quarter` zero.
    ///
    /// # Safety
    /// The caller runs inside `with_units`.
    #[inline(always)]
    pub(crate) unsafe fn clear(self) {
        // SAFETY: the caller runs inside `with_units`, so tiles are configured; no memory is touched.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                options(nostack, nomem)
            );
        }
    }

    /// Adds 64 columns of `N` tiles of tokens, one or two, to their sums, which stay in registers: `tokens` point at 16
    /// rows of 64 signed bytes, `high` and `low` at 16 rows of 16 × 4 bytes, those of `low` unsigned.
    ///
    /// # Safety
    /// The memory is as said, and the caller runs inside `with_units`.
    #[inline(always)]
    pub(crate) unsafe fn quarter<const N: usize>(
        self,
        tokens: [*const u8; N],
        high: *const u8,
        low: *const u8,
    ) {
        // SAFETY: `UNITS` shapes every register as 16 rows of 64 bytes: the memory that the caller promises.
        unsafe {
            asm!(
                "tileloadd tmm6, [{high} + {row}]",
                "tileloadd tmm4, [{tokens} + {row}]",
                "tdpbssd tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{low} + {row}]",
                "tdpbsud tmm1, tmm4, tmm7",
                tokens = in(reg) tokens[0],
                high = in(reg) high,
                low = in(reg) low,
                row = in(reg) 64usize,
                options(nostack, readonly),
            );
            if N == 2 {
                asm!(
                    "tileloadd tmm5, [{tokens} + {row}]",
                    "tdpbssd tmm2, tmm5, tmm6",
                    "tdpbsud tmm3, tmm5, tmm7",
                    tokens = in(reg) tokens[1],
                    row = in(reg) 64usize,
                    options(nostack, readonly),
                );
            }
        }
    }

    /// Stores the sums of `N` tiles of tokens, high and low.
    ///
    /// # Safety
    /// The caller runs inside `with_units`.
    #[inline(always)]
    pub(crate) unsafe fn store_sums<const N: usize>(self, out: &mut [[Sums; 2]; N]) {
        // SAFETY: `UNITS` shapes every register as 16 rows of 64 bytes, which is a `Sums`, and `out` has two for each
        // tile.
        unsafe {
            asm!(
                "tilestored [{high} + {row}], tmm0",
                "tilestored [{low} + {row}], tmm1",
                high = in(reg) &raw mut out[0][0],
                low = in(reg) &raw mut out[0][1],
                row = in(reg) 64usize,
                options(nostack),
            );
            if N == 2 {
                asm!(
                    "tilestored [{high} + {row}], tmm2",
                    "tilestored [{low} + {row}], tmm3",
                    high = in(reg) &raw mut out[1][0],
                    low = in(reg) &raw mut out[1][1],
                    row = in(reg) 64usize,
                    options(nostack),
                );
            }
        }
    }
}

/// Whether the CPU has tiles with integer products.
fn has_tiles() -> bool {
    let features = std::arch::x86_64::__cpuid_count(7, 0).edx;
    let (tile, int8) = (1 << 24, 1 << 25);
    features & tile != 0 && features & int8 != 0
}

/// Asks the system for the tiles' registers, which it saves for a thread only on request.
#[cfg(target_os = "linux")]
fn is_allowed() -> bool {
    const REQUEST_PERMISSION: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    // SAFETY: the call takes two numbers and touches no memory.
    unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_allowed() -> bool {
    false
}
