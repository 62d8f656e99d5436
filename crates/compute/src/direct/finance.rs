//! Interest, savings plans, loans, and money changed at a rate that the question gives.

use super::{
    Computed,
    frame::{Match, Scan, whole},
    ratio::{self, Ratio, checked, count, whole as number, whole_power},
    show,
    text::{Reading, currency_named},
};
use crate::number::Value;
use num_traits::{One, Signed, Zero};

/// What a question about interest or exchange comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    exchange(reading)
        .or_else(|| loan(reading))
        .or_else(|| first_month(reading))
        .or_else(|| savings(reading))
        .or_else(|| doubling(reading))
        .or_else(|| interest(reading))
}

/// How long, in months.
fn months(scan: &mut Scan<'_>) -> Option<Ratio> {
    if let Some(found) = scan.take(
        r"(?:
            for |in |over |after |over course of |during |within |term of |term is |at end of |
            period of )*
          N (?:more )?(years?|months?|yrs?|yr)(?: term| long| from now| later| mortgage| loan)?",
    ) {
        let value = found.value(1)?;
        return Some(if found.word(2)?.starts_with('m') {
            value
        } else {
            value * number(12)
        });
    }
    scan.take(r"(?:after|for|in|over) (?:one )?year$")
        .map(|_| number(12))
}

fn rate(scan: &mut Scan<'_>) -> Option<(Ratio, bool)> {
    let found = scan.take(
        r"(?:
            at |with |of |earning |earns |pays |paying |by |and |yields |is |an? |grows at |
            grow at |rate of |rate is |inflation is |inflation of |interest rate of |interest of |
            returns |averaging |fixed )*
          P(?: fixed| simple| compound)*
          (?: annual| yearly| nominal| interest| apr| apy| rate| return| monthly| inflation| growth
            | p\.a\.| pa
          )*(?: per (year|annum|month)| annually| yearly| year| interest per year)?(?: interest)?
          (?: rate)?",
    )?;
    let monthly =
        found.word(2) == Some("month") || found.word(0).is_some_and(|all| all.contains(" monthly"));
    Some((found.share(1)?, monthly))
}

fn power(base: &Ratio, times: usize) -> Option<Value> {
    // Exact while it stays short; beyond that a float has more digits than a cent needs.
    let exact = i32::try_from(times)
        .ok()
        .filter(|times| *times <= 40)
        .and_then(|times| whole_power(base, times));
    match exact {
        Some(exact) => Some(Value::Exact(exact)),
        None => checked(libm::pow(ratio::float(base)?, times as f64)),
    }
}

fn scaled(value: &Value, by: &Ratio) -> Option<Value> {
    match value {
        Value::Exact(exact) => Some(Value::Exact(exact * by)),
        Value::Float(float) => checked(float * ratio::float(by)?),
    }
}

fn minus(value: &Value, less: &Ratio) -> Option<Value> {
    match value {
        Value::Exact(exact) => Some(Value::Exact(exact - less)),
        Value::Float(float) => checked(float - ratio::float(less)?),
    }
}

const WORDS: &str = "interest simple compound compounded compounding annual annually yearly \
                     monthly per year month months years year rate bank account savings deposit \
                     deposited invest invested investing investment put grow grows growing worth \
                     value earn earns earned after end money principal pays pay back later left \
                     saved save balance have my will be total percent lend lent borrow borrowed \
                     loan p.a. a each fund stocks index return returns it sum daily quarterly \
                     some today leave";

/// Simple and compound interest.
fn interest(reading: &Reading) -> Option<Computed> {
    const GROWS: &str = "invest invested investing grow grows worth investment savings put \
                         deposit deposited have";
    let mut scan = Scan::new(reading);
    let (rate, monthly_rate) = rate(&mut scan)?;
    let months = months(&mut scan)?;
    let start = scan.take(r"X")?;
    let principal = start.item(1)?;
    let about = scan.has(
        "interest compound compounded worth grow grows invest invested earn investment savings \
         bank account",
    );
    if !scan.done(WORDS) || monthly_rate || !about {
        return None;
    }
    let said = scan.has("compound compounded compounding");
    let (asks_interest, asks_total) = asked_of_interest(reading, &scan)?;
    let years = &months / number(12);
    let name = format!(
        "{} at {} % for {} years",
        principal.written,
        show::exact_text(&(&rate * number(100))),
        show::exact_text(&years)
    );
    if scan.has("simple") || asks_interest && !said {
        // Interest of savings without a word for which kind: both are in use.
        let one_way = years.is_one() && !scan.has("monthly quarterly daily");
        if !scan.has("simple") && scan.has(GROWS) && !one_way {
            return None;
        }
        let gain = &principal.value * &rate * &years;
        if asks_interest || !asks_total {
            return show::money(reading, gain, format!("simple interest on {name}"));
        }
        return show::money(
            reading,
            &principal.value + gain,
            format!("{name}, simple interest"),
        );
    }
    if !said && !scan.has(GROWS) {
        return None;
    }
    let (per_year, often) = often(&scan);
    let periods = count(&(&years * number(per_year)), 20_000)?;
    let factor = power(&(Ratio::one() + &rate / number(per_year)), periods)?;
    let end = scaled(&factor, &principal.value)?;
    if asks_interest {
        return show::money(
            reading,
            minus(&end, &principal.value)?,
            format!("interest on {name}, {often}"),
        );
    }
    asks_total.then(|| show::money(reading, end, format!("{name}, {often}")))?
}

/// Whether the interest is asked for, and whether the amount at the end is. Nothing where both might be meant.
fn asked_of_interest(reading: &Reading, scan: &Scan<'_>) -> Option<(bool, bool)> {
    const END: &[&str] = &[
        "final amount",
        "end amount",
        "final balance",
        "end balance",
        "final value",
        "end value",
    ];
    let canon = &reading.canon;
    let names_end = END.iter().any(|end| canon.ends_with(end));
    let asks_total = scan.has("total worth value balance have grow grows after");
    let asks = [
        "? interest",
        "? simple interest",
        "? compound interest",
        "how much interest",
        "? total interest",
    ];
    let names = ["interest", "simple interest", "compound interest"];
    let asks_interest = if asks.iter().any(|ask| canon.contains(ask)) {
        !scan.has("left")
    } else if names.iter().any(|name| canon.starts_with(name)) {
        // "Compound interest: 800 at 6%, 5 years. Final amount?" only names what it is about.
        if scan.has("final amount end balance worth value total back left") && !names_end {
            return None;
        }
        !names_end
    } else {
        false
    };
    let asks_total = asks_total || names_end;
    Some((asks_interest, asks_total))
}

/// How often a year interest is added.
fn often(scan: &Scan<'_>) -> (i64, &'static str) {
    if scan.has("monthly") {
        (12, "compounded monthly")
    } else if scan.has("quarterly") {
        (4, "compounded quarterly")
    } else if scan.has("daily") {
        (365, "compounded daily")
    } else {
        (1, "compounded yearly")
    }
}

/// "What's the monthly payment on a $20,000 car loan at 6% for 5 years?"
fn loan(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let asked = scan.take(
        r"(
            monthly (?:payments?|rate|installments?|instalments?)|
            payment per month|
            how much (?:do i|will i|would i|is it to) pay (?:per|each|every|a)? ?month(?: ly)?|
            (?:how much )?(?:do|will|would) i pay (?:per|each|every) month|
            how much per month|pay per month|pay monthly|
            (?:how much )?(?:total )?interest (?:do i|will i|would i)? ?(?:pay )?in total|
            total interest
          )",
    )?;
    if !scan.has(
        "loan mortgage credit borrow borrowed borrowing financed finance repay paid off annuity",
    ) {
        return None;
    }
    let months = months(&mut scan)?;
    let (rate, monthly_rate) = rate(&mut scan)?;
    let start = scan.take(r"X")?;
    if !scan.done(
        "loan mortgage car house home credit borrow borrowed borrowing interest rate annual \
         yearly year fixed term payment payments monthly repay repaid paid off pay over equal \
         installments per month apr student personal finance financed with annuity bank back a \
         auto new",
    ) || monthly_rate
    {
        return None;
    }
    let n = count(&months, 1200).filter(|n| *n > 0)?;
    let principal = start.item(1)?;
    let payment = annuity(&principal.value, &(&rate / number(12)), n)?;
    let name = format!(
        "{} at {} % over {n} months",
        principal.written,
        show::exact_text(&(&rate * number(100)))
    );
    if asked.word(1)?.contains("interest") {
        let paid = scaled(&payment, &number(n))?;
        return show::money(
            reading,
            minus(&paid, &principal.value)?,
            format!("interest of {name}"),
        );
    }
    show::money(reading, payment, format!("annuity of {name}"))
}

fn annuity(principal: &Ratio, rate: &Ratio, n: usize) -> Option<Value> {
    if rate.is_zero() {
        return Some(Value::Exact(principal / number(n)));
    }
    let growth = power(&(Ratio::one() + rate), n)?;
    match growth {
        Value::Exact(growth) => Some(Value::Exact(
            principal * rate * &growth / (&growth - Ratio::one()),
        )),
        Value::Float(growth) => {
            checked(ratio::float(principal)? * ratio::float(rate)? * growth / (growth - 1.0))
        }
    }
}

/// "I owe $3,200 at 24% APR. How much interest in the first month?"
fn first_month(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:how much )?(?:is |are )?
            interest (?:
              do|will|would|is|for|in|charge|charges|will i|do i|i|charged|accrues|per|during|of
            )?(?: i| be| it| we)?(?: pay| owe| charged| add| accrue| accrues| due)?
            (?: in| for| during| per| after)? (?:first |one |1 |single )?month|
          monthly interest(?: charge)?|
          first month's interest|
          interest charge(?: for| per| in)? (?:one |first |a )?month",
    )?;
    let (rate, monthly) = rate(&mut scan)?;
    let start = scan.take(r"X")?;
    if monthly
        || !scan.done(
            "owe card credit balance debt apr loan interest on annual rate mortgage first month \
             my have carry a",
        )
    {
        return None;
    }
    let value = &start.item(1)?.value * &rate / number(12);
    show::money(
        reading,
        value,
        format!(
            "{} × {} % / 12",
            start.item(1)?.written,
            show::exact_text(&(rate * number(100)))
        ),
    )
}

/// "I save 200 a month for 20 years at 5%, compounded monthly, deposits at the end of each month."
fn savings(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let deposit = scan.take(
        r"(?:
              save|saving|put away|put aside|set aside|deposit|invest|pay in|put|contribute|saves?|
              add|investing
            )? ?X (?:(?:into|in|to) (?:savings account|account|fund|savings|etf|bank) )?
            (?:(?:at|on) (?:end|beginning|start) of )?(?:every|each|per) (month|year|week)|
          X (monthly|yearly|weekly)(?: deposits| into)?",
    )?;
    let (item, period) = match (deposit.item(1), deposit.item(3)) {
        (Some(item), _) => (item, deposit.word(2)?),
        (_, Some(item)) => (item, deposit.word(4)?),
        _ => return None,
    };
    let months = months(&mut scan)?;
    let end = scan.take(
        r"(?:deposits?|payments?|paid|deposited|contributions?)? ?(?:made )?
          (?:at|on) (end|start|beginning) of (?:each|every) (?:month|year)",
    );
    let own = deposit.word(0).unwrap_or("");
    let own = ["end", "beginning", "start"]
        .into_iter()
        .find(|word| own.contains(&format!(" {word} of ")));
    let when = own
        .or_else(|| end.as_ref().and_then(|found| found.word(1)))
        .unwrap_or("");
    let interest = rate(&mut scan);
    if !scan.done(WORDS)
        || !scan.has("save saving put deposit invest set contribute have saved investing")
    {
        return None;
    }
    let years = &months / number(12);
    let per_year = match period.trim_end_matches("ly") {
        "month" => 12,
        "year" => 1,
        "week" if interest.is_none() => 52,
        _ => return None,
    };
    let n = count(&(&years * number(per_year)), 20_000)?;
    let name = format!("{n} deposits of {}", item.written);
    let Some((rate, monthly)) = interest else {
        return show::money(reading, &item.value * number(n), name);
    };
    // With interest, when deposits are made and how often it is compounded has to be said.
    let compounded = (per_year == 12)
        == (reading.canon.contains("compounded monthly")
            || reading.canon.contains("monthly compounding"));
    if monthly || when.is_empty() || !compounded || rate.is_zero() {
        return None;
    }
    let step = &rate / number(per_year);
    let growth = power(&(Ratio::one() + &step), n)?;
    let sum = scaled(&minus(&growth, &Ratio::one())?, &(&item.value / &step))?;
    let sum = if when == "end" {
        sum
    } else {
        scaled(&sum, &(Ratio::one() + &step))?
    };
    show::money(
        reading,
        sum,
        format!(
            "{name} at {} %, {when} of the {period}",
            show::exact_text(&(&rate * number(100)))
        ),
    )
}

/// "How many years until money doubles at 6%?"
fn doubling(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    scan.take(
        r"(?:how long|how many years)
          (?: does it take| will it take| do i need| it takes| until| does)*(?: for| until| to)*
          (?: my| money| investment| savings| it| amount| an investment| capital)* (?:to )?
          (double|doubles|to double|doubling)(?: my money| money| it| in value)?",
    )?;
    let (rate, monthly) = rate(&mut scan)?;
    if monthly
        || !rate.is_positive()
        || !scan.done(
            "money investment compounded annually yearly interest annual return year per \
             compound if grows at",
        )
    {
        return None;
    }
    let years = std::f64::consts::LN_2 / libm::log(ratio::float(&(Ratio::one() + &rate))?);
    let mut out = show::quantity(
        reading,
        checked(years)?,
        "years",
        format!("ln 2 / ln {}", show::exact_text(&(Ratio::one() + &rate))),
    )?;
    out.text = format!("≈ {years:.1} years");
    Some(out)
}

const EXCHANGE_WORDS: &str = "exchange rate dollars dollar euros euro yen pounds francs converted convert worth \
     change currency costs cost bill price in hotel buy that amount exchange have chf \
     usd eur jpy gbp pesos rupees receive";

/// Money changed at a rate that the question gives.
fn exchange(reading: &Reading) -> Option<Computed> {
    // "100 USD at 0.92 to EUR"
    if let Some(found) = whole(
        reading,
        r"(?:convert |change |exchange )?M (?:at|times) (?:rate of |exchange rate of )?
          N (?:to|in|into) ([a-z]+)",
    )
    .or_else(|| {
        whole(
            reading,
            r"(?:convert |change |exchange )?
              M (?:to|in|into) ([a-z]+) (?:at|with) (?:rate of |exchange rate of |rate )?N",
        )
    }) {
        let (amount, rate) = (found.item(1)?, found.item(2).or_else(|| found.item(3))?);
        let name = found
            .word(2)
            .filter(|word| currency_named(word).is_some())
            .or_else(|| found.word(3))?;
        let to = currency_named(name)?;
        return (amount.currency != Some(to)).then(|| {
            show::money_in(
                &amount.value * &rate.value,
                to,
                format!("{} × {}", amount.written, rate.written),
            )
        })?;
    }
    let mut scan = Scan::new(reading);
    let given = scan.take(
        r"(?:if |with |at )?(?:exchange rate |rate |exchange rate is |rate is )?(?:of |: |where )*
          M (?:=|is|equals|are|is worth|costs|buys|gets me|gets you|to|gives) M",
    );
    let rate: Vec<(Ratio, &'static str)> = if let Some(given) = &given {
        let (a, b) = (given.item(1)?, given.item(2)?);
        vec![
            (a.value.clone(), a.currency?),
            (b.value.clone(), b.currency?),
        ]
    } else {
        let given = scan.take(
            r"(?:at |with |exchange |is )*rate (?:is |of )*M (?:per|for|to) (?:one |1 )?([a-z]+)",
        )?;
        let item = given.item(1)?;
        vec![
            (item.value.clone(), item.currency?),
            (Ratio::one(), currency_named(given.word(2)?)?),
        ]
    };
    let fee = scan.take(
        r"(?:with |minus |less |and |plus |bank charges |charges |fee of |fee is |there is )*
          P (?:fee|commission|charge|bank fee)",
    );
    let amount = scan.take(r"M")?;
    let item = amount.item(1)?;
    let target = target_currency(&mut scan, item.currency?)?;
    let pair = |currency: &str| {
        rate.iter()
            .find(|(_, name)| *name == currency)
            .map(|(value, _)| value.clone())
    };
    let (from, to) = (pair(item.currency?)?, pair(target)?);
    if from.is_zero() || target == item.currency? || !scan.done(EXCHANGE_WORDS) {
        return None;
    }
    let mut value = &item.value * &to / &from;
    if let Some(fee) = fee {
        value *= Ratio::one() - fee.share(1)?;
    }
    show::money_in(
        value,
        target,
        format!(
            "{} × {} / {}",
            item.written,
            show::exact_text(&to),
            show::exact_text(&from)
        ),
    )
}

/// The currency asked for: "in dollars", "how many dollars".
fn target_currency(scan: &mut Scan<'_>, from: &'static str) -> Option<&'static str> {
    const ASK: &str = r"
        (?:in|into|to|how many|how much in|as|for) ([a-z]+)
        (?: (?:
            is that|do i get|will i get|are|is|would i get|can i get|do i need|
            for|i get|do i receive|is it|do i have to pay|would that be|
            does it cost|i have to pay
          )
        )?";
    for _ in 0..4 {
        let found: Match<'_> = scan.take(ASK)?;
        if let Some(name) = currency_named(found.word(1)?).filter(|name| *name != from) {
            return Some(name);
        }
    }
    None
}
