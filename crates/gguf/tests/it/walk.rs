//! Reads all of a file in every way; shared by the tests and the fuzz target.
use reckon_gguf::File;

/// Reads every value and every weight byte in every way the crate offers.
/// Gives a number that depends on all of them, so that nothing is optimised away.
pub(crate) fn walk(file: &File) -> u64 {
    let metadata = file.metadata();
    let mut sum = 0u64;
    let mut add = |n: usize| sum = sum.wrapping_mul(31).wrapping_add(n as u64);
    for (key, value) in metadata.iter() {
        add(key.len());
        add(format!("{value:?}").len());
        add(metadata.u32(key).map_or(1, |v| v as usize));
        add(metadata.u64(key).map_or(2, |v| v as usize));
        add(metadata.i64(key).map_or(3, |v| v as usize));
        add(metadata.f32(key).map_or(4, |v| v.to_bits() as usize));
        add(metadata.bool(key).map_or(5, usize::from));
        add(metadata.str(key).map_or(6, str::len));
        add(metadata.strings(key).map_or(7, |v| v.map(str::len).sum()));
        add(metadata
            .byte_strings(key)
            .map_or(8, |v| v.map(<[u8]>::len).sum()));
        add(metadata.f32s(key).map_or(9, |v| v.count()));
        add(metadata.i64s(key).map_or(10, |v| v.count()));
        add(metadata.u32s(key).map_or(11, |v| v.count()));
        add(metadata.bools(key).map_or(12, |v| v.count()));
        add(metadata.array(key).map_or(13, |v| v.iter().count()));
        for n in [0, 2, usize::MAX] {
            add(metadata.u32_per_layer(key, n).map_or(14, |v| v.len()));
            add(metadata.bool_per_layer(key, n).map_or(15, |v| v.len()));
        }
    }
    for info in file.tensors() {
        let tensor = file.tensor(&info.name).expect("listed tensors exist");
        assert_eq!(tensor.data.len(), info.bytes);
        add(tensor.row(0).len());
        add(tensor.row(tensor.rows() - 1)[0].into());
        file.release(&tensor);
    }
    // The name that the fixture gives to its table.
    if let Some(table) = file.opt_integers("order") {
        assert_eq!(table.iter().count(), table.len());
        add(table.iter().filter_map(|value| value.integer()).count());
    }
    sum
}
