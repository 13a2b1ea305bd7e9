#!/usr/bin/env python3
"""Compares modelled with measured times of all rungs.

    tests/model/compare.py BUILD [--times FOLDER] [LESSON...]

Runs model_times for every rung that h200_times.json knows (`ninja -C BUILD model_times solutions` first), writes the
launches' counters to inputs.json, which test_model reads, and prints the table. --times takes what record.sh wrote.
"""
import argparse
import json
import math
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
WANTED = ("name", "grid", "block", "dynamic_shared_bytes", "counters", "model")


def take_times(folder, times):
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        run = json.loads(file.read_text())
        if "rungs" not in run:
            continue
        medians = {r["rung"]: {"ms": round(r["timing"]["median_ms"], 5), "size": r["timing"]["size"]}
                   for r in run["rungs"] if r.get("timing")}
        if medians:
            times[run["lesson"]] = medians


def model(build, lesson, rung):
    modules = build / "modules" / lesson
    run = subprocess.run([build / "bin/model_times", modules / "lesson.so", modules / f"{rung}.solution.so", rung],
                         capture_output=True, text=True, timeout=600)
    return json.loads(run.stdout) if run.returncode == 0 else None


def kendall(pairs):
    agree = total = 0
    for i, (a, x) in enumerate(pairs):
        for b, y in pairs[:i]:
            total += 1
            agree += 1 if abs(a - b) < 0.02 * a or (a - b) * (x - y) > 0 else -1
    return agree / total if total else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--times")
    parser.add_argument("lessons", nargs="*")
    options = parser.parse_args()
    times_file, inputs_file = HERE / "h200_times.json", HERE / "inputs.json"
    times = json.loads(times_file.read_text()) if times_file.exists() else {}
    inputs = json.loads(inputs_file.read_text()) if inputs_file.exists() else {}
    if options.times:
        take_times(options.times, times)
        times_file.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n")
    taus, close, rungs = [], 0, 0
    for lesson in sorted(times):
        if options.lessons and lesson not in options.lessons:
            continue
        pairs = []
        for rung, measured in times[lesson].items():
            run = model(options.build, lesson, rung)
            if run is None or run["size"] != measured["size"]:
                print(f"{lesson}.{rung}: not modelled")
                continue
            if measured["ms"] > 0 and len(run["kernels"]) <= 32 and not lesson.startswith("01"):  # 01 times copies
                inputs.setdefault(lesson, {})[rung] = {
                    "size": run["size"], "kernels": [{k: n[k] for k in WANTED} for n in run["kernels"]]}
            ratio = run["milliseconds"] / measured["ms"]
            pairs.append((measured["ms"], run["milliseconds"]))
            rungs += 1
            close += 0.5 <= ratio <= 2
            print(f"{lesson + '.' + rung:46} {measured['ms']:11.4f} ms {run['milliseconds']:11.4f} ms "
                  f"{ratio:5.2f}  {run['bound']}", flush=True)
        if len(pairs) > 1:
            taus.append(kendall(pairs))
            print(f"{lesson:46} tau {taus[-1]:.2f}")
    inputs_file.write_text(json.dumps(inputs, separators=(",", ":"), sort_keys=True) + "\n")
    if taus:
        print(f"mean tau {sum(taus) / len(taus):.3f}, least {min(taus):.2f}; {close} of {rungs} within a factor of two")


main()
