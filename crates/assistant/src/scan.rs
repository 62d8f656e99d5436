//! Looks at a finished response without a model: which guards look closer, which fire, and the text after the post-passes.
//!
//! No model is asked. What only the prompt can show (a number is asked for, a persona is wanted, something is ruled
//! out) is *looked* at; what stands in the response itself *fires*. The text changes only where a guard cuts without
//! generating: a superseded draft, and packs that strip. `reckon guard scan` prints this.
//!
//! An identity leak is listed whether or not a persona was asked for, with `acts` saying which: without a persona
//! the guard does nothing about it.
use crate::{
    check,
    detect::{Finding, Side, arithmetic, correction, counting, logic, persona, qualifier},
    pack::{Pack, PackAction},
};

/// Something a guard saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The guard, or the class of the pack.
    pub guard: String,
    /// What and where.
    pub finding: Finding,
    /// Whether the guard would do something about it.
    pub acts: bool,
}

/// What was seen, and what remains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// Evidence in the prompt, by guard.
    pub looked: Vec<Seen>,
    /// Evidence in the response, by guard.
    pub fired: Vec<Seen>,
    /// The response after the passes that need no model.
    pub text: String,
}

/// Looks at one answer.
pub fn scan(prompt: &str, response: &str, packs: &[Pack]) -> Scan {
    let mut scan = Scan {
        looked: looked(prompt, response),
        fired: fired(prompt, response),
        text: response.to_owned(),
    };
    if let Some(cut) = correction::strip(prompt, response) {
        scan.text = cut.text;
    }
    for pack in packs {
        let Some(finding) = pack.look(prompt, response) else {
            continue;
        };
        let seen = Seen {
            guard: pack.class.clone(),
            acts: true,
            finding,
        };
        match seen.finding.side {
            Side::Prompt => scan.looked.push(seen),
            Side::Response => scan.fired.push(seen),
        }
        if pack.action == PackAction::Strip
            && let Some(text) = pack.strip(prompt, &scan.text)
        {
            scan.text = text;
        }
    }
    scan
}

/// The triggers that are in the prompt.
fn looked(prompt: &str, response: &str) -> Vec<Seen> {
    let seen = |guard: &str, finding: Option<Finding>| {
        finding.map(|finding| Seen {
            guard: guard.to_owned(),
            finding,
            acts: true,
        })
    };
    let qualifier = qualifier::find(prompt).into_iter().next();
    let requirements = check::find(prompt);
    let fails = |one: &&check::Requirement| one.verify(response) == check::Compliance::Fail;
    let failed = requirements.iter().find(fails);
    let constraints = failed.or(requirements.first()).map(|one| Seen {
        guard: "constraints".to_owned(),
        finding: one.finding(prompt),
        acts: failed.is_some(),
    });
    [
        seen("arithmetic", arithmetic::look(prompt, "")),
        seen("logic", logic::look(prompt, "")),
        constraints,
        seen("persona", persona::asked(prompt)),
        seen("qualifier", qualifier.map(|found| found.finding)),
        seen("counting", counting::look(prompt, "")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The evidence that is in the response.
fn fired(prompt: &str, response: &str) -> Vec<Seen> {
    let seen = |guard: &str, finding: Finding, acts: bool| Seen {
        guard: guard.to_owned(),
        finding,
        acts,
    };
    let asked = persona::asked(prompt).is_some();
    let mut leaks = persona::leaks(response);
    if leaks.is_empty() {
        leaks.extend(persona::look(prompt, response));
    }
    let mut found: Vec<Seen> = leaks
        .into_iter()
        .map(|leak| seen("persona", leak, asked))
        .collect();
    found.extend(correction::look(prompt, response).map(|one| seen("correction", one, true)));
    found.extend(qualifier::look(prompt, response).map(|one| seen("qualifier", one, true)));
    if counting::look(prompt, response).is_some()
        && let Some(span) = counting::claims(response).span
    {
        let claim = Finding::new(Side::Response, response, span, "claimed sequence");
        found.push(seen("counting", claim, false));
    }
    found
}
