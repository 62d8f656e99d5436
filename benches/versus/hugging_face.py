"""Hugging Face transformers in bf16 on a prompt of 512 tokens and Gemma 4 E2B's shapes, random weights, two threads.

Needs torch and transformers. Reads a line, reads the prompt once, prints tokens per second; so another program can take
turns with it. "last" asks for the last token's logits only, anything else for all.
"""

import sys
import time

import torch
from transformers import Gemma4ForCausalLM, Gemma4TextConfig

LAYERS, VOCABULARY, PROMPT = 35, 262144, 512

torch.set_num_threads(2)
torch.set_default_dtype(torch.bfloat16)
config = Gemma4TextConfig(
    vocab_size=VOCABULARY,
    vocab_size_per_layer_input=VOCABULARY,
    hidden_size=1536,
    intermediate_size=6144,
    num_hidden_layers=LAYERS,
    num_attention_heads=8,
    num_key_value_heads=1,
    head_dim=256,
    global_head_dim=512,
    hidden_size_per_layer_input=256,
    num_kv_shared_layers=20,
    sliding_window=512,
    layer_types=["full_attention" if (i + 1) % 5 == 0 else "sliding_attention" for i in range(LAYERS)],
    use_double_wide_mlp=True,
    final_logit_softcapping=30.0,
    tie_word_embeddings=True,
    attn_implementation="sdpa",
)
with torch.device("meta"):
    model = Gemma4ForCausalLM(config)
model = model.to_empty(device="cpu").eval()
with torch.no_grad():
    for weight in model.parameters():
        # Large tables take long to fill at random, and speed does not depend on what is in them.
        weight.fill_(0.01) if weight.numel() > 5e7 else weight.normal_(0, 0.02)
for module in model.modules():
    # What a rotation is made of was not filled.
    if "Rotary" in type(module).__name__:
        module.__init__(config)

prompt = torch.randint(0, VOCABULARY, (1, PROMPT))
print("ready", flush=True)
with torch.inference_mode():
    for line in sys.stdin:
        wanted = {"logits_to_keep": 1} if line.strip() == "last" else {}
        start = time.perf_counter()
        model(prompt, use_cache=True, **wanted)
        print(f"{PROMPT / (time.perf_counter() - start):.1f}", flush=True)
