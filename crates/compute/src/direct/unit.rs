//! Units of measure: their names in text, their dimension and their exact size.
//!
//! The table is written by hand: some ninety units cover what people ask, and every size is the defined one, so a
//! conversion is exact. Temperatures and fuel consumption are no plain multiples; [`convert`] treats them apart.

use super::ratio::{Ratio, decimal, whole};
use num_traits::Zero;

/// What a unit measures. The letter marks quantities of that kind in the canonical text (see `text`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// `L`
    Length,
    /// `W`
    Mass,
    /// `V`
    Volume,
    /// `T`
    Time,
    /// `S`
    Speed,
    /// `A`
    Area,
    /// `F`
    Fuel,
    /// `K`
    Temperature,
    /// `B`
    Data,
    /// `J`
    Energy,
}

impl Dimension {
    /// The letter of the dimension in canonical text.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Length => 'L',
            Self::Mass => 'W',
            Self::Volume => 'V',
            Self::Time => 'T',
            Self::Speed => 'S',
            Self::Area => 'A',
            Self::Fuel => 'F',
            Self::Temperature => 'K',
            Self::Data => 'B',
            Self::Energy => 'J',
        }
    }
}

/// A unit of measure.
#[derive(Debug, PartialEq)]
pub(super) struct Unit {
    /// As results write it.
    pub(super) symbol: &'static str,
    /// What it measures.
    pub(super) dimension: Dimension,
    /// Its size in the base unit: m, g, l, s, m/s, m², byte, J. Not for temperatures and fuel.
    size: &'static str,
    /// How texts name it, in lower case, separated by `|`.
    names: &'static str,
}

const fn unit(
    symbol: &'static str,
    dimension: Dimension,
    size: &'static str,
    names: &'static str,
) -> Unit {
    Unit {
        symbol,
        dimension,
        size,
        names,
    }
}

use Dimension::{Area, Data, Energy, Fuel, Length, Mass, Speed, Temperature, Time, Volume};

#[rustfmt::skip]
static UNITS: &[Unit] = &[
    unit("nm", Length, "0.000000001", "nm|nanometer|nanometers|nanometre|nanometres"),
    unit("mm", Length, "0.001", "mm|millimeter|millimeters|millimetre|millimetres"),
    unit("cm", Length, "0.01", "cm|centimeter|centimeters|centimetre|centimetres"),
    unit("dm", Length, "0.1", "dm|decimeter|decimeters|decimetre|decimetres"),
    unit("m", Length, "1", "m|meter|meters|metre|metres"),
    unit("km", Length, "1000", "km|kms|kilometer|kilometers|kilometre|kilometres"),
    unit("in", Length, "0.0254", "inch|inches"),
    unit("ft", Length, "0.3048", "ft|foot|feet"),
    unit("yd", Length, "0.9144", "yd|yds|yard|yards"),
    unit("miles", Length, "1609.344", "mi|mile|miles"),
    unit("nautical miles", Length, "1852", "nmi|nautical_mile|nautical_miles"),
    unit("µg", Mass, "0.000001", "mcg|µg|ug|microgram|micrograms"),
    unit("mg", Mass, "0.001", "mg|milligram|milligrams"),
    unit("g", Mass, "1", "g|gr|gram|grams|gramme|grammes"),
    unit("kg", Mass, "1000", "kg|kgs|kilo|kilos|kilogram|kilograms"),
    unit("t", Mass, "1000000", "tonne|tonnes|metric_ton|metric_tons"),
    unit("oz", Mass, "28.349523125", "oz|ounce|ounces"),
    unit("lb", Mass, "453.59237", "lb|lbs|pound|pounds"),
    unit("st", Mass, "6350.29318", "stone|stones"),
    unit("US tons", Mass, "907184.74", "us_ton|us_tons|short_ton|short_tons"),
    unit("ml", Volume, "0.001", "ml|milliliter|milliliters|millilitre|millilitres|cm3|cc"),
    unit("cl", Volume, "0.01", "cl|centiliter|centiliters|centilitre|centilitres"),
    unit("dl", Volume, "0.1", "dl|deciliter|deciliters|decilitre|decilitres"),
    unit("l", Volume, "1", "l|liter|liters|litre|litres|dm3"),
    unit("m³", Volume, "1000", "m3"),
    unit("in³", Volume, "0.016387064", "in3"),
    unit("ft³", Volume, "28.316846592", "ft3"),
    unit("US tsp", Volume, "0.00492892159375", "tsp|teaspoon|teaspoons"),
    unit("US tbsp", Volume, "0.01478676478125", "tbsp|tablespoon|tablespoons"),
    unit("US fl oz", Volume, "0.0295735295625", "floz"),
    unit("US cups", Volume, "0.2365882365", "cup|cups"),
    unit("US pints", Volume, "0.473176473", "pint|pints"),
    unit("US quarts", Volume, "0.946352946", "quart|quarts"),
    unit("US gallons", Volume, "3.785411784", "gal|gallon|gallons"),
    unit("UK gallons", Volume, "4.54609", "uk_gallon|uk_gallons|imperial_gallon|imperial_gallons"),
    unit("UK pints", Volume, "0.56826125", "uk_pint|uk_pints|imperial_pint|imperial_pints"),
    unit("ms", Time, "0.001", "ms|millisecond|milliseconds"),
    unit("seconds", Time, "1", "s|sec|secs|second|seconds"),
    unit("minutes", Time, "60", "min|mins|minute|minutes"),
    unit("hours", Time, "3600", "h|hr|hrs|hour|hours"),
    unit("days", Time, "86400", "day|days"),
    unit("weeks", Time, "604800", "week|weeks"),
    unit("fortnights", Time, "1209600", "fortnight|fortnights"),
    unit("m/s", Speed, "1", "m/s"),
    unit("km/h", Speed, "1/3.6", "km/h|kmh|kph"),
    unit("mph", Speed, "0.44704", "mph"),
    unit("ft/s", Speed, "0.3048", "ft/s"),
    unit("knots", Speed, "1852/3600", "knot|knots|kn"),
    unit("mm²", Area, "0.000001", "mm2"),
    unit("cm²", Area, "0.0001", "cm2"),
    unit("m²", Area, "1", "m2|sqm"),
    unit("km²", Area, "1000000", "km2"),
    unit("hectares", Area, "10000", "ha|hectare|hectares"),
    unit("acres", Area, "4046.8564224", "acre|acres"),
    unit("in²", Area, "0.00064516", "in2"),
    unit("ft²", Area, "0.09290304", "ft2|sqft"),
    unit("yd²", Area, "0.83612736", "yd2"),
    unit("square miles", Area, "2589988.110336", "mi2"),
    unit("l/100 km", Fuel, "0", "l/100km"),
    unit("mpg (US)", Fuel, "0", "mpg"),
    unit("mpg (UK)", Fuel, "0", "uk_mpg"),
    unit("km/l", Fuel, "0", "km/l"),
    unit("°C", Temperature, "0", "celsius|centigrade|degc"),
    unit("°F", Temperature, "0", "fahrenheit|degf"),
    unit("K", Temperature, "0", "kelvin|kelvins"),
    unit("bits", Data, "0.125", "bit|bits"),
    unit("bytes", Data, "1", "byte|bytes"),
    unit("kB", Data, "1000", "kb|kilobyte|kilobytes"),
    unit("MB", Data, "1000000", "mb|megabyte|megabytes"),
    unit("GB", Data, "1000000000", "gb|gigabyte|gigabytes"),
    unit("TB", Data, "1000000000000", "tb|terabyte|terabytes"),
    unit("KiB", Data, "1024", "kib|kibibyte|kibibytes"),
    unit("MiB", Data, "1048576", "mib|mebibyte|mebibytes"),
    unit("GiB", Data, "1073741824", "gib|gibibyte|gibibytes"),
    unit("TiB", Data, "1099511627776", "tib|tebibyte|tebibytes"),
    unit("J", Energy, "1", "joule|joules"),
    unit("kJ", Energy, "1000", "kj|kilojoule|kilojoules"),
    unit("kcal", Energy, "4184", "kcal|kilocalorie|kilocalories"),
    unit("Wh", Energy, "3600", "wh|watt_hour|watt_hours"),
    unit("kWh", Energy, "3600000", "kwh|kilowatt_hour|kilowatt_hours"),
];

impl Unit {
    /// The unit that a text calls so.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        UNITS
            .iter()
            .find(|unit| unit.names.split('|').any(|known| known == name))
    }

    /// The unit with that symbol; the symbols of the table only.
    pub(super) fn symbol(symbol: &str) -> Option<&'static Self> {
        UNITS.iter().find(|unit| unit.symbol == symbol)
    }

    /// How many base units one of it is.
    pub(super) fn size(&self) -> Ratio {
        match self.size.split_once('/') {
            Some((above, below)) => decimal(above) / decimal(below),
            None => decimal(self.size),
        }
    }
}

/// `value` of the unit `from`, in the unit `to`.
pub(super) fn convert(value: &Ratio, from: &Unit, to: &Unit) -> Option<Ratio> {
    if from.dimension != to.dimension {
        return None;
    }
    match from.dimension {
        Temperature => {
            let celsius = match from.symbol {
                "°C" => value.clone(),
                "°F" => (value - whole(32)) * decimal("5") / decimal("9"),
                _ => value - decimal("273.15"),
            };
            Some(match to.symbol {
                "°C" => celsius,
                "°F" => celsius * decimal("9") / decimal("5") + whole(32),
                _ => celsius + decimal("273.15"),
            })
        }
        Fuel => {
            if value.is_zero() {
                return None;
            }
            // Litres per 100 km are the inverse of how far a volume takes.
            let litres = match from.symbol {
                "l/100 km" => value.clone(),
                other => per_100_km(other) / value,
            };
            Some(match to.symbol {
                "l/100 km" => litres,
                other => per_100_km(other) / litres,
            })
        }
        _ => Some(value * from.size() / to.size()),
    }
}

/// Litres per 100 km at one mile per gallon, or one kilometre per litre.
fn per_100_km(symbol: &str) -> Ratio {
    let gallon = match symbol {
        "km/l" => return whole(100),
        "mpg (UK)" => "4.54609",
        _ => "3.785411784",
    };
    whole(100) * decimal(gallon) / decimal("1.609344")
}
