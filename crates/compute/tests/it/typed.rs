//! Everyday questions as people type them: short, without marks, with slips. The values were worked out with another
//! program, from the arithmetic behind each question.

use reckon_compute::direct::compute;

#[rustfmt::skip]
const TYPED: &[(&str, &str)] = &[
    ("what % is 45 of 60", "75"),
    ("18 is what % of 72", "25"),
    ("i scored 47/60, what percent is that", "78.3333"),
    ("rent went up from 950 to 1045, what % increase is that", "10"),
    ("my electricity bill rose from 64 euros to 80 euros. by how many percent?", "25"),
    ("population grew from 12,400 to 13,020 - percent growth?", "5"),
    ("dinner came to £87.60 plus 12.5% service, split 3 ways - how much each", "32.85"),
    ("what do i leave for a 15% tip on a 62 dollar check", "9.30"),
    ("20% tip on 43.75", "8.75"),
    ("tip 18% on $56", "10.08"),
    ("jeans were $80 now $52, what percent off is that?", "35"),
    ("coat reduced by 40% now costs 72 pounds. original price?", "120"),
    ("$60 sweater, 25% off then another 10% off - final price?", "40.50"),
    ("a laptop costs $899 with a 12% student discount how much is it", "791.12"),
    ("add 20% vat to 340", "408"),
    ("240 pounds including 20% vat, whats the net price?", "200"),
    ("price before 7% tax if i paid $53.50", "50"),
    ("how much vat is in 119 euros at 19%", "19"),
    ("if i put 1200 in a savings account with 2.5% interest, how much interest do i get after one year", "30"),
    ("simple interest on 2000 at 4% for 3 years", "240"),
    ("compound interest: 800 dollars, 6% yearly, 5 years. final amount?", "1070.58"),
    ("£10,000 at 4.5% compounded monthly for 2 years, how much will i have?", "10,939.90"),
    ("6 foot 2 in cm", "187.96"),
    ("65 mph in kmh", "104.60736"),
    ("how many km is 13 miles", "20.921472"),
    ("how many grams in 2.5 lbs", "1133.980925"),
    ("recipe serves 6 and needs 450 g flour. i want to serve 10. how much flour", "750"),
    ("2/3 cup times 3", "2"),
    ("how many 250 ml glasses from a 2 litre bottle", "8"),
    ("a turkey needs 20 minutes per pound. how long for a 14 pound turkey?", "4 h 40"),
    ("how long does it take to drive 270 km at 90 km/h", "3 h"),
    ("320 miles at 60mph how long", "5 h 20"),
    ("car uses 6.5 l/100km, how much fuel for 420 km", "27.3"),
    ("fuel cost for 600 km at 7 l per 100 km and 1.80 euro per litre", "75.60"),
    ("hourly rate 22, worked 6 hours, how much do i get", "132"),
    ("rent 1,260 split between 3 flatmates", "420"),
    ("rent is $1500 a month, how much is that per year?", "18,000"),
    ("i make 15 an hour and work 8 hours a day 5 days a week. how much a week?", "600"),
    ("my salary is 3200 and i get a 4% raise, new salary?", "3328"),
    ("30% of my income of 4,200 goes on rent, how much is that", "1260"),
    ("i save 75 a week, how long to save 1800?", "24"),
    ("i have 2400 saved and spend 160 a month. how many months does it last", "15"),
    ("what day of the week was 20 july 1969", "Sunday"),
    ("how many days between march 3 2024 and april 17 2024", "45"),
    ("30 days after 15 january 2025", "February 14, 2025"),
    ("what date is 6 weeks after 1 May 2026", "June 12"),
    ("what do i need on my 4th test to average 80 if i got 75, 82 and 79", "84"),
    ("average of 4, 8, 15, 16, 23, 42", "18"),
    ("median of 7 3 9 12 5", "7"),
    ("mean of 2.5, 3.5 and 6", "4"),
    ("how many 30cm x 30cm tiles for a 3m x 4.5m floor", "150"),
    ("a wall is 5 m long and 2.6 m high. how many square meters is that?", "13"),
    ("1 litre of paint covers 10 m2. how many litres for 65 square meters", "6.5"),
    ("triangle base 9 height 4 area", "18"),
    ("share 50 sweets between 6 kids how many left over", "2"),
    ("how many each if 84 cookies are shared by 12 kids", "7"),
    ("23 eggs, boxes of 6, how many boxes do i need", "4"),
    ("75 students, 12 per van. how many vans are needed?", "7"),
    ("i have 45 apples and give away 17, how many left", "28"),
    ("if 3 pens cost 4.50 how much do 8 pens cost", "12"),
    ("tom is 12, his sister is twice as old. how old is she", "24"),
    ("anna is 5 years older than ben, together they are 31. how old is ben", "13"),
    ("my dad is 3 times my age and i am 14. how old is dad", "42"),
    ("how old is someone born 4 july 1990 on 1 march 2024", "33"),
    ("whats bigger 3/7 or 4/9", "4/9"),
    ("1.5 kg or 3 lbs, which is heavier", "1.5 kg"),
    ("is 30 degrees celsius hotter than 85 fahrenheit", "Yes"),
    ("which is cheaper: 500g for 3.20 or 750g for 4.50", "750"),
    ("2 to the power of 12", "4096"),
    ("sqrt of 1764", "42"),
    ("cube root of 2197", "13"),
    ("7!", "5040"),
    ("cube of 7", "343"),
    ("what is the square of 13", "169"),
    ("C(7,3)", "35"),
    ("0.35 as a fraction", "7/20"),
    ("convert 0.125 to a fraction in lowest terms", "1/8"),
    ("whats MMXXIV as a number", "2024"),
    ("255 in hex", "FF"),
    ("binary of 19", "10011"),
    ("what is 101101 in decimal", "45"),
    ("how many letters in banana", "6"),
    ("how many e in nevertheless", "4"),
    ("how many s are in mississippi", "4"),
    ("reverse the word stressed", "desserts"),
    ("probability of 3 heads in a row", "1/8"),
    ("probability of not rolling a 6", "5/6"),
    ("chance of drawing an ace from a deck of cards", "1/13"),
    ("what is the probability of rolling a sum of 7 with two dice", "1/6"),
    ("250 usd in eur at 0.92", "230"),
    ("1 euro is 1.08 dollars. how many dollars for 75 euros?", "81"),
    ("if 1 gbp = 1.27 usd, how much is 400 gbp in usd", "508"),
    ("exchange rate 0.85 euro per dollar, i have 300 dollars, how many euros", "255"),
];

/// Facts, riddles, questions that lack a value, and questions that ask for something else than they seem to.
#[rustfmt::skip]
const OPEN: &[&str] = &[
    "how many are left after he ate some of the 12 cookies",
    "i have 5 apples and eat some. how many left",
    "what is the 3rd amendment about",
    "who won the world cup in 1998",
    "how many people live in germany",
    "what happened in 1066",
    "what does 24/7 mean",
    "how many bones in the human body",
    "a farmer has 17 sheep and all but 9 die. how many are left?",
    "how much is a flight to rome for 2 people",
    "what are the top 10 movies of 2010",
    "is 13 an unlucky number",
    "whats the tax on my salary of 50000",
    "how old is someone born in may",
    "what time is it in tokyo if its 3pm in london",
    "how many days until christmas",
    "how much tip should i leave on 60 dollars",
    "split the bill between 4 people",
    "how long to drive from berlin to munich at 120 km/h",
    "if a plane crashes on the border of 2 countries where do you bury the survivors",
    "how many months have 28 days",
    "take 2 apples from 3 apples, how many do you have",
    "i have 3 brothers and each has 2 sisters, how many sisters",
    "how much does a 2 bedroom flat cost",
    "what was the score of the 7-1 game",
    "explain the 80/20 rule",
    "how much is 100 euros in dollars",
    "what is 20% of my salary",
    "how much paint do i need for a 4 by 5 room",
    "how many tiles do i need for a 12 m2 bathroom",
    "bus has 7 people, 3 get off and some get on, how many now",
    "a clock strikes 6 in 5 seconds, how long for 12",
    "if 3 cats catch 3 mice in 3 minutes and one cat is asleep how long for 100 mice",
    "whats 50% off plus free shipping",
    "which is better, 5% cashback or 10 dollars off",
    "how much fuel for 500 km",
    "what year was 30 years ago",
    "how many weeks pregnant am i if due date is 5 june",
    "divide 30 by half and add 10 eggs",
    "how tall is 10 downing street",
    "a cube of 7 sugar pieces",
    "3 weeks before 12 march",
    "my grandma is 80 and her cat is 9, how old is the dog",
    "tom has 3 times as many marbles as jim. how many does tom have",
    "how much is 3 kg of apples",
    "what is the 5 second rule",
    "tom is 12 and ann is twice as old as bob. how old is ann",
    "i have 10 apples and eat 3 oranges. how many left",
    "if 3 pens cost 4.50 how much do 8 pencils cost",
    "i have 45 apples and give away half. how many left",
    "a rectangle has an area of 40 and a width of 5. what is the length?",
    "circle with circumference 31.4 diameter",
    "bill 80, tip 15%, split 2 ways, how much tip each",
    "is 50% more than 1/3",
    "is 7 cooler than 5",
    "price was 80 now 60, what percent",
    "subtract 20% vat from 120",
    "a book costs 12 pounds and weighs 2 pounds",
    "how many 330 ml cans from 1 litre",
    "i save 75 a week, how many months to save 1800",
    "a turkey needs 20 minutes per pound plus 20 minutes. how long for a 14 pound turkey",
    "what do i need on my 5th test to average 80 if i got 75, 82 and 79",
    "share 10 pizzas between 4 kids how many each",
    "compound interest on 1000 at 5% for 2 years, total amount",
];

/// Whether a text has this and no longer number around it: "12.5" does not say 2.5.
fn says(text: &str, expected: &str) -> bool {
    let part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    text.match_indices(expected).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + expected.len()..]);
        let inside = expected.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with(part);
        let mut after = after.chars();
        let goes_on = match after.next() {
            Some('.' | ',') => after.next().is_some_and(|c| c.is_ascii_digit()),
            other => other.is_some_and(|c| c.is_ascii_digit()),
        };
        !inside && !goes_on
    })
}

#[test]
fn what_people_type_is_computed() {
    let wrong: Vec<String> = TYPED
        .iter()
        .map(|(question, expected)| (question, expected, compute(&[], question)))
        .filter(|(_, expected, found)| {
            !found
                .as_ref()
                .is_some_and(|found| says(&found.text, expected))
        })
        .map(|(question, expected, found)| format!("{question}: {found:?} instead of {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_open_or_a_twist_has_no_answer() {
    let spoken: Vec<String> = OPEN
        .iter()
        .filter_map(|question| Some(format!("{question}: {}", compute(&[], question)?.text)))
        .collect();
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
}
