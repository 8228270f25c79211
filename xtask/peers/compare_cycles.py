#!/usr/bin/env python3
"""Compares the simulator's cycle estimate with Vela's own, network by network and layer by layer.

Compiles the corpus's TOSA files with Vela (debug database on), runs the streams on the simulator's
`cycles` example, and writes the tables of docs/timing.md between its markers. Needs Vela 5.2.0 on the
path and its `vela.ini`.

    cargo build --release -p tombolo-sim --example cycles
    xtask/peers/compare_cycles.py --corpus DIR --ini vela.ini --cycles PATH --work DIR [--docs FILE]
"""

import argparse
import bisect
import csv
import io
import pathlib
import statistics
import subprocess
import xml.etree.ElementTree as ElementTree

TARGETS = {
    "u55-128": ("Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "u65-256": ("Ethos_U65_High_End", "Dedicated_Sram_384KB"),
    "u65-512": ("Ethos_U65_High_End", "Dedicated_Sram_384KB"),
    "u85-256": ("Ethos_U85_SYS_DRAM_Mid", "Sram_Only"),
}
# What Vela estimates without looking at the commands that it makes of it.
LUMPED = {"Transpose", "MatMul"}


def compile_model(tosa, target, ini, work):
    """Runs Vela; its files stay in `work` for the next time."""
    system, mode = TARGETS[target]
    out = work / target / tosa.parent.name
    if not list(out.glob("*_debug.xml")):
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["vela", f"--accelerator-config=ethos-{target}", "--config", str(ini), "--output-format=raw",
             f"--system-config={system}", f"--memory-mode={mode}", "--enable-debug-db",
             "--output-dir", str(out), str(tosa)],
            check=True, stdout=subprocess.DEVNULL)
    return out


def tables(path):
    """The tables of a debug database: name to rows."""
    root = ElementTree.parse(path).getroot()
    return {t.get("name"): list(csv.DictReader(io.StringIO((t.text or "").strip()))) for t in root.iter("table")}


def simulate(cycles, target, stream):
    """Cycles of the network, and the commands: position, name, end."""
    lines = subprocess.run([cycles, "-v", f"ethos-{target}", str(stream)],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    commands = []
    for line in lines[:-1]:
        fields = line.split()
        commands.append((int(fields[0], 16), fields[1], int(fields[2].split("..")[1])))
    words = lines[-1].split()
    assert words[-1] == "None" and words[3] == "0", lines[-1]
    return int(words[1]), commands


def compare(cycles, target, out):
    debug = tables(next(out.glob("*_debug.xml")))
    with open(next(out.glob("*_summary_*.csv")), encoding="utf-8") as file:
        vela = int(float(next(csv.DictReader(file))["cycles_total"]))
    ours, commands = simulate(cycles, target, next(out.glob("*_vela.npz")))
    # The queue has the position of each layer's last command.
    ends = sorted((int(row["offset"]), row["scheduled_id"]) for row in debug["queue"])
    turned = {row["id"] for row in debug["perf_debug"] if row["transpose_type"] not in ("None", "")}
    # A layer takes from the end of the one before to its own end: its share of the network's time, with
    # what it waits for copies.
    spent, before = {}, 0
    for position, name, end in commands:
        if name == "DMA_START":
            continue
        layer = ends[min(bisect.bisect_left(ends, (position, "")), len(ends) - 1)][1]
        spent[layer] = spent.get(layer, 0) + end - before
        before = end
    rows = []
    for row in debug["perf"]:
        lumped = row["id"] in turned if target.startswith("u85") else row["operator"] in LUMPED
        rows.append((row["operator"], spent.get(row["id"], 0), int(row["op_cycles"]), lumped))
    return ours, vela, rows


def ratio(ours, vela):
    return f"{ours / vela:.2f}" if vela else "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--ini", type=pathlib.Path, required=True)
    parser.add_argument("--cycles", default="target/release/examples/cycles")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument("--layers", action="store_true", help="print every layer that differs by a tenth")
    args = parser.parse_args()
    text = []
    for target in TARGETS:
        networks, others = [], []
        text += [f"### {target}: `{TARGETS[target][0]}`, `{TARGETS[target][1]}`", "",
                 "| model | simulator | Vela | ratio | other layers: simulator | Vela | ratio |",
                 "|---|--:|--:|--:|--:|--:|--:|"]
        for tosa in sorted(args.corpus.glob(f"*/{target}.0.tosa")):
            model = tosa.parent.name
            ours, vela, rows = compare(args.cycles, target, compile_model(tosa, target, args.ini, args.work))
            mine, theirs = (sum(row[i] for row in rows if not row[3]) for i in (1, 2))
            networks.append(ours / vela)
            if theirs:
                others.append(mine / theirs)
            text.append(f"| {model} | {ours} | {vela} | {ratio(ours, vela)} | {mine} | {theirs} | {ratio(mine, theirs)} |")
            if args.layers:
                for name, a, b, lumped in rows:
                    if b and not lumped and abs(a / b - 1) > 0.1:
                        print(f"{target} {model}: {name} {a} {b} {a / b:.2f}")
        text += [f"| **median** | | | **{statistics.median(networks):.3f}** | | | **{statistics.median(others):.3f}** |", ""]
    text = "\n".join(text).rstrip() + "\n"
    if args.docs:
        begin, end = "<!-- tables -->\n", "<!-- end of tables -->"
        page = args.docs.read_text(encoding="utf-8")
        head, rest = page.split(begin)
        args.docs.write_text(head + begin + "\n" + text + "\n" + end + rest.split(end)[1], encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
