//! Percentages: of a value, change, and back to the value before. Tips, taxes and discounts are in `bill`.

use super::{
    Computed, bill,
    frame::{Scan, whole},
    ratio::{Ratio, whole as number},
    show,
    text::{Item, Reading},
};
use num_traits::{One, Signed, Zero};

/// What a question about percentages comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    if !reading.items.iter().any(|item| item.kind == 'P') && !reading.canon.contains("percent") {
        return None;
    }
    of(reading)
        .or_else(|| what_percent(reading))
        .or_else(|| changed(reading))
        .or_else(|| before(reading))
        .or_else(|| bill::tipped(reading))
        .or_else(|| bill::tip_left(reading))
        .or_else(|| bill::tax(reading))
        .or_else(|| risen(reading))
        .or_else(|| bill::discount(reading))
        .or_else(|| cheaper(reading))
}

/// What a percentage is a part of.
pub(super) fn hundred() -> Ratio {
    number(100)
}

/// "37.5% of 1,984", "how much is 20% of $45", "20% of 3 hours".
fn of(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:how much |how many )?(?:is |are )?P (?:of|from) G
          (?: (?:
              people|students|employees|points|votes|calories|questions|items|pages|users|
              residents
            )
          )?",
    )
    .or_else(|| {
        whole(
            reading,
            r"(?:i )?(?:spend |pay |save )?P of (?:monthly |gross |net )?
              (?:income|salary|pay|wage|budget|revenue|sales) (?:of |is )?G
              (?: goes| go| is spent)?(?: on| to| for| into| towards)(?: [a-z]+){1,2} [.,] ?
              (?:\? |how much )(?:is |goes )?(?:that|it|to [a-z]+)",
        )
    })?;
    let item = found.item(2)?;
    let value = found.share(1)? * &item.value;
    let how = format!("{} % of {}", found.item(1)?.written, item.written);
    match item.unit {
        Some(unit) if !unit.size().is_zero() => show::quantity(reading, value, unit.symbol, how),
        Some(_) => None,
        None => show::amount(reading, value, how),
    }
}

/// "What percent of 80 is 20", "20 is what percent of 80", "how many percent is 20 of 80", "20 out of 80 as a
/// percentage".
fn what_percent(reading: &Reading) -> Option<Computed> {
    const PART_FIRST: &[&str] = &[
        r"G (?:is |are |makes )?(?:\? )?(?:what|how many|which)? ?percent (?:of|from) G",
        r"(?:what|which|how many|how much) percent (?:is|are) G (?:of|out of|from) G",
        r"G (?:of|out of) G (?:in|as|is what|as a|to) ?percent",
        r"N(?: right| correct| points| marks| hits| passed| answered| won)? (?:of|out of) N
          (?: right| correct| points| marks| questions| games)? ?[,:-]* ?(?:\? )?
          (?:score |result |grade |mark |that |it |what is that )?(?:in|as) percent",
        r"percent (?:is )?G (?:of|out of) G",
        r"(?:i )?(?:got|scored|have|answered) G (?:out )?of G
          (?: points| questions| correct| right| questions right| questions correct)* [.,]? ?
          (?:\? )?(?:what|how many|which)? ?
          (?:percent|my percent|score in percent|that in percent|that as percent)
          (?: is that| is it| did i get| correct)?",
        r"(?:express )?G out of G as percent",
        r"(?:express )?G as percent of G",
        r"(?:if )?N (?:of )?[a-z]+ (?:[a-z]+ )?out of N ?[.,]? ?(?:\? |what |how many |which )
          percent(?: of [a-z]+)?(?: is that| [a-z]+)?",
    ];
    for pattern in PART_FIRST {
        if let Some(found) = whole(reading, pattern) {
            return ratio_percent(reading, found.item(1)?, found.item(2)?);
        }
    }
    // "7/8 as a percentage", "0.35 in percent".
    if let Some(found) = whole(reading, r"N (?:in|as|to|into|is what) percent") {
        let item = found.item(1)?;
        let share = !item.value.is_integer() && !item.value.is_negative();
        return share.then(|| {
            show::quantity(reading, &item.value * hundred(), "%", item.written.clone())
        })?;
    }
    // "I scored 47/60, what percent is that?": the fraction is one value.
    if let Some(found) = whole(
        reading,
        r"(?:i )?(?:got|scored|have|answered) N(?: points| questions| correct| right)* ?[.,]? ?
          (?:\? )?(?:what|how many|which)? ?
          percent(?: is that| is it| did i get| correct| score)?",
    ) {
        let item = found.item(1)?;
        return (item.written.contains('/') && !item.value.is_negative()).then(|| {
            show::quantity(reading, &item.value * hundred(), "%", item.written.clone())
        })?;
    }
    const WHOLE_FIRST: &[&str] = &[
        r"(?:what|which|how many|how much)? ?percent of G (?:is|are|makes|does|equals) G",
        r"percent G is of G()",
    ];
    let found = whole(reading, WHOLE_FIRST[0])?;
    ratio_percent(reading, found.item(2)?, found.item(1)?)
}

fn ratio_percent(reading: &Reading, above: &Item, below: &Item) -> Option<Computed> {
    let dimension = |item: &Item| item.unit.map(|unit| unit.dimension);
    if below.value.is_zero() || dimension(above) != dimension(below) || above.kind == 'K' {
        return None;
    }
    let value = above.base() / below.base() * hundred();
    show::quantity(
        reading,
        value,
        "%",
        format!("{} / {}", above.written, below.written),
    )
}

/// "Increase 80 by 15%", "80 increased by 15%", "15% off 80", "price went from 80 to 92: what percent?".
fn changed(reading: &Reading) -> Option<Computed> {
    const APPLIED: &[&str] = &[
        r"(increase|raise|reduce|decrease|lower|cut|discount) G by P",
        r"G (
            increased|raised|reduced|decreased|lowered|cut|discounted|plus|minus|less|after|with|
            and|grown|up|down|net \+|net plus|\+|-
          ) (?:by )?P
          (?: (
              off|discount|increase|raise|reduction|decrease|tip|tax|vat|markup|mark up|markdown|
              more|less|added|sales tax
            )
          )?(?: (?:is )?(?:\? )?(?:what|how much|makes what))?",
        r"(add|subtract|take|deduct) P (?:to|from|off|on|onto) G",
        r"(add) P (?:vat|tax|sales tax|gst|tip|service charge|gratuity) (?:to|on|onto) G",
        r"X (?:[a-z]+ )?{thing} (?:with |at |now |, )?P (off|discount)
          (?: ?[,:.]? (?:\? )?(?:how much|final price|sale price|new price|price|what)
            (?: is it| now| is it now| do i pay| does it cost| is that)?
          )?",
        r"P (off|off of|more than|less than|added to|on top of) (?:a |price of |)G
          (?: ~
            (?:
              item|shirt|jacket|coat|dress|shoes|pair|tv|laptop|phone|purchase|product|order|price
            )
          )?",
        r"(?:what do i pay|what does it cost|how much do i pay|final price|sale price|price) (?:
            for|of|if|with|after
          ) (?:something|item|~)? ?(?:that costs |costing |priced at |at |worth )?
          X (?:with|at|after|minus|if it is|reduced by|less) P (
            off|discount|reduction|increase|markdown
          )",
    ];
    for (i, pattern) in APPLIED.iter().enumerate() {
        let Some(found) = whole(reading, pattern) else {
            continue;
        };
        let marks: Vec<usize> = (1..=4)
            .filter(|group| found.item(*group).is_some())
            .collect();
        let (share, item) = match marks.as_slice() {
            [a, b] if found.item(*a)?.kind == 'P' => (found.share(*a)?, found.item(*b)?),
            [a, b] => (found.share(*b)?, found.item(*a)?),
            _ => return None,
        };
        let words: Vec<&str> = (1..=4)
            .filter(|group| !marks.contains(group))
            .filter_map(|group| found.word(group))
            .collect();
        let down = direction(&words, i)?;
        if item.unit.is_some_and(|unit| unit.size().is_zero()) {
            return None;
        }
        let value = if down {
            &item.value * (Ratio::one() - &share)
        } else {
            &item.value * (Ratio::one() + &share)
        };
        let how = format!(
            "{} {} {} %",
            item.written,
            if down { "-" } else { "+" },
            show::exact_text(&(share * hundred()))
        );
        return match item.unit {
            Some(unit) => show::quantity(reading, value, unit.symbol, how),
            None => show::amount(reading, value, how),
        };
    }
    percent_change(reading)
}

/// Whether these words mean less. Nothing where they leave it open ("80 with 15%").
fn direction(words: &[&str], _frame: usize) -> Option<bool> {
    const DOWN: &[&str] = &[
        "reduce",
        "decrease",
        "lower",
        "cut",
        "discount",
        "reduced",
        "decreased",
        "lowered",
        "discounted",
        "minus",
        "-",
        "less",
        "down",
        "off",
        "reduction",
        "markdown",
        "subtract",
        "take",
        "deduct",
        "off of",
        "discount on",
        "discount off",
        "less than",
        "reduction on",
        "reduction of",
        "markdown on",
    ];
    const UP: &[&str] = &[
        "increase",
        "raise",
        "increased",
        "raised",
        "plus",
        "+",
        "net +",
        "net plus",
        "grown",
        "up",
        "tip",
        "tax",
        "sales tax",
        "vat",
        "markup",
        "mark up",
        "more",
        "added",
        "add",
        "increase on",
        "increase of",
        "more than",
        "markup on",
        "raise on",
        "added to",
        "on top of",
    ];
    if words.iter().any(|word| DOWN.contains(word)) {
        // "80 plus 15% off" contradicts itself.
        return (!words.iter().any(|word| UP.contains(word))).then_some(true);
    }
    words.iter().any(|word| UP.contains(word)).then_some(false)
}

/// "Rent went from 800 to 920. By what percent did it increase?"
fn percent_change(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:by |in )?(?:what|how many|which) percent|
          percent(?: increase| decrease| change| growth| drop| difference| rise| fall| loss| gain)?",
    )?;
    let found = scan
        .take(r"from G to G")
        .or_else(|| scan.take(r"G (?:down|up) to G"));
    let found = found.or_else(|| {
        // "80 now 60, what percent" alone may ask for 75 %.
        if !scan.has("off discount drop decrease reduction increase rise change cheaper growth") {
            return None;
        }
        scan.take(
            r"(?:was|were|used to be|used to cost|originally) G(?: ,| [.]| and| but)*
              (?: is| are| it is)? now(?: costs?| is| are| only| for)* G",
        )
    })?;
    let (old, new) = (found.item(1)?, found.item(2)?);
    if old.unit != new.unit
        || old.value.is_zero()
        || old.kind == 'K'
        || old.value.is_negative()
        || !scan.done_buying(
            "rent price prices went go goes gone up down rose risen raised increased increase \
             decreased decrease fell dropped drop changed change salary growth grew rise sales \
             revenue population by percentage my stock difference value cost costs weight \
             reduced discount prices ticket in how off bill electricity energy heating water gas \
             insurance fee subscription wage income followers subscribers profit",
        )
    {
        return None;
    }
    let value = (new.base() - old.base()) / old.base() * hundred();
    let word = if value.is_negative() {
        "decrease"
    } else {
        "increase"
    };
    let how = format!("from {} to {}", old.written, new.written);
    // "A decrease of 20 %" is said without a sign.
    let mut out = show::quantity(reading, value.abs(), "%", how)?;
    out.text = format!("{} {word}", out.text);
    Some(out)
}

const BEFORE_SHARE: &str = r"
    (?:after|with|at|by|incl|including|for|got|is|was|a)? ?P ?
      (
        off|discount|markdown|reduction|price reduction|reduced|raise|increase|pay rise|
        price increase|markup|rise|sale|cheaper|more expensive|more|less|price cut|cut|drop
      )|
    (
        reduced|discounted|marked down|increased|raised|went up|rose|lowered|fell|dropped|cut|
        marked up
      ) (?:by )?P";

const BEFORE_ASKED: &str = r"
    (?:original|regular|old|initial|full|previous|normal|list|starting|earlier)
      (?: price| cost| amount| value| salary| rent| full price)?|
    (?:
        how much did (?:it|they|i|one) (?:cost|pay|earn)|
        price|cost|
        what did (?:it|they|i) (?:cost|earn|pay)|
        it|was it|salary|rent|what
      ) (?:before|originally|before that|before sale|before raise|before increase|initially)
      (?: discount| raise| reduction| increase| sale| markdown)?";

/// "69.30 after a 30% markdown: what was it before?", "15% of what number is 45".
fn before(reading: &Reading) -> Option<Computed> {
    const OF_WHAT: &[&str] = &[
        r"(?:G is |if G is |)P of (?:\? )?(?:what|which)(?: number| amount)?(?: is| equals)?
          (?: G)?",
        r"P of \? G",
        r"(?:if )?P of (?:number|something|a number|x|amount|total) is G ,? ?(?:\? )?(?:what is )?
          (?:number|it|amount|total|x|whole|whole amount)?",
    ];
    for pattern in OF_WHAT {
        if let Some(found) = whole(reading, pattern) {
            let percent = reading.items.iter().find(|item| item.kind == 'P')?;
            let other = reading.items.iter().find(|item| item.kind != 'P')?;
            if reading.items.len() != 2 || percent.value.is_zero() || other.unit.is_some() {
                return None;
            }
            let _ = found;
            return show::amount(
                reading,
                &other.value * hundred() / &percent.value,
                format!("{} / {} %", other.written, percent.written),
            );
        }
    }
    let mut scan = Scan::new(reading);
    let asked = scan.take(BEFORE_ASKED)?;
    let _ = asked;
    let share = scan.take(BEFORE_SHARE)?;
    let percent = reading.items.iter().find(|item| item.kind == 'P')?;
    let word = share.word(2).or_else(|| share.word(3))?;
    let up = [
        "raise",
        "increase",
        "pay rise",
        "price increase",
        "markup",
        "rise",
        "more expensive",
        "more",
        "increased",
        "raised",
        "went up",
        "rose",
        "marked up",
    ]
    .contains(&word);
    let paid = scan.take(r"X")?;
    if !scan.done_buying(
        "jacket coat shirt shoes dress tv laptop phone item bike chair table lamp book camera \
         watch bag sofa jeans pair sweater printer game ticket price costs cost sells sold now \
         after pay paid sale discount reduced raise increase earn earns salary rent currently \
         only reduction markdown was been originally before marked new product it on a store \
         prices old",
    ) {
        return None;
    }
    let factor = Ratio::one()
        + if up {
            &percent.value / hundred()
        } else {
            -(&percent.value / hundred())
        };
    if !factor.is_positive() {
        return None;
    }
    let item = paid.item(1)?;
    show::money(
        reading,
        &item.value / &factor,
        format!("{} / {}", item.written, show::exact_text(&factor)),
    )
}

/// "My salary of 3,000 goes up by 5%. What is it now?"
fn risen(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let step = scan.take(
        r"(
            goes up|rises|increases|went up|rose|increased|is raised|was raised|is increased|
            was increased|will go up|will rise|will increase|grows|grew|gets|goes down|drops|
            falls|decreases|went down|dropped|fell|is reduced|was reduced|is cut|is lowered|loses|
            lost|get|got|receive|received
          ) (?:by )?P(?: in value| of its value| raise| pay rise| increase)?",
    )?;
    let start = scan.take(r"(?:of|is|was|for|at|currently|pay|earn|worth|costs)? ?X")?;
    scan.take(
        r"new (?:salary|price|rent|value|wage|cost|amount)|
          (?:it|salary|price|rent|value|wage)(?: worth)? (?:now|then|afterwards|after that)|
          what is it worth|
          how much is it(?: worth)?(?: now)?|
          it now|
          how much do i (?:pay|earn)(?: now| then)?|
          what do i (?:pay|earn)(?: now| then)?",
    )?;
    if !scan.done_buying(
        "salary price rent value wage cost stock share house car now new pay month it income \
         savings",
    ) {
        return None;
    }
    let up = [
        "goes up",
        "rises",
        "increases",
        "went up",
        "rose",
        "increased",
        "is raised",
        "was raised",
        "is increased",
        "was increased",
        "will go up",
        "will rise",
        "will increase",
        "grows",
        "grew",
    ];
    let word = step.word(1)?;
    let share = step.share(2)?;
    // "Gets 5%" says nothing about the direction by itself.
    let open = ["gets", "get", "got", "receive", "received"].contains(&word);
    let said = step.word(0)?;
    let up = up.contains(&word) || open && (said.contains("raise") || said.contains("pay rise"));
    if open && !up {
        return None;
    }
    let factor = if up {
        Ratio::one() + &share
    } else {
        Ratio::one() - &share
    };
    let item = start.item(1)?;
    show::money(
        reading,
        &item.value * factor,
        format!(
            "{} {} {} %",
            item.written,
            if up { "+" } else { "-" },
            show::exact_text(&(share * hundred()))
        ),
    )
}

/// "Is 20% off 80 cheaper than 15 off?"
fn cheaper(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:is|are) P (?:off|discount on|off of) X (cheaper|better|more|less|more expensive)
          (?: deal)? than X (?:off|discount)(?: it)?",
    )?;
    let price = found.value(2)?;
    let (by_percent, by_amount) = (&price * found.share(1)?, found.value(4)?);
    if by_percent == by_amount {
        return show::yes_no(
            false,
            format!("both are {} off", show::exact_text(&by_amount)),
        );
    }
    let more = by_percent > by_amount;
    let yes = more != ["less", "more expensive"].contains(&found.word(3)?);
    show::yes_no(
        yes,
        format!(
            "{} % of {} is {}, {} {}",
            found.item(1)?.written,
            found.item(2)?.written,
            show::exact_text(&by_percent),
            if more { "more than" } else { "less than" },
            show::exact_text(&by_amount)
        ),
    )
}
