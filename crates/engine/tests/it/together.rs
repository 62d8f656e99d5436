//! Several sequences in one pass: the same bytes as each alone.

use crate::fixture::Tiny;
use crate::whole::{EVERY, fresh, model, prompt, request, write};
use reckon_engine::{Error, ModelOptions, Session, Token};
use reckon_gguf::Format;

#[test]
fn reading_together_leaves_what_reading_alone_leaves() {
    for (architecture, format) in EVERY {
        let options = ModelOptions {
            cpus: vec![0; 2],
            ..ModelOptions::default()
        };
        let model = model(&Tiny::new(architecture, format), &options);
        // Sequences of different lengths, so that rows of one pass stand at different positions.
        let prompts: Vec<Vec<Token>> = (0..5).map(|i| prompt(&model, 20 + 9 * i)).collect();
        let mut sessions: Vec<Session> = (0..5).map(|_| Session::new(model.clone())).collect();
        for (session, prompt) in sessions.iter_mut().zip(&prompts) {
            session.feed(&prompt[..12]).unwrap();
        }
        for at in 12..20 {
            let tokens: Vec<Token> = prompts.iter().map(|prompt| prompt[at]).collect();
            Session::feed_together(&mut sessions, &tokens).unwrap();
        }
        for (session, prompt) in sessions.iter_mut().zip(prompts) {
            assert_eq!(session.tokens(), &prompt[..20]);
            let request = request(prompt, 8);
            assert_eq!(
                write(session, &request),
                fresh(&model, &request),
                "{architecture} {format:?}"
            );
        }
    }
}

#[test]
fn sessions_of_different_models_do_not_share_a_pass() {
    let load = || {
        let tiny = Tiny::new("llama", Format::Q8_0);
        model(&tiny, &ModelOptions::default())
    };
    // Even of the same file: a pass reads the weights of one of them.
    let mut sessions = [Session::new(load()), Session::new(load())];
    let refused = Session::feed_together(&mut sessions, &[5, 6]);
    assert!(matches!(refused, Err(Error::OtherModel)));
    assert!(sessions.iter().all(|session| session.tokens().is_empty()));
}
