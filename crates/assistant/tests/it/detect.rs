//! Each detector on sentences of our own: what it must see, and its near misses.
use reckon_assistant::detect::{
    Mask, arithmetic, correction, counting, logic, mask, persona, qualifier,
};

/// The words a mask hides.
fn hidden(text: &str) -> Vec<(&str, mask::MaskKind)> {
    let mask = Mask::new(text);
    assert_eq!(mask.blank(text).len(), text.len());
    mask.spans()
        .iter()
        .map(|(span, kind)| (&text[span.clone()], *kind))
        .collect()
}

#[test]
fn masks() {
    use mask::MaskKind::{Code, Json, Quote, Thinking};
    assert_eq!(hidden("plain"), []);
    assert_eq!(
        hidden("<think>a</think>b"),
        [("<think>a</think>", Thinking)]
    );
    assert_eq!(
        hidden("a</think>b"),
        [("a</think>", Thinking)],
        "opened by the template"
    );
    assert_eq!(hidden("b<think>a"), [("<think>a", Thinking)], "cut off");
    assert_eq!(
        hidden("<|channel>thought\nhm<channel|>b"),
        [("<|channel>thought\nhm<channel|>", Thinking)]
    );
    assert_eq!(
        hidden("x\n```rust\nlet a;\n```\ny"),
        [("```rust\nlet a;\n```\n", Code)]
    );
    assert_eq!(hidden("x\n```\nunclosed"), [("```\nunclosed", Code)]);
    assert_eq!(hidden("say `x` twice"), [("`x`", Code)]);
    assert_eq!(hidden("a ` b"), [], "one backtick is no code");
    assert_eq!(hidden("> quoted\nmine"), [("> quoted\n", Quote)]);
    assert_eq!(hidden("{\"a\": \"}\"}\nmine"), [("{\"a\": \"}\"}", Json)]);
    assert_eq!(hidden("[Final Answer]\n3"), []);
    assert_eq!(
        hidden("```\nstray\n```json\n{}\n```\n"),
        [("```json\n{}\n```\n", Code)],
        "a fence that closes nothing"
    );
}

#[test]
fn identity_leaks() {
    let leaks = [
        "As an AI language model, I cannot feel the wind.",
        "As a large language model I have no opinion.",
        "I’m sorry, but as an AI assistant, I can’t do that.",
        "I do not really have feelings as an AI system.",
        "It is beyond my abilities as a language model.",
        "**As an AI developed by Acme 2.0, I can't browse.**",
        "As an AI, my purpose is to help.",
        "As an AI assistant, it is not right to say so.",
        "I'm just a computer program and cannot dance.",
        "I am not a human, so I never was a child.",
        "As an AI trained on text, I don't see pictures.",
    ];
    for text in leaks {
        assert!(persona::leak(text).is_some(), "{text}");
    }
    let others = [
        "As an aikido teacher, I bow first.",
        "The tool has an AI-powered brush, as well as an AI-generated palette.",
        "Models such as a language model need memory.",
        "It is not a personal attack. I am sure.",
        "As an AI researcher, I read a lot.",
        "As an AI, you should be fair.",
        "Hey, I'm a programmer and I'm not afraid.",
        "Cats are not humans.",
        "She answered: \"As an AI, I cannot lie\" and went away.",
        "> As an AI, I cannot lie.",
        "```\nprint('As an AI language model, I cannot')\n```",
        "<think>As an AI, I should refuse.</think>No.",
        "Siri serves as an AI assistant on my phone.",
        "As an AI language model, GPT-4 may well help developers.",
    ];
    for text in others {
        assert_eq!(persona::leak(text), None, "{text}");
    }
}

#[test]
fn a_persona_is_asked_for_and_left() {
    let asked = [
        "Pretend to be a pirate. Where is the gold?",
        "Act as a doctor.",
        "Imagine you are an old oak.",
        "Picture yourself as a lighthouse keeper.",
        "You are a mountain guide. What do you pack?",
        "Now you are a machine learning engineer. Explain loss.",
        "If you were a Roman senator, how would you vote?",
        "Describe the storm from the perspective of a gull.",
        "Let's role-play: I am the customer.",
    ];
    for prompt in asked {
        assert!(persona::asked(prompt).is_some(), "{prompt}");
        assert!(
            persona::look(prompt, "I'm an AI, so I have none.").is_some(),
            "{prompt}"
        );
    }
    let not = [
        "You are a helpful assistant.",
        "Act as a Linux terminal.",
        "Pretend to be a robot that dreams.",
        "You will be given a sentence. Classify it.",
        "Give your answer as a JSON object.",
        "What do you think of role models?",
    ];
    for prompt in not {
        assert_eq!(persona::asked(prompt), None, "{prompt}");
    }
    assert_eq!(
        persona::look("Is it late?", "I'm an AI, so I cannot tell."),
        None,
        "nobody asked for a persona"
    );
    assert_eq!(
        persona::look("Act as a pirate.", "Arr, the chest is mine."),
        None
    );
}

const RESTATED: &str = "The fence has 4 sides of 12 m. The total is 44 m.\n\nWait, that's wrong. \
    The fence has 4 sides of 12 m each, so 4 * 12 = 48. The total is 48 m.";

#[test]
fn a_restated_answer_replaces_its_draft() {
    let cut = correction::strip("How long is the fence?", RESTATED).unwrap();
    assert_eq!(
        cut.text,
        "The fence has 4 sides of 12 m each, so 4 * 12 = 48. The total is 48 m."
    );
    assert!(cut.draft.end <= cut.marker.start);
    assert_eq!(
        correction::strip("How long is the fence?", &cut.text),
        None,
        "once"
    );

    let short =
        "12 times 12 is 124.\n\nWait, I made a mistake.\n\nCorrected answer: 12 times 12 is 144.";
    let cut = correction::strip("What is 12 times 12?", short).unwrap();
    assert_eq!(cut.text, "12 times 12 is 144.");

    let json = "```json\n{\"reasoning\": \"7 times 8\", \"answer\": \"54\"}\n```\n\n1. 7 boxes of 8 eggs: 7 * 8 = 56.\n\n\
        **Corrected Answer:**\n\n```json\n{\"reasoning\": \"7 times 8\", \"answer\": \"56\"}\n```\n\nApologies for the mistake.";
    let cut = correction::strip("How many eggs?", json).unwrap();
    assert_eq!(
        cut.text,
        "1. 7 boxes of 8 eggs: 7 * 8 = 56.\n\n**Answer:**\n\n```json\n{\"reasoning\": \"7 times 8\", \"answer\": \"56\"}\n```",
        "the derivation stays"
    );
}

#[test]
fn what_a_careful_editor_leaves_alone() {
    let prompt = "How long is the fence?";
    let kept = [
        // Confirmed.
        "The total is 48 m. Wait, let me double-check that. 4 * 12 = 48. Yes, the total is 48 m.",
        "The total is 48 m.\n\nLet me correct the units: 4 * 12 = 48. So the total is 48 m, as 12 + 12 + 12 + 12.",
        // Not restated, or not complete.
        "The total is 44 m. Wait, that's wrong.",
        "The total is 44 m. Wait, that's wrong. The total is 4 * 12 =",
        "The total is 44 m. Wait, that's wrong. The total is 48 m.",
        // Leans on what would be cut.
        "The total is 44 m. Wait, that's wrong. With the 12 m from above, 4 * 12 = 48, so the total is 48 m for all.",
        "The total is 44 m. Wait, that's wrong. 4 * 12 = 48, not 44. So the total is 48 m for all four sides.",
        // Not in prose.
        "<think>The total is 44. Wait, that's wrong. 4 * 12 = 48. The total is 48 m of fence.</think>48 m.",
        "```\nThe total is 44. Wait, that's wrong. 4 * 12 = 48. The total is 48 m of fence.\n```",
        // Nothing to do with the answer.
        "\"Wait,\" said Ann. \"The answer is 3.\" Bob nodded. The answer is 4, he thought.",
        "Quantum Error Correction: The total is 3 of 5 qubits. The answer is 7.",
        "Actually, banks hold cash. The answer is 10 % of 100, which is 10.",
    ];
    for response in kept {
        assert_eq!(correction::strip(prompt, response), None, "{response}");
    }
    for prompt in [
        "Correct the mistakes in this text.",
        "Fix the bug.",
        "Proofread it.",
    ] {
        assert_eq!(correction::strip(prompt, RESTATED), None, "{prompt}");
    }
}

#[test]
fn numbers_asked_for() {
    let yes = [
        "What is 17 * 23?",
        "What is 15% of 80?",
        "Mia has 3 apples and buys twice as many. How many does she have?",
        "A rope of 48 inches: how many feet is that?",
        "Given f(x) = 2x + 3, find the value of f(2).",
        "A train goes 60 km in 45 minutes. What is its speed in km/h?",
        "I read 21 pages on Monday and 17 on Tuesday. What is the total?",
    ];
    for prompt in yes {
        assert!(arithmetic::look(prompt, "").is_some(), "{prompt}");
    }
    let no = [
        "In what year did the war end?",
        "Write an essay of 500 words about 3 causes of the war of 1914.",
        "Write a Python function that adds 2 and 3.",
        "How many words are in the following text?",
        "What's the difference between a 2-stroke and a 4-stroke motor?",
        "How many people live in Austria?",
        "Give me 3 ideas for a party of 12 people.",
        "Why did 3 of 5 banks fail?",
        "Tom has three brothers. Each of them has one sister. How many sisters does Tom have?",
        "```\nfor i in range(10): print(i * 2 + 3 * 4 + 5)\n```\nHow much memory does this take?",
    ];
    for prompt in no {
        assert_eq!(arithmetic::look(prompt, ""), None, "{prompt}");
    }
}

#[test]
fn puzzles() {
    let yes = [
        (
            "Ann lies. Ben says Ann tells the truth. Does Ben tell the truth?",
            "truth-tellers",
        ),
        (
            "Ann, Ben and Cem each hold a ball. Ann and Ben swap balls. Then Ben and Cem swap balls. Who has the red ball?",
            "shuffle",
        ),
        (
            "Three books are on a shelf. The red book is to the left of the blue book. The blue book is the leftmost. Which is true?",
            "order",
        ),
        (
            "David has three sisters. Each of them has one brother. How many brothers does David have?",
            "kinship",
        ),
        (
            "All cats are mammals. Tom is a cat. Is the following statement true or false? Tom is a mammal.",
            "verdict",
        ),
        ("not ( True ) and ( False or True ) is", "boolean"),
    ];
    for (prompt, kind) in yes {
        assert_eq!(
            logic::look(prompt, "").map(|found| found.kind),
            Some(kind),
            "{prompt}"
        );
    }
    let no = [
        "Write a story in which Ann is taller than Ben and Ben is older than Cem. Who wins?",
        "Is Java faster than Python?",
        "Who was the father of Alexander the Great?",
        "What are some fun true or false questions for students?",
        "My brother has two cats and I must feed them. What do they eat?",
        "What is 3 + 4?",
    ];
    for prompt in no {
        assert_eq!(logic::look(prompt, ""), None, "{prompt}");
    }
}

#[test]
fn qualifiers() {
    let terms = |prompt: &str| -> Vec<(&'static str, Option<String>)> {
        qualifier::find(prompt)
            .into_iter()
            .map(|found| (found.finding.kind, found.excluded))
            .collect()
    };
    let some = |kind, term: &str| vec![(kind, Some(term.to_owned()))];
    assert_eq!(
        terms("Find the highest common ancestor (not LCA) of two nodes. How?"),
        some("bracket", "LCA")
    );
    assert_eq!(
        terms("Describe a sunset without mentioning the sun."),
        some("unmentioned", "sun")
    );
    assert_eq!(
        terms("Sort the list without using sorted() in Python."),
        some("unused", "sorted")
    );
    assert_eq!(
        terms("Use a stack instead of recursion."),
        some("contrast", "recursion")
    );
    assert_eq!(
        terms("He walked instead of driving. It rained."),
        [],
        "nothing is asked"
    );
    assert_eq!(terms("Do not use any commas in your response."), [], "form");
    assert_eq!(terms("What is the sun?"), []);

    let prompt = "Describe a sunset without mentioning the sun.";
    let found = qualifier::look(prompt, "The suns go down. The Sun is red.").unwrap();
    assert_eq!(found.evidence, "suns");
    assert_eq!(qualifier::look(prompt, "Sunday evening, red light."), None);
    let prompt = "Sort the list without using sorted() in Python.";
    assert!(qualifier::look(prompt, "```python\nx = sorted(items)\n```").is_some());
    assert_eq!(
        qualifier::look(
            prompt,
            "I do it without sorted():\n```python\nitems.sort()\n```"
        ),
        None
    );
    let prompt = "Write a function for the highest common ancestor (not LCA).";
    assert!(qualifier::look(prompt, "The LCA of two nodes is found like this.").is_some());
    assert_eq!(
        qualifier::look(prompt, "Unlike the LCA, the highest one is the root."),
        None
    );
    assert!(qualifier::find(prompt)[0].question().contains("(not LCA)"));
}

#[test]
fn counts() {
    let yes = [
        "In how many ways can 5 people sit in a row?",
        "How many valid strings of 4 pairs of parentheses are there?",
        "What is the number of distinct binary search trees with 6 keys?",
        "How many lattice paths go from (0,0) to (4,4)?",
        "Count the derangements of 5 letters: how many derangements are there?",
    ];
    for prompt in yes {
        assert!(counting::look(prompt, "").is_some(), "{prompt}");
    }
    for prompt in [
        "How many apples are left?",
        "Name ways to save water.",
        "How many ways are there to say hello?",
    ] {
        assert_eq!(counting::look(prompt, ""), None, "{prompt}");
    }
    let claims = counting::claims(
        "These are the Catalan numbers: 1, 1, 2, 5, 14, 42. For n = 3 there are 5; C_4 = 14.",
    );
    assert_eq!(claims.sequence, Some("catalan"));
    assert_eq!(claims.values, [(3, 5), (4, 14)]);
    assert_eq!(claims.terms, [1, 1, 2, 5, 14, 42]);
    assert!(counting::claims("No idea.").is_empty());
}
