#!/usr/bin/env python3
"""Write the time-independent traces of the twelve cases, NAME.ti: all ranks in one file."""
import os

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def write(name, ranks, program):
    with open(name + ".ti", "w") as out:
        for r in range(ranks):
            out.write(f"{r} init\n")
        for r in range(ranks):
            for action in [*program(r, ranks), "finalize"]:
                out.write(f"{r} {action}\n")


def pingpong(*sizes):
    def program(r, _):
        for size in sizes:
            yield from [f"send 1 0 {size} 6", f"recv 1 0 {size} 6"] if r == 0 else [f"recv 0 0 {size} 6", f"send 0 0 {size} 6"]
    return program


def stream(r, _):
    """Messages of three sizes one way, posted at once; the receiver computes between them."""
    sizes = [8, 4096, 50000] * 15
    for i, size in enumerate(sizes):
        yield f"isend 1 {i} {size} 6" if r == 0 else f"irecv 0 {i} {size} 6"
        yield f"compute {2e5 if r else 1e5}"
    yield "waitall"


def detached(r, _):
    """The receiver is late: a send below 64 KiB ends at once, others wait."""
    for size in [1000, 65535, 65536, 300000]:
        yield "compute 1e6" if r == 0 else "compute 2e7"
        yield f"send 1 0 {size} 6" if r == 0 else f"recv 0 0 {size} 6"
        yield f"isend 1 1 {size} 6" if r == 0 else "compute 1e7"
        yield "compute 3e6" if r == 0 else f"recv 0 1 {size} 6"
        if r == 0:
            yield f"wait 0 1 1"


def halo(r, n):
    """A ring of neighbours that exchange their edges, and compute unequal times."""
    left, right = (r - 1) % n, (r + 1) % n
    for step in range(6):
        size = [800, 200000, 1000000][step % 3]
        for to in (left, right):
            yield f"irecv {to} {step} {size} 6"
        for to in (left, right):
            yield f"isend {to} {step} {size} 6"
        yield f"compute {1e5 + 3e4 * (r * 7 % 5)}"
        yield "waitall"


def alltoall(*sizes):
    def program(r, _):
        for size in sizes:
            yield f"compute {1e5 * (r % 3)}"
            yield f"alltoall {size} {size} 6 6"
    return program


def collectives(r, n):
    for size in [8, 1000, 40000, 200000]:
        yield f"compute {2e5 * (r * 5 % 7)}"
        yield f"bcast {size} 3 6"
        yield f"reduce {size} 0 1 6"
        yield "barrier"
        yield f"gather {size} {size} 2 6 6"
        yield f"scatter {size} {size} 2 6 6"
        yield f"allgather {size} {size} 6 6"


def allreduce(r, n):
    for size in [8, 5000, 70000, 1000000]:
        yield f"compute {1e5 * (r % 4)}"
        yield f"allreduce {size} 0 6"
        yield f"scan {size // 10} 0 6"


def fan_in(r, n):
    for size in [100, 10000, 262144]:
        for src in range(1, n):
            if r == 0:
                yield f"irecv {src} 0 {size} 6"
        if r == 0:
            yield "waitall"
        else:
            yield f"send 0 0 {size} 6"


def crossing(r, n):
    """Each pair exchanges messages of its own size, both ways at a time, over the backbone."""
    mate = (r + n // 2) % n
    for size in [30000, 400000 + 50000 * (r % (n // 2))]:
        yield f"irecv {mate} 0 {size} 6"
        yield f"isend {mate} 0 {size} 6"
        yield "waitall"


def within(r, n):
    """Ranks of a node, and ranks of two nodes."""
    for far in (1, 2, 3):
        for size in [500, 70000]:
            mate = r ^ far
            yield f"irecv {mate} {far} {size} 6"
            yield f"isend {mate} {far} {size} 6"
            yield "waitall"


write("1-pingpong-small", 2, pingpong(*[1, 100, 241, 242, 700, 717, 1000, 1411, 3000, 3469, 5000, 5761, 9000, 9361] * 3))
write("2-pingpong-edge", 2, pingpong(15408, 15409, 40000, 65456, 65457, 65519, 65535, 65536, 65537))
write("3-pingpong-large", 2, pingpong(1 << 20, 1 << 24))
write("4-stream", 2, stream)
write("5-detached", 2, detached)
write("6-halo", 12, halo)
write("7-alltoall", 16, alltoall(16, 100, 3000, 50000, 300000))
write("8-allreduce", 16, allreduce)
write("9-collectives", 12, collectives)
write("10-fan-in", 8, fan_in)
write("11-crossing", 8, crossing)
write("12-within", 8, within)
write("13-config", 6, halo)
write("14-early", 2, stream)
