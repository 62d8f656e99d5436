//! What a GGUF file says about itself, as Ollama's clients want it: family, size, quantisation, capabilities.
//!
//! Read from the header only, and kept until the file changes.
use crate::{error::Problem, pool::Listed};
use reckon::gguf::{File, Value as Meta};
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// Arrays longer than this are left out: a vocabulary is megabytes.
const MOST_ITEMS: usize = 32;

/// What is known about a file.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) family: String,
    pub(crate) parameters: u64,
    pub(crate) quantization: String,
    pub(crate) template: String,
    pub(crate) info: Map<String, Value>,
    pub(crate) n_ctx: Option<u64>,
    pub(crate) licence: Option<String>,
    /// Whether it has the tokens to fill a gap.
    pub(crate) fills: bool,
}

type Known = HashMap<PathBuf, (SystemTime, Arc<Facts>)>;

/// The facts of a model's file.
pub(crate) fn facts(listed: &Listed) -> Result<Arc<Facts>, Problem> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((modified, facts)) = known().as_ref().and_then(|known| known.get(&listed.path))
        && *modified == listed.modified
    {
        return Ok(Arc::clone(facts));
    }
    let file = File::open(&listed.path)
        .map_err(|error| Problem::internal(format!("{} cannot be read: {error}", listed.name)))?;
    let facts = Arc::new(read(&file));
    let entry = (listed.modified, Arc::clone(&facts));
    known()
        .get_or_insert_default()
        .insert(listed.path.clone(), entry);
    Ok(facts)
}

fn read(file: &File) -> Facts {
    let meta = file.metadata();
    let text = |key: &str| {
        meta.opt_str(key)
            .ok()
            .flatten()
            .unwrap_or_default()
            .to_owned()
    };
    let family = text("general.architecture");
    let parameters = file
        .tensors()
        .map(|tensor| tensor.dims.iter().product::<usize>() as u64)
        .sum();
    let tokens = meta.strings("tokenizer.ggml.tokens");
    let fills = tokens.is_ok_and(|mut tokens| tokens.any(|token| token == "<|fim_middle|>"));
    let n_ctx = meta
        .opt_u64(&format!("{family}.context_length"))
        .ok()
        .flatten();
    let info = meta
        .iter()
        .filter_map(|(key, value)| Some((key.to_owned(), plain(&value)?)));
    let mut info: Map<String, Value> = info.collect();
    // A template is shown apart.
    info.remove("tokenizer.chat_template");
    info.insert("general.parameter_count".into(), Value::from(parameters));
    // Copilot shows it, and many files have only a name.
    if let (None, Some(name)) = (info.get("general.basename"), info.get("general.name")) {
        info.insert("general.basename".into(), name.clone());
    }
    Facts {
        quantization: quantization(meta.opt_u32("general.file_type").ok().flatten()),
        template: text("tokenizer.chat_template"),
        licence: Some(text("general.license")).filter(|licence| !licence.is_empty()),
        parameters,
        family,
        info,
        n_ctx,
        fills,
    }
}

fn plain(value: &Meta<'_>) -> Option<Value> {
    Some(match value {
        Meta::U8(n) => Value::from(*n),
        Meta::I8(n) => Value::from(*n),
        Meta::U16(n) => Value::from(*n),
        Meta::I16(n) => Value::from(*n),
        Meta::U32(n) => Value::from(*n),
        Meta::I32(n) => Value::from(*n),
        Meta::U64(n) => Value::from(*n),
        Meta::I64(n) => Value::from(*n),
        Meta::F32(x) => Value::from(*x),
        Meta::F64(x) => Value::from(*x),
        Meta::Bool(is) => Value::from(*is),
        Meta::String(text) => Value::from(String::from_utf8_lossy(text)),
        Meta::Array(array) if array.len() <= MOST_ITEMS => array
            .iter()
            .map(|item| plain(&item).unwrap_or_default())
            .collect(),
        _ => return None,
    })
}

/// The names that llama.cpp gives to file types.
fn quantization(kind: Option<u32>) -> String {
    let name = match kind {
        Some(0) => "F32",
        Some(1) => "F16",
        Some(2) => "Q4_0",
        Some(3) => "Q4_1",
        Some(7) => "Q8_0",
        Some(8) => "Q5_0",
        Some(9) => "Q5_1",
        Some(10) => "Q2_K",
        Some(11) => "Q3_K_S",
        Some(12) => "Q3_K_M",
        Some(13) => "Q3_K_L",
        Some(14) => "Q4_K_S",
        Some(15) => "Q4_K_M",
        Some(16) => "Q5_K_S",
        Some(17) => "Q5_K_M",
        Some(18) => "Q6_K",
        Some(32) => "BF16",
        _ => "unknown",
    };
    name.to_owned()
}

impl Facts {
    /// Ollama's `details`.
    pub(crate) fn details(&self) -> Value {
        json!({
            "parent_model": "",
            "format": "gguf",
            "family": self.family,
            "families": [self.family],
            "parameter_size": size(self.parameters),
            "quantization_level": self.quantization,
        })
    }

    /// What the model can do, in Ollama's words.
    pub(crate) fn capabilities(&self) -> Vec<&'static str> {
        let thinks = ["<think>", "enable_thinking", "<|channel>"];
        let thinks = thinks.iter().any(|mark| self.template.contains(mark));
        // Models without a word of tools in their template are told about them in plain text.
        let mut words = vec!["completion", "tools"];
        words.extend(self.fills.then_some("insert"));
        words.extend(thinks.then_some("thinking"));
        words
    }
}

/// `1.5B`, `135M`.
fn size(parameters: u64) -> String {
    match parameters {
        0..1_000_000 => format!("{:.1}K", parameters as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2}M", parameters as f64 / 1e6),
        _ => format!("{:.1}B", parameters as f64 / 1e9),
    }
}
