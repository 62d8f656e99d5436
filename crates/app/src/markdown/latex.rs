//! A LaTeX formula in, text that people read out: `\frac{1}{2} \times x^2` becomes `1/2 × x²`.
//!
//! Called by `inline` once a formula is whole. Nothing is computed and nothing dropped that carries meaning: a command that
//! is not known keeps its name. `\\` becomes a line feed. Left out: layout in two dimensions.

/// Deepest nesting that is read; what is deeper stays as written.
const DEPTH: usize = 24;

/// The formula as text.
pub(crate) fn text(formula: &[char]) -> String {
    let mut reader = Reader {
        from: formula,
        at: 0,
        depth: 0,
        cells: Vec::new(),
    };
    let shown = reader.sequence(None);
    let lines = shown.lines().map(squeezed);
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

struct Reader<'a> {
    from: &'a [char],
    at: usize,
    depth: usize,
    /// The environments that are open: whether `&` parts cells that should stay apart.
    cells: Vec<bool>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.from.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Everything up to `close`, or to the end.
    fn sequence(&mut self, close: Option<char>) -> String {
        let mut out = String::new();
        while let Some(c) = self.next() {
            if Some(c) == close {
                break;
            }
            self.piece(c, &mut out);
        }
        out
    }

    fn piece(&mut self, c: char, out: &mut String) {
        match c {
            '\\' => self.command(out),
            '{' => {
                let inner = self.nested('}');
                out.push_str(&inner);
            }
            '^' => {
                let raised = self.argument();
                out.push_str(&script(&raised, '^', &SUPERSCRIPTS));
            }
            '_' => {
                let lowered = self.argument();
                out.push_str(&script(&lowered, '_', &SUBSCRIPTS));
            }
            '&' if self.cells.last() == Some(&true) => out.push_str("  "),
            '&' => {}
            '~' => out.push(' '),
            '\'' => out.push('′'),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }

    fn nested(&mut self, close: char) -> String {
        if self.depth >= DEPTH {
            return String::new();
        }
        self.depth += 1;
        let inner = self.sequence(Some(close));
        self.depth -= 1;
        inner
    }

    /// What a command or a script applies to: a group, a command or one character.
    fn argument(&mut self) -> String {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let mut out = String::new();
        if self.depth < DEPTH
            && let Some(c) = self.next()
        {
            self.depth += 1;
            self.piece(c, &mut out);
            self.depth -= 1;
        }
        out.trim().to_owned()
    }

    /// What stands in square brackets, if anything does.
    fn option(&mut self) -> Option<String> {
        self.peek().filter(|&c| c == '[')?;
        self.at += 1;
        Some(self.nested(']'))
    }

    /// Passes over the space between lines, `[4pt]`; any other bracket belongs to the formula.
    fn skip_length(&mut self) {
        let rest = &self.from[self.at..];
        let Some(end) = rest.iter().take(16).position(|&c| c == ']') else {
            return;
        };
        if let ['[', first, inner @ ..] = &rest[..end]
            && (first.is_ascii_digit() || "-.".contains(*first))
            && inner.iter().all(|c| c.is_ascii_alphanumeric() || *c == '.')
        {
            self.at += end + 1;
        }
    }

    fn name(&mut self) -> String {
        let rest = &self.from[self.at..];
        let n = rest.iter().take_while(|c| c.is_ascii_alphabetic()).count();
        self.at += n;
        rest[..n].iter().collect()
    }

    fn command(&mut self, out: &mut String) {
        let name = self.name();
        if name.is_empty() {
            return self.sign(out);
        }
        match name.as_str() {
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                let (over, under) = (self.argument(), self.argument());
                *out += &format!("{}/{}", one(&over), one(&under));
            }
            "binom" | "dbinom" | "tbinom" => {
                let (n, k) = (self.argument(), self.argument());
                *out += &format!("({n} choose {k})");
            }
            "sqrt" => {
                let root = self.option();
                let of = self.argument();
                *out += &format!("{}{}", root_sign(root.as_deref()), one(&of));
            }
            "begin" => self.begin(),
            "end" => {
                self.argument();
                self.cells.pop();
                out.push('\n');
            }
            "left" | "right" | "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl"
            | "Bigr" | "middle" => {
                // A full stop stands for no bracket at all.
                if self.peek() == Some('.') {
                    self.at += 1;
                }
            }
            "displaystyle" | "textstyle" | "scriptstyle" | "limits" | "nolimits" | "nonumber"
            | "notag" | "hline" | "cdotp" => {}
            "quad" | "qquad" => out.push_str("  "),
            "vec" | "hat" | "bar" | "tilde" | "dot" | "ddot" | "overline" | "widehat" => {
                let under = self.argument();
                *out += &accented(&under, &name);
            }
            "mathbb" => {
                let letters = self.argument();
                out.extend(letters.chars().map(double_struck));
            }
            _ if GROUPS.contains(&name.as_str()) => {
                let inner = self.argument();
                *out += &inner;
            }
            name => *out += symbol(name).unwrap_or(name),
        }
    }

    /// A backslash before something that is no letter.
    fn sign(&mut self, out: &mut String) {
        match self.next() {
            Some('\\') => {
                self.skip_length();
                out.push('\n');
            }
            Some(',' | ';' | ':' | ' ' | '>') => out.push(' '),
            Some('!') | None => {}
            Some('|') => out.push('‖'),
            Some(c) => out.push(c),
        }
    }

    fn begin(&mut self) {
        let name = self.argument();
        let is_table = ["matrix", "cases", "array", "smallmatrix"]
            .iter()
            .any(|kind| name.contains(kind));
        if name.contains("array") {
            self.argument();
        }
        self.cells.push(is_table);
    }
}

/// Commands that only say how their argument looks.
const GROUPS: [&str; 17] = [
    "text",
    "textbf",
    "textit",
    "textrm",
    "mathrm",
    "mathbf",
    "mathit",
    "mathsf",
    "mathtt",
    "mathcal",
    "mathfrak",
    "operatorname",
    "mbox",
    "boxed",
    "underline",
    "bm",
    "boldsymbol",
];

const SUPERSCRIPTS: [&str; 2] = ["0123456789+-=()nixyabcdekmt", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᵏᵐᵗ"];
const SUBSCRIPTS: [&str; 2] = [
    "0123456789+-=()aehijklmnoprstuvx",
    "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ",
];

/// Raised or lowered, where every character has such a form; else with its mark.
fn script(text: &str, mark: char, [from, to]: &[&str; 2]) -> String {
    if matches!(text, "∘" | "°" | "′") && mark == '^' {
        return if text == "′" { "′" } else { "°" }.to_owned();
    }
    let form = |c: char| to.chars().nth(from.chars().position(|known| known == c)?);
    let small: Option<String> = text.chars().filter(|c| *c != ' ').map(form).collect();
    match small {
        Some(small) => small,
        None if text.chars().count() == 1 => format!("{mark}{text}"),
        None => format!("{mark}({text})"),
    }
}

/// In brackets, unless it is one thing already.
fn one(text: &str) -> String {
    let is_number = text
        .chars()
        .all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    let is_word = text.chars().all(|c| c.is_alphabetic() || c == '′');
    let is_bracketed =
        text.starts_with('(') && text.ends_with(')') && text.matches('(').count() == 1;
    match is_number || is_word || is_bracketed {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

fn root_sign(root: Option<&str>) -> String {
    match root.map(str::trim) {
        None | Some("" | "2") => "√".to_owned(),
        Some("3") => "∛".to_owned(),
        Some("4") => "∜".to_owned(),
        Some(n) => script(n, '^', &SUPERSCRIPTS) + "√",
    }
}

/// A letter with its accent; what is longer keeps the name of it.
fn accented(text: &str, name: &str) -> String {
    let mark = match name {
        "vec" => '\u{20d7}',
        "hat" | "widehat" => '\u{302}',
        "tilde" => '\u{303}',
        "dot" => '\u{307}',
        "ddot" => '\u{308}',
        _ => '\u{305}',
    };
    match text.chars().count() {
        1 => format!("{text}{mark}"),
        _ if name == "overline" || name == "bar" => text.chars().flat_map(|c| [c, mark]).collect(),
        _ => format!("{name}({text})"),
    }
}

fn double_struck(c: char) -> char {
    match c {
        'R' => 'ℝ',
        'N' => 'ℕ',
        'Z' => 'ℤ',
        'Q' => 'ℚ',
        'C' => 'ℂ',
        'P' => 'ℙ',
        c => c,
    }
}

/// A command that stands for a sign.
fn symbol(name: &str) -> Option<&'static str> {
    let mut pairs = SYMBOLS.split_whitespace();
    while let (Some(known), Some(sign)) = (pairs.next(), pairs.next()) {
        if known == name {
            return Some(sign);
        }
    }
    None
}

/// Names and signs in turn.
const SYMBOLS: &str = "\
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ \
    mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω \
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω \
    times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ otimes ⊗ \
    leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ lt < gt > approx ≈ equiv ≡ cong ≅ sim ∼ simeq ≃ propto ∝ ll ≪ gg ≫ \
    infty ∞ sum ∑ prod ∏ int ∫ iint ∬ oint ∮ partial ∂ nabla ∇ prime ′ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ \
    in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ \
    forall ∀ exists ∃ nexists ∄ land ∧ wedge ∧ lor ∨ vee ∨ neg ¬ lnot ¬ top ⊤ bot ⊥ vdash ⊢ models ⊨ \
    to → rightarrow → longrightarrow ⟶ leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ \
    Leftrightarrow ⇔ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ xrightarrow → \
    ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ therefore ∴ because ∵ angle ∠ triangle △ perp ⊥ parallel ∥ mid | \
    degree ° langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lvert | rvert | vert | Vert ‖ \
    backslash \\ checkmark ✓ square □ blacksquare ■ Box □ dagger † pounds £ euro € cent ¢ pmod mod bmod mod";

/// Without blanks at its ends, and with one where there were several; two part cells.
fn squeezed(line: &str) -> String {
    let mut out = String::new();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str, expected: &str) {
        assert_eq!(
            text(&formula.chars().collect::<Vec<_>>()),
            expected,
            "for {formula}"
        );
    }

    #[test]
    fn formulas_as_models_write_them() {
        check(r"749 \times 0.19 = 142.31", "749 × 0.19 = 142.31");
        check(r"\boxed{142.31}", "142.31");
        check(r"\frac{1}{2} + \dfrac{a+b}{2c}", "1/2 + (a+b)/(2c)");
        check(
            r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
            "x = (-b ± √(b² - 4ac))/(2a)",
        );
        check(r"\sqrt[3]{27} = 3, \sqrt{2}", "∛27 = 3, √2");
        check(
            r"A = \pi r^2, \; 10^{-3}, \, e^{i\pi}",
            "A = π r², 10⁻³, e^(iπ)",
        );
        check(r"\sum_{i=1}^{n} a_i \leq x_{max}", "∑ᵢ₌₁ⁿ aᵢ ≤ xₘₐₓ");
        check(r"90^\circ \text{ is right}, f'(x)", "90° is right, f′(x)");
        check(r"\text{Cost} = \$5 \cdot 20\%", "Cost = $5 · 20%");
        check(r"\left( \frac{3}{4} \right)", "( 3/4 )");
        check(r"x \in \mathbb{R}, \vec{v}", "x ∈ ℝ, v\u{20d7}");
        check(r"\binom{5}{2} = 10", "(5 choose 2) = 10");
        check(r"\frac12", "1/2");
    }

    #[test]
    fn lines_and_tables() {
        check(
            "\\begin{aligned}\nx &= 1 + 2 \\\\\n  &= 3\n\\end{aligned}",
            "x = 1 + 2\n= 3",
        );
        check(r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "1 2\n3 4");
        check(r"a \\[4pt] b", "a\nb");
        check(r"a \\[x] b", "a\n[x] b");
    }

    #[test]
    fn what_is_not_known_keeps_its_name_and_nothing_is_too_deep() {
        check(r"\foo{x} + \bar", "foox +");
        check("{", "");
        check(r"\frac", "/");
        let deep = r"\frac{".repeat(10_000);
        text(&deep.chars().collect::<Vec<_>>());
        text(&"^".repeat(10_000).chars().collect::<Vec<_>>());
    }
}
