"""Reference token ids from Hugging Face `tokenizers`, for tests/it/tokenizer.rs.

    python tokenizer.py OUT smollm  MODEL.gguf
    python tokenizer.py OUT qwen2   MODEL.gguf tokenizer.json
    python tokenizer.py OUT gemma   MODEL.gguf tokenizer.json
    python tokenizer.py OUT llama-bpe -        tokenizer.json
    python tokenizer.py OUT llama-spm -        tokenizer.json      (Llama 2's, or TinyLlama's)
    python tokenizer.py OUT gemma4    -        tokenizer.json      (Gemma 3's; the renamed slots are renamed here)
    python tokenizer.py OUT NAME      -        train               (NAME: tekken, gpt-4o, dbrx, smaug-bpe, refact, phi3, qwen35)
    RECKON_TOKENIZER_CASES=OUT cargo test --release -p reckon-engine --test it tokenizer::reference -- --nocapture

Needs `tokenizers` and `gguf`. Where there is no model file (`-`), one that holds only the vocabulary is written to OUT.
With `train` the vocabulary is a small one, trained here with the pre-tokenizer that models of this name are published with.
Each case is a JSON line: the text, its ids as user text (added tokens switched off, except the plain ones of Gemma) and
its ids as template text (all added tokens on). The first line names the model file.
"""

import json
import os
import sys

import gguf
from corpus import strings
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

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


# How published tokenizers cut text before byte-level merging.
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
CL100K = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN35 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CAMEL_CASE = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+SUFFIX|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*SUFFIX|"
    r"\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {
    "tekken": CAMEL_CASE.replace("SUFFIX", "").replace("DIGITS", ""),
    "gpt-4o": CAMEL_CASE.replace("SUFFIX", CONTRACTIONS + "?").replace("DIGITS", "{1,3}"),
    "dbrx": CL100K,
    "smaug-bpe": CL100K,
    "qwen35": QWEN35,
}
TRAINED = {
    "phi3": ["<|endoftext|>", "<|assistant|>", "<|system|>", "<|end|>", "<|user|>"],
    "tekken": ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"],
}
CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|start_of_role|>"]
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def trained(name):
    """A small tokenizer of the kind that models of this name have."""
    is_spm = name == "phi3"
    tokenizer = Tokenizer(models.BPE(byte_fallback=is_spm, ignore_merges=name in ("tekken", "smaug-bpe")))
    if name == "qwen35":
        tokenizer.normalizer = normalizers.NFC()
    options = {"vocab_size": 3000, "show_progress": False, "special_tokens": TRAINED.get(name, CHATML)}
    if is_spm:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        options["special_tokens"] = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    else:
        bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=name == "refact")
        first = pre_tokenizers.Digits(individual_digits=True)
        if name in SPLITS:
            first = pre_tokenizers.Split(Regex(SPLITS[name]), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([first, bytes_only])
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(strings(6000)[::3], trainers.BpeTrainer(**options))
    spec = json.loads(tokenizer.to_str())
    return phi3(spec) if is_spm else spec


def phi3(spec):
    """Merges as they are made of a SentencePiece vocabulary, and Phi 3's added tokens, which swallow what follows."""
    vocab, n = spec["model"]["vocab"], 259
    pairs = []
    for piece, i in vocab.items():
        if i >= n:
            cuts = [(piece[:k], piece[k:]) for k in range(1, len(piece))]
            pairs += [(-i, len(a), len(b), a, b) for a, b in cuts if a in vocab and b in vocab]
    spec["model"]["merges"] = [[a, b] for *_, a, b in sorted(pairs, key=lambda p: p[:3], reverse=True)]
    spec["model"]["unk_token"], spec["model"]["fuse_unk"] = "<unk>", True
    ids = {"<unk>": 0, "<s>": 1, "</s>": 2} | {t: len(vocab) + i for i, t in enumerate(TRAINED["phi3"])}
    keeps = ("<unk>", "<s>", "<|endoftext|>")
    spec["added_tokens"] = [{"id": i, "content": t, **FLAGS, "rstrip": t not in keeps} for t, i in ids.items()]
    return spec


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
    spec["added_tokens"] = [{"id": i, "content": t, **FLAGS} for i, t in enumerate(tokens) if kinds[i] == 3]
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
    byte_level = name not in ("gemma4", "llama-spm", "phi3")
    writer = gguf.GGUFWriter(path, "phi3" if name == "phi3" else "vocabulary")
    writer.add_tokenizer_model({"gemma4": "gemma4", "llama-spm": "llama", "phi3": "llama"}.get(name, "gpt2"))
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
    if name not in ("llama-spm", "phi3"):
        writer.add_token_merges([" ".join(pair) for pair in pairs])
    bos, eos = {"gemma4": (2, 1), "llama-spm": (1, 2), "phi3": (1, 2)}.get(name, (128000, 128001) if n > 128001 else (0, 2))
    writer.add_bos_token_id(bos)
    writer.add_eos_token_id(eos)
    if not byte_level:
        writer.add_unk_token_id(3 if name == "gemma4" else 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def main(out, name, model, source=None):
    os.makedirs(out, exist_ok=True)
    if source is None:
        spec = from_gguf(model)
    else:
        spec = trained(name) if source == "train" else json.load(open(source, encoding="utf-8"))
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
    texts = strings(10_000)
    with open(os.path.join(out, f"{name}.jsonl"), "w", encoding="utf-8") as file:
        print(json.dumps({"model": os.path.abspath(model)}), file=file)
        for text in texts:
            ids = (t.encode(text, add_special_tokens=False).ids for t in (user, template))
            print(json.dumps(dict(zip(("text", "user", "template"), (text, *ids)))), file=file)
    print(f"{name}: {len(texts)} strings")


if __name__ == "__main__":
    main(*sys.argv[1:])
