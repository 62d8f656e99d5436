//! Lays a weight matrix out for streaming: GGUF rows in, groups of sixteen interleaved rows out.
//!
//! A vector has 16 lanes and a matrix is cut into groups of 16 rows, one row a lane, so
//! that a product never adds across lanes and every ISA adds in the same order. Within
//! a group the columns come in blocks of 32; for each block:
//!
//! ```text
//!   scales of the 16 rows │ planes: 64-byte vectors, lane r = 4 columns of row r
//!   4-bit plane: 4 vectors; vector j holds columns 8j..8j+4 in low, 8j+4..8j+8 in high nibbles
//!   2-bit plane: 2 vectors; four shifts each      1-bit plane: 1 vector; eight shifts
//!   8 bits: 8 vectors, as they are
//! ```
//! 5 bits are a 4-bit and a 1-bit plane, 6 a 4-bit and a 2-bit, 3 a 2-bit and a 1-bit.
//! K formats put their halves once before the eight blocks of 256 columns. Floats are
//! simply transposed: for each column the 16 rows. Missing rows of the last group are zero.
//! The packed size is that of the file, but for unpacked 6-bit scales (under 3 %).

use crate::Format;
use crate::block::Block;
use crate::buffer::Buffer;
use crate::pool::Pool;
use crate::simd::LANES;

/// A weight matrix, packed; `rows` outputs of `cols` inputs.
pub struct Matrix {
    rows: usize,
    cols: usize,
    format: Format,
    data: Buffer,
}

/// How the scales of a format are laid out, see `Plan`.
pub(crate) mod scales {
    /// A half per 32 columns; integers are centred on zero.
    pub(crate) const CENTRED: u8 = 0;
    /// A half and a minimum per 32 columns.
    pub(crate) const MINIMUM: u8 = 1;
    /// K: two halves per 256, a byte each per 32.
    pub(crate) const SUPER: u8 = 2;
    /// K: one half per 256, a signed byte per 16; centred.
    pub(crate) const SUPER_CENTRED: u8 = 3;
    /// K: two halves per 256, a byte each per 16.
    pub(crate) const SUPER_SMALL: u8 = 4;
}

/// The packed shape of a quantised format.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Bits of an integer.
    pub(crate) bits: usize,
    /// One of `scales`.
    pub(crate) scales: u8,
}

impl Plan {
    /// The plan of a format, `None` for floats.
    pub(crate) const fn of(format: Format) -> Option<Self> {
        let (bits, scales) = match format {
            Format::F32 | Format::F16 | Format::BF16 => return None,
            Format::Q4_0 => (4, scales::CENTRED),
            Format::Q5_0 => (5, scales::CENTRED),
            Format::Q8_0 => (8, scales::CENTRED),
            Format::Q4_1 => (4, scales::MINIMUM),
            Format::Q5_1 => (5, scales::MINIMUM),
            Format::Q4_K => (4, scales::SUPER),
            Format::Q5_K => (5, scales::SUPER),
            Format::Q3_K => (3, scales::SUPER_CENTRED),
            Format::Q6_K => (6, scales::SUPER_CENTRED),
            Format::Q2_K => (2, scales::SUPER_SMALL),
        };
        Some(Self { bits, scales })
    }

    /// Columns that share the halves in front.
    pub(crate) const fn unit_cols(self) -> usize {
        if self.scales >= scales::SUPER {
            256
        } else {
            32
        }
    }

    /// Bytes before the blocks of a unit.
    pub(crate) const fn head_bytes(self) -> usize {
        match self.scales {
            scales::SUPER | scales::SUPER_SMALL => 64,
            scales::SUPER_CENTRED => 32,
            _ => 0,
        }
    }

    /// Bytes of scales at the start of each block.
    pub(crate) const fn scale_bytes(self) -> usize {
        match self.scales {
            scales::MINIMUM | scales::SUPER_SMALL => 64,
            _ => 32,
        }
    }

    /// Bytes of a block of 16 rows by 32 columns.
    pub(crate) const fn block_bytes(self) -> usize {
        self.scale_bytes() + 64 * self.bits
    }

    /// Bytes of a unit of 16 rows.
    pub(crate) const fn unit_bytes(self) -> usize {
        self.head_bytes() + self.unit_cols() / 32 * self.block_bytes()
    }
}

impl Matrix {
    /// Packs `data`, the rows of a tensor as a GGUF stores them.
    ///
    /// # Panics
    /// If `data` is not `rows` whole rows of `cols` weights.
    pub fn pack(pool: &Pool, format: Format, rows: usize, cols: usize, data: &[u8]) -> Self {
        let row_bytes = format.row_bytes(cols).expect("columns are whole blocks");
        assert_eq!(
            data.len(),
            rows * row_bytes,
            "{rows} rows of {cols} {}",
            format.name()
        );
        let groups = rows.div_ceil(LANES);
        let group_bytes = group_bytes(format, cols);
        let mut packed = Buffer::zeroed(groups * group_bytes);
        if groups * group_bytes > 0 {
            pool.for_each_row(&mut packed, group_bytes, |group, out| {
                let first = group * LANES;
                let rows = LANES.min(rows - first);
                let data = &data[first * row_bytes..][..rows * row_bytes];
                pack_group(format, data, row_bytes, out);
            });
        }
        Self {
            rows,
            cols,
            format,
            data: packed,
        }
    }

    /// Outputs of a product.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a product.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// How the weights were stored.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Bytes that a product reads.
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

fn group_bytes(format: Format, cols: usize) -> usize {
    match Plan::of(format) {
        Some(plan) => cols / plan.unit_cols() * plan.unit_bytes(),
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
                Format::F32 => transpose_rows::<4>(data, row_bytes, out),
                Format::F16 | Format::BF16 => transpose_rows::<2>(data, row_bytes, out),
            }
        };
    }
    each!(Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K);
}

#[inline(always)]
fn pack_rows(format: Format, data: &[u8], row_bytes: usize, out: &mut [u8]) {
    let plan = Plan::of(format).expect("a format of blocks");
    let mut block = Block::EMPTY;
    for (lane, row) in data.chunks_exact(row_bytes).enumerate() {
        let blocks = row.chunks_exact(format.block_bytes());
        for (bytes, out) in blocks.zip(out.chunks_exact_mut(plan.unit_bytes())) {
            block.read(format, bytes);
            pack_block(plan, &block, lane, out);
        }
    }
}

/// Writes one row's share of a unit.
#[inline(always)]
fn pack_block(plan: Plan, block: &Block, lane: usize, out: &mut [u8]) {
    let (head, blocks) = out.split_at_mut(plan.head_bytes());
    match plan.scales {
        scales::SUPER | scales::SUPER_SMALL => {
            put_half(head, lane, block.d);
            put_half(&mut head[32..], lane, block.m);
        }
        scales::SUPER_CENTRED => put_half(head, lane, block.d),
        _ => {}
    }
    for (i, out) in blocks.chunks_exact_mut(plan.block_bytes()).enumerate() {
        let (scale, planes) = out.split_at_mut(plan.scale_bytes());
        match plan.scales {
            scales::CENTRED => put_half(scale, lane, block.d),
            scales::MINIMUM => {
                put_half(scale, lane, block.d);
                put_half(&mut scale[32..], lane, block.m);
            }
            scales::SUPER => {
                scale[lane] = block.scales[i];
                scale[16 + lane] = block.mins[i];
            }
            _ => {
                scale[lane] = block.scales[2 * i];
                scale[16 + lane] = block.scales[2 * i + 1];
                if plan.scales == scales::SUPER_SMALL {
                    scale[32 + lane] = block.mins[2 * i];
                    scale[48 + lane] = block.mins[2 * i + 1];
                }
            }
        }
        let words = block.words[8 * i..]
            .first_chunk()
            .expect("a block has eight words");
        pack_planes(plan.bits, words, lane, planes);
    }
}

/// Eight words of four integers each, into the planes of one lane.
#[inline(always)]
fn pack_planes(bits: usize, words: &[u32; 8], lane: usize, out: &mut [u8]) {
    let (out, _) = out.as_chunks_mut::<4>();
    let mut put = |vector: usize, word: u32| out[LANES * vector + lane] = word.to_le_bytes();
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
