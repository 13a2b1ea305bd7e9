#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "grader/course/text/skeleton.h"
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
           {}, {"list"}, {"list", "09"}, {"hint", "09.3"}, {"diff", "09.1"}, {"diff", "09.1", "--anyway"}})
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

TEST_CASE("run takes a rung's file from elsewhere and keeps what it replaces") {
  const Fixture f;
  const std::filesystem::path cell = f.tree.project.root / "cell.cu";
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", "09.1", "--device", "sim"};
    words.insert(words.end(), more.begin(), more.end());
    return f.run(words);
  };
  write_file(cell, "first\n");
  CHECK(!run({"--from", cell.string()}).has("was kept"));  // nobody wrote the skeleton
  CHECK(read_file(f.rung()) == "first\n");
  CHECK(!run({"--from", cell.string()}).has("was kept"));  // it is that already
  write_file(cell, "second\n");
  const Outcome second = run({"--from", cell.string()});
  INFO(second.text);
  CHECK(second.has("Yours was kept: "));
  CHECK(read_file(f.rung()) == "second\n");
  CHECK(capture({"grep", "-rqx", "first", f.tree.project.backups().string()}).status.ok());

  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"run", "09", "--from", cell.string()}, {"run", "09.1", "--solution", "--from", cell.string()}})
    CHECK(f.run(wrong).has("--from brings the file of one rung of yours"));
  write_file(cell, "");
  CHECK(run({"--from", cell.string()}).has("--from brought nothing"));
  CHECK(run({"--from", (f.tree.project.root / "none.cu").string()}).code == 3);
  CHECK(read_file(f.rung()) == "second\n");
}

TEST_CASE("a build folder of another checkout is refused: it would judge that one's rungs") {
  const Fixture f;
  const std::filesystem::path other = f.tree.project.root / "another";
  std::filesystem::create_directories(other);
  write_file(f.tree.project.build / "CMakeCache.txt", "");
  write_file(f.tree.project.build / "toolchain.json", "{\"source_dir\": \"" + other.string() + "\"}");
  const Outcome refused = f.run({"run", "09.1", "--device", "sim"});
  INFO(refused.text);
  CHECK(refused.code == 3);
  CHECK(refused.has("was built for the checkout"));
  CHECK(refused.has("LADDER_BUILD_DIR names a build folder of this checkout"));
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

TEST_CASE("hints are those of the first open TODO, or of the one that is named, and say how many are left") {
  const Fixture f;
  std::string toml(sample::kLesson);
  const std::string was = "hints = [\"A loop.\", \"A loop over n.\"]";
  toml.replace(
      toml.find(was), was.size(),
      "hints = [\n\"It is a sum.\",\n{ todo = 1, text = \"A loop.\" },\n{ todo = 1, text = \"Over n.\" },\n"
      "{ todo = 2, text = \"One store.\" }]");
  write_file(f.tree.project.lessons() / "09_reduction" / "lesson.toml", toml);
  const Outcome first = f.run({"hint", "09.1"});
  CHECK(first.has("Hint 1 of 1 for 09.1 serial\n  It is a sum."));
  CHECK(first.has("2 hints are left for TODO(1); ./ladder hint 09.1 shows the next one."));
  const Outcome second = f.run({"hint", "09.1"});
  CHECK(second.has("Hint 1 of 2 for TODO(1) of 09.1 serial\n  A loop."));
  CHECK(second.has("1 hint is left for TODO(1); ./ladder hint 09.1"));
  const Outcome third = f.run({"hint", "09.1"});
  CHECK(third.has("Over n."));
  CHECK(third.has("That was the last hint for TODO(1).\nTODO(2) has some: ./ladder hint 09.1 --todo 2\n"));
  CHECK(third.has("./ladder run 09.1: after that,\n./ladder diff 09.1 shows the solution"));
  CHECK(f.run({"hint", "09.1", "--todo", "2"}).has("Hint 1 of 1 for TODO(2) of 09.1 serial\n  One store."));
  CHECK(!f.run({"hint", "09.1"}).has("TODO(2) has some"));
  const Outcome none = f.run({"hint", "09.1", "--todo", "3"});
  CHECK(none.code == 2);
  CHECK(none.has("09.1 has no TODO(3)"));
  CHECK(f.run({"hint", "09.3", "--todo", "1"}).has("TODO(1) of 09.3 has no hints of its own"));

  // The student does TODO(1): the next one's come.
  std::string mine = read_file(f.rung());
  mine.insert(mine.find("into a register (2 lines).\n") + 27, "  float sum = 0;\n");
  write_file(f.rung(), mine);
  CHECK(f.run({"hint", "09.1"}).has("Hint 1 of 1 for TODO(2)"));
  CHECK(f.run({"progress", "--json"}).has("\"hints_shown\": 4"));

  std::filesystem::remove_all(f.tree.project.root / "solutions");  // hints need none
  CHECK(f.run({"hint", "09.1"}).has("Hint 1 of 1 for TODO(2)"));
}

TEST_CASE("diff keeps the solution closed before a first try, and asks until the rung has passed") {
  const Fixture f;
  const Outcome untouched = f.run({"diff", "09.1", "--yes"});
  CHECK(untouched.code == 0);
  CHECK(untouched.text ==
        "09.1 is still the skeleton; its solution opens after a first try.\n"
        "./ladder diff 09.1 --anyway shows it now; ./ladder hint 09.1 helps.\n");
  CHECK(f.run({"diff", "09.1", "--anyway"}).has("+  *out = sum;"));
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, sample::verdict("1_serial", "wrong_values") + sample::kDone);
  REQUIRE(f.run({"run", "09.1", "--device", "sim"}).code == 1);
  CHECK(f.run({"diff", "09.1", "--yes"}).has("is still the skeleton"));  // a run of that is no try
  write_file(f.rung(), "// mine\n");
  CHECK(f.run({"diff", "09.1", "--yes"}).has("09.1 was not run yet"));
  REQUIRE(f.run({"run", "09.1", "--device", "sim"}).code == 1);
  CHECK(f.run({"diff", "09.1"}).has("09.1 has not passed yet"));
  CHECK(!f.run({"diff", "09.1"}).has("+  *out = sum;"));
  CHECK(f.run({"diff", "09.1", "--yes"}).has("+  *out = sum;"));
  sample::add_runner(f.tree, sample::verdict("1_serial", "passed") + sample::kDone);
  f.solve();
  REQUIRE(f.run({"run", "09.1", "--device", "sim"}).code == 0);
  CHECK(f.run({"diff", "09.1"}).has("-// mine"));
  REQUIRE(f.run({"reset", "09.1"}).code == 0);
  CHECK(f.run({"diff", "09.1", "--yes"}).has("+  *out = sum;"));  // it passed once
}

TEST_CASE("a detour says why before the work begins, and not afterwards") {
  const Fixture f;
  std::string toml(sample::kLesson);
  toml.replace(toml.find("hints"), 0, "detour = \"Slower, and the base of what follows.\"\n");
  write_file(f.tree.project.lessons() / "09_reduction" / "lesson.toml", toml);
  const std::string why = "A detour: Slower, and the base of what follows.";
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree, sample::verdict("1_serial", "wrong_values") + sample::kDone);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"hint", "09.1"}, {"run", "09.1", "--device", "sim"}}) {
    CAPTURE(words);
    write_file(f.rung(), make_skeleton(sample::kSolution).text);
    CHECK(f.run(words).has(why));
    write_file(f.rung(), "// mine\n");
    CHECK(!f.run(words).has(why));
  }
  write_file(f.rung(), make_skeleton(sample::kSolution).text);
  CHECK(!f.run({"run", "09.1", "--solution", "--device", "sim"}).has(why));
  CHECK(f.run({"list", "09"}).has("09.1  serial ↷"));
}

TEST_CASE("the simulator's ladder shows what a GPU recorded, apart from what is modelled, and does without") {
  const Fixture f;
  const auto timed = [](const std::string& rung) {
    const std::string plain = sample::verdict(rung, "passed");
    const std::string timing =
        "\"timing\":{\"median_ms\":2,\"q1_ms\":2,\"q3_ms\":2,\"samples\":1,\"modelled\":true,\"size\":\"n="
        "8\"},";
    return std::string(plain).insert(plain.find("\"findings\""), timing);
  };
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  sample::add_runner(f.tree,
                     timed("1_serial") + timed("3_interleaved") + timed("10_warp_shuffle") + sample::kDone);
  const std::vector<std::string> run = {"run", "09", "--device", "sim"},
                                 json = {"run", "09", "--device", "sim", "--json", "-"};
  CHECK(!f.run(run).has("recorded"));
  CHECK(!nlohmann::json::parse(f.run(json).text).contains("recorded"));

  const std::filesystem::path file = f.tree.project.lessons() / "09_reduction" / "measured.json";
  write_file(file, R"({"schema": 1, "date": "2026-11-22", "device": {"name": "NVIDIA H200", "machine": "gpu",
    "compute_capability": "9.0", "time_size": "n=9"}, "baselines": [], "rungs": [{"rung": "1_serial", "outcome":
    "passed", "timing": {"median_ms": 7.25, "q1_ms": 7, "q3_ms": 7.5, "samples": 12, "size": "n=9"}}]})");
  const Outcome shown = f.run(run);
  CHECK(shown.has("recorded, H200, 2026-11-22\n"));
  CHECK(shown.has("7.25 ms"));
  CHECK(shown.has("recorded, H200, 2026-11-22: the lesson's solutions, measured at n=9"));
  for (const std::string& line : split_lines(shown.text)) CHECK(display_width(line) <= 80);
  sample::add_runner(f.tree, timed("1_serial") + sample::kDone);
  CHECK(f.run({"run", "09.1", "--device", "sim"}).has("recorded, H200, 2026-11-22: 7.25 ms at n=9"));
  sample::add_runner(f.tree, timed("3_interleaved") + sample::kDone);
  CHECK(!f.run({"run", "09.3", "--device", "sim"}).has("recorded"));  // of that rung nothing was
  sample::add_runner(f.tree,
                     timed("1_serial") + timed("3_interleaved") + timed("10_warp_shuffle") + sample::kDone);
  const auto all = nlohmann::json::parse(f.run(json).text);
  CHECK(all["recorded"]["label"] == "recorded, H200, 2026-11-22");
  REQUIRE(all["recorded"]["rungs"].size() == 1);
  CHECK(all["recorded"]["rungs"][0]["timing"]["median_ms"] == 7.25);
  CHECK(all["rungs"][0]["timing"]["median_ms"] == 2);

  write_file(file, "{");
  const Outcome broken = f.run(run);
  CHECK(broken.code == 0);
  CHECK(broken.has("note: "));
}

TEST_CASE("the map, the lists and the report count the kernels of ladder hunt") {
  const Fixture f;
  CHECK(!f.run({}).has("ladder hunt"));
  write_file(
      f.tree.project.root / "tests" / "corpora" / "mutants" / "lessons" / "09_reduction" / "no_store.toml",
      "rung = \"1_serial\"\noutcome = \"wrong_values\"\nwords = [\"wrong\"]\n[[edit]]\nfind = \"*out = "
      "sum;\"\nput = \";\"\n"
      "[hunt]\nkind = \"coverage\"\nlearn = \"It is stored.\"\nhint = \"Who reads sum?\"\n");
  CHECK(f.run({}).has("0/3  0/1"));
  CHECK(f.run({"list", "09"}).has("./ladder hunt 09   0 of 1 kernels mended"));
  CHECK(f.run({"progress"}).has("0 of 1 kernels of ./ladder hunt found, 0 mended"));
  const std::string report = (f.tree.project.root / "report.html").string();
  f.run({"report", "--out", report});
  CHECK(read_file(report).find("Kernels mended") == std::string::npos);
  write_file(
      f.tree.project.state() / "hunts.json",
      R"({"schema": 1, "exercises": {"reduction/no_store": {"found": true, "mended": true, "guesses": 0}}})");
  CHECK(f.run({}).has("0/3  1/1"));
  const auto progress = nlohmann::json::parse(f.run({"progress", "--json"}).text);
  CHECK(progress["hunts"] == nlohmann::json{{"all", 1}, {"found", 1}, {"mended", 1}});
  CHECK(progress["lessons"][0]["hunts"]["mended"] == 1);
  f.run({"report", "--out", report});
  CHECK(read_file(report).find("1 of 1 kernels with a mistake found, 1 mended.") != std::string::npos);
}

TEST_CASE(
    "diff --below shows what a rung's solution changes in that of the rung below, without what was to do") {
  const Fixture f;
  write_file(f.tree.project.root / "solutions" / "09_reduction" / "3_interleaved.cu",
             std::string(sample::kSolution) + "// the idea\n");
  CHECK(!f.run({"diff", "09.3", "--below"}).has("+// the idea"));
  const Outcome shown = f.run({"diff", "09.3", "--below", "--anyway"});
  CHECK(shown.has("+// the idea"));
  CHECK(shown.has("1_serial.cu   (the rung below)"));
  CHECK(!shown.has("TODO"));
  CHECK(f.run({"diff", "09.10", "--below", "--anyway"}).code == 0);
  const Outcome lowest = f.run({"diff", "09.1", "--below", "--anyway"});
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
