//! Files that come with a question: what a model is given of them, and what a conversation keeps.
use crate::{
    fixture::{Tiny, gguf},
    mmproj::Mmproj,
};
use reckon::{AttachedFile, Error, Model, OpenOptions};
use reckon_gguf::Format;
use tempfile::TempDir;

/// One grey pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x80\x80\x80\xff\xff\xff\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b";

/// Half a second of a tone.
fn wav() -> Vec<u8> {
    let samples = (0..8000).flat_map(|i: i32| (((i % 40) - 20) * 500).to_le_bytes()[..2].to_vec());
    let data: Vec<u8> = samples.collect();
    let n = data.len() as u32;
    let mut file = [b"RIFF", &(36 + n).to_le_bytes()[..], b"WAVEfmt "].concat();
    for field in [16_u32, 1 | 1 << 16, 16_000, 32_000, 2 | 16 << 16] {
        file.extend(field.to_le_bytes());
    }
    file.extend([&b"data"[..], &n.to_le_bytes(), &data].concat());
    file
}

/// A model that sees and hears, and one that does neither.
fn models(directory: &TempDir) -> (Model, Model) {
    let at = |name: &str| directory.path().join(name);
    let tiny = Tiny::with_senses();
    std::fs::write(at("tiny.gguf"), gguf(&tiny)).unwrap();
    std::fs::write(
        at("mmproj.gguf"),
        Mmproj::with_positions(Format::F32, 48).to_vec(),
    )
    .unwrap();
    let open = |mmproj| {
        let options = OpenOptions::default().threads(1).mmproj(mmproj);
        options.open(at("tiny.gguf")).unwrap()
    };
    (open(Some(at("mmproj.gguf"))), open(None))
}

fn read(name: &str, bytes: &[u8]) -> AttachedFile {
    AttachedFile::read(name, bytes.to_vec(), None).unwrap()
}

#[test]
fn text_stands_between_fences_that_it_cannot_close() {
    let directory = TempDir::new().unwrap();
    let (_, blind) = models(&directory);
    let file = read("notes.md", b"# A\n````\ncode\n````\n");
    let given = file.for_model(&blind).unwrap();
    assert_eq!(given.text, "notes.md:\n`````\n# A\n````\ncode\n````\n`````");
    assert!(given.media.is_empty() && given.notes.is_empty());
}

#[test]
fn pictures_and_sound_need_eyes_and_ears() {
    let directory = TempDir::new().unwrap();
    let (seeing, blind) = models(&directory);
    for (name, bytes, sense) in [("dot.gif", GIF, "see"), ("tone.wav", &wav(), "hear")] {
        let file = read(name, bytes);
        let given = file.for_model(&seeing).unwrap();
        assert_eq!((given.media.len(), given.text.as_str()), (1, ""), "{name}");
        let refused = file.for_model(&blind).unwrap_err();
        assert!(matches!(refused, Error::Attachment(_)), "{refused:?}");
        assert!(refused.to_string().contains(sense), "{refused}");
    }
}

#[test]
fn what_is_no_file_of_a_known_kind_is_refused_in_one_line() {
    let cases: [(&str, &[u8]); 4] = [
        ("a.png", b"\x89PNG\r\n\x1a\nbroken"),
        ("a.pdf", b"%PDF-1.7\nnothing"),
        ("a.bin", b"\x00\x01\x02\xff"),
        ("a.docx", b"PK\x03\x04"),
    ];
    for (name, bytes) in cases {
        let refused = AttachedFile::read(name, bytes.to_vec(), None).unwrap_err();
        let line = refused.to_string();
        assert!(
            line.contains(name) && !line.contains('\n') && line.len() < 300,
            "{line}"
        );
    }
}

#[test]
fn a_question_that_is_asked_again_brings_its_picture_along() {
    let directory = TempDir::new().unwrap();
    let (seeing, blind) = models(&directory);
    let picture = read("dot.gif", GIF).for_model(&seeing).unwrap().media;
    let mut chat = seeing.chat().max_tokens(4);
    let words = chat.room("what is this?").unwrap().unwrap();
    chat.attach(picture.clone());
    let seen = chat.room("what is this?").unwrap().unwrap();
    assert!(seen < words, "{seen} tokens are left, {words} without it");
    while chat.conversation().is_empty() {
        // A tiny model may say nothing that can be read.
        chat.ask("what is this?", |_| ()).unwrap();
        if chat.conversation().is_empty() {
            chat.attach(picture.clone());
            chat.set_max_tokens(Some(40));
        }
    }
    let last = chat.conversation().last().unwrap();
    assert_eq!(last.media, picture);
    let asked_again = chat.conversation_mut().retake();
    assert_eq!(asked_again.as_deref(), Some("what is this?"));
    let messages = chat.conversation().messages("and now?");
    assert_eq!(messages.last().unwrap().media, picture);

    chat.switch(blind);
    let messages = chat.conversation().messages("and now?");
    assert!(messages.iter().all(|message| message.media.is_empty()));
}

#[test]
fn an_encrypted_file_asks_for_its_password() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/documents/encrypted_libreoffice.pdf"
    );
    let Ok(bytes) = std::fs::read(path) else {
        eprintln!("SKIPPED: an encrypted PDF in ../shared");
        return;
    };
    for (password, is_wrong) in [(None, false), (Some("wrong"), true)] {
        let refused = AttachedFile::read("secret.pdf", bytes.clone(), password).unwrap_err();
        assert!(
            matches!(&refused, Error::Password { wrong, .. } if *wrong == is_wrong),
            "{refused:?}"
        );
    }
}
