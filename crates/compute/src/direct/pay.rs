//! Money in daily life: splitting, balances, prices of several things, change. See `wage` and `trade` for the rest.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, count, whole as number},
    show,
    text::{Item, Reading},
    trade,
    unit::{Dimension, Unit},
    wage,
};
use crate::pattern::regex;
use num_traits::Signed;
use regex::Regex;
use std::sync::LazyLock;

/// What a question about money comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    split(reading)
        .or_else(|| bought(reading))
        .or_else(|| by_measure(reading))
        .or_else(|| one_of(reading))
        .or_else(|| several(reading))
        .or_else(|| afford(reading))
        .or_else(|| wage::overtime(reading))
        .or_else(|| wage::hourly(reading))
        .or_else(|| wage::wage(reading))
        .or_else(|| split_story(reading))
        .or_else(|| bat_and_ball(reading))
        .or_else(|| wage::deductions(reading))
        .or_else(|| balance(reading))
        .or_else(|| trade::trade(reading))
        .or_else(|| trade::profit(reading))
        .or_else(|| trade::deal(reading))
        .or_else(|| shares(reading))
        .or_else(|| trade::even(reading))
        .or_else(|| change(reading))
}

/// "3 coffees at 3.80 plus 2 cakes at 4.25, total": what several things cost together.
fn bought(reading: &Reading) -> Option<Computed> {
    const BASKET: &str = r"
        (?:total for |cost of |price of )?
(?:N [a-z]+ (?:at|for) X each|N [a-z]+ at X)(?: (?:\+|plus|and|,))+ (?:
          N [a-z]+ (?:at|for) X each|N [a-z]+ at X
        )(?: ?[,:.]? (?:\? )?(?:total|in total|altogether|how much|total cost|all together))?";
    let found = whole(reading, BASKET)?;
    let marks = found
        .word(0)?
        .split(' ')
        .filter_map(|word| reading.item(word));
    let marks: Vec<&Item> = marks.collect();
    let [a, b, c, d] = marks.as_slice() else {
        return None;
    };
    let value = &a.value * &b.value + &c.value * &d.value;
    let how = format!(
        "{} × {} + {} × {}",
        a.written, b.written, c.written, d.written
    );
    show::money(reading, value, how)
}

/// "1.6 kg of cheese at 14.50 per kg": what it costs.
fn by_measure(reading: &Reading) -> Option<Computed> {
    const PRICED: &str = r"
        (?:(?:price|cost|total|total price|total cost)(?: of| for)? )?
        Q(?: of)?(?: [a-z]+){0,2} (?:at|for) X per {unit}
        (?: (?:is )?(?:cost|costs|price|total|total cost|total price|how much))?";
    let found = whole(reading, PRICED)?;
    let (amount, unit) = (found.item(1)?, Unit::named(found.word(3)?)?);
    // Hours of work have a frame of their own, with overtime and breaks.
    if !matches!(
        unit.dimension,
        Dimension::Mass | Dimension::Volume | Dimension::Length | Dimension::Area
    ) || amount.unit?.dimension != unit.dimension
    {
        return None;
    }
    let value = amount.base() / unit.size() * found.value(2)?;
    let how = format!("{} × {}", amount.written, found.item(2)?.written);
    show::money(reading, value, how)
}

/// "6 eggs for $2.70, so one egg is", "6 cans for $4.50, how much each": what one of the things costs. Measures have
/// `rate::unit_price`.
fn one_of(reading: &Reading) -> Option<Computed> {
    const ONE: &str = r"
        N ([a-z]+) (?:for|cost|costs|are|cost me) M ?[,.:;-]* ?(?:so |then |\? |how much |what )*
        (?:is |does |do )?(?:
          price (?:of |for |per )(?:1|one|each|N)|cost (?:of |for |per )(?:1|one|each|N)|
          per|one|each|N|price per|cost per
        )(?: ([a-z]+))?(?: (?:is|cost|costs|each))?";
    let found = whole(reading, ONE)?;
    let count = found.value(1)?;
    let ones = [4, 5, 6].iter().filter_map(|group| found.item(*group));
    let thing = |word: &str| word.trim_end_matches("es").trim_end_matches('s').to_owned();
    let asked = (4..=7)
        .filter_map(|group| found.word(group))
        .find(|word| word.starts_with(char::is_lowercase));
    if !count.is_positive()
        || ones
            .map(|item| &item.value)
            .any(|value| *value != number(1))
        || asked.is_some_and(|asked| thing(asked) != thing(found.word(2).unwrap_or_default()))
    {
        return None;
    }
    let all = reading.item(found.word(3)?)?;
    show::money(
        reading,
        &all.value / &count,
        format!("{} / {count}", all.written),
    )
}

/// "Split 84.60 three ways", "divide a $120 bill among 5 people".
fn split(reading: &Reading) -> Option<Computed> {
    const SPLIT: &[&str] = &[
        r"(?:split|divide|share) (?:bill of |cost of |rent of |total of )?X
          (?: bill| rent| check| tab| cost)? (?:evenly |equally )?
          (?:between |among |amongst |by |in |into |with |for |across )?(?:us )?N
          (?: ways| people| persons| friends| of us| parts| equal parts| colleagues| roommates
            | flatmates| kids| children| guests| siblings
          )?(?: evenly| equally)?
          (?: [.,] (?:\? )?
            (?:how much|what) (?:does|is|do|will) (?:
              each|each person|each one|everyone|it|we each
            ) ?(?:pay|get|gets|owe|per person)?
          )?",
        r"(?:(?:rent|bill|dinner|lunch|taxi|cab|cost|gift|present|total)(?: of| is| was| for)? )?
          X (?:is |was )?(?:split|divided|shared) (?:evenly |equally )?
          (?:between |among |amongst |by |in |into )?N(?: {people})?(?: evenly| equally)?
          (?: [.,] (?:how much |what )?(?:does |do )?(?:each|everyone|each person|we each)
            (?: pay| pays| owe| owes)?
          )?",
        r"N (?:people|friends|of us|persons|colleagues|roommates|flatmates|siblings|guests) (?:
            split|share|are splitting|are sharing|divide|want to split
          )(?: bill of| rent of| cost of| taxi for| dinner bill of| dinner for)? X
          (?: bill| rent| dinner bill| taxi| dinner| check| tab)?
          (?: evenly| equally)? [.,] (?:\? )?
          (?:how much|what) (?:does|is|do|will|should) (?:
            each|each person|each one|everyone|we each|each of us|each friend
          )(?: of us| of them| person)? ?(?:pay|get|owe)?",
    ];
    let mut forms = SPLIT.iter().enumerate();
    let (form, found) = forms.find_map(|(i, form)| Some((i, whole(reading, form)?)))?;
    let (a, b) = (found.item(1)?, found.item(2)?);
    // Only the last form has the people first.
    let (amount, people) = if form == 2 { (b, a) } else { (a, b) };
    // "432 divided by 18": numbers, not money. `expression` divides those.
    if amount.kind == 'N' && reading.canon.ends_with("N0 divided by N1") {
        return None;
    }
    let people = count(&people.value, 1_000_000).filter(|people| *people > 0)?;
    show::money(
        reading,
        &amount.value / number(people),
        format!("{} / {people}", amount.written),
    )
}

/// The same in any order: "A bill of $90 is split evenly among 6 people. What does each pay?"
fn split_story(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:how much|what) ?(?:does|is|do|will|should|must)? ?
            (?:each|each one|everyone|everybody|we each|they each)
            (?: person| of us| of them| friend)?(?: have to| has to)? ?(?:pay|get|owe|share|pays)?|
          (?:how much|what is it|what does it cost) (?:per|for each) person|
          per person|
          each(?: share)?$|
          split (?:evenly|equally)$",
    )?;
    let people = scan.take(
        r"N (?:
              people|friends|of us|persons|colleagues|roommates|flatmates|siblings|guests|
              housemates|coworkers|kids|children|brothers|sisters
            )|
          (?:among|between|by|with) N|
          N ways",
    )?;
    let amount = scan.take(r"X")?;
    if !scan.has("split splits splitting share shared sharing shares divide divided spent bill")
        || !scan.done(
            "split splits splitting share shared sharing divide divided equally evenly bill cost \
             costs dinner lunch taxi rent gift present pizza among between total fairly pay \
             group trip house apartment spent paid altogether people friends persons roommates \
             flatmates colleagues guests us",
        )
    {
        return None;
    }
    let people = (1..4).find_map(|group| people.value(group))?;
    let n = count(&people, 100_000).filter(|n| *n > 0)?;
    let item = amount.item(1)?;
    show::money(
        reading,
        &item.value / number(n),
        format!("{} / {n}", item.written),
    )
}

/// Two things cost so much together, and one costs so much more than the other.
fn bat_and_ball(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"([a-z]+) and ([a-z]+) cost X
          (?: in total| together| altogether)? [.,] ([a-z]+) costs X more than ([a-z]+) [.,] (?:
            how much (?:is|does|for)|what does|\?
          ) ([a-z]+)(?: cost)?",
    )?;
    let (more, less, asked) = (found.word(4)?, found.word(6)?, found.word(7)?);
    let both = [found.word(1)?, found.word(2)?];
    let (sum, gap) = (found.value(3)?, found.value(5)?);
    if more == less || !both.contains(&more) || !both.contains(&less) || gap > sum {
        return None;
    }
    let value = if asked == less {
        (sum - gap) / number(2)
    } else if asked == more {
        (sum + gap) / number(2)
    } else {
        return None;
    };
    show::money(
        reading,
        value,
        "half of what remains without the difference",
    )
}

/// "3 dozen eggs at 0.25 each", "what do 7 tickets at $12.50 cost".
fn several(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:
            (?:what|how much) (?:do|does|would|will|are|is|for) |
            (?:total )?(?:cost|price) (?:of|for) |
            total for )?
          (?:i buy |buy )?N (?:[a-z]+ ){1,3}
          (?:at|for|costing|that cost|priced at) X (?:each|per piece|apiece|a piece|per [a-z]+)
          (?: (?:cost|come to|in total|altogether|total))*
          (?: [.,] (?:\? )?(?:how much|total|what) ?
            (?:is that|is it|do i pay|in total|altogether|does it cost|cost|does that cost|total)*
          )?",
    )?;
    let (n, price) = (found.value(1)?, found.item(2)?);
    show::money(
        reading,
        &n * &price.value,
        format!("{} × {}", show::exact_text(&n), price.written),
    )
}

/// "Can I afford 3 tickets at 45 with 130?"
fn afford(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"can (?:i|we) (?:afford|buy|get|pay for) N (?:[a-z]+ ){1,3}(?:at|for|that cost|costing) X
          (?: each| apiece| per [a-z]+)? (?:
            with|on|if i have|having|if i only have|and i have|for
          ) (?:only |budget of )?X",
    )
    .map(|found| (found.value(1), found.value(2), found.value(3)))
    .or_else(|| {
        whole(
            reading,
            r"(?:i have|with|having) X [.,]? ?can (?:i|we) (?:afford|buy|get) N (?:[a-z]+ ){1,3}
              (?:at|for|that cost|costing) X(?: each| apiece| per [a-z]+)?",
        )
        .map(|found| (found.value(2), found.value(3), found.value(1)))
    })?;
    let (Some(n), Some(price), Some(have)) = found else {
        return None;
    };
    // "3 tickets for 45" may be the price of all.
    static ALL: LazyLock<Regex> = LazyLock::new(|| regex(r"N[0-9]+ [a-z ]+ for [NM][0-9]+"));
    if ALL.is_match(&reading.canon) && !reading.canon.contains("each") {
        return None;
    }
    let cost = n * price;
    let enough = cost <= have;
    show::yes_no(
        enough,
        format!(
            "they cost {}, {} {}",
            show::exact_text(&cost),
            if enough { "of" } else { "more than" },
            show::exact_text(&have)
        ),
    )
}

/// "My account has 240. I pay 85.50, 120 and 99.90. What is my balance?"
fn balance(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:new |current |final |account |my )*balance(?: now| then| after that| afterwards)?$|
          how much (?:is|money is|do i have|money do i have|will be|have i got)? ?
            (?:left|remaining|remains|in account|in my account|on account)
            (?: on account| in account| now)?",
    )?;
    let start = scan.take(
        r"(?:
            account (?:has|had|holds|shows|balance is|balance was|is at|contains|stands at)|
            i (?:have|had)|
            balance (?:is|was|of)|
            there (?:is|are|was)|
            start with|started with
          )(?: balance of)? X(?: in (?:account|bank|bank account)| on (?:account))?",
    )?;
    let mut left = start.value(1)?;
    let mut steps = 0;
    while let Some(found) = scan.take(
        r"(?:then |and )?(?:i )?
          (
            spend|spent|pay|paid|withdraw|withdrew|deposit|deposited|receive|received|add|get|got|
            transfer out|take out|took out|pay in|put in|use|used
          ) (?:another )?(?:@|X)(?: (?:for|on) (?:[a-z]+ )?[a-z]+)?",
    ) {
        let sum: Ratio = match found.list(2) {
            Some(list) => list.iter().map(|item| &item.value).sum(),
            None => found.value(3)?,
        };
        let plus = [
            "deposit",
            "deposited",
            "receive",
            "received",
            "add",
            "get",
            "got",
            "pay in",
            "put in",
        ]
        .contains(&found.word(1)?);
        left = if plus { left + sum } else { left - sum };
        steps += 1;
    }
    if steps == 0 || !scan.done("account bank balance money left now after that then remaining") {
        return None;
    }
    show::money(
        reading,
        left,
        format!("{} less what was paid", show::exact_text(&start.value(1)?)),
    )
}

/// "Three flatmates share 1,140 rent by room size: 18, 14 and 25 m². What does the one with 14 pay?", "divide 600 in
/// the ratio 2:3".
fn shares(reading: &Reading) -> Option<Computed> {
    let mut ratio = Scan::new(reading);
    if ratio
        .take(
            r"(?:in|into|by|at)? ?(?:ratio|proportion|proportions|ratios)(?: of| :)? N
              (?: (?::|to) N)+",
        )
        .is_some()
    {
        let total = ratio.take(r"X")?.item(1)?;
        let parts: Vec<&Item> = reading
            .items
            .iter()
            .filter(|item| !std::ptr::eq(*item, total))
            .collect();
        let sum: Ratio = parts.iter().map(|item| &item.value).sum();
        let all = parts
            .iter()
            .all(|item| item.kind == 'N' && item.value.is_positive());
        if !all
            || !ratio.done(
                "split divide divided share shared sharing is rent cost profit each pay get gets \
                 receive receives people them parts part does between person inheritance money \
                 among into they",
            )
        {
            return None;
        }
        let list: Vec<Ratio> = parts
            .iter()
            .map(|item| &total.value * &item.value / &sum)
            .collect();
        return show::list(
            &list,
            format!("{} in {} shares", total.written, show::exact_text(&sum)),
        );
    }
    let mut scan = Scan::new(reading);
    let people = scan.take(
        r"N (?:flatmates|roommates|people|friends|tenants|students|siblings|partners|housemates)",
    )?;
    let sizes = scan.take(
        r"(?:by|according to|based on|in proportion to|proportional to|proportionally to) (?:room |their |floor )*
          (?:
            size|area|sizes|room sizes|room size|square meters|m2|size of rooms|
            size of their rooms|hours|income|incomes
          )[ :,.(]*(?:rooms are |rooms have |they are |they have |have )?@",
    )?;
    let rent = scan.take(
        r"(?:share|split|pay|divide)? ?(?:rent of |total rent of )?X
          (?: rent| in rent| per month| of rent)*",
    )?;
    let one = scan.take(
        r"(?:
            (?:one|person|room|tenant|flatmate) (?:
                with|of|in|who has|having|in room of|with room of
              ) (?:room of )?|
            for )
          ([NAL][0-9]+)(?: room)?(?: pay| pays)?",
    )?;
    if !scan
        .done("share split rent pay pays by room size square meters month person how much rooms")
    {
        return None;
    }
    let list = sizes.list(1)?;
    let own = one.item(1)?;
    let sum: Ratio = list.iter().map(|item| &item.value).sum();
    if number(list.len()) != people.value(1)?
        || list.iter().filter(|item| item.value == own.value).count() != 1
        || !sum.is_positive()
    {
        return None;
    }
    show::money(
        reading,
        rent.value(1)? * &own.value / sum,
        format!("{} by size", rent.item(1)?.written),
    )
}

/// "Something costs 13.45, I pay with a 20: how much change?"
fn change(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:how much )?(?:is |my )?change(?: do i| will i| should i| would i)?
          (?: get| receive| get back| back)?",
    )?;
    let paid = scan
        .take(
            r"(?:pay(?:ing)?|paid|hand over|give|gave)(?: with| cash| cashier| them)* (?:a |an )?X
              (?: bill| note| dollar bill)?",
        )
        .or_else(|| scan.take(r"(?:from|for|out of|with) X(?: bill| note)?"))?;
    let cost = scan.take(
        r"(?:
              costs?|bill is|total is|price is|purchase of|bill of|for|comes to|buy something for|is
            ) X|
          X purchase",
    )?;
    if !scan.done_buying("change back get bill total something it i costs purchase note item my") {
        return None;
    }
    let value = paid.value(1)? - cost.value(1).or_else(|| cost.value(2))?;
    (!value.is_negative()).then(|| show::money(reading, value, "paid minus price"))?
}
