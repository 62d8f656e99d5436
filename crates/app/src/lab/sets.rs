//! Benchmarks of others by name: fetched on request, checked by hash, kept under `RECKON_HOME/sets`.
//!
//! `lab pull` fetches, `lab run` and `lab judge` look here. A name of a set always means the set: a file of that name in
//! the working directory is `./mt-bench`. Each file counts only whole and with the right sha256.
use crate::{Context, Failure, cli::lab::PullArgs, models};
use reckon::models::{
    http::{self, is_loopback, reason},
    sha256_of, write_atomically,
};
use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// A benchmark that we know where to find.
struct Set {
    name: &'static str,
    /// Where its files are, without a slash at the end.
    from: &'static str,
    files: [SetFile; 3],
}

/// One of its files.
struct SetFile {
    /// Below `from`.
    path: &'static str,
    sha256: &'static str,
}

/// Largest file of a set.
const LARGEST: u64 = 16 << 20;

const MT_BENCH: Set = Set {
    name: "mt-bench",
    from: "https://raw.githubusercontent.com/lm-sys/FastChat/\
           0e6d3e4beaab66f4d3f93db72541a4abab8af28d/fastchat/llm_judge/data",
    files: [
        SetFile {
            path: "mt_bench/question.jsonl",
            sha256: "119565adbab82227089cefdb44c8d7e2cf04dc0a0ec233634c82e7d4e2a944f7",
        },
        SetFile {
            path: "judge_prompts.jsonl",
            sha256: "fd283293406d024f44c174b094ef48031d0687a4682fd3a56b29b138f80281b6",
        },
        SetFile {
            path: "mt_bench/reference_answer/gpt-4.jsonl",
            sha256: "f957a5bc977badb66885ec970e6cd08527845780313f0995764260e5777b9b3f",
        },
    ],
};

/// The files of a set that is here.
#[derive(Debug)]
pub(crate) struct Here {
    pub(crate) questions: PathBuf,
    pub(crate) prompts: PathBuf,
    pub(crate) references: PathBuf,
}

/// The set that `name` means, if it means one; a set that is not here is refused with the way to get it.
pub(crate) fn find(name: &Path, context: &Context) -> anyhow::Result<Option<Here>> {
    if name != Path::new(MT_BENCH.name) {
        return Ok(None);
    }
    let [questions, prompts, references] = MT_BENCH.files.map(|file| place(&file, context));
    if [&questions, &prompts, &references]
        .iter()
        .any(|file| !file.is_file())
    {
        let name = MT_BENCH.name;
        return Err(Failure::input(format!("{name} is not here"))
            .hint(format!("`reckon lab pull {name}` fetches it"))
            .into());
    }
    Ok(Some(Here {
        questions,
        prompts,
        references,
    }))
}

fn place(file: &SetFile, context: &Context) -> PathBuf {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    context
        .store
        .home
        .join("sets")
        .join(MT_BENCH.name)
        .join(name)
}

/// Runs `reckon lab pull`.
pub(crate) fn pull(args: &PullArgs, context: &Context) -> anyhow::Result<()> {
    if args.name != MT_BENCH.name {
        return Err(
            Failure::usage(format!("there is no set named {}", args.name))
                .hint(format!("there is {}", MT_BENCH.name))
                .into(),
        );
    }
    let from = args.from.as_deref().unwrap_or(MT_BENCH.from);
    let from = from.trim_end_matches('/');
    if context.store.offline && !is_loopback(from) {
        return Err(Failure::failed("offline: nothing can be fetched").into());
    }
    for file in &MT_BENCH.files {
        let path = place(file, context);
        if models::sha256(&path, context).is_ok_and(|found| found == file.sha256) {
            continue;
        }
        let bytes = fetch(&format!("{from}/{}", file.path), context)?;
        let found = sha256_of(&bytes);
        if found != file.sha256 {
            let what = format!("{}: wrong sha256 ({found}, not {})", file.path, file.sha256);
            return Err(Failure::failed(what).into());
        }
        write_atomically(&path, &bytes).map_err(|error| {
            Failure::failed(format!("cannot write {}: {error}", path.display()))
        })?;
        writeln!(io::stdout(), "{}", path.display())?;
    }
    Ok(())
}

fn fetch(url: &str, context: &Context) -> anyhow::Result<Vec<u8>> {
    let failed = |why: String| Failure::failed(format!("cannot fetch {url}: {why}"));
    let patience = &context.store.patience;
    let config = http::config(url, patience)?.timeout_per_read(Some(patience.stall));
    let agent = config.build().new_agent();
    let response = agent
        .get(url)
        .call()
        .map_err(|error| failed(reason(&error)))?;
    if response.status().as_u16() != 200 {
        return Err(failed(format!("it answered {}", response.status().as_u16())).into());
    }
    let mut bytes = Vec::new();
    let mut body = response.into_body().into_reader().take(LARGEST);
    body.read_to_end(&mut bytes)
        .map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}
