//! Mails of files and folders, hostile ones too.
use crate::script::built_in;
use reckon_recipe::{MOST_MAIL, Mbox, Sources};
use std::{fs, io::BufReader};

fn mails(text: &[u8]) -> Vec<Result<String, String>> {
    Mbox::new(BufReader::new(text))
        .map(|mail| match mail {
            Ok(mail) => Ok(String::from_utf8_lossy(&mail).into_owned()),
            Err(error) => Err(error.to_string()),
        })
        .collect()
}

#[test]
fn an_mbox_is_cut_at_its_lines() {
    let text = b"From a@b Mon\nSubject: one\n\n>From here on\n\nFrom c@d Tue\nSubject: two\n\nFrom within\nbody\n";
    assert_eq!(
        mails(text),
        [
            Ok("Subject: one\n\nFrom here on\n\n".into()),
            // Only a blank line before it makes it the next mail: this one has it, too.
            Ok("Subject: two\n\n".into()),
            Ok("body\n".into()),
        ]
    );
    assert_eq!(mails(b""), []);
    assert_eq!(
        mails(b"no boundary at all\n\nFrom here\nx"),
        [Ok("no boundary at all\n\n".into()), Ok("x".into())]
    );
}

#[test]
fn a_huge_mail_is_refused_and_the_next_one_read() {
    let mut text = b"From a\nSubject: ".to_vec();
    text.resize(text.len() + MOST_MAIL + 1, b'x');
    text.extend_from_slice(b"\n\nFrom b\nsmall\n");
    let found = mails(&text);
    assert_eq!(
        found,
        [
            Err("mail 1 is larger than 16 MiB".into()),
            Ok("small\n".into())
        ]
    );
    let mut long_first_line = b"From ".to_vec();
    long_first_line.resize(200_000, b'x');
    long_first_line.extend_from_slice(b"\nbody\n");
    assert_eq!(mails(&long_first_line), [Ok("body\n".into())]);
}

#[test]
fn maildirs_mboxes_and_single_mails() {
    let root = tempfile::tempdir().expect("a folder");
    let path = |name: &str| root.path().join(name);
    for folder in ["Mail/cur", "Mail/new", "Mail/tmp"] {
        fs::create_dir_all(path(folder)).expect("made");
    }
    fs::write(path("Mail/cur/2.x.host:2,S"), "Subject: b\n\nb").expect("written");
    fs::write(path("Mail/new/1.x.host"), "Subject: a\n\na").expect("written");
    fs::write(path("Mail/tmp/3"), "half").expect("written");
    fs::write(path("Mail/new/.hidden"), "x").expect("written");
    fs::write(
        path("box"),
        "From a\nSubject: c\n\nc\n\nFrom b\nSubject: d\n\nd\n",
    )
    .expect("written");
    fs::write(path("one.eml"), "Subject: e\n\ne").expect("written");
    let paths = ["Mail", "box", "one.eml"].map(path);
    let sources = Sources::new(&built_in("mail-routing"), &paths).expect("sources");
    assert_eq!(sources.found(), 4);
    let items: Vec<_> = sources.map(|item| item.expect("an item")).collect();
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["1.x.host", "2.x.host", "box 1", "box 2", "one.eml"]);
    assert!(items.iter().all(|item| item.files[0].name == "mail.eml"));
    assert!(Sources::new(&built_in("mail-routing"), &[path("missing")]).is_err());
}

#[test]
fn an_mbox_may_give_several_answers_though_it_is_one_file() {
    let root = tempfile::tempdir().expect("a folder");
    let (mbox, mail) = (root.path().join("inbox"), root.path().join("one.eml"));
    fs::write(&mbox, "From a@b Mon\nSubject: one\n\nx\n").expect("written");
    fs::write(&mail, "Subject: one\n\nx\n").expect("written");
    let recipe = built_in("mail-routing");
    for (path, expected) in [(mbox, true), (mail, false)] {
        let sources = Sources::new(&recipe, &[path]).expect("sources");
        assert_eq!((sources.found(), sources.has_several()), (1, expected));
    }
}
