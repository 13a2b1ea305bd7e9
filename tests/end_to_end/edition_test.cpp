// `ladder dev edition student` and what students do with it: work in it, and bring it up to date.
#include <catch2/catch_test_macros.hpp>

#include "grader/course/edition.h"
#include "grader/platform/files.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
using end_to_end::Outcome;
namespace fs = std::filesystem;

namespace {

/// An instructor's checkout, no clone, and the folder of a student.
struct Handed {
  sample::Tree instructor, student;

  Handed() {
    instructor.add_lesson("09_reduction");
    instructor.add_lesson("12_other");
    write_file(instructor.project.root / "tests" / "secret.cpp", "tests\n");
    write_file(instructor.project.root / "exam" / "questions.md", "exam\n");
    write_file(instructor.project.root / "docs" / "student.md", "guide\n");
    write_file(instructor.project.root / "docs" / "edition" / "README.md",
               "# Course\n<!-- map: begin -->\n<!-- map: end -->\n");
    write_file(reference(), "int shown;\n// BEGIN HIDDEN\nint hidden_case;\n// END HIDDEN\nint shown_too;\n");
    // The instructor has solved a rung where they tried it.
    write_file(instructor.project.lessons() / "09_reduction" / "1_serial.cu", "float sum = 0;\n");
    fs::remove(student.project.root / "CMakeLists.txt");
    fs::remove(student.project.lessons());
    made = make();
  }
  fs::path reference() const { return instructor.project.lessons() / "09_reduction" / "reduction.cpp"; }
  fs::path solution() const { return instructor.project.solutions() / "09_reduction" / "1_serial.cu"; }
  Outcome make(const std::string& to = "") const {
    return end_to_end::ladder(instructor,
                              {"dev", "edition", "student", to.empty() ? student.project.root.string() : to});
  }
  Outcome run(std::vector<std::string> args) const { return end_to_end::ladder(student, std::move(args)); }
  fs::path rung(const std::string& name = "1_serial") const {
    return student.project.lessons() / "09_reduction" / (name + ".cu");
  }
  Outcome update(const std::string& archive) const {
    REQUIRE(make(archive).code == 0);
    return run({"update", archive});
  }

  Outcome made;
};

bool holds(const fs::path& folder, const std::string& text) {
  return capture({"grep", "-rq", text, folder.string()}).status.ok();
}

}  // namespace

TEST_CASE(
    "a student's edition has lessons and docs, and no solution, test, hidden line or folder of the "
    "instructor's") {
  const Handed f;
  CAPTURE(f.made.text);
  REQUIRE(f.made.code == 0);
  const fs::path root = f.student.project.root;
  CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  CHECK(fs::exists(root / "docs" / "student.md"));
  CHECK(read_file(root / "README.md").find("[Reduction](lessons/09_reduction/README.md)") !=
        std::string::npos);
  for (const char* folder : {"solutions", "tests", "exam"}) CHECK(!fs::exists(root / folder));
  CHECK(!holds(root, "float sum = 0"));
  CHECK(!holds(root, "hidden_case"));
  CHECK(read_file(root / "lessons" / "09_reduction" / "reduction.cpp") == "int shown;\nint shown_too;\n");
  CHECK(f.run({"--version"}).has("student edition"));
}

TEST_CASE("rungs run, hints help and a reset works in an edition without solutions") {
  const Handed f;
  const sample::FakeCmake cmake(f.student, "exit 0\n");
  sample::add_runner(f.student, sample::verdict("1_serial", "wrong_values") + sample::kDone);
  const Outcome open = f.run({"run", "09.1", "--device", "sim"});
  CAPTURE(open.text);
  CHECK(open.code == 1);
  CHECK(open.has("TODO(2) at"));
  CHECK(open.has("./ladder hint 09.1"));
  CHECK(f.run({"hint", "09.1"}).has("A loop."));
  const Outcome last = f.run({"hint", "09.1"});
  CHECK(last.has("This edition has no solutions"));
  CHECK(!last.has("ladder diff"));
  CHECK(f.run({}).has("0 of 6 rungs passed"));
  write_file(f.rung(), "mine\n");
  CHECK(f.run({"reset", "09.1"}).code == 0);
  CHECK(read_file(f.rung()) == make_skeleton(sample::kSolution).text);
  sample::add_runner(f.student, sample::verdict("1_serial", "passed") + sample::kDone);
  const Outcome passed = f.run({"run", "09.1", "--device", "sim"});
  CHECK(passed.code == 0);
  CHECK(!passed.has("ladder diff"));
}

TEST_CASE("a student's repository gets the verdicts of what a push brought from its forge") {
  sample::Tree instructor, student;
  instructor.add_lesson("09_reduction");
  const fs::path forge = fs::path("docs") / "edition" / "forge";
  for (const char* file : {"verdicts.sh", "github.yml", "gitlab.yml"})
    write_file(instructor.project.root / forge / file, read_file(fs::path(LADDER_SOURCE_DIR) / forge / file));
  fs::permissions(instructor.project.root / forge / "verdicts.sh", fs::perms::owner_all);
  const fs::path root = student.project.root;
  fs::remove(root / "CMakeLists.txt");
  fs::remove(student.project.lessons());
  REQUIRE(end_to_end::ladder(instructor, {"dev", "edition", "student", root.string()}).code == 0);
  CHECK(fs::exists(root / ".github" / "workflows" / "ladder.yml"));
  CHECK(fs::exists(root / ".gitlab-ci.yml"));
  CHECK(!fs::exists(root / forge / "github.yml"));

  // What the workflows call, in a clone, with a ./ladder that is set up.
  write_file(root / "ladder", "#!/bin/sh\nexec " + end_to_end::ladder_binary() + " \"$@\"\n");
  fs::permissions(root / "ladder", fs::perms::owner_all);
  const sample::FakeCmake cmake(student, "exit 0\n");
  sample::add_runner(student, sample::verdict("1_serial", "wrong_values") + sample::kDone);
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", root.string(), "-c", "user.name=a", "-c", "user.email=a@b"});
    const Captured said = capture(words);
    INFO(said.output);
    REQUIRE(said.status.ok());
    return said.output;
  };
  const auto verdicts = [&](const std::string& before) {
    Outcome outcome;
    const auto status = run_process(
        {{(root / forge / "verdicts.sh").string(), before}, end_to_end::course_environment(student)},
        [&](std::string_view line) { outcome.text.append(line).push_back('\n'); });
    outcome.code = status.code;
    return outcome;
  };
  git({"init", "--quiet"});
  git({"add", "--all"});
  git({"commit", "--quiet", "-m", "as it came"});
  std::string before = git({"rev-parse", "HEAD"});
  before.pop_back();
  const Outcome nothing = verdicts(before);
  INFO(nothing.text);
  CHECK(nothing.code == 0);
  CHECK(nothing.has("No rung changed."));

  write_file(student.project.lessons() / "09_reduction" / "1_serial.cu", "mine\n");
  git({"commit", "--quiet", "--all", "-m", "mine"});
  for (const std::string& known : {before, std::string("0000000000000000000000000000000000000000")}) {
    const Outcome wrong = verdicts(known);
    INFO(wrong.text);
    CHECK(wrong.code == 1);
    CHECK(wrong.has("<details open><summary>\u2717 09.1 serial</summary>"));
    CHECK(wrong.has("\n    \u2717 09.1"));  // what was said, as it was said
    CHECK(!wrong.has("09.2"));
  }
  sample::add_runner(student, sample::verdict("1_serial", "passed") + sample::kDone);
  const Outcome passed = verdicts(before);
  INFO(passed.text);
  CHECK(passed.code == 0);
  CHECK(passed.has("<details><summary>\u2713 09.1 serial"));
}

TEST_CASE("diff and --solution say that an edition has none") {
  const Handed f;
  const sample::FakeCmake cmake(f.student, "exit 0\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"diff", "09.1", "--yes"},
           {"diff", "09.3", "--below"},
           {"run", "09.1", "--solution"},
           {"lens", "09.1", "--solution"},
           {"bundle", "09.1", "--solution"},
           {"dev", "edition", "student", (f.student.project.root / "again.tar.gz").string()}}) {
    const Outcome said = f.run(words);
    CAPTURE(words, said.text);
    CHECK(said.code == 2);
    CHECK(said.has("this edition of the course has no solutions"));
  }
  const Outcome demo = f.run({"demo"});
  CHECK(demo.code == 0);
  CHECK(demo.has("no finished ladder to climb here"));
  CHECK(demo.has("./ladder shows the course"));
}

TEST_CASE("the watcher of an edition offers no diff, and says why where it is asked for") {
  const Handed f;
  const sample::FakeCmake cmake(f.student, "exit 0\n");
  sample::add_runner(f.student, sample::kDone);
  end_to_end::OnTerminal watch(f.student, {"watch", "09.1"});
  REQUIRE(watch.wait_for("TODO(2), line"));
  REQUIRE(watch.wait_for("quit"));
  CHECK(watch.text().find("diff") == std::string::npos);
  watch.type("d");
  CHECK(watch.wait_for("This edition of the course has no solutions"));
  watch.type("q");
  CHECK(watch.finish().code == 0);
}

TEST_CASE("a newer edition comes without touching what a student wrote") {
  const Handed f;
  const std::string archive = (f.instructor.project.root / "next.tar.gz").string();
  write_file(f.rung(), "mine\n");
  write_file(f.student.project.root / "lessons" / "09_reduction" / "notes.txt", "my notes\n");
  write_file(f.student.project.root / "docs" / "student.md", "guide, with my remarks\n");
  const Outcome none = f.update(archive);
  CAPTURE(none.text);
  CHECK(none.has("0 files added, 0 changed, 0 removed"));
  CHECK(!none.has("another beginning"));

  const std::string other = "// A better task.\n" + std::string(sample::kSolution);
  write_file(f.solution(), other);
  write_file(f.solution().parent_path() / "3_interleaved.cu", other);
  write_file(f.instructor.project.root / "docs" / "student.md", "guide, second edition\n");
  f.instructor.add_lesson("13_new");
  fs::remove_all(f.instructor.project.lessons() / "12_other");
  const Outcome newer = f.update(archive);
  CAPTURE(newer.text);
  REQUIRE(newer.code == 0);
  CHECK(read_file(f.rung()) == "mine\n");
  CHECK(newer.has(
      "lessons/09_reduction/1_serial.cu has another beginning now; ./ladder reset 09_reduction/1_serial"));
  CHECK(read_file(f.rung("3_interleaved")) == make_skeleton(other).text);
  CHECK(read_file(f.student.project.root / "docs" / "student.md") == "guide, second edition\n");
  CHECK(read_file(f.student.project.root / ".ladder" / "former" / "docs" / "student.1.md") ==
        "guide, with my remarks\n");
  CHECK(fs::exists(f.student.project.lessons() / "13_new" / "1_serial.cu"));
  CHECK(!fs::exists(f.student.project.lessons() / "12_other"));
  CHECK(read_file(f.student.project.root / "lessons" / "09_reduction" / "notes.txt") == "my notes\n");
  CHECK(f.run({"reset", "09_reduction/1_serial"}).code == 0);
  CHECK(read_file(f.rung()) == make_skeleton(other).text);
  CHECK(end_to_end::ladder(f.instructor, {"update", archive}).has("the whole course"));
}

TEST_CASE("a lesson that a newer edition has no more leaves a student's rung behind") {
  const Handed f;
  const std::string archive = (f.instructor.project.root / "next.tar.gz").string();
  const fs::path mine = f.student.project.lessons() / "12_other" / "1_serial.cu";
  write_file(mine, "mine\n");
  fs::remove_all(f.instructor.project.lessons() / "12_other");
  REQUIRE(f.update(archive).code == 0);
  CHECK(!fs::exists(mine));
  CHECK(read_file(f.student.project.root / ".ladder" / "former" / "lessons" / "12_other" / "1_serial.1.cu") ==
        "mine\n");
}

TEST_CASE("what would give something away, or has no place, is refused before anything is written") {
  const Handed f;
  const fs::path out = f.instructor.project.root / "out";
  for (const char* wrong :
       {"// BEGIN HIDDEN\nint x;\n", "// END HIDDEN\n", "int x;  // BEGIN HIDDEN\n// END HIDDEN\n",
        "// BEGIN SOLUTION\nint x;\n// END SOLUTION\n"}) {
    write_file(f.reference(), wrong);
    const Outcome said = f.make(out.string());
    CAPTURE(said.text, wrong);
    CHECK(said.code == 1);
    CHECK(said.has("lessons/09_reduction/reduction.cpp"));
    CHECK(!fs::exists(out));
  }
  write_file(f.reference(), "int x;\n");
  write_file(out / "thesis.tex", "important\n");
  const Outcome full = f.make(out.string());
  CHECK(full.code == 2);
  CHECK(full.has("thesis.tex"));
  CHECK(!fs::exists(out / "lessons"));
}

TEST_CASE("an edition may have some of the lessons") {
  const Handed f;
  const fs::path out = f.instructor.project.root / "out";
  REQUIRE(
      end_to_end::ladder(f.instructor, {"dev", "edition", "student", out.string(), "--lessons", "09"}).code ==
      0);
  CHECK(fs::exists(out / "lessons" / "09_reduction" / "1_serial.cu"));
  CHECK(!fs::exists(out / "lessons" / "12_other"));
  CHECK(!fs::exists(out / "skeletons" / "12_other"));
}
