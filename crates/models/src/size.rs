//! Sizes for people: bytes in, three digits and a decimal unit out.

/// `1117320768` becomes `1.12 GB`.
pub fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    // 999.5 would be shown as 1000 of the smaller unit.
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = match value {
        _ if unit == 0 => 0,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn three_digits_and_a_unit() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (98_362_432, "98.4 MB"),
            (253_113_024, "253 MB"),
            (999_600_000, "1.00 GB"),
            (1_117_320_768, "1.12 GB"),
            (u64::MAX, "18447 PB"),
        ];
        for (bytes, shown) in cases {
            assert_eq!(size(bytes), shown);
        }
    }
}
