//! The interpreter as a program sees it: what CPython 3.11 printed and gave for short programs, and what this one does.
//!
//! Each file in `cases` has blocks between lines `----`: a program, a line `=>`, then all that it printed and last its
//! value, or `!!` and its error line. Only what CPython itself gave stands there.
use reckon_python::{Host, Interpreter};
use std::{cell::RefCell, fs, path::Path, rc::Rc, thread};

const STACK: usize = 64 << 20;

#[test]
fn programs_give_what_cpython_gives() {
    let work = thread::Builder::new().stack_size(STACK).spawn(differences);
    let differences = work.expect("a thread can be started").join();
    let differences = differences.expect("no program makes the interpreter panic");
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

fn differences() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the cases are beside this file")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let mut differences = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a case file is a text");
        for block in text.trim_end().split("\n----\n") {
            let (program, wanted) = block
                .split_once("\n=>")
                .expect("a case says what comes of it");
            let (wanted, got) = (wanted.trim_start_matches('\n').trim_end(), outcome(program));
            if got != wanted {
                let name = file.file_stem().unwrap_or_default().display();
                differences.push(format!(
                    "{name}:\n{program}\nCPython: {wanted}\nhere: {got}"
                ));
            }
        }
    }
    differences
}

/// What a program prints, and its value or error line.
fn outcome(program: &str) -> String {
    let printed = Rc::new(RefCell::new(String::new()));
    let write = {
        let printed = printed.clone();
        move |text: &str, shown: bool| {
            if shown {
                printed.borrow_mut().push_str(text);
            }
        }
    };
    let host = Host {
        write: Box::new(write),
        call: Box::new(|_, _| Err("nobody answers".into())),
        modules: &[],
    };
    let result = match Interpreter::new(host, STACK).run(program, "memory") {
        Ok(value) => value,
        Err(line) => format!("!! {line}"),
    };
    format!("{}{result}", printed.borrow())
        .trim_start_matches('\n')
        .trim_end()
        .to_owned()
}
