//! Percentages: of a value, change, tips, discounts, taxes, and back to the value before.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, whole as number},
    show,
    text::Reading,
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
        .or_else(|| bill(reading))
        .or_else(|| left_tip(reading))
        .or_else(|| tax(reading))
        .or_else(|| risen(reading))
        .or_else(|| discount(reading))
        .or_else(|| cheaper(reading))
}

fn hundred() -> Ratio {
    number(100)
}

/// "37.5% of 1,984", "how much is 20% of $45", "20% of 3 hours".
fn of(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:how much |how many )?(?:is |are )?P (?:of|from) G(?: (?:people|students|employees|points|votes|calories|questions|items|pages|users|residents))?",
    )?;
    let item = found.item(2)?;
    let value = found.share(1)? * &item.value;
    let how = format!("{} % of {}", found.item(1)?.written, item.written);
    match item.unit {
        Some(unit) if !unit.size().is_zero() => show::quantity(reading, value, unit.symbol, how),
        Some(_) => None,
        None => show::amount(reading, value, how),
    }
}

/// "What percent of 80 is 20", "20 is what percent of 80", "how many percent is 20 of 80", "20 out of 80 as a percentage".
fn what_percent(reading: &Reading) -> Option<Computed> {
    const PART_FIRST: &[&str] = &[
        r"G (?:is |are |makes )?(?:\? )?(?:what|how many|which)? ?percent (?:of|from) G",
        r"(?:what|which|how many|how much) percent (?:is|are) G (?:of|out of|from) G",
        r"G (?:of|out of) G (?:in|as|is what|as a|to) ?percent",
        r"percent (?:is )?G (?:of|out of) G",
        r"(?:i )?(?:got|scored|have|answered) G (?:out )?of G(?: points| questions| correct| right| questions right| questions correct)* [.,]? ?(?:\? )?(?:what|how many|which)? ?(?:percent|my percent|score in percent|that in percent|that as percent)(?: is that| is it| did i get| correct)?",
        r"(?:express )?G out of G as percent",
        r"(?:express )?G as percent of G",
        r"(?:if )?N (?:of )?[a-z]+ (?:[a-z]+ )?out of N ?[.,]? ?(?:\? |what |how many |which )percent(?: of [a-z]+)?(?: is that| [a-z]+)?",
    ];
    for pattern in PART_FIRST {
        if let Some(found) = whole(reading, pattern) {
            return ratio_percent(reading, found.item(1)?, found.item(2)?);
        }
    }
    const WHOLE_FIRST: &[&str] = &[
        r"(?:what|which|how many|how much)? ?percent of G (?:is|are|makes|does|equals) G",
        r"percent G is of G()",
    ];
    let found = whole(reading, WHOLE_FIRST[0])?;
    ratio_percent(reading, found.item(2)?, found.item(1)?)
}

fn ratio_percent(
    reading: &Reading,
    above: &super::text::Item,
    below: &super::text::Item,
) -> Option<Computed> {
    let dimension = |item: &super::text::Item| item.unit.map(|unit| unit.dimension);
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
        r"G (increased|raised|reduced|decreased|lowered|cut|discounted|plus|minus|less|after|with|and|grown|up|down) (?:by )?P(?: (off|discount|increase|raise|reduction|decrease|tip|tax|vat|markup|mark up|markdown|more|less|added|sales tax))?(?: (?:is )?(?:\? )?(?:what|how much|makes what))?",
        r"(add|subtract|take|deduct) P (?:to|from|off|on|onto) G",
        r"P (off|off of|more than|less than|added to|on top of) (?:a |price of |)G(?: ~(?:item|shirt|jacket|coat|dress|shoes|pair|tv|laptop|phone|purchase|product|order|price))?",
        r"(?:what do i pay|what does it cost|how much do i pay|final price|sale price|price) (?:for|of|if|with|after) (?:something|item|~)? ?(?:that costs |costing |priced at |at |worth )?X (?:with|at|after|minus|if it is|reduced by|less) P (off|discount|reduction|increase|markdown)",
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
    scan.take(r"(?:(?:by |in )?(?:what|how many|which) percent|percent(?: increase| decrease| change| growth| drop| difference| rise)?)")?;
    let found = scan.take(r"from G to G")?;
    let (old, new) = (found.item(1)?, found.item(2)?);
    if old.unit != new.unit || old.value.is_zero() || old.kind == 'K' || old.value.is_negative() || !scan.done_buying("rent price prices went go goes gone up down rose risen raised increased increase decreased decrease fell dropped drop changed change salary growth grew rise sales revenue population by percentage my stock difference value cost costs weight reduced discount prices ticket in how") {
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

/// "69.30 after a 30% markdown: what was it before?", "15% of what number is 45".
fn before(reading: &Reading) -> Option<Computed> {
    const OF_WHAT: &[&str] = &[
        r"(?:G is |if G is |)P of (?:\? )?(?:what|which)(?: number| amount)?(?: is| equals)?(?: G)?",
        r"P of \? G",
        r"(?:if )?P of (?:number|something|a number|x|amount|total) is G ,? ?(?:\? )?(?:what is )?(?:number|it|amount|total|x|whole|whole amount)?",
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
    let asked = scan.take(r"(?:(?:original|regular|old|initial|full|previous|normal|list|starting|earlier)(?: price| cost| amount| value| salary| rent| full price)?|(?:how much did (?:it|they|i|one) (?:cost|pay|earn)|price|cost|what did (?:it|they|i) (?:cost|earn|pay)|it|was it|salary|rent|what) (?:before|originally|before that|before sale|before raise|before increase|initially)(?: discount| raise| reduction| increase| sale| markdown)?)")?;
    let _ = asked;
    let share = scan.take(r"(?:(?:after|with|at|by|incl|including|for|got|is|was|a)? ?P ?(off|discount|markdown|reduction|price reduction|reduced|raise|increase|pay rise|price increase|markup|rise|sale|cheaper|more expensive|more|less|price cut|cut|drop)|(reduced|discounted|marked down|increased|raised|went up|rose|lowered|fell|dropped|cut|marked up) (?:by )?P)")?;
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
    if !scan.done_buying("jacket coat shirt shoes dress tv laptop phone item bike chair table lamp book camera watch bag sofa jeans pair sweater printer game ticket price costs cost sells sold now after pay paid sale discount reduced raise increase earn earns salary rent currently only reduction markdown was been originally before marked new product it on a store prices old") {
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

/// A bill with a tip, perhaps split.
fn bill(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let tip = scan.take(r"(?:P (?:tip|gratuity)|(?:tip|gratuity|tipping) (?:of |at |is |by )?P|tip (?:waiter|server|driver) P)").or_else(|| if scan.has("tip") { scan.take(r"(?:at|with) P") } else { None })?;
    let share = tip
        .share(1)
        .or_else(|| tip.share(2))
        .or_else(|| tip.share(3))?;
    let split = scan.take(r"(?:(?:split|divided|shared|divide|share|splitting|sharing) (?:it |bill |that |everything |this )?(?:evenly |equally )?(?:between|among|amongst|by|with|in|into|across)? ?(?:us )?N(?: ways| people| friends| persons| of us| diners| guests| colleagues)?|N (?:people|friends|ways|of us|persons|diners|guests|colleagues|roommates|coworkers)(?: (?:split|share|splitting|sharing|are splitting|want to split|divide))?(?: evenly| equally)?)");
    let amount = scan.take(r"X")?;
    let each = scan.has("each per apiece person everyone");
    let asks_tip = (reading.canon.starts_with("? P") || reading.canon.starts_with("P") || reading.canon.starts_with("tip") || reading.canon.starts_with("? tip")) || scan.take(r"(?:how much (?:is|should|do|would|must) (?:i |we )?(?:tip|leave)|tip amount|how big is tip|\? tip)").is_some();
    let asks_total = scan.take(r"(?:in total|total|altogether|all together|including tip|with tip|plus|pay|pays|owe|owes|add|adding|including)").is_some() || reading.canon.contains(" it with P") || reading.canon.contains("with P");
    if !scan.done_buying("bill dinner lunch restaurant meal check tab tip gratuity leave each per person pay pays people friends plus comes came including everyone owe owes split splitting equally evenly between among taxi ride fare plus breakfast food order service share add adding if our us cost costs equal cab pizza haircut like want it including bill's whole") {
        return None;
    }
    let bill = amount.item(1)?;
    let parts = match &split {
        Some(found) => found.value(1).or_else(|| found.value(2))?,
        None => Ratio::one(),
    };
    if split.is_some() != each && split.is_none() || parts < Ratio::one() || !parts.is_integer() {
        return None;
    }
    let total = &bill.value * (Ratio::one() + &share);
    let percent = show::exact_text(&(&share * hundred()));
    match (
        split.is_some(),
        asks_tip && !asks_total,
        asks_total || each || reading.canon.contains("final"),
    ) {
        (false, true, _) => show::money(
            reading,
            &bill.value * &share,
            format!("{percent} % of {}", bill.written),
        ),
        (true, false, _) => show::money(
            reading,
            total / &parts,
            format!("({} + {percent} %) / {}", bill.written, parts),
        ),
        (false, false, true) => {
            show::money(reading, total, format!("{} + {percent} %", bill.written))
        }
        _ => None,
    }
}

/// "My bill was $47.80 and I left $57. What percentage tip did I leave?"
fn left_tip(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:(?:what|how many|which)? ?(?:percent tip|tip percent|percent gratuity|percent was (?:tip|that|my tip|gratuity)|percent did i tip|percent did i leave))")?;
    let tipped = scan.take(r"(?:tipped X|X tip|tip of X|tip was X)");
    let bill = scan
        .take(r"(?:bill|check|tab|meal|dinner|lunch|total)(?: was| is| came to| of| for| cost)* X")
        .or_else(|| scan.take(r"X (?:bill|check|tab|meal)"))?;
    let paid = scan.take(r"(?:left|paid|gave|pay|leave|handed over) X");
    if !scan.done_buying("tip percent leave bill on left waiter server my dinner gave i did that") {
        return None;
    }
    let bill = bill.item(1)?;
    let tip = match (&tipped, &paid) {
        (Some(found), None) => (1..5).find_map(|group| found.value(group))?,
        (None, Some(found)) => found.value(1)? - &bill.value,
        _ => return None,
    };
    if !tip.is_positive() || !bill.value.is_positive() {
        return None;
    }
    let how = format!("{} / {}", show::exact_text(&tip), bill.written);
    show::quantity(reading, tip / &bill.value * hundred(), "%", how)
}

const TAX_WORDS: &str = "purchase bill order vat tax sales gst net gross price prices costs cost including include included includes excluding before after without with plus rate items item bought buy total pay euros add added how value product invoice amount is my for it laptop phone shirt book at checkout register paid charged charge receipt end service cart";

/// Net and gross prices, and the tax between them.
fn tax(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("vat tax gst") {
        return None;
    }
    let canon = &reading.canon;
    let percent = reading.items.iter().find(|item| item.kind == 'P')?;
    let prices: Vec<&super::text::Item> = reading
        .items
        .iter()
        .filter(|item| "NM".contains(item.kind))
        .collect();
    if prices.len() + 1 != reading.items.len() || prices.is_empty() || prices.len() > 20 {
        return None;
    }
    while scan.take("[NMP][0-9]+").is_some() {}
    if !scan.done_buying(TAX_WORDS) {
        return None;
    }
    let sentences = if canon.contains(['.', '?']) {
        ['.', '?']
    } else {
        [',', ';']
    };
    let asked = canon
        .rsplit(sentences)
        .next()
        .unwrap_or("")
        .trim()
        .to_owned();
    let given = canon.strip_suffix(asked.as_str()).unwrap_or("");
    let says = |text: &str, words: &str| {
        text.split(' ')
            .any(|word| words.split(' ').any(|known| known == word))
    };
    let sum: Ratio = prices.iter().map(|item| &item.value).sum();
    let share = &percent.value / hundred();
    let factor = Ratio::one() + &share;
    // "The gross amount for a net amount of …": what comes first is asked, the other is given.
    let order = asked.find("net").zip(asked.find("gross"));
    let (asked, given) = match order {
        Some((net, gross)) => {
            let at = net.max(gross);
            (asked[..at].to_owned(), asked[at..].to_owned())
        }
        None => (asked.clone(), given.to_owned()),
    };
    let given = given.as_str();
    let gross_words = "gross including included includes paid";
    let gross_given = says(given, gross_words)
        || says(&asked, "including") && says(&asked, "net before without")
        || canon.contains("including P");
    let net_given = says(given, "net excluding plus before") || canon.contains("plus P");
    let name = format!("{} at {} %", show::exact_text(&sum), percent.written);
    if says(&asked, "vat tax gst")
        && !says(
            &asked,
            "including before without with after net gross total excluding plus price pay cost",
        )
    {
        let inside = gross_given
            || ["included in", "in gross", " is in M", "contained in"]
                .iter()
                .any(|words| canon.contains(words));
        return match (inside, net_given || canon.contains(" on ")) {
            (true, false) => show::money(reading, &sum - &sum / &factor, format!("tax in {name}")),
            (false, true) => show::money(reading, &sum * &share, format!("tax on {name}")),
            _ => None,
        };
    }
    let asks_net = says(&asked, "net without before excluding");
    let asks_gross = says(&asked, "gross including total after with pay plus cost end");
    match (asks_net, asks_gross, gross_given, net_given) {
        (true, _, true, false) => show::money(reading, &sum / &factor, format!("net of {name}")),
        (false, true, false, _) => {
            show::money(reading, &sum * &factor, format!("{name} tax added"))
        }
        _ => None,
    }
}

/// "Laptop 1,199 euros. 10% student discount, then another 50 euros off with a voucher. Final price?"
fn discount(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("discount off reduced reduction markdown sale voucher coupon discounted") {
        return None;
    }
    let saved = scan.take(r"(?:how much (?:do|did|will|would|can) i save|savings|how much (?:money )?(?:is|was) saved|how much is discount|amount saved|\? discount|how much off)");
    let price = scan
        .take(r"(?:(?:[a-z]+ )?[a-z]+ (?:that )?(?:costs|cost|is|was|for|at|priced at|worth|originally|price of|regularly|normally costs|usually costs|originally costs|originally priced at|regular price|list price)(?: usually| normally| originally)?|^[a-z]+) X")
        .or_else(|| scan.take(r"X (?:[a-z]+ )?(?:jacket|coat|shirt|shoes|dress|tv|laptop|phone|item|bike|chair|table|lamp|book|camera|watch|bag|sofa|jeans|sweater|printer|game|ticket|headphones|pair|backpack|mattress|tablet|monitor|suit|hat|pants|couch)"))
        .or_else(|| scan.take(r"(?:original |regular |list |normal |full )?price(?: is| was| of| :)* X"))
        .or_else(|| scan.take(r"(?:on|for|of|price) X"))?;
    let mut amount = price.value(1)?;
    let start = amount.clone();
    let mut steps = 0;
    while let Some(step) = scan.take(r"(?:and |then |plus |with |at |by |of |is |on |an? )*(?:another |extra |additional |further |more )?(?:([PM][0-9]+) (?:~)?(?:discount|off|reduction|markdown|cheaper|coupon|voucher|loyalty discount)(?: (?:code|voucher|coupon))?|(?:discounted|reduced|marked down|discount) (?:by |of |is )?([PM][0-9]+)|(?:another|extra|additional|further|then) ([PM][0-9]+)(?: off)?|(?:coupon|voucher|gift card) (?:for|of|worth) ([PM][0-9]+))") {
        let item = (1..5).find_map(|group| step.item(group))?;
        amount = if item.kind == 'P' { amount * (Ratio::one() - &item.value / hundred()) } else { amount - &item.value };
        steps += 1;
    }
    let asked = scan.take(r"(?:final price|sale price|how much (?:do|will|would|does) (?:i|it|we) (?:pay|cost)|what (?:do|will|would|does) (?:i|it|we) (?:pay|cost)|(?:new |discounted |reduced |end |current )?price|(?:i|it|we|to) (?:pay|cost|costs|owe)|new price|total|final cost|cost|do i pay|does it cost)");
    let known = "discount student voucher coupon sale then another after both applied apply first reduced reduction member now today marked my on store loyalty code final price pay cost costs off end new i have discounts successive extra checkout";
    if steps == 0
        || asked.is_none() == saved.is_none()
        || !scan.done_buying(known)
        || amount.is_negative()
    {
        return None;
    }
    let how = format!(
        "{} after {steps} discount{}",
        show::exact_text(&start),
        if steps == 1 { "" } else { "s" }
    );
    match saved {
        Some(_) => show::money(reading, start - amount, how),
        None => show::money(reading, amount, how),
    }
}

/// "My salary of 3,000 goes up by 5%. What is it now?"
fn risen(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let step = scan.take(r"(goes up|rises|increases|went up|rose|increased|is raised|was raised|is increased|was increased|will go up|will rise|will increase|grows|grew|gets|goes down|drops|falls|decreases|went down|dropped|fell|is reduced|was reduced|is cut|is lowered|loses|lost) (?:by )?P(?: in value| of its value| raise| pay rise| increase)?")?;
    let start = scan.take(r"(?:of|is|was|for|at|currently|pay|earn|worth|costs)? ?X")?;
    scan.take(r"(?:new (?:salary|price|rent|value|wage|cost|amount)|(?:it|salary|price|rent|value|wage)(?: worth)? (?:now|then|afterwards|after that)|what is it worth|how much is it(?: worth)?(?: now)?|it now|how much do i (?:pay|earn)(?: now| then)?|what do i (?:pay|earn)(?: now| then)?)")?;
    if !scan.done_buying("salary price rent value wage cost stock share house car now new pay month it income savings") {
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
    let up = up.contains(&word) || word == "gets" && step.word(0)?.contains("raise");
    if word == "gets" && !up {
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
        r"(?:is|are) P (?:off|discount on|off of) X (cheaper|better|more|less|more expensive)(?: deal)? than X (?:off|discount)(?: it)?",
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
