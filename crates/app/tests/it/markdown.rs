//! The Markdown renderer: what a terminal shows, and what must hold for any text.
use proptest::prelude::*;
use reckon_app::markdown::{CodeBlock, Look, Renderer, code_blocks, without_codes};
use unicode_normalization::UnicodeNormalization;

const COLOUR: Look = Look {
    width: 80,
    colour: true,
};

fn render(text: &str, look: Look) -> String {
    let mut renderer = Renderer::new(look);
    let shown = renderer.push(text);
    shown + &renderer.finish()
}

/// The text with styles as tags, so that expectations can be read: `‹1›bold‹›`.
fn tagged(text: &str, look: Look) -> String {
    render(text, look)
        .replace("\x1b[0m", "‹›")
        .replace("\x1b[", "‹")
        .split('‹')
        .enumerate()
        .map(|(i, part)| match part.split_once('m') {
            Some((codes, rest))
                if i > 0 && codes.chars().all(|c| c.is_ascii_digit() || c == ';') =>
            {
                format!("‹{codes}›{rest}")
            }
            _ if i > 0 => format!("‹{part}"),
            _ => part.to_owned(),
        })
        .collect()
}

fn check(text: &str, expected: &str) {
    assert_eq!(tagged(text, COLOUR), expected, "for {text:?}");
}

fn check_narrow(text: &str, width: usize, expected: &str) {
    let look = Look {
        width,
        colour: false,
    };
    assert_eq!(render(text, look), expected, "for {text:?}");
}

#[test]
fn spans() {
    check("plain", "plain\n");
    check("a **b c** d", "a ‹1›b c‹› d\n");
    check("a *b* and _c_", "a ‹3›b‹› and ‹3›c‹›\n");
    check("***both*** ~~gone~~", "‹1;3›both‹› ‹9›gone‹›\n");
    check("**b *i* b**", "‹1›b ‹›‹1;3›i‹›‹1› b‹›\n");
    check("*i **b***", "‹3›i ‹›‹1;3›b‹›\n");
    check("use `a*b*` or `` x`y ``", "use ‹36›a*b*‹› or ‹36›x`y‹›\n");
    check("**see `**` here**", "‹1›see ‹›‹1;36›**‹›‹1› here‹›\n");
    check(r"\*no\* \`no\`", "*no* `no`\n");
    check(
        "[label](https://a.b/c_d_e)",
        "‹4›label‹›‹2› (https://a.b/c_d_e)‹›\n",
    );
    check("[https://a.b](https://a.b)", "‹4›https://a.b‹›\n");
    check("see [1] and [ ]", "see [1] and [ ]\n");
}

#[test]
fn what_only_looks_like_a_span_stays() {
    for text in [
        "2*3*4 = 24",
        "2**3**4",
        "5 * 3 * 2",
        "snake_case_name and __init__.py_",
        "a * b",
        "**never closed",
        "`never closed",
        "[never closed",
        "[text](never closed",
        "f(x)[0](1",
        "~ about ~",
        "_",
        "**",
        r"C:\Users",
        "$5 and $6 for *",
        "| no table",
    ] {
        check(text, &format!("{text}\n"));
    }
}

#[test]
fn display_maths_keeps_its_lines() {
    let text = "\\[\n- x *a*\n+ y\n\\]\n*after*";
    check(text, "- x *a* + y\n‹3›after‹›\n");
    check(r"$a_1*b_2*c$", "a₁*b₂*c\n");
    check("$$\n# x\n\n*after*", "$$\n# x\n\n‹3›after‹›\n");
}

#[test]
fn blocks() {
    check("# Big\n## Small\n#no", "‹1;4›Big‹›\n‹1›Small‹›\n#no\n");
    check("- one\n* two\n  + three", "• one\n• two\n  • three\n");
    check("1. one\n10) ten\n1984 was", "1. one\n10) ten\n1984 was\n");
    check(
        "> said\n> > deep\n>\nout",
        "‹2›│ ‹›said\n‹2›│ │ ‹›deep\n‹2›│ ‹›\nout\n",
    );
    check("* **Bold** item", "• ‹1›Bold‹› item\n");
    check("\n\na\n\n\n\nb\n\n", "a\n\nb\n");
    let rule = "─".repeat(40);
    check(
        "a\n\n---\n* * *\n",
        &format!("a\n\n‹2›{rule}‹›\n‹2›{rule}‹›\n"),
    );
    check("", "");
    check("\n \n", "");
}

#[test]
fn code_is_verbatim() {
    check(
        "Do:\n```rust\nlet a = *b;\n\n    # no heading\n```\nDone",
        "Do:\n‹2›─── [1] rust‹›\nlet a = *b;\n\n    # no heading\n‹2›───‹›\nDone\n",
    );
    check("```\nopen", "‹2›─── [1]‹›\nopen\n‹2›───‹›\n");
    check(
        "1. ```sh\n   ls\n   ```",
        "1. \n‹2›─── [1] sh‹›\nls\n‹2›───‹›\n",
    );
    let long = "x".repeat(200);
    check(
        &format!("~~~\n{long}\n~~~"),
        &format!("‹2›─── [1]‹›\n{long}\n‹2›───‹›\n"),
    );
}

#[test]
fn paragraphs_wrap() {
    check_narrow("one two three four", 10, "one two\nthree four\n");
    check_narrow("- one two three", 10, "- one two\n  three\n");
    check_narrow("12. one two three", 10, "12. one\n    two\n    three\n");
    check_narrow("> one two three", 10, "│ one two\n│ three\n");
    check_narrow("abcdefghijklmno p", 10, "abcdefghij\nklmno p\n");
    check_narrow("日本語日本語", 8, "日本語日\n本語\n");
    check_narrow("1234567890 x", 10, "1234567890\nx\n");
    check_narrow("``` `` abcdefghijk", 10, "``` ``\nabcdefghij\nk\n");
}

#[test]
fn tables_fit() {
    let table = "| a | number |\n|---|---:|\n| *x* | 1 |\n| yy | 200 |\n\nend";
    check_narrow(
        table,
        40,
        "a      │      number\n───────┼────────────\n*x*    │           1\nyy     │         200\n\nend\n",
    );
    check_narrow(
        "|key|text|\n|-|-|\n|k|one two three four|",
        16,
        "key │ text\n────┼───────────\nk   │ one two\n    │ three four\n",
    );
    let wide = "|a|b|c|d|e|\n|-|-|-|-|-|\n|aaaa|bbbb|cccc|dddd|eeee|";
    assert_eq!(
        render(
            wide,
            Look {
                width: 12,
                colour: false
            }
        )
        .replace('\n', ""),
        wide.replace('\n', ""),
        "a table that cannot fit is shown as written"
    );
    check("|x|\n|-|\n|**b**|", "‹1›x‹›\n‹2›───‹›\n‹1›b‹›\n");
    check("|x|\n|-|", "‹1›x‹›\n‹2›─‹›\n");
    check_narrow("|a|\n|-|\n|1|\n|2|3|", 20, "a\n───\n1\n2 |\n3\n");
}

#[test]
fn a_table_appears_row_by_row() {
    let mut renderer = Renderer::new(COLOUR);
    assert_eq!(renderer.push("|name|n|\n|-|-|\n"), "");
    assert!(renderer.push("|one|1|\n").contains("one"));
    assert!(renderer.push("|two|2|\n").contains("two"));
}

#[test]
fn formulas_are_shown_as_text() {
    check(r"It is \(\boxed{142.31}\) euros.", "It is 142.31 euros.\n");
    check("\\[\n749 \\times 0.19\n\\]\nso", "749 × 0.19\nso\n");
    check("$$x^2$$ and $\\frac{1}{2}$", "x² and 1/2\n");
    check(r"\(never closed", "\\(never closed\n");
    check("so\n\\[ a \\\\ b \\] c", "so\na\nb c\n");
    check_narrow(r"\(x^2\)", 80, "\\(x^2\\)\n");
}

#[test]
fn control_characters_do_not_pass() {
    let text = "a\x1b[31mb\x07\u{9b}2Jc\r\n```\n\x1b]0;title\x07x\u{202e}\n```";
    let shown = render(
        text,
        Look {
            width: 80,
            colour: false,
        },
    );
    assert_eq!(shown, "a[31mb2Jc\n─── [1]\n]0;titlex\n───\n");
    assert_eq!(code_blocks(text)[0].code, "]0;titlex\n");
}

#[test]
fn text_appears_as_it_comes() {
    let mut renderer = Renderer::new(COLOUR);
    let mut shown = String::new();
    for (i, word) in "a paragraph without an end "
        .repeat(20)
        .split(' ')
        .enumerate()
    {
        shown += &renderer.push(&format!("{word} "));
        let words = shown.split_whitespace().count();
        assert!(words >= i, "only {words} words shown after {i}");
    }
    let mut renderer = Renderer::new(COLOUR);
    assert!(!renderer.push("```\nlet x").is_empty());
    assert_eq!(renderer.push(" ="), " =", "code streams by character");
    let mut renderer = Renderer::new(COLOUR);
    assert!(renderer.push("**open ").is_empty());
    assert!(
        !renderer.push(&"word ".repeat(100)).is_empty(),
        "an open span is not waited for forever"
    );
}

#[test]
fn blocks_for_saving() {
    let block = |language: &str, code: &str, closed| CodeBlock {
        language: language.into(),
        code: code.into(),
        closed,
    };
    let cases: [(&str, Vec<CodeBlock>); 7] = [
        ("none", vec![]),
        (
            "```py x\na\n```\n~~~\nb\n~~~",
            vec![block("py", "a\n", true), block("", "b\n", true)],
        ),
        (
            "````md\n```\nin\n```\n````",
            vec![block("md", "```\nin\n```\n", true)],
        ),
        ("```\nopen\n", vec![block("", "open\n", false)]),
        ("- ```sh\n  ls\n  ```", vec![block("sh", "ls\n", true)]),
        ("```a`b```", vec![]),
        ("```\n    ```\n```", vec![block("", "    ```\n", true)]),
    ];
    for (text, expected) in cases {
        assert_eq!(code_blocks(text), expected, "for {text:?}");
    }
}

/// Text that is likely to be Markdown: pieces of markup, words, wide and odd characters.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("*"),
        Just("**"),
        Just("_"),
        Just("`"),
        Just("```"),
        Just("~~~"),
        Just("~~"),
        Just("\n"),
        Just("\n\n"),
        Just(" "),
        Just("    "),
        Just("# "),
        Just("- "),
        Just("1. "),
        Just("> "),
        Just("["),
        Just("]("),
        Just(")"),
        Just("$"),
        Just("$$"),
        Just("\\["),
        Just("\\]"),
        Just("\\"),
        Just("---"),
        Just("abc"),
        Just("Wort"),
        Just("日本"),
        Just("👩‍👩‍👧"),
        Just("e\u{301}"),
        Just("longlonglonglonglonglonglonglong"),
        Just("7"),
        Just("\t"),
        Just("\x1b[1m"),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn rows() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("|"),
        Just("-"),
        Just("|-|-|\n"),
        Just("\n"),
        Just(" a b "),
        Just(":"),
        Just("*x*"),
        Just("\\|"),
        Just("\n\n")
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Letters and digits; raised and lowered ones count as themselves.
fn letters(text: &str) -> String {
    text.nfkd().filter(|c| c.is_alphanumeric()).collect()
}

fn sorted(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = text.chars().collect();
    chars.sort_unstable();
    chars
}

fn look() -> impl Strategy<Value = Look> {
    (1usize..100, any::<bool>()).prop_map(|(width, colour)| Look { width, colour })
}

proptest! {
    #[test]
    fn cutting_changes_nothing(text in prop_oneof![soup(), rows(), "\\PC{0,80}"], look in look(), cuts in prop::collection::vec(1usize..9, 1..40)) {
        let whole = render(&text, look);
        let mut renderer = Renderer::new(look);
        let mut out = String::new();
        let chars: Vec<char> = text.chars().collect();
        let (mut at, mut cuts) = (0, cuts.iter().cycle());
        while at < chars.len() {
            let end = (at + cuts.next().unwrap_or(&1)).min(chars.len());
            out += &renderer.push(&chars[at..end].iter().collect::<String>());
            at = end;
        }
        out += &renderer.finish();
        prop_assert_eq!(out, whole);
    }

    #[test]
    fn no_letter_is_lost_or_moved(text in soup(), look in look()) {
        let shown = without_codes(&render(&text, look));
        let blocks = code_blocks(&text);
        if blocks.is_empty() {
            prop_assert_eq!(letters(&shown), letters(&text));
            return Ok(());
        }
        for block in &blocks {
            prop_assert!(shown.contains(&block.code), "{:?} is not in {:?}", block.code, shown);
        }
        // Labels of fences are ours; all else is the model's, in its order.
        let own = |line: &&str| !line.starts_with("───");
        let shown: String = shown.lines().filter(own).collect();
        let source = letters(&text);
        let mut source = source.chars();
        prop_assert!(letters(&shown).chars().all(|c| source.any(|x| x == c)), "{:?}", shown);
    }

    #[test]
    fn tables_lose_nothing(text in rows(), look in look()) {
        let shown = without_codes(&render(&text, look));
        prop_assert_eq!(sorted(&letters(&shown)), sorted(&letters(&text)));
    }

    #[test]
    fn fences_are_numbered_as_saved(text in soup()) {
        let shown = render(&text, Look { width: 80, colour: false });
        let labels = shown.lines().filter(|line| line.starts_with("─── [")).count();
        prop_assert_eq!(labels, code_blocks(&text).len());
    }

    #[test]
    fn lines_fit(text in soup(), width in 20usize..100) {
        let shown = render(&text, Look { width, colour: true });
        prop_assert!(!shown.replace("\x1b[", "").contains('\x1b'));
        if code_blocks(&text).is_empty() {
            for line in without_codes(&shown).lines() {
                prop_assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{:?}", line);
            }
        }
    }
}
