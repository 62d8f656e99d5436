//! Money in daily life: wages, deductions, splitting, balances, profit and loss, prices of several things, deals.

use super::{
    Computed,
    frame::{Scan, whole},
    ratio::{Ratio, count, part, whole as number},
    show,
    text::{Item, Reading},
};
use num_traits::{One, Signed, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// What a question about money comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    split(reading)
        .or_else(|| several(reading))
        .or_else(|| afford(reading))
        .or_else(|| overtime(reading))
        .or_else(|| hourly(reading))
        .or_else(|| wage(reading))
        .or_else(|| split_story(reading))
        .or_else(|| bat_and_ball(reading))
        .or_else(|| deductions(reading))
        .or_else(|| balance(reading))
        .or_else(|| trade(reading))
        .or_else(|| profit(reading))
        .or_else(|| deal(reading))
        .or_else(|| shares(reading))
        .or_else(|| even(reading))
        .or_else(|| change(reading))
}

/// "Split 84.60 three ways", "divide a $120 bill among 5 people".
fn split(reading: &Reading) -> Option<Computed> {
    const SPLIT: &[&str] = &[
        r"(?:split|divide|share) (?:bill of |cost of |rent of |total of )?X(?: bill| rent| check| tab| cost)? (?:evenly |equally )?(?:between |among |amongst |by |in |into |with |for |across )?(?:us )?N(?: ways| people| persons| friends| of us| parts| equal parts| colleagues| roommates| flatmates| kids| children| guests| siblings)?(?: evenly| equally)?(?: [.,] (?:\? )?(?:how much|what) (?:does|is|do|will) (?:each|each person|each one|everyone|it|we each) ?(?:pay|get|gets|owe|per person)?)?",
        r"X (?:split|divided|shared) (?:evenly |equally )?(?:between |among |amongst |by |in |into )?N(?: ways| people| persons| friends| of us)?(?: evenly| equally)?",
        r"N (?:people|friends|of us|persons|colleagues|roommates|flatmates|siblings|guests) (?:split|share|are splitting|are sharing|divide|want to split)(?: bill of| rent of| cost of| taxi for| dinner bill of| dinner for)? X(?: bill| rent| dinner bill| taxi| dinner| check| tab)?(?: evenly| equally)? [.,] (?:\? )?(?:how much|what) (?:does|is|do|will|should) (?:each|each person|each one|everyone|we each|each of us|each friend)(?: of us| of them| person)? ?(?:pay|get|owe)?",
    ];
    let found = SPLIT.iter().find_map(|pattern| whole(reading, pattern))?;
    let (a, b) = (found.item(1)?, found.item(2)?);
    let (amount, people) = if found.reading.canon.starts_with("N0 ") {
        (b, a)
    } else {
        (a, b)
    };
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
    scan.take(r"(?:how much|what) ?(?:does|is|do|will|should|must)? ?(?:each|each one|everyone|everybody|we each|they each)(?: person| of us| of them| friend)?(?: have to| has to)? ?(?:pay|get|owe|share|pays)?|(?:how much|what is it|what does it cost) (?:per|for each) person|per person|each(?: share)?$")?;
    let people = scan.take(r"N (?:people|friends|of us|persons|colleagues|roommates|flatmates|siblings|guests|housemates|coworkers|kids|children|brothers|sisters)|(?:among|between|by|with) N|N ways")?;
    let amount = scan.take(r"X")?;
    if !scan.has("split splits splitting share shared sharing shares divide divided spent bill") || !scan.done("split splits splitting share shared sharing divide divided equally evenly bill cost costs dinner lunch taxi rent gift present pizza among between total fairly pay group trip house apartment spent paid altogether people friends persons roommates flatmates colleagues guests us") {
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
        r"([a-z]+) and ([a-z]+) cost X(?: in total| together| altogether)? [.,] ([a-z]+) costs X more than ([a-z]+) [.,] (?:how much (?:is|does|for)|what does|\?) ([a-z]+)(?: cost)?",
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
        r"(?:(?:what|how much) (?:do|does|would|will|are|is|for) |(?:total )?(?:cost|price) (?:of|for) |total for )?(?:i buy |buy )?N (?:[a-z]+ ){1,3}(?:at|for|costing|that cost|priced at) X (?:each|per piece|apiece|a piece|per [a-z]+)(?: (?:cost|come to|in total|altogether|total))*(?: [.,] (?:\? )?(?:how much|total|what) ?(?:is that|is it|do i pay|in total|altogether|does it cost|cost|does that cost|total)*)?",
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
    let found = whole(reading, r"can (?:i|we) (?:afford|buy|get|pay for) N (?:[a-z]+ ){1,3}(?:at|for|that cost|costing) X(?: each| apiece| per [a-z]+)? (?:with|on|if i have|having|if i only have|and i have|for) (?:only |budget of )?X")
        .map(|found| (found.value(1), found.value(2), found.value(3)))
        .or_else(|| {
            whole(reading, r"(?:i have|with|having) X [.,]? ?can (?:i|we) (?:afford|buy|get) N (?:[a-z]+ ){1,3}(?:at|for|that cost|costing) X(?: each| apiece| per [a-z]+)?").map(|found| (found.value(2), found.value(3), found.value(1)))
        })?;
    let (Some(n), Some(price), Some(have)) = found else {
        return None;
    };
    // "3 tickets for 45" may be the price of all.
    static ALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"N[0-9]+ [a-z ]+ for [NM][0-9]+").expect("fixed"));
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

/// "I make $23.50 an hour, 38 hours a week, overtime at 1.5x. I worked 44 hours."
fn overtime(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if !scan.has("overtime over beyond above") {
        return None;
    }
    let rate = scan.take(r"(?:make|earn|paid|get|at|wage is|pay is|rate is|hourly rate is|hourly wage is|pays|hourly pay is)? ?X per hour").or_else(|| scan.take(r"(?:hourly )?(?:wage|rate|pay)(?: is| of)* X"))?;
    let factor = scan.take(r"(?:overtime |it )?(?:is |are |paid |pays |hours |at |counts |everything |anything |hours are |is paid |are paid )*(?:N (?:x|times)(?: that| rate| pay| normal rate| regular rate| as much| my rate)*|(time and half|time and 1/2|double|double time)|x N|P extra|P (?:more|bonus|premium|surcharge|higher))(?: pay| rate)?(?: for)?(?: overtime| hours)?")?;
    let normal = scan.take(r"(?:over|after|beyond|above|more than|past|normal|regular|first|exceeding|contract is|contract of)(?: week is| hours)? T(?: per week| week| each week)?").or_else(|| scan.take(r"T (?:per|each|every) week(?: contract)?")).or_else(|| scan.take(r"T (?:regular|normal|contract|week)"))?;
    let worked =
        scan.take(r"(?:worked|work|did|put in|for) T(?: this week| last week| in a week| week)?")?;
    if !scan.done("make earn pay overtime hour hours week weekly before tax gross wage work worked this last rate paid my per regular everything above contract that normal total overtime's base extra is") {
        return None;
    }
    let factor = if let Some(value) = (1..6).find_map(|group| factor.item(group)) {
        if value.kind == 'P' {
            Ratio::one() + &value.value / number(100)
        } else {
            value.value.clone()
        }
    } else if factor.word(0)?.contains("double") {
        number(2)
    } else {
        part(3, 2)
    };
    let hour = number(3600);
    let (normal, worked) = (normal.base(1)? / &hour, worked.base(1)? / &hour);
    if worked < normal || factor < Ratio::one() {
        return None;
    }
    let rate = rate.item(1)?;
    let value = &rate.value * (&normal + (&worked - &normal) * &factor);
    show::money(
        reading,
        value,
        format!(
            "{} h at {} and {} h at {} times that",
            show::exact_text(&normal),
            rate.written,
            show::exact_text(&(&worked - &normal)),
            show::exact_text(&factor)
        ),
    )
}

/// "I earned $720 in 36 hours. What is my hourly wage?"
fn hourly(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"(?:i )?(?:earned|made|got paid|was paid|got|get|earn|make) X (?:in|for) T(?: of work)? [.,] (?:\? |what is |how much is |how much did i (?:earn|make) |how much do i (?:earn|make) |how much is that )*(?:hourly (?:wage|rate|pay)|that per hour|per hour|hourly)",
    )?;
    let hours = found.base(2)? / number(3600);
    hours.is_positive().then(|| {
        show::money(
            reading,
            found.value(1)? / &hours,
            format!("{} / {}", found.item(1)?.written, found.item(2)?.written),
        )
    })?
}

/// Pay by the hour, week, month and year.
fn wage(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let rate = scan.take(r"(?:make|earn|am paid|get paid|get|at|wage is|pay is|rate is|hourly rate is|hourly wage is|salary is|salary of|annual salary is|annual salary of|earning|paid|for)? ?X(?: gross| before tax| net)? per (hour|day|week|month|year|annum)|(hourly|monthly|annual|yearly|weekly) (?:salary|pay|wage|rate|income)(?: is| of| :)* X|X (hourly|monthly|annually|yearly|weekly|annual)")?;
    let item = (1..8).find_map(|group| rate.item(group))?;
    let given = (1..8)
        .filter_map(|group| rate.word(group))
        .find(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))?
        .to_owned();
    let hours = scan.take(r"(?:(?:and|for|work|working|worked|i work|at) )*T (?:per|each|every) (week|day|month)|(?:work|worked|for|works) T(?: this week| last week| in a week)?|T (week)");
    let weeks = scan
        .take(r"(?:for |over |in |and )*N (weeks|months|days|years)(?: per year| a year)?")
        .or_else(|| scan.take(r"(?:for |over |in )?T per year"));
    let asked = scan.take(r"(?:what|how much|how high|\?)? ?(?:is |do i |will i |would i |did i |does that |is that |do you )*(?:make |earn |get |come to |my )*(?:gross |total )?(?:(?:per|a|each|every|in a|in) (hour|day|week|month|year)|(hourly|daily|weekly|monthly|annual|yearly) (?:pay|salary|wage|income|rate|earnings)|(annually|monthly|weekly|hourly)|(pay|earn|make|earnings|total|paid|wage|salary|earned|come to))");
    if !scan.done("earn make pay salary wage gross hour week work working before tax that much it per weeks months each month year hours total day days job get paid with payments salaries i") {
        return None;
    }
    let asked = asked?;
    let target = (1..5).find_map(|group| asked.word(group))?;
    let unit = |word: &str| match word {
        "hour" | "hourly" => Some("hour"),
        "day" | "daily" => Some("day"),
        "week" | "weekly" => Some("week"),
        "month" | "monthly" => Some("month"),
        "year" | "annum" | "annual" | "yearly" | "annually" => Some("year"),
        _ => None,
    };
    let from = unit(&given)?;
    let how = format!("{} per {from}", item.written);
    let hours_value = hours
        .as_ref()
        .and_then(|found| (1..6).find_map(|group| found.item(group)))
        .map(|item| item.base() / number(3600));
    let hours_per = hours.as_ref().and_then(|found| {
        (1..6)
            .filter_map(|group| found.word(group))
            .find(|word| unit(word).is_some())
            .map(str::to_owned)
    });
    let span = weeks.as_ref().and_then(|found| found.item(1));
    match (from, unit(target), hours_value, hours_per.as_deref(), span) {
        // Per hour and hours worked, or hours of a week for a week's pay.
        ("hour", None, Some(hours), None, None) => show::money(reading, &item.value * hours, how),
        ("hour", Some("week"), Some(hours), Some("week"), None) => {
            show::money(reading, &item.value * hours, how)
        }
        ("hour", Some("year"), Some(hours), Some("week"), None) => show::money(
            reading,
            &item.value * hours * number(52),
            format!("{how}, 52 weeks"),
        ),
        ("hour", Some("year") | None, Some(hours), Some("week"), Some(span))
            if span.unit.is_some_and(|unit| unit.symbol == "weeks") =>
        {
            show::money(reading, &item.value * hours * &span.value, how)
        }
        ("hour", Some("month"), Some(hours), Some("month"), None) => {
            show::money(reading, &item.value * hours, how)
        }
        ("month", Some("year"), None, None, None) => {
            show::money(reading, &item.value * number(12), how)
        }
        ("year", Some("month"), None, None, None) => {
            show::money(reading, &item.value / number(12), how)
        }
        ("year", Some("week"), None, None, None) => show::money(
            reading,
            &item.value / number(52),
            format!("{how}, 52 weeks"),
        ),
        _ => None,
    }
}

/// "3,400 gross. 20.5% goes to social security, and of what remains 18% is tax: net pay?"
fn deductions(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let start = scan.take(r"(?:earn|make|salary is|salary of|gross salary of|gross salary is|gross is|gross pay is|gross|income is|get|have)? ?X(?: gross)?(?: per month| per year| monthly)?(?: gross)?")?;
    if !scan.has("net left remains take remaining after")
        || !scan.has("tax taxes deducted deductions gross")
    {
        return None;
    }
    let mut left = start.value(1)?;
    let begin = left.clone();
    let mut first = true;
    let mut steps = 0;
    let remains = reading.canon.contains("of what remains")
        || reading.canon.contains("of rest")
        || reading.canon.contains("of remainder")
        || reading.canon.contains("of remaining")
        || reading.canon.contains("of what is left");
    let percents: Vec<&Item> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'P')
        .collect();
    while scan.take(r"(?:(?:and |then |of what remains |of rest |of remainder |of what is left |of remaining amount |from |another |i pay |pay |minus )*P (?:of it |of that |of what remains |of rest |of remainder |of what is left |of remaining amount )?(?:goes to|goes for|is|for|are|of it goes to|go to|in|of|deducted for|is deducted for|is taken for)? ?(?:social security|tax|taxes|income tax|insurance|health insurance|pension|pension fund|deducted|social insurance|social contributions|deductions)?(?: of what remains| of rest| of remainder)?)").is_some() {
        let item = percents.get(steps)?;
        let base = if first || remains { left.clone() } else { begin.clone() };
        left -= base * &item.value / number(100);
        first = false;
        steps += 1;
    }
    // With several percentages, what the later ones are taken from has to be said.
    if steps == 0 || steps != percents.len() || steps > 1 && !remains || steps > 2 || !scan.done("net pay salary gross income tax taxes left remains take home month my after deductions is monthly what of that pay it deducted rest insurance social security") {
        return None;
    }
    show::money(
        reading,
        left,
        format!(
            "{} after {steps} deduction{}",
            show::exact_text(&begin),
            if steps == 1 { "" } else { "s" }
        ),
    )
}

/// "My account has 240. I pay 85.50, 120 and 99.90. What is my balance?"
fn balance(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:(?:new |current |final |account |my )*balance(?: now| then| after that| afterwards)?$|how much (?:is|money is|do i have|money do i have|will be|have i got)? ?(?:left|remaining|remains|in account|in my account|on account)(?: on account| in account| now)?)")?;
    let start = scan.take(r"(?:account (?:has|had|holds|shows|balance is|balance was|is at|contains|stands at)|i (?:have|had)|balance (?:is|was|of)|there (?:is|are|was)|start with|started with)(?: balance of)? X(?: in (?:account|bank|bank account)| on (?:account))?")?;
    let mut left = start.value(1)?;
    let mut steps = 0;
    while let Some(found) = scan.take(r"(?:then |and )?(?:i )?(spend|spent|pay|paid|withdraw|withdrew|deposit|deposited|receive|received|add|get|got|transfer out|take out|took out|pay in|put in|use|used) (?:another )?(?:@|X)(?: (?:for|on) (?:[a-z]+ )?[a-z]+)?") {
        let sum: Ratio = match found.list(2) {
            Some(list) => list.iter().map(|item| &item.value).sum(),
            None => found.value(3)?,
        };
        let plus = ["deposit", "deposited", "receive", "received", "add", "get", "got", "pay in", "put in"].contains(&found.word(1)?);
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

/// "I bought 100 shares at 42.10 and sold them at 38.75: profit or loss?"
fn trade(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    if let Some(found) = whole(
        reading,
        r"N (?:shares|stocks) (?:bought|purchased) (?:at|for) X(?: each| per share)? (?:and|,|then) (?:later )?sold (?:at|for) X(?: each| per share)? ?[.,:]? ?(?:\? )?(?:profit or loss|profit|loss|gain|gain or loss)",
    ) {
        let gain = (found.value(3)? - found.value(2)?) * found.value(1)?;
        return gained(reading, gain);
    }
    let bought = scan.take(r"(?:bought|buy|purchased|purchase) (?:N|(?:a|an|one|it))? ?(?:[a-z]+ )?(?:[a-z]+ )?(?:at|for) X(?: (each|per share|apiece|per piece|per unit))?")?;
    let sold = scan.take(r"(?:sold|sell|resold) (?:N |all |them |it |them all |all of them |later )*(?:[a-z]+ )?(?:at|for) X(?: (each|per share|apiece|per piece|per unit))?")?;
    scan.take(r"(?:how much )?(?:is |was |did i |do i |have i |my )*(?:profit or loss|profit|loss|gain|make|lose|profit do i make|profit did i make|gain or loss|win or lose|made|lost|earn)")?;
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
fn profit(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:(?:profit or loss|profit|loss|net profit|net result|result|net income|margin|how much is left|left|left over)$)",
    )?;
    let income = scan.take(r"(?:revenue|revenues|sales|income|turnover|takings|earnings|took in|take in|earned)(?: is| are| was| were| of| :)* X")?;
    let costs = scan.take(r"(?:costs?|expenses|spending|spent|cost of|expenditure|expenditures)(?: is| are| was| were| of| :)* X")?;
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
fn deal(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let third = scan.take(r"buy (?:N|one) (?:and )?get (?:N |one |1 |third |second |another |next |another one )*(?:one |item |for )?(half price|half off|at half price|free|for free|for half price|P off|at P off)(?: off)?");
    let for_two = if third.is_none() {
        scan.take(r"(?:(?:get )?N for (?:price of )?N|take N pay N)")
    } else {
        None
    };
    let price = scan.take(r"(?:each (?:[a-z]+ )?(?:is|costs|for)|(?:[a-z]+ )?(?:costs?|is|are|at)) X(?: each| apiece| per [a-z]+)?|X each|at X")?;
    let wanted = scan.take(r"(?:for |do |buy |take |are |i buy |i want |cost of |price of |of |get |need )*N(?: [a-z]+)?(?: cost(?: me)?| in total)?")?;
    if !scan.done_buying("pizzas coffees coffee cost costs pay total shirt shirts price deal offer each me what if sale special bottles bottle packs how much buying shop has i buy per") {
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

/// "Three flatmates share 1,140 rent by room size: 18, 14 and 25 m². What does the one with 14 pay?", "divide 600 in the ratio 2:3".
fn shares(reading: &Reading) -> Option<Computed> {
    let mut ratio = Scan::new(reading);
    if ratio.take(r"(?:in|into|by|at)? ?(?:ratio|proportion|proportions|ratios)(?: of| :)? N(?: (?::|to) N)+").is_some() {
        let total = ratio.take(r"X")?.item(1)?;
        let parts: Vec<&Item> = reading.items.iter().filter(|item| !std::ptr::eq(*item, total)).collect();
        let sum: Ratio = parts.iter().map(|item| &item.value).sum();
        let all = parts.iter().all(|item| item.kind == 'N' && item.value.is_positive());
        if !all || !ratio.done("split divide divided share shared sharing is rent cost profit each pay get gets receive receives people them parts part does between person inheritance money among into they") {
            return None;
        }
        let list: Vec<Ratio> = parts.iter().map(|item| &total.value * &item.value / &sum).collect();
        return show::list(&list, format!("{} in {} shares", total.written, show::exact_text(&sum)));
    }
    let mut scan = Scan::new(reading);
    let people = scan.take(
        r"N (?:flatmates|roommates|people|friends|tenants|students|siblings|partners|housemates)",
    )?;
    let sizes = scan.take(r"(?:by|according to|based on|in proportion to|proportional to|proportionally to) (?:room |their |floor )*(?:size|area|sizes|room sizes|room size|square meters|m2|size of rooms|size of their rooms|hours|income|incomes)[ :,.(]*(?:rooms are |rooms have |they are |they have |have )?@")?;
    let rent = scan.take(r"(?:share|split|pay|divide)? ?(?:rent of |total rent of )?X(?: rent| in rent| per month| of rent)*")?;
    let one = scan.take(r"(?:(?:one|person|room|tenant|flatmate) (?:with|of|in|who has|having|in room of|with room of) (?:room of )?|for )([NAL][0-9]+)(?: room)?(?: pay| pays)?")?;
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

/// "Fixed costs 5,000, price 25, cost per piece 15: how many to break even?"
fn even(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:how many (?:units |pieces |items |products |[a-z]+ )?(?:do i |must i |do we |must be |have to be |should i |need to be )?(?:need to |have to )?(?:sell |sold )?(?:to )?break even|break even (?:point|quantity)?)")?;
    let fixed = scan.take(r"(?:fixed costs?|fixed monthly costs|overhead|fixed expenses|rent)(?: are| is| of| :)* X|X (?:in )?(?:fixed costs?|fixed)")?;
    let unit = scan.take(r"(?:(?:costs?|variable costs?|material|unit cost|cost per unit|production costs?)(?: me| per unit| per piece| each| are| is| of| to make| one)* X(?: each| per unit| per piece| to make| to produce)*|X (?:each |per unit |per piece )?(?:to make|to produce))")?;
    let price = scan.take(r"(?:sell(?:s|ing)?|price|sold|sales price|selling price)(?: it| them| each| for| at| is| of| one| price| per unit)* X(?: each| per unit| per piece)*")?;
    if !scan.done("fixed costs cost price each unit units per piece pieces make sell product i my it we them business month") {
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

/// "Something costs 13.45, I pay with a 20: how much change?"
fn change(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(r"(?:how much )?(?:is |my )?change (?:do i |will i |should i |would i )?(?:get|receive|get back|back)?")?;
    let paid = scan.take(r"(?:pay(?:ing)?|paid|hand over|give|gave)(?: with| cash| cashier| them)* (?:a |an )?X(?: bill| note| dollar bill)?").or_else(|| scan.take(r"(?:from|for|out of|with) X(?: bill| note)?"))?;
    let cost = scan.take(r"(?:costs?|bill is|total is|price is|purchase of|bill of|for|comes to|buy something for|is) X|X purchase")?;
    if !scan.done_buying("change back get bill total something it i costs purchase note item my") {
        return None;
    }
    let value = paid.value(1)? - cost.value(1).or_else(|| cost.value(2))?;
    (!value.is_negative()).then(|| show::money(reading, value, "paid minus price"))?
}
