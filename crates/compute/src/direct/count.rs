//! Counting: arrangements, choices, words from letters, handshakes, codes, ways to pay with coins.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, choose, count, factorial, whole as number, whole_power},
    show,
    text::Reading,
};
use crate::pattern::regex;
use num_bigint::BigInt;
use num_traits::One;
use regex::Regex;
use std::sync::LazyLock;

/// How many ways there are.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    letters(reading)
        .or_else(|| rows(reading))
        .or_else(|| chosen(reading))
        .or_else(|| binomial(reading))
        .or_else(|| coins(reading))
        .or_else(|| handshakes(reading))
        .or_else(|| codes(reading))
        .or_else(|| outfits(reading))
}

/// "How many different words can you make by rearranging the letters of BANANA?"
fn letters(reading: &Reading) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?i)^(?:in )?how many (?:different |distinct |unique |possible )*
               (?:words|ways|arrangements|anagrams|permutations|strings|orders|orderings)
               (?: of letters)? (?:can|are|is|could|do|does|to|be)?\s?(?:there )?
               (?:you |i |we |one |be )?
               (?:
                 make |form |formed |made |arrange |arranged |get |create |rearrange |have |
                 rearranged |created )?
               (?:can |are )?(?:by |from |with |using |of |for |in )?
               (?:re-?arrang(?:e|ing) |using |arranging |permuting |shuffling )?(?:all )?(?:of )?
               (?:the )?(?:letters )?(?:of |in |from )?(?:the )?(?:word |name )?["'“]?
               ([\p{L}]{2,20})["'”]?
               (?: be arranged| be rearranged| have| are there| are possible| exist)?[?. ]*$"#,
        )
    });
    let found = PATTERN.captures(reading.original.trim())?;
    let lower = reading.original.to_lowercase();
    if !["letter", "anagram", "arrang"]
        .iter()
        .any(|word| lower.contains(word))
    {
        return None;
    }
    let word = found[1].to_lowercase();
    if [
        "letters", "word", "words", "there", "english", "row", "circle", "the",
    ]
    .contains(&word.as_str())
    {
        return None;
    }
    let mut sizes = std::collections::BTreeMap::new();
    for letter in word.chars() {
        *sizes.entry(letter).or_insert(0usize) += 1;
    }
    let mut ways = factorial(word.chars().count())?;
    for size in sizes.values() {
        ways /= factorial(*size)?;
    }
    show::number(
        reading,
        ways,
        format!("arrangements of {}", word.to_uppercase()),
    )
}

/// "In how many ways can 6 friends sit in a row?"
fn rows(reading: &Reading) -> Option<Computed> {
    const ROWS: &[&str] = &[
        r"(?:in )?how many (?:different |distinct |possible )?
          (?:ways|orders|arrangements|orderings|sequences|permutations) (?:
            can|could|are there for|for|are there to|to|do|of
          ) ?(?:you |i |we |one )?(?:arrange |line up |order |seat |sit |put |place |rank )?
          N (?:different |distinct |distinguishable )?(?:[a-z]+)(?: be)?
          (?: (?:
              sit|stand|line up|arranged|arrange|seated|ordered|placed|be seated|lined up|queue|
              queue up|put|to sit|to stand|finish|finish race|ranked|order themselves|sit down|be|
              be lined up|park
            )
          )?(?: themselves)?(?: on| in| at)?
          ( row| line| shelf| queue| bench| circle| round table| round| table| around round table
            | around a table| around table| around circular table| circular table| race| bookshelf
            | single file
          )?(?: next to each other| side by side)?",
        r"(?:number of )?permutations of N (?:different |distinct )?(?:[a-z]+)()",
    ];
    let found = ROWS.iter().find_map(|pattern| whole(reading, pattern))?;
    let n = count(&found.value(1)?, 400)?;
    let place = found.word(2).unwrap_or("").trim();
    if n < 2 || place == "table" || place == "around table" {
        return None;
    }
    let circle = place.contains("circ") || place.contains("round");
    let verb = [
        "sit",
        "stand",
        "line",
        "arrang",
        "seat",
        "order",
        "plac",
        "queue",
        "put",
        "finish",
        "rank",
        "permutation",
        "park",
    ]
    .iter()
    .any(|verb| reading.canon.contains(verb));
    if !verb {
        return None;
    }
    show::number(
        reading,
        factorial(if circle { n - 1 } else { n })?,
        format!("{}!", if circle { n - 1 } else { n }),
    )
}

const SMALL_FIRST: &[&str] = &[
    r"(?:in )?how many (?:different |distinct |possible )?
      (?:ways|combinations|options|possibilities|groups|teams|committees|selections) (?:
        are|can|is|do|exist|could
      )? ?(?:there )?(?:to |for |i |you |we |one |of |if )*
      (?:choose|pick|select|choosing|picking|selecting|form|draw|take|chosen|combine|make)? ?
      (?:a )?(?:team of |committee of |group of |subset of |hand of )?N
      (?: [a-z]+){0,3} (?:
        out of|from|from among|among|of|from group of|from list of|from class of|from set of
      ) (?:group of |class of |list of |set of |menu of |pool of )?N(?: [a-z]+){0,2}
      (?: if order (does not|doesn't|is not|does) matter)?",
    r"(?:number of )?(?:combinations|ways) (?:of|to choose|to pick|to select|choosing)? ?N
      (?: [a-z]+)? (?:out of|from|of) N(?: [a-z]+)?()",
    r"how many (?:different )?N person (?:teams|committees|groups) can (?:be )?(?:you )?
      (?:formed|form|made|make|chosen|selected) (?:from|out of|with|of) N(?: [a-z]+)?()",
    r"how many (?:different )?(?:teams|committees|groups|combinations|pairs|hands) of N
      (?: [a-z]+)? can (?:be )?(?:you |i |we )?
      (?:formed|form|made|make|chosen|selected|choose|pick|dealt) (?:from|out of|with|of) (?:
        group of |class of |deck of )?
      N(?: [a-z]+)?()",
    r"N choose N()",
];

/// "C(7, 3)": between its numbers the comma is no part of one.
fn binomial(reading: &Reading) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^(?:what is |what's |calculate |compute |evaluate )?n?Cr? ?
              \( ?(\d{1,4}) ?, ?(\d{1,4}) ?\)[ ?.=]*$",
        )
    });
    let found = PATTERN.captures(reading.original.trim())?;
    let (n, k) = (found[1].parse().ok()?, found[2].parse().ok()?);
    (k <= n && n <= 1000)
        .then(|| show::number(reading, choose(n, k)?, format!("{k} out of {n}")))?
}

const LARGE_FIRST: &str = r"
    (?:
      there are |i have |from |a pizzeria has |out of |of |we have |restaurant offers |with )
    N(?: different)?(?: [a-z]+){0,2}(?: [.,] | and | to choose from [.,] |)(?:in )?(?:\? )?
    (?:
      how many (?:different )?
      (?:ways|combinations|pizzas with|teams of|groups of|committees of|pairs of) ?
      (?:can|are there to|with)? ?(?:i|you|we|be)? ?(?:to )?(?:choose|pick|select|form)? ?
      (?:of )?
    )N(?: of them| [a-z]+)?
    (?: can (?:i|you|we|be) (?:choose|pick|form|select|formed|chosen))?";

const TEAM_FIRST: &str = r"
    (?:team|group|committee|jury|panel|pair|crew|delegation) of N (?:
      is|are|must be|will be|should be|has to be|shall be
    ) (?:chosen|selected|picked|formed|drawn) (?:from|out of|among) (?:group of |class of )?
    N(?: [a-z]+)? [.,] (?:in )?how many (?:different )?
    (?:
      teams|groups|ways|committees|possibilities|combinations|juries|pairs|crews|panels|
      delegations
    )(?: are possible| are there| can be formed| is this possible| can this be done)?";

const MEDALS: &str = r"
    (?:in )?how many (?:different )?
    ways (?:can|could) N (?:[a-z]+) (?:take|win|share|get|be awarded) gold , silver (?:, )?
    and bronze(?: medals?)?";

/// "How many ways are there to choose 3 pizza toppings out of 11?"
fn chosen(reading: &Reading) -> Option<Computed> {
    if let Some((i, found)) = SMALL_FIRST
        .iter()
        .enumerate()
        .find_map(|(i, pattern)| Some((i, whole(reading, pattern)?)))
    {
        let (mut k, mut n) = (
            count(&found.value(1)?, 1000)?,
            count(&found.value(2)?, 1000)?,
        );
        if i == 4 {
            std::mem::swap(&mut k, &mut n);
        }
        let ordered = [
            "order",
            "rank",
            "president",
            "gold",
            "medal",
            "first",
            "captain",
            "password",
            "code",
            "repeat",
            "repetition",
            "row",
            "award",
            "prize",
        ]
        .iter()
        .any(|word| {
            reading
                .canon
                .split(' ')
                .any(|other| other.starts_with(word))
        });
        let order_free =
            reading.canon.contains("not matter") || reading.canon.contains("doesn't matter");
        if k > n || ordered && !order_free {
            return None;
        }
        return show::number(reading, choose(n, k)?, format!("{k} out of {n}"));
    }
    if let Some(found) = whole(reading, TEAM_FIRST) {
        let (k, n) = (
            count(&found.value(1)?, 1000)?,
            count(&found.value(2)?, 1000)?,
        );
        return (k <= n)
            .then(|| show::number(reading, choose(n, k)?, format!("{k} out of {n}")))?;
    }
    if let Some(found) = whole(reading, MEDALS) {
        let n = count(&found.value(1)?, 1000).filter(|n| *n >= 3)?;
        return show::number(
            reading,
            n * (n - 1) * (n - 2),
            format!("{n} × {} × {}", n - 1, n - 2),
        );
    }
    // The large number first: "from 11 toppings I choose 3: how many combinations?"
    let found = whole(reading, LARGE_FIRST)?;
    let (n, k) = (
        count(&found.value(1)?, 1000)?,
        count(&found.value(2)?, 1000)?,
    );
    (k <= n).then(|| show::number(reading, choose(n, k)?, format!("{k} out of {n}")))?
}

/// "How many ways can I make 50 cents out of 5, 10 and 25 cent coins?"
fn coins(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:in )?how many (?:different )?(?:ways|combinations)(?: are there)?")?;
    let list =
        scan.take(r"(?:out of|with|using|from|of|only) @(?: coins| cent coins| pence coins)?")?;
    let total = scan.take(r"(?:make|pay|change|give change for|get|for|making|paying) X")?;
    if !scan.done("coins coin change cents can be made pay using only") {
        return None;
    }
    let items = list.list(1)?;
    // Cents and plain numbers mix: "5, 10 and 25 cent coins".
    let cents = |item: &super::text::Item| match item.currency {
        None | Some("cents") => count(&item.value, 100_000),
        Some(_) => count(&(&item.value * number(100)), 100_000),
    };
    let total = cents(total.item(1)?).filter(|total| *total <= 10_000)?;
    let sizes: Option<Vec<usize>> = items.iter().map(|item| cents(item)).collect();
    let sizes = sizes.filter(|sizes| sizes.iter().all(|size| *size > 0))?;
    let mut ways = vec![BigInt::from(0); total + 1];
    ways[0] = BigInt::one();
    for size in &sizes {
        for sum in *size..=total {
            let more = ways[sum - size].clone();
            ways[sum] += more;
        }
    }
    show::number(
        reading,
        ways[total].clone(),
        format!(
            "{total} out of coins of {}",
            sizes
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    )
}

fn handshakes(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"how many (?:different )?(?:handshakes|games|matches|clinks|hugs)
            (?: are there| in total| take place| happen| are played| were there| occur)?|
          shakes? hands",
    )?;
    scan.take(
        r"how many (?:handshakes|games|matches|clinks)
          (?: are there| in total| take place| happen| are played| were there| occur)?",
    );
    let people = scan.take(
        r"N (?:people|persons|guests|teams|players|friends|colleagues|students|participants)",
    )?;
    let once = scan.take(
        r"(?:everyone|everybody|each|every)(?: person| one| team| player| guest| of them)? ?
          (?:shakes hands|plays|clinks glasses|shake hands|;|clinks|hugs)? ?(?:with )?
          (?:
            everyone else|everybody else|each other|every other|all others|everyone|
            every other person|every other team|others|each of others
          )?(?: team| person| player| guest)?(?: exactly)?(?: once)?",
    );
    if once.is_none() && !reading.canon.contains("each other")
        || scan.has("twice")
        || !scan.done(
            "party meeting room shake shakes hands hand each other once people exactly league \
             tournament play plays play glasses everyone else clink everybody person team",
        )
    {
        return None;
    }
    let n = count(&people.value(1)?, 100_000)?;
    show::number(
        reading,
        BigInt::from(n) * BigInt::from(n.checked_sub(1)?) / 2,
        format!("pairs of {n}"),
    )
}

/// "How many 4-digit PINs are there?"
fn codes(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"how many (?:different |possible |distinct )*(?:N digit|N letter)
          (?: numeric| number)? (
            pins|pin codes|codes|pin|combinations|passcodes|passwords|pin numbers|
            lock combinations|words
          )(?: are| can)?(?: there| possible| exist)?(?: i| you| be)?
          (?: make| made| form| create)?(?: (?:from|with|using) digits N to N)?
          (?: if digits (can|cannot|can not|can't|may|must not) (?:be )?(?:repeat|repeated))?",
    )?;
    let n = found.value(1).or_else(|| found.value(2))?;
    let n = count(&n, 100)?;
    let letters = reading.canon.contains(" letter");
    let size = if letters { 26 } else { 10 };
    // "From the digits 0 to 9" has to be all of them.
    let numbers: Vec<&Ratio> = reading
        .items
        .iter()
        .skip(1)
        .map(|item| &item.value)
        .collect();
    if !(numbers.is_empty() || numbers == [&number(0), &number(9)] && !letters) {
        return None;
    }
    let distinct = matches!(found.word(6), Some(word) if word != "can" && word != "may");
    if letters && found.word(3)? == "words" {
        return None;
    }
    let ways: Ratio = if distinct {
        (0..n)
            .map(|i| number(size - i64::try_from(i).unwrap_or(size)))
            .product()
    } else {
        whole_power(&number(size), i32::try_from(n).ok()?)?
    };
    show::number(reading, ways, format!("{n} places"))
}

/// "4 shirts, 3 pants and 2 pairs of shoes: how many outfits?"
fn outfits(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"how many (?:different |possible )*(?:outfits|meals|menus|combinations|dinners|lunches)
          (?: can i| can you| are there| are possible| does that| is that)?
          (?: make| choose| have| give| wear| create| put together| order)?",
    )?;
    const THING: &str = r"
        N (?:different )?(?:pairs of |kinds of |types of )?
        (?:
          shirts|t shirts|pants|trousers|shoes|hats|ties|skirts|jackets|
          starters|appetizers|mains|main courses|desserts|drinks|jeans|blouses|
          tops|soups|sides|socks|belts|scarves|dresses|main dishes|entrees|
          sandwiches|shorts|coats|sweaters
        )";
    let mut ways = Ratio::one();
    let mut kinds = 0;
    while let Some(found) = scan.take(THING) {
        ways *= found.value(1)?;
        kinds += 1;
    }
    if kinds < 2
        || !scan.done(
            "outfits outfit combinations meals meal possible menu three course restaurant offers \
             each with of different consisting wear choose from shirt pants pair shoes starter \
             main dessert courses course",
        )
    {
        return None;
    }
    show::number(reading, ways, format!("product of {kinds} choices"))
}
