#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "grader/course/skeleton.h"
#include "grader/platform/files.h"
#include "grader/platform/terminal.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
using end_to_end::OnTerminal;
using end_to_end::Outcome;

namespace {

struct Fixture {
  sample::Tree tree;
  Fixture() { tree.add_lesson("09_reduction"); }
  Outcome run(std::vector<std::string> args) const { return end_to_end::ladder(tree, std::move(args)); }
  std::filesystem::path rung() const { return tree.project.lessons() / "09_reduction" / "1_serial.cu"; }
  /// The student solves rung 1.
  void solve() const { write_file(rung(), without_markers(sample::kSolution) + "// mine\n"); }
};

const std::string kAllPass = sample::verdict("1_serial", "passed") +
                             sample::verdict("3_interleaved", "passed") +
                             sample::verdict("10_warp_shuffle", "passed") + sample::kDone;

}  // namespace

TEST_CASE("ladder alone shows the course and the file to open") {
  const Fixture f;
  const Outcome map = f.run({});
  CHECK(map.code == 0);
  CHECK(map.has("0 of 3 rungs passed"));
  CHECK(map.has("II Patterns"));
  CHECK(map.has("lessons/09_reduction/1_serial.cu"));
  CHECK(map.has("./ladder run 09.1"));
}

TEST_CASE("a new lesson's folder is all that the course needs") {
  const Fixture f;
  CHECK(!f.run({"list"}).has("12 fresh"));
  f.tree.add_lesson("12_fresh");
  CHECK(f.run({"list"}).has("12 fresh"));
  const auto listed = nlohmann::json::parse(f.run({"list", "--json"}).text);
  REQUIRE(listed["lessons"].size() == 2);
  CHECK(listed["lessons"][1]["name"] == "12_fresh");
  CHECK(listed["lessons"][1]["rungs"][0]["state"] == "untouched");
}

TEST_CASE("output is coloured on a terminal and plain in a pipe, with NO_COLOR, and on a dumb terminal") {
  const Fixture f;
  CHECK(OnTerminal(f.tree, {}).finish().has("\033[1m"));
  CHECK(!f.run({}).has("\033"));
  CHECK(!OnTerminal(f.tree, {}, {{"NO_COLOR", "1"}}).finish().has("\033"));
  CHECK(!OnTerminal(f.tree, {}, {{"TERM", "dumb"}}).finish().has("\033"));
  CHECK(f.run({"--color=always"}).has("\033[1m"));
  CHECK(f.run({"list", "--color", "always"}).has("\033["));
  CHECK(!OnTerminal(f.tree, {"--color=never"}).finish().has("\033"));
}

TEST_CASE("no line of the course's views is wider than the terminal") {
  const Fixture f;
  for (const auto& args : std::vector<std::vector<std::string>>{
           {}, {"list"}, {"list", "09"}, {"hint", "09.3"}, {"diff", "09.1", "--yes"}})
    for (const std::string& line : split_lines(f.run(args).text)) {
      CAPTURE(line);
      CHECK(display_width(line) <= 80);
    }
}

TEST_CASE("hints come one stage at a time, and all of them only after a question") {
  const Fixture f;
  CHECK(f.run({"hint", "09.3"}).has("Halve."));
  CHECK(f.run({"hint", "09.3"}).has("Hint 2 of 3"));
  CHECK(f.run({"hint", "09.3", "--stage", "1"}).has("Hint 1 of 3"));
  CHECK(f.run({"hint", "09.3"}).has("s *= 2"));
  CHECK(f.run({"hint", "09.3"}).has("That was the last hint"));
  CHECK(f.run({"hint", "09.3", "--stage", "4"}).code == 2);
  CHECK(!f.run({"hint", "09.1", "--all"}).has("A loop"));
  OnTerminal asked(f.tree, {"hint", "09.1", "--all"});
  REQUIRE(asked.wait_for("[y/N]"));
  asked.type("y\n");
  CHECK(asked.finish().has("A loop over n."));
}

TEST_CASE("reset brings the skeleton back and loses nothing, however often") {
  const Fixture f;
  for (const char* mine : {"first try\n", "second try\n"}) {
    write_file(f.rung(), mine);
    CHECK(f.run({"reset", "09.1"}).code == 0);
    CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  }
  CHECK(read_file(f.tree.project.backups() / "09_reduction" / "1_serial.1.cu") == "first try\n");
  CHECK(read_file(f.tree.project.backups() / "09_reduction" / "1_serial.2.cu") == "second try\n");
  CHECK(f.run({"reset", "09.1"}).has("nothing to reset"));
  std::filesystem::remove(f.rung());
  CHECK(f.run({"reset", "09.1"}).code == 0);
  CHECK(std::filesystem::exists(f.rung()));
}

TEST_CASE("diff keeps the solution closed until the rung has passed") {
  const Fixture f;
  CHECK(!f.run({"diff", "09.1"}).has("+  *out = sum;"));
  CHECK(f.run({"diff", "09.1", "--yes"}).has("+  *out = sum;"));
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, sample::verdict("1_serial", "passed") + sample::kDone);
  f.solve();
  REQUIRE(f.run({"run", "09.1", "--device", "sim"}).code == 0);
  CHECK(f.run({"diff", "09.1"}).has("-// mine"));
}

TEST_CASE(
    "diff --below shows what a rung's solution changes in that of the rung below, without what was to do") {
  const Fixture f;
  write_file(f.tree.project.root / "solutions" / "09_reduction" / "3_interleaved.cu",
             std::string(sample::kSolution) + "// the idea\n");
  CHECK(!f.run({"diff", "09.3", "--below"}).has("+// the idea"));
  const Outcome shown = f.run({"diff", "09.3", "--below", "--yes"});
  CHECK(shown.has("+// the idea"));
  CHECK(shown.has("1_serial.cu   (the rung below)"));
  CHECK(!shown.has("TODO"));
  CHECK(f.run({"diff", "09.10", "--below", "--yes"}).code == 0);
  const Outcome lowest = f.run({"diff", "09.1", "--below", "--yes"});
  CHECK(lowest.code == 2);
  CHECK(lowest.has("there is none below it"));
}

TEST_CASE("dev sync writes skeletons and keeps a student's file first") {
  const Fixture f;
  write_file(f.rung(), "my work\n");
  std::filesystem::remove(f.tree.project.lessons() / "09_reduction" / "3_interleaved.cu");
  const Outcome synced = f.run({"dev", "sync"});
  CHECK(synced.code == 0);
  CHECK(synced.has("2 written, 1 as they should be"));
  CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  CHECK(read_file(f.tree.project.backups() / "09_reduction" / "1_serial.1.cu") == "my work\n");
  write_file(f.tree.project.solutions() / "09_reduction" / "1_serial.cu", "// BEGIN SOLUTION\n");
  CHECK(f.run({"dev", "sync"}).code == 1);
}

TEST_CASE("a passed rung is on the map until its file changes") {
  const Fixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, sample::verdict("1_serial", "passed") + sample::kDone);
  f.solve();
  REQUIRE(f.run({"run", "09.1", "--device", "sim"}).code == 0);
  CHECK(f.run({}).has("1 of 3 rungs passed"));
  CHECK(f.run({}).has("Next: 09.3"));
  write_file(f.rung(), read_file(f.rung()) + "// more\n");
  CHECK(f.run({"list", "09"}).has("changed since it passed"));
}

TEST_CASE("after a whole ladder the map goes on at its first rung that failed") {
  const Fixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, sample::verdict("1_serial", "passed") +
                                 sample::verdict("3_interleaved", "wrong_values") +
                                 sample::verdict("10_warp_shuffle", "wrong_values") + sample::kDone);
  CHECK(f.run({"run", "09", "--device", "sim"}).code == 1);
  CHECK(f.run({}).has("Next: 09.3"));
}

TEST_CASE("a run of the solutions is no progress") {
  const Fixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, kAllPass);
  CHECK(f.run({"run", "09", "--solution", "--device", "sim"}).code == 0);
  CHECK(f.run({"demo", "--device", "sim"}).has("Now it is your turn"));
  CHECK(f.run({}).has("0 of 3 rungs passed"));
}

TEST_CASE("exit codes are what --help says") {
  const Fixture f;
  CHECK(f.run({"--help"}).has("130  interrupted"));
  CHECK(f.run({"run", "--help"}).has("Examples:"));
  CHECK(f.run({"--version"}).code == 0);
  CHECK(f.run({"lsit"}).code == 2);
  CHECK(f.run({"lsit"}).has("Did you mean ./ladder list?"));
  CHECK(f.run({"run"}).code == 2);
  CHECK(f.run({"run", "09", "--device", "tpu"}).code == 2);
  CHECK(f.run({"run", "77"}).code == 2);
  CHECK(f.run({"run", "09", "--device", "sim"}).code == 3);  // nothing is built
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, kAllPass);
  CHECK(f.run({"run", "09", "--device", "sim"}).code == 0);
  sample::add_runner(f.tree, sample::verdict("1_serial", "passed") +
                                 sample::verdict("3_interleaved", "timed_out") +
                                 sample::verdict("10_warp_shuffle", "passed") + sample::kDone);
  CHECK(f.run({"run", "09", "--device", "sim"}).code == 1);
  sample::add_runner(f.tree, sample::verdict("1_serial", "not_run") + sample::kDone);
  CHECK(f.run({"run", "09.1", "--device", "sim"}).code == 3);
  sample::add_runner(f.tree, "kill -SEGV $$\n");
  CHECK(f.run({"run", "09.1", "--device", "sim"}).code == 4);
}

TEST_CASE("run --json - prints JSON and nothing else") {
  const Fixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, "echo printed by a kernel\n" + kAllPass);
  const auto all = nlohmann::json::parse(f.run({"run", "09", "--device", "sim", "--json", "-"}).text);
  CHECK(all["rungs"].size() == 3);
  const std::string file = (f.tree.project.root / "out.json").string();
  CHECK(f.run({"run", "09", "--device", "sim", "--json", file}).has("simulated H200"));
  CHECK(nlohmann::json::parse(read_file(file))["schema"] == 1);
}

TEST_CASE("Ctrl-C on the terminal ends the build and everything below it") {
  const Fixture f;
  const auto pid_file = f.tree.project.root / "pid";
  const sample::FakeCmake cmake(f.tree, "echo '[1/3] nvcc 1_serial.cu'\nsleep 60 &\necho $! > " +
                                            pid_file.string() + ".new\nmv " + pid_file.string() + ".new " +
                                            pid_file.string() + "\nwait\n");
  sample::add_runner(f.tree, kAllPass);
  OnTerminal run(f.tree, {"run", "09.1", "--device", "sim"});
  REQUIRE(run.wait_for("building [1/3] nvcc 1_serial.cu"));
  for (int i = 0; i < 500 && !std::filesystem::exists(pid_file); ++i) ::usleep(10'000);
  REQUIRE(std::filesystem::exists(pid_file));
  run.type("\003");
  const Outcome outcome = run.finish();
  CHECK(outcome.code == 130);
  CHECK(outcome.has("interrupted"));
  const pid_t sleeper = std::stoi(read_file(pid_file));
  bool alive = true;
  for (int i = 0; i < 200 && alive; ++i) {
    const std::filesystem::path stat = "/proc/" + std::to_string(sleeper) + "/stat";
    std::error_code gone;
    alive = std::filesystem::exists(stat, gone) && read_file(stat).find(") Z") == std::string::npos;
    if (alive) ::usleep(10'000);
  }
  CHECK(!alive);
}

TEST_CASE("what is going on is one line that vanishes from a terminal, and is not in a pipe") {
  const Fixture f;
  const sample::FakeCmake cmake(f.tree, "echo '[1/3] nvcc 1_serial.cu'\n");
  sample::add_runner(f.tree,
                     "event "
                     "'{\"event\":\"case\",\"rung\":\"1_serial\",\"label\":\"n=7\",\"index\":2,\"total\":3,"
                     "\"passed\":true}'\nsleep 0.1\n" +
                         sample::verdict("1_serial", "passed") + sample::kDone);
  const Outcome terminal = OnTerminal(f.tree, {"run", "09.1", "--device", "sim"}).finish();
  CHECK(terminal.has("building [1/3] nvcc 1_serial.cu"));
  CHECK(terminal.has("1_serial: case 2 of 3  n=7"));
  CHECK(terminal.text.rfind("\r\033[K") > terminal.text.rfind("case 2 of 3"));
  const Outcome pipe = f.run({"run", "09.1", "--device", "sim"});
  CHECK(!pipe.has("case 2 of 3"));
  CHECK(!pipe.has("\r"));
}
