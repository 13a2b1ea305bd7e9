#include "grader/course/progress.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <thread>

#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/present/map_view.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;

namespace {

struct ProgressFixture {
  sample::Tree tree;
  Course course;
  ProgressFixture() {
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
  }
  const LessonInfo& lesson() const { return course.lessons[0]; }
  const RungInfo& rung() const { return lesson().rungs[0]; }
  Progress progress() const { return Progress(tree.project.state()); }
};

}  // namespace

TEST_CASE("a rung that is right without its idea has a state of its own, and has not passed") {
  const ProgressFixture f;
  f.progress().record_run(f.lesson(), f.rung(), "mine", "idea_missing", "sim");
  CHECK(f.progress().state(f.lesson(), f.rung(), "mine", "skeleton") == RungState::idea_missing);
  CHECK(f.progress().state(f.lesson(), f.rung(), "edited since", "skeleton") == RungState::started);
  CHECK(!f.progress().last_pass(f.lesson(), f.rung()));
}

TEST_CASE("a rung goes from untouched to started, failed, passed and changed") {
  const ProgressFixture f;
  Progress progress = f.progress();
  const auto state = [&](std::string_view contents) {
    return progress.state(f.lesson(), f.rung(), contents, "skeleton");
  };
  CHECK(state("skeleton") == RungState::untouched);
  CHECK(state("mine") == RungState::started);
  progress.record_run(f.lesson(), f.rung(), "mine", "wrong_values", "sim");
  CHECK(state("mine") == RungState::failed);
  CHECK(state("mine, edited") == RungState::started);
  progress.record_run(f.lesson(), f.rung(), "mine, mended", "passed", "sim");
  CHECK(state("mine, mended") == RungState::passed);
  CHECK(state("mine, mended, edited") == RungState::changed);
  CHECK(state("skeleton") == RungState::untouched);
  CHECK(f.progress().state(f.lesson(), f.rung(), "mine, mended", "skeleton") == RungState::passed);
}

TEST_CASE("a file that passed and then failed unchanged is not passed") {
  const ProgressFixture f;
  Progress progress = f.progress();
  progress.record_run(f.lesson(), f.rung(), "racy", "passed", "sim");
  progress.record_run(f.lesson(), f.rung(), "racy", "wrong_values", "sim");
  CHECK(progress.state(f.lesson(), f.rung(), "racy", "skeleton") == RungState::failed);
}

TEST_CASE("progress survives a lesson that gets another number") {
  const ProgressFixture f;
  f.progress().record_run(f.lesson(), f.rung(), "mine", "passed", "sim");
  LessonInfo moved = f.lesson();
  moved.name = "12_reduction";
  moved.number = 12;
  CHECK(f.progress().state(moved, moved.rungs[0], "mine", "") == RungState::passed);
}

TEST_CASE("hints are counted per TODO, beside those of the rung") {
  const ProgressFixture f;
  LessonInfo lesson = f.lesson();
  RungInfo& rung = lesson.rungs.front();
  rung.hints = {{0, "a"}, {1, "b"}, {1, "c"}, {2, "d"}};
  f.progress().set_hints_shown(lesson, rung, 1);
  f.progress().set_hints_shown(lesson, rung, 2, 1);
  CHECK(f.progress().hints_shown(lesson, rung) == 1);
  CHECK(f.progress().hints_shown(lesson, rung, 1) == 2);
  CHECK(f.progress().hints_shown(lesson, rung, 2) == 0);
  CHECK(f.progress().all_hints_shown(lesson, rung) == 3);
}

TEST_CASE(
    "a rung is tried once a file that is not the skeleton was run, and not while it is the skeleton again") {
  const ProgressFixture f;
  const auto tried = [&] { return is_tried(f.progress(), f.lesson(), f.rung()); };
  const std::string skeleton = skeleton_of(f.lesson(), f.rung());
  const auto save = [&](const std::string& text) { write_file(f.lesson().student_file(f.rung()), text); };
  const auto run = [&](const std::string& outcome) {
    f.progress().record_run(f.lesson(), f.rung(), read_file(f.lesson().student_file(f.rung())), outcome,
                            "sim");
  };
  save(skeleton);
  CHECK(!tried());
  run("wrong_values");
  CHECK(!tried());
  save("mine\n");
  CHECK(!tried());  // changed, and the run was of the skeleton
  run("build_failed");
  CHECK(tried());
  save("mine, again\n");
  CHECK(tried());
  save(skeleton);
  CHECK(!tried());
  save("mine\n");
  run("passed");
  save(skeleton);
  CHECK(tried());  // it passed once
}

TEST_CASE("hints are counted per rung") {
  const ProgressFixture f;
  f.progress().set_hints_shown(f.lesson(), f.rung(), 2);
  CHECK(f.progress().hints_shown(f.lesson(), f.rung()) == 2);
  CHECK(f.progress().hints_shown(f.lesson(), f.lesson().rungs[1]) == 0);
}

TEST_CASE("processes that write at once lose nothing of each other's") {
  const ProgressFixture f;
  constexpr int kProcesses = 8, kWrites = 20;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < kWrites; ++i) {
        RungInfo rung = f.rung();
        rung.name = std::to_string(p) + "_" + std::to_string(i);
        f.progress().record_run(f.lesson(), rung, "x", "passed", "sim");
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const auto data = nlohmann::json::parse(read_file(f.progress().file()));
  CHECK(data["rungs"].size() == kProcesses * kWrites);
}

TEST_CASE("keys that this version does not know are kept") {
  const ProgressFixture f;
  write_file(f.tree.project.state() / "progress.json",
             R"({"schema": 2, "streak": 5, "rungs": {"gone/1_x": {"stars": 3}}})");
  f.progress().record_run(f.lesson(), f.rung(), "mine", "passed", "sim");
  const auto data = nlohmann::json::parse(read_file(f.progress().file()));
  CHECK(data["streak"] == 5);
  CHECK(data["rungs"]["gone/1_x"]["stars"] == 3);
}

TEST_CASE("what was done under a former name of a lesson or a rung counts, and is kept for older courses") {
  const ProgressFixture f;
  Progress before = f.progress();
  before.record_run(f.lesson(), f.rung(), "mine", "passed", "sim");
  before.set_hints_shown(f.lesson(), f.rung(), 2);
  LessonInfo renamed = f.lesson();
  renamed.short_name = "sum";
  renamed.formerly = {"total", "reduction"};
  RungInfo& rung = renamed.rungs[0];
  rung.name = "1_one_thread";
  CHECK(f.progress().state(renamed, rung, "mine", "") == RungState::started);
  rung.formerly = {"1_serial"};
  CHECK(f.progress().state(renamed, rung, "mine", "") == RungState::passed);
  CHECK(f.progress().hints_shown(renamed, rung) == 2);
  CHECK(f.progress().ran_last(renamed, rung));
  f.progress().record_run(renamed, rung, "worse", "wrong_values", "sim");
  CHECK(f.progress().state(renamed, rung, "mine", "") == RungState::passed);  // the old pass was taken over
  CHECK(f.progress().last_pass(renamed, rung)->outcome == "passed");
  CHECK(f.progress().last_run(renamed, rung)->outcome == "wrong_values");
  const auto data = nlohmann::json::parse(read_file(f.progress().file()));
  CHECK(data["rungs"]["reduction/1_serial"]["last"]["outcome"] == "passed");
}

TEST_CASE("lesson.toml tells the former names, with or without numbers") {
  std::string text(sample::kLesson);
  text.insert(text.find("[[rung]]"), "formerly = [\"07_sum\", \"total\"]\n");
  text.insert(text.find("summary = \"Pairs"), "formerly = [\"2_pairs\"]\n");
  const LessonInfo lesson = parse_lesson(text, "09_reduction/lesson.toml");
  CHECK(lesson.formerly == std::vector<std::string>{"sum", "total"});
  CHECK(lesson.rungs[1].formerly == std::vector<std::string>{"2_pairs"});
}

TEST_CASE("a process that is killed while it writes leaves whole progress, and stops nobody else") {
  const ProgressFixture f;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      Progress progress = f.progress();
      for (int i = 0;; ++i) {
        RungInfo rung = f.rung();
        rung.name = "1_" + std::to_string(i % 50);
        progress.record_run(f.lesson(), rung, std::string(100, 'x'), "passed", "sim");
      }
    }
    f.progress().record_run(f.lesson(), f.lesson().rungs[1], std::to_string(round), "passed", "sim");
    ::usleep(static_cast<useconds_t>(2'000 + 1'700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Progress after = f.progress();
    CHECK(after.notice().empty());
    CHECK(after.state(f.lesson(), f.lesson().rungs[1], std::to_string(round), "") == RungState::passed);
    after.set_hints_shown(f.lesson(), f.rung(), round);  // nobody holds the lock
    CHECK(f.progress().hints_shown(f.lesson(), f.rung()) == round);
  }
}

TEST_CASE("a progress file that cannot be read is put aside, not overwritten") {
  const ProgressFixture f;
  for (const char* broken : {"{\"schema\": 1, \"rungs\": {", "[]", "{\"schema\": 1, \"rungs\": 3}", ""}) {
    write_file(f.tree.project.state() / "progress.json", broken);
    Progress progress = f.progress();
    CHECK(!progress.notice().empty());
    CHECK(!f.progress().notice().empty());  // to look changes nothing
    progress.record_run(f.lesson(), f.rung(), "mine", "passed", "sim");
    CHECK(f.progress().notice().empty());
  }
  CHECK(read_file(f.tree.project.state() / "unreadable" / "progress.1.json") ==
        "{\"schema\": 1, \"rungs\": {");
  const std::filesystem::directory_iterator kept(f.tree.project.state() / "unreadable");
  CHECK(std::distance(begin(kept), end(kept)) == 4);  // one for each that was broken
}

TEST_CASE("whatever lies in the place of the progress file is put aside, and nothing waits for it") {
  const ProgressFixture f;
  const std::filesystem::path file = f.tree.project.state() / "progress.json";
  std::filesystem::create_directories(f.tree.project.state());
  const std::string nested = "{\"schema\": 1, \"rungs\": " + std::string(3'000'000, '[');
  const std::vector<std::function<void()>> kinds = {
      [&] { write_file(file, nested); },
      [&] {
        write_file(file, "{\"schema\": 1, \"rungs\": {\"a\": " + std::string(500'000, '[') +
                             std::string(500'000, ']') + "}}");
      },
      [&] { std::filesystem::create_symlink("progress.json", file); },
      [&] { std::filesystem::create_symlink("/dev/zero", file); },
      [&] { REQUIRE(::mkfifo(file.c_str(), 0600) == 0); },
      [&] { std::filesystem::create_directory(file); }};
  int number = 0;
  for (const auto& make : kinds) {
    make();
    Progress progress = f.progress();
    CHECK(!progress.notice().empty());
    progress.record_run(f.lesson(), f.rung(), "mine", "passed", "sim");
    CHECK(f.progress().notice().empty());
    CHECK(f.progress().state(f.lesson(), f.rung(), "mine", "") == RungState::passed);
    CHECK(std::filesystem::exists(std::filesystem::symlink_status(
        f.tree.project.state() / "unreadable" / ("progress." + std::to_string(++number) + ".json"))));
    std::filesystem::remove(file);
  }
}

TEST_CASE("the next step is the first rung that is not passed, near the one run last") {
  sample::Tree tree;
  tree.add_lesson("01_vector_add");
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  Progress progress(tree.project.state());
  REQUIRE(next_step(course, progress));
  CHECK(next_step(course, progress)->lesson->number == 1);
  const LessonInfo& second = course.lessons[1];
  progress.record_run(second, second.rungs[0], read_file(second.student_file(second.rungs[0])), "passed",
                      "sim");
  CHECK(next_step(course, progress)->lesson->number == 9);
  CHECK(next_step(course, progress)->rung->number == 3);
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs)
      progress.record_run(lesson, rung, read_file(lesson.student_file(rung)), "passed", "sim");
  CHECK(!next_step(course, progress));
}

namespace {

/// Three lessons of which the second needs the third.
struct Course3 {
  sample::Tree tree;
  Course3() {
    for (const char* name : {"01_first", "02_second", "03_third"}) tree.add_lesson(name);
    const auto needs = [&](const char* lesson, const std::string& list) {
      std::string toml(sample::kLesson);
      const std::string was = "prerequisites = [\"05_transpose\"]";
      toml.replace(toml.find(was), was.size(), "prerequisites = [" + list + "]");
      write_file(tree.project.lessons() / lesson / "lesson.toml", toml);
    };
    needs("01_first", "");
    needs("02_second", "\"01_first\", \"03_third\"");
    needs("03_third", "\"01_first\"");
  }
  Course course() const { return load_course(tree.project); }
  void pass(const LessonInfo& lesson, const RungInfo& rung) const {
    Progress(tree.project.state())
        .record_run(lesson, rung, read_file(lesson.student_file(rung)), "passed", "sim");
  }
  void pass(const LessonInfo& lesson) const {
    for (const RungInfo& rung : lesson.rungs) pass(lesson, rung);
  }
  /// "02.3", or "none".
  static std::string id(const std::optional<NextStep>& step) {
    return step ? step->lesson->id(*step->rung) : "none";
  }
  std::string next(const Course& course) const {
    return id(next_step(course, Progress(tree.project.state())));
  }
  std::string after(const Course& course, std::size_t lesson, std::size_t rung) const {
    return id(step_after(course, Progress(tree.project.state()), course.lessons[lesson],
                         course.lessons[lesson].rungs[rung]));
  }
};

}  // namespace

TEST_CASE("the next lesson is the first whose prerequisites have passed, whatever its number") {
  const Course3 f;
  const Course course = f.course();
  CHECK(f.next(course) == "01.1");
  f.pass(course.lessons[0]);
  CHECK(f.next(course) == "03.1");
  CHECK(f.after(course, 0, 2) == "03.1");  // watch proposes the same
  f.pass(course.lessons[2]);
  CHECK(f.next(course) == "02.1");
  f.pass(course.lessons[1]);
  CHECK(f.next(course) == "none");
  CHECK(f.after(course, 1, 0) == "none");
}

TEST_CASE("lessons that need each other are proposed all the same") {
  const Course3 f;
  std::string toml = read_file(f.tree.project.lessons() / "01_first" / "lesson.toml");
  const std::string was = "prerequisites = []";
  toml.replace(toml.find(was), was.size(), "prerequisites = [\"02_second\"]");
  write_file(f.tree.project.lessons() / "01_first" / "lesson.toml", toml);
  CHECK(f.next(f.course()) == "01.1");
}

TEST_CASE("a rung that passed leads to what its lesson has left, one that did not is skipped, in a circle") {
  const Course3 f;
  const Course course = f.course();
  f.pass(course.lessons[0], course.lessons[0].rungs[2]);
  CHECK(f.after(course, 0, 2) == "01.1");
  CHECK(f.next(course) == "01.1");
  CHECK(f.after(course, 0, 0) == "01.3");  // skipped
  CHECK(f.after(course, 0, 1) == "03.1");  // as if 01 had passed; 02 waits for 03
  CHECK(f.after(course, 2, 2) == "01.1");
}
