//! Prompts that no guard has any business with: everyday requests, made from tasks and subjects.
//!
//! The control set of the guards: on these an answer must have the same bytes with guards and without. They ask for no
//! number, no puzzle, no form, no role, and exclude nothing.

use crate::Question;

const TASKS: [&str; 30] = [
    "Tell me about {}.",
    "What should a beginner know about {}?",
    "Explain {} to a curious friend.",
    "Why do people care about {}?",
    "Write a cheerful paragraph about {}.",
    "Write a poem about {}.",
    "What is interesting about {}?",
    "Give me some advice about {}.",
    "How did {} become what it is today?",
    "Describe {} to somebody who has never heard of it.",
    "What are common misunderstandings about {}?",
    "Write a short story that has to do with {}.",
    "What makes {} difficult?",
    "What makes {} beautiful?",
    "How do I get started with {}?",
    "Compare {} with something similar.",
    "Write a friendly email that invites somebody to learn about {}.",
    "What would you ask an expert on {}?",
    "Suggest a title for a book about {}.",
    "Write an opening line for a speech about {}.",
    "Summarise what is known about {}.",
    "What tools does one need for {}?",
    "Which mistakes are common with {}?",
    "Write a dialogue in which two friends talk about {}.",
    "How has {} changed over time?",
    "What is the best way to teach {}?",
    "Write a slogan for a museum of {}.",
    "What does {} have to do with everyday life?",
    "How would you describe the mood of {}?",
    "Recommend something to read about {}.",
];

const SUBJECTS: [&str; 40] = [
    "gardening",
    "sailing",
    "the history of bread",
    "public libraries",
    "mountain weather",
    "black holes",
    "learning a language",
    "old maps",
    "street photography",
    "beekeeping",
    "folk music",
    "the moon",
    "coral reefs",
    "handwriting",
    "city parks",
    "volcanoes",
    "woodworking",
    "jazz",
    "chess openings",
    "tea",
    "lighthouses",
    "open source software",
    "migrating birds",
    "sourdough",
    "ancient Rome",
    "glass blowing",
    "long walks",
    "dreams",
    "bridges",
    "knitting",
    "the northern lights",
    "radio plays",
    "railway stations",
    "spices",
    "puppets",
    "rivers",
    "pottery",
    "winter",
    "friendship",
    "typewriters",
];

/// All of them: every task with every subject.
pub fn control_questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for (t, task) in TASKS.iter().enumerate() {
        for (s, subject) in SUBJECTS.iter().enumerate() {
            questions.push(Question::plain(
                format!("control-{t:02}-{s:02}"),
                task.replace("{}", subject),
            ));
        }
    }
    questions
}
