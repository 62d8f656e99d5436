"""Reference logits of the forward pass, computed from the published formulas in double precision; for tests/it/forward.rs.

    python forward.py make ../data/forward            the committed files: a tiny model of each architecture, its logits
    python forward.py check MODEL.gguf CASE.json LOGITS.npy
                                                      this script against somebody else's logits of the same model

Needs `numpy` and `gguf`. Nothing here comes from the engine: `forward` is one function over whole sequences, without a
KV cache, batches, threads or a prefill shortcut, so a mistake in any of those shows as a difference.

`check` was run with the tiny Gemma 4 whose logits Hugging Face `transformers` made in double precision (largest
difference 2e-12); `dense.py` does the same for `granite`, `smollm3`, `phi3` and `mistral3` (4e-6). The other families are
the same steps with other settings: RoPE pairs and factors, norms, biases.
Weights are random; everything that is usually 1 or 0 (norms, biases, layer scales) is random too, so that an omission
shows. Queries and keys are kept small: a random model with sharp attention magnifies rounding until nothing can be compared.
"""

import json
import os
import sys

import gguf
import numpy as np

VOCAB, CONTEXT, PROMPT, ANSWER = 64, 128, 24, 12
EPSILON = 1e-6

# What sets an architecture apart. Widths are small and not whole vectors where that is allowed (n_ff).
SHAPE = dict(n_embd=32, heads=2, kv_heads=1, dim=16, n_ff=[40, 40], window=None, sliding=None, shared=0)
MODELS = {
    "gemma4": dict(
        SHAPE, n_embd=16, dim=32, dim_swa=16, n_ff=[24, 24, 24, 40, 40, 40], window=7, shared=3, per_layer=16, softcap=30.0,
        sliding=[True, True, False, True, True, False], rope_base=1e6, rope_base_swa=1e4, rope_factors=[1.0] * 4 + [1e30] * 12,
    ),
    "gemma3": dict(
        SHAPE, n_embd=16, n_ff=[24] * 7, window=7, sliding=[True] * 5 + [False, True], rope_base=1e6, linear=8.0,
    ),
    "llama": dict(SHAPE, rope_base=5e5, rope_factors=[1.0, 1.0, 1.5, 2.0, 4.0, 8.0, 8.0, 8.0], untied=True),
    "qwen2": dict(SHAPE, n_embd=16, kv_heads=2, rope_base=1e6),
    "qwen3": dict(SHAPE, n_embd=16, heads=4, kv_heads=2, rope_base=1e6),
    "granite": dict(
        SHAPE, n_embd=16, kv_heads=2, rope_base=1e4, untied=True,
        floats={"embedding_scale": 3.0, "residual_scale": 0.4, "attention.scale": 0.1, "logit_scale": 1.6},
    ),
    "smollm3": dict(SHAPE, n_embd=16, n_ff=[24] * 5, rope_base=5e6),
    # A window on all layers, a quarter of each head not rotated, two lists of factors.
    "phi3": dict(
        SHAPE, n_rot=12, window=9, rope_base=1e4, rope_short=[1.0, 1.1, 1.3, 1.5, 1.9, 2.5], rope_long=[1.0, 2.0, 4.0, 7.0, 11.0, 16.0],
        floats={"rope.scaling.attn_factor": 1.19}, numbers={"rope.scaling.original_context_length": 64},
    ),
    # Betas that put a ramp of several pairs into so small a head; the prompt is longer than the original context.
    "mistral3": dict(
        SHAPE, n_embd=16, kv_heads=2, rope_base=100.0, scaling="yarn",
        floats={
            "rope.scaling.factor": 4.0, "rope.scaling.yarn_beta_fast": 2.0, "rope.scaling.yarn_beta_slow": 0.1,
            "rope.scaling.yarn_log_multiplier": 0.5, "attention.temperature_scale": 0.3,
        },
        numbers={"rope.scaling.original_context_length": 16},
    ),
}  # fmt: skip

# The same file in a context of this size, where that changes something.
LONG = {"phi3": CONTEXT}


def is_gemma(architecture):
    return architecture.startswith("gemma")


# ---- the maths ----------------------------------------------------------------------------------------------------


def rms_norm(x, weight=None):
    """x · (mean(x²) + ε)^(-1/2) · weight. GGUF stores Gemma 3's weights with their +1, so all families are alike."""
    x = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + EPSILON)
    return x if weight is None else x * weight


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def rope(x, frequencies, magnitude, neighbours):
    """Rotates each pair of [position][head][dim]: neighbours (2i, 2i + 1) or halves (i, i + dim/2)."""
    angle = np.arange(len(x))[:, None, None] * frequencies
    cos, sin = np.cos(angle) * magnitude, np.sin(angle) * magnitude
    out = x.copy()
    n = len(frequencies)
    first, second = (slice(0, 2 * n, 2), slice(1, 2 * n, 2)) if neighbours else (slice(0, n), slice(n, 2 * n))
    a, b = x[..., first], x[..., second]
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos
    return out


def yarn(frequencies, base, factor, original, fast, slow):
    """Fast pairs keep their frequency, slow ones are divided by the factor, those between lie on a ramp."""
    n = 2 * len(frequencies)
    pair = lambda turns: n * np.log(original / (turns * 2 * np.pi)) / (2 * np.log(base))
    low, high = max(np.floor(pair(fast)), 0), min(np.ceil(pair(slow)), n - 1)
    ramp = np.clip((np.arange(n // 2) - low) / max(high - low, 0.001), 0, 1)
    return frequencies / factor * ramp + frequencies * (1 - ramp)


def attention(q, k, v, scale, window):
    """q [n][heads][dim], k and v [n][kv_heads][dim]; causal, and at most `window` positions back, the own included."""
    n, heads, _ = q.shape
    k, v = (np.repeat(x, heads // x.shape[1], axis=1) for x in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    back = np.arange(n)[:, None] - np.arange(n)[None, :]
    seen = (back >= 0) & (back < (window or n))
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", weights, v).reshape(n, -1)


def forward(model, tokens):
    """Logits [n][vocabulary] of every position."""
    m, w, arch = model, model.weights, model.architecture
    gemma, gemma4 = is_gemma(arch), arch == "gemma4"
    activation = gelu if gemma else silu
    embedding = w["token_embd.weight"]
    x = embedding[tokens] * m.embedding_scale
    if gemma4:
        own = w["per_layer_token_embd.weight"][tokens] * np.sqrt(m.per_layer)
        projected = (x @ w["per_layer_model_proj.weight"].T) / np.sqrt(m.n_embd)
        shape = (len(tokens), m.n_layer, m.per_layer)
        projected = rms_norm(projected.reshape(shape), w["per_layer_proj_norm.weight"])
        per_layer_input = (own.reshape(shape) + projected) / np.sqrt(2)
    kept = {}
    for i in range(m.n_layer):
        layer = lambda name: w.get(f"blk.{i}.{name}")
        local, dim = m.sliding[i], m.dims[i]

        def heads(h, name):
            out = h @ m.projection(i, name).T
            bias = layer(f"{name}.bias")
            out = (out if bias is None else out + bias).reshape(len(tokens), -1, dim)
            norm = layer(f"{name}_norm.weight")
            return out if norm is None else rms_norm(out, norm)

        turn = lambda x: rope(x, *m.rope(i, local, dim), arch in NEIGHBOURS)
        h = rms_norm(x, layer("attn_norm.weight"))
        if i < m.n_layer - m.shared:
            k, v = turn(heads(h, "attn_k")), heads(h, "attn_v")
            kept[local] = k, rms_norm(v) if gemma4 else v
        k, v = kept[local]
        scale = m.attention_scale or (1.0 if gemma4 else 1 / np.sqrt(dim))
        q = turn(heads(h, "attn_q")) * m.query_scales(len(tokens))
        o = attention(q, k, v, scale, m.window if local else None) @ layer("attn_output.weight").T
        x = x + (rms_norm(o, layer("post_attention_norm.weight")) if gemma else o * m.residual_scale)
        h = rms_norm(x, layer("ffn_norm.weight"))
        gate, up = m.projection(i, "ffn_gate"), m.projection(i, "ffn_up")
        o = (activation(h @ gate.T) * (h @ up.T)) @ layer("ffn_down.weight").T
        x = x + (rms_norm(o, layer("post_ffw_norm.weight")) if gemma else o * m.residual_scale)
        if gemma4:
            o = (gelu(x @ layer("inp_gate.weight").T) * per_layer_input[:, i]) @ layer("proj.weight").T
            x = (x + rms_norm(o, layer("post_norm.weight"))) * layer("layer_output_scale.weight")
    logits = rms_norm(x, w["output_norm.weight"]) @ w.get("output.weight", embedding).T / m.logit_scale
    return m.softcap * np.tanh(logits / m.softcap) if m.softcap else logits


def greedy(model, tokens, count):
    """The answer, and by how much its closest choice was decided."""
    tokens, margin = list(tokens), np.inf
    for _ in range(count):
        last = forward(model, tokens)[-1]
        margin = min(margin, np.diff(np.sort(last)[-2:])[0])
        tokens.append(int(last.argmax()))
    return tokens[-count:], margin


# ---- files --------------------------------------------------------------------------------------------------------


NEIGHBOURS = ("llama", "granite", "smollm3", "mistral3")


class Model:
    """A GGUF file: metadata, and every weight widened to doubles. `context` is the one that it is loaded with."""

    def __init__(self, path, context=0):
        reader = gguf.GGUFReader(path)
        self.architecture = reader.fields["general.architecture"].contents()
        self.weights = {
            t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float64).reshape(t.shape[::-1])
            for t in reader.tensors
        }

        def key(name, default=None):
            field = reader.fields.get(f"{self.architecture}.{name}")
            return default if field is None else field.contents()

        self.n_layer, self.n_embd = key("block_count"), key("embedding_length")
        self.window, self.shared = key("attention.sliding_window"), key("attention.shared_kv_layers", 0)
        self.per_layer, self.softcap = key("embedding_length_per_layer_input"), key("final_logit_softcapping")
        # Gemma 3 has no pattern in its files: of six layers the last one is full. Phi 3 slides everywhere.
        usual = {"gemma3": lambda i: i % 6 < 5, "phi3": lambda i: bool(self.window)}.get(self.architecture, lambda i: False)
        self.sliding = key("attention.sliding_window_pattern", [usual(i) for i in range(self.n_layer)])
        self.heads, self.kv_heads = key("attention.head_count"), key("attention.head_count_kv")
        dim = key("attention.key_length", self.n_embd // self.heads)
        local = key("attention.key_length_swa", dim)
        self.dims = [local if s and not self.architecture == "phi3" else dim for s in self.sliding]
        self.bases = {False: key("rope.freq_base"), True: key("rope.freq_base_swa", 1e4)}
        self.n_rot = key("rope.dimension_count", dim)
        self.embedding_scale = key("embedding_scale", np.sqrt(self.n_embd) if is_gemma(self.architecture) else 1.0)
        self.residual_scale, self.logit_scale = key("residual_scale", 1.0), key("logit_scale", 1.0)
        self.attention_scale = key("attention.scale")
        self.original, self.context = key("rope.scaling.original_context_length", 0), context
        self.temperature = key("attention.temperature_scale", 0.0)
        self.scaling, self.factor = key("rope.scaling.type"), key("rope.scaling.factor", 1.0)
        self.betas = key("rope.scaling.yarn_beta_fast", 32.0), key("rope.scaling.yarn_beta_slow", 1.0)
        self.magnitude = key("rope.scaling.attn_factor", 1.0)
        if self.scaling == "yarn":
            grown = lambda by: 1 + 0.1 * by * np.log(self.factor)
            self.magnitude *= grown(1.0) / grown(key("rope.scaling.yarn_log_multiplier", 0.0))

    def rope(self, i, local, dim):
        """Frequencies and magnitude of a layer."""
        if self.architecture == "smollm3" and i % 4 == 3:
            return np.zeros(0), 1.0
        if local and is_gemma(self.architecture):
            return self.bases[True] ** (-2.0 * np.arange(dim // 2) / dim), 1.0
        n, base = min(self.n_rot, dim), self.bases[False]
        own = base ** (-2.0 * np.arange(n // 2) / n)
        if self.scaling == "yarn":
            own = yarn(own, base, self.factor, self.original, *self.betas)
        else:
            own = own / self.factor
        size = "long" if self.context > self.original else "short"
        for name in ("rope_freqs.weight", f"rope_factors_{size}.weight"):
            own = own / self.weights.get(name, 1.0)
        return own, self.magnitude

    def query_scales(self, n):
        if not self.temperature:
            return 1.0
        return (1 + self.temperature * np.log(1 + np.arange(n) // self.original))[:, None, None]

    def projection(self, i, part):
        """A matrix of a layer, or the rows of a fused one that it is."""
        own = self.weights.get(f"blk.{i}.{part}.weight")
        fused = self.weights.get(f"blk.{i}.attn_qkv.weight")
        if fused is None:
            return own
        if part.startswith("ffn"):
            return np.split(self.weights[f"blk.{i}.ffn_up.weight"], 2)[part == "ffn_up"]
        q, kv = self.heads * self.dims[i], self.kv_heads * self.dims[i]
        return np.split(fused, [q, q + kv])[["attn_q", "attn_k", "attn_v"].index(part)]


def add_vocabulary(writer, architecture):
    if is_gemma(architecture):
        control = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>"]
        space, end = "▁", 1
        writer.add_tokenizer_model("gemma4" if architecture == "gemma4" else "llama")
        writer.add_bos_token_id(2)
        writer.add_unk_token_id(3)
    else:
        control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        space, end = "Ġ", 2
        writer.add_tokenizer_model("gpt2")
        pre = {"llama": "smollm", "granite": "refact", "smollm3": "smaug-bpe", "phi3": "dbrx", "mistral3": "tekken"}
        writer.add_tokenizer_pre(pre.get(architecture, "qwen2"))
    letters = [space] + [chr(c) for c in range(ord("!"), ord("~") + 1)]
    tokens = (control + letters)[:VOCAB]
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(i) for i in range(VOCAB)])
    writer.add_token_types([3 if t in control else 1 for t in tokens])
    writer.add_token_merges(["A B"])
    writer.add_eos_token_id(end)


def tensors(architecture, s, random):
    """Name and array of every tensor; matrices are halves, the rest floats."""
    gemma, gemma4 = is_gemma(architecture), architecture == "gemma4"
    # As large as what goes through; what multiplies directly lies around 1.
    matrix = lambda rows, cols: (random.standard_normal((rows, cols)) * cols**-0.5).astype(np.float16)
    vector = lambda n, size=1.0: (random.uniform(0.6, 1.4, n) * size).astype(np.float32)
    n_embd, n_layer = s["n_embd"], len(s["n_ff"])
    yield "token_embd.weight", matrix(VOCAB, n_embd)
    yield "output_norm.weight", vector(n_embd, 2.0)
    if s.get("untied"):
        yield "output.weight", matrix(VOCAB, n_embd)
    if "rope_factors" in s:
        yield "rope_freqs.weight", np.array(s["rope_factors"], np.float32)
    for size in ("short", "long"):
        if f"rope_{size}" in s:
            yield f"rope_factors_{size}.weight", np.array(s[f"rope_{size}"], np.float32)
    if gemma4:
        columns = n_layer * s["per_layer"]
        yield "per_layer_token_embd.weight", matrix(VOCAB, columns)
        yield "per_layer_model_proj.weight", matrix(columns, n_embd)
        yield "per_layer_proj_norm.weight", vector(s["per_layer"])
    for i, n_ff in enumerate(s["n_ff"]):
        local = bool(s["sliding"] and s["sliding"][i])
        dim = s.get("dim_swa", s["dim"]) if local else s["dim"]
        rows = {"attn_q": s["heads"] * dim}
        # Gemma 4's files hold keys and values of layers that share them; they are dead, and must not be read.
        rows |= {"attn_k": s["kv_heads"] * dim, "attn_v": s["kv_heads"] * dim}
        name = lambda part: f"blk.{i}.{part}.weight"
        fused = architecture == "phi3"
        if fused:
            yield name("attn_qkv"), matrix(sum(rows.values()), n_embd)
        for part, n in rows.items() if not fused else ():
            yield name(part), matrix(n, n_embd)
            if architecture == "qwen2":
                yield f"blk.{i}.{part}.bias", vector(n, 0.5)
        if gemma or architecture == "qwen3":
            yield name("attn_q_norm"), vector(dim, 0.5)
            yield name("attn_k_norm"), vector(dim, 0.5)
        yield name("attn_output"), matrix(n_embd, rows["attn_q"])
        yield name("attn_norm"), vector(n_embd)
        yield name("ffn_norm"), vector(n_embd)
        if not fused:
            yield name("ffn_gate"), matrix(n_ff, n_embd)
        yield name("ffn_up"), matrix(2 * n_ff if fused else n_ff, n_embd)
        yield name("ffn_down"), matrix(n_embd, n_ff)
        if gemma:
            yield name("post_attention_norm"), vector(n_embd)
            yield name("post_ffw_norm"), vector(n_embd)
        if gemma4:
            yield name("inp_gate"), matrix(s["per_layer"], n_embd)
            yield name("proj"), matrix(n_embd, s["per_layer"])
            yield name("post_norm"), vector(n_embd)
            yield name("layer_output_scale"), vector(1)


def write(path, architecture, s, seed):
    writer = gguf.GGUFWriter(path, architecture)
    key = lambda name: f"{architecture}.{name}"
    numbers = {
        "block_count": len(s["n_ff"]), "context_length": CONTEXT, "embedding_length": s["n_embd"],
        "attention.head_count": s["heads"], "attention.head_count_kv": s["kv_heads"], "attention.key_length": s["dim"],
        "rope.dimension_count": s.get("n_rot", s["dim"]), **s.get("numbers", {}),
    }  # fmt: skip
    if s["window"]:
        numbers["attention.sliding_window"] = s["window"]
    floats = {"attention.layer_norm_rms_epsilon": EPSILON, "rope.freq_base": s["rope_base"], **s.get("floats", {})}
    if architecture == "gemma4":
        numbers |= {
            "attention.key_length_swa": s["dim_swa"], "rope.dimension_count_swa": s["dim_swa"],
            "attention.shared_kv_layers": s["shared"], "embedding_length_per_layer_input": s["per_layer"],
        }  # fmt: skip
        floats |= {"rope.freq_base_swa": s["rope_base_swa"], "final_logit_softcapping": s["softcap"]}
        writer.add_array(key("attention.sliding_window_pattern"), s["sliding"])
        writer.add_array(key("feed_forward_length"), s["n_ff"])
    else:
        numbers["feed_forward_length"] = s["n_ff"][0]
    if "linear" in s:
        writer.add_string(key("rope.scaling.type"), "linear")
        floats["rope.scaling.factor"] = s["linear"]
    if "scaling" in s:
        writer.add_string(key("rope.scaling.type"), s["scaling"])
    for name, number in numbers.items():
        writer.add_uint32(key(name), number)
    for name, number in floats.items():
        writer.add_float32(key(name), number)
    add_vocabulary(writer, architecture)
    for name, data in tensors(architecture, s, np.random.default_rng(seed)):
        writer.add_tensor(name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make(folder, *names):
    """Writes the files of these architectures, or of all."""
    os.makedirs(folder, exist_ok=True)
    for architecture in names or MODELS:
        path = os.path.join(folder, f"{architecture}.gguf")
        # The first seed whose answer is decided clearly, does not end early and does not repeat one token.
        for seed in range(10_000):
            write(path, architecture, MODELS[architecture], seed)
            prompt = np.random.default_rng(seed + 1).integers(6, VOCAB, PROMPT).tolist()
            cases = {architecture: Model(path)}
            if architecture in LONG:
                cases[f"{architecture}-long"] = Model(path, LONG[architecture])
            answers = {name: greedy(model, prompt, ANSWER) for name, model in cases.items()}
            if all(margin > 0.05 and min(answer) > 5 and len(set(answer)) >= 5 for answer, margin in answers.values()):
                break
        for name, model in cases.items():
            answer, margin = answers[name]
            logits = forward(model, prompt)
            np.save(os.path.join(folder, f"{name}.npy"), logits)
            with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
                print(json.dumps({"prompt": prompt, "greedy": answer}), file=file)
            print(f"{name}: seed {seed}, logits {logits.std():.2f} around 0, closest choice {margin:.3f}")


def check(path, case, logits):
    model, case, want = Model(path), json.load(open(case, encoding="utf-8")), np.load(logits)
    got = forward(model, case["prompt"])
    print(f"largest difference of a logit: {np.abs(got - want).max():.1e}")
    answer, _ = greedy(model, case["prompt"], len(case["greedy"]))
    print("greedy tokens equal" if answer == case["greedy"] else f"greedy tokens differ: {answer}")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
