"""`%%ladder` in a notebook: the cell is a rung's file; below it stand the verdict and its pictures.

    %load_ext cuda_ladder
    %%ladder 05.1                   the cell becomes the rung's file, and is built, checked and timed
    %%ladder 05.1 --no-picture      options of `ladder run` may follow, too
    %ladder hint 05.1               any other command of `ladder`
"""
import codecs
import html
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

PICTURE_HEIGHT = 480  # pixels: a lane map and its table without scrolling


class Ladder:
    def __init__(self, program, display):
        """program: the path of `ladder`; display: shows markup below the cell."""
        self.program = program
        self.display = display

    def run(self, arguments, text=""):
        """Prints what the command says while it says it. Interrupting the kernel ends the command. Returns its exit code."""
        command = [self.program, "--color", "always"] + arguments
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        # A cell may be longer than a pipe holds, and the command may end without reading it.
        feeder = threading.Thread(target=self._feed, args=(child.stdin, text))
        feeder.start()
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        some = None
        while some != b"":
            try:
                some = os.read(child.stdout.fileno(), 65536)
                sys.stdout.write(decoder.decode(some, final=not some))
                sys.stdout.flush()
            except KeyboardInterrupt:
                # It cleans up what it has made, and what it says of that is read, too.
                os.killpg(child.pid, signal.SIGINT)
        code = child.wait()
        feeder.join()
        child.stdout.close()
        return code

    @staticmethod
    def _feed(pipe, text):
        try:
            with pipe:
                pipe.write(text.encode())
        except BrokenPipeError:
            pass

    def picture(self, rung):
        """The lens of the rung: how its warps access memory, or what is wrong, drawn."""
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "lens.html")
            made = subprocess.run(
                [self.program, "--color", "never", "lens", rung, "--html", page],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            # A rung that does not compile has no picture; its verdict has said why.
            if made.returncode not in (0, 1) or not os.path.exists(page):
                return
            with open(page, encoding="utf-8") as file:
                markup = file.read()
        self.display(
            '<iframe title="lens of {}" style="width:100%;height:{}px;border:0" sandbox="allow-scripts" srcdoc="{}">'
            "</iframe>".format(html.escape(rung), PICTURE_HEIGHT, html.escape(markup))
        )

    def magic(self, line, cell=None):
        """What the cell or the line asks for."""
        arguments = shlex.split(line)
        if cell is None:
            self.run(arguments)
            return
        if not arguments or arguments[0].startswith("-"):
            print("Which rung? As in  %%ladder 05.1")
            return
        picture = "--no-picture" not in arguments
        arguments = [word for word in arguments if word != "--no-picture"]
        code = self.run(["run"] + arguments + ["--from", "-"], cell)
        if picture and code in (0, 1):
            self.picture(arguments[0])


def register(shell, program):
    """Makes %ladder and %%ladder known to the shell."""
    from IPython.display import display

    def show(markup):
        display({"text/html": markup, "text/plain": "(a page, which this front end does not show)"}, raw=True)

    ladder = Ladder(program, show)
    shell.register_magic_function(ladder.magic, magic_kind="line_cell", magic_name="ladder")
