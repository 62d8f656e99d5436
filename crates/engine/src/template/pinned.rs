//! Chat templates of our own, for files that carry none.
//!
//! Chosen by `Template::from_gguf` from the markers that the vocabulary holds. Written by us to the families' published
//! formats; each gives exactly one turn per message and ends where the answer begins.
use crate::Tokenizer;

/// A template of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pinned {
    pub(super) source: &'static str,
    /// Text at which an answer is over although the model goes on; only a base model needs it.
    pub(super) stop: Option<&'static str>,
}

/// The template for this vocabulary. `instruct`: the file's name says that it was taught to chat.
///
/// Base models of the Gemma 3 and Llama 3 families hold the same markers as their chat models but were not taught what
/// they mean, so without such a name they get the plain transcript.
pub(super) fn choose(tokenizer: &Tokenizer, instruct: bool) -> Pinned {
    let has = |text: &str| tokenizer.marker(text).is_some();
    let source = if has("<|turn>") {
        GEMMA4
    } else if has("<|start_header_id|>") && instruct {
        LLAMA3
    } else if has("<|im_start|>") {
        CHATML
    } else if has("<start_of_turn>") && instruct {
        GEMMA3
    } else {
        return Pinned {
            source: PLAIN,
            stop: Some("\nUser:"),
        };
    };
    Pinned { source, stop: None }
}

/// Qwen 2, Qwen 3, SmolLM and many others.
const CHATML: &str = "\
{%- for message in messages -%}
{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor -%}
{{ '<|im_start|>assistant\\n' }}";

const LLAMA3: &str = "\
{{- bos_token }}
{%- for message in messages -%}
{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content.strip() + '<|eot_id|>' }}
{%- endfor -%}
{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}";

/// Gemma 3 has no system turn: the system text opens the first turn of the person.
const GEMMA3: &str = "\
{{- bos_token }}
{%- set state = namespace(system='') -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{%- if not loop.first -%}{{ raise_exception('a system message must come first') }}{%- endif -%}
{%- set state.system = message.content + '\\n\\n' -%}
{%- else -%}
{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\\n' + state.system }}
{{- message.content.strip() + '<end_of_turn>\\n' }}
{%- set state.system = '' -%}
{%- endif -%}
{%- endfor -%}
{{ '<start_of_turn>model\\n' }}";

/// Gemma 4: a system turn if there is a system text or thinking is on; answers that follow each other share one turn.
const GEMMA4: &str = "\
{{- bos_token }}
{%- set system = messages and messages[0].role == 'system' -%}
{%- if system or enable_thinking -%}
{{ '<|turn>system\\n' }}
{%- if enable_thinking -%}{{ '<|think|>\\n' }}{%- endif -%}
{%- if system -%}{{ messages[0].content.strip() }}{%- endif -%}
{{ '<turn|>\\n' }}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'assistant' -%}
{%- if loop.first or loop.previtem.role != 'assistant' -%}{{ '<|turn>model\\n' }}{%- endif -%}
{{ message.content.strip() }}
{%- if loop.last or loop.nextitem.role != 'assistant' -%}{{ '<turn|>\\n' }}{%- endif -%}
{%- elif message.role == 'system' -%}
{%- if not loop.first -%}{{ raise_exception('a system message must come first') }}{%- endif -%}
{%- else -%}
{{ '<|turn>user\\n' + message.content.strip() + '<turn|>\\n' }}
{%- endif -%}
{%- endfor -%}
{{ '<|turn>model\\n' }}";

/// For base models: a transcript that the model goes on writing.
const PLAIN: &str = "\
{{- bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content.strip() + '\\n\\n' }}
{%- else -%}
{{ ('User' if message.role == 'user' else 'Assistant') + ': ' + message.content.strip() + '\\n' }}
{%- endif -%}
{%- endfor -%}
{{ 'Assistant:' }}";
