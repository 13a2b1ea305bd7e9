"""CUDA Ladder: the command `ladder`, and the magic `%%ladder` for notebooks (`%load_ext cuda_ladder`)."""
import os
import sys


def program():
    """The path of `ladder`."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ladder")


def main():
    os.execv(program(), [program()] + sys.argv[1:])


def load_ipython_extension(shell):
    from cuda_ladder import notebook

    notebook.register(shell, program())
