"""Tiny mixtures of experts and gated delta layers, and what came with them, made with Hugging Face `transformers`; for tests/it/forward.rs.

    python experts.py ../data/forward [NAME...]    the committed files: matrices are halves
    python experts.py FOLDER --f32                 the same models with full floats, to compare by hand

Needs `torch`, `transformers`, `numpy` and `gguf`. The models are random; what is usually 1 or 0 (norms, biases, scales,
sinks) is random too, so that an omission shows. Logits are computed in double precision: `transformers` computes norms
and routers in single precision by name, so the names are made to mean doubles before it is loaded.
The first seed is taken whose answer and whose choices of experts are decided clearly.
"""

import json
import os
import sys

import gguf
import numpy as np
import torch

from forward import ANSWER, CONTEXT, PROMPT, VOCAB, add_vocabulary

torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double
torch.set_default_dtype(torch.float64)

from transformers import Gemma4ForCausalLM, Gemma4TextConfig, GptOssConfig, GptOssForCausalLM  # noqa: E402
from transformers import Qwen2MoeConfig, Qwen2MoeForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM  # noqa: E402
from transformers import Qwen3_5ForCausalLM, Qwen3_5MoeForCausalLM, Qwen3_5MoeTextConfig, Qwen3_5TextConfig  # noqa: E402

SHAPE = dict(
    vocab_size=VOCAB, hidden_size=16, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=CONTEXT, rms_norm_eps=1e-6, attn_implementation="eager", experts_implementation="eager",
    pad_token_id=None, bos_token_id=None, eos_token_id=None,
)  # fmt: skip
WINDOW = 7
# Like the 26B and the 31B: full layers have fewer KV heads, larger ones, and keys for values.
GEMMA = SHAPE | dict(
    intermediate_size=32, attention_k_eq_v=True, num_global_key_value_heads=1, global_head_dim=32, sliding_window=WINDOW,
    hidden_size_per_layer_input=0, num_kv_shared_layers=0, final_logit_softcapping=30.0,
    layer_types=["sliding_attention", "sliding_attention", "full_attention"],
    rope_parameters={
        "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    },
)  # fmt: skip
# Two value heads for each key head, so that their order shows.
DELTA = SHAPE | dict(
    num_hidden_layers=4, linear_conv_kernel_dim=4, linear_key_head_dim=16, linear_value_head_dim=16, linear_num_key_heads=2,
    linear_num_value_heads=4, tie_word_embeddings=False,
    rope_parameters={"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.25},
)  # fmt: skip
SHARED = dict(moe_intermediate_size=16, shared_expert_intermediate_size=32, num_experts=8, num_experts_per_tok=3)
# Name of the files: class, config, GGUF architecture.
MODELS = {
    "qwen3moe": (
        Qwen3MoeForCausalLM,
        Qwen3MoeConfig(
            **SHAPE, intermediate_size=48, moe_intermediate_size=16, num_experts=8, num_experts_per_tok=3, norm_topk_prob=True,
            tie_word_embeddings=False, rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        ),
        "qwen3moe",
    ),
    "gemma4-moe": (
        Gemma4ForCausalLM,
        Gemma4TextConfig(**GEMMA, moe_intermediate_size=16, num_experts=8, top_k_experts=3, enable_moe_block=True),
        "gemma4",
    ),
    "gemma4-31b": (Gemma4ForCausalLM, Gemma4TextConfig(**GEMMA), "gemma4"),
    "gpt-oss": (
        GptOssForCausalLM,
        GptOssConfig(
            **SHAPE, intermediate_size=16, num_local_experts=8, num_experts_per_tok=3, sliding_window=WINDOW,
            rope_parameters={"rope_type": "default", "rope_theta": 150000.0},
        ),
        "gpt-oss",
    ),
    "qwen2moe": (
        Qwen2MoeForCausalLM,
        Qwen2MoeConfig(
            **SHAPE, **SHARED, intermediate_size=48, norm_topk_prob=False,
            qkv_bias=True, tie_word_embeddings=False, rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        ),
        "qwen2moe",
    ),
    # A delta layer comes last, which no published model has.
    "qwen35": (Qwen3_5ForCausalLM, Qwen3_5TextConfig(**(DELTA | dict(num_hidden_layers=5)), intermediate_size=48), "qwen35"),
    "qwen35moe": (Qwen3_5MoeForCausalLM, Qwen3_5MoeTextConfig(**DELTA, **SHARED), "qwen35moe"),
}  # fmt: skip

# Ends of tensor names, theirs to ours; matrices of experts are cut below.
NAMES = {
    "input_layernorm.weight": "attn_norm.weight", "self_attn.sinks": "attn_sinks.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.up_proj.weight": "ffn_up.weight", "mlp.down_proj.weight": "ffn_down.weight",
    "mlp.gate.weight": "ffn_gate_inp.weight", "mlp.router.weight": "ffn_gate_inp.weight", "mlp.router.bias": "ffn_gate_inp.bias",
    "router.proj.weight": "ffn_gate_inp.weight", "router.scale": "ffn_gate_inp.scale",
    "router.per_expert_scale": "ffn_down_exps.scale", "layer_scalar": "layer_output_scale.weight",
    "pre_feedforward_layernorm.weight": "ffn_norm.weight", "post_feedforward_layernorm.weight": "post_ffw_norm.weight",
    "pre_feedforward_layernorm_2.weight": "pre_ffw_norm_2.weight",
    "post_feedforward_layernorm_1.weight": "post_ffw_norm_1.weight",
    "post_feedforward_layernorm_2.weight": "post_ffw_norm_2.weight",
    "mlp.shared_expert_gate.weight": "ffn_gate_inp_shexp.weight",
    "linear_attn.A_log": "ssm_a", "linear_attn.dt_bias": "ssm_dt.bias", "linear_attn.conv1d.weight": "ssm_conv1d.weight",
    "linear_attn.norm.weight": "ssm_norm.weight", "linear_attn.out_proj.weight": "ssm_out.weight",
    "linear_attn.in_proj_qkv.weight": "attn_qkv.weight", "linear_attn.in_proj_z.weight": "attn_gate.weight",
    "linear_attn.in_proj_a.weight": "ssm_alpha.weight", "linear_attn.in_proj_b.weight": "ssm_beta.weight",
}  # fmt: skip
for part in ("gate", "up", "down"):
    NAMES[f"mlp.shared_expert.{part}_proj.weight"] = f"ffn_{part}_shexp.weight"
for theirs, ours in {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"}.items():
    NAMES |= {f"self_attn.{theirs}.{end}": f"{ours}.{end}" for end in ("weight", "bias")}
for theirs in ("q", "k"):
    NAMES[f"self_attn.{theirs}_norm.weight"] = f"attn_{theirs}_norm.weight"


def randomize(model, seed, half):
    """Matrices as large as what goes through them, the rest around 1 (norms, scales) or 0 (biases, sinks)."""
    random = np.random.default_rng(seed)
    for name, tensor in list(model.named_parameters()) + [(n, b) for n, b in model.named_buffers() if "layer_scalar" in n]:
        shape = tuple(tensor.shape)
        if len(shape) > 1 and not name.endswith("bias"):
            # gpt-oss stores the matrices of its experts transposed.
            cols = shape[-2] if "GptOss" in type(model).__name__ and "experts" in name else shape[-1]
            # Scores of a router lie apart, or every choice would be close.
            size = 1.0 if "router" in name else 0.5 if "mlp.gate.weight" in name else cols**-0.5
            value = random.standard_normal(shape) * size
            value = value.astype(np.float16 if half else np.float32)
        elif "bias" in name or "sinks" in name:
            value = (random.standard_normal(shape) * 0.5).astype(np.float32)
        elif name.endswith("A_log"):
            # From heads that forget within a few tokens to those that hardly do.
            value = random.uniform(-4, 0, shape).astype(np.float32)
        else:
            # Queries and keys are kept small: sharp attention magnifies rounding until nothing can be compared.
            size = {"q_norm": 0.5, "k_norm": 0.5, "router.scale": 4.0}
            size = next((s for part, s in size.items() if part in name), 2.0 if name == "model.norm.weight" else 1.0)
            value = (random.uniform(0.6, 1.4, shape) * size).astype(np.float32)
            # These norms are stored less one.
            if "Qwen3_5" in type(model).__name__ and "linear_attn" not in name:
                value -= np.float32(1)
        tensor.data.copy_(torch.from_numpy(value.astype(np.float64)))


def converted(name, data, c):
    """A tensor of Qwen 3.5 as llama.cpp's converter writes it: value heads in an order in which their key heads go round."""
    if name.endswith("norm.weight") and "linear_attn" not in name:
        return data + 1
    if "linear_attn" not in name or name.endswith("norm.weight"):
        return data
    keys, values, dim = c.linear_num_key_heads, c.linear_num_value_heads, c.linear_value_head_dim
    order = np.arange(values).reshape(keys, -1).T.reshape(-1)
    rows = (order[:, None] * dim + np.arange(dim)).reshape(-1)
    if name.endswith(("A_log", "dt_bias", "in_proj_a.weight", "in_proj_b.weight")):
        return (-np.exp(data) if name.endswith("A_log") else data)[order]
    if name.endswith("in_proj_z.weight"):
        return data[rows]
    if name.endswith("out_proj.weight"):
        return data[:, rows]
    first = 2 * keys * c.linear_key_head_dim
    data = np.concatenate([data[:first], data[first:][rows]])
    return data.reshape(len(data), -1)


def tensors(model, architecture, matrix):
    """Name and array of every tensor."""
    state = {name.removeprefix("model."): t.detach().numpy() for name, t in model.state_dict().items()}
    norm = "ffn_norm" if architecture in ("qwen2moe", "qwen3moe") else "post_attention_norm"
    names = NAMES | {"post_attention_layernorm.weight": f"{norm}.weight"}
    for name, data in state.items():
        if architecture.startswith("qwen35"):
            data = converted(name, data, model.config)
        if name in ("embed_tokens.weight", "lm_head.weight", "norm.weight"):
            ours = {"embed_tokens.weight": "token_embd", "lm_head.weight": "output", "norm.weight": "output_norm"}[name]
            if not (ours == "output" and architecture == "gemma4"):
                yield f"{ours}.weight", data.astype(matrix if data.ndim > 1 else np.float32)
            continue
        _, layer, part = name.split(".", 2)
        if part in names:
            floats = data.ndim == 1 or "gate_inp" in names[part] or "conv1d" in part
            yield f"blk.{layer}.{names[part]}", data.astype(np.float32 if floats else matrix)
            continue
        part = part.removeprefix("mlp.").removeprefix("experts.")
        oss, name = architecture == "gpt-oss", lambda ours: f"blk.{layer}.ffn_{ours}"
        if part == "down_proj":
            yield name("down_exps.weight"), (data.swapaxes(1, 2) if oss else data).astype(matrix)
        elif part == "gate_up_proj" and architecture == "gemma4":
            yield name("gate_up_exps.weight"), data.astype(matrix)
        elif part == "gate_up_proj":
            data = data.swapaxes(1, 2) if oss else data
            half = data.shape[1] // 2
            gate, up = (data[:, ::2], data[:, 1::2]) if oss else (data[:, :half], data[:, half:])
            yield name("gate_exps.weight"), np.ascontiguousarray(gate).astype(matrix)
            yield name("up_exps.weight"), np.ascontiguousarray(up).astype(matrix)
        elif part == "gate_up_proj_bias":
            yield name("gate_exps.bias"), np.ascontiguousarray(data[:, ::2]).astype(np.float32)
            yield name("up_exps.bias"), np.ascontiguousarray(data[:, 1::2]).astype(np.float32)
        elif part == "down_proj_bias":
            yield name("down_exps.bias"), data.astype(np.float32)
        else:
            raise SystemExit(f"nobody reads {part}")
    if architecture == "gemma4":
        yield "rope_freqs.weight", np.array([1.0] * 4 + [1e30] * 12, np.float32)


def write(path, model, architecture, matrix):
    c, writer = model.config, gguf.GGUFWriter(path, architecture)
    numbers = {
        "block_count": c.num_hidden_layers, "context_length": CONTEXT, "embedding_length": c.hidden_size,
        "feed_forward_length": getattr(c, "intermediate_size", 0), "attention.head_count": c.num_attention_heads,
    }  # fmt: skip
    if getattr(c, "num_experts", None):
        numbers |= {
            "expert_count": c.num_experts,
            "expert_used_count": getattr(c, "top_k_experts", None) or c.num_experts_per_tok,
            "expert_feed_forward_length": getattr(c, "moe_intermediate_size", None) or c.intermediate_size,
        }
    floats = {"attention.layer_norm_rms_epsilon": c.rms_norm_eps}
    key = lambda name: f"{architecture}.{name}"
    if architecture == "gemma4":
        numbers |= {
            "attention.key_length": 32, "attention.key_length_swa": 16, "rope.dimension_count": 32,
            "rope.dimension_count_swa": 16, "attention.shared_kv_layers": 0, "embedding_length_per_layer_input": 0,
        }  # fmt: skip
        floats |= {"rope.freq_base": 1e6, "rope.freq_base_swa": 1e4, "final_logit_softcapping": 30.0}
        writer.add_array(key("attention.sliding_window_pattern"), [True, True, False])
        writer.add_array(key("attention.head_count_kv"), [2, 2, 1])
    else:
        numbers |= {"attention.head_count_kv": c.num_key_value_heads, "attention.key_length": 16, "rope.dimension_count": 16}
        floats["rope.freq_base"] = c.rope_parameters["rope_theta"]
    if hasattr(c, "linear_num_key_heads"):
        numbers |= {
            "ssm.conv_kernel": c.linear_conv_kernel_dim, "ssm.state_size": c.linear_key_head_dim,
            "ssm.group_count": c.linear_num_key_heads, "ssm.time_step_rank": c.linear_num_value_heads,
            "ssm.inner_size": c.linear_num_value_heads * c.linear_value_head_dim, "full_attention_interval": 4,
            "rope.dimension_count": 4,
        }  # fmt: skip
    if hasattr(c, "shared_expert_intermediate_size"):
        numbers["expert_shared_feed_forward_length"] = c.shared_expert_intermediate_size
    if "qwen" not in architecture:
        numbers["attention.sliding_window"] = WINDOW
    for name, number in numbers.items():
        writer.add_uint32(key(name), number)
    for name, number in floats.items():
        writer.add_float32(key(name), number)
    add_vocabulary(writer, architecture)
    for name, data in tensors(model, architecture, matrix):
        writer.add_tensor(name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def watch_routers(model, top, gaps):
    """Notes by how much each choice of experts was decided: the least of what was taken over the best of what was not."""

    def note(_, __, out):
        # Routers give probabilities (their ratio is a difference of scores) or scores first.
        scores = out[0].log() if "Gemma4" in type(model).__name__ else out[0]
        scores = scores.sort(dim=-1, descending=True).values
        gaps.append((scores[:, top - 1] - scores[:, top]).min().item())

    for name, module in model.named_modules():
        if name.endswith("router") or name.endswith("mlp.gate"):
            module.register_forward_hook(note)


def greedy(model, tokens, count):
    tokens, margin = list(tokens), np.inf
    for _ in range(count):
        last = model(torch.tensor([tokens]), use_cache=False).logits[0, -1].numpy()
        margin = min(margin, np.diff(np.sort(last)[-2:])[0])
        tokens.append(int(last.argmax()))
    return tokens[-count:], margin


@torch.no_grad()
def make(folder, half, only):
    os.makedirs(folder, exist_ok=True)
    for name, (kind, config, architecture) in MODELS.items():
        if only and name not in only:
            continue
        model, gaps = kind(config).eval(), []
        watch_routers(model, 3, gaps)
        for seed in range(10_000):
            gaps.clear()
            randomize(model, seed, half)
            prompt = np.random.default_rng(seed + 1).integers(6, VOCAB, PROMPT).tolist()
            logits = model(torch.tensor([prompt]), use_cache=False).logits[0].numpy()
            if min(gaps, default=1.0) < 2e-3:
                continue
            answer, margin = greedy(model, prompt, ANSWER)
            if min(gaps, default=1.0) > 2e-3 and margin > 0.05 and min(answer) > 5 and len(set(answer)) >= 5:
                break
        assert logits.dtype == np.float64
        write(os.path.join(folder, f"{name}.gguf"), model, architecture, np.float16 if half else np.float32)
        np.save(os.path.join(folder, f"{name}.npy"), logits)
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            print(json.dumps({"prompt": prompt, "greedy": answer}), file=file)
        print(f"{name}: seed {seed}, logits {logits.std():.2f} around 0, closest choice {margin:.3f}, of experts {min(gaps, default=1.0):.4f}")


if __name__ == "__main__":
    make(sys.argv[1], "--f32" not in sys.argv, [name for name in sys.argv[2:] if name != "--f32"])
