//! Answers that agree on a misreading are not verified, and right answers to the same questions are.

use num_rational::BigRational;
use reckon_compute::{misread::misreading, number::numbers};

fn value(text: &str) -> BigRational {
    let found = numbers(text).into_iter().next();
    found.expect("a number").value
}

/// The misreading is doubted and leads to `other`, where that can be told; the right answer is left alone.
fn doubts(question: &str, wrong: &str, right: &str, other: Option<&str>) {
    let found = misreading(question, &value(wrong));
    let found = found.unwrap_or_else(|| panic!("not doubted: {wrong} for {question}"));
    assert_eq!(found.other, other.map(value), "{question}");
    agrees(question, right);
}

fn agrees(question: &str, right: &str) {
    assert_eq!(misreading(question, &value(right)), None, "{question}");
}

#[test]
fn a_part_of_a_thing_is_no_count() {
    let vans = "A club of 50 goes by van, and a van seats 8. How many vans do they hire?";
    doubts(vans, "6.25", "7", None);
    agrees(
        "She shares 5 liters among 4 jugs. How many liters does each jug hold?",
        "1.25",
    );
    agrees(
        "A baker sold 0.5 of a tart in the morning and 0.25 of one at noon. How many tarts is that?",
        "0.75",
    );
    agrees(
        "9 goals in 4 games. How many goals per game is that on average?",
        "2.25",
    );
}

#[test]
fn what_is_left_over_is_rounded_the_way_that_is_asked() {
    let vans = "A van seats 8. How many vans are needed for 50 people?";
    doubts(vans, "6", "7", Some("7"));
    let ribbon = "A bow takes 40 cm of ribbon. How many bows can she make from 300 cm?";
    doubts(ribbon, "8", "7", Some("7"));
    let saving = "She saves $35 a week. How many weeks until she can buy a $400 desk?";
    doubts(saving, "11", "12", Some("12"));
    agrees(
        "A van seats 8. How many vans are needed for 48 people?",
        "6",
    );
}

#[test]
fn a_row_has_one_more_post_than_gaps() {
    let road =
        "Lamps stand every 20 m along a road of 240 m, from end to end. How many lamps are there?";
    doubts(road, "12", "13", Some("13"));
    let apart =
        "Trees are planted 4 m apart in a line of 60 m. How many trees are there in the line?";
    doubts(apart, "15", "16", Some("16"));
    agrees(
        "Trees stand every 20 m around a lake with a shore of 240 m. How many trees are there?",
        "12",
    );
    let cuts = "How many cuts does it take to saw a beam into 9 equal pieces?";
    doubts(cuts, "9", "8", Some("8"));
}

#[test]
fn things_of_another_kind_are_not_counted() {
    let band = "In the hall I see two drums, a cello, three flutes, a lamp and five chairs. How many musical instruments are there?";
    doubts(band, "12", "6", None);
    let farm = "A farm has 5 goats, 12 ducks and 2 donkeys. How many animals are there?";
    agrees(farm, "19");
    let shelf = "Mo has 3 red books, 4 blue books and 2 maps. How many books does Mo have?";
    agrees(shelf, "7");
}

#[test]
fn the_same_ones_are_not_counted_again() {
    let family = "Mr. Bell has 6 sons and each son has one sister. How many children does he have?";
    assert!(misreading(family, &value("12")).is_some());
    let plain = "Mr. Bell has 6 sons and each son has 2 bikes. How many bikes do they have?";
    agrees(plain, "12");
}

#[test]
fn what_doubles_was_half_one_step_before() {
    let pond = "Weeds double their area every day and cover the pond on day 20. On which day was it half covered?";
    doubts(pond, "10", "19", Some("19"));
}

#[test]
fn speeds_are_averaged_over_time() {
    let ride =
        "Jo cycles to town at 12 mph and returns the same way at 6 mph. What is her average speed?";
    doubts(ride, "9", "8", None);
    let timed = "Jo cycles 2 hours at 12 mph and 2 hours at 6 mph. What is her average speed?";
    agrees(timed, "9");
}

#[test]
fn shared_work_takes_less_time() {
    let mow = "Al mows the lawn in 3 hours, Bea in 6 hours. How long do they need together?";
    doubts(mow, "9", "2", Some("2"));
    doubts(mow, "4.5", "2", Some("2"));
    let more = "8 painters finish the hall in 6 days. How many days do 12 painters take?";
    doubts(more, "9", "4", Some("4"));
    let same = "If 4 robots build 4 cars in 4 hours, how long do 60 robots need for 60 cars?";
    doubts(same, "60", "4", Some("4"));
}

#[test]
fn percentages_of_different_amounts_are_not_added() {
    let coat = "A coat of $200 is reduced by 30%, and then by another 20%. What does it cost?";
    doubts(coat, "100", "112", None);
    let change = "Prices rise by 50% and then fall by 50%. By how many percent have they changed?";
    doubts(change, "0", "25", None);
    agrees(
        "60% like tea and 40% of them like it sweet. What share likes it sweet?",
        "24",
    );
}

#[test]
fn a_share_of_the_rest_is_no_share_of_the_whole() {
    let beads = "Of 60 beads 1/3 are red, and half of the rest are blue. How many are blue?";
    doubts(beads, "30", "20", None);
    let town = "Out of 800 votes 40% went to Ann and 25% of the remaining votes to Bo. How many went to others?";
    doubts(town, "280", "360", None);
}

#[test]
fn a_percentage_is_not_of_what_it_is_already_in() {
    let receipt = "The receipt says £86.40 including 20% VAT. How much of that is VAT?";
    doubts(receipt, "17.28", "14.40", Some("14.4"));
    let net = "The invoice is 119 euros, 19% VAT is included. What is it without VAT?";
    doubts(net, "96.39", "100", Some("100"));
    let coat = "A coat costs $63 after 30% off. What was the original price?";
    doubts(coat, "81.9", "90", Some("90"));
    let rent = "Rent went up by 5% and is 945 now. What did we pay before the increase?";
    doubts(rent, "897.75", "900", Some("900"));
    agrees(
        "A pair of shoes costs $80 plus 20% tax. How much is the tax?",
        "16",
    );
    agrees(
        "I buy shoes for $80 with 20% sales tax. What is the tax?",
        "16",
    );
    agrees(
        "What is the price of a lamp that was $80 before a 20% discount?",
        "64",
    );
}

#[test]
fn a_sum_holds_a_difference_once() {
    let pair = "A pan and a lid cost $46 together. The pan costs $30 more than the lid. How much is the lid?";
    doubts(pair, "16", "8", Some("8"));
    let ages =
        "When Ole was 8 his brother was half his age. Ole is 50 now. How old is his brother?";
    doubts(ages, "25", "46", Some("46"));
    agrees(
        "Ann has 30 more cards than Bo, who has 46. How many does Ann have?",
        "76",
    );
}

#[test]
fn whoever_shares_with_others_counts() {
    let rent = "Vera has 4 roommates. Their heating costs $90 a month. How much does each of them pay in a year if all share it equally?";
    doubts(rent, "270", "216", Some("216"));
    let taxi = "Oskar and his three friends split a taxi fare of 60 euros evenly. How much does Oskar pay?";
    doubts(taxi, "20", "15", Some("15"));
    agrees(
        "Oskar has 3 friends and divides 60 stickers equally among them. How many does each get?",
        "20",
    );
    agrees(
        "A family has 3 brothers, who share a debt of 60 equally. How much does each pay?",
        "20",
    );
    agrees(
        "Three friends split a fare of 60 equally. How much does each pay?",
        "20",
    );
}
