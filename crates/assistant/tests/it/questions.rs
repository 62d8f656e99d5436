//! Which questions want a computed number, which are puzzles and which ask for facts: questions as people type them.
use reckon_assistant::{
    choice,
    detect::{
        arithmetic::{look, look_in},
        conclusion::{Kind, wants},
        logic,
    },
};

/// What is seen of these prompts by `looks`; the rest is printed.
fn missed<'a>(prompts: &[&'a str], looks: impl Fn(&str) -> bool) -> Vec<&'a str> {
    prompts.iter().filter(|one| !looks(one)).copied().collect()
}

#[test]
fn terse_forms_are_computations() {
    let prompts = [
        "23*19",
        "7 x 85 =",
        "30% of 250",
        "15 percent off 60",
        "60 plus 19%",
        "$50 + 8% tax",
        "3^5",
        "6!",
        "0.1 + 0.2",
        "2/3 - 1/6",
        "900 / 7?",
        "sqrt(50)",
        "square root of 5 to 3 places",
        "cube of 9",
        "cos(60 degrees)",
        "log10(2000)",
        "15 squared",
        "26 miles in km",
        "5 kg to lbs",
        "72 F in C",
        "2.5 hours in minutes",
        "3 cups in ml",
        "250 GBP at 1.17 to EUR",
        "4 dozen rolls at 0.35 each",
        "6 notebooks at 2.49",
        "Is 391 divisible by 17?",
        "Is 97 prime?",
        "gcd of 48 and 180",
        "lowest common multiple of 6, 8 and 15",
        "What's a third of 7.5?",
        "half of 5/8",
        "Triple 214",
        "mean of 4, 9 and 11",
        "sum of 12, 19, 33",
        "add up 14, 18 and 77",
        "largest of 0.7, 0.65, 0.071",
        "Split 133.50 five ways",
        "divide 1,200 among 7 people",
        "Can I buy 4 shirts at 19 with 70?",
        "Is 60 enough for 3 lamps at 18 each?",
        "Is 25% off 120 cheaper than 35 off?",
        "BMI 95 kg, 1.90 m",
        "interest on 750 at 4% for 2 years",
        "monthly payment on 9,000 at 7% over 3 years",
        "9:15 plus 4h30",
        "45 minutes after 22:40",
        "8:30 to 17:05 in hours",
        "weeks between 1 March and 10 June",
        "days from 4 April to 19 May",
        "90 days after 2024-01-15",
        "what year was 64 years before 2001",
        "MCMXC in numbers",
        "roman numeral for 49",
        "255 in hex",
        "1101 in decimal",
        "0x2F to decimal",
        "3/8 as a decimal",
        "17 out of 40 as a percentage",
        "round 2.71828 to 2 decimals",
        "12 choose 5",
        "17 mod 5",
        "area of a circle with radius 3",
        "tip on 48 at 18%",
        "What's 40% of 1.5 l?",
    ];
    assert_eq!(missed(&prompts, |one| look(one, "").is_some()), [""; 0]);
}

#[test]
fn everyday_problems_are_computations() {
    let prompts = [
        "You have 7 pens and lose 2. How many pens do you have?",
        "A sofa is 899 euros. 15% off, then 40 for delivery. Final price?",
        "I started at 7:50 and left at 16:10 with half an hour of lunch. How long did I work?",
        "My flat is 9 m by 7 m. What is its area?",
        "I earn 2,900 a month and 31% goes in deductions. What's left?",
        "A tank holds 60 litres and the car needs 7.5 l per 100 km. How far do I get?",
        "Dough for 3 pizzas takes 500 g of flour. How much for 7?",
        "What's the chance of two sixes in a row with a die?",
        "How many days are there between 3 May and 21 June?",
        "What day of the week was 9 November 1989?",
        "How old is someone born in 1961 in 2030?",
        "What is the next number: 4, 9, 16, 25?",
        "Put 0.3, 0.03 and 0.33 in ascending order",
        "Which is bigger, 7/9 or 0.77?",
        "Which is the better deal, 400 g for 2.99 or 650 g for 4.49?",
        "Solve 4x + 7 = 31",
        "How many times does the letter s appear in \"possesses\"?",
        "How many letters does Tennessee have?",
        "What is 3 to the power of 12?",
        "If a dozen eggs cost 3.60, what do 20 cost?",
        "How much is 18.50 an hour for 37 hours?",
        "I have 300 on the account and pay 120, 95.50 and 110. What is my balance?",
        "How long does it take to cycle 48 km at 18 km/h?",
        "Three of us share 94.20 plus 10% tip. How much does each pay?",
    ];
    assert_eq!(missed(&prompts, |one| look(one, "").is_some()), [""; 0]);
}

#[test]
fn things_in_a_row_are_counted() {
    let prompts = [
        "I have a cat, two dogs and a parrot. How many animals do I have?",
        "I have a spoon, a plate, and a cup. How many objects do I have?",
        "On the table there are three pears, a plum and an onion. How many fruits are there?",
        "I have a trumpet, and a drum. How many musical instruments do I have?",
    ];
    assert_eq!(missed(&prompts, |one| look(one, "").is_some()), [""; 0]);
}

#[test]
fn facts_with_numbers_are_none() {
    let prompts = [
        "How long do 3 potatoes need to boil?",
        "How many minutes should I grill 2 steaks of 300 g?",
        "How much water does a 70 kg adult need per day?",
        "How much is a 2 room flat of 50 sqm in Lisbon?",
        "How old were the 2 brothers Grimm in 1812?",
        "How many calories do 2 eggs and 1 slice of toast have?",
        "What temperature do I need for 24 cookies, 180 or 200 degrees?",
        "What is the best age for 2 kids to start skiing, 4 or 5?",
        "How many songs are on disc 1 and 2 of the White Album?",
        "How many seats does a Boeing 737-800 have?",
        "What is the average salary of a nurse with 10 years of experience?",
        "When do supermarkets open on January 1 and 2?",
        "How often do I feed 2 goldfish in a 60 litre tank?",
        "How fast is a USB 3 stick compared to USB 2?",
        "How many vacation days do I get after 5 years in France, by law?",
        "How tall is a 12 year old boy on average, in cm?",
        "How long can 500 g of minced meat be frozen, 3 months or 6?",
        "What would a hotel for 2 adults and 2 kids cost in Rome for 5 nights?",
        "How much does it cost to send a 3 kg parcel from Spain to Italy?",
        "How many people died in World War 1 and 2?",
        "How far is it from Madrid to Porto by car with 2 stops?",
        "How many mg of ibuprofen can a 80 kg man take in 24 hours?",
        "How much horsepower does a 2015 Golf 7 have?",
        "What's the difference between 5W-30 and 10W-40 oil?",
        "Is a 65 inch TV too big for 3 m distance?",
        "How many pages does Harry Potter 5 have, and Harry Potter 7?",
        "When did Germany win the World Cup for the 3rd and 4th time?",
        "What time is sunset on June 21 in Oslo at 60 degrees north?",
        "How much sleep do I need if I am 45 and run 3 times a week?",
        "My baby is 6 months old, how many hours should she sleep per 24 hours?",
        "We are 2 adults and 3 kids. How much does a week in Rome cost?",
        "I bake 12 muffins at 180 degrees. How long do they take?",
        "How many votes did candidates 1 and 2 get in 2016?",
        "How long does it take to learn 2 languages at 40?",
        "What is a good pace for a 10 km run at age 50?",
        "How many rooms does the hotel from The Shining have on floor 2?",
    ];
    let seen = missed(&prompts, |one| look(one, "").is_none());
    assert_eq!(seen, [""; 0]);
}

#[test]
fn requests_for_words_are_none() {
    let prompts = [
        "Explain the 50/30/20 rule.",
        "Who won the World Cup in 1990 and 1994?",
        "Translate: she has four cats and 2 birds.",
        "Write a note to my neighbour that the party on 5 June starts at 19:00.",
        "Recommend 5 films from the 80s.",
        "Name 3 cities with more than 2 million people.",
        "What does `head -n 20 file` do?",
        "Proofread: we meets at 8 and leaves at 9.",
        "Turn into a table: Tom 12, Ida 15, Ben 9",
        "What happened on 9/11?",
        "Tell me a story about 7 dwarfs.",
        "Why did 2 of the 3 engines fail?",
        "What are 3 good reasons to learn 2 languages?",
    ];
    let seen = missed(&prompts, |one| look(one, "").is_none());
    assert_eq!(seen, [""; 0]);
}

#[test]
fn follow_ups_are_seen_behind_a_computation_only() {
    let first = "Our meal was $80. How much is it with an 18% tip?";
    let follow = [
        "And with 12 %?",
        "And 25%?",
        "What about 10%?",
        "make it 6",
        "What if it were 95 dollars instead?",
        "and split among 3 people?",
        "Now add that to 150",
        "Then subtract 20.",
        "and after 8?",
        "Wine was 24.50 more. What do we pay?",
        "Add 5% for service, please",
        "And per person if we are 4?",
        "Round it to whole dollars.",
        "In euros at 0.9?",
        "How much is that per month?",
        "And without the tip?",
        "Double it.",
        "Now take a quarter off that.",
        "Same for 120.",
        "How many more do I need to reach 100?",
    ];
    assert_eq!(
        missed(&follow, |one| look_in(&[first], one).is_some()),
        [""; 0]
    );
    let later = |one: &str| look_in(&[first, "And with 12%?", "Thanks!"], one).is_some();
    assert_eq!(missed(&follow, later), [""; 0]);
    let alone = [
        "And with 12 %?",
        "make it 6",
        "and after 8?",
        "Same for 120.",
    ];
    assert_eq!(missed(&alone, |one| look(one, "").is_none()), [""; 0]);
    let words = |one: &str| look_in(&["Write a poem about rain."], one).is_none();
    assert_eq!(missed(&alone, words), [""; 0]);
    let ended = |one: &str| look_in(&[first, "Write a poem about rain."], one).is_none();
    assert_eq!(missed(&alone, ended), [""; 0], "another wish came between");
    let other = [
        "Thanks!",
        "Who invented tipping?",
        "Write a poem about it in 4 lines.",
        "Why is it 18%?",
        "And how many people live in Vienna?",
        "Can you recommend 2 restaurants?",
        "Explain it in 3 sentences.",
        "Is tipping usual in Japan?",
    ];
    assert_eq!(
        missed(&other, |one| look_in(&[first], one).is_none()),
        [""; 0]
    );
}

#[test]
fn puzzles_without_options_are_seen() {
    let prompts = [
        "Tom is taller than Sam. Sam is taller than Uwe. Who is the shortest?",
        "Ida is older than Jan but younger than Kai. Who is the oldest?",
        "Rosa finished ahead of Sven. Sven finished ahead of Tilo. Who came last?",
        "Alma, Bert and Cleo took part in a race. Bert was not last. Cleo was right behind Alma. Who won?",
        "Knights always tell the truth and knaves always lie. Pia says: \"I am a knave or Rik is a knight.\" What is Rik?",
        "Eva says Finn lies. Finn says Gus lies. Gus tells the truth. Does Eva tell the truth?",
        "Six people sit around a round table. Ada sits opposite Bo. Cem sits between Ada and Dee. Who sits next to Ada?",
        "A pea is under the first of three shells. I swap the first and the last shell. Where is the pea?",
        "Nina's father is Otto. Otto's sister is Paula. What is Paula to Nina?",
        "All wugs are daxes and no daxes are feps. Are any wugs feps?",
        "Every florp is a grint. Moxy is a florp. Is Moxy a grint?",
        "If the lamp is on, the door is open. The door is closed. Is the lamp on?",
        "Two jars are labelled nails and screws, and both labels are wrong. What is in the jar labelled nails?",
        "The day before yesterday was Friday. What day is tomorrow?",
        "The blue car is left of the red car. The white car is right of the red car. Which car is in the middle?",
        "Lea, Max and Noa each have a different pet: a cat, a dog, a fish. Lea does not like dogs. Max has no cat and no dog. Who has the cat?",
        "You overtake the runner in third place. What place are you in now?",
        "One of three boys broke the vase. Udo says Veit did it. Veit says Udo lies. Only one of them tells the truth. Who broke it?",
        "What can we say? Uli is heavier than Vera. Vera is heavier than Wanda. (A) Wanda is the heaviest (B) Uli is the heaviest",
    ];
    assert_eq!(
        missed(&prompts, |one| logic::look(one, "").is_some()),
        [""; 0]
    );
}

#[test]
fn talk_about_people_is_no_puzzle() {
    let prompts = [
        "My sister is older than me and my brother is younger. What present should I buy them?",
        "If I pay late, I get a fee. I paid late. Is that legal?",
        "All my friends are vegan. Some are allergic to nuts. What should I cook?",
        "Is my dog older than my cat in human years?",
        "Who is the tallest man in the world?",
        "The label on my shirt is wrong. Where can I return it?",
        "Tomorrow is Sunday. What day trips do you recommend?",
        "Who wrote the book, and who won the prize in 1998?",
        "Write a riddle about three brothers. Tom is older than Sam.",
        "We switched to the red team. Which colours go well with it?",
        "If it rains, we stay in. It rains. Any ideas?",
    ];
    assert_eq!(
        missed(&prompts, |one| logic::look(one, "").is_none()),
        [""; 0]
    );
}

#[test]
fn results_that_deserve_a_mark() {
    let table = [
        (
            "How many km are 20 miles?",
            "About 32.19 km.",
            Some(Kind::Number),
        ),
        (
            "How much does a 3 room flat cost in Graz?",
            "Around 1,100 euros a month.",
            Some(Kind::Number),
        ),
        (
            "Which is larger, 2/3 or 0.66?",
            "2/3 is larger.",
            Some(Kind::Choice),
        ),
        (
            "What weekday was 9 November 1989?",
            "A Thursday.",
            Some(Kind::Name),
        ),
        (
            "Tom is taller than Sam. Sam is taller than Uwe. Who is the shortest?",
            "Uwe.",
            Some(Kind::Name),
        ),
        (
            "All wugs are daxes and no daxes are feps. Are any wugs feps?",
            "No.",
            Some(Kind::Choice),
        ),
        (
            "Write a limerick about 5 mice.",
            "There once were 5 mice …",
            None,
        ),
        (
            "Explain compound interest.",
            "Say you have 100 at 5%: after a year it is 105.",
            None,
        ),
        ("List 5 rivers.", "1. Nile\n2. Rhine", None),
        ("How many moons does Mars have?", "Two.", None),
        (
            "How do I sort a list in 2 lines of code?",
            "Use `sorted`, 2 lines.",
            None,
        ),
        (
            "Plan a 4 day trip to Porto.",
            "Day 1: 3 museums. Day 2: beach.",
            None,
        ),
    ];
    for (question, answer, expected) in table {
        assert_eq!(wants(question, answer), expected, "{question}");
    }
}

#[test]
fn options_within_a_line_can_be_chosen() {
    let question = "What is it? (A) a lake (B) a river (C) a sea";
    let options = choice::options(question);
    assert_eq!(options.len(), 3);
    assert_eq!(choice::chosen("So it is a river.", &options), Some('B'));
    assert_eq!(choice::chosen("A lake or a sea.", &options), None);
}
