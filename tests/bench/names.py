"""The workload `names` in Python, timed: prints the fastest of three runs in milliseconds, and the count."""
import math
import random
import sys
import time

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def flagged(seed, size):
    source = random.Random(seed)
    found = 0
    for _ in range(size):
        name = source.choices(ALPHABET, k=16)
        bits = 0.0
        for character in set(name):
            share = name.count(character) / 16
            bits -= share * math.log2(share)
        if bits > 3.6:
            found += 1
    return found


best = math.inf
for _ in range(3):
    start = time.perf_counter()
    count = flagged(1, int(sys.argv[1]))
    best = min(best, (time.perf_counter() - start) * 1000)
print(best, count)
