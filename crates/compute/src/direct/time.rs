//! Times of day: clock arithmetic, time between two clock times, time zones given as offsets, hours of work.
//!
//! A time without am or pm is read on the 24-hour clock; where an end would lie before its start, the question has to
//! say which of the two it means (am, pm or a night), else there is no answer.

use super::{
    Computed, Outcome,
    frame::{Scan, whole},
    ratio::{Ratio, whole as number},
    show,
    text::{Item, Reading},
    unit::Unit,
};
use crate::pattern::regex;
use num_traits::{Signed, ToPrimitive, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// What a question about times comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    if !reading.items.iter().any(|item| item.kind == 'C') {
        return military(reading);
    }
    clock_of(reading)
        .or_else(|| zones(reading))
        .or_else(|| flight(reading))
        .or_else(|| shifted(reading))
        .or_else(|| worked(reading))
        .or_else(|| between(reading))
        .or_else(|| trip(reading))
}

fn clock(reading: &Reading, minutes: &Ratio, how: String) -> Option<Computed> {
    let day = number(1440);
    if !minutes.is_integer() {
        return None;
    }
    let days = (minutes / &day).floor();
    let rest = (minutes - &days * &day).to_integer().to_u16()?;
    let days = days
        .to_integer()
        .to_i32()
        .filter(|days| days.abs() < 1000)?;
    let half_days = reading
        .items
        .iter()
        .any(|item| item.kind == 'C' && item.written.trim_end_matches('.').ends_with('m'));
    let text = clock_text(rest, half_days);
    let text = match days {
        0 => text,
        1 => format!("{text} the next day"),
        -1 => format!("{text} the day before"),
        later if later > 0 => format!("{text}, {later} days later"),
        earlier => format!("{text}, {} days earlier", -earlier),
    };
    Some(Computed {
        value: Outcome::Clock {
            minutes: rest,
            days,
            half_days,
        },
        text,
        how,
    })
}

fn clock_text(minutes: u16, half_days: bool) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60);
    if !half_days {
        return format!("{hour}:{minute:02}");
    }
    let shown = if hour % 12 == 0 { 12 } else { hour % 12 };
    format!(
        "{shown}:{minute:02} {}",
        if hour < 12 { "am" } else { "pm" }
    )
}

fn minutes(item: &Item) -> Ratio {
    item.base() / number(60)
}

/// "21:35 in 12 hour time", "7:45 pm on the 24-hour clock", "6 pm in military time".
fn clock_of(reading: &Reading) -> Option<Computed> {
    const CLOCK: &str = r"
        (?:convert |express |write |say |change )?
        C (?:in|on|to|as|into|using|with) (?:T|(military)) (?:clock|time|format|notation|clock time)
        (?: (?:with|using) am or pm)?";
    let found = whole(reading, CLOCK)?;
    // "9:00 in 12 hours time" is later, not in another notation.
    if found
        .item(2)
        .is_some_and(|span| span.written.ends_with('s'))
    {
        return None;
    }
    let hours = match found.base(2) {
        Some(seconds) => seconds / number(3600),
        None => number(24),
    };
    let item = found.item(1)?;
    shown_on(
        item.value.to_integer().to_u16()?,
        &hours,
        item.written.clone(),
    )
}

/// "0030 hours on a 12-hour clock".
fn military(reading: &Reading) -> Option<Computed> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:what is |convert |express |write )?([01]\d|2[0-3])([0-5]\d)
              (?: ?(?:hours|hrs|h))? (?:in|on|to|as|into|using) (?:an? |the )?12 ?(?:hour|hr|h)
              (?: clock| time| format)?(?: (?:with|using) am or pm)?[?. ]*$",
        )
    });
    let found = FORM.captures(&reading.plain)?;
    let (hour, minute): (u16, u16) = (found[1].parse().ok()?, found[2].parse().ok()?);
    shown_on(
        hour * 60 + minute,
        &number(12),
        format!("{}:{}", &found[1], &found[2]),
    )
}

/// A time on the clock of 12 or of 24 hours.
fn shown_on(minutes: u16, hours: &Ratio, how: String) -> Option<Computed> {
    let half_days = match hours {
        twelve if *twelve == number(12) => true,
        day if *day == number(24) => false,
        _ => return None,
    };
    Some(Computed {
        value: Outcome::Clock {
            minutes,
            days: 0,
            half_days,
        },
        text: clock_text(minutes, half_days),
        how,
    })
}

/// "10:00 in Berlin (UTC+2): when is that in San Francisco (UTC-7)?"
fn zones(reading: &Reading) -> Option<Computed> {
    let offsets: Vec<&Item> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'Z')
        .collect();
    let clocks: Vec<&Item> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'C')
        .collect();
    let ([from, to], [start]) = (offsets.as_slice(), clocks.as_slice()) else {
        return None;
    };
    if reading.items.len() != 3 {
        return None;
    }
    let mut scan = Scan::new(reading);
    // The time stands with the first offset; the second belongs to what is asked.
    let first = scan.take(r"C (?:local time )?(?:in |at )?(?:[a-z]+ ){0,3}Z")?;
    let second = scan.take(r"(?:in|at|to|for|into) (?:[a-z]+ ){0,3}Z")?;
    if first.item(2)?.written != from.written
        || second.item(1)?.written != to.written
        || !scan.done(
            "meeting call starts start time begins begin local convert flight takes place event \
             game lands webinar time what when it is conference scheduled",
        )
    {
        return None;
    }
    let value = &start.value - &from.value + &to.value;
    clock(
        reading,
        &value,
        format!("{} from {} to {}", start.written, from.written, to.written),
    )
}

/// "Leaves at 22:50, takes 11 hours 35 minutes, the destination is 6 hours ahead: local time on landing?"
fn flight(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let zone = scan.take(
        r"(?:
            destination|it|there|arrival city|local time there|time there|time zone|clock there|
            clocks there|[a-z]+
          ) is T (ahead|behind|later|earlier)
          (?: of us| of origin| in time| of departure city| of home)?",
    )?;
    let start = scan.take(
        r"(?:leaves?|departs?|takes? off|departing|leaving|starts?|departure)(?: at| is at| is)? C",
    )?;
    let takes = scan
        .take(
            r"(?:takes?|lasts?|flight time(?: is)?|duration(?: is)?|flies|flying time(?: is)?|for) (?:for )?
              T",
        )
        .or_else(|| scan.take(r"T (?:long |)(?:flight)"))?;
    scan.take(
        r"(?:(?:local )?time|when (?:do|does|will) (?:i|it|we)|when)
          (?: when| at| do| is it| on| there| arrival)*(?: i| we| it| plane)? ?
          (?:land|lands|arrive|arrives|arrival|landing|there)?",
    )?;
    if !scan.done(
        "flight plane local time land lands arrive arrives arrival landing when destination \
         there my train",
    ) {
        return None;
    }
    let sign = if ["ahead", "later"].contains(&zone.word(2)?) {
        number(1)
    } else {
        number(-1)
    };
    let start = start.item(1)?;
    let value = &start.value + minutes(takes.item(1)?) + sign * minutes(zone.item(1)?);
    clock(
        reading,
        &value,
        format!(
            "{} plus {}, {} {}",
            start.written,
            takes.item(1)?.written,
            zone.item(1)?.written,
            zone.word(2)?
        ),
    )
}

/// "13:45 plus 2h50", "what time is it 90 minutes after 11:20 pm", "3 hours before noon".
fn shifted(reading: &Reading) -> Option<Computed> {
    const SHIFT: &[&str] = &[
        r"C (plus|\+|and|minus|-|less) T(?: (?:\+|plus|and) T)?(?: later)?",
        r"(?:(?:what|which) time (?:is it|is|was it|was|will it be|will be)|time|when is)? ?
          (?:exactly )?T (after|before|past|from|later than|earlier than|prior to) C",
        r"(?:(?:if )?it is|now it is|time is|right now it is|if time is|it is now|if now is) C
          (?: now)? ?[.,]? ?(?:and )?(?:\? )?
          (?:
            (?:what|which) time (?:will it be|is it|was it|will be|would it be|is)|
            what will time be|time|when is it
          )? ?(?:in |after )?T(?: (from now|later|ago|earlier|before|after that))?",
        r"(?:(?:what|which) time (?:will it be|is it|was it)) T (after|before|from) C",
        r"(add|subtract) T (?:to|from) C",
    ];
    let found = SHIFT.iter().find_map(|pattern| whole(reading, pattern))?;
    let words: Vec<&str> = (1..6).filter_map(|group| found.word(group)).collect();
    let back = words.iter().any(|word| {
        [
            "minus",
            "-",
            "less",
            "before",
            "ago",
            "earlier",
            "earlier than",
            "prior to",
            "subtract",
        ]
        .contains(word)
    });
    let start = reading.items.iter().find(|item| item.kind == 'C')?;
    let span: Ratio = reading
        .items
        .iter()
        .filter(|item| item.kind == 'T')
        .map(minutes)
        .sum();
    let value = if back {
        &start.value - &span
    } else {
        &start.value + &span
    };
    // "3:30 minus 5 hours" may be an afternoon: the text says which day it reads.
    clock(
        reading,
        &value,
        format!(
            "{} {} {}",
            start.written,
            if back { "minus" } else { "plus" },
            reading.items.iter().find(|item| item.kind == 'T')?.written
        ),
    )
}

/// Minutes from one clock time to another; over midnight only where that is certain.
fn span(from: &Item, to: &Item, overnight: bool) -> Option<Ratio> {
    let length = &to.value - &from.value;
    if length.is_positive() {
        // "from 9 to 5:30": both without am and pm and in order.
        return Some(length);
    }
    if length.is_zero() {
        return None;
    }
    let half_days = |item: &Item| item.written.trim_end_matches('.').ends_with('m');
    // "22:00 to 6:30": who writes 22:00 uses the clock of 24 hours.
    let long_clock = from.value >= number(780) && !half_days(from) && !half_days(to);
    let certain = from.sure && to.sure || overnight || long_clock;
    certain.then(|| length + number(1440))
}

fn overnight(reading: &Reading) -> bool {
    [
        "next day",
        "next morning",
        "following day",
        "overnight",
        "night",
        "asleep",
        "sleep",
        "bed",
    ]
    .iter()
    .any(|word| reading.canon.contains(word))
}

/// Hours worked with a break.
fn worked(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let times = scan
        .take(
            r"(?:
                start(?:ed)?|begin|began|work(?:ed)?|arrived?|came|come|clock in|clocked in|shift
              )(?: work| working| my shift| is| was)?
              (?: at| from)? C (?:(?:and|until|till|to|,|-) ?)*(?:i )?
              (?:
                finish(?:ed)?|end(?:ed)?|stop(?:ped)?|leave|left|clock out|clocked out|go home|
                went home|quit
              )?(?: work| working)?(?: at)? C",
        )
        .or_else(|| scan.take(r"from C (?:to|until|till|-) C"))?;
    let pause = scan
        .take(
            r"(?:with |and |including |minus |less |take |took |had |have |of which )*(?:an? )?
              (?:unpaid )?T (?:unpaid |lunch |long )*(?:break|lunch|pause|lunch break|off)",
        )
        .or_else(|| scan.take(r"(?:break|lunch|pause)(?: of| is| was| lasts| takes| for)* T"));
    let pay = scan.take(r"(?:(?:at|for|earn|make|paid|get|wage is|rate is|wage of) )?X per hour");
    let asked = scan.take(
        r"how (?:many hours|long|much time|many hours and minutes|many minutes)(?: and minutes)?
            (?: did| do| have| was| is| am| are)?(?: i| my shift| it| that| we)?(?: actually)?
            (?: work| worked| working| at work)?|
          (?:net |total )?(?:working|work) (?:time|hours)|
          hours(?: worked)?|
          hours and minutes",
    );
    if !scan.done(
        "work worked working shift day hours minutes lunch break breaks without unpaid net my \
         did pay earn earned paid today each i finish",
    ) {
        return None;
    }
    if !scan.has("work worked shift working start started begin clock clocked") {
        return None;
    }
    let length = span(times.item(1)?, times.item(2)?, overnight(reading))? * number(60);
    let rest = match &pause {
        Some(found) => found.base(1)?,
        None => Ratio::zero(),
    };
    let seconds = length - rest;
    let how = format!(
        "{} to {}{}",
        times.item(1)?.written,
        times.item(2)?.written,
        pause.as_ref().map_or(String::new(), |found| format!(
            " minus {}",
            found.item(1).map_or("", |item| item.written.as_str())
        ))
    );
    match (pay, asked) {
        (Some(pay), None) if scan.has("pay earn earned paid") => {
            show::money(reading, seconds / number(3600) * pay.value(1)?, how)
        }
        (None, Some(_)) if seconds.is_positive() => show::duration(&seconds, how),
        _ => None,
    }
}

/// "How many minutes is it from 9:47 am to 2:15 pm?", "train leaves 14:37, arrives 18:05: how long?"
fn between(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let times = scan
        .take(r"(?:from|between) C (?:to|until|till|and|-) C")
        .or_else(|| {
            scan.take(
                r"(?:
                    leaves?|departs?|starts?|begins?|left|departed|started|began|goes|go to bed|
                    went to bed|fell asleep|fall asleep|opens
                  )(?: at)? C (?:(?:and|,|\.|until|till|to) ?)*(?:it |i |we )?
                  (?:
                    arrives?|arrived|ends?|ended|finish(?:es|ed)?|gets in|got there|lands?|landed|
                    gets up|get up|got up|wake up|woke up|wakes up|closes
                  )?(?: at)? C",
            )
        })
        .or_else(|| scan.take(r"C (?:to|until|till|-) C"))?;
    let asked = scan.take(
        r"how (?:many (minutes|hours|seconds)(?: and minutes)?|long|much time)|
          (?:number of )?(minutes|hours|seconds)|
          (?:duration|length|time difference|time between|time|length of time)",
    )?;
    if !scan.done(
        "train bus flight movie film meeting class lesson ride trip journey it takes pass passes \
         passed between are there last lasts duration difference sleep slept i time does did was \
         next day morning following show concert long exam game hours minutes be travelling \
         traveling way road driving walking on under",
    ) {
        return None;
    }
    if reading.items.len() != 2 {
        return None;
    }
    let (from, to) = (times.item(1)?, times.item(2)?);
    let length = span(from, to, overnight(reading))?;
    let how = format!("from {} to {}", from.written, to.written);
    match asked.word(1).or_else(|| asked.word(2)) {
        Some(unit) if !reading.canon.contains("hours and minutes") => {
            let unit = Unit::named(unit)?;
            show::quantity(reading, length * number(60) / unit.size(), unit.symbol, how)
        }
        _ => show::duration(&(length * number(60)), how),
    }
}

/// "A film starts at 20:15 and lasts 134 minutes. When does it end?", "I must be there at 9:00 and need 45 minutes.
/// When to leave?"
fn trip(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let forward = scan.take(
        r"when (?:does|do|will|did|is|would) (?:
              it|i|we|film|movie|show|train|meeting|class|flight|bus|concert|game|cake|bread|roast|
              they|chicken
            )(?: be)? (?:end|over|finish|arrive|ready|done|get there|land|finished|there)|
          (?:what|which) time (?:does|do|will|did|is|would) (?:
              it|i|we|film|movie|show|train|meeting|class|flight|bus|concert|game|they|cake
            )(?: be)? (?:end|over|finish|arrive|ready|done|get there|land|finished|there)|
          arrival time|end time|
          (?:what|which) time is it over|
          (?:gets? in|arrives?|out|ready|done|over|ends?|finish(?:es)?|lands?) when",
    );
    let backward = if forward.is_none() {
        scan.take(
            r"(?:when|(?:what|which) time) (?:do|should|must|does|did|have) (?:i|we|it)
              (?: have to| need to)? (?:
                leave|start|set off|depart|go|begin|put it in|get up|wake up
              )(?: to)?(?: latest| at latest)?",
        )
    } else {
        None
    };
    let start = scan.take(
        r"(?:
            starts?|begins?|leaves?|departs?|left|started|began|set off|put in oven|goes in oven|
            goes in|at|by|be there at|be there by|arrive at|arrive by|be at work at|there at|
            there by|to arrive at|ready by|ready at|in|in at|in oven at
          )(?: at| is at)? C",
    )?;
    let takes = scan
        .take(
            r"(?:
                lasts?|takes?|need|needs|drive|ride|runs for|goes on for|runs|for|trip is|is|
                flight is|cook for|bakes for|walk
              ) (?:me |us |about )?T
              (?: long| to get there| drive| ride| to cook| to bake| to prepare)?",
        )
        .or_else(|| {
            scan.take(
                r"T (?:long |train |bus |car |bike )*
                  (?:drive|ride|walk|trip|film|movie|flight|journey)",
            )
        })?;
    if !scan.done(
        "film movie show train meeting class flight bus concert game cake work appointment drive \
         ride walk trip journey way there arrive lasts i my get must to be oven roast bread \
         start it school station airport dinner lunch cook should ready have",
    ) || reading.items.len() != 2
    {
        return None;
    }
    let (at, span) = (start.item(1)?, minutes(takes.item(1)?));
    let how = |sign: &str| {
        format!(
            "{} {sign} {}",
            at.written,
            takes.item(1).map_or("", |item| item.written.as_str())
        )
    };
    match (forward, backward) {
        (Some(_), None) => clock(reading, &(&at.value + span), how("plus")),
        (None, Some(_)) => clock(reading, &(&at.value - span), how("minus")),
        _ => None,
    }
}
