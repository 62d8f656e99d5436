"""Tiny random models of Hugging Face `transformers`, as GGUF files with their logits in double precision; for tests/it/forward.rs.

    python dense.py OUT [SEED]
    RECKON_FORWARD_CASES=OUT cargo test -p reckon-engine --test it forward:: -- --nocapture

Needs `torch`, `transformers`, `numpy` and `gguf`. Keys and tensors are named as llama.cpp's converters name them. Each case
also says by how much `forward.py` differs: `transformers` computes cosine and sine in single precision.
"""

import json
import math
import os
import sys

import forward
import gguf
import numpy as np
import torch
import transformers

PROMPT, ANSWER, CONTEXT = 40, 12, 128
SHAPE = dict(
    vocab_size=forward.VOCAB, hidden_size=64, intermediate_size=96, num_attention_heads=4, num_key_value_heads=2, rms_norm_eps=forward.EPSILON,
    max_position_embeddings=CONTEXT, bos_token_id=None, eos_token_id=2, pad_token_id=None, attn_implementation="eager",
)  # fmt: skip
PLAIN = {"rope_type": "default", "rope_theta": 1e4}
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 8.0, "original_max_position_embeddings": 16, "beta_fast": 2.0, "beta_slow": 0.05}
MISTRAL = YARN | {"mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}
LONG = {
    "rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 32, "factor": 4.0, "partial_rotary_factor": 0.75,
    "short_factor": [1.0, 1.1, 1.2, 1.4, 1.7, 2.0], "long_factor": [1.0, 2.0, 4.0, 7.0, 11.0, 16.0],
}  # fmt: skip
GRANITE = dict(embedding_multiplier=12.0, residual_multiplier=0.22, attention_multiplier=0.0625, logits_scaling=0.25, tie_word_embeddings=False)

# Architecture, class, settings, tokens of the prompt.
CASES = {
    "granite": ("granite", "Granite", dict(num_hidden_layers=3, rope_parameters=PLAIN, **GRANITE), PROMPT),
    "smollm3": ("smollm3", "SmolLM3", dict(num_hidden_layers=9, rope_parameters=PLAIN, no_rope_layer_interval=4), PROMPT),
    "smollm3-yarn": ("smollm3", "SmolLM3", dict(num_hidden_layers=5, rope_parameters=YARN, no_rope_layer_interval=4), PROMPT),
    # `transformers` takes the long factors as soon as a prompt is longer than the original context.
    "phi3-long": ("phi3", "Phi3", dict(num_hidden_layers=3, rope_parameters=LONG, original_max_position_embeddings=32, sliding_window=11), PROMPT),
    "phi3-short": ("phi3", "Phi3", dict(num_hidden_layers=3, rope_parameters=LONG, original_max_position_embeddings=32, sliding_window=None), 20),
    "mistral3": ("mistral3", "Ministral3", dict(num_hidden_layers=3, rope_parameters=MISTRAL, head_dim=32), PROMPT),
}  # fmt: skip
NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.qkv_proj": "attn_qkv",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}  # fmt: skip


def permute(weight, heads):
    """From halves (i, i + n/2) to neighbours (2i, 2i + 1)."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def add_rope(writer, architecture, config, dim):
    rope = config.rope_parameters
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_rope_dimension_count(int(dim * rope.get("partial_rotary_factor", 1.0)))
    original = rope.get("original_max_position_embeddings")
    if original:
        writer.add_rope_scaling_orig_ctx_len(original)
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
        writer.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
    if "llama_4_scaling_beta" in rope:
        writer.add_rope_scaling_yarn_log_mul(rope["mscale_all_dim"])
        writer.add_float32(f"{architecture}.attention.temperature_scale", rope["llama_4_scaling_beta"])
    if rope["rope_type"] == "longrope":
        growth = config.max_position_embeddings / original
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(growth) / math.log(original)))
        for size in ("long", "short"):
            writer.add_tensor(f"rope_factors_{size}.weight", np.array(rope[f"{size}_factor"], np.float32))


def write(path, architecture, model):
    config = model.config
    heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
    dim = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    add_rope(writer, architecture, config, dim)
    if architecture == "phi3":
        writer.add_sliding_window(config.sliding_window or 0)
    if architecture == "granite":
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    forward.add_vocabulary(writer, architecture)
    outer = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        data = tensor.float().numpy()
        if name in outer:
            writer.add_tensor(outer[name], data)
            continue
        _, _, layer, rest = name.split(".", 3)
        part, kind = rest.rsplit(".", 1)
        if part.endswith(("q_proj", "k_proj")) and architecture != "phi3":
            data = permute(data, heads if part.endswith("q_proj") else kv_heads)
        writer.add_tensor(f"blk.{layer}.{NAMES[part]}.{kind}", np.ascontiguousarray(data))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def greedy(model, prompt):
    """The answer up to a token that ends it, and by how much its closest choice was decided."""
    ids, margin = prompt, math.inf
    for _ in range(ANSWER):
        best = model(ids, use_cache=False).logits[0, -1].topk(2)
        margin = min(margin, (best.values[0] - best.values[1]).item())
        if best.indices[0] < 3:
            break
        ids = torch.cat([ids, best.indices[None, :1]], 1)
    return ids[0, prompt.shape[1] :].tolist(), margin


@torch.no_grad()
def main(out, seed=1):
    os.makedirs(out, exist_ok=True)
    torch.manual_seed(int(seed))
    for name, (architecture, family, settings, n) in CASES.items():
        config = getattr(transformers, f"{family}Config")(**SHAPE, **settings)
        model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
        for parameter, weight in model.named_parameters():
            around_one = "norm" in parameter
            weight.copy_(torch.rand_like(weight) * 0.8 + 0.6 if around_one else torch.randn_like(weight) * weight.shape[-1] ** -0.5)
        path = os.path.join(out, f"{name}.gguf")
        write(path, architecture, model)
        model = model.double()
        prompt = torch.randint(6, forward.VOCAB, (1, n))
        logits = model(prompt, use_cache=False).logits[0].numpy()
        answer, margin = greedy(model, prompt)
        np.save(os.path.join(out, f"{name}.npy"), logits)
        n_ctx = 32 if name == "phi3-short" else CONTEXT
        with open(os.path.join(out, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump({"n_ctx": n_ctx, "prompt": prompt[0].tolist(), "greedy": answer}, file)
        apart = np.abs(forward.forward(forward.Model(path, n_ctx), prompt[0].tolist()) - logits).max()
        print(f"{name}: logits {logits.std():.2f} around 0, closest choice {margin:.3f}, forward.py differs by {apart:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
