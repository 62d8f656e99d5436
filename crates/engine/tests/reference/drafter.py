"""Reference drafts of Gemma 4's MTP drafter from Hugging Face `transformers`, for tests/it/mtp.rs.

    python drafter.py OUT
    RECKON_DRAFTER_CASES=OUT cargo test --release -p reckon-engine --test it mtp::reference -- --nocapture

Needs `transformers` (5.22 or later), `torch` and `gguf`. Makes a tiny Gemma 4 and two drafters for it, with random
weights, and writes them to OUT as GGUF: one drafter with the whole head, one with a shortlist by centroids (its ordering
once as integers, once as floats: both are in use). Every weight that is usually 1 is random too, so that an omission
shows. The drafts are made by transformers' own candidate generator, which decides on positions, masks and what is fed
back; what its steps computed is written to OUT/cases.json.
"""

import json
import os
import sys

import gguf
import numpy as np
import torch
from transformers import Gemma4AssistantConfig, Gemma4AssistantForCausalLM, Gemma4ForCausalLM, Gemma4TextConfig
from transformers.generation.candidate_generator import SinglePositionMultiTokenCandidateGenerator

VOCAB = 384
WINDOW = 8
DIMS = {"sliding_attention": 32, "full_attention": 64}
STEPS = 6
LENGTHS = {"one": 1, "short": 5, "window": WINDOW, "over": WINDOW + 1, "beyond": WINDOW + 2, "long": 37}
KINDS = {True: "sliding_attention", False: "full_attention"}
# The last own layer of each kind is not the last own layer but one: layers 1 (full) and 3 (sliding).
TARGET = [True, False, True, True, True, False]
DRAFTER = [True, True, True, False]
CENTROIDS, TOP = 24, 4

LAYER = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm", "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "post_ffw_norm": "post_feedforward_layernorm", "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection", "post_norm": "post_per_layer_input_norm", "layer_output_scale": "layer_scalar",
}  # fmt: skip
GLOBAL = {
    "token_embd": "model.embed_tokens", "output_norm": "model.norm",
    "per_layer_token_embd": "model.embed_tokens_per_layer", "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm", "nextn.pre_projection": "pre_projection",
    "nextn.post_projection": "post_projection",
}  # fmt: skip


def text_config(sliding, width, **more):
    return Gemma4TextConfig(
        vocab_size=VOCAB, hidden_size=width, num_hidden_layers=len(sliding), num_attention_heads=4,
        num_key_value_heads=2, head_dim=DIMS["sliding_attention"], global_head_dim=DIMS["full_attention"],
        sliding_window=WINDOW, layer_types=[KINDS[s] for s in sliding], attn_implementation="eager", **more,
    )  # fmt: skip


def randomise(model):
    """Matrices keep the size of what goes through them; what multiplies directly lies around 1.

    Queries and keys are smaller: as large as they come, a random model magnifies rounding until nothing can be compared.
    """
    for name, weight in list(model.named_parameters()) + list(model.named_buffers()):
        if name.endswith(("inv_freq", "embed_scale", "token_ordering")):
            continue
        if weight.dim() < 2:
            size = 0.35 if name.endswith(("q_norm.weight", "k_norm.weight")) else 1.0
            weight.data = torch.empty_like(weight).uniform_(0.6, 1.4) * size
        else:
            weight.data = torch.randn_like(weight) * weight.shape[-1] ** -0.5


def add_vocabulary(writer):
    control = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>", "<|channel>", "<channel|>"]
    pieces = [f"<0x{b:02X}>" for b in range(256)] + ["▁"] + [chr(c) for c in range(33, 127)]
    tokens = (control + pieces + [f"<unused{i}>" for i in range(VOCAB)])[:VOCAB]
    kinds = [6 if t.startswith("<0x") else 3 if t in control or t.startswith("<unused") else 1 for t in tokens]
    writer.add_tokenizer_model("gemma4")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(i) for i in range(VOCAB)])
    writer.add_token_types(kinds)
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(3)


def write(path, architecture, model, config, more, ordering=None):
    writer = gguf.GGUFWriter(path, architecture)
    key = lambda name: f"{architecture}.{name}"
    sliding = [kind == "sliding_attention" for kind in config.layer_types]
    weights = {name: w.detach().float().numpy() for name, w in model.state_dict().items()}
    numbers = {
        "block_count": len(sliding), "context_length": 4096, "embedding_length": config.hidden_size,
        "attention.head_count": 4, "attention.head_count_kv": 2, "attention.key_length": DIMS["full_attention"],
        "attention.value_length": DIMS["full_attention"], "attention.key_length_swa": DIMS["sliding_attention"],
        "attention.value_length_swa": DIMS["sliding_attention"], "attention.sliding_window": WINDOW,
        "attention.shared_kv_layers": config.num_kv_shared_layers, "rope.dimension_count": DIMS["full_attention"],
        "rope.dimension_count_swa": DIMS["sliding_attention"], **more,
    }  # fmt: skip
    for name, number in numbers.items():
        writer.add_uint32(key(name), number)
    writer.add_array(key("attention.sliding_window_pattern"), sliding)
    writer.add_array(
        key("feed_forward_length"), [len(weights[f"model.layers.{i}.mlp.up_proj.weight"]) for i in range(len(sliding))]
    )
    writer.add_float32(key("attention.layer_norm_rms_epsilon"), config.rms_norm_eps)
    writer.add_float32(key("rope.freq_base"), 1e6)
    writer.add_float32(key("rope.freq_base_swa"), 1e4)
    if config.final_logit_softcapping:
        writer.add_float32(key("final_logit_softcapping"), config.final_logit_softcapping)
    add_vocabulary(writer)

    pairs = DIMS["full_attention"] // 2
    writer.add_tensor("rope_freqs.weight", np.array([1.0] * (pairs // 4) + [1e30] * (pairs - pairs // 4), np.float32))
    named = {ours: theirs for ours, theirs in GLOBAL.items()}
    named |= {f"blk.{i}.{ours}": f"model.layers.{i}.{theirs}" for i in range(len(sliding)) for ours, theirs in LAYER.items()}
    for ours, theirs in named.items():
        found = [weights[name] for name in (f"{theirs}.weight", theirs) if name in weights]
        if found:
            writer.add_tensor(f"{ours}.weight", found[0])
    if ordering is not None:
        writer.add_tensor("masked_embd_centroids.weight", weights["masked_embedding.centroids.weight"])
        writer.add_tensor("masked_embd_ordering", weights["masked_embedding.token_ordering"].astype(ordering))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def drafts(target, drafter, prompt, chosen):
    """What the drafter guesses after `prompt` and the token `chosen` after it, and how it got there."""
    steps = []
    hook = drafter.register_forward_hook(lambda _model, _args, out: steps.append(out))
    ids = torch.tensor([prompt])
    with torch.no_grad():
        out = target(ids, use_cache=False, output_hidden_states=True, return_shared_kv_states=True)
        last = target.model(ids, use_cache=False).last_hidden_state
    assert torch.equal(out.hidden_states[-1], last), "what is handed over comes after the last norm"
    settings = target.generation_config
    settings.max_length = 1000
    drafter.generation_config.num_assistant_tokens = STEPS
    generator = SinglePositionMultiTokenCandidateGenerator(drafter, target.get_input_embeddings(), settings)
    with torch.no_grad():
        found, _ = generator.get_candidates(
            torch.tensor([prompt + [chosen]]), {}, out, is_first_iteration=False, n_last_matches=0
        )
    hook.remove()
    return {
        "prompt": prompt,
        "chosen": chosen,
        "tokens": found[0, len(prompt) + 1 :].tolist(),
        "logits": [step.logits[0, 0].tolist() for step in steps],
        "states": [step.last_hidden_state[0, 0].tolist() for step in steps],
    }


def main(out):
    torch.manual_seed(4)
    os.makedirs(out, exist_ok=True)
    config = text_config(
        TARGET, 128, intermediate_size=192, use_double_wide_mlp=True, num_kv_shared_layers=2,
        hidden_size_per_layer_input=32, vocab_size_per_layer_input=VOCAB, final_logit_softcapping=30.0,
    )  # fmt: skip
    target = Gemma4ForCausalLM(config).eval()
    randomise(target)
    write(f"{out}/target.gguf", "gemma4", target, config, {"embedding_length_per_layer_input": 32})
    target = target.double()
    cases = []
    for name in ["full", "shortlist"]:
        text = text_config(
            DRAFTER, 64, intermediate_size=160, num_kv_shared_layers=len(DRAFTER), hidden_size_per_layer_input=0,
            vocab_size_per_layer_input=0,
        )  # fmt: skip
        short = name == "shortlist"
        drafter = Gemma4AssistantForCausalLM(
            Gemma4AssistantConfig(
                text_config=text, backbone_hidden_size=128, use_ordered_embeddings=short, num_centroids=CENTROIDS,
                centroid_intermediate_top_k=TOP, attn_implementation="eager",
            )
        ).eval()  # fmt: skip
        randomise(drafter)
        drafter.tie_weights()
        if short:
            drafter.masked_embedding.token_ordering.copy_(torch.randperm(VOCAB))
        more = {"embedding_length_out": 128, "nextn_predict_layers": len(DRAFTER)}
        more |= {"masked_embedding.top_k": TOP} if short else {}
        for kind, suffix in [(np.int32, ""), (np.float32, "-floats")] if short else [(None, "")]:
            write(f"{out}/{name}{suffix}.gguf", "gemma4-assistant", drafter, text, more, kind)
        for label, length in LENGTHS.items():
            prompt = torch.randint(0, VOCAB, (length,)).tolist()
            chosen = int(torch.randint(0, VOCAB, ()))
            case = drafts(target, drafter.double(), prompt, chosen)
            cases.append({"name": f"{name}, {label}", "drafter": name, **case})
            gaps = [np.subtract(*np.sort(row)[-1:-3:-1]) for row in case["logits"]]
            print(f"{name}, {label}: {case['tokens']}, closest call {min(gaps):.3f}")
    json.dump({"cases": cases}, open(f"{out}/cases.json", "w", encoding="utf-8"))


main(*sys.argv[1:])
