//! Simple probability: dice, coins, cards, marbles drawn without replacement, birthdays.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, choose, count, part, whole as number, whole_power},
    show,
    text::Reading,
};
use num_traits::{One, ToPrimitive, Zero};

/// The chance that a question asks for.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    let canon = &reading.canon;
    if !["chance", "probability", "odds", "likely", "likelihood"]
        .iter()
        .any(|word| canon.contains(word))
    {
        return None;
    }
    in_a_row(reading)
        .or_else(|| birthday(reading))
        .or_else(|| dice_sum(reading))
        .or_else(|| dice(reading))
        .or_else(|| coins(reading))
        .or_else(|| marbles(reading))
        .or_else(|| cards(reading))
        .or_else(|| lottery(reading))
}

/// "Chance of flipping 4 heads in a row", "of rolling two sixes in a row".
fn in_a_row(reading: &Reading) -> Option<Computed> {
    if let Some(found) = whole(
        reading,
        r"(?:chance|probability|odds|likelihood)
          (?: of| that i| to)? (?:rolling|getting|throwing|roll|get) N or N (?:with|on|using)
          (?: one| fair| single| standard)*(?: six sided)? (?:die|dice)(?: roll| throw)?",
    ) {
        let (a, b) = (count(&found.value(1)?, 6)?, count(&found.value(2)?, 6)?);
        return (a != b && a > 0 && b > 0)
            .then(|| show::probability(part(1, 3), format!("{a} or {b}")))?;
    }
    // Who rolls a number without a word for the die rolls one with six faces.
    if let Some(found) = whole(
        reading,
        r"{chance} (?:of|to) (not )?(?:rolling|roll|throwing) N",
    ) {
        let face = count(&found.value(2)?, 6).filter(|face| *face > 0)?;
        let (value, how) = match found.word(1) {
            Some(_) => (part(5, 6), format!("any face but {face}")),
            None => (part(1, 6), format!("one roll, {face}")),
        };
        return show::probability(value, how);
    }
    let found = whole(
        reading,
        r"(?:chance|probability|odds|likelihood)
          (?: of| that i| to)? (?:(?:flipping|getting|tossing|throwing|rolling|flip|get|roll) )?N (
            heads|tails|sixes|ones|twos|threes|fours|fives
          )(?: in| on)? (?:row|a row|consecutive rolls|consecutive flips|consecutive throws)
          (?: with fair (?:coin|die)| with a (?:coin|die)| with (?:coin|die))?",
    )?;
    let n = i32::try_from(count(&found.value(1)?, 100)?).ok()?;
    let each = if ["heads", "tails"].contains(&found.word(2)?) {
        part(1, 2)
    } else {
        part(1, 6)
    };
    show::probability(whole_power(&each, n)?, format!("{n} in a row"))
}

fn birthday(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:share|have|has|sharing)(?: same| common)? birthday(?: as someone else)?|
          same birthday|common birthday|birthday in common",
    )?;
    let people = scan.take(
        r"(?:group of |class of |room of |room with |among |with |of )*N (?:random )?
          (?:people|students|persons|kids|guests|children|employees|friends)",
    )?;
    let pair = scan.take(r"(?:at least )?N(?: of them| people| persons| of people| students)?");
    if pair
        .as_ref()
        .is_some_and(|found| found.value(1) != Some(number(2)))
        || !scan.done(
            "chance probability odds likely likelihood group room class at least two some pair \
             people share them same birthday",
        )
    {
        return None;
    }
    let n = count(&people.value(1)?, 1000)?;
    let none = (0..n.min(366)).fold(1.0f64, |product, i| product * (365.0 - i as f64) / 365.0);
    let value = crate::number::Value::Float(if n > 365 { 1.0 } else { 1.0 - none });
    show::probability(value, format!("{n} birthdays, at least two the same"))
}

/// What a roll has to be: how many of the six faces count.
fn faces(word: &str, reading: &Reading) -> Option<i64> {
    if let Some(item) = reading.item(word) {
        return count(&item.value, 6).filter(|face| *face >= 1).map(|_| 1);
    }
    let plural = word.trim_end_matches("es").trim_end_matches('s');
    match plural {
        "six" | "one" => Some(1),
        "even" | "even number" | "odd" | "odd number" | "prime" | "prime number" => Some(3),
        _ => None,
    }
}

fn dice(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let rolls = scan.take(
        r"(?:in|with|on|of|when|if|after|for|at|using|from)? ?(?:i |you |we )?
          (?:rolling |roll |throwing |throw |rolled |tossing )?
          (?:a |single |one |fair |standard |regular |normal |six sided |N sided )*
          (N|one|single|)? ?(?:fair |standard |regular |normal |six sided )*
          (?:
            dice rolls|die rolls|rolls of (?:fair )?(?:die|dice)|throws of (?:fair )?(?:die|dice)|
            dice throws|dice|die|rolls|throws
          )(?: rolls?| throws?| roll| once| twice| N times| are rolled| is rolled)*",
    )?;
    if rolls.reading.canon.contains("sided")
        || scan.has("cards coin coins card ball marble balls marbles sum total")
    {
        return None;
    }
    let canon = &reading.canon;
    let mut n = rolls
        .item(2)
        .or_else(|| rolls.item(3))
        .and_then(|item| count(&item.value, 100))
        .unwrap_or(1);
    if canon.contains("twice") {
        n = 2;
    } else if let Some(times) = scan.take(r"N times") {
        n = count(&times.value(1)?, 100)?;
    } else if let Some(found) = whole(reading, r".*(?:die|dice) N times.*") {
        n = count(&found.value(1)?, 100)?;
    }
    let wanted = scan.take(
        r"(?:
            getting |rolling |get |roll |throwing |of |that |there is |it is |a |both |all |show |
            showing |are |they are |come up |be |least |at least |exactly |no |not |any |rolling )*
          (at least|exactly|no|both|all|none|)? ?(?:(one|1|two|three|a|N) )?
          (
            N|even number|odd number|even|odd|prime number|sixes|ones|fours|fives|threes|twos|six|
            prime
          )(?:s|es)?",
    )?;
    let face = faces(
        wanted
            .word(4)
            .filter(|word| !word.is_empty())
            .or_else(|| wanted.word(3))
            .unwrap_or(""),
        reading,
    )
    .or_else(|| wanted.word(4).and_then(|word| faces(word, reading)))?;
    if !scan.done(
        "chance probability odds likely likelihood getting rolling roll get fair die dice least \
         at exactly a both all rolled throw throws in i you rolls six one sided show",
    ) {
        return None;
    }
    let hit = part(face, 6);
    let miss = Ratio::one() - &hit;
    let times = i32::try_from(n).ok()?;
    let at_least_one = canon.contains("at least one")
        || canon.contains("at least 1")
        || canon.contains("at least a ");
    let counted = wanted
        .item(3)
        .or_else(|| wanted.item(2))
        .map(|item| item.value.clone());
    let all = canon.contains("both")
        || canon.contains(" all ")
        || !at_least_one && n > 1 && counted == Some(number(n));
    let none = canon
        .split(' ')
        .any(|word| ["no", "none", "not", "never", "without"].contains(&word));
    let value = match (n, at_least_one, all, none) {
        (1, _, _, false) => hit,
        (1, false, false, true) => miss,
        (_, true, false, false) => Ratio::one() - whole_power(&miss, times)?,
        (_, false, true, false) => whole_power(&hit, times)?,
        (_, false, false, true) => whole_power(&miss, times)?,
        _ => return None,
    };
    show::probability(value, format!("{n} roll{}", if n == 1 { "" } else { "s" }))
}

/// "Chance of a sum of 7 with two dice".
fn dice_sum(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let dice = scan.take(r"N (?:fair |standard |six sided |regular )*(?:dice|die)(?: rolls)?")?;
    let sum = scan
        .take(
            r"(?:sum|total|sums|add up|adding up|sum is|sum up|adds up|add)
              (?: of| to| is| equals| being| of exactly| equal to| them)*
              (?: (at least|more than|greater than|over|less than|under|at most))? N
              (?: or (more|less|higher|lower))?",
        )
        .or_else(|| scan.take(r"(?:rolling|getting|of)() (?:a )?N() (?:with|using|when|on|by)"))?;
    if !scan.done(
        "chance probability odds likely likelihood getting rolling roll get fair dice sum total \
         that two rolled throw throwing tossing when you is a",
    ) || scan.has("sided") && !reading.canon.contains("six sided")
    {
        return None;
    }
    let n = count(&dice.value(1)?, 6).filter(|n| *n >= 2)?;
    let target = count(&sum.value(2)?, 36)?;
    let fits: Box<dyn Fn(usize) -> bool> =
        match (sum.word(1).unwrap_or(""), sum.word(3).unwrap_or("")) {
            ("at least", "") | ("", "more" | "higher") => Box::new(move |sum| sum >= target),
            ("more than" | "greater than" | "over", "") => Box::new(move |sum| sum > target),
            ("less than" | "under", "") => Box::new(move |sum| sum < target),
            ("at most", "") | ("", "less" | "lower") => Box::new(move |sum| sum <= target),
            ("", "") => Box::new(move |sum| sum == target),
            _ => return None,
        };
    let mut ways = vec![1u64];
    for _ in 0..n {
        let mut next = vec![0; ways.len() + 6];
        for (sum, count) in ways.iter().enumerate() {
            for face in 1..=6 {
                next[sum + face] += count;
            }
        }
        ways = next;
    }
    let good: u64 = ways
        .iter()
        .enumerate()
        .filter(|(sum, _)| fits(*sum))
        .map(|(_, count)| count)
        .sum();
    show::probability(
        Ratio::new(good.into(), 6u64.pow(u32::try_from(n).ok()?).into()),
        format!("sum of {n} dice"),
    )
}

fn coins(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let flips = scan
        .take(
            r"(?:flip|toss|flipping|tossing|throw|throwing)(?:ing)?
              (?: fair| a| one| of)* coin (?:N times|(twice)|(three times)|(once))",
        )
        .or_else(|| {
            scan.take(
                r"N (?:fair )?
                  (?:
                    coin flips|coin tosses|flips|tosses|coins|flips of (?:fair )?coin|
                    tosses of (?:fair )?coin|coin throws
                  )",
            )
        })
        .or_else(|| scan.take(r"coin (?:is )?(?:flipped|tossed|thrown) N times"))?;
    let n = match flips.value(1) {
        Some(value) => count(&value, 200)?,
        None if flips.word(2).is_some() => 2,
        None => return None,
    };
    let wanted = scan.take(
        r"(at least|exactly|at most|all|only|no|more than)? ?(?:(N|one|a) )?(heads?|tails?)
          (?: in a row| in row)?",
    )?;
    if !scan.done(
        "chance probability odds likely likelihood getting get flip flipping toss tossing coin \
         coins fair times when you row flips tosses of come up land",
    ) {
        return None;
    }
    let k = match (wanted.item(3), wanted.word(2), wanted.word(1)) {
        (Some(item), ..) => count(&item.value, 200)?,
        (None, Some("one" | "a"), _) => 1,
        (None, None, Some("all" | "only")) => n,
        (None, None, Some("no")) => 0,
        (None, None, None)
            if n == 1 || reading.canon.contains("in a row") || reading.canon.contains("in row") =>
        {
            n
        }
        _ => return None,
    };
    if k > n {
        return None;
    }
    let range = match wanted.word(1) {
        Some("at least") => k..=n,
        Some("more than") => k + 1..=n,
        Some("at most") => 0..=k,
        // "3 heads in 5 flips" without "exactly" is read as exactly in every textbook.
        _ => k..=k,
    };
    let good: Option<num_bigint::BigInt> = range.map(|heads| choose(n, heads)).sum();
    let all = num_bigint::BigInt::from(2).pow(u32::try_from(n).ok()?);
    show::probability(Ratio::new(good?, all), format!("{n} coin flips"))
}

const MARBLES_WANTED: &str = r"
    (
      both|all|all N|at least one|it|one|first|that is|is|getting|drawing|picking|of|
      that it|they|no|none|a|two|N|it is
    )? ?
    (?:
      of them |are |is |be |being |drawing |picking |marbles are |balls are |will be |a |
      that is )*
    (
      red|blue|green|yellow|white|black|orange|purple|pink|brown|same color|same colour|
      of same color|of same colour
    )(?: one| marble| ball| sock| candy| marbles| balls| socks| ones)?";

const MARBLES_DRAWN: &str = r"
    (?:take|draw|pick|pull|grab|taking|drawing|picking|choose|drawn|remove|pulled|select)
    (?:ing)?(?: out)? (?:N|(one|a|two))?
    (?: of them| marbles| balls| socks| candies| marble| ball| out| at random| randomly
      | beads| sock| candy
    )*";

const MARBLES_WORDS: &str = "chance probability odds likely likelihood bag box jar urn drawer contains random \
     randomly draw take pick pull picked drawn at without looking both are same color one out \
     i out them hat bowl is";

const MARBLES_KEPT: &str = r"
    without (?:
      replacement|replacing(?: them| it)?|looking|putting (?:it|them) back|seeing|peeking
    )";

const MARBLES_TAKEN: &str = r"
    N (?:of them |marbles |balls |socks |candies |beads |are |is |were )+
    (?:drawn|picked|taken|chosen|removed|pulled|selected)(?: out| at random| randomly)*";

/// "A bag has 5 red and 7 blue marbles. I take two without looking. Chance both are blue?"
fn marbles(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    const THINGS: &str = "marbles balls socks candies sweets beads stones pens chips apples \
                          cards tokens jelly beans marble ball sock candy";
    let mut groups: Vec<(String, usize)> = Vec::new();
    while let Some(found) = scan.take(
        r"N (red|blue|green|yellow|white|black|orange|purple|pink|brown)
          (?: (?:marbles|balls|socks|candies|sweets|beads|stones|pens|chips|apples|tokens|ones))?",
    ) {
        let name = found.word(2)?.to_owned();
        if groups.iter().any(|(known, _)| *known == name) {
            return None;
        }
        groups.push((name, count(&found.value(1)?, 1000)?));
    }
    if groups.len() < 2
        || scan.has("replacement replaced replace back")
            && !reading.canon.contains("without replacement")
            && !reading.canon.contains("without replacing")
            && !reading.canon.contains("without putting")
    {
        return None;
    }
    scan.take(MARBLES_KEPT);
    scan.take(r"without (?:replacement|replacing(?: them| it)?|looking)");
    let wanted = scan.take(MARBLES_WANTED)?;
    let (how_many, colour) = (
        wanted.word(1).unwrap_or("").to_owned(),
        (2..5)
            .rev()
            .find_map(|group| {
                wanted
                    .word(group)
                    .filter(|word| !word.starts_with(|c: char| c.is_ascii_uppercase()))
            })?
            .to_owned(),
    );
    let drawn = scan.take(MARBLES_DRAWN);
    let drawn = drawn.or_else(|| scan.take(MARBLES_TAKEN));
    let n = match drawn.as_ref().and_then(|found| found.value(1)) {
        Some(value) => count(&value, 20)?,
        None => wanted
            .item(2)
            .map_or(Some(1), |item| count(&item.value, 20))?,
    };
    let known = format!("{THINGS} {MARBLES_WORDS}");
    if !scan.done(&known) || n == 0 {
        return None;
    }
    let total: usize = groups.iter().map(|(_, count)| count).sum();
    let of = |name: &str| {
        groups
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, count)| *count)
    };
    let all_ways = choose(total, n).filter(|ways| !ways.is_zero())?;
    let good = if colour.contains("same") {
        groups
            .iter()
            .map(|(_, count)| choose(*count, n))
            .sum::<Option<num_bigint::BigInt>>()?
    } else {
        let here = of(&colour)?;
        match how_many.as_str() {
            "both" if n == 2 => choose(here, 2)?,
            "all" => choose(here, n)?,
            "at least one" => &all_ways - choose(total - here, n)?,
            "no" | "none" => choose(total - here, n)?,
            _ if n == 1 || how_many.starts_with('N') && drawn.is_none() => choose(here, n)?,
            "two" if n == 2 => choose(here, 2)?,
            _ => return None,
        }
    };
    show::probability(
        Ratio::new(good, all_ways),
        format!("{n} of {total}, without replacement"),
    )
}

/// A card from a standard deck.
fn cards(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:chance|probability|odds|likelihood) (?:of |that |i )*
          (?:drawing |getting |to draw |pulling |picking |draw )?(?:an? )?(?:(N|two|both) )?
          (
            ace|aces|king|kings|queen|queens|jack|jacks|heart|hearts|spade|spades|club|clubs|
            diamond|diamonds|red card|black card|face card|face cards
          )(?: from| out of| in)?(?: standard| full| regular| shuffled| normal)*(?: deck| pack)?
          (?: of)?(?: N| N card| 52)?(?: cards| playing cards| card deck| deck)?
          (?: without replacement)?",
    )?;
    let size = reading
        .items
        .iter()
        .filter(|item| item.kind == 'N')
        .filter_map(|item| item.value.to_usize());
    let numbers: Vec<usize> = size.collect();
    let n = match numbers.as_slice() {
        [] | [52] => 1,
        [2] | [2, 52] => 2,
        _ => return None,
    };
    let name = found.word(3)?;
    let good = match name.trim_end_matches('s') {
        "ace" | "king" | "queen" | "jack" => 4,
        "heart" | "spade" | "club" | "diamond" => 13,
        "red card" | "black card" => 26,
        _ => 12,
    };
    show::probability(
        Ratio::new(choose(good, n)?, choose(52, n)?),
        format!("{n} of 52 cards"),
    )
}

/// "Chance of winning a 6 out of 49 lottery".
fn lottery(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let found = scan.take(
        r"N (?:
            out of|of|from|numbers out of|numbers from|correct out of|right out of|numbers of|
            correct numbers out of
          ) N",
    )?;
    if !scan.has("lottery lotto jackpot")
        || !scan.done(
            "chance probability odds likely likelihood winning win lottery lotto jackpot numbers \
             correct all right draw picking guessing hitting",
        )
    {
        return None;
    }
    let (k, n) = (
        count(&found.value(1)?, 100)?,
        count(&found.value(2)?, 1000)?,
    );
    let ways = choose(n, k).filter(|ways| !ways.is_zero())?;
    let mut out = show::probability(Ratio::new(1.into(), ways.clone()), format!("{k} of {n}"))?;
    out.text = format!(
        "1 in {}",
        crate::number::format_number(&crate::number::Value::Exact(ways.into()))
    );
    Some(out)
}
