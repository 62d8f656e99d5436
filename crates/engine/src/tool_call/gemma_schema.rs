//! The JSON schema of a tool's arguments in, Lark rules for Gemma 4's notation of them out.
//!
//! Called by `grammar` for schemas that `llguidance` can follow as JSON (`Model::tool_grammar` asks that first); so
//! `oneOf` is unambiguous here, and references lead somewhere. Numbers are JSON in this notation too and are left to `%json`.
//!
//! Rules may allow less than the schema does, never more: keys come in the order in which templates sort them, keys that the
//! schema does not name are written only where it names none, and no text holds the mark that ends texts. `format` is an
//! annotation. What cannot be said is refused.

use super::QUOTE;
use super::schema::{KEY, NUMBER, is_of, only_known, says, target, text_terms, types};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most rules for one tool.
const MAX_RULES: usize = 5000;
/// A text that does not hold `QUOTE`.
const NO_QUOTE: &str = r#"~/(?s:.*)<\|"\|>(?s:.*)/"#;

type Outcome = Result<String, String>;

/// Rules for a schema; the one for the whole is called `name`. `quote` is the Lark text of the mark around texts.
pub(super) fn rules(schema: &Value, name: &str, quote: &str) -> Outcome {
    let mut rules = Rules {
        root: schema,
        name,
        quote,
        text: String::new(),
        count: 0,
        references: BTreeMap::new(),
    };
    let start = rules.value(schema)?;
    let _ = writeln!(rules.text, "{name}: {start}");
    Ok(rules.text)
}

struct Rules<'a> {
    root: &'a Value,
    name: &'a str,
    quote: &'a str,
    text: String,
    count: usize,
    /// Rules of parts that a schema refers to.
    references: BTreeMap<String, String>,
}

impl Rules<'_> {
    /// What a schema allows, as the right side of a rule.
    fn value(&mut self, schema: &Value) -> Outcome {
        let map = match schema {
            Value::Object(map) => map,
            Value::Bool(true) => &Map::new(),
            _ => return Err("a part of its schema allows nothing".into()),
        };
        let keys: Vec<&String> = map.keys().filter(|key| says(key)).collect();
        if let [key] = keys[..] {
            match (key.as_str(), &map[key]) {
                ("$ref", Value::String(reference)) => return self.reference(reference),
                ("anyOf" | "oneOf", Value::Array(options)) => return self.options(options),
                ("allOf", Value::Array(parts)) if parts.len() == 1 => return self.value(&parts[0]),
                _ => {}
            }
        }
        if keys.is_empty() {
            return self.anything();
        }
        only_known(&keys)?;
        let types = types(map);
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            return self.choice(values, &types);
        }
        if let Some(value) = map.get("const") {
            return self.choice(std::slice::from_ref(value), &types);
        }
        let options: Result<Vec<String>, String> =
            types.iter().map(|name| self.of_type(name, map)).collect();
        let options = options?;
        self.rule(&options.join(" | "))
    }

    fn of_type(&mut self, name: &str, map: &Map<String, Value>) -> Outcome {
        match name {
            "string" => self.string(map),
            "integer" | "number" => {
                let mut schema = json!({ "type": name });
                for key in NUMBER {
                    if let Some(bound) = map.get(key) {
                        schema[key] = bound.clone();
                    }
                }
                self.rule(&format!("%json {schema}"))
            }
            "boolean" => Ok(r#"("true" | "false")"#.into()),
            "null" => Ok(r#""null""#.into()),
            "array" => self.array(map),
            "object" => self.object(map),
            other => Err(format!("there is no type `{other}`")),
        }
    }

    fn string(&mut self, map: &Map<String, Value>) -> Outcome {
        let terminal = self.fresh()?.to_uppercase();
        let _ = writeln!(self.text, "{terminal}: {}", text_terms(map, NO_QUOTE));
        // A mark that is a token ends the text by itself; one in letters has to be found in it.
        if self.quote.starts_with('<') {
            return Ok(format!("({0} {terminal} {0})", self.quote));
        }
        let rule = self.fresh()?;
        let _ = writeln!(self.text, "{rule}[suffix={}]: {terminal}", self.quote);
        Ok(format!("({} {rule})", self.quote))
    }

    fn array(&mut self, map: &Map<String, Value>) -> Outcome {
        let item = match map.get("items") {
            Some(schema) => self.value(schema)?,
            None => self.anything()?,
        };
        let bound = |key| map.get(key).and_then(Value::as_u64);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems"));
        if most == Some(0) {
            return Ok(r#""[]""#.into());
        }
        if most.is_some_and(|most| most < least) {
            return Err("a list of its schema cannot be written".into());
        }
        let more = match most {
            Some(most) => format!("{{{},{}}}", least.saturating_sub(1), most - 1),
            None if least > 1 => format!("{{{},}}", least - 1),
            None => "*".into(),
        };
        let items = self.rule(&format!("{item} (\",\" {item}){more}"))?;
        let maybe = if least == 0 { "?" } else { "" };
        Ok(format!("(\"[\" {items}{maybe} \"]\")"))
    }

    fn object(&mut self, map: &Map<String, Value>) -> Outcome {
        let empty = Map::new();
        let named = map.get("properties").and_then(Value::as_object);
        let named = named.unwrap_or(&empty);
        let others = map
            .get("additionalProperties")
            .unwrap_or(&Value::Bool(true));
        let required = map.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut keys: Vec<&str> = named.keys().map(String::as_str).collect();
        keys.extend(required.iter().filter(|key| !named.contains_key(**key)));
        keys.sort_by_key(|key| (key.to_lowercase(), *key));
        keys.dedup();
        if keys.is_empty() {
            return match others {
                Value::Bool(false) => Ok(r#""{}""#.into()),
                others => self.free_object(others),
            };
        }
        // From the last key to the first: what may follow if nothing, or something, came before.
        let (mut first, mut later) = (r#""""#.to_owned(), r#""""#.to_owned());
        for key in keys.into_iter().rev() {
            if key.trim() != key
                || key.is_empty()
                || key.contains([':', ',', '{', '}', '[', ']', '"', '<'])
            {
                return Err(format!("its argument `{key}` cannot be written"));
            }
            let value = self.value(named.get(key).unwrap_or(others))?;
            let pair = format!("{} {value} {later}", Value::from(format!("{key}:")));
            let is_needed = required.contains(&key);
            let or = |rest: &str| match is_needed {
                true => String::new(),
                false => format!(" | {rest}"),
            };
            let (now, then) = (
                format!("{pair}{}", or(&first)),
                format!("\",\" {pair}{}", or(&later)),
            );
            (first, later) = (self.rule(&now)?, self.rule(&then)?);
        }
        Ok(format!("(\"{{\" {first} \"}}\")"))
    }

    /// An object whose keys nobody names.
    fn free_object(&mut self, others: &Value) -> Outcome {
        let value = self.value(others)?;
        let pair = self.rule(&format!("{KEY} \":\" {value}"))?;
        Ok(format!("(\"{{\" ({pair} (\",\" {pair})*)? \"}}\")"))
    }

    /// Any value: one rule that calls itself.
    fn anything(&mut self) -> Outcome {
        self.named("any".into(), |rules, rule| {
            let string = rules.string(&Map::new())?;
            let number = rules.of_type("number", &Map::new())?;
            let object = format!("\"{{\" ({KEY} \":\" {rule} (\",\" {KEY} \":\" {rule})*)? \"}}\"");
            let array = format!("\"[\" ({rule} (\",\" {rule})*)? \"]\"");
            Ok(format!(
                "{string} | {number} | \"true\" | \"false\" | \"null\" | {array} | {object}"
            ))
        })
    }

    fn reference(&mut self, reference: &str) -> Outcome {
        let root = self.root;
        let target = target(root, reference).ok_or_else(|| format!("there is no {reference}"))?;
        self.named(reference.to_owned(), |rules, _| rules.value(target))
    }

    /// A rule that is made once and may call itself.
    fn named(&mut self, key: String, make: impl FnOnce(&mut Self, &str) -> Outcome) -> Outcome {
        if let Some(rule) = self.references.get(&key) {
            return Ok(rule.clone());
        }
        let rule = self.fresh()?;
        self.references.insert(key, rule.clone());
        let side = make(self, &rule)?;
        let _ = writeln!(self.text, "{rule}: {side}");
        Ok(rule)
    }

    fn options(&mut self, options: &[Value]) -> Outcome {
        let options: Result<Vec<String>, String> =
            options.iter().map(|option| self.value(option)).collect();
        let options = options?;
        self.rule(&options.join(" | "))
    }

    /// One of these values, if it has one of these types.
    fn choice(&mut self, values: &[Value], types: &[&str]) -> Outcome {
        let fits = |value: &&Value| types.iter().any(|name| is_of(value, name));
        let options: Vec<String> = values
            .iter()
            .filter(fits)
            .map(|value| self.literal(value))
            .collect::<Result<_, _>>()?;
        if options.is_empty() {
            return Err("a part of its schema allows nothing".into());
        }
        self.rule(&options.join(" | "))
    }

    fn literal(&self, value: &Value) -> Outcome {
        match value {
            Value::String(text) if text.contains(QUOTE) => {
                Err("a text of its schema cannot be written".into())
            }
            Value::String(text) if text.is_empty() => Ok(format!("{0} {0}", self.quote)),
            Value::String(_) => Ok(format!("{0} {value} {0}", self.quote)),
            Value::Array(_) | Value::Object(_) => {
                Err("only texts, numbers and words can be listed for this model's calls".into())
            }
            word => Ok(Value::from(word.to_string()).to_string()),
        }
    }

    /// A rule with this right side.
    fn rule(&mut self, side: &str) -> Outcome {
        let rule = self.fresh()?;
        let _ = writeln!(self.text, "{rule}: {side}");
        Ok(rule)
    }

    fn fresh(&mut self) -> Outcome {
        self.count += 1;
        if self.count > MAX_RULES {
            return Err("its schema is too large".into());
        }
        Ok(format!("{}_{}", self.name, self.count))
    }
}
