//! Areas, perimeters and volumes of plain shapes; fillings; Pythagoras; body mass index. Paint and tiles: `cover`.

use super::{
    Computed, Outcome, cover,
    frame::{Scan, whole},
    ratio::{self, Ratio, checked, part, root, value_float, whole as number, whole_power},
    show,
    text::{Item, Reading},
    unit::{Dimension, Unit, convert},
};
use crate::number::Value;
use num_traits::Signed;

/// What a question about shapes comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    shape(reading)
        .or_else(|| cover::walls(reading))
        .or_else(|| cover::covered(reading))
        .or_else(|| cover::tiled(reading))
        .or_else(|| cover::coverage(reading))
        .or_else(|| side(reading))
        .or_else(|| pizzas(reading))
        .or_else(|| triangle_side(reading))
        .or_else(|| bmi(reading))
}

/// A value times π.
fn times_pi(value: &Ratio) -> Option<Value> {
    checked(ratio::float(value)? * std::f64::consts::PI)
}

/// The lengths of a shape in one unit; plain numbers have none.
pub(super) struct Sides {
    /// One after the other, as the question names them.
    pub(super) values: Vec<Ratio>,
    /// The unit of all of them.
    pub(super) unit: Option<&'static Unit>,
}

impl Sides {
    /// These lengths in the unit of the last one that has a unit.
    pub(super) fn new(items: &[&Item]) -> Option<Self> {
        let unit = items.iter().rev().find_map(|item| item.unit);
        let unit = unit.filter(|unit| unit.dimension == Dimension::Length);
        let value = |item: &&Item| match (item.unit, unit) {
            (Some(own), Some(unit)) => convert(&item.value, own, unit),
            // "4 by 3 m": the unit stands once.
            (None, _) => Some(item.value.clone()),
            _ => None,
        };
        let values: Option<Vec<Ratio>> = items.iter().map(value).collect();
        values
            .filter(|values| values.iter().all(Signed::is_positive))
            .map(|values| Self { values, unit })
    }

    fn name(&self, power: usize) -> String {
        let Some(unit) = self.unit else {
            return String::new();
        };
        format!("{}{}", unit.symbol, ["", "", "²", "³"][power])
    }
}

fn shape(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    // "A square with area 196": the area is given, and something else is asked.
    // "The area of 5 m by 4 m" goes on, as does "the area of 5 m squares".
    let stated = Scan::new(reading)
        .take(
            r"(?:area|perimeter|circumference|volume|diagonal|capacity)(?: is| =| :| was)* G
              ( by| x| \*)?",
        )
        .is_some_and(|found| found.word(2).is_none());
    let given = r"
        (?:area|perimeter|circumference|volume|diagonal|capacity) of G
        (?: [.,;?]| and| with| what| how| which|$)";
    if stated || Scan::new(reading).take(given).is_some() {
        return None;
    }
    let asked = scan.take(
        r"(
            surface area|floor area|area|perimeter|circumference|volume|diagonal|
            how (?:big|large) is|
            how many (?:
                square meters|m2|square feet|ft2|cm2|liters|litres|l|m3|gallons|cm3|cubic meters
              )|
            how many (?:m|meters|metres|feet) of (?:fence|fencing)|
            how much (?:water|fence|fencing|soil|volume|liquid|space)|
            how long is fence|capacity
          )",
    )?;
    let named = scan.take(
        r"(
            rectangle|square|circle|triangle|cube|sphere|ball|cylinder|rectangular [a-z]+|room|
            garden|floor|box|aquarium|fish tank|tank|pool|field|lawn|plot|wall|kitchen|yard|
            cuboid|rectangular box|cone|carpet|bedroom|living room|table|apartment|right triangle|
            trapezoid|cylindrical [a-z]+|round [a-z]+|raised bed|crate|brick
          )",
    )?;
    let name = named.word(1)?.to_owned();
    let parts = Parts::take(&mut scan);
    if !scan.done(
        "sides side lengths length width height long wide high deep measures measuring \
         dimensions radius diameter edge base size hold fit holds whole around rectangular water \
         each full fill fills inside aquarium tank garden room pool box floor does it fence its \
         my water cover are",
    ) {
        return None;
    }
    let word = asked.word(1)?;
    if word == "surface area" {
        return surface(reading, &name, &parts);
    }
    let (value, power, unit) = parts.measured(&name, kind_of(word))?;
    let how = format!("{word} of the {name}");
    let litres = word.contains("liter")
        || word.contains("litre")
        || word == "how many l"
        || word.contains("gallons");
    if litres || (word == "capacity" || word == "how much water") && power == 3 {
        return in_litres(reading, &value, unit.unit, word, how);
    }
    show::quantity(reading, value, &unit.name(power), how)
}

/// What a word asks of a shape.
fn kind_of(word: &str) -> &'static str {
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    if has(&["area", "how big", "how large", "m2", "ft2", "square"]) {
        "area"
    } else if has(&["perimeter", "circumference", "fenc"]) {
        "perimeter"
    } else if word == "diagonal" {
        "diagonal"
    } else {
        "volume"
    }
}

fn in_litres(
    reading: &Reading,
    value: &Value,
    unit: Option<&'static Unit>,
    word: &str,
    how: String,
) -> Option<Computed> {
    let metre = unit?.size();
    let litres = whole_power(&metre, 3)? * number(1000);
    let target = Unit::named(if word.contains("gallons") {
        "gallon"
    } else {
        "liter"
    })?;
    let factor = litres / target.size();
    let value = match value {
        Value::Exact(exact) => Value::Exact(exact * factor),
        Value::Float(float) => checked(float * ratio::float(&factor)?)?,
    };
    show::quantity(reading, value, target.symbol, how)
}

struct Parts {
    radius: Option<Item>,
    diameter: Option<Item>,
    height: Option<Item>,
    base: Option<Item>,
    sides: Vec<Item>,
    side: Option<Item>,
}

impl Parts {
    fn radius(&self) -> Option<Item> {
        match (&self.radius, &self.diameter) {
            (Some(radius), None) => Some(radius.clone()),
            (None, Some(diameter)) => Some(Item {
                value: &diameter.value / number(2),
                ..diameter.clone()
            }),
            _ => None,
        }
    }

    /// The lengths that a question gives.
    fn take(scan: &mut Scan<'_>) -> Self {
        let mut labelled = |pattern: &'static str| {
            scan.take(pattern)
                .and_then(|found| (1..4).find_map(|group| found.item(group)).cloned())
        };
        let radius =
            labelled(r"(?:radius|r)(?: of| is| =| :)* ([LN][0-9]+)|([LN][0-9]+) (?:in )?radius");
        let diameter = labelled(
            r"(?:diameter|d)(?: of| is| =| :)* ([LN][0-9]+)|
              ([LN][0-9]+) (?:in |wide )?diameter|
              ([LN][0-9]+) across",
        );
        // "Base 9 height 4": the 9 belongs to the word before it.
        let mut height = labelled(r"(?:height|h)(?: of| is| =| :)* ([LN][0-9]+)");
        let mut base = labelled(r"(?:base|b)(?: of| is| =| :)* ([LN][0-9]+)");
        if height.is_none() {
            height = labelled(r"([LN][0-9]+) (?:high|tall|height|in height)");
        }
        if base.is_none() {
            base = labelled(r"([LN][0-9]+) base");
        }
        let cross = scan.take(
            r"([LN][0-9]+)(?: (?:long|wide))?(?: by| x| and| \*| ,)+ ([LN][0-9]+)
              (?: (?:wide|long|deep|high))?
              (?:(?: by| x| and| \*| ,)+ ([LN][0-9]+)(?: (?:high|deep|tall))?)?",
        );
        let sides: Vec<Item> = cross
            .iter()
            .flat_map(|found| (1..4).filter_map(|group| found.item(group)).cloned())
            .collect();
        let side = if sides.is_empty() {
            scan.take(
                r"(?:
                    (?:sides?|side length|edges?|edge length|width|length)
                    (?: of| is| =| :| each| are)* )?
                  ([LN][0-9]+)(?: sides?| edges?| long| wide)?",
            )
            .and_then(|found| found.item(1).cloned())
        } else {
            None
        };
        Self {
            radius,
            diameter,
            height,
            base,
            sides,
            side,
        }
    }

    /// These lengths in one unit, if they are all that the question gives: every one has to be used.
    fn all(&self, items: &[&Item]) -> Option<Sides> {
        let single = [
            &self.radius,
            &self.diameter,
            &self.height,
            &self.base,
            &self.side,
        ];
        let given = single.iter().filter(|item| item.is_some()).count() + self.sides.len();
        if items.len() == given {
            Sides::new(items)
        } else {
            None
        }
    }

    /// Value, power of the unit, unit.
    fn measured(&self, name: &str, kind: &str) -> Option<(Value, usize, Sides)> {
        match name {
            "circle" | "sphere" | "ball" | "cylinder" | "cone" => self.round(name, kind),
            "square" | "cube" if self.side.is_some() => self.regular(name, kind),
            "triangle" | "right triangle" => self.triangle(name, kind),
            "square" | "cube" | "trapezoid" => None,
            "wall" => self.wall(kind),
            other if other.starts_with("round ") && kind != "volume" => self.round("circle", kind),
            other if other.starts_with("cylindrical ") && kind == "volume" => {
                self.round("cylinder", kind)
            }
            other if other.starts_with("round ") || other.starts_with("cylindrical ") => None,
            _ => self.rectangular(kind),
        }
    }

    fn round(&self, name: &str, kind: &str) -> Option<(Value, usize, Sides)> {
        let radius = self.radius()?;
        match (name, kind) {
            ("circle", "area" | "perimeter") => {
                let sides = self.all(&[&radius])?;
                let r = &sides.values[0];
                let (value, power) = if kind == "area" {
                    (r * r, 2)
                } else {
                    (r * number(2), 1)
                };
                Some((times_pi(&value)?, power, sides))
            }
            ("sphere" | "ball", "volume") => {
                let sides = self.all(&[&radius])?;
                let r = &sides.values[0];
                Some((times_pi(&(r * r * r * part(4, 3)))?, 3, sides))
            }
            ("cylinder" | "cone", "volume") => {
                let height = self.height.as_ref().or(self.side.as_ref())?;
                let sides = self.all(&[&radius, height])?;
                let volume = &sides.values[0] * &sides.values[0] * &sides.values[1];
                let volume = if name == "cone" {
                    volume / number(3)
                } else {
                    volume
                };
                Some((times_pi(&volume)?, 3, sides))
            }
            _ => None,
        }
    }

    fn regular(&self, name: &str, kind: &str) -> Option<(Value, usize, Sides)> {
        let sides = self.all(&[self.side.as_ref()?])?;
        let a = sides.values[0].clone();
        match (name, kind) {
            ("square", "area") => Some((Value::Exact(&a * &a), 2, sides)),
            ("square", "perimeter") => Some((Value::Exact(a * number(4)), 1, sides)),
            ("square", "diagonal") => Some((root(&(&a * &a * number(2)), 2)?, 1, sides)),
            ("cube", "volume") => Some((Value::Exact(&a * &a * &a), 3, sides)),
            _ => None,
        }
    }

    fn triangle(&self, name: &str, kind: &str) -> Option<(Value, usize, Sides)> {
        match (kind, &self.base, &self.height, self.sides.as_slice()) {
            ("area", Some(base), Some(height), []) => {
                let sides = self.all(&[base, height])?;
                Some((
                    Value::Exact(&sides.values[0] * &sides.values[1] / number(2)),
                    2,
                    sides,
                ))
            }
            ("area", None, None, [a, b]) if name == "right triangle" => {
                let sides = self.all(&[a, b])?;
                Some((
                    Value::Exact(&sides.values[0] * &sides.values[1] / number(2)),
                    2,
                    sides,
                ))
            }
            ("perimeter", None, None, [a, b, c]) => {
                let sides = self.all(&[a, b, c])?;
                Some((Value::Exact(sides.values.iter().sum()), 1, sides))
            }
            _ => None,
        }
    }

    /// "A wall is 5 m long and 2.6 m high": its two sides by other names.
    fn wall(&self, kind: &str) -> Option<(Value, usize, Sides)> {
        match (&self.side, &self.height) {
            (Some(side), Some(height)) if kind == "area" && self.sides.is_empty() => {
                let sides = self.all(&[side, height])?;
                Some((Value::Exact(sides.values.iter().product()), 2, sides))
            }
            _ => self.rectangular(kind),
        }
    }

    fn rectangular(&self, kind: &str) -> Option<(Value, usize, Sides)> {
        let mut items: Vec<&Item> = self.sides.iter().collect();
        if kind == "volume" {
            items.extend(&self.height);
            let sides = self.all(&items).filter(|sides| sides.values.len() == 3)?;
            return Some((Value::Exact(sides.values.iter().product()), 3, sides));
        }
        let sides = self.all(&items).filter(|sides| sides.values.len() == 2)?;
        let (a, b) = (&sides.values[0], &sides.values[1]);
        match kind {
            "area" => Some((Value::Exact(a * b), 2, sides)),
            "perimeter" => Some((Value::Exact((a + b) * number(2)), 1, sides)),
            _ => Some((root(&(a * a + b * b), 2)?, 1, sides)),
        }
    }
}

fn surface(reading: &Reading, name: &str, parts: &Parts) -> Option<Computed> {
    let how = format!("surface area of the {name}");
    let (radius, diameter) = (parts.radius.as_ref(), parts.diameter.as_ref());
    match (name, parts.sides.as_slice(), parts.side.as_ref()) {
        ("cube", [], Some(side)) => {
            let sides = Sides::new(&[side])?;
            show::quantity(
                reading,
                &sides.values[0] * &sides.values[0] * number(6),
                &sides.name(2),
                how,
            )
        }
        ("sphere" | "ball", [], None) => {
            let sides = Sides::new(&[radius.or(diameter)?])?;
            let r = if radius.is_some() {
                sides.values[0].clone()
            } else {
                &sides.values[0] / number(2)
            };
            show::quantity(
                reading,
                times_pi(&(&r * &r * number(4)))?,
                &sides.name(2),
                how,
            )
        }
        ("box" | "cuboid" | "rectangular box", all @ [_, _, _], None) => {
            let sides = Sides::new(&all.iter().collect::<Vec<_>>())?;
            let [a, b, c] = sides.values.as_slice() else {
                return None;
            };
            show::quantity(
                reading,
                (a * b + b * c + a * c) * number(2),
                &sides.name(2),
                how,
            )
        }
        _ => None,
    }
}

/// "A pizza of 32 cm costs 9, one of 45 cm costs 15: which is cheaper per area?"
fn pizzas(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("pizza pizzas") {
        return None;
    }
    let mut offers = Vec::new();
    while let Some(found) = scan.take(
        r"(?:L|N inch) (?:round |wide |diameter |large |small )*(?:pizza )?
          (?:costs?|for|at|is)? ?X",
    ) {
        let (size, price) = (found.item(1).or_else(|| found.item(2))?, found.item(3)?);
        offers.push((size, price));
    }
    scan.take(
        r"(?:which|what)(?: one| pizza)?(?: is| gives| has)?
          (?: cheaper| better deal| better value| better| more pizza| best value| better buy| more
          )
          (?: per area| per m2| per cm2| for money| value| deal| by area| per money| per dollar
            | per euro
          )*",
    )?;
    let [(a, first), (b, second)] = offers.as_slice() else {
        return None;
    };
    if !scan.done("pizza pizzas round one or costs cheaper per area deal value diameter") {
        return None;
    }
    // Price by the square of the diameter.
    let per = |size: &Item, price: &Item| &price.value / (size.base() * size.base());
    let (left, right) = (per(a, first), per(b, second));
    if left == right {
        return None;
    }
    let (chosen, other) = if left < right { (a, b) } else { (b, a) };
    let value = Outcome::Choice {
        chosen: chosen.written.clone(),
        others: vec![other.written.clone()],
    };
    Some(Computed {
        value,
        text: format!("the {} pizza is cheaper per area", chosen.written),
        how: "price by area".to_owned(),
    })
}

/// "Hypotenuse of a right triangle with legs 3 and 4".
fn triangle_side(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:find |length of |how long is )?hypotenuse (?:of|in|for|if|with) ?(?:right )?
          (?:angled )?(?:triangle )?(?:with |has |whose |if )?
          (?:legs|sides|catheti|shorter sides)? ?(?:are |of |is )?
          ([LN][0-9]+) (?:and|,) ([LN][0-9]+)(?: long)?",
    )?;
    let sides = Sides::new(&[found.item(1)?, found.item(2)?])?;
    let value = root(
        &(&sides.values[0] * &sides.values[0] + &sides.values[1] * &sides.values[1]),
        2,
    )?;
    show::quantity(reading, value, &sides.name(1), "Pythagoras")
}

/// "A square with area 196: side length?", "edge of a cube with a volume of 27".
fn side(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:side|side length|length of side|how long is side|edge|edge length|sides)
            (?: of)? (square|cube) (?:with|of|that has|whose) (area|volume|perimeter)
            (?: of| is)? N|
          (square|cube)(?: [a-z]+)? (?:with|of|has) (area|volume|perimeter)
            (?: of| is)? N [.,] (?:\? )?(?:how long is |what is )?
            (?:side|side length|length of side|edge|edge length|each side)(?: length)?",
    )?;
    let at = if found.word(1).is_some() { 1 } else { 4 };
    let item = found.item(at + 2)?;
    if item.unit.is_some() || !item.value.is_positive() {
        return None;
    }
    let value = match (found.word(at)?, found.word(at + 1)?) {
        ("square", "area") => root(&item.value, 2)?,
        ("square", "perimeter") => Value::Exact(&item.value / number(4)),
        ("cube", "volume") => root(&item.value, 3)?,
        _ => return None,
    };
    let how = format!("{} of {}", found.word(at + 1)?, item.written);
    show::number(reading, value, how)
}

fn bmi(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:bmi|body mass index)(?: of| for| if| when| with)?")?;
    let mass = scan.take(r"W")?;
    let height = scan.take(r"L(?: tall| high| height)?")?;
    if !scan.done("someone person weighs weigh weight tall height who man woman") {
        return None;
    }
    let metres = height.base(1)?;
    if !metres.is_positive() {
        return None;
    }
    let value = mass.base(1)? / number(1000) / (&metres * &metres);
    let shown = value_float(&Value::Exact(value.clone()))?;
    let mut out = show::number(
        reading,
        value,
        format!("{} / ({})²", mass.item(1)?.written, height.item(1)?.written),
    )?;
    out.text = format!("≈ {shown:.1}");
    Some(out)
}
