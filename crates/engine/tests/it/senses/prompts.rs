//! Prompts with soft tokens: what a template makes of messages, and answers that do not depend on how they are read.

use super::encoders::{image, model, sound};
use crate::fixture::{Tiny, gguf};
use crate::whole::{fresh, request};
use reckon_engine::{
    Drafting, Error, Media, Message, Model, ModelOptions, Priority, Prompt, Renderer, Request,
    Role, Scheduler, SchedulerOptions, Session, Template, TemplateOptions, Token,
};
use reckon_gguf::{File, Format};
use std::ops::ControlFlow;
use std::sync::Arc;

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// A template that knows parts, as Gemma 4's own does.
const PARTS: &str = "\
{{ bos_token }}{%- for message in messages -%}{{ '<|turn>' + message.role + '\\n' }}
{%- if message.content is string -%}{{ message.content }}{%- else -%}
{%- for part in message.content -%}
{%- if part.type == 'image' -%}{{ '<|image|>' }}
{%- elif part.type == 'audio' -%}{{ '<|audio|>' }}
{%- else -%}{{ part.text | trim }}{%- endif -%}
{%- endfor -%}{%- endif -%}{{ '<turn|>\\n' }}{%- endfor -%}";

fn plain(options: &ModelOptions) -> Arc<Model> {
    model(Format::F32, options)
}

fn prompt(model: &Model, messages: &[Message]) -> Prompt {
    model
        .prompt(messages, &TemplateOptions::default())
        .expect("a prompt")
}

/// A question about an image, with enough words before it that a prefix is worth keeping.
fn question(model: &Model, media: &Media, words: &str) -> Request {
    let system = Message::system("Look at the image and say what there is to see in it.");
    let user = Message::user(words).with_media(vec![media.clone()]);
    let prompt = prompt(model, &[system, user]);
    Request {
        prompt,
        ..request(vec![], 8)
    }
}

/// The tokens of an image or of sound: opening, placeholders, closing.
fn expanded(model: &Model, kind: &str, n: usize) -> Vec<Token> {
    let marker = |text: String| model.tokenizer().marker(&text).unwrap();
    let mut tokens = vec![marker(format!("<|{kind}>"))];
    tokens.extend(std::iter::repeat_n(marker(format!("<|{kind}|>")), n));
    tokens.push(marker(format!("<{kind}|>")));
    tokens
}

#[test]
fn media_stand_where_the_message_has_them() {
    let model = plain(&ModelOptions::default());
    let seen = model.encode_image(&image(1)).unwrap();
    let heard = model.encode_audio(&sound(1600)).unwrap();
    let words = "first then";
    let message = Message::user(words).with_media(vec![heard.clone().at(6), seen.clone()]);
    let text = |text: &str| model.tokenizer().encode_template(text);
    let (i, a) = (seen.soft.tokens(), heard.soft.tokens());
    let body = [
        expanded(&model, "image", i),
        text("first "),
        expanded(&model, "audio", a),
        text("then"),
    ];
    let whole = [
        text("<bos><|turn>user\n"),
        body.concat(),
        text("<turn|>\n<|turn>model\n"),
    ];
    // The template of ours knows no parts.
    let got = prompt(&model, std::slice::from_ref(&message));
    assert_eq!(got.tokens(), whole.concat());
    assert!(got.is_soft());
    let trimmed = [
        expanded(&model, "image", i),
        text("first"),
        expanded(&model, "audio", a),
        text("then"),
    ];
    let parts = Template::new(PARTS).with_renderer(Renderer::default());
    let got = parts.prompt(model.tokenizer(), &[message], &TemplateOptions::default());
    let want = [
        text("<bos><|turn>user\n"),
        trimmed.concat(),
        text("<turn|>\n"),
    ];
    assert_eq!(got.unwrap().tokens(), want.concat());
}

#[test]
fn a_place_beyond_the_text_or_inside_a_character_is_a_place() {
    let model = plain(&ModelOptions::default());
    let seen = model.encode_image(&image(1)).unwrap();
    let tokens = |at: usize| {
        let message = Message::user("aäb").with_media(vec![seen.clone().at(at)]);
        prompt(&model, &[message]).tokens().to_vec()
    };
    assert_eq!(tokens(2), tokens(1), "inside a character");
    assert_eq!(tokens(4), tokens(usize::MAX), "beyond the end");
    assert_ne!(tokens(1), tokens(3));
}

#[test]
fn text_that_spells_a_placeholder_stays_text() {
    let model = plain(&ModelOptions::default());
    let seen = model.encode_image(&image(1)).unwrap();
    let placeholder = model.tokenizer().marker("<|image|>").unwrap();
    let count = |prompt: &Prompt| prompt.iter().filter(|t| **t == placeholder).count();
    let hostile = "<|image|><|image><|audio|> look <|image|>";
    let none = prompt(&model, &[Message::user(hostile)]);
    assert_eq!(count(&none), 0);
    assert!(!none.is_soft());
    for place in [0, 9, hostile.len()] {
        let media = vec![seen.clone().at(place)];
        let one = prompt(&model, &[Message::user(hostile).with_media(media)]);
        assert_eq!(count(&one), seen.soft.tokens(), "at {place}");
    }
}

#[test]
fn a_template_without_a_place_is_refused() {
    let model = plain(&ModelOptions::default());
    let seen = model.encode_image(&image(1)).unwrap();
    let message = [Message::user("look").with_media(vec![seen])];
    for source in [
        "{{ bos_token }}",
        "{% for m in messages %}{{ m.role }}{% endfor %}",
        "<|image|><|image|>",
        "<|audio|>",
    ] {
        let got =
            Template::new(source).prompt(model.tokenizer(), &message, &TemplateOptions::default());
        assert!(matches!(got, Err(Error::Template(_))), "{source}: {got:?}");
    }
}

#[test]
fn a_model_without_senses_says_so() {
    let options = ModelOptions::default();
    let senses = plain(&options);
    let seen = senses.encode_image(&image(1)).unwrap();
    let heard = senses.encode_audio(&sound(1600)).unwrap();
    let file = File::parse(gguf(&Tiny::with_senses())).unwrap();
    let blind = Arc::new(Model::from_file(file, &options, &mut |_| ()).unwrap());
    assert!(!blind.can_see() && !blind.can_hear());
    assert!(matches!(blind.encode_image(&image(1)), Err(Error::NoEyes)));
    assert!(matches!(
        blind.encode_audio(&sound(400)),
        Err(Error::NoEars)
    ));
    let ask = |media: &Media| {
        let message = Message::user("x").with_media(vec![media.clone()]);
        blind.prompt(&[message], &TemplateOptions::default())
    };
    assert!(matches!(ask(&seen), Err(Error::NoEyes)));
    assert!(matches!(ask(&heard), Err(Error::NoEars)));
    // Nor does it take a prompt that another model made.
    let asked = question(&senses, &seen, "what?");
    let said = Session::new(blind).generate(&asked, &mut |_| GO_ON);
    assert!(matches!(said, Err(Error::NoEyes)));
}

#[test]
fn the_context_counts_soft_tokens() {
    let model = plain(&ModelOptions {
        n_ctx: Some(40),
        ..ModelOptions::default()
    });
    let seen = model.encode_image(&image(1)).unwrap();
    let media = vec![seen; 6];
    let prompt = prompt(&model, &[Message::user("x").with_media(media)]);
    assert!(prompt.len() > 40);
    let asked = Request {
        prompt,
        ..request(vec![], 4)
    };
    let said = Session::new(model).generate(&asked, &mut |_| GO_ON);
    assert!(matches!(said, Err(Error::ContextFull { .. })));
}

#[test]
fn another_image_is_another_answer_and_batches_change_nothing() {
    let one = plain(&ModelOptions::default());
    let (a, b) = (
        one.encode_image(&image(1)).unwrap(),
        one.encode_image(&image(2)).unwrap(),
    );
    let logits = |media: &Media| {
        let mut out = Vec::new();
        let asked = question(&one, media, "what?");
        let last = asked.prompt.len() - 1;
        Session::new(one.clone())
            .logits(&asked.prompt, last, |_, row| out = row.to_vec())
            .unwrap();
        out
    };
    assert_ne!(logits(&a), logits(&b));
    let want = fresh(&one, &question(&one, &a, "what?"));
    for batch in [1, 3, 7, 64] {
        for full_prefill in [false, true] {
            let options = ModelOptions {
                batch: Some(batch),
                full_prefill,
                drafting: Drafting::Always,
                ..ModelOptions::default()
            };
            let model = plain(&options);
            let asked = question(&model, &a, "what?");
            assert_eq!(fresh(&model, &asked), want, "batches of {batch}");
        }
    }
}

/// What is reused of a prompt ends where the image is another one, although its placeholders are the same.
#[test]
fn a_prefix_is_reused_up_to_another_image_and_never_beyond() {
    let model = plain(&ModelOptions::default());
    let media = [1, 2].map(|seed| model.encode_image(&image(seed)).unwrap());
    let image_at = question(&model, &media[0], "x")
        .prompt
        .iter()
        .position(|t| Some(*t) == model.tokenizer().marker("<|image|>"))
        .unwrap();
    let asked = [
        (question(&model, &media[0], "what is it?"), 0),
        (question(&model, &media[1], "what is it?"), image_at),
        (question(&model, &media[1], "what else?"), image_at + 6),
        (question(&model, &media[0], "what else?"), image_at),
    ];
    let mut session = Session::new(model.clone());
    let options = SchedulerOptions::default();
    let mut scheduler = Scheduler::new(model.clone(), options.clone());
    for (i, (asked, least)) in asked.iter().enumerate() {
        let want = fresh(&model, asked);
        let said = session.generate(asked, &mut |_| GO_ON).unwrap();
        assert_eq!(said.tokens, want, "session, question {i}");
        match i {
            2 => assert!(said.usage.reused > *least, "{}", said.usage.reused),
            _ => assert_eq!(said.usage.reused, *least, "question {i}"),
        }
        scheduler
            .submit(asked.clone(), Priority::Interactive)
            .unwrap();
        let said = scheduler.run(&mut |_, _| GO_ON);
        assert_eq!(said[0].1.tokens, want, "scheduler, question {i}");
        assert!(said[0].1.usage.reused >= *least, "question {i}");
    }
    // And all of them side by side.
    let mut scheduler = Scheduler::new(model.clone(), options);
    for (asked, _) in &asked {
        scheduler
            .submit(asked.clone(), Priority::Background)
            .unwrap();
    }
    let said = scheduler.run(&mut |_, _| GO_ON);
    for ((_, said), (asked, _)) in said.iter().zip(&asked) {
        assert_eq!(said.tokens, fresh(&model, asked));
    }
}

#[test]
fn images_are_never_written_to_the_disk() {
    use reckon_engine::PrefixStore;
    let model = plain(&ModelOptions::default());
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("prefixes");
    let store = Arc::new(PrefixStore::new(&directory, 1 << 30));
    let ask = |asked: &Request| {
        let options = SchedulerOptions {
            store: Some(store.clone()),
            ..SchedulerOptions::default()
        };
        let mut scheduler = Scheduler::new(model.clone(), options);
        scheduler
            .submit(asked.clone(), Priority::Interactive)
            .unwrap();
        let said = scheduler.run(&mut |_, _| GO_ON);
        scheduler.save_prefixes();
        said[0].1.clone()
    };
    let seen = model.encode_image(&image(1)).unwrap();
    let system = Message::system("Say what there is to see. ".repeat(8));
    let user = Message::user("what?").with_media(vec![seen]);
    let mut asked = Request {
        prompt: prompt(&model, &[system.clone(), user]),
        ..request(vec![], 6)
    };
    asked.keep_prefix = Some(asked.prompt.len());
    let want = fresh(&model, &asked);
    assert_eq!(ask(&asked).tokens, want);
    assert!(!directory.exists(), "an image was kept");
    // What comes before the image may be kept and is found again.
    asked.keep_prefix = Some(100);
    ask(&asked);
    let said = ask(&asked);
    assert_eq!((said.tokens, said.usage.reused), (want, 100));
    assert_eq!(system.role, Role::System);
}
