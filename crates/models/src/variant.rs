//! Files of a repository sorted into models that can be loaded: one for each quantisation, with all of its parts.
//!
//! People name a quantisation as they do for Ollama and llama.cpp (`:Q4_K_M`, in any case); without one Q4_K_M is taken,
//! else Q4_0, else the only one there is. The label is read from the file's path, because nothing else names it before the
//! file is here. Encoders, drafters and importance matrices are GGUF files too and no models.
use crate::{Error, ErrorKind, Result, locate::is_gguf, size, split};
use std::collections::BTreeMap;

/// What is taken when nobody says which, the first that is there.
const USUAL: [&str; 2] = ["Q4_K_M", "Q4_0"];

/// Encoders as the engine likes them best: small without a loss.
const MMPROJ: [&str; 4] = ["F16", "BF16", "Q8_0", "F32"];

/// Variants that a refusal lists.
const MOST_LISTED: usize = 12;

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryFile {
    /// Path inside the repository.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Of the whole file, where it is known.
    pub sha256: Option<String>,
}

/// A model of a repository: one file, or all parts of one in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The quantisation that the file's name has, in capitals.
    pub quant: Option<String>,
    /// At least one.
    pub files: Vec<RepositoryFile>,
}

impl Variant {
    /// Size of all parts.
    pub fn bytes(&self) -> u64 {
        let bytes = self.files.iter().map(|file| file.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// Path of the file, or of the first part.
    pub fn path(&self) -> &str {
        &self.files[0].path
    }

    fn has_quant(&self, quant: &str) -> bool {
        let own = self.quant.as_deref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(quant))
    }

    /// `Q4_K_XL` also means `UD-Q4_K_XL`, as it does for llama.cpp.
    fn ends_with_quant(&self, quant: &str) -> bool {
        let own = self.quant.as_deref().unwrap_or_default();
        let wanted = format!("-{}", quant.to_uppercase());
        own.ends_with(&wanted)
    }

    fn has_file(&self, name: &str) -> bool {
        let is_it = |file: &RepositoryFile| file.path == name || file_name(&file.path) == name;
        self.files.iter().any(is_it)
    }
}

/// The models among these files; a split one of which a part is missing is none.
pub(crate) fn variants(files: impl IntoIterator<Item = RepositoryFile>) -> Vec<Variant> {
    let mut whole = Vec::new();
    // By the path of the first part.
    let mut split: BTreeMap<String, (u32, BTreeMap<u32, RepositoryFile>)> = BTreeMap::new();
    for file in files.into_iter().filter(|file| is_model(&file.path)) {
        match split::position(&file.path) {
            None => whole.push(vec![file]),
            Some((first, number, count)) => {
                let parts = split.entry(first).or_insert((count, BTreeMap::new()));
                parts.1.insert(number, file);
            }
        }
    }
    let is_complete = |(count, parts): &(u32, BTreeMap<u32, _>)| parts.len() == *count as usize;
    let parts = split.into_values().filter(is_complete);
    whole.extend(parts.map(|(_, parts)| parts.into_values().collect()));
    let mut variants: Vec<Variant> = whole
        .into_iter()
        .map(|files: Vec<RepositoryFile>| Variant {
            quant: quant(&files[0].path),
            files,
        })
        .collect();
    variants.sort_by(|a, b| (a.bytes(), a.path()).cmp(&(b.bytes(), b.path())));
    variants
}

/// The variant that is meant; `name` is what the repository is called in a refusal.
pub(crate) fn choose<'a>(
    variants: &'a [Variant],
    pick: Option<&str>,
    name: &str,
) -> Result<&'a Variant> {
    let matching = matching(variants, pick);
    match (matching.as_slice(), pick) {
        ([one], _) => Ok(one),
        ([], _) if variants.is_empty() => {
            let what = format!("{name} has no GGUF files that can be used");
            Err(Error::new(ErrorKind::NotFound, what))
        }
        ([], Some(pick)) => {
            let listed = listed(variants.iter());
            let what = format!("{name} has no {pick}; it has {listed}");
            Err(Error::new(ErrorKind::NotFound, what).with_hint(naming(variants, name)))
        }
        ([], None) => {
            let what = format!("{name} has several files: {}", listed(variants.iter()));
            Err(Error::new(ErrorKind::NotFound, what).with_hint(naming(variants, name)))
        }
        (several, _) => {
            let files: Vec<String> = several.iter().map(|one| one.path().to_owned()).collect();
            let what = format!("{name} has several such files: {}", files.join(", "));
            let hint = format!("name one: {name}:{}", files[0]);
            Err(Error::new(ErrorKind::NotFound, what).with_hint(hint))
        }
    }
}

fn matching<'a>(variants: &'a [Variant], pick: Option<&str>) -> Vec<&'a Variant> {
    let all = |is_it: &dyn Fn(&Variant) -> bool| -> Vec<&'a Variant> {
        variants.iter().filter(|one| is_it(one)).collect()
    };
    let Some(pick) = pick else {
        let usual = USUAL.iter().map(|usual| all(&|one| one.has_quant(usual)));
        let usual = usual.into_iter().find(|found| !found.is_empty());
        return usual.unwrap_or_else(|| match variants {
            [only] => vec![only],
            _ => Vec::new(),
        });
    };
    if is_gguf(pick) {
        return all(&|one| one.has_file(pick));
    }
    let exact = all(&|one| one.has_quant(pick));
    match exact.is_empty() {
        true => all(&|one| one.ends_with_quant(pick)),
        false => exact,
    }
}

/// `Q4_0 (1.20 GB), Q8_0 (2.10 GB)`.
pub(crate) fn listed<'a>(variants: impl Iterator<Item = &'a Variant>) -> String {
    let mut names: Vec<String> = variants
        .map(|one| {
            let name = one.quant.as_deref().unwrap_or(one.path());
            format!("{name} ({})", size(one.bytes()))
        })
        .collect();
    let more = names.len().saturating_sub(MOST_LISTED);
    names.truncate(MOST_LISTED);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

fn naming(variants: &[Variant], name: &str) -> String {
    let example = variants.first().map_or("Q4_K_M", |one| {
        one.quant.as_deref().unwrap_or_else(|| one.path())
    });
    format!("name one: {name}:{example}")
}

/// What picks this variant among the others: its quantisation if no other has the same, else its file.
pub(crate) fn pick_of<'a>(variant: &'a Variant, among: &[Variant]) -> &'a str {
    match &variant.quant {
        Some(quant) if among.iter().filter(|one| one.has_quant(quant)).count() == 1 => quant,
        _ => variant.path(),
    }
}

/// The file with the encoders, if the repository has one.
pub(crate) fn mmproj(files: &[RepositoryFile]) -> Option<&RepositoryFile> {
    let place = |file: &RepositoryFile| {
        let quant = quant(&file.path);
        let place = MMPROJ.iter().position(|one| quant.as_deref() == Some(one));
        place.unwrap_or(MMPROJ.len())
    };
    let encoders = files.iter().filter(|file| is_mmproj(&file.path));
    encoders.min_by_key(|file| place(file))
}

/// Whether the name is that of encoders.
pub(crate) fn is_mmproj(path: &str) -> bool {
    is_gguf(path) && file_name(path).to_lowercase().contains("mmproj")
}

fn is_model(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    let other = name.contains("mmproj") || name.contains("imatrix") || name.starts_with("mtp-");
    is_gguf(path) && !other
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The quantisation that a path names: the last word that is one.
pub fn quant(path: &str) -> Option<String> {
    let upper = path.to_uppercase();
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let begins = upper.char_indices().filter_map(|(at, c)| {
        let before = upper[..at].chars().next_back();
        (is_word(c) && !before.is_some_and(is_word)).then_some(at)
    });
    let mut labels = begins.filter_map(|at| {
        let label = label(&upper[at..])?;
        // Unsloth's dynamic mixtures are files of their own beside the plain ones.
        let dynamic = if upper[..at].ends_with("UD-") {
            "UD-"
        } else {
            ""
        };
        Some(format!("{dynamic}{label}"))
    });
    labels.next_back()
}

/// The label that a text begins with.
fn label(text: &str) -> Option<&str> {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    for whole in ["BF16", "F16", "F32", "MXFP4_MOE", "MXFP4", "NVFP4"] {
        if text.strip_prefix(whole).is_some_and(ends) {
            return Some(whole);
        }
    }
    let prefix = ["IQ", "TQ", "Q"]
        .iter()
        .find(|one| text.starts_with(**one))?;
    let bits = text[prefix.len()..]
        .chars()
        .take_while(char::is_ascii_digit);
    let mut end = prefix.len() + bits.count();
    if end == prefix.len() {
        return None;
    }
    let start = end;
    while let Some(rest) = text[end..].strip_prefix('_') {
        let word: usize = rest.chars().take_while(char::is_ascii_alphanumeric).count();
        let known = [
            "0", "1", "4", "8", "K", "S", "M", "L", "XL", "XS", "XXS", "NL", "P",
        ];
        if !known.contains(&&rest[..word]) {
            break;
        }
        end += 1 + word;
    }
    (end > start && ends(&text[end..])).then_some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, bytes: u64) -> RepositoryFile {
        let (path, sha256) = (path.to_owned(), None);
        RepositoryFile {
            path,
            bytes,
            sha256,
        }
    }

    #[test]
    fn quantisations_of_real_file_names() {
        for (path, wanted) in [
            ("Llama-3.2-3B-Instruct-Q4_K_M.gguf", Some("Q4_K_M")),
            ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", Some("Q4_K_M")),
            ("SmolLM2-135M-Instruct.Q4_1.gguf", Some("Q4_1")),
            ("gemma-4-E2B_q4_0-it.gguf", Some("Q4_0")),
            ("gpt-oss-20b-mxfp4.gguf", Some("MXFP4")),
            ("gpt-oss-20b-MXFP4_MOE.gguf", Some("MXFP4_MOE")),
            ("Qwen3-4B-UD-Q4_K_XL.gguf", Some("UD-Q4_K_XL")),
            ("m-IQ4_XS.gguf", Some("IQ4_XS")),
            ("m-IQ2_XXS.gguf", Some("IQ2_XXS")),
            ("m-TQ1_0.gguf", Some("TQ1_0")),
            ("m-Q4_0_8_8.gguf", Some("Q4_0_8_8")),
            ("BF16/m-BF16-00001-of-00002.gguf", Some("BF16")),
            ("Q8_0/m-00001-of-00002.gguf", Some("Q8_0")),
            ("m-f16-Q6_K.gguf", Some("Q6_K")),
            ("m-Q6_K_L.gguf", Some("Q6_K_L")),
            ("m.fp16.gguf", None),
            ("Q3.gguf", None),
            ("IQ.gguf", None),
            ("qwen3-8b.gguf", None),
            ("Q4_Kx.gguf", None),
            ("é-q8_0.gguf", Some("Q8_0")),
            ("", None),
        ] {
            assert_eq!(quant(path).as_deref(), wanted, "{path}");
        }
    }

    #[test]
    fn parts_are_one_model_and_others_are_none() {
        let found = variants([
            file("m-Q8_0-00002-of-00002.gguf", 7),
            file("m-Q8_0-00001-of-00002.gguf", 5),
            file("m-Q5_0-00001-of-00003.gguf", 1),
            file("m-Q4_0.gguf", 3),
            file("mmproj-F16.gguf", 9),
            file("mtp-m.gguf", 9),
            file("imatrix_unsloth.gguf", 9),
            file("README.md", 9),
        ]);
        let seen: Vec<_> = found
            .iter()
            .map(|one| (one.quant.as_deref().unwrap(), one.path(), one.bytes()))
            .collect();
        let parts = "m-Q8_0-00001-of-00002.gguf";
        assert_eq!(seen, [("Q4_0", "m-Q4_0.gguf", 3), ("Q8_0", parts, 12)]);
    }

    #[test]
    fn the_usual_one_is_taken_and_the_rest_is_named() {
        let of = |names: &[&str]| variants(names.iter().map(|name| file(name, 1_000_000)));
        let chosen = |names: &[&str], pick| {
            let found = of(names);
            let chosen = choose(&found, pick, "hf.co/o/r").map(|one| one.path().to_owned());
            chosen.map_err(|error| format!("{error} ({})", error.hint().unwrap_or_default()))
        };
        let many = [
            "m-Q8_0.gguf",
            "m-Q4_0.gguf",
            "m-Q4_K_M.gguf",
            "m-UD-Q4_K_XL.gguf",
        ];
        for (pick, wanted) in [
            (None, "m-Q4_K_M.gguf"),
            (Some("q8_0"), "m-Q8_0.gguf"),
            (Some("Q4_K_XL"), "m-UD-Q4_K_XL.gguf"),
            (Some("m-Q4_0.gguf"), "m-Q4_0.gguf"),
        ] {
            assert_eq!(chosen(&many, pick).unwrap(), wanted);
        }
        assert_eq!(chosen(&many[..2], None).unwrap(), "m-Q4_0.gguf");
        assert_eq!(chosen(&many[..1], None).unwrap(), "m-Q8_0.gguf");
        assert_eq!(chosen(&["plain.gguf"], None).unwrap(), "plain.gguf");
        let none = chosen(&many, Some("Q2_K")).unwrap_err();
        for word in ["has no Q2_K", "Q8_0 (1.00 MB)", "name one: hf.co/o/r:"] {
            assert!(none.contains(word), "no `{word}` in `{none}`");
        }
        let several = chosen(&["m-Q8_0.gguf", "m-Q6_K.gguf"], None).unwrap_err();
        assert!(
            several.contains("several files: Q6_K (1.00 MB), Q8_0"),
            "{several}"
        );
        let twins = chosen(&["a-Q8_0.gguf", "b-Q8_0.gguf"], Some("Q8_0")).unwrap_err();
        assert!(twins.contains("a-Q8_0.gguf, b-Q8_0.gguf"), "{twins}");
        assert!(
            chosen(&["x.md"], None)
                .unwrap_err()
                .contains("no GGUF files")
        );
    }

    #[test]
    fn encoders_in_the_best_form() {
        let files = ["mmproj-F32.gguf", "mmproj-BF16.gguf", "m-F16.gguf"].map(|name| file(name, 1));
        assert_eq!(mmproj(&files).unwrap().path, "mmproj-BF16.gguf");
        assert_eq!(mmproj(&files[2..]), None);
    }
}
