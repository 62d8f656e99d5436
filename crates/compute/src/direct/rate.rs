//! Rates: speed and pace, fuel, recipes, work, mixtures, unit prices, boxes that hold so many.

use super::{
    Computed, Outcome,
    frame::{Match, Scan},
    ratio::{Ratio, count, whole as number},
    show,
    text::{Item, Reading},
    unit::{Dimension, Unit, convert},
};
use num_traits::Signed;

/// What a question about rates comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    travel(reading)
        .or_else(|| pace(reading))
        .or_else(|| fuel(reading))
        .or_else(|| better_deal(reading))
        .or_else(|| unit_price(reading))
}

const TRAVEL_WORDS: &str = "drive driving driven drove car train bike bicycle cycle cycled \
                            cycling run ran running walk walked walking travel travels travelled \
                            traveled travelling goes go going trip journey speed average \
                            distance far fast cover covered takes take km hours at rate steady \
                            constant speed plane flies fly truck bus average kmh miles per hour \
                            moving my drives runs walks cycles rides flew moves traveling \
                            cyclist runner driver covers person plane ship boat";

const TRAVEL_ASKS_FAR: &str = r"
    how (?:far|many (km|kilometers|kilometres|miles|meters|metres))
      (?: does| do| will| would| did| can)?(?: it| i| we| car| train)?
      (?: go| travel| drive| get| run| cover| walk)?|
    (?:what )?distance";

/// Speed, distance and time: two given, the third asked.
fn travel(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let asks_time = scan.take(
        r"how (?:long|much time|many hours|many minutes)(?: does| do| will| would| did)?
          (?: it| i| we| a| car| train)?(?: take| need| drive| last)?",
    );
    let asks_far = scan.take(TRAVEL_ASKS_FAR);
    let asks_speed = scan.take(r"(?:how fast|(?:average )?speed)");
    let speed = scan.take(
        r"(?:at|with|of|speed is|averaging|doing)? ?(?:average |constant |steady )?(?:speed )?
          (?:of )?S",
    );
    let distance = scan.take(r"(?:drive|for|of|ran|drove|walk|cover|covers|distance)? ?L");
    let time = scan.take(r"(?:in|for|takes|took|after|within|during)? ?T");
    if !scan.done(TRAVEL_WORDS) || reading.items.len() != 2 {
        return None;
    }
    match (asks_time, asks_far, asks_speed, speed, distance, time) {
        (Some(_), None, _, Some(speed), Some(distance), None) => {
            let metres_per_second = speed.base(1)?;
            if !metres_per_second.is_positive() {
                return None;
            }
            let seconds = distance.base(1)? / metres_per_second;
            show::duration(
                &seconds,
                format!(
                    "{} at {}",
                    distance.item(1)?.written,
                    speed.item(1)?.written
                ),
            )
        }
        (None, Some(asked), _, Some(speed), None, Some(time)) => {
            let metres = speed.base(1)? * time.base(1)?;
            let own = match speed.item(1)?.unit?.symbol {
                "mph" => "mile",
                "m/s" => "m",
                "ft/s" => "ft",
                "knots" => "nmi",
                _ => "km",
            };
            let unit = Unit::named(asked.word(1).unwrap_or(own))?;
            show::quantity(
                reading,
                metres / unit.size(),
                unit.symbol,
                format!("{} for {}", speed.item(1)?.written, time.item(1)?.written),
            )
        }
        (None, None, Some(_), None, Some(distance), Some(time)) => {
            let seconds = time.base(1)?;
            if !seconds.is_positive() {
                return None;
            }
            let wanted = if reading.canon.contains("km/h") {
                "km/h"
            } else if reading.canon.contains(" mph") {
                "mph"
            } else if reading.canon.contains(" m/s") {
                "m/s"
            } else {
                match (distance.item(1)?.unit?.symbol, time.item(1)?.unit?.symbol) {
                    ("km", _) => "km/h",
                    ("miles", _) => "mph",
                    ("m", "seconds") => "m/s",
                    _ => return None,
                }
            };
            let unit = Unit::named(wanted)?;
            show::quantity(
                reading,
                distance.base(1)? / seconds / unit.size(),
                unit.symbol,
                format!("{} in {}", distance.item(1)?.written, time.item(1)?.written),
            )
        }
        _ => None,
    }
}

/// "I ran 10 km in 52 minutes 30 seconds. What's my pace per km?"
fn pace(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"pace
            (?: per km| per kilometer| per kilometre| per mile| in minutes per km| in min per km
              | in minutes per mile
            )?|
          how (?:long|many minutes)
            (?: is that| did i need| was that)? per (?:km|kilometer|kilometre|mile)",
    )?;
    let per_mile = reading.canon.contains("per mile");
    let distance = scan.take(r"L")?;
    let time = scan.take(r"(?:in |took |takes |time of |for )?(?:[TC][0-9]+)")?;
    if reading.items.len() != 2
        || !scan.done(
            "ran run running runner finished finish did race jog jogged me it my half marathon \
             time distance walked need",
        )
    {
        return None;
    }
    let _ = time;
    let spent = reading
        .items
        .iter()
        .find(|item| item.kind == 'T' || item.kind == 'C')?;
    // "in 25:30" is minutes and seconds; "1:45:00" has hours. "in 4:10" could be either.
    let seconds = if spent.kind == 'C' {
        return None;
    } else {
        spent.base()
    };
    let item = distance.item(1)?;
    let miles = per_mile || item.unit?.symbol == "miles" && !reading.canon.contains("per km");
    let unit = Unit::named(if miles { "mile" } else { "km" })?;
    let length = item.base() / unit.size();
    if !length.is_positive() {
        return None;
    }
    let mut out = show::duration(
        &(seconds / length),
        format!("{} / {}", spent.written, item.written),
    )?;
    out.text = format!(
        "{} per {}",
        out.text,
        if unit.symbol == "km" { "km" } else { "mile" }
    );
    Some(out)
}

const FUEL_ASKS_RATE: &str = r"
    (?:
        consumption|fuel consumption|mileage|fuel economy|average consumption|
        how (?:much|many litres|many liters) (?:does|did) (?:it|car|my car) (?:use|need)|
        (?:use|consume|need)(?: per)?
      )(?: in)?(?: l/100km| mpg)?|
    in (?:l/100km|mpg)|
    l/100km|mpg";

const FUEL_ASKS_COST: &str = r"
    (?:
      what (?:does|do|will|would) (?:a |it |my )?(?:trip|drive|journey|that|it|i)?|
      how much (?:does|do|will|would|is|for)? ?(?:it|i|trip|drive|fuel|that)?|
      cost|costs|fuel cost|price of
    )(?: trip| drive| fuel| journey)?(?: cost| pay| costs)?(?: of| for)?(?: fuel)?";

/// Consumption, range and cost of a trip.
fn fuel(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let rate = scan.take(r"F");
    let price = scan.take(
        r"(?:
            (?:fuel|petrol|gas|gasoline|diesel)(?: price)?(?: is| costs| at| for| price is)*|
            at|costs|for|is
          )? ?X per (?:lit(?:er|re)|l|gallon|gal)",
    );
    let distance = scan.take(r"L");
    let volume = scan.take(r"V");
    let asks_cost = scan.take(FUEL_ASKS_COST);
    let asks_rate = scan.take(FUEL_ASKS_RATE);
    let asks_far = scan.take(
        r"how (?:far|many (?:km|kilometers|kilometres|miles))(?: can| will| does| could)?
            (?: i| it| car| we)?(?: get| go| drive| travel)?|
          range",
    );
    let asks_volume = scan.take(
        r"how (?:many (?:litres|liters|gallons|l)|much fuel|much gas|much petrol|much)
          (?: do i| does it| will i| does car| will it| is)?(?: need| use| consume| needed| burn)?",
    );
    if !scan.done(
        "car fuel petrol gas gasoline diesel uses consumes needs gets trip drive driving drove \
         driven cost costs filled fill up tank after full per price far l/100km mpg distance \
         range consumption journey litres liters per average used my tanked vehicle holds on how \
         much will road burns",
    ) {
        return None;
    }
    let fuel_words = scan
        .has("car fuel petrol gas gasoline diesel tank filled consumption mileage mpg l/100km")
        || rate.is_some();
    if !fuel_words {
        return None;
    }
    let one = |found: &Option<Match<'_>>| found.as_ref().and_then(|found| found.item(1)).cloned();
    match (one(&rate), one(&price), one(&distance), one(&volume)) {
        (Some(rate), Some(price), Some(distance), None)
            if asks_cost.is_some() && asks_far.is_none() =>
        {
            trip_cost(reading, &rate, &price, &distance)
        }
        (None, None, Some(distance), Some(volume)) if asks_rate.is_some() && asks_far.is_none() => {
            consumption(reading, &distance, &volume)
        }
        (Some(rate), None, None, Some(volume)) if asks_far.is_some() => {
            let metres = volume.base() / litres_per_metre(&rate)?;
            let unit = Unit::named(if rate.unit?.symbol.starts_with("mpg") {
                "mile"
            } else {
                "km"
            })?;
            show::quantity(
                reading,
                metres / unit.size(),
                unit.symbol,
                format!("{} at {}", volume.written, rate.written),
            )
        }
        (Some(rate), None, Some(distance), None)
            if asks_volume.is_some()
                || asks_rate.is_some()
                || reading.canon.contains("how much fuel") =>
        {
            let litres = litres_per_metre(&rate)? * distance.base();
            let gallons = reading.canon.contains("gallon") || rate.unit?.symbol.starts_with("mpg");
            let unit = Unit::named(if gallons { "gallon" } else { "liter" })?;
            show::quantity(
                reading,
                litres / unit.size(),
                unit.symbol,
                format!("{} at {}", distance.written, rate.written),
            )
        }
        _ => None,
    }
}

fn litres_per_metre(rate: &Item) -> Option<Ratio> {
    convert(&rate.value, rate.unit?, Unit::named("l/100km")?).map(|litres| litres / number(100_000))
}

fn trip_cost(reading: &Reading, rate: &Item, price: &Item, distance: &Item) -> Option<Computed> {
    let litres = litres_per_metre(rate)? * distance.base();
    let gallons = reading.canon.contains("per gal");
    let units = if gallons {
        litres / Unit::named("gallon")?.size()
    } else {
        litres
    };
    let how = format!(
        "{} at {}, {} per {}",
        distance.written,
        rate.written,
        price.written,
        if gallons { "gallon" } else { "litre" }
    );
    show::money(reading, units * &price.value, how)
}

fn consumption(reading: &Reading, distance: &Item, volume: &Item) -> Option<Computed> {
    let (length, litres) = (distance.base(), volume.base());
    if !length.is_positive() || !litres.is_positive() {
        return None;
    }
    let per_100 = &litres / &length * number(100_000);
    let how = format!("{} over {}", volume.written, distance.written);
    let american = distance.unit?.symbol == "miles" && volume.unit?.symbol == "US gallons";
    if reading.canon.contains("mpg") || american && !reading.canon.contains("l/100km") {
        let value = convert(&per_100, Unit::named("l/100km")?, Unit::named("mpg")?)?;
        return show::quantity(reading, value, "mpg", how);
    }
    show::quantity(reading, per_100, "l/100 km", how)
}

/// "Which is the better deal, 750 g for 4.19 or 1.2 kg for 6.49?"
fn better_deal(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:which|what|\?)(?: one| pack| is| offer| option)*
          (?: the)? (?:
            better deal|cheaper|better buy|better value|best deal|better offer|better|best value|
            cheaper per (?:kg|unit|lit(?:er|re)|gram|100 g|piece)
          )(?: deal| per [a-z]+)?",
    )?;
    const OFFER: &str = r"
        (?:pack of |bottle of |bag of |can of |box of |[a-z]+ of )?
        ([WVNL][0-9]+)(?: [a-z]+| of [a-z]+)? (?:for|at|costs?|costing) X";
    let first = scan.take(OFFER)?;
    let second = scan.take(OFFER)?;
    if !scan.done("or deal pack better is cheaper value , rolls per buy") {
        return None;
    }
    let (a, b) = (first.item(1)?, second.item(1)?);
    if a.unit.map(|unit| unit.dimension) != b.unit.map(|unit| unit.dimension)
        || !a.base().is_positive()
        || !b.base().is_positive()
    {
        return None;
    }
    let (left, right) = (first.value(2)? / a.base(), second.value(2)? / b.base());
    if left == right {
        return None;
    }
    let (chosen, other, found) = if left < right {
        (a, b, &first)
    } else {
        (b, a, &second)
    };
    let value = Outcome::Choice {
        chosen: chosen.written.clone(),
        others: vec![other.written.clone()],
    };
    Some(Computed {
        value,
        text: format!(
            "{} is cheaper per unit ({})",
            chosen.written,
            found.item(2)?.written
        ),
        how: "price per unit".to_owned(),
    })
}

/// "750 g cost 4.20: price per kg?"
fn unit_price(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let asked = scan.take(
        r"(?:
            price|cost|how much is (?:it|that)|how much does (?:it|1|one) cost|how much|
            what does it cost
          )
          (?: is that| is it| does it cost)? (?:per|for 1|for one|a|for|of one|of) (
            kg|kilogram|lit(?:er|re)|100 g|g|pound|lb|gram|oz|ounce|egg|piece|item|can|bottle|one|
            m|meter|metre|W|V
          )",
    )?;
    let offer = scan
        .take(
            r"(?:pack of |bottle of |bag of |if |box of )?([WVNL][0-9]+)
              (?: [a-z]+| of [a-z]+)? (?:costs?|for|at|is) X",
        )
        .or_else(|| scan.take(r"X (?:for|per) ([WVNL][0-9]+)(?: [a-z]+)?"))?;
    if !scan.done("price cost costs pack it cheese meat coffee") {
        return None;
    }
    let marks: Vec<&Item> = (1..3).filter_map(|group| offer.item(group)).collect();
    let (amount, price) = match marks.as_slice() {
        [a, b] if b.kind == 'M' || a.unit.is_some() => (*a, *b),
        [a, b] if b.unit.is_some() => (*b, *a),
        [a, b] => (*a, *b),
        _ => return None,
    };
    let how = format!("{} / {}", price.written, amount.written);
    if let Some(item) = asked.item(2).or_else(|| asked.item(3)) {
        return (item.unit?.dimension == amount.unit?.dimension && amount.base().is_positive())
            .then(|| show::money(reading, &price.value * item.base() / amount.base(), how))?;
    }
    match (amount.unit, Unit::named(asked.word(1)?)) {
        (Some(unit), Some(wanted))
            if unit.dimension == wanted.dimension
                && unit.dimension != Dimension::Time
                && amount.value.is_positive() =>
        {
            show::money(
                reading,
                &price.value / convert(&amount.value, unit, wanted)?,
                how,
            )
        }
        (None, None) => count(&amount.value, 1_000_000)
            .filter(|n| *n > 0)
            .and_then(|n| show::money(reading, &price.value / number(n), how)),
        _ => None,
    }
}
