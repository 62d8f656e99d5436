//! Finds code blocks in an answer together with the output that the answer claims for them.
//!
//! The caller runs the code and compares. A claim is read only where the answer says plainly that a text is the output
//! of the block before it: a block that is marked as output, an announcement ("Output:", "this will print"), a comment
//! behind `print`, or an interactive session. Only Python is read.

use crate::pattern::regex;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Longer answers and blocks are not read.
const MOST_BYTES: usize = 200_000;
/// How far behind a block its output may be announced.
const NEAR: usize = 300;

/// A program and what the answer says that it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeClaim {
    /// The program, without the claim.
    pub code: String,
    /// The output that is claimed, without white space around it.
    pub claimed: String,
    /// Bytes of the claimed output in the answer.
    pub span: Range<usize>,
}

/// A fenced block.
struct Block<'a> {
    language: String,
    text: &'a str,
    /// Bytes of the text between the fences.
    inner: Range<usize>,
    /// Where the closing fence ends.
    end: usize,
}

/// The programs of an answer whose output it claims, in order.
pub fn claims(answer: &str) -> Vec<CodeClaim> {
    if answer.len() > MOST_BYTES {
        return Vec::new();
    }
    let blocks = blocks(answer);
    let mut out = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if !block.is_python() || block.needs_input() {
            continue;
        }
        if block.text.trim_start().starts_with(">>>") {
            out.extend(session(block));
            continue;
        }
        let output = blocks.get(at + 1);
        let claim = output_block(answer, block, output)
            .or_else(|| announced(answer, block, output))
            .or_else(|| commented(block));
        out.extend(claim);
    }
    out
}

/// The last Python block that prints something or ends in an expression, if it can be run as it stands.
pub fn last_program(answer: &str) -> Option<String> {
    if answer.len() > MOST_BYTES {
        return None;
    }
    let mut blocks = blocks(answer).into_iter().rev();
    let block = blocks.find(|block| block.is_python() && block.shows_something())?;
    let whole = !block.needs_input()
        && !block.text.contains("...")
        && !block.text.trim_start().starts_with(">>>");
    whole.then(|| block.text.to_owned())
}

impl Block<'_> {
    fn is_python(&self) -> bool {
        let named = ["python", "py", "python3", "pycon"].contains(&self.language.as_str());
        named || (self.language.is_empty() && looks_like_python(self.text))
    }

    fn is_output(&self) -> bool {
        [
            "",
            "output",
            "text",
            "plaintext",
            "txt",
            "console",
            "bash",
            "sh",
            "stdout",
        ]
        .contains(&self.language.as_str())
            && !looks_like_python(self.text)
    }

    fn needs_input(&self) -> bool {
        self.text.contains("input(") || self.text.contains("sys.argv")
    }

    fn prints(&self) -> bool {
        self.text.contains("print(")
    }

    fn shows_something(&self) -> bool {
        self.prints() || ends_in_expression(self.text)
    }
}

/// The fenced blocks of a text. One without an end is left out: it was cut off.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut out = Vec::new();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(info) = line.trim().strip_prefix("```") else {
            continue;
        };
        match open.take() {
            None => open = Some((info.trim().to_lowercase(), at)),
            Some((language, inner)) => out.push(Block {
                language,
                text: &text[inner..start],
                inner: inner..start,
                end: at,
            }),
        }
    }
    out
}

fn looks_like_python(text: &str) -> bool {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?m)^\s*
              (?:def \w+\(|import \w+|from \w+ import |print\(|for \w+ in .+:$|>>> |\w+ = [^=].*$)",
        )
    });
    CODE.is_match(text)
}

/// Whether the last line of a program is a value that nothing is done with.
fn ends_in_expression(program: &str) -> bool {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^
                (?:
                  \s|#|def |class |for |while |if |else|elif |return|import |from |with |try|except|
                  assert |pass|raise |del |global |@|[)\]}]
                )|
              ^[\w\[\], .'\x22]+\s*(?:[-+*/%]|//|\*\*)?=[^=]",
        )
    });
    let mut lines = program.lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    lines
        .next_back()
        .is_some_and(|line| !STATEMENT.is_match(line))
}

/// The block right behind, marked as output or announced in between.
fn output_block(answer: &str, block: &Block<'_>, next: Option<&Block<'_>>) -> Option<CodeClaim> {
    let next = next.filter(|next| next.is_output())?;
    let fence = answer[..next.inner.start]
        .trim_end_matches('\n')
        .rfind("```")?;
    let between = answer.get(block.end..fence)?.trim();
    let marked = next.language == "output" || next.language == "stdout";
    let plain = between.len() <= NEAR && (announces(between) || (between.is_empty() && marked));
    if !(plain || (marked && between.len() <= NEAR)) || !block.shows_something() {
        return None;
    }
    claim(answer, block.text.to_owned(), next.inner.clone())
}

static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        (?: \boutputs? \b [^.\n:]{0,40} :
          | \b(?:output|result)\ (?:will\ be|would\ be|is|of\ (?:this|the)\ [^.\n:]{0,30}?\ is) \b :?
          | \b(?:will|would|should|this|it|code|program|script)\ (?:also\ )?(?:print|output|display)s? \b (?:\ out)? :?
          | \b(?:when|if|after|upon)\ (?:you\ )?(?:run|running|execut)[^.\n]{0,60}?
            (?:you(?:'ll|\ will)?\ (?:get|see)|prints?|outputs?|gives?|get) \b :?
        )",
    )
    .expect("fixed")
});

/// Whether a text says that what follows it is output.
fn announces(between: &str) -> bool {
    ANNOUNCED.is_match(between)
}

/// "This will print 42." behind the block, in the same paragraph.
fn announced(answer: &str, block: &Block<'_>, next: Option<&Block<'_>>) -> Option<CodeClaim> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^[\s*]*(?:`([^`\n]+)`|\*{0,2}(-?\$?[\d][\d,]*(?:\.\d+)?)\*{0,2})[\s*]*
              (?:[.,!;]?(?:\s|$))",
        )
    });
    if !block.prints() {
        return None;
    }
    let limit = next.map_or(answer.len(), |next| next.inner.start);
    let mut end = limit.min(block.end + NEAR);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let behind = answer.get(block.end..end)?;
    let mark = ANNOUNCED.find(behind)?;
    let rest = &behind[mark.end()..];
    let value = VALUE.captures(rest)?;
    let found = value.get(1).or_else(|| value.get(2))?;
    // Several prints give several lines; one value in the text is then not all of the output.
    if block.text.matches("print(").count() != 1 || loops(block.text) {
        return None;
    }
    let from = block.end + mark.end();
    claim(
        answer,
        block.text.to_owned(),
        from + found.start()..from + found.end(),
    )
}

fn loops(program: &str) -> bool {
    program.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("for ") || line.starts_with("while ")
    })
}

/// `print(x)  # 42` or `# Output: 42` behind the only print of a block.
fn commented(block: &Block<'_>) -> Option<CodeClaim> {
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?mi)^print\(.*\)[ \t]*(?:\n[ \t]*)?#[ \t]*
              (?:
                (?:expected )?(?:output|prints|result|returns)(?: is| will be)?[ \t]*:?[ \t]*
                  (\S.*?)|
                (-?[\d][\d,]*(?:\.\d+)?)
              )[ \t]*$",
        )
    });
    if block.text.matches("print(").count() != 1 || loops(block.text) {
        return None;
    }
    let found = COMMENT.captures(block.text)?;
    let value = found.get(1).or_else(|| found.get(2))?;
    let start = block.inner.start + value.start();
    Some(CodeClaim {
        code: block.text.to_owned(),
        claimed: value.as_str().trim().to_owned(),
        span: start..start + value.as_str().len(),
    })
}

/// Prompts of an interactive session with what stands below each. One claim: the last output, of all inputs before it.
fn session(block: &Block<'_>) -> Option<CodeClaim> {
    let mut code = String::new();
    let mut output: Option<Range<usize>> = None;
    let mut code_at_output = String::new();
    let mut input_last = true;
    let mut at = block.inner.start;
    for line in block.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        if let Some(input) = plain
            .strip_prefix(">>>")
            .or_else(|| plain.strip_prefix("..."))
        {
            code.push_str(input.strip_prefix(' ').unwrap_or(input));
            code.push('\n');
            input_last = true;
        } else if !plain.is_empty() {
            // Lines of one output belong together.
            let first = match &output {
                Some(range) if !input_last => range.start,
                _ => start,
            };
            output = Some(first..start + plain.len());
            code_at_output.clone_from(&code);
            input_last = false;
        }
    }
    let output = output.filter(|_| !code_at_output.is_empty())?;
    let offset = output.start - block.inner.start;
    let claimed = block.text.get(offset..output.end - block.inner.start)?;
    // Earlier inputs print too, and what they print is not part of the claim.
    let earlier = code_at_output.matches("print(").count();
    (earlier <= 1).then(|| CodeClaim {
        code: code_at_output.clone(),
        claimed: claimed.trim().to_owned(),
        span: output,
    })
}

/// The claim at these bytes, without white space around it; nothing if there is nothing.
fn claim(answer: &str, code: String, span: Range<usize>) -> Option<CodeClaim> {
    let text = answer.get(span.clone())?;
    let claimed = text.trim();
    let start = span.start + (text.len() - text.trim_start().len());
    (!claimed.is_empty()).then(|| CodeClaim {
        code,
        claimed: claimed.to_owned(),
        span: start..start + claimed.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expected: &[&str]) {
        let all = claims(answer);
        let found: Vec<&str> = all.iter().map(|one| one.claimed.as_str()).collect();
        assert_eq!(found, expected, "{answer}");
        for one in &all {
            assert_eq!(&answer[one.span.clone()], one.claimed, "{answer}");
        }
    }

    #[test]
    fn output_in_a_block_of_its_own() {
        check(
            "```python\nprint(6 * 7)\n```\n```output\n42\n```\nIt is 42.",
            &["42"],
        );
        check(
            "```python\nprint(6 * 7)\n```\n\nOutput:\n```\n42\n```",
            &["42"],
        );
        check(
            "```py\nfor i in range(2):\n    print(i)\n```\nWhen you run this code, you will see:\n\n```text\n0\n1\n```",
            &["0\n1"],
        );
        check(
            "```python\nprint(1)\n```\nInstall it with:\n```\npip install reckon\n```",
            &[],
        );
        check("```python\nx = 3\n```\n```output\n3\n```", &[]);
    }

    #[test]
    fn output_in_a_sentence_or_a_comment() {
        check(
            "```python\nprint(2 ** 10)\n```\nThis will print `1024`.",
            &["1024"],
        );
        check(
            "```python\nprint(2 ** 10)\n```\nThe output will be **1,024**.",
            &["1,024"],
        );
        check("```python\nprint(sum([1, 2]))  # Output: 3\n```", &["3"]);
        check("```python\nprint(4 + 4)  # 8\n```", &["8"]);
        check(
            "```python\nprint(4)\nprint(5)\n```\nThis will print 5.",
            &[],
        );
        check(
            "```python\nname = input('?')\nprint(name)\n```\nOutput:\n```\nAnn\n```",
            &[],
        );
        check(
            "```python\nprint(3)\n```\nThe output is a number that you can use 4 times.",
            &[],
        );
        check("```python\nprint(4 + 4)  # adds 4 and 4\n```", &[]);
    }

    #[test]
    fn a_session_states_what_it_shows() {
        check("```python\n>>> x = 4\n>>> x * 3\n12\n```", &["12"]);
        let all = claims("```\n>>> x = 4\n>>> x * 3\n12\n>>> y = 1\n```");
        assert_eq!(all[0].code, "x = 4\nx * 3\n");
    }

    #[test]
    fn the_last_program_that_shows_something() {
        let answer = "```python\nprint(1)\n```\nthen\n```python\nx = 2\nx + 1\n```\nend\n```python\ny = 5\n```";
        assert_eq!(last_program(answer).as_deref(), Some("x = 2\nx + 1\n"));
        assert_eq!(last_program("```python\nprint(input())\n```"), None);
        assert_eq!(last_program("```python\nprint(1)"), None, "cut off");
        assert_eq!(last_program("no code"), None);
    }
}
