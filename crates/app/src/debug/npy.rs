//! Files of NumPy: f32 in and out.
use crate::Failure;

/// Largest file that is read.
const MOST: usize = 1 << 30;

/// The head of a version 1 NumPy file of little-endian f32, padded so that data starts at a multiple of 64.
pub(super) fn header(shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python writes a tuple of one with a comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let sides = sides.join(", ");
    let mut text =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({sides}{comma}), }}");
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a short text");
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend(length.to_le_bytes());
    head.extend(text.bytes());
    head
}

/// A whole file.
pub(super) fn bytes(shape: &[usize], data: &[f32]) -> Vec<u8> {
    let mut file = header(shape);
    file.extend(data.iter().flat_map(|x| x.to_le_bytes()));
    file
}

/// The shape and the values of a file of f32 or f64 in rows.
pub(super) fn read(file: &[u8]) -> Result<(Vec<usize>, Vec<f32>), Failure> {
    let wrong = |why: &str| Failure::input(format!("not a NumPy file that can be used: {why}"));
    let head = file
        .strip_prefix(b"\x93NUMPY")
        .ok_or_else(|| wrong("no such mark"))?;
    if file.len() > MOST {
        return Err(wrong("it is too large"));
    }
    let (length, at) = match head {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err(wrong("its version is not known")),
    };
    let cut = || wrong("it is cut");
    let text = head.get(at..at + length).ok_or_else(cut)?;
    let text = String::from_utf8_lossy(text);
    let data = &head[at + length..];
    if text.contains("'fortran_order': True") {
        return Err(wrong("its values are in columns"));
    }
    let shape = text
        .split_once("'shape': (")
        .and_then(|(_, rest)| rest.split_once(')'))
        .ok_or_else(|| wrong("it has no shape"))?
        .0;
    let sides = shape
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty());
    let sides: Result<Vec<usize>, _> = sides.map(str::parse).collect();
    let sides = sides.map_err(|_| wrong("its shape is no numbers"))?;
    let values: Vec<f32> = if text.contains("'<f4'") {
        let four = data.chunks_exact(4);
        four.map(|x| f32::from_le_bytes(x.try_into().expect("four")))
            .collect()
    } else if text.contains("'<f8'") {
        let eight = data.chunks_exact(8);
        #[expect(clippy::cast_possible_truncation, reason = "the encoders take f32")]
        let values = eight
            .map(|x| f64::from_le_bytes(x.try_into().expect("eight")) as f32)
            .collect();
        values
    } else {
        return Err(wrong("its values are not f32 or f64"));
    };
    let n = sides
        .iter()
        .try_fold(1usize, |n, &side| n.checked_mul(side));
    if n != Some(values.len()) {
        return Err(cut());
    }
    Ok((sides, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_numpys() {
        let head = header(&[3, 512]);
        assert_eq!(head.len() % 64, 0);
        assert!(head.starts_with(b"\x93NUMPY\x01\x00"));
        assert_eq!(
            usize::from(u16::from_le_bytes([head[8], head[9]])),
            head.len() - 10
        );
        assert!(String::from_utf8_lossy(&head[10..]).contains("'shape': (3, 512)"));
    }

    #[test]
    fn what_is_written_is_read_and_nonsense_is_refused() {
        let file = bytes(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let (shape, values) = read(&file).expect("our own");
        assert_eq!((shape, values[5]), (vec![2, 3], 6.5));
        assert_eq!(read(&bytes(&[2], &[0.5, 1.0])).expect("one side").0, [2]);
        for n in 0..file.len() {
            assert!(read(&file[..n]).is_err(), "cut at {n}");
        }
        assert!(read(b"PNG").is_err());
    }
}
