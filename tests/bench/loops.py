"""The machine's loop loads on asyncio itself: prints milliseconds of processor time, the fastest of three runs."""
import asyncio
import json
import sys
import time

PENDING = 100_000


async def nothing():
    return None


async def tasks(size):
    await asyncio.gather(*[asyncio.create_task(nothing()) for _ in range(size)])


async def sleeper(number, times):
    word = number * 0x9E3779B97F4A7C15 % 2**64 | 1
    for _ in range(times):
        word = (word * 6364136223846793005 + 1) % 2**64
        await asyncio.sleep((1 + (word >> 40)) / 1e9)


async def timers(size):
    loop = asyncio.get_running_loop()
    all_fired = loop.create_future()
    pending = PENDING

    def again(word, left):
        nonlocal pending
        if left:
            word = (word * 6364136223846793005 + 1) % 2**64
            loop.call_later((1 + (word >> 40)) / 1e9, again, word, left - 1)
            return
        pending -= 1
        if not pending:
            all_fired.set_result(None)

    for number in range(PENDING):
        again(number * 0x9E3779B97F4A7C15 % 2**64 | 1, size // PENDING)
    await all_fired


async def sleeps(size):
    sleepers = (sleeper(number, size // PENDING) for number in range(PENDING))
    await asyncio.gather(*[asyncio.create_task(each) for each in sleepers])


async def request():
    await asyncio.sleep(0.2)


async def fan_out(size):
    await asyncio.gather(*[asyncio.create_task(request()) for _ in range(size)])


def fastest(load, size, repeats):
    samples = []
    for _ in range(repeats):
        start = time.process_time()
        asyncio.run(load(size))
        samples.append((time.process_time() - start) * 1000)
    return min(samples)


sizes = json.loads(sys.argv[1])
loads = {"tasks": (tasks, 3), "timers": (timers, 1), "sleeps": (sleeps, 1), "fan-out": (fan_out, 3)}
print(json.dumps({name: fastest(load, sizes[name], repeats) for name, (load, repeats) in loads.items()}))
