//! What a bill comes to: tips, perhaps split; sales tax and VAT, added or taken out; discounts one after the other.

use super::{
    Computed,
    frame::Scan,
    percent::hundred,
    ratio::Ratio,
    show,
    text::{Item, Reading},
};
use num_traits::{One, Signed};

const TIPPED_SPLIT: &str = r"
    (?:split|divided|shared|divide|share|splitting|sharing) (?:
        it |bill |that |everything |this )?
      (?:evenly |equally )?(?:between|among|amongst|by|with|in|into|across)? ?(?:us )?N
      (?: ways| people| friends| persons| of us| diners| guests| colleagues)?|
    N (?:people|friends|ways|of us|persons|diners|guests|colleagues|roommates|coworkers)
      (?: (?:split|share|splitting|sharing|are splitting|want to split|divide))?
      (?: evenly| equally)?";

const TIPPED_WORDS: &str = "bill dinner lunch restaurant meal check tab tip gratuity leave each per person pay pays \
     people friends plus comes came including everyone owe owes split splitting equally \
     evenly between among taxi ride fare plus breakfast food order service share add adding \
     if our us cost costs equal cab pizza haircut like want it including bill's whole";

const TIPPED_ASKS_TIP: &str = r"how much (?:is|should|do|would|must) (?:i |we )?(?:tip|leave)|
      what (?:do|should|would|must) (?:i|we) leave(?: for)?|
      tip amount|how big is tip|\? tip";

/// A bill with a tip, perhaps split.
pub(super) fn tipped(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let tip = scan
        .take(
            r"P (?:tip|gratuity|service charge|service)|
              (?:tip|gratuity|tipping) (?:of |at |is |by )?P|
              tip (?:waiter|server|driver) P",
        )
        .or_else(|| {
            if scan.has("tip") {
                scan.take(r"(?:at|with) P")
            } else {
                None
            }
        })?;
    let share = tip
        .share(1)
        .or_else(|| tip.share(2))
        .or_else(|| tip.share(3))?;
    let split = scan.take(TIPPED_SPLIT);
    let amount = scan.take(r"X")?;
    let each = scan.has("each per apiece person everyone");
    let asks_tip = (reading.canon.starts_with("? P")
        || reading.canon.starts_with("P")
        || reading.canon.starts_with("tip")
        || reading.canon.starts_with("? tip"))
        || scan.take(TIPPED_ASKS_TIP).is_some();
    let asks_total = scan
        .take(
            r"in total|total|altogether|all together|including tip|with tip|plus|pay|pays|owe|
              owes|add|adding|including",
        )
        .is_some()
        || reading.canon.contains(" it with P")
        || reading.canon.contains("with P");
    if !scan.done_buying(TIPPED_WORDS) {
        return None;
    }
    let bill = amount.item(1)?;
    let parts = match &split {
        Some(found) => found.value(1).or_else(|| found.value(2))?,
        None => Ratio::one(),
    };
    // "How much tip each" is another question than what each pays.
    let tip_each = split.is_some()
        && Scan::new(reading)
            .take(r"(?:how much|what|\?) tip")
            .is_some();
    if tip_each
        || split.is_some() != each && split.is_none()
        || parts < Ratio::one()
        || !parts.is_integer()
    {
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
pub(super) fn tip_left(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:what|how many|which)? ?
          (?:
            percent tip|tip percent|percent gratuity|
            percent was (?:tip|that|my tip|gratuity)|
            percent did i tip|percent did i leave
          )",
    )?;
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

const TAX_WORDS: &str = "purchase bill order vat tax sales gst net gross price prices costs cost \
                         including include included includes excluding before after without with \
                         plus rate items item bought buy total pay euros add added how value \
                         product invoice amount is my for it laptop phone shirt book at checkout \
                         register paid charged charge receipt end service cart says of that this much here \
                         something so";

/// Net and gross prices, and the tax between them.
pub(super) fn tax(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("vat tax gst") {
        return None;
    }
    let canon = &reading.canon;
    let percent = reading.items.iter().find(|item| item.kind == 'P')?;
    let prices: Vec<&Item> = reading
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
    // "The price before tax if I paid …"
    let condition = asked.find(" if ").map(|at| (at, at));
    let order = order.or(condition.filter(|_| given.is_empty()));
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

const DISCOUNT_STEP: &str = r"
    (?:and |then |plus |with |at |by |of |is |on |an? )*
    (?:another |extra |additional |further |more )?
    (?:
      ([PM][0-9]+) (?:~)?
        (?:discount|off|reduction|markdown|cheaper|coupon|voucher|loyalty discount)
        (?: (?:code|voucher|coupon))?|
      (?:discounted|reduced|marked down|discount) (?:by |of |is )?([PM][0-9]+)|
      (?:another|extra|additional|further|then) ([PM][0-9]+)(?: off)?|
      (?:coupon|voucher|gift card) (?:for|of|worth) ([PM][0-9]+)
    )";

/// "Laptop 1,199 euros. 10% student discount, then another 50 euros off with a voucher. Final price?"
pub(super) fn discount(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("discount off reduced reduction markdown sale voucher coupon discounted") {
        return None;
    }
    let saved = scan.take(
        r"how much (?:do|did|will|would|can) i save|
          savings|
          how much (?:money )?(?:is|was) saved|
          how much is discount|amount saved|\? discount|how much off",
    );
    let price = scan
        .take(
            r"(?:
                (?:[a-z]+ )?[a-z]+ (?:that )?
                  (?:
                    costs|cost|is|was|for|at|priced at|worth|originally|price of|regularly|
                    normally costs|usually costs|originally costs|originally priced at|
                    regular price|list price
                  )(?: usually| normally| originally)?|
                ^[a-z]+
              ) X",
        )
        .or_else(|| scan.take(r"X (?:[a-z]+ )?{thing}"))
        .or_else(|| {
            scan.take(r"(?:original |regular |list |normal |full )?price(?: is| was| of| :)* X")
        })
        .or_else(|| scan.take(r"(?:on|for|of|price) X"))?;
    let mut amount = price.value(1)?;
    let start = amount.clone();
    let mut steps = 0;
    let mut kinds = String::new();
    while let Some(step) = scan.take(DISCOUNT_STEP) {
        let item = (1..5).find_map(|group| step.item(group))?;
        kinds.push(item.kind);
        amount = if item.kind == 'P' {
            amount * (Ratio::one() - &item.value / hundred())
        } else {
            amount - &item.value
        };
        steps += 1;
    }
    let asked = scan.take(
        r"final price|sale price|
          how much (?:do|will|would|does) (?:i|it|we) (?:pay|cost)|
          what (?:do|will|would|does) (?:i|it|we) (?:pay|cost)|
          (?:new |discounted |reduced |end |current )?price|
          (?:i|it|we|to) (?:pay|cost|costs|owe)|
          new price|total|final cost|cost|do i pay|does it cost|\? it$",
    );
    let known = "discount student voucher coupon sale then another after both applied apply \
                 first reduced reduction member now today marked my on store loyalty code final \
                 price pay cost costs off end new i have discounts successive extra checkout";
    // A voucher and a percentage: which comes first has to be clear.
    let mixed = kinds.contains('P') && kinds.contains('M');
    let unclear = mixed && (scan.has("first before") || kinds.contains("MP") && !scan.has("then"));
    if steps == 0
        || unclear
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
