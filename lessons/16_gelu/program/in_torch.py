#!/usr/bin/env python3
"""A rung of lesson 16 or 17 called from PyTorch: is it right there, and what share of a program does it save?

    python3 lessons/16_gelu/program/in_torch.py 16.3               your file of rung 3
    python3 lessons/16_gelu/program/in_torch.py 17.7 --solution    the finished one

It needs PyTorch, nvcc and an NVIDIA GPU. The rung is compiled into a shared library and called with the addresses of
torch's tensors, in torch's default stream, which is the stream that a rung launches in.
"""
import argparse
import ctypes
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]

# What ctypes calls: one C function a lesson, with the rung's C++ function behind it. T is float or __half.
BRIDGES = {
    16: """
extern "C" int rung(T* out, const T* in, long long n) { return gelu(out, in, n, Form::tanh); }
""",
    17: """
extern "C" int rung(T* out, const T* in, const T* bias, const std::uint8_t* mask, const T* residual, float scale,
                    int rows, int cols) {
  return bias_mask_scale_add(out, in, bias, mask, residual, scale, rows, cols);
}
""",
}
ARGUMENTS = {
    16: [ctypes.c_void_p] * 2 + [ctypes.c_longlong],
    17: [ctypes.c_void_p] * 5 + [ctypes.c_float, ctypes.c_int, ctypes.c_int],
}


def stop(message):
    """Ends the program with a sentence."""
    sys.exit(f"in_torch.py: {message}")


def find_nvcc():
    """The compiler's path: LADDER_NVCC, PATH, CUDA_HOME, the usual place, or what the course's set-up installed."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for path in (os.environ.get("LADDER_NVCC"), shutil.which("nvcc"), f"{home}/bin/nvcc", ROOT / ".ladder/cuda/bin/nvcc"):
        if path and pathlib.Path(path).is_file():
            return str(path)
    stop("no nvcc: set LADDER_NVCC to its path")


def find_rung(number, solution):
    """The file and the lesson of "16.3"."""
    lesson, _, rung = number.partition(".")
    side = ROOT / ("solutions" if solution else "lessons")
    found = sorted(side.glob(f"{lesson}_*/{rung}_*.cu"))
    if lesson not in ("16", "17") or len(found) != 1 or "blank_page" in found[0].name:
        stop(f"{number} is no rung that this program can call: it knows 16.1 to 16.6 and 17.1 to 17.7")
    return found[0], int(lesson)


def compile_rung(file, lesson, half, capability, folder):
    """Builds the shared library of a rung; returns its path."""
    bridge = pathlib.Path(folder) / "bridge.cu"
    bridge.write_text(f'#include "{file}"\nusing T = {"__half" if half else "float"};\n{BRIDGES[lesson]}')
    library = pathlib.Path(folder) / "rung.so"
    contract = next((ROOT / "lessons").glob(f"{lesson}_*"))
    command = [find_nvcc(), "-std=c++20", "-O3", f"-arch=sm_{capability}", "-shared", "-Xcompiler", "-fPIC", f"-I{ROOT}",
               f"-I{contract}", "-o", str(library), str(bridge)]
    if subprocess.run(command, check=False).returncode != 0:
        stop("the rung does not compile")
    return library


def median_ms(torch, work, runs=30):
    """Milliseconds of one run, the median, between two events."""
    times = []
    for run in range(runs + 5):  # the first ones pay for loading kernels and allocating tensors
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        if run >= 5:
            times.append(begin.elapsed_time(end))
    return statistics.median(times)


class Gelu:
    """The middle of a transformer's MLP: a product, GELU, a product."""

    def __init__(self, torch, dtype, call):
        self.torch, self.call = torch, call
        tokens, width = 8192, 1024

        def make(*shape):
            return torch.randn(shape, device="cuda").to(dtype)

        self.x, self.up, self.down = make(tokens, width), make(width, 4 * width) / 32, make(4 * width, width) / 64
        self.hidden = self.x @ self.up
        self.out = torch.empty_like(self.hidden)

    def operations(self, x):
        return 0.5 * x * (1 + self.torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    def library(self, x):
        return self.torch.nn.functional.gelu(x, approximate="tanh")

    def rung(self, x):
        self.call(self.out.data_ptr(), x.data_ptr(), x.numel())
        return self.out

    def truth(self):
        return self.library(self.hidden.double())

    def bound(self, truth, half):
        least = 2.0**-9 if half else 2.0**-18
        return least * truth.abs().clamp(min=1)

    def program(self, step):
        return step(self.x @ self.up) @ self.down


class Tail:
    """The end of a layer: a product, then bias, mask, scale and residual."""

    def __init__(self, torch, dtype, call):
        self.torch, self.call = torch, call
        rows, cols = 8192, 4096

        def make(*shape):
            return (torch.rand(shape, device="cuda") * 2 - 1).to(dtype)

        self.x, self.weight = make(rows, cols), make(cols, cols) / 32
        self.bias, self.residual = make(cols), make(rows, cols)
        self.mask = (torch.rand((rows, cols), device="cuda") < 0.8).to(torch.uint8)
        self.scale = 1.25
        self.hidden = self.x @ self.weight
        self.out = torch.empty_like(self.hidden)

    def operations(self, x):
        return (x + self.bias) * self.mask * self.scale + self.residual

    library = None  # torch has no such function

    def rung(self, x):
        rows, cols = x.shape
        self.call(self.out.data_ptr(), x.data_ptr(), self.bias.data_ptr(), self.mask.data_ptr(),
                  self.residual.data_ptr(), self.scale, rows, cols)
        return self.out

    def truth(self):
        return (self.hidden.double() + self.bias.double()) * self.mask * self.scale + self.residual.double()

    def bound(self, truth, half):
        return 2.0**-8 + truth.abs() * 2.0**-10 if half else 2.0**-20 + truth.abs() * 2.0**-22

    def program(self, step):
        return step(self.x @ self.weight)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rung", help="16.1 to 16.6, or 17.1 to 17.7")
    parser.add_argument("--solution", action="store_true", help="the finished rung instead of yours")
    options = parser.parse_args()
    file, lesson = find_rung(options.rung, options.solution)
    half = "half" in file.stem

    try:
        import torch  # late, for the messages above need none
    except ImportError as error:
        stop(f"PyTorch is missing ({error}); https://pytorch.org/get-started says how to install it")
    if not torch.cuda.is_available():
        stop("PyTorch sees no NVIDIA GPU")

    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        torch.manual_seed(1)
        capability = "".join(map(str, torch.cuda.get_device_capability()))
        library = ctypes.CDLL(str(compile_rung(file, lesson, half, capability, folder)))

        library.rung.argtypes = ARGUMENTS[lesson]

        def call(*arguments):
            error = library.rung(*arguments)
            if error != 0:
                stop(f"the rung returned CUDA error {error}")

        dtype = torch.float16 if half else torch.float32
        problem = (Gelu if lesson == 16 else Tail)(torch, dtype, call)

        truth = problem.truth()
        apart = (problem.rung(problem.hidden).double() - truth).abs()
        torch.cuda.synchronize()
        wrong = int((~(apart <= problem.bound(truth, half))).sum())  # NaN is wrong, too
        print(f"{file.parent.name}/{file.name} in PyTorch {torch.__version__} on {torch.cuda.get_device_name()}")
        print(f"{list(truth.shape)}, {dtype}: largest difference from double precision {float(apart.max()):.3g}")
        if wrong > 0:
            stop(f"{wrong} of {truth.numel()} elements are further off than the contract allows")
        del truth, apart

        steps = {"operations of torch": problem.operations}
        if problem.library:
            steps["torch's own function"] = problem.library
        steps[f"rung {options.rung}"] = problem.rung
        times = {}
        print(f"\n{'':22}{'step':>10}{'program':>12}{'share of the step':>20}")
        for name, step in steps.items():
            alone = median_ms(torch, lambda: step(problem.hidden))
            whole = times[name] = median_ms(torch, lambda: problem.program(step))
            print(f"{name:22}{alone:7.3f} ms{whole:9.3f} ms{100 * alone / whole:18.0f} %")
        before, after = times["operations of torch"], times[f"rung {options.rung}"]
        print(f"\nthe rung in place of torch's operations saves {100 * (1 - after / before):.0f} % of the program's time")


if __name__ == "__main__":
    main()
