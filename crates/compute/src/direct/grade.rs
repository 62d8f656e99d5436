//! Grades: the mark that is still needed for an average, and averages with weights.

use super::{
    Computed,
    frame::{Scan, whole},
    list::values,
    ratio::{Ratio, whole as number},
    show,
    text::Reading,
};

/// "I scored 80, 85 and 90. What do I need on the fourth test to average 88?"
pub(super) fn needed(reading: &Reading) -> Option<Computed> {
    const NEED: &str = r"
        (?:i )?(?:scored|got|have|had)
        (?: test scores of| scores of| grades of| grades)? @(?: points| percent)?
        (?: (?:on|in) (?:N |first N )?(?:tests|exams|quizzes|games|first N tests)
        )? [.,] (?:\? )?
        (?:
          what (?:score |grade |mark )?(?:do|must|should) i (?:need|get|score)|
          what score
        )(?: to get)?(?: on| in)? (?:next|last|final|fourth|fifth|sixth|third|O)
        (?: test| exam| quiz| one| game)? (?:to|for)(?: have| get| reach)?
        (?: average)?(?: of)?(?: an average of)? ([NP][0-9]+)
        (?: average| on average)?";
    if let Some(found) = whole(
        reading,
        r"what (?:score |grade |mark )?(?:do|must|should) i (?:need|get|score)(?: to get)?
          (?: on| in)? (?:next|last|final|fourth|fifth|sixth|third|O)
          (?: test| exam| quiz| one| game)? (?:to|for)(?: have| get| reach)?(?: average)?
          (?: of)? ([NP][0-9]+)(?: average)? if(?: i)?(?: have| got| scored| had) @",
    ) {
        let list = values(&found, 3)?;
        let place = found
            .value(1)
            .is_none_or(|place| place == number(list.len() + 1));
        let value = found.value(2)? * number(list.len() + 1) - list.iter().sum::<Ratio>();
        let how = format!("average over {} values", list.len() + 1);
        return place.then(|| show::number(reading, value, how))?;
    }
    let found = whole(reading, NEED)?;
    let list = values(&found, 1)?;
    let target = reading.items.last()?.value.clone();
    // A count of the tests has to be the right one.
    let sum: Ratio = list.iter().sum();
    let counts = reading
        .items
        .iter()
        .skip(list.len())
        .take(reading.items.len() - list.len() - 1);
    let right = counts
        .map(|item| &item.value)
        .all(|value| value == &number(list.len()) || value == &number(list.len() + 1));
    let value = target * number(list.len() + 1) - sum;
    right.then(|| {
        show::number(
            reading,
            value,
            format!("average over {} values", list.len() + 1),
        )
    })?
}

/// "Exam counts 60%, homework 30%, participation 10%. I have 71, 90 and 100. What's my grade?"
pub(super) fn weighted(reading: &Reading) -> Option<Computed> {
    let mut scan = Scan::new(reading);
    let percents: Vec<&Ratio> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'P')
        .map(|item| &item.value)
        .collect();
    let marks: Vec<&Ratio> = reading
        .items
        .iter()
        .filter(|item| item.kind == 'N')
        .map(|item| &item.value)
        .collect();
    if percents.len() < 2
        || percents.len() != marks.len()
        || reading.items.len() != 2 * marks.len()
        || percents.iter().copied().sum::<Ratio>() != number(100)
    {
        return None;
    }
    // The weights first and then the marks in the same order, or in pairs.
    let kinds: String = reading.items.iter().map(|item| item.kind).collect();
    let apart = kinds == "P".repeat(marks.len()) + &"N".repeat(marks.len())
        || kinds == "N".repeat(marks.len()) + &"P".repeat(marks.len());
    let pairs = kinds == "NP".repeat(marks.len()) || kinds == "PN".repeat(marks.len());
    if !(apart || pairs) || !scan.has("grade average score mark") {
        return None;
    }
    while scan.take("[NP][0-9]+").is_some() {}
    if !scan.done(
        "exam exams final midterm homework participation quiz quizzes test tests project \
         projects labs lab essay essays attendance presentation coursework oral written counts \
         count worth weighs weight weighted weights grade grades average score scores mark marks \
         scored overall course respectively respective percent",
    ) {
        return None;
    }
    let sum: Ratio = percents
        .iter()
        .zip(&marks)
        .map(|(weight, mark)| *weight * *mark)
        .sum();
    show::number(reading, sum / number(100), "weighted average")
}
