//! Conversions of units, and arithmetic on quantities: "26.2 miles in km", "half of 3/4 cup", "how many minutes in a
//! day".

use super::{
    Computed,
    frame::{self, Match, whole},
    ratio::{self, Ratio, part},
    show,
    text::{Item, Reading},
    unit::{Dimension, Unit, convert},
};
use num_traits::{One, Signed};

/// A conversion or a sum of quantities.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    conversion(reading)
        .or_else(|| in_parts(reading))
        .or_else(|| filled(reading))
        .or_else(|| scaled(reading))
        .or_else(|| sum(reading))
        .or_else(|| difference(reading))
}

fn conversion(reading: &Reading) -> Option<Computed> {
    // "75 kg in pounds", "convert 5 miles to km", "what is that in": the quantity first.
    const QUANTITY_FIRST: &[&str] = &[
        r"(?:convert |change |turn |express |how much is |how many is )?
          Q(?: of [a-z]+| oven| weather)? (?:
            in|to|into|as|=|equals|->|expressed in|converted to|converted into|is how many|
            are how many|equals how many|= how many|is what in|would be how many|,|= \?
          ) (?:how many )?{unit}",
        r"i (?:weigh|am) Q ?,? (?:in |how many )?{unit}",
        r"~
          (?:
            gets|has|needs|uses|does|is|weigh|weighs|am|runs|ran|measures|consumes|at|of|drives|
            lasts|takes|long|tall|runner|be|holds|contains|says|shows|reads
          ) (?:about )?Q(?: tall| high| long| heavy)? [.,] (?:\? |how much is |how many is )?
          (?:that|this|it) (?:in|as) {unit}",
        r"~
          (?:
            gets|has|needs|uses|does|is|weigh|weighs|am|runs|ran|measures|consumes|at|of|drives|
            lasts|takes|long|tall|drove|walked|holds|contains|says|shows|be
          ) (?:about )?Q
          (?: tall| high| long| heavy)? [.,] how many {unit} (?:is|are) (?:that|this|it)",
        r"(?:how (?:tall|long|far|heavy|hot|cold|fast|big|high|warm|much) is )Q (?:in|as) {unit}",
    ];
    for pattern in QUANTITY_FIRST {
        if let Some(found) = frame::whole(reading, pattern) {
            return converted(&found, found.item(1)?, found.word(2)?);
        }
    }
    // "how many km is 26.2 miles", "how many minutes are in 3 hours": the unit first.
    const UNIT_FIRST: &[&str] = &[
        r"how (?:many|much) {unit} (?:
            is|are|are there|are there in|in|does|make|makes|make up|equals?|is it|go in|go into|
            fit in|fit into|are contained in|would be|is in|are in|do i have in|would be in|
            correspond to
          )(?: there)?(?: in| to)? Q(?: have| make| equal| correspond to| contain)?",
        r"Q is how many {unit}",
        r"how many {unit} (?:do|does|would) Q (?:have|make|equal|contain|correspond to)",
    ];
    for pattern in UNIT_FIRST {
        if let Some(found) = frame::whole(reading, pattern) {
            let (unit, quantity) = if found
                .word(1)?
                .starts_with(|first: char| first.is_ascii_uppercase())
            {
                (2, 1)
            } else {
                (1, 2)
            };
            return converted(&found, found.item(quantity)?, found.word(unit)?);
        }
    }
    let found = frame::whole(
        reading,
        r"how many ([a-z_]+[23]?) (?:
            is|are|are there|in|make|make up|does|go into|fit in|fit into
          )(?: there)?(?: in)?(?: 1| one)? ([a-z_]+[23]?)(?: have| contain)?",
    )?;
    let one = Unit::named(found.word(2)?)?;
    let item = Item {
        value: Ratio::one(),
        unit: Some(one),
        ..blank()
    };
    converted(&found, &item, found.word(1)?)
}

/// "200 minutes in hours and minutes".
fn in_parts(reading: &Reading) -> Option<Computed> {
    let found = frame::whole(
        reading,
        r"(?:convert |how long is )?T (?:in|to|as|into) (?:hours and minutes|minutes and seconds|
          hours , minutes and seconds|days and hours)",
    )?;
    let item = found.item(1)?;
    show::duration(&item.base(), item.written.clone())
}

fn blank() -> Item {
    Item {
        kind: 'N',
        value: Ratio::one(),
        unit: None,
        currency: None,
        day: None,
        sure: true,
        written: String::new(),
    }
}

fn converted(found: &Match<'_>, item: &Item, name: &str) -> Option<Computed> {
    let name = match name {
        "in" => "inches",
        "c" => "degc",
        "f" => "degf",
        "pound" | "pounds" if found.reading.canon.contains('£') => return None,
        name => name,
    };
    let to = Unit::named(name)?;
    let from = item.unit?;
    // Ounces are a weight; next to volumes people mean fluid ounces.
    let (from, to) = match (from.dimension, to.dimension) {
        (Dimension::Volume, Dimension::Mass) if to.symbol == "oz" => (from, Unit::named("floz")?),
        (Dimension::Mass, Dimension::Volume) if from.symbol == "oz" => (Unit::named("floz")?, to),
        _ => (from, to),
    };
    let value = convert(&item.value, from, to)?;
    let how = format!(
        "{} {} in {}",
        show::exact_text(&item.value),
        from.symbol,
        to.symbol
    );
    if to.dimension == Dimension::Time
        && to.symbol != from.symbol
        && !value.is_integer()
        && (&value * ratio::whole(3600)).is_integer()
    {
        return show::quantity(found.reading, value, to.symbol, how);
    }
    show::quantity(found.reading, value, to.symbol, how)
}

/// "How many 250 ml glasses can I fill from a 2 litre bottle?" Only where nothing is left.
fn filled(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"how many Q ([a-z]+) (?:can i (?:fill|get|pour|cut|make) |do i get |are |fit )?
          (?:from|out of|with|in|into) Q(?: [a-z]+)?(?: of [a-z]+)?",
    )?;
    let (part, all) = (found.item(1)?, found.item(3)?);
    if part.unit?.dimension != all.unit?.dimension
        || part.unit?.dimension == Dimension::Temperature
        || !part.value.is_positive()
    {
        return None;
    }
    let value = all.base() / part.base();
    let how = format!("{} / {}", all.written, part.written);
    (value.is_integer() && value.is_positive())
        .then(|| show::quantity(reading, value, found.word(2)?, how))?
}

/// "half of 3/4 cup", "double 250 g", "a third of 2 cups", "3 times 250 ml".
fn scaled(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(reading, r"Q (?:times|\*|x|multiplied by) N") {
        return times(reading, found.item(1)?, &found.value(2)?);
    }
    let found = whole(
        reading,
        r"(half|double|twice|triple|third|quarter|N|N times|N \*)(?: of)? Q
          ((?: of)? [a-z]+)?(?: (?:is|=|makes|in)? ?how (?:many|much) {unit})?",
    )?;
    let last = found
        .item(4)
        .or_else(|| found.item(3))
        .or_else(|| found.item(2))
        .or_else(|| found.item(5))?;
    let factor = match found.word(1)? {
        "half" => part(1, 2),
        "double" | "twice" => part(2, 1),
        "triple" => part(3, 1),
        "third" => part(1, 3),
        "quarter" => part(1, 4),
        other => {
            let item = reading.item(other.split(' ').next()?)?;
            let times = other.contains(' ') || reading.canon.contains(" of ");
            if !times {
                return None;
            }
            item.value.clone()
        }
    };
    // "Half of 2/3 cup sugar": things are measured so; "half of 40 hours pay" asks for something else.
    let thing = found.word(6).is_some_and(|word| !word.is_empty());
    let is_measured = matches!(last.unit?.dimension, Dimension::Mass | Dimension::Volume);
    let asked = found.word(7).map(Unit::named);
    if thing && !is_measured || asked.is_some_and(|unit| unit != last.unit) {
        return None;
    }
    times(reading, last, &factor)
}

/// So many times a quantity, in its own unit.
fn times(reading: &Reading, last: &Item, factor: &Ratio) -> Option<Computed> {
    let unit = last
        .unit
        .filter(|unit| unit.dimension != Dimension::Temperature)?;
    let name = if unit.dimension == Dimension::Volume {
        unit.symbol.trim_start_matches("US ")
    } else {
        unit.symbol
    };
    let value = &last.value * factor;
    let single = if value <= Ratio::one() {
        name.trim_end_matches('s')
    } else {
        name
    };
    let how = format!("{} of {}", show::exact_text(factor), last.written);
    show::quantity(reading, value, single, how)
}

/// "2.5 kg plus 750 g", "3 km minus 400 m in m".
fn sum(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"Q (\+|plus|and|minus|-) Q(?: (?:in|to|as) ([a-z_]+[23]?))?",
    )?;
    let (a, b) = (found.item(1)?, found.item(3)?);
    let (from, other) = (a.unit?, b.unit?);
    if from.dimension != other.dimension
        || matches!(from.dimension, Dimension::Temperature | Dimension::Fuel)
    {
        return None;
    }
    let sign = if matches!(found.word(2)?, "-" | "minus") {
        part(-1, 1)
    } else {
        part(1, 1)
    };
    let to = match found.word(4) {
        Some(name) => Unit::named(name)?,
        None => from,
    };
    if found.word(2)? == "and" && found.word(4).is_none() || to.dimension != from.dimension {
        return None;
    }
    let base = a.base() + sign * b.base();
    let how = format!("{} {} {}", a.written, found.word(2)?, b.written);
    if from.dimension == Dimension::Time && found.word(4).is_none() {
        return show::duration(&base, how);
    }
    show::quantity(reading, base / to.size(), to.symbol, how)
}

/// "It is 4 degrees and drops by 9": temperatures and other levels that change.
fn difference(reading: &Reading) -> Option<Computed> {
    let mut scan = frame::Scan::new(reading);
    let found = scan.take(
        r"(
            drops?|falls?|fell|dropped|rises?|rose|climbs?|climbed|goes up|went up|goes down|
            went down|sinks?|sank|decreases?|decreased|increases?|increased|warms up|cools down|
            gets|becomes
          )(?: by)? (?:another )?([NK][0-9]+)(?: degrees)?(?: colder| warmer)?
          (?: overnight| (?:by|until|till) (?:midnight|night|morning|evening|noon))?",
    )?;
    let change = found.item(2)?;
    let (verb, all) = (found.word(1)?, found.word(0)?);
    let down = all.contains("cold")
        || all.contains("cool")
        || all.contains("down")
        || ["dr", "f", "s", "dec"]
            .iter()
            .any(|start| verb.starts_with(start));
    if ["gets", "becomes"].contains(&verb) && !all.contains("cold") && !all.contains("warm") {
        return None;
    }
    let down = down && !all.contains("warm");
    let level =
        scan.take(r"([NK][0-9]+)(?: degrees)?(?: outside| at noon| in morning| during day)?")?;
    let item = level.item(1)?;
    if !scan.has("temperature degrees") && item.kind != 'K' || scan.take("[NKPM][0-9]+").is_some() {
        return None;
    }
    if !scan.done("temperature degrees outside overnight it now new morning noon evening night") {
        return None;
    }
    let value = if down {
        &item.value - &change.value
    } else {
        &item.value + &change.value
    };
    let symbol = item
        .unit
        .or(change.unit)
        .map_or("degrees", |unit| unit.symbol);
    show::quantity(
        reading,
        value,
        symbol,
        format!(
            "{} {} {}",
            item.written,
            if down { "-" } else { "+" },
            change.written
        ),
    )
}
