//! What it takes to cover a surface: paint for walls, tiles for a floor.

use super::{
    Computed,
    frame::{Scan, whole},
    geometry::Sides,
    ratio::whole as number,
    show,
    text::{Item, Reading},
    unit::Unit,
};
use num_traits::{Signed, Zero};

const WALLS_ASKED: &str = r"
    wall is ([LN][0-9]+)(?: wide| long)?(?: by| x| and) L
    (?: high| tall)? [.,] (?:(?:V|1|one|N) )?(?:lit(?:er|re) )?(?:of paint )?
    (?:covers|is enough for|paints) A [.,] how many (?:liters|litres|l)(?: of paint)?
    (?: do i need| are needed| do we need)?(?: for (?:it|wall))?";

/// Paint for the four walls of a room.
pub(super) fn walls(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(reading, WALLS_ASKED) {
        let per = reading.items.iter().find(|item| item.kind == 'A')?.base();
        let litres = reading
            .items
            .iter()
            .find(|item| item.kind == 'V')
            .map_or_else(|| number(1), Item::base);
        let area = found.item(1)?.base() * found.item(2)?.base();
        let unit =
            found.item(1)?.unit.is_some() && reading.items.iter().all(|item| item.kind != 'N');
        return (unit && per.is_positive()).then(|| {
            show::quantity(
                reading,
                &area * litres / per,
                "l",
                format!("{} m² of wall", show::exact_text(&area)),
            )
        })?;
    }
    let mut scan = Scan::new(reading);
    let room = scan.take(r"([LN][0-9]+) (?:by|x) ([LN][0-9]+)")?;
    let high = scan.take(
        r"L (?:high|tall)(?: walls| ceilings?)?|
          (?:walls|ceiling|ceilings|height)(?: are| is| of)* L(?: high)?",
    )?;
    scan.take(r"(?:4 |N |all )?walls")?;
    let covers = scan.take(
        r"(?:(?:N|one|1) )?(?:V|lit(?:er|re)|can|bucket|tin) (?:of paint )?
          (?:covers|is enough for|does|paints|lasts for) A",
    )?;
    scan.take(r"how (?:many (?:litres|liters|l|cans|buckets|tins)|much paint)")?;
    let coats = scan.take(r"(?:N|one|1|single|two) coats?(?: of paint)?");
    if !scan.done(
        "room walls four paint coat litres liters needed ignoring doors windows door and my \
         painting covers without cans",
    ) {
        return None;
    }
    let walls = reading
        .items
        .iter()
        .filter(|item| item.kind == 'N')
        .filter(|item| item.value != number(4))
        .count();
    let times = match coats.as_ref().and_then(|found| found.value(1)) {
        Some(times) => times,
        None if reading.canon.contains("two coats") => number(2),
        None => number(1),
    };
    if walls > usize::from(coats.as_ref().is_some_and(|found| found.value(1).is_some())) {
        return None;
    }
    let height = (1..3).find_map(|group| high.base(group))?;
    let area = (room.base(1)? + room.base(2)?) * number(2) * height;
    let per = (1..5)
        .filter_map(|group| covers.item(group))
        .find(|item| item.kind == 'A')?
        .base();
    let litres = (1..4)
        .filter_map(|group| covers.item(group))
        .find(|item| item.kind == 'V')
        .map_or_else(|| number(1), Item::base);
    if per.is_zero() {
        return None;
    }
    let value = &area * times * litres / per;
    let unit = if scan.has("cans buckets tins") {
        return None;
    } else {
        "l"
    };
    show::quantity(
        reading,
        value,
        unit,
        format!("{} m² of walls", show::exact_text(&area)),
    )
}

/// "A room of 5 m by 4 m, laminate at 23.50 per square metre: what does it cost?"
pub(super) fn covered(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let size = scan.take(r"([LN][0-9]+)(?: by| x| \*) ([LN][0-9]+)")?;
    let price = scan.take(
        r"(?:costs?|at|is|for|price is|costing)? ?X per (m2|ft2|sqm|square meter|square metre)|
          (?:costs?|at|is|for)? ?X (?:for )?(?:per|each|a|every) (m2|ft2)",
    )?;
    scan.take(
        r"what (?:do|does|will|would) (?:i|it|that|floor|whole floor|we|carpet) (?:pay|cost)|
          how much (?:do|does|will|would|is) (?:i|it|that|floor|we|carpet|whole floor)? ?
            (?:pay|cost)?|
          total cost|total price|cost",
    )?;
    if !scan.done(
        "room floor carpet laminate tiles tile parquet turf lawn garden wall costs cost price \
         flooring covering cover paint total it wallpaper bedroom kitchen terrace",
    ) {
        return None;
    }
    let sides = Sides::new(&[size.item(1)?, size.item(2)?])?;
    let unit = Unit::named(price.word(2).or_else(|| price.word(4))?)?;
    let area = size.base(1)? * size.base(2)?;
    sides.unit?;
    let area = area / unit.size();
    let each = price.value(1).or_else(|| price.value(3))?;
    show::money(
        reading,
        area * each,
        format!(
            "{} × {} per {}",
            sides
                .values
                .iter()
                .map(show::exact_text)
                .collect::<Vec<_>>()
                .join(" × "),
            price.item(1).or_else(|| price.item(3))?.written,
            unit.symbol
        ),
    )
}

/// "How many tiles of 30 cm by 30 cm do I need for a floor of 3 m by 4.5 m?" Only where they fit without cutting.
pub(super) fn tiled(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"how many ([LN][0-9]+) (?:by|x) L (tiles|slabs|paving stones|boards|squares)
          (?: {needed}| fit)? (?:for|on|to cover|in|to tile) ([LN][0-9]+) (?:by|x) L
          (?: floor| room| wall| terrace| patio| area| kitchen| bathroom)?(?: {needed})?",
    ) {
        let (tile, floor) = (
            [found.item(1)?, found.item(2)?],
            [found.item(4)?, found.item(5)?],
        );
        return laid(reading, &tile, &floor, found.word(3)?);
    }
    let found = whole(
        reading,
        r"how many (?:square )?
          (tiles|slabs|paving stones|boards|squares)(?: of)? ([LN][0-9]+) (?:by|x) L
          (?: {needed}| fit)? (?:for|on|to cover|in|to tile) (?:
            (?:floor|room|wall|terrace|patio|area|kitchen|bathroom)
            (?: of| that is| measuring)? )?
          ([LN][0-9]+) (?:by|x) L(?: floor| room| wall| terrace| patio| area| kitchen| bathroom)?
          (?: {needed})?",
    )?;
    let (tile, floor) = (
        [found.item(2)?, found.item(3)?],
        [found.item(4)?, found.item(5)?],
    );
    laid(reading, &tile, &floor, found.word(1)?)
}

/// How many tiles fill a floor, if whole ones do.
fn laid(reading: &Reading, tile: &[&Item], floor: &[&Item], name: &str) -> Option<Computed> {
    let (tile, floor) = (Sides::new(tile)?, Sides::new(floor)?);
    let size = |sides: &Sides, side: usize| Some(&sides.values[side] * sides.unit?.size());
    let (a, b) = (
        size(&floor, 0)? / size(&tile, 0)?,
        size(&floor, 1)? / size(&tile, 1)?,
    );
    (a.is_integer() && b.is_integer())
        .then(|| show::quantity(reading, &a * &b, name, format!("{a} × {b}")))?
}

/// "1 litre of paint covers 10 m². How many litres for 65 m²?"
pub(super) fn coverage(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?V(?: of)?(?: [a-z]+)? (?:covers|is enough for|paints|lasts for) A ?[.,]? ?
          how (?:many|much) ([a-z]+)(?: {needed})? (?:for|to cover|to paint)(?: wall of| area of)? A
          (?: {needed})?",
    )?;
    let (volume, covered, all) = (found.item(1)?, found.item(2)?, found.item(4)?);
    let name = found.word(3)?;
    let unit = match Unit::named(name) {
        Some(unit) if unit.dimension == volume.unit?.dimension => unit,
        None if ["paint", "varnish", "stain", "primer"].contains(&name) => volume.unit?,
        _ => return None,
    };
    covered.base().is_positive().then(|| {
        show::quantity(
            reading,
            volume.base() * all.base() / covered.base() / unit.size(),
            unit.symbol,
            format!("{} × {} / {}", volume.written, all.written, covered.written),
        )
    })?
}
