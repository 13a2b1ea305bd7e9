// `ladder watch` on a pseudo-terminal, with a course whose build and runner are scripts.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "grader/course/text/skeleton.h"
#include "grader/platform/files.h"
#include "grader/platform/terminal.h"
#include "tests/end_to_end/watched.h"

using namespace ladder::cli;
using end_to_end::OnTerminal;
using end_to_end::Watched;
using end_to_end::watching;
namespace fs = std::filesystem;

TEST_CASE("watch shows the task, checks each save, and stays at a rung that passed") {
  const Watched f;
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("1_serial.cu"));
  REQUIRE(watch.wait_for_next("TODO(1), line 3"));
  REQUIRE(watch.wait_for_next("watching 1_serial.cu"));
  CHECK(f.builds() == 0);  // nothing was written yet, so there is nothing to judge
  f.save("// wrong\n");
  REQUIRE(watch.wait_for_next("wrong_values"));
  REQUIRE(watch.wait_for_next("gives a hint"));
  f.save_in_place("// right\n");
  REQUIRE(watch.wait_for_next("passed"));
  REQUIRE(watch.wait_for_next("goes on to 09.3"));
  CHECK(f.builds() == 2);
  f.save("// wrong again\n");
  REQUIRE(watch.wait_for_next("wrong_values"));
  REQUIRE(watch.wait_for_next("checked in"));  // the verdict is kept by then
  watch.type("q");
  CHECK(watch.finish().code == 0);
  const auto kept = end_to_end::ladder(f.tree, {"progress", "--json"});
  CHECK(kept.has("\"state\": \"failed\""));    // what the last save was told
  CHECK(kept.has("\"outcome\": \"passed\""));  // and that one before it passed
}

TEST_CASE("watch builds what a lesson needs while its task is read, and a save does not wait for that") {
  const Watched f("grep -q right \"$LADDER_ROOT\"/lessons/09_reduction/1_serial.cu || sleep 60\n");
  fs::remove(f.plugin());
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("getting the lesson ready"));
  for (int i = 0; i < 200 && f.builds() == 0; ++i) watch.listen(50);
  CHECK(f.builds() == 1);
  f.save("// right\n");
  CHECK(watch.wait_for_next("passed in "));
  CHECK(f.builds() == 2);
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE("a check that was killed says so, and Enter makes another") {
  const Watched f(
      "if grep -q kill \"$LADDER_ROOT\"/lessons/09_reduction/1_serial.cu; then\n"
      "  kill -KILL $PPID; sleep 1\nfi\n");
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// kill\n");
  CHECK(watch.wait_for_next("ended from outside"));
  CHECK(watch.wait_for_next("not checked"));
  f.save("// right\n");
  CHECK(watch.wait_for_next("passed in "));
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE("watch takes writes in quick succession for one save, and an unchanged file for none") {
  const Watched f;
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("watching"));
  for (int i = 0; i < 5; ++i) f.save("// try " + std::to_string(i) + "\n");
  REQUIRE(watch.wait_for_next("checked in"));
  CHECK(f.builds() == 1);
  f.save("// try 4\n");
  REQUIRE(watch.wait_for_next("saved without a change"));
  watch.type("\r");
  REQUIRE(watch.wait_for_next("checked in"));
  CHECK(f.builds() == 2);
}

TEST_CASE("a newer save ends the build of an older one") {
  const Watched f(
      "if grep -q slow \"$LADDER_ROOT\"/lessons/09_reduction/1_serial.cu; then\n"
      "  echo '[1/2] nvcc slowly'\n  sleep 60 &\n  echo $! > \"$LADDER_ROOT\"/sleeper\n  wait\nfi\n");
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// slow\n");
  REQUIRE(watch.wait_for_next("building [1/2] nvcc slowly"));
  for (int i = 0; i < 500 && !fs::exists(f.tree.project.root / "sleeper"); ++i) ::usleep(10'000);
  f.save("// right\n");
  REQUIRE(watch.wait_for_next("passed in"));
  const fs::path stat =
      fs::path("/proc") / split_lines(read_file(f.tree.project.root / "sleeper"))[0] / "stat";
  std::error_code gone;
  CHECK((!fs::exists(stat, gone) || read_file(stat).find(") Z") != std::string::npos));
}

TEST_CASE("watch tells a compiler's error with its line, and a module of older contents is built anew") {
  const Watched f(
      "if grep -q oops \"$LADDER_ROOT\"/lessons/09_reduction/1_serial.cu; then\n"
      "  echo '[1/1] nvcc 1_serial.cu'\n  echo 'FAILED: modules/09_reduction/1_serial.student.so'\n"
      "  echo nvcc\n  echo \"$LADDER_ROOT/lessons/09_reduction/1_serial.cu(2): error: identifier \\\"q\\\" "
      "is "
      "undefined\"\n  exit 1\nfi\n");
  const fs::path module = f.tree.project.build / "modules" / "09_reduction" / "1_serial.student.so";
  OnTerminal watch = watching(f, {}, {{"NO_COLOR", "1"}});
  REQUIRE(watch.wait_for_next("watching"));
  f.save("// right\n");
  REQUIRE(watch.wait_for_next("passed in "));
  write_file(module, "of older contents");
  f.save("// first\noops\n");
  REQUIRE(watch.wait_for_next("does not compile: 1_serial.cu:2: identifier \"q\" is undefined"));
  REQUIRE(watch.wait_for_next("checked in"));
  CHECK(!fs::exists(module));
}

TEST_CASE("watch looks by itself with --poll, and only at Enter with --manual") {
  const Watched f;
  {
    OnTerminal watch = watching(f, {"--poll"});
    REQUIRE(watch.wait_for_next("twice a second"));
    f.save("// right\n");
    REQUIRE(watch.wait_for_next("passed in"));
  }
  const std::size_t before = f.builds();
  OnTerminal watch = watching(f, {"--manual"});
  REQUIRE(watch.wait_for_next("Enter checks"));
  f.save("// wrong\n");
  watch.listen(300);
  CHECK(f.builds() == before);
  watch.type("\r");
  REQUIRE(watch.wait_for_next("checked in"));
}

TEST_CASE("keys of watch: hints in stages, the solution after a question, another rung, reset with a copy") {
  const Watched f;
  OnTerminal watch = watching(f);
  REQUIRE(watch.wait_for_next("watching"));
  watch.type("h");
  REQUIRE(watch.wait_for_next("A loop."));
  watch.type("h");
  REQUIRE(watch.wait_for_next("A loop over n."));
  REQUIRE(watch.wait_for_next("the last; d after a first try"));
  watch.type("d");
  REQUIRE(watch.wait_for_next("was not tried yet"));
  f.save("// mine\n");
  REQUIRE(watch.wait_for_next("checked in"));
  watch.type("d");
  REQUIRE(watch.wait_for_next("[y/N]"));
  watch.type("n");
  watch.listen(200);
  CHECK(watch.text().find("*out = sum") == std::string::npos);
  watch.type("dy");
  REQUIRE(watch.wait_for_next("*out = sum"));
  watch.type("ry");
  REQUIRE(watch.wait_for_next("Yours was kept"));
  REQUIRE(watch.wait_for_next("TODO(1)"));
  CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  CHECK(read_file(f.tree.project.backups() / "09_reduction" / "1_serial.1.cu") == "// mine\n");
  watch.type("n");
  REQUIRE(watch.wait_for_next("watching 3_interleaved.cu"));
  watch.type("m");
  REQUIRE(watch.wait_for_next("Go to"));
  watch.type("77\r");
  REQUIRE(watch.wait_for_next("77"));
  watch.type("m09.1ä\177\r");  // Backspace takes the ä back, both its bytes
  REQUIRE(watch.wait_for_next("watching 1_serial.cu"));
  watch.type("\033[A\033Oq?");  // an arrow and a function key mean nothing here
  REQUIRE(watch.wait_for_next("what the warps did"));
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE("watch leaves the terminal as it was: at q, Ctrl-C, SIGTERM, SIGHUP and a crash") {
  const Watched f;
  struct Way {
    const char* keys;
    int signal;
    int code;
  };
  for (const Way& way : {Way{"q", 0, 0}, Way{"\003", 0, 130}, Way{"", SIGTERM, 130}, Way{"", SIGHUP, 130},
                         Way{"", SIGSEGV, 128 + SIGSEGV}, Way{"", SIGABRT, 128 + SIGABRT}}) {
    CAPTURE(way.keys, way.signal);
    OnTerminal watch = watching(f);
    // The child's first word comes after it took the terminal; a pseudo-terminal begins in line mode.
    REQUIRE(watch.wait_for_next("watching"));
    CHECK((watch.modes().c_lflag & (ICANON | ECHO)) == 0);
    if (way.signal != 0) watch.send(way.signal);
    watch.type(way.keys);
    // While the other end is open the modes can be asked for; a dead child's are as it left them.
    const end_to_end::Outcome outcome = watch.finish();
    CHECK(outcome.code == way.code);
    CHECK((watch.modes().c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
  }
}

TEST_CASE("Ctrl-Z hands the terminal to the shell, and fg brings watch back") {
  const Watched f;
  OnTerminal shell("/bin/bash", f.tree, {"--norc", "--noprofile", "-i"}, {{"PS1", "prompt> "}});
  REQUIRE(shell.wait_for_next("prompt> "));
  shell.type("stty -a > \"$LADDER_ROOT\"/before; " + end_to_end::ladder_binary() +
             " watch 09.1 --device sim\n");
  REQUIRE(shell.wait_for_next("watching 1_serial.cu"));
  shell.type("\032");
  REQUIRE(shell.wait_for_next("Stopped"));
  shell.type("stty -a > \"$LADDER_ROOT\"/stopped; echo shell is he''re\n");
  REQUIRE(shell.wait_for_next("shell is here\r\n"));
  shell.type("fg\n");
  REQUIRE(shell.wait_for_next("watching 1_serial.cu"));
  f.save("// right\n");
  REQUIRE(shell.wait_for_next("passed in"));
  shell.type("\003");
  REQUIRE(shell.wait_for_next("prompt> "));
  shell.type("stty -a > \"$LADDER_ROOT\"/after; echo do''ne\n");
  REQUIRE(shell.wait_for_next("done\r\n"));
  const auto modes = [&](const char* when) { return read_file(f.tree.project.root / when); };
  CHECK(modes("before") == modes("stopped"));
  CHECK(modes("before") == modes("after"));
}

TEST_CASE("watch without colour has none, on a dumb terminal moves nothing, and without a terminal says so") {
  const Watched f;
  OnTerminal plain = watching(f, {}, {{"NO_COLOR", "1"}});
  REQUIRE(plain.wait_for_next("watching"));
  f.save("// right\n");
  REQUIRE(plain.wait_for_next("passed in"));
  plain.type("q");
  const std::string text = plain.finish().text;
  for (std::size_t at = 0; (at = text.find("\033[", at)) != std::string::npos; ++at)
    CHECK(text[text.find_first_of("ABCDEFGHJKm", at)] != 'm');

  OnTerminal dumb = watching(f, {}, {{"TERM", "dumb"}});
  REQUIRE(dumb.wait_for_next("keys:"));
  f.save("// wrong\n");
  REQUIRE(dumb.wait_for_next("checked in"));
  dumb.type("q");
  CHECK(!dumb.finish().has("\033"));

  const end_to_end::Outcome piped = end_to_end::ladder(f.tree, {"watch", "09.1"});
  CHECK(piped.code == 2);
  CHECK(piped.has("no terminal"));
}
