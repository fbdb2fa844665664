"""Runs the programs of three lessons on Python concurrency in small form, and prints a line for each figure that they
printed: its name and a number. The page of figures of the Concurrency Playground takes these lines in.

    python3 figures.py             everything, about two minutes
    python3 figures.py --quick     without what takes longer than a few seconds
    python3 figures.py --list      the programs by name
    python3 figures.py stall race  these programs only

It needs Python 3.9 or later and its standard library, talks to itself alone (one port of 127.0.0.1), and writes no file.
Lines that begin with # say what was left out, and why. Seconds are wall time, each program runs once.

A build with the interpreter lock prints the figures of such builds, a free-threaded one those of its own. Not here:
figures that no single run has, such as the mean over a suite of benchmarks.
"""

import argparse
import asyncio
import concurrent.futures
import hashlib
import math
import multiprocessing
import os
import platform
import random
import socket
import sys
import threading
import time

LOCKED = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether this Python has its interpreter lock on."""

INTERPRETERS = getattr(concurrent.futures, "InterpreterPoolExecutor", None)
"""A pool of interpreters in one process: Python 3.14 and later."""


class LeftOut(Exception):
    """Why a program cannot run on this Python."""


def timed(work):
    """How many seconds a call takes, and what it gives."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# ── Computing: the same tasks one after another, on threads, in processes, in interpreters

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def odd_names(seed, size=150_000):
    """How many of so many random names have more than 3.6 bits of entropy a character."""
    source = random.Random(seed)
    found = 0
    for _ in range(size):
        name = source.choices(ALPHABET, k=16)
        counts = [name.count(letter) / 16 for letter in set(name)]
        found += -sum(share * math.log2(share) for share in counts) > 3.6
    return found


def squares(size):
    total = 0
    for i in range(size):
        total += i * i
    return total


def modulo(size):
    total = 0
    for i in range(size):
        total += i * i % 7
    return total


def serial(function, inputs):
    return timed(lambda: [function(each) for each in inputs])[0]


def pooled(make_pool, workers, function, inputs):
    """With a pool whose workers are there already: starting them is another question."""
    with make_pool(workers) as pool:
        list(pool.map(time.sleep, [0.05] * workers))
        return timed(lambda: list(pool.map(function, inputs)))[0]


def threads(workers, function, inputs):
    return pooled(concurrent.futures.ThreadPoolExecutor, workers, function, inputs)


def processes(workers, function, inputs):
    return pooled(concurrent.futures.ProcessPoolExecutor, workers, function, inputs)


def interpreters(workers, function, inputs):
    if INTERPRETERS is None:
        raise LeftOut("interpreters in one process need Python 3.14")
    return pooled(INTERPRETERS, workers, function, inputs)


def names_program():
    work = (odd_names, range(8))
    if LOCKED:
        yield "A-cpu-serial", serial(*work)
        yield "A-cpu-threads", threads(4, *work)
        yield "A-cpu-processes", processes(4, *work)
        yield "A-cpu-interpreters", interpreters(4, *work)
    else:
        yield "A-cpu-ft-serial", serial(*work)
        yield "A-cpu-ft-threads", threads(4, *work)


def squares_program():
    with_lock()
    work = (squares, [3_000_000] * 4)
    base = serial(*work)
    yield "B-cpu-3m-serial", base
    yield "B-cpu-3m-threads", base / threads(4, *work)
    yield "B-cpu-3m-processes", base / processes(4, *work)


def long_squares_program():
    with_lock()
    work = (squares, [20_000_000] * 4)
    base = serial(*work)
    yield "B-cpu-20m-serial", base
    yield "B-cpu-20m-threads", base / threads(4, *work)
    yield "B-cpu-20m-processes", base / processes(4, *work)


def cold_pool_program():
    """The workers' start is part of it."""
    with_lock()

    def run():
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(4, mp_context=spawn) as pool:
            return list(pool.map(squares, [3_000_000] * 4))

    yield "B-cpu-cold", timed(run)[0]


def modulo_program():
    work = (modulo, [3_000_000] * 8)
    base = serial(*work)
    if LOCKED:
        yield "C-cpu-serial", base
        yield "C-cpu-threads", threads(8, *work)
        yield "C-cpu-processes", base / processes(8, *work)
        yield "C-cpu-interpreters", interpreters(8, *work)
    else:
        yield "C-cpu-ft-serial", base
        yield "C-cpu-ft-threads", base / threads(8, *work)
        yield "C-cpu-ft-interpreters", interpreters(8, *work)


def with_lock():
    if not LOCKED:
        raise LeftOut("the lesson ran it on a build with the interpreter lock")


# ── Hashing, which lets go of the lock for long inputs

def hash_long(buffer):
    digest = hashlib.sha256()
    for _ in range(8):
        digest.update(buffer)
    return digest.hexdigest()


def hash_short(message):
    for _ in range(400_000):
        hashlib.sha256(message)


def hashing_program():
    """Each task hashes 32 MiB eight times: as many bytes as the lesson's 256 MiB, in less memory."""
    with_lock()
    long, short = [bytes(32 * 1024 * 1024)] * 8, [bytes(64)] * 8
    alone = threads(1, hash_long, long)
    yield "A-hash-big-1", alone
    yield "A-hash-big-4", alone / threads(4, hash_long, long)
    yield "A-hash-small-4", threads(1, hash_short, short) / threads(4, hash_short, short)


# ── The event loop

async def nap(seconds):
    await asyncio.sleep(seconds)


async def scene_await():
    ticks = asyncio.create_task(nap(0.2))
    await asyncio.sleep(0.3)
    await ticks


async def scene_group():
    await asyncio.gather(nap(0.3), nap(0.1), nap(0.2))


async def scene_timeout():
    try:
        await asyncio.wait_for(nap(1), 0.1)
    except asyncio.TimeoutError:
        pass


async def scene_semaphore():
    places = asyncio.Semaphore(2)

    async def worker():
        async with places:
            await asyncio.sleep(0.2)

    await asyncio.gather(*[worker() for _ in range(6)])


async def lasting(scene):
    """Seconds of a scene, without the loop's own start and end."""
    start = time.perf_counter()
    await scene()
    return time.perf_counter() - start


def loop_program():
    yield "A-loop-await", asyncio.run(lasting(scene_await))
    yield "A-loop-group", asyncio.run(lasting(scene_group))
    yield "A-loop-timeout", asyncio.run(lasting(scene_timeout))
    yield "A-loop-semaphore", asyncio.run(lasting(scene_semaphore))


# ── Slow requests: a server in a process of its own answers each after as long as it was asked to wait

async def answer(reader, writer):
    milliseconds = int(await reader.readline())
    await asyncio.sleep(milliseconds / 1000)
    writer.write(b"ok\n")
    await writer.drain()
    writer.close()


def serve(ready):
    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


class Server:
    """`with Server() as port`: ends with the block."""

    def __enter__(self):
        here, there = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(there,), daemon=True)
        self.process.start()
        if not here.poll(20):
            raise LeftOut("the server did not start")
        return here.recv()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()


def fetch(port, milliseconds):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"%d\n" % milliseconds)
        return connection.recv(16)


def fetch_pair(pair):
    return fetch(*pair)


async def fetch_async(port, milliseconds):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"%d\n" % milliseconds)
    reply = await reader.readline()
    writer.close()
    return reply


def one_by_one(port, requests, milliseconds):
    return timed(lambda: [fetch(port, milliseconds) for _ in range(requests)])[0]


def on_threads(port, requests, milliseconds, workers):
    def run():
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(fetch_pair, [(port, milliseconds)] * requests))

    return timed(run)[0]


def as_tasks(port, requests, milliseconds, limit=None):
    async def run():
        places = asyncio.Semaphore(limit or requests)

        async def one():
            async with places:
                await fetch_async(port, milliseconds)

        await asyncio.gather(*[one() for _ in range(requests)])

    return asyncio.run(lasting(run))


def to_threads(port, requests, milliseconds, workers):
    """With as many workers as the lesson's machine had: by default they follow this one's processors."""

    async def run():
        pool = concurrent.futures.ThreadPoolExecutor(workers)
        asyncio.get_running_loop().set_default_executor(pool)
        await asyncio.gather(*[asyncio.to_thread(fetch, port, milliseconds) for _ in range(requests)])

    return asyncio.run(lasting(run))


def blocking_inside(port, requests, milliseconds):
    async def one():
        fetch(port, milliseconds)

    async def run():
        await asyncio.gather(*[one() for _ in range(requests)])

    return asyncio.run(lasting(run))


def requests_program():
    with_lock()
    with Server() as port:
        yield "A-fan-threads-20", on_threads(port, 200, 200, 20)
        yield "A-fan-threads-200", on_threads(port, 200, 200, 200)
        yield "A-fan-tasks", as_tasks(port, 200, 200)
        yield "A-fan-limit-20", as_tasks(port, 200, 200, limit=20)
        yield "A-fan-blocking", blocking_inside(port, 10, 200)
        yield "A-fan-to-thread", to_threads(port, 10, 200, workers=8)
        yield "B-io-serial", one_by_one(port, 20, 50)
        yield "B-io-threads", on_threads(port, 20, 50, 20)
        yield "B-io-to-thread", to_threads(port, 20, 50, workers=24)
        yield "C-io-threads-32", on_threads(port, 100, 100, 32)
        yield "C-io-tasks", as_tasks(port, 100, 100)

        def in_processes():
            with concurrent.futures.ProcessPoolExecutor(8) as pool:
                list(pool.map(fetch_pair, [(port, 100)] * 100))

        yield "C-io-processes-8", timed(in_processes)[0]


def requests_one_by_one_program():
    with_lock()
    with Server() as port:
        yield "C-io-serial", one_by_one(port, 100, 100)
        yield "A-fan-serial", one_by_one(port, 200, 200)


def workers_program():
    cores = os.cpu_count() or 1
    if cores != 4:
        raise LeftOut(f"the lesson’s machine had 4 processors, this one has {cores}")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        yield "A-to-thread-workers", pool._max_workers


# ── One blocking call

class Beats:
    """A heartbeat every 0.1 s, and the longest time without one."""

    def __init__(self):
        self.at = []

    async def run(self):
        while True:
            self.at.append(time.perf_counter())
            await asyncio.sleep(0.1)

    def longest_gap(self):
        return max(later - earlier for earlier, later in zip(self.at, self.at[1:]))


async def with_heartbeat(call):
    """Quiet, a call of 1.5 s that may take 0.5 s, quiet: the longest gap, and after how long the timeout fired."""
    beats = Beats()
    heart = asyncio.create_task(beats.run())
    await asyncio.sleep(0.3)
    start, fired = time.perf_counter(), None
    try:
        await asyncio.wait_for(call(), 0.5)
    except asyncio.TimeoutError:
        fired = time.perf_counter() - start
    await asyncio.sleep(0.3)
    heart.cancel()
    return beats.longest_gap(), fired


async def call_that_blocks():
    time.sleep(1.5)


async def call_in_a_thread():
    await asyncio.to_thread(time.sleep, 1.5)


def stall_program():
    gap, fired = asyncio.run(with_heartbeat(call_that_blocks))
    yield "A-stall-gap", gap
    yield "A-stall-timeout", int(fired is not None)
    seconds, (gap, fired) = timed(lambda: asyncio.run(with_heartbeat(call_in_a_thread)))
    yield "A-stall-thread-gap", gap
    if fired is not None:
        yield "A-stall-thread-timeout", fired
    yield "A-stall-thread-exit", seconds


async def ten(handler):
    await asyncio.gather(*[handler() for _ in range(10)])


async def handler_that_blocks():
    time.sleep(0.1)


def handlers_program():
    yield "C-block", asyncio.run(lasting(lambda: ten(handler_that_blocks)))
    yield "C-noblock", asyncio.run(lasting(lambda: ten(lambda: nap(0.1))))


def view_program():
    async def in_line():
        await nap(0.2)
        await nap(0.2)

    yield "C-view-one-by-one", asyncio.run(lasting(in_line))
    yield "C-view-at-once", asyncio.run(lasting(lambda: asyncio.gather(nap(0.2), nap(0.2))))


# ── A counter without a lock

class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()


def plus_one(value):
    return value + 1


def add_plain(counter, times):
    for _ in range(times):
        counter.value += 1


def add_with_call(counter, times):
    for _ in range(times):
        counter.value = plus_one(counter.value)


def add_wide(counter, times):
    for _ in range(times):
        value = counter.value
        time.sleep(0)
        counter.value = value + 1


def add_locked(counter, times):
    for _ in range(times):
        with counter.lock:
            counter.value += 1


def lost(add, n_threads, times):
    """How many additions are missing in the end."""
    counter, together = Counter(), threading.Barrier(n_threads)

    def run():
        together.wait()
        add(counter, times)

    racing = [threading.Thread(target=run) for _ in range(n_threads)]
    for thread in racing:
        thread.start()
    for thread in racing:
        thread.join()
    return n_threads * times - counter.value


def race_program():
    if LOCKED:
        yield "A-count-gil", lost(add_plain, 4, 250_000)
        yield "A-count-gil-call", sum(lost(add_with_call, 4, 250_000) > 0 for _ in range(5))
        yield "A-count-lock", lost(add_locked, 4, 250_000)
        yield "B-race-narrow", lost(add_plain, 4, 200_000)
        yield "B-race-lock", lost(add_locked, 4, 200_000)
        yield "C-count-gil", lost(add_plain, 8, 200_000)
        yield "C-count-lock", lost(add_locked, 8, 200_000)
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            yield "B-race-1us", lost(add_plain, 4, 200_000)
        finally:
            sys.setswitchinterval(before)
    else:
        yield "A-count-ft", lost(add_plain, 4, 250_000) / 1_000_000
        yield "C-count-ft", lost(add_plain, 8, 200_000) / 1_600_000


def wide_race_program():
    with_lock()
    yield "B-race-wide", lost(add_wide, 4, 200_000) / 800_000


# ── What interpreters share: nothing

ITEMS = []


def append(item):
    ITEMS.append(item)
    return len(ITEMS)


def isolation_program():
    if INTERPRETERS is None:
        raise LeftOut("interpreters in one process need Python 3.14")
    with INTERPRETERS(4) as pool:
        list(pool.map(append, range(8)))
    yield "A-isolation-parent", len(ITEMS)


PROGRAMS = {
    "loop": loop_program,
    "stall": stall_program,
    "handlers": handlers_program,
    "view": view_program,
    "race": race_program,
    "isolation": isolation_program,
    "workers": workers_program,
    "hashing": hashing_program,
    "squares": squares_program,
    "cold-pool": cold_pool_program,
    "modulo": modulo_program,
    "requests": requests_program,
    "wide-race": wide_race_program,
    "names": names_program,
    "long-squares": long_squares_program,
    "requests-one-by-one": requests_one_by_one_program,
}

LONG = ("wide-race", "names", "long-squares", "requests-one-by-one")
"""What --quick leaves out."""


def written(number):
    """Four digits that count, never with an exponent."""
    return str(number) if isinstance(number, int) else f"{number:.4g}" if 1e-4 < number < 1e4 else f"{number:.4f}"


def run(name):
    """Prints a program's lines as they come. What goes wrong ends this program and no other."""
    try:
        for figure, number in PROGRAMS[name]():
            print(figure, written(number), flush=True)
    except LeftOut as reason:
        print(f"# {name}: the rest is left out: {reason}", flush=True)
    except Exception as error:
        print(f"# {name}: ended early: {type(error).__name__}: {error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Runs the lessons’ programs and prints a line for each figure.")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these; --list names them")
    parser.add_argument("--quick", action="store_true", help="without what takes longer than a few seconds")
    parser.add_argument("--list", action="store_true", help="name the programs and run none")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"there is no program {unknown[0]}; there are: {', '.join(PROGRAMS)}")
    if chosen.list:
        print("\n".join(PROGRAMS))
        return
    lock = "with the interpreter lock" if LOCKED else "free-threaded"
    print(f"# Python {platform.python_version()}, {lock}, {os.cpu_count()} processors", flush=True)
    for name in chosen.programs or PROGRAMS:
        if chosen.quick and not chosen.programs and name in LONG:
            print(f"# {name}: left out, for it takes longer", flush=True)
        else:
            run(name)


if __name__ == "__main__":
    main()
