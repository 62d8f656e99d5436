//! Standard input as it comes.
use crate::script::built_in;
use reckon_recipe::{Live, live};
use std::io::{self, Cursor, Read};

/// A recording of this many bytes, as `arecord` writes it: its length says nothing.
fn wav(bytes: usize) -> Vec<u8> {
    let mut wav =
        b"RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0\xe8\x03\0\0\xd0\x07\0\0\x02\0\x10\0"
            .to_vec();
    wav.extend_from_slice(b"data\xff\xff\xff\x7f");
    wav.resize(wav.len() + bytes, 7);
    wav
}

fn refused(bytes: Vec<u8>, part: &str) {
    let error = live(Cursor::new(bytes), &built_in("meeting"))
        .expect_err(part)
        .to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
fn a_recording_comes_in_windows_of_whole_samples() {
    // 1000 Hz of two bytes: 2000 bytes a second, 120 seconds a window.
    let input = Cursor::new(wav(240_000 + 30_001));
    let Live::Windows(windows) = live(input, &built_in("meeting")).expect("live") else {
        panic!("windows");
    };
    let items: Vec<_> = windows
        .into_iter()
        .map(|item| item.expect("a window"))
        .collect();
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["00:00–02:00", "02:00–02:15"]);
    let lengths: Vec<usize> = items
        .iter()
        .map(|item| item.files[0].bytes.len() - 44)
        .collect();
    assert_eq!(lengths, [240_000, 30_000]);
    assert!(items[1].files[0].bytes.starts_with(b"RIFF"));
}

#[test]
fn a_recording_that_breaks_off_gives_what_was_heard() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unplugged"))
        }
    }
    let input = Cursor::new(wav(20_000)).chain(Broken);
    let Live::Windows(windows) = live(input, &built_in("meeting")).expect("live") else {
        panic!("windows");
    };
    let items: Vec<_> = windows.into_iter().collect();
    assert_eq!(items.len(), 2);
    assert_eq!(items[0].as_ref().expect("ten seconds").name, "00:00–00:10");
    assert!(items[1].is_err());
}

#[test]
fn lines_come_in_windows_if_something_is_asked_last() {
    let text = "a line\n".repeat(200);
    let Live::Windows(windows) =
        live(Cursor::new(text.clone()), &built_in("meeting")).expect("live")
    else {
        panic!("windows");
    };
    let names: Vec<String> = windows
        .into_iter()
        .map(|item| item.expect("a window").name)
        .collect();
    assert_eq!(names, ["lines 1–150", "lines 151–200"]);
    let Live::Whole(item) = live(Cursor::new(text.clone()), &built_in("translate")).expect("live")
    else {
        panic!("all at once");
    };
    assert_eq!(item.files[0].bytes, text.as_bytes());
}

#[test]
fn hostile_input_is_refused() {
    refused(Vec::new(), "empty");
    refused(b"RIFF1234WAVE".to_vec(), "cannot read standard input");
    let mut header = wav(0);
    header[20] = 3;
    refused(header, "only PCM");
    let mut header = wav(0);
    header[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(header, "a header of that size");
    let mut header = wav(0);
    header[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(header, "only PCM");
    let blank = live(Cursor::new("  \n"), &built_in("translate"));
    assert!(blank.is_err());
    let endless = live(io::repeat(b'x'), &built_in("translate")).expect_err("too long");
    assert!(endless.to_string().contains("longer than 16 MiB"));
}

#[test]
fn mails_on_standard_input_are_answered_one_by_one() {
    let mbox = "From a@b Mon\nSubject: one\n\nx\n\nFrom a@b Tue\nSubject: two\n\ny\n";
    for (text, expected) in [
        (mbox, &["standard input 1", "standard input 2"][..]),
        ("Subject: one\n\nFrom here on\n", &["standard input"][..]),
    ] {
        let input = Cursor::new(text.as_bytes().to_vec());
        let Live::Mails(mails) = live(input, &built_in("mail-routing")).expect("live") else {
            panic!("mails");
        };
        let mails: Vec<_> = mails
            .into_iter()
            .map(|mail| mail.expect("a mail"))
            .collect();
        let names: Vec<&str> = mails.iter().map(|mail| mail.name.as_str()).collect();
        assert_eq!(names, expected);
        assert!(mails.iter().all(|mail| mail.files[0].name == "mail.eml"));
    }
}
