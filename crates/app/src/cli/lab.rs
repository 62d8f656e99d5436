//! The arguments of `reckon lab`.
use super::{Check, MachineArgs, SamplingArgs, at_least_one};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Benchmarks: run questions, keep tapes, report, compare
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab compare gsm8k.tape.jsonl
  reckon lab calibrate gsm8k.tape.jsonl
  reckon lab report gsm8k.tape.jsonl -o report.html
  reckon lab classes gsm8k.tape.jsonl -o library.toml
  reckon lab run control --tape a.jsonl --seed 1 --max-tokens 16
  reckon lab run control --tape b.jsonl --seed 1 --max-tokens 16 --raw
  reckon lab compare a.jsonl b.jsonl
  reckon lab gate --model qwen2.5-coder-1.5b
  reckon lab grade a.jsonl --questions q.jsonl -o grades.jsonl --web"
)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    Pull(PullArgs),
    Run(Box<RunArgs>),
    Judge(Box<JudgeArgs>),
    Report(ReportArgs),
    Compare(CompareArgs),
    Calibrate(CalibrateArgs),
    Classes(ClassesArgs),
    Gate(GateArgs),
    Grade(GradeArgs),
}

/// Who answers: a model of this machine, or one elsewhere.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model); with
    /// --endpoint, the name that the server knows
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Ask an OpenAI-compatible server, for example http://localhost:11434/v1
    /// [env: RECKON_API_KEY or OPENAI_API_KEY is its key]
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Fetch the files of a benchmark, each checked against its sha256
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab pull mt-bench
  reckon lab run mt-bench --tape mt.jsonl

mt-bench is FastChat's: 80 questions of two turns, the judge's prompts and the
reference answers of GPT-4 (Apache-2.0). They go to RECKON_HOME/sets; nothing
of them comes with Reckon.")]
pub(crate) struct PullArgs {
    /// The benchmark: mt-bench
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Another place that has the same files
    #[arg(long, value_name = "URL")]
    pub(crate) from: Option<String>,
}

/// Answer the questions of a file, raw and guarded, onto a tape
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab run mt-bench --tape mt.jsonl
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab run puzzles.jsonl --from 60 --count 40 --tape p.jsonl --greedy
  reckon lab run question.jsonl --tape q.jsonl --model qwen3.5:9b \\
      --endpoint http://localhost:11434/v1

A question is a JSON object a line: FastChat's (question_id, category, turns),
IFEval's (prompt, instruction_id_list, kwargs), GSM8K's (question + answer, a
number), question + options + answer (a letter), input + target, or prompt or
turns with checks, references and category of your own; docs/lab.md has the
forms. A folder is all its .jsonl files. `control` is the built-in set of 1,200
everyday requests that no guard may touch; `mt-bench` what `lab pull` has
fetched. FastChat's questions are answered at
FastChat's temperatures unless you name one. A tape that exists is gone on with:
what is on it is not asked again. Of FastChat's questions the answers are also
written as FastChat's model_answer files, to T.fastchat beside the tape.")]
pub(crate) struct RunArgs {
    /// The questions, one JSON object a line; a folder of such files; `control`; `mt-bench`
    #[arg(value_name = "FILE")]
    pub(crate) questions: PathBuf,
    /// Where the answers go; gone on with if it exists
    #[arg(long, value_name = "T.jsonl")]
    pub(crate) tape: PathBuf,
    /// Skip the first N questions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) from: usize,
    /// Ask at most N questions
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Questions at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// How far numbers and conclusions are checked: without the model (direct), with a few programs beside the answer
    /// (quick), with a jury of answers and programs (full)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    #[command(flatten)]
    pub(crate) answerer: ModelArgs,
    /// Standing instructions for the model
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Stop every answer after N tokens
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
}

/// Have answers judged by a model, as FastChat does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab judge mt.tape.jsonl --questions mt-bench --model gpt-4 \\
      --endpoint https://api.openai.com/v1 -o gpt-4_single.jsonl
  reckon lab judge a.jsonl b.jsonl --mode pair --baseline a --track corrected \\
      --questions question.jsonl --prompts judge_prompts.jsonl \\
      --references gpt-4.jsonl --model qwen2.5-coder-1.5b -o pair.jsonl

Answers are FastChat's (the model is called what the file is called) or a tape:
what shipped and, where guards changed something, what the model said raw.
Questions, prompts and references are FastChat's files, from where you have
them. In pair mode both orders are shown; orders that disagree are a tie. The
compat track is FastChat's own; the corrected one replaces 16 wrong references
and asks no judge where a check decides. A judgment without a rating scores -1.
What is in the output already is not judged again.")]
pub(crate) struct JudgeArgs {
    /// Tapes, or answers in FastChat's form
    #[arg(required = true, value_name = "ANSWERS")]
    pub(crate) answers: Vec<PathBuf>,
    /// The questions; or `mt-bench`, which brings prompts and references
    #[arg(long, value_name = "Q")]
    pub(crate) questions: PathBuf,
    /// Judge prompts in FastChat's form (default: a rubric of ours, or what the benchmark brings)
    #[arg(long, value_name = "P.jsonl")]
    pub(crate) prompts: Option<PathBuf>,
    /// Reference answers for math, reasoning and coding
    #[arg(long, value_name = "R.jsonl")]
    pub(crate) references: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answerer: ModelArgs,
    /// One answer at a time, or two
    #[arg(long, value_enum, default_value_t = JudgeMode::Single)]
    pub(crate) mode: JudgeMode,
    /// In pair mode: the model that all others are compared with
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// As FastChat, or with right references and checks first
    #[arg(long, value_enum, default_value_t = Track::Compat)]
    pub(crate) track: Track,
    /// Judge everything N times, to see how much the judge agrees with itself
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) repeats: usize,
    /// Of the judge; 0 is greedy
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub(crate) temperature: f32,
    /// Longest judgment
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    /// Judgments at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Where the judgments go; gone on with if it exists
    #[arg(short, long, value_name = "J")]
    pub(crate) output: PathBuf,
}

/// How answers are shown to the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeMode {
    Single,
    Pair,
}

/// By whose references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Track {
    Compat,
    Corrected,
}

/// What tapes and judgments come to: a page, Markdown, JSON, FastChat's table
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab report mt.jsonl -o report.html
  reckon lab report mt.jsonl --questions mt-bench -o reports/
  reckon lab report mt.jsonl --judgments gpt-4_single.jsonl --json
  reckon lab report --from-judgments gpt-4_single.jsonl.gz --json
  reckon lab report --from-judgments gpt-4_pair.jsonl

A page is one file: no scripts, nothing from elsewhere, light and dark. Without
-o the report is printed as Markdown. Questions are shown in examples only if
you name their file; tapes hold their ids. Marks of answers that can be checked
have a section of their own, with a reliability plot.

--from-judgments prints averages over rows, as FastChat's show_result.py has
them: scores of -1 are dropped, rows that a second run has appended count again.
Beside them stands what is left when each question, turn, judge and repeat
counts once, by the last row that has a score."
)]
pub(crate) struct ReportArgs {
    /// Tapes that `lab run` has written
    #[arg(value_name = "TAPE.jsonl", conflicts_with = "from_judgments")]
    pub(crate) tapes: Vec<PathBuf>,
    /// Scores of a judge, or of `lab grade --export`, for the page
    #[arg(long, value_name = "J.jsonl", conflicts_with = "from_judgments")]
    pub(crate) judgments: Vec<PathBuf>,
    /// FastChat's judgments, single or pair, also packed with gzip: its table
    #[arg(long, value_name = "J.jsonl")]
    pub(crate) from_judgments: Option<PathBuf>,
    /// The questions: their categories (default: those of MT-Bench), their words
    /// in examples, and tapes are scored again by their checks
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// Name questions by their ids, without their words
    #[arg(long, requires = "questions")]
    pub(crate) ids: bool,
    /// What a person says about turns; see `lab classes --help`
    #[arg(long, value_name = "L.jsonl", conflicts_with = "from_judgments")]
    pub(crate) labels: Option<PathBuf>,
    /// Where it goes: FILE.html, FILE.md, or a folder for both
    #[arg(short, long, value_name = "PATH", conflicts_with = "from_judgments")]
    pub(crate) output: Option<PathBuf>,
    /// Markdown, whatever the output is called
    #[arg(long, conflicts_with = "from_judgments")]
    pub(crate) markdown: bool,
    /// Print one JSON object instead
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
}

/// Raw against guarded on one tape, two tapes, or two judged models
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab compare gsm8k.tape.jsonl --flips
  reckon lab compare raw.jsonl guarded.jsonl --json
  reckon lab compare gpt-4_single.jsonl --models vicuna-13b-v1.3 claude-v1

With two tapes, what shipped on the first is compared with what shipped on the
second, turn by turn. Questions are drawn with their turns together; a system
is called better only if the 95 % interval leaves 0 out and chance would do the
same in fewer than 5 of 100 cases.")]
pub(crate) struct CompareArgs {
    /// A tape that `lab run` has written, or a file of FastChat judgments
    #[arg(value_name = "A.jsonl")]
    pub(crate) first: PathBuf,
    /// Another one of the same kind
    #[arg(value_name = "B.jsonl")]
    pub(crate) second: Option<PathBuf>,
    /// Two models of the judgments (default: the two that are there)
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) models: Vec<String>,
    /// Score tapes again, by the checks of these questions
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// List the turns where the two got different scores
    #[arg(long)]
    pub(crate) flips: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The failures on a tape by class, and a library of them for others
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab classes mt.jsonl --questions mt-bench
  reckon lab classes mt.jsonl --labels labels.jsonl -o library.toml

A turn is listed if a guard replaced or flagged its answer, or if a check says
that the raw answer is wrong; its class is suggested by the guard, the question
or the check. A label replaces the suggestion, one JSON object a line:
  {\"id\": \"119\", \"turn\": 1, \"class\": \"arithmetic\", \"note\": \"sum first\"}
`class` is a name, a number from 1 to 7, a list, or \"none\". A library that
exists is added to. docs/lab.md has the format.")]
pub(crate) struct ClassesArgs {
    /// A tape that `lab run` has written
    #[arg(value_name = "TAPE.jsonl")]
    pub(crate) tape: PathBuf,
    /// The questions: they help to suggest, and their checks score the tape again
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// What a person says about turns
    #[arg(long, value_name = "L.jsonl")]
    pub(crate) labels: Option<PathBuf>,
    /// The library to write or to add to: FILE.toml or FILE.json
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Replay canaries: does every guard still do what it did?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab gate --model qwen2.5-coder-1.5b
  reckon lab gate --fixed
  reckon lab gate --canary mine.jsonl --json
  reckon lab gate --model qwen2.5-coder-1.5b --accept

Fixed texts with a known outcome go through every guard, then the model answers
a few questions for each guard and everyday ones for none. Exit code 1 if a
guard does worse than in reckon.lock (without one: than in the first run), if
an answer changed that is no guard's business, or if the model, its template,
the sampler or a guard is not what was accepted. `reckon models lock` accepts.

A wrong answer that is marked verified or corrected fails as well, and so does
a mark that is true less often than was accepted:
  FAILED       verified: a wrong answer has this mark; right on 7 of 8
               canaries, accepted 8 of 8 (arithmetic-2)
--accept takes that over into reckon.lock; it refuses a guard that is broken.

A canary file is a question file; `category` names the guard, or `control`.")]
pub(crate) struct GateArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Questions to ask the model instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) canary: Option<PathBuf>,
    /// Only the fixed texts: no model is loaded
    #[arg(long, conflicts_with_all = ["model", "canary", "accept"])]
    pub(crate) fixed: bool,
    /// Accept this state, and marks and rates that got worse, into reckon.lock
    #[arg(long)]
    pub(crate) accept: bool,
    /// Questions at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Grade answers blind: at the terminal, or on a page of this machine
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab grade a.tape.jsonl --questions question.jsonl -o g.jsonl
  reckon lab grade a.tape.jsonl gpt.jsonl --questions q.jsonl -o g.jsonl --web
  reckon lab grade a.tape.jsonl --questions q.jsonl -o p.jsonl --pairs
  reckon lab grade a.tape.jsonl --questions q.jsonl -o g.jsonl --reveal \\
      --export judgments.jsonl

A tape holds two systems, raw and guarded, if a guard changed anything; a
FastChat answer file holds one.
Who said what is sealed in g.seal.json before anything is shown, and joined by
--reveal, which ends the grading. The same command goes on where it was left.")]
pub(crate) struct GradeArgs {
    /// Tapes of `lab run`, or FastChat answer files
    #[arg(value_name = "TAPE", required = true)]
    pub(crate) answers: Vec<PathBuf>,
    /// The questions that were answered
    #[arg(long, value_name = "Q")]
    pub(crate) questions: PathBuf,
    /// Where the grades go; gone on with if it exists
    #[arg(short = 'o', long = "output", value_name = "G")]
    pub(crate) grades: PathBuf,
    /// Two answers side by side instead of scores from 1 to 10
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Same seed, same order (default: by chance)
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Grade N questions, drawn by the seed (default: all)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) sample: Option<usize>,
    /// Grade on a page that only this machine can open
    #[arg(long, conflicts_with = "reveal")]
    pub(crate) web: bool,
    /// Port of the page (default: one that is free)
    #[arg(long, value_name = "N", requires = "web", default_value_t = 0)]
    pub(crate) port: u16,
    /// End the grading: join scores and names
    #[arg(long)]
    pub(crate) reveal: bool,
    /// Reveal although not everything is graded
    #[arg(long, requires = "reveal")]
    pub(crate) partial: bool,
    /// Write FastChat judgments to this new file
    #[arg(long, value_name = "J", requires = "reveal")]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long, requires = "reveal")]
    pub(crate) json: bool,
}

/// Show how often each mark is true: verified, corrected, doubtful, unchecked
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy --check full
  reckon lab calibrate gsm8k.tape.jsonl
  reckon lab calibrate *.tape.jsonl --json

A share is of the answers whose task says what is right, with Wilson's 95 %
interval:
  verified     18 of 19, 94.7 % (75.4–99.1)
`reckon lab report` draws the share of right answers over the share of votes.")]
pub(crate) struct CalibrateArgs {
    /// Tapes of `lab run`
    #[arg(value_name = "T.jsonl", required = true)]
    pub(crate) tapes: Vec<PathBuf>,
    /// The questions, if their checks have changed since the run
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
