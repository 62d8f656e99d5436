//! The fixed canaries: what is asked, what a script answers first and second, and what must come of it.
//!
//! A triggered one has a mistake that its guard must mend or name; a control looks like one and is none. All of it is
//! ours. Adding or changing one changes the digest of the set, and what was accepted is then compared no more.
use super::{Canary, Trial};
use reckon_assistant::GuardOutcome;

/// A conversation that a script plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// What is asked.
    pub prompt: String,
    /// What the script says first.
    pub answer: String,
    /// What it says when a guard asks.
    pub second: String,
    /// What the guard must come to; nothing if it must stay quiet.
    pub comes_to: Option<GuardOutcome>,
    /// Part of the text that must ship.
    pub ships: String,
}

/// A row: guard, prompt, first answer, second answer, what the guard comes to, what ships.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<GuardOutcome>,
    &'static str,
);

pub(super) fn canaries() -> Vec<Canary> {
    let mut all = Vec::new();
    for (i, &(guard, prompt, answer, second, comes_to, ships)) in ROWS.iter().enumerate() {
        let kind = match comes_to {
            Some(_) => "triggered",
            None => "control",
        };
        let n = 1 + ROWS[..i]
            .iter()
            .filter(|row| row.0 == guard && row.4.is_some() == comes_to.is_some())
            .count();
        all.push(Canary {
            id: format!("fixed-{guard}-{kind}-{n}"),
            guard: Some(guard.to_owned()),
            trial: Trial::Fixed(Fixed {
                prompt: prompt.to_owned(),
                answer: answer.to_owned(),
                second: second.to_owned(),
                comes_to,
                ships: ships.to_owned(),
            }),
        });
    }
    all
}

const REVISED: Option<GuardOutcome> = Some(GuardOutcome::Revised);
const CONFIRMED: Option<GuardOutcome> = Some(GuardOutcome::Confirmed);
const FLAGGED: Option<GuardOutcome> = Some(GuardOutcome::Flagged);
const KEPT: Option<GuardOutcome> = Some(GuardOutcome::Kept);
const QUIET: Option<GuardOutcome> = None;

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // A wrong sum, a right one, a program that fails, and numbers that nobody asks to be added.
    ("arithmetic",
     "A baker packs 12 boxes with 8 rolls each and sells 37 rolls. How many rolls are left?",
     "12 boxes with 8 rolls each are 94 rolls. 94 - 37 = 57, so 57 rolls are left.",
     "    rolls = 12 * 8\n    sold = 37\n    left = rolls - sold\n    return left\n```",
     REVISED, "59"),
    ("arithmetic",
     "Tom reads 23 pages a day for 17 days. How many pages does he read in total?",
     "23 times 17 is 371, so Tom reads 371 pages in total.",
     "    pages_a_day = 23\n    days = 17\n    total = pages_a_day * days\n    return total\n```",
     REVISED, "391"),
    ("arithmetic",
     "A ticket costs $48. Lea buys 3 tickets and has a voucher of $19. How much does she pay in total?",
     "3 tickets cost $144. With the voucher Lea pays $125.",
     "    tickets = 3 * 48\n    voucher = 19\n    paid = tickets - voucher\n    return paid\n```",
     CONFIRMED, "Lea pays $125."),
    ("arithmetic",
     "A tank holds 640 litres and loses 35 litres an hour. How many litres are left after 9 hours?",
     "After 9 hours 325 litres are left.",
     "    return left_over\n```",
     KEPT, "325 litres are left"),
    ("arithmetic",
     "Who wrote the novel Nineteen Eighty-Four, and when did it come out?",
     "George Orwell wrote it. It came out in 1949.", "", QUIET, "George Orwell"),
    ("arithmetic",
     "Why is a chess board made of 64 squares?",
     "It has eight rows of eight squares, a form that is older than the game itself.", "", QUIET, "eight rows"),
    // A wrong option, a right one, a liar, things that change hands, and a list that is no puzzle.
    ("logic",
     "On a shelf stand three books: a red book, a green book, and a blue book. The red book is to the left of the green book. The blue book is the rightmost.\nOptions:\n(A) The red book is the leftmost\n(B) The green book is the leftmost\n(C) The blue book is the leftmost",
     "The green book comes first. The answer is (B) The green book is the leftmost.",
     " the leftmost, position 3 is the rightmost.\nred, green, blue = Ints(\"red green blue\")\neverything = [red, green, blue]\ns.add(Distinct(everything))\ns.add(red < green)\ns.add(blue == 3)\noptions = {\"A\": red == 1, \"B\": green == 1, \"C\": blue == 1}\n```",
     REVISED, "(A)"),
    ("logic",
     "In a row stand three houses: a white house, a brown house, and a grey house. The grey house is to the left of the white house. The brown house is the leftmost.\nOptions:\n(A) The white house is the rightmost\n(B) The brown house is the rightmost\n(C) The grey house is the rightmost",
     "The answer is (A) The white house is the rightmost.",
     " the leftmost, position 3 is the rightmost.\nwhite, brown, grey = Ints(\"white brown grey\")\neverything = [white, brown, grey]\ns.add(Distinct(everything))\ns.add(grey < white)\ns.add(brown == 1)\noptions = {\"A\": white == 3, \"B\": brown == 3, \"C\": grey == 3}\n```",
     CONFIRMED, "(A) The white house"),
    ("logic",
     "Hanna tells the truth. Igor says Hanna lies. Jan says Igor lies. Does Jan tell the truth?",
     "Jan lies. The answer is No.",
     "# Hanna tells the truth.\nhanna = True\n# Igor says Hanna lies.\nigor = (hanna == False)\n# Jan says Igor lies.\njan = (igor == False)\noptions = {\"Yes\": jan == True, \"No\": jan == False}\n```",
     REVISED, "The answer is Yes"),
    ("logic",
     "Ada, Bo, and Cy each hold a ball. Ada has a red ball, Bo has a blue ball, and Cy has a green ball. First, Ada and Cy trade balls. Then, Bo and Ada trade balls. In the end, Bo has the\nOptions:\n(A) red ball\n(B) blue ball\n(C) green ball",
     "Bo has the blue ball. The answer is (B) blue ball.",
     "ada, bo, cy = \"red ball\", \"blue ball\", \"green ball\"\n# First, Ada and Cy trade balls.\nada, cy = cy, ada\n# Then, Bo and Ada trade balls.\nbo, ada = ada, bo\noptions = {\"A\": bo == \"red ball\", \"B\": bo == \"blue ball\", \"C\": bo == \"green ball\"}\n```",
     REVISED, "(C)"),
    ("logic",
     "Which books did the three sisters of that family write?",
     "Charlotte wrote Jane Eyre, Emily wrote Wuthering Heights, Anne wrote Agnes Grey.", "", QUIET, "Agnes Grey"),
    // Too few sentences, a comma too many, capitals, a second answer that is worse, and one that is as it should be.
    ("constraints",
     "Describe the sea. Your answer must contain exactly 3 sentences.",
     "The sea is wide.",
     "The sea is wide. The sea is deep. The sea is cold.",
     REVISED, "The sea is deep."),
    ("constraints",
     "Tell me something about rain. Do not use any commas in your answer.",
     "Rain falls from clouds, and it fills the rivers.",
     "Rain falls from clouds and fills the rivers.",
     REVISED, "clouds and fills"),
    ("constraints",
     "What is a lighthouse? Your entire answer must be in lowercase letters.",
     "A lighthouse is a tower with a lamp that warns ships.",
     "a lighthouse is a tower with a lamp that warns ships.",
     REVISED, "a lighthouse is"),
    ("constraints",
     "Describe a forest. Your answer must contain exactly 2 sentences.",
     "A forest is full of trees.",
     "A forest is full of trees. Birds sing in it. It is green.",
     KEPT, "A forest is full of trees."),
    ("constraints",
     "Describe a river. Your answer must contain exactly 2 sentences.",
     "A river runs to the sea. Its banks are green.", "", QUIET, "Its banks are green."),
    // A sailor who is a model, one who stays a model, and a model that nobody asked to be a sailor.
    ("persona",
     "Pretend to be a sailor of the 18th century and tell me how you sleep at night.",
     "As an AI language model, I do not sleep, but sailors slept in hammocks.",
     "In my hammock, lad, rocked by the waves until the bell calls me on deck.",
     REVISED, "In my hammock"),
    ("persona",
     "Act as a grumpy innkeeper in a small mountain village and greet me.",
     "As an AI, I don't have a real inn, but welcome anyway.",
     "What now? Wipe your boots before you come in, stranger, and mind the dog.",
     REVISED, "Wipe your boots"),
    ("persona",
     "Pretend to be a sailor of the 18th century and tell me what you eat.",
     "As an AI language model, I do not eat anything at all.",
     "As an AI language model, I still do not eat anything.",
     KEPT, "I do not eat anything at all"),
    ("persona",
     "What is a language model?",
     "As an AI language model, I am a program that has read many texts.", "", QUIET, "a program"),
    // What was ruled out and is said, in prose and in code; and a condition that is kept.
    ("qualifier",
     "Describe winter without mentioning snow.",
     "Winter is cold, and the snow lies deep.",
     "Winter is cold, and the nights are long.",
     REVISED, "the nights are long"),
    ("qualifier",
     "Write a Python function that sorts a list. Do not use sorted.",
     "```python\ndef sort(items):\n    return sorted(items)\n```",
     "```python\ndef sort(items):\n    items = list(items)\n    items.sort()\n    return items\n```",
     REVISED, "items.sort()"),
    ("qualifier",
     "Describe summer without mentioning the sun.",
     "The sun burns all day.",
     "Still the sun burns all day long.",
     KEPT, "The sun burns all day."),
    ("qualifier",
     "Is it true that cats do not like water?",
     "Many cats avoid water, but some swim well.", "", QUIET, "some swim well"),
    // A draft that is taken back; a wait that takes nothing back; a check that confirms.
    ("correction",
     "Is 12 times 12 more than 140?",
     "12 times 12 is 124.\n\nWait, let me recheck that. I made a mistake.\n\nCorrected answer: 12 times 12 is 144.",
     "    return 144\n```", REVISED, "12 times 12 is 144"),
    ("correction",
     "How do I make tea?",
     "Boil the water. Wait, let it cool for a minute. Then pour it over the leaves.", "", QUIET, "let it cool"),
    ("correction",
     "Is 91 a prime?",
     "91 is 7 times 13, so it is no prime. Let me check: 7 times 13 is 91. Yes, it is no prime.", "", QUIET, "Let me check"),
    // Counts that want a second look, with and without a claim to compare; and a number that is no count.
    ("counting",
     "In how many different ways can 4 pairs of parentheses be matched correctly?",
     "This is the Fibonacci sequence: for n = 4 there are 5 ways.",
     "def count(n, opened=0, closed=0):\n    if closed == n:\n        return 1\n    ways = 0\n    if opened < n:\n        ways += count(n, opened + 1, closed)\n    if closed < opened:\n        ways += count(n, opened, closed + 1)\n    return ways\nanswer = [count(n) for n in range(1, 7)]\n```",
     FLAGGED, "Fibonacci sequence"),
    ("counting",
     "In how many ways can 5 different books be arranged on a shelf?",
     "They can be arranged in 100 ways.", "", FLAGGED, "100 ways"),
    ("counting",
     "How do I count the pages of a document?",
     "The editor shows the number of pages at the bottom of its window.", "", QUIET, "the number of pages"),
];
