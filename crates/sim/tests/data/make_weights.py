#!/usr/bin/env python3
"""Makes `mlw.bin`: weights and what Vela's encoder makes of them.

Needs the Python package `ethos-u-vela` (written with 5.2.0). The file is a row of cases: number of weights and of
bytes (u32 each), the weights (i16), the bytes. All little-endian.
"""
import collections
import random
import struct
from pathlib import Path

from ethosu import mlw_codec

random.seed(20261201)


def clip(values):
    return [max(-255, min(255, int(v))) for v in values]


def cases():
    yield [0]
    yield [7]
    yield [0] * 5000
    yield [-3] * 300
    yield list(range(-255, 256))
    yield [random.choice((-1, 1)) for _ in range(500)]
    yield [random.choice((5, 9, -200)) for _ in range(500)]
    yield [random.randint(-255, 255) for _ in range(1500)]
    yield [random.randint(-127, 127) for _ in range(1500)]
    for bits in range(1, 8):
        values = random.sample(range(-255, 256), 1 << min(bits, 5))
        yield [random.choice(values) for _ in range(600)]
    for sigma in (0.5, 1, 2, 4, 8, 16, 32, 64):
        for zeros in (0, 0.3, 0.7, 0.95):
            yield clip(
                0 if random.random() < zeros else random.gauss(0, sigma) for _ in range(300)
            )
    # Long enough for several slices, with a change in the middle.
    yield clip([random.gauss(0, 3) for _ in range(2500)] + [random.gauss(40, 50) for _ in range(2500)])
    yield clip(
        [0 if random.random() < 0.9 else random.gauss(0, 20) for _ in range(6000)]
        + [random.randint(-255, 255) for _ in range(1500)]
    )
    yield [random.choice((0, 0, 0, 0, 0, 0, 0, 1)) for _ in range(3000)]
    # Vela's own order of magnitude: 8-bit weights less a zero point.
    yield clip(random.gauss(0, 30) for _ in range(2000))


out = bytearray()
seen = collections.Counter()
for weights in cases():
    coded = bytes(mlw_codec.encode(weights))
    decoded = mlw_codec.decode(bytearray(coded))
    assert list(decoded) == list(weights) or list(
        struct.unpack(f"<{len(decoded) // 2}h", bytes(decoded))
    ) == list(weights)
    bits = int.from_bytes(coded[:8], "little")
    seen[f"zdiv {bits & 7}"] += 1
    seen[f"wdiv {bits >> 18 & 7} trunc {bits >> 21 & 1}"] += 1
    seen[f"palette {bits >> 28 & 31}"] += 1
    out += struct.pack("<II", len(weights), len(coded))
    out += struct.pack(f"<{len(weights)}h", *weights) + coded
Path(__file__).with_name("mlw.bin").write_bytes(out)
print(len(out), "bytes")
for key in sorted(seen):
    print(key, seen[key])
