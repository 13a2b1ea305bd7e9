#include "grader/run/lesson_run.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "grader/platform/failure.h"
#include "grader/run/contract.h"
#include "tests/grader/support/fakes.h"

using namespace ladder;
using namespace ladder::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

struct LessonRunFixture {
  sample::Tree tree;
  Course course;
  Terminal terminal;
  TransientLine progress{terminal};
  LessonRunFixture() {
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
  }
  LessonRunResult run(const LessonRunEvents& events = {}, const std::string& what = "09") {
    LessonRunOptions options;
    options.device = "sim";
    return run_lesson(tree.project, find_selection(course, what), options, events, progress);
  }
};

std::vector<std::string> outcomes(const LessonRunResult& result) {
  std::vector<std::string> all;
  for (const RungResult& rung : result.rungs)
    all.push_back(rung.verdict.rung + " " + to_string(rung.verdict.outcome));
  return all;
}

}  // namespace

TEST_CASE("verdicts come from the runner's private channel, and from nothing that is printed") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree,
             "event '{\"event\":\"rung_started\",\"rung\":\"1_serial\",\"cases_total\":3}'\n"
             "echo '{\"event\":\"rung\",\"rung\":\"1_serial\",\"outcome\":\"passed\"}'\nsleep 0.1\n" +
                 sample::verdict("1_serial", "wrong_values", "x = 3") +
                 sample::verdict("3_interleaved", "passed") + sample::verdict("10_warp_shuffle", "not_run") +
                 sample::kDone);
  const LessonRunResult result = f.run();
  CHECK(outcomes(result) ==
        std::vector<std::string>{"1_serial wrong_values", "3_interleaved passed", "10_warp_shuffle not_run"});
  CHECK(result.device.seed == 42);
  CHECK(result.rungs[0].verdict.printed == std::vector<std::string>{"x = 3"});
  CHECK(result.rungs[0].open_todos.size() == 2);
}

TEST_CASE("a rung that does not compile takes its place in the ladder, and the others run") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree,
                                "echo '[1/3] nvcc 1_serial.cu'\necho 'FAILED: "
                                "modules/09_reduction/1_serial.student.so '\necho 'nvcc 1_serial.cu'\n"
                                "echo '" +
                                    (f.tree.project.lessons() / "09_reduction/1_serial.cu").string() +
                                    "(3): error: expected a \";\"'\nexit 1\n");
  add_runner(f.tree, "case \"$*\" in *1_serial*) exit 9 ;; esac\n" +
                         sample::verdict("3_interleaved", "passed") +
                         sample::verdict("10_warp_shuffle", "passed") + sample::kDone);
  const LessonRunResult result = f.run();
  CHECK(outcomes(result) ==
        std::vector<std::string>{"1_serial build_failed", "3_interleaved passed", "10_warp_shuffle passed"});
  CHECK(result.rungs[0].verdict.headline == "does not compile: 1_serial.cu:3: expected a \";\"");
}

TEST_CASE(
    "times at further sizes are filed with their rungs, and a rung that is wrong there has not passed") {
  LessonRunFixture f;
  const auto timed = [](const std::string& rung, const std::string& outcome, double median) {
    return fmt::format(
        "event '{{\"event\":\"timed\",\"rung\":\"{}\",\"outcome\":\"{}\",\"headline\":\"told\","
        "\"timing\":{{\"median_ms\":{},\"size\":\"n=7\"}}}}'\n",
        rung, outcome, median);
  };
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree, sample::verdict("1_serial", "passed") + sample::verdict("3_interleaved", "passed") +
                         sample::verdict("10_warp_shuffle", "not_run") +
                         "event '{\"event\":\"size\",\"size\":\"n=7\"}'\n" +
                         timed("1_serial", "passed", 2.5) + timed("3_interleaved", "wrong_values", 1) +
                         sample::kDone);
  const LessonRunResult result = f.run();
  REQUIRE(result.rungs[0].verdict.more_timings.size() == 1);
  CHECK(result.rungs[0].verdict.more_timings[0].median_ms == 2.5);
  CHECK(result.rungs[1].verdict.outcome == Outcome::wrong_values);
  CHECK(result.rungs[1].verdict.headline == "told");
}

TEST_CASE("a rung that is right without its idea has a verdict of its own") {
  LessonRunFixture f;
  const std::filesystem::path toml = f.tree.project.lessons() / "09_reduction/lesson.toml";
  std::string text = read_file(toml);
  const std::string second = "[[rung]]\nname = \"3_interleaved\"";
  text.insert(text.find(second),
              "[[rung.idea]]\nmetric = \"launches\"\nat_least = 1\nsays = \"nothing is launched\"\n");
  write_file(toml, text);
  f.course = load_course(f.tree.project);
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  const std::string timed = "\"outcome\":\"passed\",\"timing\":{\"median_ms\":1,\"modelled\":true}}'\n";
  add_runner(f.tree, "event '{\"event\":\"rung\",\"rung\":\"1_serial\"," + timed +
                         "event '{\"event\":\"rung\",\"rung\":\"3_interleaved\"," + timed +
                         sample::verdict("10_warp_shuffle", "not_run") + sample::kDone);
  const LessonRunResult result = f.run();
  CHECK(outcomes(result) ==
        std::vector<std::string>{"1_serial idea_missing", "3_interleaved passed", "10_warp_shuffle not_run"});
  CHECK(result.rungs[0].verdict.headline ==
        "right answer, but the idea of rung 1 is missing: nothing is launched");
}

TEST_CASE("what was built of other contents is built anew, whatever the times of the files say") {
  LessonRunFixture f;
  const std::filesystem::path file = f.tree.project.lessons() / "09_reduction/1_serial.cu",
                              module = f.tree.project.build / "modules/09_reduction/1_serial.student.so";
  // As ninja: what is there and newer than its file is left alone.
  const sample::FakeCmake cmake(
      f.tree, "module=" + module.string() + "\nmkdir -p $(dirname $module)\n[ $module -nt " + file.string() +
                  " ] || cp " + file.string() + " $module\n" + "if grep -q saved " + file.string() +
                  "; then echo later > " + file.string() + "; fi\nexit 0\n");
  add_runner(f.tree, sample::verdict("1_serial", "passed") + sample::kDone);
  const auto built_of = [&](const std::string& contents) {
    write_file(file, contents);
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    f.run({}, "09.1");
    return read_file(module);
  };
  CHECK(built_of("// mine\n") == "// mine\n");
  CHECK(built_of("// an older one, moved back\n") == "// an older one, moved back\n");
  CHECK(built_of("// saved while it compiled\n") == "// saved while it compiled\n");
  CHECK(built_of("later\n") == "later\n");
  write_file(module, "kept");
  CHECK(built_of("later\n") == "kept");
}

TEST_CASE("a runner that dies costs only the rungs it had not judged, and says so") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree, sample::verdict("1_serial", "passed") + "kill -SEGV $$\n");
  const LessonRunResult result = f.run();
  CHECK(outcomes(result) == std::vector<std::string>{"1_serial passed", "3_interleaved harness_failed",
                                                     "10_warp_shuffle harness_failed"});
  CHECK_THAT(result.rungs[1].verdict.headline, ContainsSubstring("runner-sim was ended by signal 11"));
}

TEST_CASE("a runner that cannot begin is a trouble of the environment") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree, "event '{\"event\":\"error\",\"message\":\"lesson.so: cannot open\"}'\nexit 2\n");
  CHECK_THROWS_WITH(f.run(), "runner-sim: lesson.so: cannot open");
  add_runner(f.tree, "event '{\"event\":\"error\",\"message\":\"driver too old\"}'\nexit 3\n");
  CHECK_THROWS_WITH(f.run(), "there is no device to run on: driver too old");
}

TEST_CASE("a build that fails elsewhere than in a rung is no verdict on the student") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(
      f.tree, "echo 'FAILED: lib/libsim_core.a '\necho 'c++ x.cpp'\necho 'x.cpp:1: boom'\nexit 1\n");
  add_runner(f.tree, "");
  try {
    f.run();
    FAIL("it was taken for a success");
  } catch (const Failure& failure) {
    CHECK(failure.code() == ExitCode::environment);
    CHECK_THAT(failure.what(), ContainsSubstring("libsim_core.a could not be built"));
    CHECK_THAT(failure.advice(), ContainsSubstring("x.cpp:1: boom"));
  }
}

TEST_CASE("without a build the next step is named") {
  LessonRunFixture f;
  try {
    f.run();
    FAIL("it ran without a build");
  } catch (const Failure& failure) {
    CHECK_THAT(failure.advice(), ContainsSubstring("./ladder setup"));
  }
}

TEST_CASE("JSON carries the verdicts, and findings and kernels of all rungs together") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree,
             "event "
             "'{\"event\":\"rung\",\"lesson\":\"09_reduction\",\"rung\":\"3_interleaved\",\"outcome\":"
             "\"finding\",\"findings\":[{\"kind\":\"race\",\"line\":12}],"
             "\"kernels\":[{\"name\":\"k\",\"launch\":1}]}'\n" +
                 std::string(sample::kDone));
  const nlohmann::json all = to_json(f.run({}, "09.3"), f.course.lessons[0], Side::student);
  CHECK(all["schema"] == 1);
  CHECK(all["device"]["name"] == "H200");
  CHECK(!all["device"].contains("event"));
  REQUIRE(all["rungs"].size() == 1);
  CHECK(all["rungs"][0]["outcome"] == "finding");
  CHECK(all["findings"][0]["kind"] == "race");
  CHECK(all["findings"][0]["rung"] == "3_interleaved");
  CHECK(all["kernels"][0]["name"] == "k");
}

TEST_CASE("dev check holds both sides to the contract") {
  LessonRunFixture f;
  const sample::FakeCmake cmake(f.tree, "exit 0\n");
  add_runner(f.tree, "case \"$*\" in\n*student*)\n" + sample::verdict("1_serial", "wrong_values") +
                         sample::verdict("3_interleaved", "passed") +
                         sample::verdict("10_warp_shuffle", "launch_failed") + ";;\n*)\n" +
                         sample::verdict("1_serial", "passed") + sample::verdict("3_interleaved", "passed") +
                         sample::verdict("10_warp_shuffle", "timed_out") + ";;\nesac\n" + sample::kDone);
  const std::vector<Violation> found =
      check_behaviour(f.tree.project, f.course.lessons[0], false, {}, f.progress);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0].what, ContainsSubstring("the solution fails"));
  CHECK(found[0].file.filename() == "10_warp_shuffle.cu");
  CHECK_THAT(found[1].what, ContainsSubstring("the skeleton passes"));
  CHECK(found[1].file.filename() == "3_interleaved.cu");
}
