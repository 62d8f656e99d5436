//! What the writer writes, the reader reads.
use crate::fixture;
use reckon_gguf::{Error, File, Format, Kind, Value, Writer};

#[test]
fn scalars_come_back() {
    let file = File::parse(fixture::bytes()).unwrap();
    let metadata = file.metadata();
    assert_eq!(metadata.str("general.architecture").unwrap(), "llama");
    assert_eq!(metadata.u32("llama.block_count").unwrap(), 2);
    assert_eq!(metadata.u64("llama.big").unwrap(), 1 << 40);
    assert_eq!(metadata.i64("llama.negative").unwrap(), -5);
    assert_eq!(metadata.f32("llama.eps").unwrap(), 1e-5);
    assert!(metadata.bool("llama.flag").unwrap());
    assert_eq!(file.version(), 3);
    assert_eq!(file.path(), None);
}

#[test]
fn arrays_come_back() {
    let file = File::parse(fixture::bytes()).unwrap();
    let metadata = file.metadata();
    let tokens: Vec<_> = metadata.strings("tokenizer.ggml.tokens").unwrap().collect();
    assert_eq!(tokens, ["<s>", "a", "ä", ""]);
    let bytes = metadata.byte_strings("tokenizer.ggml.bytes").unwrap();
    assert_eq!(bytes.len(), 2);
    assert_eq!(bytes.collect::<Vec<_>>(), [&b"\xff\xfe"[..], b"ok"]);
    let scores: Vec<_> = metadata.f32s("tokenizer.ggml.scores").unwrap().collect();
    assert_eq!(scores, [0.0, -1.5]);
    let types: Vec<_> = metadata
        .i64s("tokenizer.ggml.token_type")
        .unwrap()
        .collect();
    assert_eq!(types, [3, 1, -1]);
    let pattern: Vec<_> = metadata.bools("llama.pattern").unwrap().collect();
    assert_eq!(pattern, [true, false]);
    assert_eq!(metadata.u32s("llama.heads").unwrap().len(), 2);
}

#[test]
fn tensors_come_back() {
    let file = File::parse(fixture::bytes()).unwrap();
    let names: Vec<_> = file.tensors().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["embd", "norm", "cube"]);

    let embd = file.tensor("embd").unwrap();
    assert_eq!((embd.row_len(), embd.rows()), (64, 3));
    assert_eq!(embd.info.dims, [64, 3]);
    assert_eq!(embd.info.format, Format::Q8_0);
    assert_eq!(embd.row(2), (136..204).collect::<Vec<u8>>());
    assert_eq!(embd.info.offset % 32, 0);

    let cube = file.tensor("cube").unwrap();
    assert_eq!((cube.row_len(), cube.rows()), (3, 4));
    assert_eq!(cube.row(3), [68, 69, 70, 71, 72, 73]);
    assert!(file.opt_tensor("absent").is_none());
    let error = file.tensor("absent").unwrap_err();
    assert_eq!(error.to_string(), "tensor \"absent\" is missing");
}

#[test]
fn tables_of_integers_come_back_and_are_no_weights() {
    let file = File::parse(fixture::bytes()).unwrap();
    let table = file.opt_integers("order").unwrap();
    assert_eq!((table.kind(), table.len()), (Kind::I32, 3));
    let values: Vec<_> = table.iter().filter_map(|value| value.integer()).collect();
    assert_eq!(values, [2, -1, 70_000]);
    assert!(file.opt_tensor("order").is_none());
    assert!(file.opt_integers("norm").is_none());

    let mut writer = Writer::new();
    let kinds = [Kind::I8, Kind::I16, Kind::I32, Kind::I64];
    let data = [vec![3; 4], vec![3; 8], vec![3; 16], vec![3; 32]];
    for kind in kinds {
        let name = kind.to_string();
        writer.integers(&name, kind, &[2, 2]).unwrap();
    }
    let slices: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    let file = File::parse(writer.to_vec(&slices).unwrap()).unwrap();
    for (kind, value) in kinds
        .into_iter()
        .zip([3, 0x0303, 0x0303_0303, 0x0303_0303_0303_0303])
    {
        let table = file.opt_integers(&kind.to_string()).unwrap();
        let values: Vec<_> = table.iter().filter_map(|value| value.integer()).collect();
        assert_eq!(values, [value; 4]);
    }
    assert!(writer.integers("x", Kind::F32, &[2]).is_err());
    assert!(writer.integers("x", Kind::I64, &[usize::MAX / 4]).is_err());
    writer.tensor("i8", Format::F32, &[1]).unwrap();
    let twice = writer.to_vec(&slices).unwrap_err().to_string();
    assert!(twice.contains("appears more than once"), "{twice}");
}

#[test]
fn every_format_comes_back() {
    let mut writer = Writer::new();
    let mut data = Vec::new();
    for (i, format) in Format::ALL.into_iter().enumerate() {
        let name = format!("{format:?}");
        writer.tensor(&name, format, &[512, 2]).unwrap();
        let bytes = format.row_bytes(512).unwrap() * 2;
        data.push(vec![i as u8; bytes]);
    }
    let data: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    let file = File::parse(writer.to_vec(&data).unwrap()).unwrap();
    for (format, data) in Format::ALL.into_iter().zip(data) {
        let tensor = file.tensor(&format!("{format:?}")).unwrap();
        assert_eq!(tensor.info.format, format);
        assert_eq!(tensor.data, data);
    }
}

#[test]
fn every_kind_can_be_copied() {
    let kinds = [
        Value::U8(200),
        Value::I8(-3),
        Value::U16(60_000),
        Value::I16(-30_000),
        Value::U32(u32::MAX),
        Value::I32(i32::MIN),
        Value::F32(-0.5),
        Value::Bool(true),
        Value::String(b"text"),
        Value::U64(u64::MAX),
        Value::I64(i64::MIN),
        Value::F64(1e300),
    ];
    let mut writer = Writer::new();
    for value in kinds {
        writer.value(&value.kind().to_string(), value);
    }
    let first = File::parse(writer.to_vec(&[]).unwrap()).unwrap();
    let mut copy = Writer::new();
    for (key, value) in first.metadata().iter() {
        copy.value(key, value);
    }
    let second = File::parse(copy.to_vec(&[]).unwrap()).unwrap();
    let values: Vec<_> = second.metadata().iter().map(|(_, value)| value).collect();
    assert_eq!(values, kinds);
}

#[test]
fn integers_are_taken_from_any_width_they_fit() {
    let mut writer = Writer::new();
    writer.value("u8", Value::U8(7));
    writer.value("i64", Value::I64(7));
    writer.value("negative", Value::I8(-7));
    writer.value("wide", Value::U64(1 << 32));
    let file = File::parse(writer.to_vec(&[]).unwrap()).unwrap();
    let metadata = file.metadata();
    assert_eq!(metadata.u32("u8").unwrap(), 7);
    assert_eq!(metadata.u32("i64").unwrap(), 7);
    assert_eq!(metadata.i64("negative").unwrap(), -7);
    let error = metadata.u32("negative").unwrap_err();
    assert_eq!(
        error.to_string(),
        "metadata \"negative\": -7 does not fit a u32"
    );
    assert!(metadata.u32("wide").is_err());
    assert_eq!(metadata.u64("wide").unwrap(), 1 << 32);
}

#[test]
fn per_layer_values_are_scalars_or_arrays() {
    let file = File::parse(fixture::bytes()).unwrap();
    let metadata = file.metadata();
    assert_eq!(metadata.u32_per_layer("llama.heads", 2).unwrap(), [8, 4]);
    assert_eq!(
        metadata.u32_per_layer("llama.block_count", 3).unwrap(),
        [2; 3]
    );
    assert_eq!(metadata.bool_per_layer("llama.flag", 2).unwrap(), [true; 2]);
    assert_eq!(
        metadata.bool_per_layer("llama.pattern", 2).unwrap(),
        [true, false]
    );
    let error = metadata.u32_per_layer("llama.heads", 3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "metadata \"llama.heads\": has 2 elements for 3 layers"
    );
    assert!(
        metadata
            .u32_per_layer("llama.block_count", usize::MAX)
            .is_err()
    );
    assert!(metadata.bool_per_layer("llama.heads", 2).is_err());
}

#[test]
fn absent_keys_are_none_or_an_error() {
    let file = File::parse(fixture::bytes()).unwrap();
    let metadata = file.metadata();
    assert_eq!(metadata.opt_u32("absent").unwrap(), None);
    assert_eq!(metadata.opt_str("absent").unwrap(), None);
    let error = metadata.f32("absent").unwrap_err();
    assert!(matches!(&error, Error::MissingKey { key } if key == "absent"));
    assert!(metadata.strings("absent").is_err());
    assert!(!metadata.contains("absent"));
}

#[test]
fn wrong_types_name_key_and_both_types() {
    let file = File::parse(fixture::bytes()).unwrap();
    let metadata = file.metadata();
    let error = metadata.opt_u32("general.architecture").unwrap_err();
    let text = "metadata \"general.architecture\" should be a u32, but is string";
    assert_eq!(error.to_string(), text);
    let error = metadata.strings("llama.heads").err().unwrap();
    let text = "metadata \"llama.heads\" should be an array of strings, but is array of u32";
    assert_eq!(error.to_string(), text);
    let error = metadata.strings("tokenizer.ggml.bytes").err().unwrap();
    let text = "metadata \"tokenizer.ggml.bytes\": string 0 is not valid UTF-8";
    assert_eq!(error.to_string(), text);
    assert_eq!(metadata.array("llama.heads").unwrap().kind(), Kind::U32);
}

#[test]
fn version_2_reads_like_version_3() {
    let mut bytes = fixture::bytes();
    bytes[4] = 2;
    let file = File::parse(bytes).unwrap();
    assert_eq!(file.version(), 2);
    assert_eq!(file.tensor("norm").unwrap().data.len(), 20);
}

#[test]
fn data_can_be_streamed_in_pieces_with_any_alignment() {
    let mut writer = Writer::new();
    writer.alignment(256);
    writer.tensor("a", Format::F32, &[3]).unwrap();
    writer.tensor("b", Format::F32, &[2]).unwrap();
    let mut data = writer.begin(Vec::new()).unwrap();
    for piece in [&[1; 5][..], &[2; 7], &[], &[3; 8]] {
        data.write(piece).unwrap();
    }
    let file = File::parse(data.finish().unwrap()).unwrap();
    let a = file.tensor("a").unwrap();
    assert_eq!(a.data, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(a.info.offset % 256, 0);
    assert_eq!(file.tensor("b").unwrap().data, [3; 8]);
    assert_eq!(file.tensor("b").unwrap().info.offset, a.info.offset + 256);
    assert_eq!(file.len() % 256, 0);
}

#[test]
fn the_writer_refuses_wrong_data() {
    let mut writer = Writer::new();
    writer.tensor("t", Format::F32, &[2]).unwrap();
    let cases: [(&[&[u8]], &str); 4] = [
        (&[&[0; 9]], "9 bytes of data where 8 are missing"),
        (&[&[0; 7]], "1 bytes of data are missing"),
        (&[], "all data is missing"),
        (&[&[0; 8], &[0]], "data after the last tensor"),
    ];
    for (data, text) in cases {
        let error = writer.to_vec(data).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn the_writer_refuses_what_the_reader_would() {
    type Write = fn(&mut Writer) -> &mut Writer;
    let cases: [(Write, &str); 4] = [
        (|w| w.u32("k", 1).u32("k", 2), "more than once"),
        (|w| w.u32("", 1), "is empty"),
        (|w| w.alignment(24), "power of two"),
        (|w| w.alignment(1 << 30), "power of two"),
    ];
    for (write, text) in cases {
        let error = write(&mut Writer::new()).to_vec(&[]).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    let mut twice = Writer::new();
    twice.tensor("t", Format::F32, &[2]).unwrap();
    twice.tensor("t", Format::F32, &[2]).unwrap();
    let error = twice.to_vec(&[&[0; 8], &[0; 8]]).unwrap_err();
    assert!(error.to_string().contains("more than once"), "{error}");
    for (format, dims) in [
        (Format::Q4_K, &[255][..]),
        (Format::F32, &[0]),
        (Format::F32, &[]),
        (Format::F32, &[1; 5]),
    ] {
        assert!(Writer::new().tensor("t", format, dims).is_err());
    }
}
