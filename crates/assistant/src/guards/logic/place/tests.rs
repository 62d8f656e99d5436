//! Questions, programs and what a solver printed in, the answer or why there is none out.
use super::*;

/// A program of these names and facts, and where each of them must stand.
fn program(start: &str, names: &[&str], facts: &str) -> String {
    let n = names.len();
    let everything = names.join(", ");
    format!(
        "# Position 1 is the {start}, position {n} is the other.\neverything = [{everything}]\n{facts}\noptions = {{}}"
    )
}

fn standing(names: &[&str]) -> String {
    let lines = (1..)
        .zip(names)
        .map(|(place, name)| format!("@stands {name} {place}\n"));
    lines.collect()
}

/// Who is the answer.
fn found(question: &str, program: &str, stdout: &str) -> Result<String, &'static str> {
    let printed = printed(question, program, stdout)?.unwrap_or_default();
    let name = printed
        .lines()
        .find_map(|line| line.strip_prefix("@holds "));
    Ok(name.unwrap_or_default().to_owned())
}

#[test]
fn facts_say_which_end_places_are_counted_from() {
    let people = "Kofi is older than Bea. Sam is younger than Bea. Ruth is older than Kofi.";
    let facts = "# Kofi is older than Bea.\ns.add(kofi > bea)\n# Sam is younger than Bea.\ns.add(sam < bea)\n\
        # Ruth is older than Kofi.\ns.add(ruth > kofi)";
    let names = ["sam", "bea", "kofi", "ruth"];
    // The comment is what a model copies; its facts are its own.
    for start in ["first", "oldest", "youngest"] {
        let program = program(start, &names, facts);
        for (asks, name) in [
            ("Who is the second oldest of the four?", "Kofi"),
            ("Who is the oldest?", "Ruth"),
            ("And the youngest is who?", "Sam"),
            ("From youngest to oldest, who is third?", "Kofi"),
        ] {
            let question = format!("{people} {asks}");
            let found = found(&question, &program, &standing(&names));
            assert_eq!(found.as_deref(), Ok(name), "{asks}");
        }
    }
}

#[test]
fn places_are_those_of_the_question() {
    let shelf = "An atlas, a bible, a map, a novel and a poem by Mrs Hall are on a shelf.";
    let names = ["poem", "atlas", "bible", "map_", "mrs_hall"];
    let program = program("leftmost", &names, "");
    for (asks, name) in [
        ("Which is in the middle?", "bible"),
        ("Which is the second from the right?", "map"),
        ("Which is the fourth from the right?", "atlas"),
        ("Which one is leftmost?", "poem"),
        ("Which is on the far right?", "Mrs Hall"),
    ] {
        let question = format!("{shelf} {asks}");
        let found = found(&question, &program, &standing(&names));
        assert_eq!(found.as_deref(), Ok(name), "{asks}");
    }
    let race = program.replace("leftmost", "first");
    for (asks, name) in [
        ("Who came second to last?", "map"),
        ("Who was last?", "Mrs Hall"),
        ("Who is at the end of the line?", "Mrs Hall"),
        ("Who won?", "poem"),
        ("Who came third?", "bible"),
    ] {
        let question = format!("{shelf} {asks}");
        let found = found(&question, &race, &standing(&names));
        assert_eq!(found.as_deref(), Ok(name), "{asks}");
    }
}

#[test]
fn a_place_that_only_helps_to_say_who_is_meant_is_not_looked_up() {
    for asks in [
        "Which came right behind the winner?",
        "Which was not third?",
        "Which came directly after the second?",
        "Which won the second race?",
        "Which came last but one?",
        "Was the first or the second a poem?",
        "Which stands next to the middle one?",
        "Which is the middle of the first three?",
        "How many are taller than the third?",
    ] {
        assert_eq!(Asked::new(asks), None, "{asks}");
    }
}

#[test]
fn programs_that_contradict_themselves_say_nothing() {
    let cars = "Ann, Ben, Cleo and Dan park in a row. The car of Dan is second from the right. Ann is ahead of Ben. Cleo is behind Ben.";
    let names = ["ann", "ben", "cleo", "dan"];
    for (facts, asks) in [
        // One of them counts from the front, one from the back.
        (
            "# Ann is ahead of Ben.\ns.add(ann > ben)\n# Cleo is behind Ben.\ns.add(cleo > ben)",
            "Who is first?",
        ),
        // The fourth of four is not the second from the right.
        (
            "# Dan is second from the right.\ns.add(dan == 4)",
            "Who is leftmost?",
        ),
        // A word that nobody knows may mean either.
        ("# Ann outclassed Ben.\ns.add(ann < ben)", "Who is first?"),
        // "Right behind" is no side.
        (
            "# Ben is right behind Ann.\ns.add(ben == ann + 1)\n# Ann is ahead of Cleo.\ns.add(ann > cleo)",
            "Who is last?",
        ),
        // Nobody said anything of Dan.
        ("# Ann is ahead of Ben.\ns.add(ann < dan)", "Who is first?"),
        // Facts of one order, a question of another.
        (
            "# Ann is ahead of Ben.\ns.add(ann < ben)",
            "Who is the tallest?",
        ),
    ] {
        let program = program("front", &names, facts);
        let question = format!("{cars} {asks}");
        let found = found(&question, &program, &standing(&names));
        assert!(found.is_err(), "{asks}: {found:?}");
    }
}

#[test]
fn who_has_what_in_the_end_is_read_from_the_program() {
    let balls = "Ana has a red ball, Ben a blue ball and Cai a green ball.";
    let stdout =
        "@has ana green ball\n@has ben red ball\n@has cai blue ball\n@option A\n@holds A\n";
    for (asks, answer) in [
        ("Who has the blue ball at the end?", "Cai"),
        ("What does Ben have now?", "red ball"),
        ("What do they have?", ""),
    ] {
        let question = format!("{balls} {asks}");
        assert_eq!(
            found(&question, "ana, ben = ben, ana", stdout).as_deref(),
            Ok(answer),
            "{asks}"
        );
        assert!(found(&question, "ana, ben, cai = cai, ana, ben", stdout).is_err());
    }
}
