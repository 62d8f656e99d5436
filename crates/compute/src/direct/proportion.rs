//! Things in proportion: recipes, boxes that hold so many, work shared by machines or people.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::Ratio,
    show,
    text::{Item, Reading},
    unit::{Unit, convert},
};
use num_traits::{One, Signed, Zero};

/// What a question about a proportion comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    recipe(reading)
        .or_else(|| in_proportion(reading))
        .or_else(|| packed(reading))
        .or_else(|| boxes(reading))
        .or_else(|| per_unit(reading))
        .or_else(|| machines(reading))
}

const PEOPLE: &str = "people persons person servings guests portions friends serves";

const RECIPE_ASKED: &str = r"
    how (?:much|many) ?(?:(?:of )?([a-z0-9]+) )?
      (?:do i |would i |will i |is |should i |are |does one |do we )?
      (?:need |needed |use |take |required )?
      (?:
        for |if i cook for |to serve |to make |to feed |if there are |if we are |when we are )
      (?:just |only )?(?:N|(one|myself|me))
      (?: people| persons| servings| guests| portions| of us| muffins| cookies| pancakes
        | cupcakes| rolls| burgers| pizzas| waffles
      )?|
    how (?:much|many) ?(?:(?:of )?([a-z0-9]+))?
      (?: do i need| is needed| do i use| do we need)?";

const RECIPE_INGREDIENT: &str = r"
    (?:needs?|uses?|takes?|calls for|requires?|contains|has|with|and|,)+ (?:
      ([WV][0-9]+)(?: of)?
        (?: minced| ground| brown| white| fresh| chopped| grated| red| green| olive| whole
          | dried| canned| plain
        )? ([a-z]+)|
      N (
          eggs?|onions?|tomatoes|potatoes|apples|bananas|carrots|lemons|cloves|cans|slices|
          peppers|teaspoons|tablespoons|cups
        )
    )(?: of [a-z]+)?";

/// "A recipe for 4 needs 350 g of flour and 3 eggs. How much flour for 10?"
fn recipe(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let first = scan
        .take(
            r"(?:
                recipe|dough|dish|soup|cake|sauce|batter|it|this|recipe is|[a-z]+ recipe|
                [a-z]+ dough|i need|needs?|serves|serving|salad|curry
              )(?: is| that| which)? (?:for|serves|makes|feeds|yields) (?:N|(one))
              (?: people| persons| servings| guests| portions| cookies| muffins| pancakes)?
              (?: i need)?",
        )
        .or_else(|| scan.take(r"(?:is|recipe is) for N(?: people| persons| servings| guests)?"))
        .or_else(|| scan.take(r"^(?:[a-z]+ ){1,2}for N (?:people|persons|servings|guests)"))
        .or_else(|| scan.take(r"^for N (?:people|persons|servings|guests)"))
        .or_else(|| scan.take(r"^N (?:servings|portions|people)"))?;
    let servings = first.value(1)?;
    // Ingredients: "350 g of flour", "3 eggs", "450 ml milk".
    let mut ingredients: Vec<(Item, String)> = Vec::new();
    while let Some(found) = scan.take(RECIPE_INGREDIENT) {
        let item = found.item(1).or_else(|| found.item(3))?;
        ingredients.push((
            item.clone(),
            found.word(2).or_else(|| found.word(4))?.to_owned(),
        ));
    }
    let asked = scan.take(RECIPE_ASKED);
    let alone = scan.take(
        r"i am alone|for myself|just for me|only me|i am on my own|i cook for myself|
          i am cooking just for myself|i am cooking for myself|cooking alone|just me",
    );
    let more = scan.take(
        r"(?:
            for|we are|there are|i have|cooking for|i want to cook for|to cook for|
            i want to serve|i need to serve|want to feed|need to feed|i want to feed|
            i am cooking for|but we are|i expect
          ) N(?: people| persons| servings| guests| of us| portions)?",
    );
    let known = format!(
        "{PEOPLE} recipe pancake pizza cake dough cook cooking i am make making just bread soup bake"
    );
    if !scan.done(&known) || ingredients.is_empty() {
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
    let (value, how) = scaled(item, &target, &servings);
    match (item.unit, unit_asked) {
        (Some(unit), Some(wanted)) if unit.dimension == wanted.dimension => {
            show::quantity(reading, convert(&value, unit, wanted)?, wanted.symbol, how)
        }
        (Some(_), Some(_)) => None,
        (Some(unit), None) => show::quantity(reading, value, unit.symbol, how),
        (None, _) => show::quantity(reading, value, what, how),
    }
}

/// What was enough for `before` as it takes for `after`, and how that is said. The caller sees that `before` is not 0.
pub(super) fn scaled(item: &Item, after: &Ratio, before: &Ratio) -> (Ratio, String) {
    let how = format!(
        "{} × {} / {}",
        item.written,
        show::exact_text(after),
        show::exact_text(before)
    );
    (&item.value * after / before, how)
}

/// "I need 250 g flour for 20 cookies. How much flour for 50 cookies?"
fn in_proportion(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:if )?
          (?:i need|it takes|you need|we need|i use|we use|one needs|recipe uses|it needs|i used) G
          (?: of)? ([a-z]+) (?:for|to make|to bake) N ([a-z]+) [.,] how (?:much|many)(?: of)? ?
          ([a-z]+)?
          (?: do i need| do we need| is needed| are needed| would i need| do you need| will i need
          )? (?:for|to make|to bake) N(?: ([a-z]+))?",
    )?;
    let (item, before, after) = (found.item(1)?, found.value(3)?, found.value(6)?);
    let stem = |group: usize| found.word(group).map(|word| word.trim_end_matches('s'));
    let same = |a: usize, b: usize| stem(b).is_none_or(|other| stem(a) == Some(other));
    if !before.is_positive() || !same(2, 5) || !same(4, 7) {
        return None;
    }
    let (value, how) = scaled(item, &after, &before);
    show::quantity(
        reading,
        value,
        item.unit.map_or(found.word(2)?, |unit| unit.symbol),
        how,
    )
}

const BOXES_ASKED: &str = r"
    how many ([a-z]+) (?:do i|do we|are|will i|will we|would i|must i|does one)
    (?: need| needed| required)
    (?: to carry them| to store them all| to store them| for all| for them| for everyone
      | for all of them| to hold them| to hold all| at least
    )?";

/// "A shelf holds 18 jars. I have 250 jars. How many shelves do I need?"
fn boxes(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"how many ([a-z]+) (?:of|with|holding|for|that hold|seating|that seat) N(?: [a-z]+)?
          (?: each)?
          (?: do i need| do we need| are needed| needed| would i need)? (?:
            for|to hold|to carry|to pack|to store|to transport|to seat
          ) N(?: [a-z]+)?(?: do i need| do we need| are needed)?",
    ) {
        let (size, all) = (found.value(2)?, found.value(3)?);
        return needed(reading, &all, &size, found.word(1)?);
    }
    // "How many 50-seat buses are needed for 220 students?", "eggs come in cartons of 10: how many cartons for 64
    // eggs?"
    if let Some(found) = whole(
        reading,
        r"how many N (?:seat|seater|person|people|place|bottle|egg|piece|liter|litre) ([a-z]+) (?:
            are needed|do i need|do we need|are required|must be booked
          ) (?:for|to transport|to carry|to seat|to hold) N(?: [a-z]+)?",
    ) {
        return needed(reading, &found.value(3)?, &found.value(1)?, found.word(2)?);
    }
    if let Some(found) = whole(
        reading,
        r"([a-z]+) (?:come|are sold|are packed|are available|are delivered) in ([a-z]+) of N [.,] how many ([a-z]+) (?:
            do i need|do we need|are needed|must i buy|do i have to buy
          )(?: for| to get| to have)? N(?: [a-z]+)?",
    ) {
        let same = found.word(2)?.get(..3) == found.word(4)?.get(..3);
        return same
            .then(|| needed(reading, &found.value(5)?, &found.value(3)?, found.word(4)?))?;
    }
    if let Some(found) = whole(
        reading,
        r"(?:i have|we have|there are) N ([a-z]+)(?: and| [.,]| , and) (?:each|every|one|a)? ?
          ([a-z]+) (?:holds|fits|seats|can hold|takes|has room for|carries) N
          (?: of them)? [.,] how many ([a-z]+) (?:do i need|do we need|are needed)
          (?: for all of them| for them)?",
    ) {
        let same = found.word(3)?.get(..3) == found.word(5)?.get(..3);
        return same
            .then(|| needed(reading, &found.value(1)?, &found.value(4)?, found.word(5)?))?;
    }
    let mut scan = Scan::new(reading);
    let holds = scan
        .take(
            r"(?:each |one |a |every )?
              ([a-z]+) (?:
                holds?|fits?|seats?|can hold|can carry|carries|has room for|contains?|takes|
                can fit|can seat
              ) (?:up to )?N ([a-z]+)",
        )
        .or_else(|| {
            scan.take(
                r"()N ([a-z]+) (?:fit|go|fit in|go in)(?: in| into| on)* (?:each |one |a |every )?
                  ([a-z]+)",
            )
        })?;
    let have = scan.take(
        r"(?:
            i have|we have|there are|for|
            i need to (?:store|pack|transport|seat)|
            to (?:store|pack|transport|seat|carry|hold)
          )? ?N ([a-z]+)",
    )?;
    let asked = scan.take(BOXES_ASKED)?;
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

/// "23 eggs, boxes of 6: how many boxes do I need?", "75 students, 12 per van. How many vans?"
fn packed(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:i have |we have |there are |for )?N [a-z]+ [.,] (?:and )?
            ([a-z]+) (?:of|hold|with|for) N(?: each)? [.,] how many ([a-z]+)(?: {needed})?|
          (?:i have |we have |there are |for )?N [a-z]+ [.,] (?:and )?
            N (?:per|in each|in|in one|to|fit in|fit in one) ([a-z]+) [.,] how many ([a-z]+)
            (?: {needed})?",
    )?;
    let (all, size, kind, asked) = match found.value(1) {
        Some(all) => (all, found.value(3)?, found.word(2)?, found.word(4)?),
        None => {
            let (all, size) = (found.value(5)?, found.value(6)?);
            (all, size, found.word(7)?, found.word(8)?)
        }
    };
    let same = kind.get(..3) == asked.get(..3);
    same.then(|| needed(reading, &all, &size, asked))?
}

/// "A turkey needs 20 minutes per pound. How long for a 14 pound turkey?"
fn per_unit(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"~(?:needs|takes|cooks for|bakes for|roasts for|requires) T per {unit} ?[.,]? ?
          how long (?:for|does|will|to cook|to roast|to bake) Q(?: [a-z]+)?(?: take| need)?",
    )?;
    let (time, unit, all) = (found.item(1)?, Unit::named(found.word(2)?)?, found.item(3)?);
    if unit.dimension != all.unit?.dimension || unit.size().is_zero() {
        return None;
    }
    let how = format!("{} × {}", time.written, all.written);
    show::duration(&(time.base() * all.base() / unit.size()), how)
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
    const WORK: &str = r"
        (?:if )?
        N (
          machines|workers|people|painters|men|printers|cats|chickens|hens|
          robots|builders|women|bakers|ovens|pumps|friends
        ) (?:can )?
        (?:
          make|produce|build|print|paint|catch|lay|bake|need|take|fill|pack|
          assemble|dig|finish
        )(?:s)? (?:N )?([a-z]+)?(?: a [a-z]+| job| work)? ?(?:in )?T
        (?: to (?:paint|build|dig|finish|do|fill|complete) (?:
            a |it |house|wall|fence|job|room|pool|ditch|work|tank|whole house|
            house
          )*
        )? ?[.,]? ?(?:then )?(?:how (?:long|many (?:minutes|hours|days)))
        (?: do| does| will| would| is| are)?(?: it)?(?: take| need)? (?:for )?
        N (?:
          machines|workers|people|painters|men|printers|cats|chickens|hens|
          robots|builders|women|bakers|ovens|pumps|friends|of them
        )? ?(?:to )?
        (?:
          need|take|make|produce|print|build|catch|lay|bake|paint|dig|finish|
          fill|pack|do
        )? ?
        (?:
          it|job|work|same|house|wall|fence|same job|same house|same wall|
          same work|same room
        )? ?
        (?:
          for |to make |to produce |to print |to build |to catch |to lay |
          to bake )?
        (?:N(?: ([a-z]+))?)?";
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
