//! Rates: speed and pace, fuel, recipes, work, mixtures, unit prices, boxes that hold so many.

use super::{
    Computed, Outcome,
    frame::{Match, Scan, whole},
    ratio::{Ratio, count, whole as number},
    show,
    text::{Item, Reading},
    unit::{Dimension, Unit, convert},
};
use num_traits::{One, Signed, Zero};

/// What a question about rates comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    travel(reading)
        .or_else(|| pace(reading))
        .or_else(|| fuel(reading))
        .or_else(|| recipe(reading))
        .or_else(|| in_proportion(reading))
        .or_else(|| boxes(reading))
        .or_else(|| machines(reading))
        .or_else(|| dilution(reading))
        .or_else(|| mixture(reading))
        .or_else(|| better_deal(reading))
        .or_else(|| unit_price(reading))
}

const TRAVEL_WORDS: &str = "drive driving driven drove car train bike bicycle cycle cycled cycling run ran running walk walked walking travel travels travelled traveled travelling goes go going trip journey speed average distance far fast cover covered takes take km hours at rate steady constant speed plane flies fly truck bus average kmh miles per hour moving my drives runs walks cycles rides flew moves traveling";

/// Speed, distance and time: two given, the third asked.
fn travel(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let asks_time = scan.take(r"how (?:long|much time|many hours|many minutes)(?: does| do| will| would| did)?(?: it| i| we| a| car| train)?(?: take| need| drive| last)?");
    let asks_far = scan.take(r"how (?:far|many (km|kilometers|kilometres|miles|meters|metres))(?: does| do| will| would| did| can)?(?: it| i| we| car| train)?(?: go| travel| drive| get| run| cover| walk)?|(?:what )?distance");
    let asks_speed = scan.take(r"(?:how fast|(?:average )?speed)");
    let speed = scan.take(r"(?:at|with|of|speed is|averaging|doing)? ?(?:average |constant |steady )?(?:speed )?(?:of )?S");
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
    scan.take(r"pace(?: per km| per kilometer| per kilometre| per mile| in minutes per km| in min per km| in minutes per mile)?|how (?:long|many minutes)(?: is that| did i need| was that)? per (?:km|kilometer|kilometre|mile)")?;
    let per_mile = reading.canon.contains("per mile");
    let distance = scan.take(r"L")?;
    let time = scan.take(r"(?:in |took |takes |time of |for )?(?:[TC][0-9]+)")?;
    if reading.items.len() != 2 || !scan.done("ran run running runner finished finish did race jog jogged me it my half marathon time distance walked need") {
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
    let unit = if per_mile {
        Unit::named("mile")?
    } else if item.unit?.symbol == "miles" && !reading.canon.contains("per km") {
        Unit::named("mile")?
    } else {
        Unit::named("km")?
    };
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

/// Consumption, range and cost of a trip.
fn fuel(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let rate = scan.take(r"F");
    let price = scan.take(r"(?:(?:fuel|petrol|gas|gasoline|diesel)(?: price)?(?: is| costs| at| for| price is)*|at|costs|for|is)? ?X per (?:lit(?:er|re)|l|gallon|gal)");
    let distance = scan.take(r"L");
    let volume = scan.take(r"V");
    let asks_cost = scan.take(r"(?:what (?:does|do|will|would) (?:a |it |my )?(?:trip|drive|journey|that|it|i)?|how much (?:does|do|will|would|is|for)? ?(?:it|i|trip|drive|fuel|that)?|cost|costs|fuel cost|price of)(?: trip| drive| fuel| journey)?(?: cost| pay| costs)?(?: of| for)?(?: fuel)?");
    let asks_rate = scan.take(r"(?:consumption|fuel consumption|mileage|fuel economy|average consumption|how (?:much|many litres|many liters) (?:does|did) (?:it|car|my car) (?:use|need)|(?:use|consume|need)(?: per)?)(?: in)?(?: l/100km| mpg)?|in (?:l/100km|mpg)|l/100km|mpg");
    let asks_far = scan.take(r"how (?:far|many (?:km|kilometers|kilometres|miles))(?: can| will| does| could)?(?: i| it| car| we)?(?: get| go| drive| travel)?|range");
    let asks_volume = scan.take(r"how (?:many (?:litres|liters|gallons|l)|much fuel|much gas|much petrol|much)(?: do i| does it| will i| does car| will it| is)?(?: need| use| consume| needed| burn)?");
    if !scan.done("car fuel petrol gas gasoline diesel uses consumes needs gets trip drive driving drove driven cost costs filled fill up tank after full per price far l/100km mpg distance range consumption journey litres liters per average used my tanked vehicle holds on how much will road burns") {
        return None;
    }
    let fuel_words = scan
        .has("car fuel petrol gas gasoline diesel tank filled consumption mileage mpg l/100km")
        || rate.is_some();
    if !fuel_words {
        return None;
    }
    let per_km = |item: &Item| {
        convert(&item.value, item.unit?, Unit::named("l/100km")?)
            .map(|litres| litres / number(100_000))
    };
    let gallons = reading.canon.contains("per gal");
    match (&rate, &price, &distance, &volume) {
        (Some(rate), Some(price), Some(distance), None)
            if asks_cost.is_some() && asks_far.is_none() =>
        {
            let litres = per_km(rate.item(1)?)? * distance.base(1)?;
            let units = if gallons {
                litres / Unit::named("gallon")?.size()
            } else {
                litres
            };
            show::money(
                reading,
                units * price.value(1)?,
                format!(
                    "{} at {}, {} per unit",
                    distance.item(1)?.written,
                    rate.item(1)?.written,
                    price.item(1)?.written
                ),
            )
        }
        (None, None, Some(distance), Some(volume)) if asks_rate.is_some() && asks_far.is_none() => {
            let (length, litres) = (distance.base(1)?, volume.base(1)?);
            if !length.is_positive() || !litres.is_positive() {
                return None;
            }
            let per_100 = &litres / &length * number(100_000);
            let how = format!(
                "{} over {}",
                volume.item(1)?.written,
                distance.item(1)?.written
            );
            let mpg = reading.canon.contains("mpg")
                || distance.item(1)?.unit?.symbol == "miles"
                    && volume.item(1)?.unit?.symbol == "US gallons"
                    && !reading.canon.contains("l/100km");
            if mpg {
                let value = convert(&per_100, Unit::named("l/100km")?, Unit::named("mpg")?)?;
                return show::quantity(reading, value, "mpg", how);
            }
            show::quantity(reading, per_100, "l/100 km", how)
        }
        (Some(rate), None, None, Some(volume)) if asks_far.is_some() => {
            let per = per_km(rate.item(1)?)?;
            let metres = volume.base(1)? / per;
            let unit =
                if reading.canon.contains("mpg") || rate.item(1)?.unit?.symbol.starts_with("mpg") {
                    "mile"
                } else {
                    "km"
                };
            let unit = Unit::named(unit)?;
            show::quantity(
                reading,
                metres / unit.size(),
                unit.symbol,
                format!("{} at {}", volume.item(1)?.written, rate.item(1)?.written),
            )
        }
        (Some(rate), None, Some(distance), None)
            if asks_volume.is_some()
                || asks_rate.is_some()
                || reading.canon.contains("how much fuel") =>
        {
            let litres = per_km(rate.item(1)?)? * distance.base(1)?;
            let unit = Unit::named(
                if reading.canon.contains("gallon") || rate.item(1)?.unit?.symbol.starts_with("mpg")
                {
                    "gallon"
                } else {
                    "liter"
                },
            )?;
            show::quantity(
                reading,
                litres / unit.size(),
                unit.symbol,
                format!("{} at {}", distance.item(1)?.written, rate.item(1)?.written),
            )
        }
        _ => None,
    }
}

const PEOPLE: &str = "people persons person servings guests portions friends serves";

/// "A recipe for 4 needs 350 g of flour and 3 eggs. How much flour for 10?"
fn recipe(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let first = scan.take(r"(?:recipe|dough|dish|soup|cake|sauce|batter|it|this|recipe is|[a-z]+ recipe|[a-z]+ dough|i need|needs?|serves|serving|salad|curry)(?: is| that| which)? (?:for|serves|makes|feeds|yields) (?:N|(one))(?: people| persons| servings| guests| portions| cookies| muffins| pancakes)?(?: i need)?").or_else(|| scan.take(r"(?:is|recipe is) for N(?: people| persons| servings| guests)?")).or_else(|| scan.take(r"^(?:[a-z]+ ){1,2}for N (?:people|persons|servings|guests)"))?;
    let servings = first.value(1)?;
    // Ingredients: "350 g of flour", "3 eggs", "450 ml milk".
    let mut ingredients: Vec<(Item, String)> = Vec::new();
    while let Some(found) = scan.take(r"(?:needs?|uses?|takes?|calls for|requires?|contains|has|with|and|,)+ (?:([WV][0-9]+)(?: of)? ([a-z]+)|N (eggs?|onions?|tomatoes|potatoes|apples|bananas|carrots|lemons|cloves|cans|slices|peppers|teaspoons|tablespoons|cups))(?: of [a-z]+)?") {
        let item = found.item(1).or_else(|| found.item(3))?;
        ingredients.push((item.clone(), found.word(2).or_else(|| found.word(4))?.to_owned()));
    }
    let asked = scan.take(r"how (?:much|many) ?(?:(?:of )?([a-z0-9]+) )?(?:do i |would i |will i |is |should i |are |does one |do we )?(?:need |needed |use |take |required )?(?:for |if i cook for |to serve |to make |to feed |if there are |if we are |when we are )(?:just |only )?(?:N|(one|myself|me))(?: people| persons| servings| guests| portions| of us)?|how (?:much|many) ?(?:(?:of )?([a-z0-9]+))?(?: do i need| is needed| do i use| do we need)?");
    let alone = scan.take(r"(?:i am alone|for myself|just for me|only me|i am on my own|i cook for myself|i am cooking just for myself|i am cooking for myself|cooking alone|just me)");
    let more = scan.take(r"(?:for|we are|there are|i have|cooking for|i want to cook for|to cook for|i am cooking for|but we are|i expect) N(?: people| persons| servings| guests| of us| portions)?");
    if !scan.done(&format!("{PEOPLE} recipe pancake pizza cake dough cook cooking i am make making just bread soup bake")) || ingredients.is_empty() {
        return None;
    }
    let asked = asked?;
    let target = asked
        .value(2)
        .or_else(|| more.as_ref().and_then(|found| found.value(1)))
        .or_else(|| (alone.is_some() || asked.word(3).is_some()).then(Ratio::one))?;
    let name = asked.word(1).or_else(|| asked.word(4)).unwrap_or("");
    let same = |name: &str, other: &str| name.trim_end_matches('s') == other.trim_end_matches('s');
    let unit_asked = Unit::named(name);
    let (item, what) = match ingredients.iter().find(|(_, what)| same(what, name)) {
        Some(found) => found,
        None if ingredients.len() == 1
            && (name.is_empty()
                || unit_asked.is_some()
                || ["do", "i", "need", "is", "would"].contains(&name)) =>
        {
            &ingredients[0]
        }
        None => return None,
    };
    if servings.is_zero() {
        return None;
    }
    let value = &item.value * &target / &servings;
    let how = format!(
        "{} × {} / {}",
        item.written,
        show::exact_text(&target),
        show::exact_text(&servings)
    );
    match (item.unit, unit_asked) {
        (Some(unit), Some(wanted)) if unit.dimension == wanted.dimension => {
            show::quantity(reading, convert(&value, unit, wanted)?, wanted.symbol, how)
        }
        (Some(_), Some(_)) => None,
        (Some(unit), None) => show::quantity(reading, value, unit.symbol, how),
        (None, _) => show::quantity(reading, value, what, how),
    }
}

/// "I need 250 g flour for 20 cookies. How much flour for 50 cookies?"
fn in_proportion(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?(?:i need|it takes|you need|we need|i use|we use|one needs|recipe uses|it needs|i used) G(?: of)? ([a-z]+) (?:for|to make|to bake) N ([a-z]+) [.,] how (?:much|many)(?: of)? ?([a-z]+)?(?: do i need| do we need| is needed| are needed| would i need| do you need| will i need)? (?:for|to make|to bake) N(?: ([a-z]+))?",
    )?;
    let (item, before, after) = (found.item(1)?, found.value(3)?, found.value(6)?);
    let stem = |group: usize| found.word(group).map(|word| word.trim_end_matches('s'));
    let same = |a: usize, b: usize| stem(b).is_none_or(|other| stem(a) == Some(other));
    if !before.is_positive() || !same(2, 5) || !same(4, 7) {
        return None;
    }
    let value = &item.value * &after / &before;
    let how = format!(
        "{} × {} / {}",
        item.written,
        show::exact_text(&after),
        show::exact_text(&before)
    );
    show::quantity(
        reading,
        value,
        item.unit.map_or(found.word(2)?, |unit| unit.symbol),
        how,
    )
}

/// "A shelf holds 18 jars. I have 250 jars. How many shelves do I need?"
fn boxes(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"how many ([a-z]+) (?:of|with|holding|for|that hold|seating|that seat) N(?: [a-z]+)?(?: each)?(?: do i need| do we need| are needed| needed| would i need)? (?:for|to hold|to carry|to pack|to store|to transport|to seat) N(?: [a-z]+)?(?: do i need| do we need| are needed)?",
    ) {
        let (size, all) = (found.value(2)?, found.value(3)?);
        return needed(reading, &all, &size, found.word(1)?);
    }
    // "How many 50-seat buses are needed for 220 students?", "eggs come in cartons of 10: how many cartons for 64 eggs?"
    if let Some(found) = whole(
        reading,
        r"how many N (?:seat|seater|person|people|place|bottle|egg|piece|liter|litre) ([a-z]+) (?:are needed|do i need|do we need|are required|must be booked) (?:for|to transport|to carry|to seat|to hold) N(?: [a-z]+)?",
    ) {
        return needed(reading, &found.value(3)?, &found.value(1)?, found.word(2)?);
    }
    if let Some(found) = whole(
        reading,
        r"([a-z]+) (?:come|are sold|are packed|are available|are delivered) in ([a-z]+) of N [.,] how many ([a-z]+) (?:do i need|do we need|are needed|must i buy|do i have to buy)(?: for| to get| to have)? N(?: [a-z]+)?",
    ) {
        let same = found.word(2)?.get(..3) == found.word(4)?.get(..3);
        return same
            .then(|| needed(reading, &found.value(5)?, &found.value(3)?, found.word(4)?))?;
    }
    if let Some(found) = whole(
        reading,
        r"(?:i have|we have|there are) N ([a-z]+)(?: and| [.,]| , and) (?:each|every|one|a)? ?([a-z]+) (?:holds|fits|seats|can hold|takes|has room for|carries) N(?: of them)? [.,] how many ([a-z]+) (?:do i need|do we need|are needed)(?: for all of them| for them)?",
    ) {
        let same = found.word(3)?.get(..3) == found.word(5)?.get(..3);
        return same
            .then(|| needed(reading, &found.value(1)?, &found.value(4)?, found.word(5)?))?;
    }
    let mut scan = Scan::new(reading);
    let holds = scan.take(r"(?:each |one |a |every )?([a-z]+) (?:holds?|fits?|seats?|can hold|can carry|carries|has room for|contains?|takes|can fit|can seat) (?:up to )?N ([a-z]+)").or_else(|| scan.take(r"()N ([a-z]+) (?:fit|go|fit in|go in)(?: in| into| on)* (?:each |one |a |every )?([a-z]+)"))?;
    let have = scan.take(r"(?:i have|we have|there are|for|i need to (?:store|pack|transport|seat)|to (?:store|pack|transport|seat|carry|hold))? ?N ([a-z]+)")?;
    let asked = scan.take(r"how many ([a-z]+) (?:do i|do we|are|will i|will we|would i|must i|does one)(?: need| needed| required)(?: to carry them| to store them all| to store them| for all| for them| for everyone| for all of them| to hold them| to hold all| at least)?")?;
    if !scan.done("need in all them") {
        return None;
    }
    let same = |a: &str, b: &str| a.len() >= 3 && b.len() >= 3 && a[..3] == b[..3];
    let container = if holds.word(1).is_some_and(|word| !word.is_empty()) {
        holds.word(1)?
    } else {
        holds.word(4)?
    };
    if !same(container, asked.word(1)?) || !same(holds.word(3)?, have.word(2)?) {
        return None;
    }
    needed(reading, &have.value(1)?, &holds.value(2)?, asked.word(1)?)
}

fn needed(reading: &Reading, all: &Ratio, size: &Ratio, name: &str) -> Option<Computed> {
    if !size.is_positive() || all.is_negative() {
        return None;
    }
    let value = (all / size).ceil();
    show::quantity(
        reading,
        value,
        name,
        format!(
            "{} / {}, rounded up",
            show::exact_text(all),
            show::exact_text(size)
        ),
    )
}

/// "If 5 machines make 5 widgets in 5 minutes, how long do 100 machines need for 100 widgets?"
fn machines(reading: &Reading) -> Option<Computed> {
    const WORK: &str = r"(?:if )?N (machines|workers|people|painters|men|printers|cats|chickens|hens|robots|builders|women|bakers|ovens|pumps|friends) (?:can )?(?:make|produce|build|print|paint|catch|lay|bake|need|take|fill|pack|assemble|dig|finish)(?:s)? (?:N )?([a-z]+)?(?: a [a-z]+| job| work)? ?(?:in )?T(?: to (?:paint|build|dig|finish|do|fill|complete) (?:a |it |house|wall|fence|job|room|pool|ditch|work|tank|whole house|house)*)? ?[.,]? ?(?:then )?(?:how (?:long|many (?:minutes|hours|days)))(?: do| does| will| would| is| are)?(?: it)?(?: take| need)? (?:for )?N (?:machines|workers|people|painters|men|printers|cats|chickens|hens|robots|builders|women|bakers|ovens|pumps|friends|of them)? ?(?:to )?(?:need|take|make|produce|print|build|catch|lay|bake|paint|dig|finish|fill|pack|do)? ?(?:it|job|work|same|house|wall|fence|same job|same house|same wall|same work|same room)? ?(?:for |to make |to produce |to print |to build |to catch |to lay |to bake )?(?:N(?: ([a-z]+))?)?";
    let found = whole(reading, WORK)?;
    let (workers, time) = (found.value(1)?, found.item(5)?);
    let (things, others, more) = (found.value(3), found.value(6)?, found.value(7));
    if !workers.is_positive() || !others.is_positive() {
        return None;
    }
    let ratio = match (things, more) {
        (Some(things), Some(more)) if things.is_positive() => more / things,
        (None, None) => Ratio::one(),
        _ => return None,
    };
    let value = &time.value * &workers / &others * ratio;
    let unit = time.unit?;
    show::duration(
        &(value * unit.size()),
        format!(
            "{} × {} / {}",
            time.written,
            show::exact_text(&workers),
            show::exact_text(&others)
        ),
    )
}

/// "How much water do I add to 500 ml of 80% alcohol to get 60%?"
fn dilution(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"how (?:much|many (?:ml|liters|litres|l|milliliters|g|grams)(?: of)?) (?:pure |distilled )?water(?: do i| must i| should i| to| must be| do you| needs to be| has to be| should be| would i)?(?: need to| have to)? (?:add|added)")?;
    let start = scan.take(r"(?:to )?([VWN][0-9]+)(?: liters| of)* P(?: [a-z]+)?(?: solution)?")?;
    let end = scan.take(r"(?:to |that i |so that it is |so it becomes |until it is )?(?:get |make |obtain |reach |dilute it to |bring it down to |have |a |becomes )*P(?: [a-z]+)?(?: solution)?")?;
    if !scan.done("solution alcohol vinegar acid salt add water get down dilute") {
        return None;
    }
    let (amount, strong, weak) = (start.item(1)?, start.share(2)?, end.share(1)?);
    if !weak.is_positive() || weak > strong {
        return None;
    }
    let value = &amount.value * (&strong / &weak - Ratio::one());
    show::quantity(
        reading,
        value,
        amount.unit.map_or("", |unit| unit.symbol),
        format!(
            "{} × ({} / {} - 1)",
            amount.written,
            show::exact_text(&strong),
            show::exact_text(&weak)
        ),
    )
}

/// Two solutions: how much of one for a wanted strength, or what strength comes out.
fn mixture(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("mix mixed mixing add added combine combined mixture")
        || !scan.has("solution alcohol acid concentration mixture saline juice vinegar brine")
    {
        return None;
    }
    let unknown = scan.take(r"how (?:much|many (liters|litres|ml|l|grams|g|gallons|cups|milliliters)) (?:of )?(?:a |an )?P(?: [a-z]+)?(?: solution)?(?: must be| should be| do i| must i| should i| do you| have to be| need to be| needs to be)?(?: mixed| added| mix| add| need to mix| need to add| combined)?(?: with| to)?");
    let first = scan.take(r"(?:mix |mixing |combine |of |with |to )*([VWN][0-9]+)(?: of)? P(?: [a-z]+)?(?: solution)?")?;
    if let Some(unknown) = unknown {
        let goal = scan.take(r"(?:to |that |which |i )*(?:get |make |obtain |reach |produce |have |give |gives |yield |is )*(?:mixture that is |mixture of )?P(?: [a-z]+)?(?: solution| mixture)?")?;
        if !scan.done("solution mixture alcohol acid final concentration strength a mixed") {
            return None;
        }
        let (p, amount, q, goal) = (
            unknown.share(2)?,
            first.item(1)?,
            first.share(2)?,
            goal.share(1)?,
        );
        let below = &goal - &p;
        if below.is_zero() {
            return None;
        }
        let value = &amount.value * (&q - &goal) / below;
        let unit = amount.unit;
        if !value.is_positive()
            || unknown
                .word(1)
                .is_some_and(|name| Unit::named(name) != unit)
        {
            return None;
        }
        return show::quantity(
            reading,
            value,
            unit.map_or("", |unit| unit.symbol),
            format!(
                "x × {} + {} × {} at {}",
                show::exact_text(&p),
                amount.written,
                show::exact_text(&q),
                show::exact_text(&goal)
            ),
        );
    }
    let second =
        scan.take(r"(?:and |with |to |, )*([VWN][0-9]+)(?: of)? P(?: [a-z]+)?(?: solution)?")?;
    scan.take(r"(?:concentration|strength|percent|how strong|alcohol content|strong|percent alcohol|resulting concentration|final concentration)")?;
    if !scan.done("mix mixed mixing combine solution mixture alcohol acid concentration strength percent resulting result final new it i with is a content") {
        return None;
    }
    let (a, b) = (first.item(1)?, second.item(1)?);
    if a.unit.map(|unit| unit.dimension) != b.unit.map(|unit| unit.dimension)
        || !(a.base() + b.base()).is_positive()
    {
        return None;
    }
    let share = (a.base() * first.share(2)? + b.base() * second.share(2)?) / (a.base() + b.base());
    show::quantity(
        reading,
        share * number(100),
        "%",
        format!("{} and {} mixed", a.written, b.written),
    )
}

/// "Which is the better deal, 750 g for 4.19 or 1.2 kg for 6.49?"
fn better_deal(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:which|what|\?)(?: one| pack| is| offer| option)*(?: the)? (?:better deal|cheaper|better buy|better value|best deal|better offer|better|best value|cheaper per (?:kg|unit|lit(?:er|re)|gram|100 g|piece))(?: deal| per [a-z]+)?")?;
    let offer = |scan: &mut Scan<'_>| -> Option<Match<'_>> {
        None.or_else(|| {
            let _ = scan;
            None
        })
    };
    let _ = offer(&mut scan);
    const OFFER: &str = r"(?:pack of |bottle of |bag of |can of |box of |[a-z]+ of )?([WVNL][0-9]+)(?: [a-z]+| of [a-z]+)? (?:for|at|costs?|costing) X";
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
    let asked = scan.take(r"(?:price|cost|how much is (?:it|that)|how much does (?:it|1|one) cost|how much|what does it cost)(?: is that| is it| does it cost)? (?:per|for 1|for one|a|for|of one|of) (kg|kilogram|lit(?:er|re)|100 g|g|pound|lb|gram|oz|ounce|egg|piece|item|can|bottle|one|m|meter|metre|W|V)")?;
    let offer = scan.take(r"(?:pack of |bottle of |bag of |if |box of )?([WVNL][0-9]+)(?: [a-z]+| of [a-z]+)? (?:costs?|for|at|is) X").or_else(|| scan.take(r"X (?:for|per) ([WVNL][0-9]+)(?: [a-z]+)?"))?;
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
