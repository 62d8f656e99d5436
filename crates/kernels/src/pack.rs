//! Packs weight matrices for streaming: GGUF rows become groups of sixteen interleaved rows.
//!
//! A vector has 16 lanes and a matrix is cut into groups of 16 rows, one row a lane, so that a GEMM never adds across
//! lanes and every ISA adds in the same order. Within a group the columns come in blocks of 32; for each block:
//!
//! ```text
//!   scales of the 16 rows │ bit planes: 64-byte vectors, lane r = 4 columns of row r
//!   4-bit plane: 4 vectors; vector j holds columns 8j..8j+4 in low, 8j+4..8j+8 in high nibbles
//!   2-bit plane: 2 vectors; four shifts each      1-bit plane: 1 vector; eight shifts
//!   8 bits: 8 vectors, as they are
//! ```
//! 5 bits are a 4-bit and a 1-bit plane, 6 a 4-bit and a 2-bit, 3 a 2-bit and a 1-bit. K formats put their
//! super-block's halves once before the eight blocks of 256 columns. Q4_0 has units of 256 columns, too: each block's
//! scale is a whole multiple of the unit's step, a power of two, so that sums over a unit are whole numbers. Scales
//! within a factor of four of the unit's largest stay what they were; smaller ones are rounded to 1/4096 of it. Floats
//! are transposed: for each column the 16 rows. Missing rows of the last group are zero.
//!
//! Formats with a codebook keep their codes in the planes, and kernels look the integers up. The packed size is that of
//! the file, but for unpacked 6-bit scales (under 3 %) and steps (1 %), and for what a file packs more tightly than
//! planes can hold: NVFP4 (halves as scales), IQ3 (4 bits a weight), IQ2 and IQ1 (3 bits) and TQ1_0 (2 bits); the table
//! is in docs/performance.md. `Matrix::bytes` says what it is.

mod layout;

pub(crate) use layout::{PackedLayout, scales};

use crate::Format;
use crate::block::{QuantBlock, e4m3_to_f32};
use crate::buffer::{Arena, Buffer};
use crate::half::f32_to_f16;
use crate::pool::Pool;
use crate::simd::LANES;
use std::sync::{Mutex, PoisonError};

/// A weight matrix, packed; `rows` outputs of `cols` inputs.
pub struct Matrix {
    rows: usize,
    cols: usize,
    format: Format,
    data: Buffer,
}

/// A tensor to be packed: its rows as a GGUF stores them.
#[derive(Clone, Copy)]
pub struct MatrixSource<'a> {
    /// How the weights are stored.
    pub format: Format,
    /// Outputs of a GEMM.
    pub rows: usize,
    /// Inputs of a GEMM.
    pub cols: usize,
    /// `rows` whole rows of `cols` weights.
    pub data: &'a [u8],
}

impl Matrix {
    /// Packs `data`, the rows of a tensor as a GGUF stores them.
    ///
    /// # Panics
    /// If `data` is not `rows` whole rows of `cols` weights.
    pub fn pack(pool: &Pool, format: Format, rows: usize, cols: usize, data: &[u8]) -> Self {
        let source = MatrixSource {
            format,
            rows,
            cols,
            data,
        };
        let mut packed = Self::pack_all(pool, &[source], |_, _| ());
        packed.pop().expect("one source, one matrix")
    }

    /// Packs many tensors at once, which is faster than one after the other: nobody waits in between.
    ///
    /// `done(thread, bytes)` is called by thread `thread` of the team for every stretch of the sources' data that is
    /// packed and will not be read again.
    ///
    /// # Panics
    /// If the data of a source is not its `rows` whole rows of `cols` weights.
    pub fn pack_all(
        pool: &Pool,
        sources: &[MatrixSource<'_>],
        done: impl Fn(usize, &[u8]) + Sync,
    ) -> Vec<Self> {
        let mut arena = Arena::new(sources.iter().map(MatrixSource::packed_bytes));
        let pieces: Vec<Piece<'_, '_>> = (sources.iter().zip(arena.parts_mut()))
            .flat_map(|(source, part)| source.pieces(part))
            .collect();
        // A queue under a lock rather than an atomic index: pieces own their `&mut` output, so each is handed out by
        // value.
        let pieces = Mutex::new(pieces.into_iter());
        pool.run(|thread| {
            loop {
                let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(mut piece) = next else { break };
                piece.pack();
                done(thread, piece.data);
            }
        });
        drop(pieces);
        let matrix = |(source, data): (&MatrixSource<'_>, Buffer)| Self {
            rows: source.rows,
            cols: source.cols,
            format: source.format,
            data,
        };
        sources.iter().zip(arena.freeze()).map(matrix).collect()
    }

    /// Outputs of a GEMM.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a GEMM.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// How the weights were stored.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Bytes that a GEMV reads.
    pub fn bytes(&self) -> usize {
        self.data.len()
    }

    pub(crate) fn groups(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    /// The bytes of one group of 16 rows.
    pub(crate) fn group(&self, group: usize) -> &[u8] {
        let bytes = group_bytes(self.format, self.cols);
        &self.data[group * bytes..][..bytes]
    }
}

impl Default for Matrix {
    /// No rows, no columns.
    fn default() -> Self {
        Self {
            rows: 0,
            cols: 0,
            format: Format::F32,
            data: Buffer::default(),
        }
    }
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Matrix({} × {} {})",
            self.rows,
            self.cols,
            self.format.name()
        )
    }
}

impl<'a> MatrixSource<'a> {
    fn row_bytes(&self) -> usize {
        let bytes = self.format.row_bytes(self.cols);
        bytes.expect("columns are whole blocks")
    }

    fn packed_bytes(&self) -> usize {
        let (rows, cols) = (self.rows, self.cols);
        let name = self.format.name();
        let bytes = rows * self.row_bytes();
        assert_eq!(self.data.len(), bytes, "{rows} rows of {cols} {name}");
        rows.div_ceil(LANES) * group_bytes(self.format, cols)
    }

    /// The work in pieces that threads take one at a time, `out` being the room for all of it.
    fn pieces<'o>(&self, out: &'o mut [u8]) -> impl Iterator<Item = Piece<'a, 'o>> {
        let (format, row_bytes) = (self.format, self.row_bytes());
        // Nothing to cut where there is no column, but also no step of zero.
        let group_bytes = group_bytes(format, self.cols).max(1);
        let groups = PIECE.div_ceil(group_bytes);
        let data = self.data.chunks((groups * LANES * row_bytes).max(1));
        let out = out.chunks_mut(groups * group_bytes);
        data.zip(out).map(move |(data, out)| Piece {
            format,
            row_bytes,
            group_bytes,
            data,
            out,
        })
    }
}

/// Packed bytes that a thread makes at once. More than a huge page: when two threads come upon the same new page
/// together, both clear it and one did so in vain (twice the time for all pages, measured with 256 KiB).
const PIECE: usize = 4 << 20;

/// Some whole groups of a matrix.
struct Piece<'a, 'o> {
    format: Format,
    row_bytes: usize,
    group_bytes: usize,
    data: &'a [u8],
    out: &'o mut [u8],
}

impl Piece<'_, '_> {
    fn pack(&mut self) {
        let data = self.data.chunks(LANES * self.row_bytes);
        let out = self.out.chunks_exact_mut(self.group_bytes);
        for (data, out) in data.zip(out) {
            pack_group(self.format, data, self.row_bytes, out);
        }
    }
}

fn group_bytes(format: Format, cols: usize) -> usize {
    match PackedLayout::of(format) {
        Some(layout) => layout.group_bytes(cols),
        None => cols * LANES * format.block_bytes(),
    }
}

/// Puts the rows of a float format side by side.
fn transpose_rows<const WIDTH: usize>(data: &[u8], row_bytes: usize, out: &mut [u8]) {
    let (out, _) = out.as_chunks_mut::<WIDTH>();
    for (lane, row) in data.chunks_exact(row_bytes).enumerate() {
        for (col, value) in row.as_chunks::<WIDTH>().0.iter().enumerate() {
            out[col * LANES + lane] = *value;
        }
    }
}

/// Packs a group of rows. Each format is spelled out, so that each gets code of its own without choices in its loops.
fn pack_group(format: Format, data: &[u8], row_bytes: usize, out: &mut [u8]) {
    macro_rules! each {
        ($($name:ident)*) => {
            match format {
                $(Format::$name => pack_rows(Format::$name, data, row_bytes, out),)*
                Format::Q4_0 => pack_steps(data, row_bytes, out),
                Format::F32 => transpose_rows::<4>(data, row_bytes, out),
                Format::F16 | Format::BF16 => transpose_rows::<2>(data, row_bytes, out),
            }
        };
    }
    each!(Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K MXFP4 NVFP4 IQ4_NL IQ4_XS IQ3_S IQ3_XXS IQ2_S IQ2_XS IQ2_XXS
        IQ1_M IQ1_S TQ2_0 TQ1_0 Q1_0);
}

#[inline(always)]
fn pack_rows(format: Format, data: &[u8], row_bytes: usize, out: &mut [u8]) {
    let layout = PackedLayout::of(format).expect("a format of blocks");
    let mut block = QuantBlock::EMPTY;
    for (lane, row) in data.chunks_exact(row_bytes).enumerate() {
        let blocks = row.chunks_exact(format.block_bytes());
        for (bytes, out) in blocks.zip(out.chunks_exact_mut(layout.unit_bytes())) {
            block.read(format, bytes);
            pack_block(layout, &block, lane, out);
        }
    }
}

/// Packs rows of Q4_0, whose scales become multiples of a step.
fn pack_steps(data: &[u8], row_bytes: usize, out: &mut [u8]) {
    const FORMAT: Format = Format::Q4_0;
    let layout = PackedLayout::of(FORMAT).expect("a format of blocks");
    // A row's last unit may be short, so rows are cut by `chunks`, not `chunks_exact`.
    let unit_bytes = layout.unit_cols() / FORMAT.block_len() * FORMAT.block_bytes();
    let mut block = QuantBlock::EMPTY;
    for (lane, row) in data.chunks_exact(row_bytes).enumerate() {
        for (bytes, out) in row
            .chunks(unit_bytes)
            .zip(out.chunks_mut(layout.unit_bytes()))
        {
            let (head, blocks) = out.split_at_mut(layout.head_bytes());
            let bytes = bytes.chunks_exact(FORMAT.block_bytes());
            let step = Step::of(bytes.clone().map(|b| u16::from_le_bytes([b[0], b[1]])));
            head[lane] = step.exponent();
            for (bytes, out) in bytes.zip(blocks.chunks_exact_mut(layout.block_bytes())) {
                block.read(FORMAT, bytes);
                let (scale, planes) = out.split_at_mut(layout.scale_bytes());
                put_half(scale, lane, step.multiple(block.d).cast_unsigned());
                let words = block.words.first_chunk();
                pack_planes(layout.bits, words.expect("eight words"), lane, planes);
            }
        }
    }
}

/// The step of a unit of Q4_0: the power of two that makes the multiples of the largest scale's size at most 4094.
///
/// A half is a whole number below 2048 times 2^(e − 25), e being its exponent; the step is half of that of the
/// largest one.
#[derive(Clone, Copy)]
struct Step {
    /// The largest exponent; 31 if one of the halves is no number.
    largest: u16,
}

impl Step {
    fn of(halves: impl Iterator<Item = u16>) -> Self {
        let largest = halves.map(|half| (half >> 10) & 31).max();
        Self {
            largest: largest.unwrap_or(0).max(1),
        }
    }

    /// The step's exponent as a float has it; if it is all ones, the step is infinite and no product a number.
    const fn exponent(self) -> u8 {
        if self.largest == 31 {
            return 255;
        }
        127 - 26 + self.largest as u8
    }

    /// A half as a multiple of the step, rounded to nearest, ties to even; between −4094 and 4094.
    const fn multiple(self, half: u16) -> i16 {
        if self.largest == 31 {
            return 0;
        }
        let exponent = (half >> 10) & 31;
        let (leading, exponent) = match exponent {
            0 => (0, 1),
            _ => (1 << 10, exponent),
        };
        let doubled = 2 * (leading | (half & 0x3ff)) as i32;
        // How far the half's binary point lies below that of the largest: so many bits are rounded off.
        let down = self.largest - exponent;
        // Half a unit less one, and one more if the last bit that stays is set.
        let below = if down == 0 {
            0
        } else {
            (1 << (down - 1)) - 1 + ((doubled >> down) & 1)
        };
        let size = ((doubled + below) >> down) as i16;
        if half >> 15 == 0 { size } else { -size }
    }
}

/// Writes one row's share of a unit.
#[inline(always)]
fn pack_block(layout: PackedLayout, block: &QuantBlock, lane: usize, out: &mut [u8]) {
    let (head, blocks) = out.split_at_mut(layout.head_bytes());
    match layout.scales {
        scales::SUPER | scales::SUPER_SMALL => {
            put_half(head, lane, block.d);
            put_half(&mut head[32..], lane, block.m);
        }
        _ if layout.head_bytes() == 32 => put_half(head, lane, block.d),
        _ => {}
    }
    for (i, out) in blocks.chunks_exact_mut(layout.block_bytes()).enumerate() {
        let (scale, planes) = out.split_at_mut(layout.scale_bytes());
        match layout.scales {
            scales::CENTRED => put_half(scale, lane, block.d),
            scales::MINIMUM => {
                put_half(scale, lane, block.d);
                put_half(&mut scale[32..], lane, block.m);
            }
            scales::SUPER => {
                scale[lane] = block.scales[i];
                scale[16 + lane] = block.mins[i];
            }
            scales::SUPER_SIGNED => scale[lane] = block.scales[i],
            // The exponent that a float has. Scales below 2^-126, which floats hold only as subnormal numbers, are 0.
            scales::EXPONENT => scale[lane] = block.scales[0].saturating_sub(1),
            scales::CENTRED_SMALL => {
                for (half, scale) in scale.chunks_exact_mut(32).enumerate() {
                    let value = e4m3_to_f32(block.scales[2 * i + half]);
                    put_half(scale, lane, f32_to_f16(value));
                }
            }
            scales::TERNARY | scales::BINARY => {}
            _ => {
                scale[lane] = block.scales[2 * i];
                scale[16 + lane] = block.scales[2 * i + 1];
                if layout.scales == scales::SUPER_SMALL {
                    scale[32 + lane] = block.mins[2 * i];
                    scale[48 + lane] = block.mins[2 * i + 1];
                }
            }
        }
        let words = block.words[8 * i..]
            .first_chunk()
            .expect("a block has eight words");
        pack_planes(layout.bits, words, lane, planes);
    }
}

/// Eight words of four integers each, into the planes of one lane.
#[inline(always)]
fn pack_planes(bits: usize, words: &[u32; 8], lane: usize, out: &mut [u8]) {
    let (out, _) = out.as_chunks_mut::<4>();
    let mut put = |vector: usize, word: u32| out[LANES * vector + lane] = word.to_le_bytes();
    // Planes from the low bits up: `next` is the next free vector, `low` the bits that are already placed.
    let mut next = 0;
    let mut low = 0;
    if bits == 8 {
        for (vector, &word) in words.iter().enumerate() {
            put(vector, word);
        }
        return;
    }
    if bits >= 4 {
        for j in 0..4 {
            put(
                j,
                (words[2 * j] & 0x0f0f_0f0f) | ((words[2 * j + 1] & 0x0f0f_0f0f) << 4),
            );
        }
        (next, low) = (4, 4);
    }
    if (bits - low) & 2 != 0 {
        for h in 0..2 {
            put(
                next + h,
                (0..4).fold(0, |all, f| {
                    all | (((words[4 * h + f] >> low) & 0x0303_0303) << (2 * f))
                }),
            );
        }
        (next, low) = (next + 2, low + 2);
    }
    if bits > low {
        put(
            next,
            (0..8).fold(0, |all, q| all | (((words[q] >> low) & 0x0101_0101) << q)),
        );
    }
}

#[inline(always)]
fn put_half(out: &mut [u8], lane: usize, half: u16) {
    out.as_chunks_mut::<2>().0[lane] = half.to_le_bytes();
}
