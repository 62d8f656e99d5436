//! Buying and selling: profit and loss, deals such as "3 for 2", and how many have to be sold to break even.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, count, part, whole as number},
    show,
    text::Reading,
};
use num_traits::{One, Signed, Zero};

/// "I bought 100 shares at 42.10 and sold them at 38.75: profit or loss?"
pub(super) fn trade(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if let Some(found) = whole(
        reading,
        r"N (?:shares|stocks) (?:bought|purchased) (?:at|for) X
          (?: each| per share)? (?:and|,|then) (?:later )?sold (?:at|for) X
          (?: each| per share)? ?[.,:]? ?(?:\? )?(?:profit or loss|profit|loss|gain|gain or loss)",
    ) {
        let gain = (found.value(3)? - found.value(2)?) * found.value(1)?;
        return gained(reading, gain);
    }
    let bought = scan.take(
        r"(?:bought|buy|purchased|purchase) (?:N|(?:a|an|one|it))? ?(?:[a-z]+ )?(?:[a-z]+ )?
          (?:at|for) X(?: (each|per share|apiece|per piece|per unit))?",
    )?;
    let sold = scan.take(
        r"(?:sold|sell|resold) (?:N |all |them |it |them all |all of them |later )*(?:[a-z]+ )?
          (?:at|for) X(?: (each|per share|apiece|per piece|per unit))?",
    )?;
    scan.take(
        r"(?:how much )?(?:is |was |did i |do i |have i |my )*
          (?:
            profit or loss|profit|loss|gain|make|lose|profit do i make|profit did i make|
            gain or loss|win or lose|made|lost|earn
          )",
    )?;
    if !scan.done("profit loss total shares stock stocks or overall my i did made gain") {
        return None;
    }
    let n = match bought.value(1) {
        Some(n) => {
            let each = bought.word(3).is_some()
                || reading.canon.contains("shares at")
                || reading.canon.contains("stocks at");
            // "12 mugs for 30" may be the price of all.
            if !each {
                return None;
            }
            n
        }
        None => Ratio::one(),
    };
    let again = sold.item(1).filter(|item| {
        item.kind == 'N'
            && sold
                .word(2)
                .is_some_and(|word| word.starts_with(['N', 'M']))
    });
    if again.is_some_and(|again| again.value != n) {
        return None;
    }
    let last = if again.is_some() {
        sold.value(2)?
    } else {
        sold.value(1).or_else(|| sold.value(2))?
    };
    let gain = (last - bought.value(2)?) * n;
    gained(reading, gain)
}

fn gained(reading: &Reading, gain: Ratio) -> Option<Computed> {
    let word = if gain.is_negative() { "loss" } else { "profit" };
    let mut out = show::money(reading, gain.clone(), "sold minus bought")?;
    let size = show::money(reading, gain.abs(), "")?;
    out.text = format!("{} ({word} of {})", out.text, size.text);
    Some(out)
}

/// "Revenue 5,000, costs 6,200: what's the profit?"
pub(super) fn profit(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:
            profit or loss|profit|loss|net profit|net result|result|net income|margin|
            how much is left|left|left over
          )$",
    )?;
    let income = scan.take(
        r"(?:revenue|revenues|sales|income|turnover|takings|earnings|took in|take in|earned)
          (?: is| are| was| were| of| :)* X",
    )?;
    let costs = scan.take(
        r"(?:costs?|expenses|spending|spent|cost of|expenditure|expenditures)
          (?: is| are| was| were| of| :)* X",
    )?;
    if reading.canon.ends_with("margin")
        || !scan.done("company shop business month year this last i our result profit monthly")
    {
        return None;
    }
    let gain = income.value(1)? - costs.value(1)?;
    let word = if gain.is_negative() { "loss" } else { "profit" };
    let mut out = show::money(reading, gain, "revenue minus costs")?;
    out.text = format!("{} ({word})", out.text);
    Some(out)
}

/// "Buy 2 get the third half price, each shirt is $18: what do 3 cost?", "3 for 2".
pub(super) fn deal(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let third = scan.take(
        r"buy (?:N|one) (?:and )?get (?:N |one |1 |third |second |another |next |another one )*
          (?:one |item |for )?
          (half price|half off|at half price|free|for free|for half price|P off|at P off)(?: off)?",
    );
    let for_two = if third.is_none() {
        scan.take(r"(?:(?:get )?N for (?:price of )?N|take N pay N)")
    } else {
        None
    };
    let price = scan.take(
        r"(?:each (?:[a-z]+ )?(?:is|costs|for)|(?:[a-z]+ )?(?:costs?|is|are|at)) X
            (?: each| apiece| per [a-z]+)?|
          X each|at X",
    )?;
    let wanted = scan.take(
        r"(?:for |do |buy |take |are |i buy |i want |cost of |price of |of |get |need )*N
          (?: [a-z]+)?(?: cost(?: me)?| in total)?",
    )?;
    if !scan.done_buying(
        "pizzas coffees coffee cost costs pay total shirt shirts price deal offer each me what \
         if sale special bottles bottle packs how much buying shop has i buy per",
    ) {
        return None;
    }
    let wanted = count(&wanted.value(1)?, 10_000)?;
    let each = (1..4).find_map(|group| price.value(group))?;
    let (group, paid) = match (&third, &for_two) {
        (Some(found), None) => {
            let bought = match found.value(1) {
                Some(bought) => count(&bought, 100)?,
                None => 1,
            };
            // "Buy 2 get 2 free" is another deal.
            if found.value(2).is_some_and(|more| !more.is_one()) {
                return None;
            }
            let word = (2..6).filter_map(|group| found.word(group)).find(|word| {
                word.contains("free") || word.contains("half") || word.contains("off")
            })?;
            let last = if word.contains("free") {
                Ratio::zero()
            } else if word.contains("half") {
                part(1, 2)
            } else {
                Ratio::one()
                    - &reading.items.iter().find(|item| item.kind == 'P')?.value / number(100)
            };
            (bought + 1, number(bought) + last)
        }
        (None, Some(found)) => {
            let (take, pay) = (count(&found.value(1)?, 100)?, count(&found.value(2)?, 100)?);
            if take != pay + 1 || !reading.canon.contains("N") {
                return None;
            }
            (take, number(pay))
        }
        _ => return None,
    };
    if group == 0 {
        return None;
    }
    let value = (number(wanted / group) * paid + number(wanted % group)) * each;
    show::money(reading, value, format!("{wanted} in groups of {group}"))
}

/// "Fixed costs 5,000, price 25, cost per piece 15: how many to break even?"
pub(super) fn even(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"how many (?:units |pieces |items |products |[a-z]+ )?
            (?:do i |must i |do we |must be |have to be |should i |need to be )?
            (?:need to |have to )?(?:sell |sold )?(?:to )?break even|
          break even (?:point|quantity)?",
    )?;
    let fixed = scan.take(
        r"(?:fixed costs?|fixed monthly costs|overhead|fixed expenses|rent)(?: are| is| of| :)* X|
          X (?:in )?(?:fixed costs?|fixed)",
    )?;
    let unit = scan.take(
        r"(?:costs?|variable costs?|material|unit cost|cost per unit|production costs?)
            (?: me| per unit| per piece| each| are| is| of| to make| one)* X
            (?: each| per unit| per piece| to make| to produce)*|
          X (?:each |per unit |per piece )?(?:to make|to produce)",
    )?;
    let price = scan.take(
        r"(?:sell(?:s|ing)?|price|sold|sales price|selling price)
          (?: it| them| each| for| at| is| of| one| price| per unit)* X
          (?: each| per unit| per piece)*",
    )?;
    if !scan.done(
        "fixed costs cost price each unit units per piece pieces make sell product i my it we \
         them business month",
    ) {
        return None;
    }
    let value = |found: &super::frame::Match<'_>| (1..4).find_map(|group| found.value(group));
    let margin = value(&price)? - value(&unit)?;
    if !margin.is_positive() {
        return None;
    }
    let pieces = (value(&fixed)? / margin).ceil();
    show::number(reading, pieces, "fixed costs / margin")
}
