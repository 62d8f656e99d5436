"""Digests of images that Pillow resizes, for tests/it/senses/image.rs: `pip install pillow`, then run this."""

from PIL import Image

MASK = (1 << 64) - 1
SIZES = [
    ((37, 23), (48, 96)),
    ((200, 131), (96, 48)),
    ((48, 50), (48, 144)),
    ((300, 7), (48, 48)),
    ((5, 3), (96, 48)),
    ((97, 400), (144, 400)),
]


def noise(n):
    state, out = 1, bytearray()
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        out.append(state >> 56)
    return bytes(out)


def fnv(data):
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & MASK
    return digest


for source, target in SIZES:
    image = Image.frombytes("RGB", source, noise(3 * source[0] * source[1]))
    data = image.resize(target, Image.Resampling.BICUBIC).tobytes()
    print(f"    ({source}, {target}, 0x{fnv(data):016x}),")
