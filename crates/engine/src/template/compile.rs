//! Compiles a chat template into minijinja's instructions, with every step that can grow a value put under a budget.
//!
//! Called by `render`. A template is a program by a stranger, so three things happen before it runs:
//! - its tokens are counted: the parser, the compiler and the destructors of the syntax tree call themselves for each
//!   operator of a chain, each `elif` and each bracket, and the stack they run on has an end;
//! - `{% generation %}`, which Hugging Face uses to mark what a model is trained on, becomes a plain block, and a factor
//!   of one is put into every product, because constants are multiplied while compiling, where no budget counts;
//! - instructions that make a value larger, keep it or walk through it are replaced by, or preceded by, calls of the
//!   functions of `budget`. Their names are no identifiers, so a template can neither call nor redefine them.
//!
//! This uses the part of minijinja's interface that has no stability promise: its version is pinned.
use super::budget::{ADD, CHECK, CONCAT, KEEP, MULTIPLY, ONE, SLICE, SPLAT};
use minijinja::machinery::{CodeGenerator, Instruction, Instructions, Token, parse, tokenize};
use minijinja::{Error, ErrorKind, Value, syntax::SyntaxConfig};

/// Longest template source, in bytes. The longest published ones are around 30 KB.
const MAX_SOURCE: usize = 1 << 17;
/// Most tags (`{{ }}` and `{% %}`), most `elif` among them, most tokens and most operators in one tag.
const MAX_TAGS: usize = 8000;
const MAX_ELIF: usize = 500;
const MAX_TOKENS: usize = 4000;
const MAX_OPERATORS: usize = 250;

/// What the source becomes before it is parsed: `{% generation %}` resolved and constant products broken up.
pub(super) fn prepare(source: &str) -> Result<String, Error> {
    if source.len() > MAX_SOURCE {
        let len = source.len();
        return Err(refuse(format!("{len} bytes long, {MAX_SOURCE} allowed")));
    }
    let mut limits = Limits::default();
    let (mut out, mut copied) = (String::with_capacity(source.len()), 0);
    let mut at_start = false;
    for token in tokenize(source, false, syntax()?) {
        let (token, span) = token?;
        limits.count(&token)?;
        let (start, end) = (span.start_offset as usize, span.end_offset as usize);
        let instead = match token {
            Token::Ident(tag @ ("block" | "extends" | "from" | "import" | "include"))
                if at_start =>
            {
                return Err(refuse(format!("there is nothing to `{tag}`")));
            }
            Token::Ident("generation") if at_start => "if true".to_owned(),
            Token::Ident("endgeneration") if at_start => "endif".to_owned(),
            Token::Mul => format!("*{ONE}*"),
            _ => {
                at_start = matches!(token, Token::BlockStart);
                continue;
            }
        };
        at_start = false;
        out.push_str(source.get(copied..start).unwrap_or_default());
        out.push_str(&instead);
        copied = end;
    }
    out.push_str(source.get(copied..).unwrap_or_default());
    Ok(out)
}

/// Compiles a source that `prepare` has seen.
pub(super) fn compile(source: &str) -> Result<Instructions<'_>, Error> {
    let tree = parse(source, "chat", syntax()?)?;
    let mut generator = CodeGenerator::new("chat", source);
    generator.compile_stmt(&tree);
    let (instructions, _) = generator.finish();
    Ok(guarded(&instructions, source))
}

/// The syntax as Hugging Face configures Jinja.
fn syntax() -> Result<SyntaxConfig, Error> {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
}

#[derive(Default)]
struct Limits {
    tags: usize,
    elifs: usize,
    tokens: usize,
    operators: usize,
}

impl Limits {
    fn count(&mut self, token: &Token<'_>) -> Result<(), Error> {
        self.tokens += 1;
        match token {
            Token::VariableStart | Token::BlockStart => {
                self.tags += 1;
                (self.tokens, self.operators) = (0, 0);
            }
            Token::Ident("elif") => self.elifs += 1,
            Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::FloorDiv
            | Token::Pow
            | Token::Mod
            | Token::Tilde
            | Token::Pipe
            | Token::Ident("and" | "or" | "not" | "is" | "in" | "if") => self.operators += 1,
            _ => {}
        }
        let problem = match () {
            () if self.tags > MAX_TAGS => format!("more than {MAX_TAGS} tags"),
            () if self.elifs > MAX_ELIF => format!("more than {MAX_ELIF} times `elif`"),
            () if self.tokens > MAX_TOKENS => format!("a tag of more than {MAX_TOKENS} words"),
            () if self.operators > MAX_OPERATORS => {
                format!("a tag with more than {MAX_OPERATORS} operators")
            }
            () => return Ok(()),
        };
        Err(refuse(problem))
    }
}

/// The same program, with calls of the budget's functions put in.
fn guarded<'s>(plain: &Instructions<'s>, source: &'s str) -> Instructions<'s> {
    let all = || (0..).map_while(|i| plain.get(i).map(replacement));
    // Where each instruction's replacement begins, for the jumps.
    let (mut places, mut at) = (Vec::new(), 0);
    for parts in all() {
        places.push(at);
        at += parts.len() as u32;
    }
    places.push(at);
    let mut out = Instructions::new("chat", source);
    for (i, parts) in (0..).zip(all()) {
        let line = plain.get_line(i).unwrap_or_default() as u16;
        for mut instruction in parts {
            match &mut instruction {
                Instruction::Iterate(target)
                | Instruction::Jump(target)
                | Instruction::JumpIfFalse(target)
                | Instruction::JumpIfFalseOrPop(target)
                | Instruction::JumpIfTrueOrPop(target)
                | Instruction::BuildMacro(_, target, _) => {
                    *target = places.get(*target as usize).copied().unwrap_or(at);
                }
                _ => {}
            }
            out.add_with_line(instruction, line);
        }
    }
    out
}

/// What one instruction becomes.
fn replacement<'s>(instruction: &Instruction<'s>) -> Vec<Instruction<'s>> {
    let call = |name: &'static str, n| Instruction::CallFunction(name, Some(n));
    let same = instruction.clone();
    match instruction {
        // Raw text goes through the formatter, which counts it, also while output is captured into a value.
        Instruction::EmitRaw(text) => {
            vec![
                Instruction::LoadConst(Value::from(*text)),
                Instruction::Emit,
            ]
        }
        Instruction::Add => vec![call(ADD, 2)],
        Instruction::Mul => vec![call(MULTIPLY, 2)],
        Instruction::StringConcat => vec![call(CONCAT, 2)],
        Instruction::Slice => vec![call(SLICE, 4)],
        Instruction::UnpackLists(n) => {
            vec![call(SPLAT, *n as u16), Instruction::UnpackLists(1)]
        }
        Instruction::StoreLocal(_) | Instruction::PushLoop(_) => vec![call(CHECK, 1), same],
        // The value stands below the namespace that it is put into.
        Instruction::SetAttr(_) => {
            vec![Instruction::Swap, call(KEEP, 1), Instruction::Swap, same]
        }
        // These walk through both sides as far as they are alike, so checking one is enough.
        Instruction::Eq
        | Instruction::Ne
        | Instruction::Gt
        | Instruction::Gte
        | Instruction::Lt
        | Instruction::Lte
        | Instruction::In
        | Instruction::CompareAndPreserve(_)
        | Instruction::PerformTest(..)
        | Instruction::GetItem => vec![call(CHECK, 1), same],
        _ => vec![same],
    }
}

fn refuse(problem: String) -> Error {
    Error::new(ErrorKind::SyntaxError, problem)
}
