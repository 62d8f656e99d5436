//! Small files that the tests read, cut and damage.
use reckon_gguf::{Format, Kind, Writer};

/// A file with a value of most kinds, three tensors and a table of integers.
pub(crate) fn writer() -> Writer {
    let mut writer = Writer::new();
    writer
        .str("general.architecture", "llama")
        .u32("llama.block_count", 2)
        .u64("llama.big", 1 << 40)
        .i32("llama.negative", -5)
        .f32("llama.eps", 1e-5)
        .bool("llama.flag", true)
        .strings("tokenizer.ggml.tokens", &["<s>", "a", "ä", ""])
        .strings("tokenizer.ggml.bytes", &[&b"\xff\xfe"[..], b"ok"])
        .f32s("tokenizer.ggml.scores", &[0.0, -1.5])
        .i32s("tokenizer.ggml.token_type", &[3, 1, -1])
        .u32s("llama.heads", &[8, 4])
        .bools("llama.pattern", &[true, false]);
    writer.integers("order", Kind::I32, &[3]).unwrap();
    writer.tensor("embd", Format::Q8_0, &[64, 3]).unwrap();
    writer.tensor("norm", Format::F32, &[5]).unwrap();
    writer.tensor("cube", Format::F16, &[3, 2, 2]).unwrap();
    writer
}

/// The bytes of [`writer`]'s file.
pub(crate) fn bytes() -> Vec<u8> {
    let embd: Vec<u8> = (0..204).collect();
    let norm: Vec<u8> = (100..120).collect();
    let cube: Vec<u8> = (50..74).collect();
    let order: Vec<u8> = [2i32, -1, 70_000].map(i32::to_le_bytes).concat();
    writer().to_vec(&[&order, &embd, &norm, &cube]).unwrap()
}
