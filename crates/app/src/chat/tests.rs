//! The chat with a scripted model: what a person sees and what the model is given.
use super::{
    chat_loop::{ChatLoop, ModelLoader},
    repl::{Action, Repl},
    stats::Stats,
};
use crate::{
    interrupt::{Interrupt, Press},
    markdown::Look,
    memory::Memory,
    screen::{Output, Screen},
};
use reckon::{
    Ask, Conversation, Event, Finish, Generation, Message, Model, ModelInfo, NoTools, OnEvent,
    TextModel, Usage,
    assistant::Result,
    engine::{self, Error},
};
use reckon_store::{Owner, Store};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

const TERMINAL: Output = Output::Terminal(Look {
    width: 80,
    colour: false,
});

/// Answers by saying back what it was given; one token a word.
struct Parrot {
    /// What each answer was made of: the texts of all messages.
    given: Given,
    interrupt: Interrupt,
}

type Given = Arc<Mutex<Vec<String>>>;

fn parrot(name: &str, n_ctx: usize, given: &Given, interrupt: &Interrupt) -> Model {
    let info = ModelInfo {
        name: name.into(),
        path: Some(PathBuf::from(name)),
        bytes: 1_500_000,
        n_ctx: Some(n_ctx),
        threads: 2,
        ..ModelInfo::default()
    };
    let (given, interrupt) = (given.clone(), interrupt.clone());
    Model::custom(info, move || Parrot {
        given: given.clone(),
        interrupt: interrupt.clone(),
    })
}

fn joined(messages: &[Message]) -> String {
    let texts: Vec<&str> = messages.iter().map(|m| m.content.as_str()).collect();
    texts.join(" | ")
}

impl TextModel for Parrot {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        let text = joined(messages);
        if text.contains("unspeakable") {
            return Err(Error::Template("no such word".into()).into());
        }
        Ok(text.split_whitespace().filter(|word| *word != "|").count())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let given = joined(&ask.messages);
        let prompt = self.count(&ask.messages)?;
        let message = given.rsplit(" | ").next().unwrap_or("").to_owned();
        self.given.lock().expect("alone").push(given);
        let mut text = String::new();
        let mut finish = Finish::Stop;
        let _ = on_event(engine::Event::Prefill {
            done: 1,
            total: prompt,
        });
        let _ = on_event(engine::Event::Thought("hm "));
        for word in format!("you said: {message}").split_inclusive(' ') {
            text.push_str(word);
            if word.starts_with("CTRL-C") {
                assert_eq!(
                    self.interrupt.press(),
                    Press::Noted,
                    "an answer is being made"
                );
            }
            if on_event(engine::Event::Text(word)).is_break() {
                finish = Finish::Cancelled;
                break;
            }
        }
        Ok(Generation {
            usage: Usage {
                prompt,
                reused: 0,
                completion: 3,
                ..Usage::default()
            },
            thought: "hm ".into(),
            tokens: vec![0; 3],
            finish,
            text,
            ..Generation::default()
        })
    }
}

struct Stage {
    talk: ChatLoop<'static>,
    given: Given,
}

impl Stage {
    fn new(output: Output, n_ctx: usize) -> Self {
        let given = Given::default();
        let interrupt = Interrupt::default();
        let model = parrot("parrot", n_ctx, &given, &interrupt);
        let talk = ChatLoop {
            chat: model.chat().tools(NoTools).stop(interrupt.stop()),
            repl: Repl { thinking: false },
            max_tokens: None,
            last: None,
            loader: ModelLoader {
                find: Box::new(|name: &str| match name {
                    "missing" => Err(crate::Failure::model("no model missing")
                        .hint("try parrot")
                        .into()),
                    name => Ok(name.into()),
                }),
                load: {
                    let (given, interrupt) = (given.clone(), interrupt.clone());
                    Box::new(move |_: &Path, name: &str| match name {
                        "broken" => Err(Error::Model("broken".into()).into()),
                        name => Ok(parrot(name, n_ctx, &given, &interrupt)),
                    })
                },
            },
            output,
            interrupt,
            stats: Stats::default(),
            history: None,
            tools: Box::new(reckon::NoTools),
            attached: Vec::new(),
            documents: None,
            asked: None,
            memory: Some(Memory::of(
                Store::in_memory().expect("memory"),
                Owner::local(),
            )),
            about_self: false,
            quotes: true,
            draft: None,
        };
        Self { talk, given }
    }

    /// What is shown for an input: answers and notes.
    fn say(&mut self, input: &str) -> (String, String) {
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let flow = self
            .talk
            .take(input, &mut out, &mut notes)
            .expect("no error");
        assert!(flow.is_continue());
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(out), text(notes))
    }

    fn shown(&mut self, input: &str) -> String {
        self.say(input).0
    }

    fn last_given(&self) -> String {
        self.given
            .lock()
            .expect("alone")
            .last()
            .cloned()
            .unwrap_or_default()
    }
}

#[test]
fn a_conversation_is_remembered() {
    let mut stage = Stage::new(TERMINAL, 1000);
    stage.shown("/system be brief");
    assert_eq!(stage.shown("hello"), "you said: hello\n");
    assert_eq!(stage.shown("again"), "you said: again\n");
    assert_eq!(
        stage.last_given(),
        "be brief | hello | you said: hello | again"
    );
    assert_eq!(stage.shown("/undo"), "taken back: again\n");
    stage.shown("third");
    assert_eq!(
        stage.last_given(),
        "be brief | hello | you said: hello | third"
    );
    assert_eq!(stage.shown("/clear"), "2 exchanges forgotten\n");
    stage.shown("/system -");
    stage.shown("fresh");
    assert_eq!(stage.last_given(), "fresh");
}

#[test]
fn a_message_is_changed_and_an_answer_copied() {
    let mut stage = Stage::new(TERMINAL, 1000);
    stage.shown("hello");
    assert_eq!(stage.shown("/edit"), "");
    assert_eq!(stage.talk.draft.take().as_deref(), Some("hello"));
    assert_eq!(stage.talk.chat.conversation().len(), 0, "it was taken back");
    stage.shown("one");
    assert_eq!(stage.shown("/edit two"), "you said: two\n");
    assert_eq!(stage.talk.chat.conversation().len(), 1);
    assert_eq!(
        stage.shown("/copy"),
        "\x1b]52;c;eW91IHNhaWQ6IHR3bw==\x07copied, 13 characters\n"
    );
    let mut piped = Stage::new(Output::Plain, 1000);
    piped.say("hello");
    assert_eq!(piped.say("/copy").0, "only a terminal has a clipboard\n");
}

#[test]
fn a_stopped_answer_is_kept_and_marked() {
    let mut stage = Stage::new(TERMINAL, 1000);
    let shown = stage.shown("one CTRL-C two three");
    assert_eq!(
        shown,
        "you said: one CTRL-C\n[stopped; the part above is kept]\n"
    );
    let last = stage.talk.chat.conversation().last().expect("kept");
    assert!(last.stopped);
    assert_eq!(last.answer, "you said: one CTRL-C ");
    assert!(
        !stage.talk.interrupt.is_asked(),
        "the next answer is not stopped"
    );
    assert_eq!(stage.shown("next"), "you said: next\n");
}

#[test]
fn what_no_longer_fits_is_named_and_then_dropped() {
    // A quarter of 16 is kept for the answer: 12 words of prompt.
    let mut stage = Stage::new(TERMINAL, 16);
    stage.shown("/system sys");
    stage.shown("a b");
    stage.shown("c d");
    let shown = stage.shown("e f");
    assert_eq!(
        shown,
        "the conversation no longer fits into 16 tokens: the oldest 2 messages (6 tokens) are dropped\n\
         you said: e f\n"
    );
    assert_eq!(stage.last_given(), "sys | c d | you said: c d | e f");
    assert_eq!(stage.talk.chat.conversation().len(), 2);
}

#[test]
fn a_message_too_long_is_refused_with_numbers() {
    let mut stage = Stage::new(TERMINAL, 16);
    stage.shown("short");
    let long = "w ".repeat(20);
    assert_eq!(
        stage.shown(&long),
        "context full: 20 tokens asked for, 12 allowed; /undo or /clear make room, --ctx N allows more\n"
    );
    assert_eq!(
        stage.talk.chat.conversation().len(),
        1,
        "nothing was dropped or added"
    );
    let mut piped = Stage::new(Output::Plain, 16);
    let error = piped
        .talk
        .take(&long, &mut Vec::new(), &mut Vec::new())
        .expect_err("an exit code");
    assert_eq!(crate::Kind::of(&error), crate::Kind::Input);
}

#[test]
fn piped_answers_stand_alone() {
    let mut stage = Stage::new(Output::Plain, 16);
    assert_eq!(
        stage.say("**a** b"),
        ("you said: **a** b\n".into(), String::new())
    );
    stage.say("c d");
    let (out, notes) = stage.say("e f");
    assert_eq!(out, "you said: e f\n");
    assert!(notes.contains("oldest 2 messages"), "{notes:?}");
}

#[test]
fn a_template_that_refuses_ends_the_message_not_the_chat() {
    let mut stage = Stage::new(TERMINAL, 1000);
    assert_eq!(stage.shown("unspeakable"), "chat template: no such word\n");
    assert_eq!(stage.shown("fine"), "you said: fine\n");
}

#[test]
fn models_are_switched_with_the_history_kept() {
    let mut stage = Stage::new(TERMINAL, 1000);
    stage.shown("hello");
    assert_eq!(
        stage.shown("/model"),
        "parrot · 1.50 MB · context 1000 · 2 threads\n"
    );
    assert_eq!(
        stage.shown("/model ara"),
        "ara · 1.50 MB · context 1000 · 2 threads\n"
    );
    stage.shown("again");
    assert_eq!(stage.last_given(), "hello | you said: hello | again");
    assert_eq!(
        stage.shown("/model missing"),
        "no model missing; try parrot\n"
    );
    assert_eq!(
        stage.shown("/model broken"),
        "cannot run this model: broken\nstill with ara\n"
    );
    assert_eq!(stage.shown("more"), "you said: more\n");
}

#[test]
fn what_is_remembered_is_told_with_every_question_until_it_is_forgotten() {
    let mut stage = Stage::new(TERMINAL, 1000);
    assert_eq!(stage.shown("/forget"), "nothing is remembered\n");
    assert_eq!(stage.shown("/remember"), "write /remember TEXT\n");
    assert_eq!(
        stage.shown("/remember I am a nurse"),
        "remembered: I am a nurse; /forget shows and forgets\n"
    );
    stage.shown("/remember I like tea");
    stage.shown("hello");
    assert_eq!(
        stage.last_given(),
        "The person asked you to remember this about them:\n- I am a nurse\n- I like tea | hello"
    );
    let receipt = stage.talk.last.as_ref().expect("an answer");
    assert_eq!(receipt.memory, ["I am a nurse", "I like tea"]);
    assert_eq!(stage.shown("/forget"), " 1  I am a nurse\n 2  I like tea\n");
    assert_eq!(
        stage.shown("/forget i"),
        "that fits several; say the number:\n 1  I am a nurse\n 2  I like tea\n"
    );
    assert_eq!(stage.shown("/forget NURSE"), "forgotten: I am a nurse\n");
    assert_eq!(stage.shown("/forget 1"), "forgotten: I like tea\n");
    assert_eq!(
        stage.shown("/forget 1"),
        "nothing like that is remembered; /forget shows all\n"
    );
    stage.shown("/clear");
    stage.shown("hello");
    assert_eq!(stage.last_given(), "hello");
    stage.talk.memory = None;
    assert_eq!(
        stage.shown("/remember x"),
        "this chat has no memory (--no-memory)\n"
    );
}

#[test]
fn code_blocks_are_saved_and_never_overwrite() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("a b.py");
    let shown = file.display();
    let mut stage = Stage::new(TERMINAL, 1000);
    assert_eq!(
        stage.shown("/save x"),
        "no answer yet, so nothing to save\n"
    );
    stage.shown("no code");
    assert_eq!(
        stage.shown("/save x"),
        "the last answer has no code block\n"
    );
    stage.shown("\n```py\nfirst\n```\n```\nsecond\n```");
    assert_eq!(
        stage.shown(&format!("/save {shown} 3")),
        "no code block 3; the last answer has 2\n"
    );
    assert_eq!(
        stage.shown(&format!("/save {shown} 1")),
        format!("wrote {shown} (6 bytes)\n")
    );
    assert_eq!(
        stage.shown(&format!("/save {shown}")),
        format!("{shown} exists; /save! {shown} replaces it\n")
    );
    assert_eq!(std::fs::read_to_string(&file).expect("saved"), "first\n");
    stage.shown(&format!("/save! {shown}"));
    assert_eq!(std::fs::read_to_string(&file).expect("saved"), "second\n");
    let nowhere = dir.path().join("no/such/dir");
    assert!(
        stage
            .shown(&format!("/save {}", nowhere.display()))
            .starts_with("cannot write")
    );
}

#[test]
fn lines_lead_to_actions() {
    let mut repl = Repl { thinking: true };
    let mut conversation = Conversation::default();
    let say = |text: &str| Action::Say(text.into());
    let table = [
        ("", Action::Nothing),
        ("  \n ", Action::Nothing),
        ("hi", Action::Answer("hi".into())),
        ("/etc/hosts?", Action::Answer("/etc/hosts?".into())),
        ("/quit", Action::Quit),
        ("/stats", Action::Stats),
        ("/model", Action::ShowModel),
        ("/model a b.gguf", Action::Switch("a b.gguf".into())),
        ("/undo", say("nothing to take back")),
        ("/run", say("no answer yet, so nothing to run")),
        ("/attach x.txt", Action::Attach("x.txt".into())),
        ("/retry", say("no message yet, so nothing to answer again")),
        ("/edit", say("no message yet, so nothing to change")),
        ("/copy", say("no answer yet, so nothing to copy")),
        ("/load zebra", Action::Load(Some("zebra".into()))),
        ("/clear", Action::Cleared("0 exchanges forgotten".into())),
        ("/sattus", say("no command /sattus; did you mean /stats?")),
        ("/xyzzy", say("no command /xyzzy; /help lists them")),
        ("/save", say("write /save FILE [n]")),
        ("/think off", say("thinking is hidden")),
        ("/think", say("thinking is hidden")),
        ("/system", say("no system message; /system TEXT sets one")),
    ];
    for (line, action) in table {
        assert_eq!(repl.handle(line, &mut conversation), action, "for {line:?}");
    }
    let Action::Say(help) = repl.handle("/help", &mut conversation) else {
        panic!("help says something");
    };
    assert!(
        help.lines().all(|line| line.chars().count() <= 80),
        "{help}"
    );
}

fn screened(output: Output, thinking: bool, events: &[Event<'_>]) -> String {
    let mut out = Vec::new();
    let mut screen = Screen::new(&mut out, output, thinking);
    for &event in events {
        screen.show(event).expect("memory");
    }
    screen.end().expect("memory");
    String::from_utf8(out).expect("text")
}

#[test]
fn thinking_is_set_apart() {
    let events = [
        Event::Thought("so\x1b[31m "),
        Event::Thought("so"),
        Event::Text("**x**"),
        Event::Text(" y\n"),
    ];
    let colour = Output::Terminal(Look {
        width: 80,
        colour: true,
    });
    assert_eq!(
        screened(colour, true, &events),
        "\x1b[2;3mso[31m \x1b[0m\x1b[2;3mso\x1b[0m\n\n\x1b[1mx\x1b[0m y\n"
    );
    assert_eq!(screened(colour, false, &events), "\x1b[1mx\x1b[0m y\n");
    assert_eq!(screened(TERMINAL, true, &events), "so[31m so\n\n**x** y\n");
    assert_eq!(screened(Output::Plain, true, &events), "**x** y\n");
}

#[test]
fn escapes_of_a_model_reach_no_pipe_either() {
    let events = [
        Event::Text("a\x1b[2J"),
        Event::Text("\u{9b}31m\u{202e}b\x07\r\n\tc"),
    ];
    assert_eq!(screened(Output::Plain, true, &events), "a[2J31mb\n\tc\n");
    let mut out = Vec::new();
    let mut screen = Screen::new(&mut out, Output::Plain, true);
    screen.hold();
    for event in events {
        screen.show(event).expect("memory");
    }
    screen.end().expect("memory");
    assert_eq!(out, b"a[2J31mb\n\tc\n");
}

#[test]
fn the_count_of_a_long_prompt_goes_away() {
    let count = |done| Event::Prefill { done, total: 2000 };
    let colour = Output::Terminal(Look {
        width: 80,
        colour: true,
    });
    let shown = screened(colour, true, &[count(500), count(2000), Event::Text("x")]);
    assert!(
        shown.starts_with("\r\x1b[K\x1b[2mreading 500 of 2000 tokens"),
        "{shown:?}"
    );
    assert!(
        shown.ends_with("2000 tokens\x1b[0m\r\x1b[Kx\n"),
        "{shown:?}"
    );
    assert_eq!(
        screened(Output::Plain, true, &[count(500), Event::Text("x")]),
        "x\n"
    );
    assert_eq!(
        screened(
            colour,
            true,
            &[Event::Prefill { done: 1, total: 9 }, Event::Text("x")]
        ),
        "x\n"
    );
}

#[test]
fn a_revised_answer_takes_the_place_of_the_one_shown() {
    let events = [
        Event::Text("It is 41."),
        Event::Checking("arithmetic"),
        Event::Checking("arithmetic"),
        Event::Revise {
            guard: "arithmetic",
            text: "It is 42.",
        },
    ];
    let shown = |output, hold| {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, output, true);
        if hold {
            screen.hold();
        }
        for event in events {
            screen.show(event).expect("memory");
        }
        screen.end().expect("memory");
        String::from_utf8(out).expect("text")
    };
    let colour = Output::Terminal(Look {
        width: 80,
        colour: true,
    });
    assert_eq!(
        shown(colour, false),
        "It is 41.\n\r\x1b[K\x1b[2mchecking: arithmetic\x1b[0m\r\x1b[1A\x1b[JIt is 42.\n"
    );
    assert_eq!(shown(Output::Plain, true), "It is 42.\n");
    assert_eq!(shown(Output::Plain, false), "It is 41.\n");
}
