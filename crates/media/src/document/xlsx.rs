//! Excel workbooks: a page for each sheet, a line for each row, with the values that Excel computed last.
//!
//! Dates and percentages are written as such, since a cell holds only a number and its style says what it means. Numbers have
//! the 15 digits that Excel shows. Empty rows are left out, empty cells keep their place.
use super::{
    Draft,
    archive::Archive,
    row,
    xml::{self, Token},
};
use std::collections::HashMap;

/// Columns of a sheet, by Excel's own limit.
const MOST_COLUMNS: usize = 16_384;
/// Most bytes of text of one sheet before the draft's own bound applies.
const MOST_SHEET: usize = 33 << 20;

pub(super) fn read(file: &[u8], draft: &mut Draft) -> Result<(), String> {
    let archive = Archive::open(file)?;
    let book = archive.part("xl/workbook.xml")?;
    let book =
        Book::parse(&book.ok_or("the file is damaged: a workbook without its list of sheets")?);
    let targets = match archive.part("xl/_rels/workbook.xml.rels")? {
        Some(rels) => relations(&rels),
        None => HashMap::new(),
    };
    let strings = archive.part("xl/sharedStrings.xml")?;
    let strings = strings.map_or_else(Vec::new, |part| shared_strings(&part));
    let styles = archive.part("xl/styles.xml")?;
    let styles = styles.map_or_else(Vec::new, |part| styles_of(&part));
    for (i, (name, id)) in book.sheets.iter().enumerate() {
        let fallback = format!("worksheets/sheet{}.xml", i + 1);
        let target = targets.get(id).unwrap_or(&fallback);
        let path = match target.strip_prefix('/') {
            Some(absolute) => absolute.to_owned(),
            None => format!("xl/{target}"),
        };
        let mut text = format!("# {name}\n");
        match archive.part(&path) {
            Ok(Some(part)) => {
                let mut sheet = Sheet::new(&strings, &styles, book.from_1904);
                if !xml::each(&part, |token| sheet.take(token)) {
                    draft.warn(format!(
                        "sheet {name} is damaged and was read as far as it goes"
                    ));
                }
                text.push_str(&sheet.text);
            }
            _ => draft.warn(format!("sheet {name} cannot be read")),
        }
        draft.page(&text);
        if draft.is_full() {
            break;
        }
    }
    Ok(())
}

/// Sheets in order: name and relation.
#[derive(Default)]
struct Book {
    sheets: Vec<(String, String)>,
    from_1904: bool,
}

impl Book {
    fn parse(part: &[u8]) -> Self {
        let mut book = Self::default();
        xml::each(part, |token| {
            if let Token::Begin(element) = token {
                match element.name.as_str() {
                    "sheet" => {
                        let name = element.attribute("name").unwrap_or_default();
                        // `r:id`; `sheetId` has another local name.
                        let id = element.attribute("id").unwrap_or_default();
                        book.sheets.push((name, id));
                    }
                    "workbookPr" => {
                        let value = element.attribute("date1904");
                        book.from_1904 = value.is_some_and(|value| value == "1" || value == "true");
                    }
                    _ => {}
                }
            }
            true
        });
        book
    }
}

/// Relations by their id.
fn relations(part: &[u8]) -> HashMap<String, String> {
    let mut targets = HashMap::new();
    xml::each(part, |token| {
        if let Token::Begin(element) = token
            && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        {
            targets.insert(id, target);
        }
        true
    });
    targets
}

fn shared_strings(part: &[u8]) -> Vec<String> {
    let mut strings = Vec::new();
    let (mut shown, mut phonetic) = (false, false);
    xml::each(part, |token| {
        match token {
            Token::Begin(element) => match element.name.as_str() {
                "si" => strings.push(String::new()),
                "t" => shown = !phonetic,
                "rPh" => phonetic = true,
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "t" => shown = false,
                "rPh" => phonetic = false,
                _ => {}
            },
            Token::Text(text) if shown => {
                if let Some(last) = strings.last_mut() {
                    last.push_str(&text);
                }
            }
            Token::Text(_) => {}
        }
        true
    });
    strings
}

/// What a number in a cell means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Style {
    #[default]
    Number,
    Percent,
    Date,
    Time,
    DateTime,
}

impl Style {
    fn of(id: u32, formats: &HashMap<u32, String>) -> Self {
        match id {
            9 | 10 => Self::Percent,
            14..=17 => Self::Date,
            18..=21 | 45..=47 => Self::Time,
            22 => Self::DateTime,
            _ => formats
                .get(&id)
                .map_or(Self::Number, |code| Self::of_code(code)),
        }
    }

    /// From a format such as `yyyy-mm-dd hh:mm`; what is in quotes or brackets is decoration.
    fn of_code(code: &str) -> Self {
        let code = code
            .split(';')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let mut plain = String::new();
        let mut until = None;
        for c in code.chars() {
            match until {
                Some(end) if c == end => until = None,
                Some(_) => {}
                None if c == '"' => until = Some('"'),
                None if c == '[' => until = Some(']'),
                None => plain.push(c),
            }
        }
        let has = |letters: &[char]| plain.contains(letters);
        let time = has(&['h', 's']);
        match () {
            () if plain.contains("general") => Self::Number,
            () if has(&['y', 'd']) && time => Self::DateTime,
            () if has(&['y', 'd']) || has(&['m']) && !time => Self::Date,
            () if time => Self::Time,
            () if has(&['%']) => Self::Percent,
            () => Self::Number,
        }
    }
}

/// The style of each cell format.
fn styles_of(part: &[u8]) -> Vec<Style> {
    let mut formats = HashMap::new();
    let mut styles = Vec::new();
    let mut in_cells = false;
    xml::each(part, |token| {
        match token {
            Token::Begin(element) => {
                let id = || element.attribute("numFmtId").and_then(|id| id.parse().ok());
                match element.name.as_str() {
                    "cellXfs" => in_cells = true,
                    "numFmt" => {
                        if let (Some(id), Some(code)) = (id(), element.attribute("formatCode")) {
                            formats.insert(id, code);
                        }
                    }
                    "xf" if in_cells => styles.push(Style::of(id().unwrap_or(0), &formats)),
                    _ => {}
                }
            }
            Token::End(name) if name == "cellXfs" => in_cells = false,
            _ => {}
        }
        true
    });
    styles
}

/// A sheet under way.
struct Sheet<'a> {
    strings: &'a [String],
    styles: &'a [Style],
    from_1904: bool,
    text: String,
    cells: Vec<String>,
    /// The cell under way: column, type, style.
    column: usize,
    kind: String,
    style: Style,
    value: String,
    shown: bool,
}

impl<'a> Sheet<'a> {
    fn new(strings: &'a [String], styles: &'a [Style], from_1904: bool) -> Self {
        Self {
            strings,
            styles,
            from_1904,
            text: String::new(),
            cells: Vec::new(),
            column: 0,
            kind: String::new(),
            style: Style::Number,
            value: String::new(),
            shown: false,
        }
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        match token {
            Token::Begin(element) => match element.name.as_str() {
                "row" => self.cells.clear(),
                "c" => {
                    let reference = element.attribute("r");
                    let column = reference.as_deref().and_then(column_of);
                    self.column = column.unwrap_or(self.cells.len());
                    self.kind = element.attribute("t").unwrap_or_default();
                    let style = element.attribute("s").and_then(|s| s.parse::<usize>().ok());
                    self.style = style
                        .and_then(|s| self.styles.get(s))
                        .copied()
                        .unwrap_or_default();
                    self.value.clear();
                }
                "v" | "t" => self.shown = true,
                _ => {}
            },
            Token::End(name) => match name.as_str() {
                "v" | "t" => self.shown = false,
                "c" => self.end_cell(),
                "row" => {
                    let line = row(&self.cells);
                    if !line.is_empty() {
                        self.text.push_str(&line);
                        self.text.push('\n');
                    }
                }
                _ => {}
            },
            Token::Text(text) if self.shown => self.value.push_str(&text),
            Token::Text(_) => {}
        }
        self.text.len() < MOST_SHEET
    }

    fn end_cell(&mut self) {
        let value = std::mem::take(&mut self.value);
        let value = match self.kind.as_str() {
            "s" => {
                let string = value.parse().ok().and_then(|i: usize| self.strings.get(i));
                string.cloned().unwrap_or_default()
            }
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.into(),
            "" | "n" => number(&value, self.style, self.from_1904),
            _ => value,
        };
        if self.column < MOST_COLUMNS && !value.is_empty() {
            if self.cells.len() <= self.column {
                self.cells.resize(self.column + 1, String::new());
            }
            self.cells[self.column] = value;
        }
    }
}

/// `C7` is column 2.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let fold =
        |sum: usize, letter: u8| sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1;
    letters.take(4).fold(0, fold).checked_sub(1)
}

fn number(text: &str, style: Style, from_1904: bool) -> String {
    let Ok(value) = text.trim().parse::<f64>() else {
        return text.into();
    };
    match style {
        Style::Number => digits(value),
        Style::Percent => format!("{}%", digits(value * 100.0)),
        Style::Date | Style::Time | Style::DateTime => {
            moment(value, style, from_1904).unwrap_or_else(|| digits(value))
        }
    }
}

/// At most 15 significant digits, as Excel has them: 0.1 + 0.2 is 0.3.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-9..1e21).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    format!("{rounded}")
}

/// A count of days as a date or a time of day.
fn moment(value: f64, style: Style, from_1904: bool) -> Option<String> {
    // Up to the end of the year 9999.
    if !(0.0..2_958_466.0).contains(&value) {
        return None;
    }
    let seconds = (value * 86_400.0).round() as i64;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let clock = format!(
        "{:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    // Excel believes that 1900 was a leap year; dates before its 29 February are one off.
    let days = match (from_1904, days) {
        (true, days) => days - 24_107,
        (false, 61..) => days - 25_569,
        (false, days) => days - 25_568,
    };
    let (year, month, day) = civil(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(match style {
        Style::Time if value < 1.0 => clock,
        Style::Date if second == 0 => date,
        _ => format!("{date} {clock}"),
    })
}

/// Year, month and day of a count of days since 1970-01-01 (Howard Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_excel_shows() {
        for (text, style, expected) in [
            ("0.30000000000000004", Style::Number, "0.3"),
            ("1234567.5", Style::Number, "1234567.5"),
            ("1E+30", Style::Number, "1e30"),
            ("-5", Style::Number, "-5"),
            ("0.19", Style::Percent, "19%"),
            ("0.07", Style::Percent, "7%"),
            ("45292", Style::Date, "2024-01-01"),
            ("1", Style::Date, "1900-01-01"),
            ("61", Style::Date, "1900-03-01"),
            ("45292.75", Style::DateTime, "2024-01-01 18:00:00"),
            ("0.5", Style::Time, "12:00:00"),
            ("-1", Style::Date, "-1"),
            ("text", Style::Date, "text"),
        ] {
            assert_eq!(number(text, style, false), expected, "{text} {style:?}");
        }
        assert_eq!(number("0", Style::Date, true), "1904-01-01");
    }

    #[test]
    fn formats_say_what_a_number_means() {
        for (code, expected) in [
            ("yyyy\\-mm\\-dd", Style::Date),
            ("dd/mm/yy hh:mm", Style::DateTime),
            ("[h]:mm:ss", Style::Time),
            ("0.00%", Style::Percent),
            ("#,##0.00 \"days\"", Style::Number),
            ("[Red]0.00", Style::Number),
            ("General", Style::Number),
            ("mmm", Style::Date),
        ] {
            assert_eq!(Style::of_code(code), expected, "{code}");
        }
    }

    #[test]
    fn columns_by_letters() {
        assert_eq!(column_of("A1"), Some(0));
        assert_eq!(column_of("AB12"), Some(27));
        assert_eq!(column_of("12"), None);
    }
}
