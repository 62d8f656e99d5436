"""Reference token ids from Hugging Face `tokenizers`, for tests/it/tokenizer.rs.

    python tokenizer.py OUT smollm  MODEL.gguf
    python tokenizer.py OUT qwen2   MODEL.gguf tokenizer.json
    python tokenizer.py OUT gemma   MODEL.gguf tokenizer.json
    python tokenizer.py OUT llama-bpe -        tokenizer.json
    python tokenizer.py OUT llama-spm -        tokenizer.json      (Llama 2's, or TinyLlama's)
    python tokenizer.py OUT gemma4    -        tokenizer.json      (Gemma 3's; the renamed slots are renamed here)
    RECKON_TOKENIZER_CASES=OUT cargo test --release -p reckon-engine --test it tokenizer::reference -- --nocapture

Needs `tokenizers` and `gguf`. Where there is no model file (`-`), one that holds only the vocabulary is written to OUT.
Each case is a JSON line: the text, its ids as user text (added tokens switched off, except the plain ones of Gemma) and
its ids as template text (all added tokens on). The first line names the model file.
"""

import json
import os
import sys

import gguf
from corpus import strings
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

HTML = set(
    "a b bbox blockquote body caption code div em footer h1 h2 h3 h4 h5 h6 html i iframe img li s span strong sub sup table"
    " tbody td tfoot th thead tr u ul".split()
)
GEMMA4 = {
    46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>", 49: "<tool_call|>", 50: "<|tool_response>", 51: "<tool_response|>",
    52: "<|\"|>", 98: "<|think|>", 100: "<|channel>", 101: "<channel|>", 105: "<|turn>", 106: "<turn|>", 255999: "<|image>",
    256000: "<|audio>", 258880: "<|image|>", 258881: "<|audio|>", 258882: "<image|>", 258883: "<audio|>", 258884: "<|video|>",
}  # fmt: skip
GEMMA4_USER = {48, 49, 50, 51, 52, 100, 101}


def plain(text):
    """Added tokens that user text may become: see src/tokenizer/control.rs."""
    return not text.strip(" \n\t▁") or (text[0] == "<" and text[-1] == ">" and text[1:-1].removeprefix("/") in HTML)


def from_gguf(path):
    """SmolLM's tokenizer: single digits, then GPT-2's splitting, byte-level BPE."""
    fields = gguf.GGUFReader(path).fields
    tokens, kinds = (fields[f"tokenizer.ggml.{k}"].contents() for k in ("tokens", "token_type"))
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    spec = json.loads(tokenizer.to_str())
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    spec["added_tokens"] = [{"id": i, "content": t, **flags} for i, t in enumerate(tokens) if kinds[i] == 3]
    return spec


def renamed(spec):
    """Gemma 3's tokenizer with the slots that Gemma 4 renamed."""
    old = {i: t for t, i in spec["model"]["vocab"].items()}
    for i, name in GEMMA4.items():
        del spec["model"]["vocab"][old[i]]
        spec["model"]["vocab"][name] = i
    for added in spec["added_tokens"]:
        added["content"] = GEMMA4.get(added["id"], added["content"])
    return spec


def write_vocabulary(path, name, spec):
    vocab = {i: t for t, i in spec["model"]["vocab"].items()}
    added = {a["id"]: a for a in spec["added_tokens"]}
    vocab |= {i: a["content"] for i, a in added.items()}
    n = max(vocab) + 1
    byte_level = name not in ("gemma4", "llama-spm")
    writer = gguf.GGUFWriter(path, "vocabulary")
    writer.add_tokenizer_model({"gemma4": "gemma4", "llama-spm": "llama"}.get(name, "gpt2"))
    if byte_level:
        writer.add_tokenizer_pre(name)

    def kind(i):
        text = vocab[i]
        if i not in added:
            return 6 if not byte_level and len(text) == 6 and text.startswith("<0x") else 1
        if text == "<unk>":
            return 2
        special = added[i]["special"] or text.startswith(("<unused", "<mask", "<|", "<image", "<audio", "<turn", "<tool"))
        return 3 if special and not (name == "gemma4" and i in GEMMA4_USER) else 4

    kinds = [kind(i) for i in range(n)]
    # Converters write the spaces of user-defined tokens as spaces.
    writer.add_token_list([vocab[i].replace("▁", " ") if kinds[i] == 4 else vocab[i] for i in range(n)])
    pairs = [tuple(m.split(" ") if isinstance(m, str) else m) for m in spec["model"]["merges"]]
    # Where there is no score, the place of a piece's first merge tells its order as well.
    ranks = {}
    for rank, pair in enumerate(pairs):
        ranks.setdefault("".join(pair), rank)
    # Llama's runs of spaces share one score, below all others.
    spaces = name == "llama-spm"
    score = lambda t: -1e9 if spaces and not t.strip("▁") else -float(ranks.get(t, len(pairs)))
    writer.add_token_scores([score(vocab[i]) for i in range(n)])
    writer.add_token_types(kinds)
    if name != "llama-spm":
        writer.add_token_merges([" ".join(pair) for pair in pairs])
    bos, eos = {"gemma4": (2, 1), "llama-spm": (1, 2)}.get(name, (128000, 128001))
    writer.add_bos_token_id(bos)
    writer.add_eos_token_id(eos)
    if not byte_level:
        writer.add_unk_token_id(3 if name == "gemma4" else 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def main(out, name, model, source=None):
    os.makedirs(out, exist_ok=True)
    spec = from_gguf(model) if source is None else json.load(open(source, encoding="utf-8"))
    if name == "gemma4":
        spec = renamed(spec)
    if model == "-":
        model = os.path.join(out, f"{name}.gguf")
        write_vocabulary(model, name, spec)
    n_vocab = len(gguf.GGUFReader(model).fields["tokenizer.ggml.tokens"].data)
    spec["added_tokens"] = [a for a in spec["added_tokens"] if a["id"] < n_vocab]
    spec["post_processor"] = None
    template = Tokenizer.from_str(json.dumps(spec))
    spec["added_tokens"] = [a for a in spec["added_tokens"] if not a["special"] and plain(a["content"])]
    user = Tokenizer.from_str(json.dumps(spec))
    texts = strings(6000)
    with open(os.path.join(out, f"{name}.jsonl"), "w", encoding="utf-8") as file:
        print(json.dumps({"model": os.path.abspath(model)}), file=file)
        for text in texts:
            ids = (t.encode(text, add_special_tokens=False).ids for t in (user, template))
            print(json.dumps(dict(zip(("text", "user", "template"), (text, *ids)))), file=file)
    print(f"{name}: {len(texts)} strings")


if __name__ == "__main__":
    main(*sys.argv[1:])
