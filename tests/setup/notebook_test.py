#!/usr/bin/env python3
"""notebook_test.py PACKAGES: what %%ladder makes of a cell, with a `ladder` that notes what it is asked for.

PACKAGES is the folder that has the package cuda_ladder.
"""
import contextlib
import io
import os
import signal
import stat
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
from cuda_ladder.notebook import Ladder  # noqa: E402

# Notes its arguments and its input; says something; `lens` writes a page, unless the rung's name is 03.1.
FAKE = r"""#!/bin/sh
printf '%s\n' "$*" >>"$FOLDER/asked"
shift 2
case $1 in
  run)
    case "$*" in *--from*) cat >"$FOLDER/cell" ;; esac
    printf 'wrong: \303'; sleep 0.1; printf '\244\n'
    [ "$2" != 04.1 ] || exit 3
    exit 1 ;;
  lens) [ "$2" = 03.1 ] || printf '<p title="a">%s</p>' "$2" >"$4" ;;
  wait) trap 'echo cleaned up; exit 130' INT; echo waiting; while :; do sleep 0.05; done ;;
esac
"""


class Notebook(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.environ["FOLDER"] = self.folder.name
        program = self.path("ladder")
        with open(program, "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(program, stat.S_IRWXU)
        self.shown = []
        self.ladder = Ladder(program, self.shown.append)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def magic(self, line, cell=None):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.ladder.magic(line, cell)
        return said.getvalue()

    def test_a_cell_becomes_the_rung_and_its_picture_is_shown(self):
        cell = "// a \N{DEGREE SIGN}\n" * 20000  # longer than a pipe holds
        self.assertEqual(self.magic("05.1 --quick", cell), "wrong: \N{LATIN SMALL LETTER A WITH DIAERESIS}\n")
        self.assertEqual(self.read("cell"), cell)
        asked = self.read("asked").splitlines()
        self.assertEqual(asked[0], "--color always run 05.1 --quick --from -")
        self.assertTrue(asked[1].startswith("--color never lens 05.1 --html "))
        self.assertEqual(len(self.shown), 1)
        self.assertIn("&lt;p title=&quot;a&quot;&gt;05.1&lt;/p&gt;", self.shown[0])
        self.assertIn('sandbox="allow-scripts"', self.shown[0])  # the page cannot reach the notebook

    def test_no_picture_where_none_is_wanted_or_none_is_made(self):
        self.magic("05.1 --no-picture", "x")
        self.assertEqual(self.read("asked"), "--color always run 05.1 --from -\n")
        self.magic("03.1", "x")  # the lens makes none
        self.magic("04.1", "x")  # trouble of the set-up: it is not asked for
        self.assertEqual(self.shown, [])
        self.assertNotIn("lens 04.1", self.read("asked"))

    def test_a_line_is_any_command_and_a_cell_wants_a_rung(self):
        self.magic("hint 05.1")
        self.assertEqual(self.read("asked"), "--color always hint 05.1\n")
        self.assertIn("Which rung?", self.magic("--quick", "x"))
        self.assertEqual(self.read("asked").count("\n"), 1)

    def test_interrupting_the_kernel_ends_the_command(self):
        def interrupt():
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = self.ladder.run(["wait"])
        thread.join()
        self.assertEqual(code, 130)
        self.assertIn("waiting", said.getvalue())
        self.assertIn("cleaned up", said.getvalue())


if __name__ == "__main__":
    unittest.main()
