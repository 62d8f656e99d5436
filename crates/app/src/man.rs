//! `reckon man`: the command line's definition as manual pages in roff, one for each command.
//!
//! Hidden: packages are made with it. A page has what `--help` has, and its examples keep their lines.
use crate::cli::{Cli, ManArgs};
use anyhow::Context as _;
use clap::{Arg, Command, CommandFactory};
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Runs `reckon man`.
pub(crate) fn run(args: &ManArgs) -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    match &args.out {
        None => io::stdout().write_all(page(&command, "reckon").as_bytes())?,
        Some(directory) => {
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot make {}", directory.display()))?;
            write(&command, "reckon", directory)?;
        }
    }
    Ok(())
}

/// Writes the page of a command and those of all below it: `reckon-models-pull.1`.
fn write(command: &Command, name: &str, directory: &Path) -> anyhow::Result<()> {
    let path = directory.join(format!("{name}.1"));
    fs::write(&path, page(command, name))
        .with_context(|| format!("cannot write {}", path.display()))?;
    for below in shown(command) {
        write(below, &format!("{name}-{}", below.get_name()), directory)?;
    }
    Ok(())
}

/// The commands below one that people are told of.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    let below = command.get_subcommands();
    below.filter(|one| !one.is_hide_set() && one.get_name() != "help")
}

fn page(command: &Command, name: &str) -> String {
    let about = command.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    let mut page = format!(
        ".TH \"{}\" 1 \"\" \"reckon {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
        plain(&name.to_uppercase()),
        env!("CARGO_PKG_VERSION"),
        plain(name),
        plain(&about),
    );
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    page += &format!(".SH SYNOPSIS\n.nf\n{}.fi\n", lines(usage));
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|one| !one.is_hide_set())
        .collect();
    if !arguments.is_empty() {
        page += ".SH OPTIONS\n";
        page.extend(arguments.into_iter().map(argument));
    }
    let mut below = shown(command).peekable();
    if below.peek().is_some() {
        page += ".SH COMMANDS\n";
    }
    for one in below {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        let (name, about) = (plain(&format!("{name}-{}", one.get_name())), plain(&about));
        page += &format!(".TP\n\\fB{name}\\fR(1)\n{about}\n");
    }
    if let Some(more) = command.get_after_help() {
        page += &format!(".SH NOTES\n.nf\n{}.fi\n", lines(&more.to_string()));
    }
    page
}

/// One argument, with its names in bold and what it takes in italics.
fn argument(argument: &Arg) -> String {
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = values
        .iter()
        .filter(|_| takes)
        .map(|one| plain(one))
        .collect();
    let mut head = match names.is_empty() {
        true => String::new(),
        false => format!("\\fB{}\\fR", plain(&names.join(", "))),
    };
    if !values.is_empty() {
        head += &format!(" \\fI{}\\fR", values.join(" "));
    }
    let help = argument
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let default = argument.get_default_values().first().filter(|_| takes);
    let default = default.map(|value| format!(" [default: {}]", value.to_string_lossy()));
    let help = format!("{help}{}", default.unwrap_or_default());
    format!(".TP\n{}\n{}\n", head.trim(), plain(&help))
}

/// Lines that stay lines.
fn lines(text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", plain(line)))
        .collect()
}

/// Text in which nothing is an instruction to roff: no line begins with a dot or a quote, and a dash is one that can be copied.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.trim_start().starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_nothing_steers_roff() {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Cli::command();
        command.build();
        write(&command, "reckon", directory.path()).unwrap();
        for name in ["reckon", "reckon-ask", "reckon-models-pull", "reckon-fleet"] {
            let path = directory.path().join(format!("{name}.1"));
            let page = fs::read_to_string(path).expect(name);
            assert!(page.starts_with(".TH \"RECKON"), "{page}");
            let known = [".TH ", ".SH ", ".TP", ".nf", ".fi"];
            let is_known = |line: &&str| known.iter().any(|one| line.starts_with(one));
            let mut steering = page.lines().filter(|line| line.starts_with(['.', '\'']));
            assert!(steering.all(|line| is_known(&line)), "{page}");
        }
        assert!(!directory.path().join("reckon-man.1").exists());
        assert_eq!(plain(".so \\x -y"), "\\&.so \\ex \\-y");
    }
}
