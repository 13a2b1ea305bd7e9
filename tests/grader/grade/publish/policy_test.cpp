#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "grader/grade/publish/policy.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;
using Catch::Approx;

namespace {

struct Fixture {
  sample::Tree tree;
  Course course;
  Fixture() {
    tree.add_lesson("09_reduction");
    course = load_course(tree.project);
  }
  Policy parse(const std::string& text) const { return parse_policy(text, "hw.toml", course); }
  std::string complaint(const std::string& text) const {
    try {
      parse(text);
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "none";
  }
};

}  // namespace

TEST_CASE("a policy says what rungs are worth, the rung's own line before its lesson's") {
  const Fixture f;
  const Policy policy = f.parse("[points]\n\"09.1\" = 5\n\"09\" = 2\n");
  const LessonInfo& lesson = f.course.lessons.at(0);
  CHECK(policy.points_of(lesson, lesson.rungs[0]) == 5);
  CHECK(policy.points_of(lesson, lesson.rungs[1]) == 2);
  CHECK(Policy{}.points_of(lesson, lesson.rungs[1]) == 2.5);  // lesson.toml's
}

TEST_CASE("a policy that is nested without end is told with its line") {
  const Fixture f;
  std::string dotted = "a";
  for (int i = 0; i < 300'000; ++i) dotted += ".a";
  CHECK(f.complaint("\n" + dotted + " = 1\n") == "hw.toml:2: a key of more than 64 parts");
  CHECK(f.complaint("[" + dotted + "]\n").find("hw.toml:1: a key of more than") == 0);
  std::string quoted;
  for (int i = 0; i < 100'000; ++i) quoted += "\"a=\".'b'.";
  CHECK(f.complaint(quoted + "c = 1\n").find("hw.toml:1: a key of more than") == 0);
  for (const char* open : {"[", "{a="}) {
    std::string deep = "x = ";
    for (int i = 0; i < 50'000; ++i) deep += open;
    CHECK(f.complaint(deep).find("hw.toml:1: ") == 0);
  }
  CHECK(f.parse("# ................................................................................. \ntitle "
                "= \"" +
                std::string(100, '.') + "\"  # a.b\n[performance]\nbands = [{within = 1.5, credit = 0.5}]\n")
            .title.size() == 100);
}

TEST_CASE("an idea is worth half a rung's points where the policy says nothing else") {
  const Fixture f;
  CHECK(f.parse("").idea_share == 0.5);
  CHECK(f.parse("idea_share = 0.2\n").idea_share == 0.2);
  CHECK(f.complaint("idea_share = 2\n") == "hw.toml:1: `idea_share` must be a number from 0 to 1");
}

TEST_CASE("speed earns what the first band says that a time falls into") {
  const Fixture f;
  const Policy policy = f.parse(
      "[performance]\nshare = 0.4\nbands = [{ within = 1.2, credit = 1 }, { within = 2, credit = 0.5 }]\n");
  CHECK(policy.performance_share == 0.4);
  CHECK(policy.credit_for(0.9) == 1);
  CHECK(policy.credit_for(1.2) == 1);
  CHECK(policy.credit_for(1.3) == 0.5);
  CHECK(policy.credit_for(2.1) == 0);
  CHECK(policy.credit_for(std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("lateness is known from a list, from times, or from the platform's mark") {
  const Fixture f;
  const Policy policy = f.parse(R"([late]
per_day = 0.1
most = 0.3
deadline = 2026-11-20T23:59:00+01:00
[late.days]
alice = 2
[late.handed_in]
"Bob Lee" = 2026-11-20T23:59:00Z
carol = 2026-11-20T22:58:59Z
)");
  CHECK(policy.days_late("alice", false) == 2);
  CHECK(policy.days_late("Bob Lee", false) == Approx(1.0 / 24));
  CHECK(policy.days_late("carol", true) == 0);
  CHECK(policy.days_late("dave", true) == 1);
  CHECK(policy.days_late("dave", false) == 0);
  CHECK(policy.late_factor(0) == 1);
  CHECK(policy.late_factor(1.0 / 24) == Approx(0.9));
  CHECK(policy.late_factor(2) == Approx(0.8));
  CHECK(policy.late_factor(9) == Approx(0.7));
}

TEST_CASE("a mistake in a policy is told with its line") {
  const Fixture f;
  CHECK(f.complaint("title = \"x\"\nseeed = 1\n") == "hw.toml:2: unknown key `seeed`; did you mean `seed`?");
  CHECK(f.complaint("seed = 1\n\nseed = 2\n").find("hw.toml:3:") == 0);
  CHECK(f.complaint("seed = -1\n").find("hw.toml:1: `seed` must be a whole number") == 0);
  CHECK(f.complaint("\nlessons = [\"99\"]\n").find("hw.toml:2:") == 0);
  CHECK(f.complaint("[points]\n\"09.1\" = \"many\"\n").find("hw.toml:2: `09.1` must be a number") == 0);
  CHECK(f.complaint("[points]\n\"09.77\" = 1\n").find("hw.toml:2:") == 0);
  CHECK(f.complaint("[late]\nper_day = 1\ndeadline = 2026-11-20T23:59:00\n")
            .find("hw.toml:3: `deadline` must be a time") == 0);
  CHECK(f.complaint("[performance]\nbands = [{ within = 2, credit = 1 },\n { within = 1, credit = 0 }]\n")
            .find("hw.toml:3: bands go from fast to slow") == 0);
  CHECK(f.complaint("[limits]\nmemory_mb = 1\n").find("hw.toml:2: `memory_mb` must be a number") == 0);
  CHECK(f.complaint("[performance]\nbands = [{ within = 2 }]\n").find("hw.toml:2: a band looks like") == 0);
  CHECK(f.complaint("hidden_cases = 2.5\n") == "hw.toml:1: `hidden_cases` must be a whole number");
  CHECK(f.complaint("[limits]\nprocesses = 64.5\n") == "hw.toml:2: `processes` must be a whole number");
  CHECK(f.complaint("[points]\n09.1 = 5\n") == "hw.toml:2: write the rung's number in quotes: \"09.1\" = 5");
  CHECK(f.complaint("[performance]\nbands = []\n") == "hw.toml:2: no band: no time could earn anything");
  CHECK(f.complaint("[late]\n[late.days]\nbob = 1\n").find("[late] lacks `per_day`") != std::string::npos);
  CHECK(f.complaint("[late]\nmarked_days = 2\nper_day = 0\n[late.days]\nbob = 1\n") == "none");
  CHECK(f.complaint("points = 3\n").find("hw.toml:1: `points` must be a table") == 0);
}

TEST_CASE("the policy that the instructor's guide shows is one") {
  Project project;
  project.root = LADDER_SOURCE_DIR;
  project.build = LADDER_BUILD_DIR;
  const std::string guide = read_file(project.root / "docs" / "instructor.md");
  const std::size_t begin = guide.find("```toml\n") + 8;
  const Course course = load_course(project);
  const Policy policy = parse_policy(guide.substr(begin, guide.find("```", begin) - begin), "guide", course);
  CHECK(policy.lessons == std::vector<std::string>{"09_reduction", "12_prefix_sum"});
  CHECK(policy.credit_for(1.5) == 0.5);
  CHECK(policy.days_late("bob", false) == 2);
  CHECK(policy.days_late("Alice Smith_4711", false) > 0);
  // What the guide says the limits are is what they are without it.
  CHECK(policy.limits.memory_mb == Limits{}.memory_mb);
  CHECK(policy.limits.processes == Limits{}.processes);
  CHECK(policy.limits.call_seconds == Limits{}.call_seconds);
  CHECK(policy.limits.rung_seconds == Limits{}.rung_seconds);
}

TEST_CASE("the class ladder has who asked for it, and a mistake in the list is told with its line") {
  const Fixture f;
  const std::string timed = "[performance]\n";
  CHECK(f.parse(timed + "[nicknames]\nbob = \"warp\"\n").nicknames.at("bob") == "warp");
  CHECK(f.complaint("[nicknames]\nbob = \"warp\"\n") ==
        "hw.toml:1: `nicknames` needs [performance]: without it nobody is timed");
  for (const char* wrong :
       {"bob = 1\n", "bob = \"\"\n", "bob = \"0123456789012345678901234567890123456789x\"\n"})
    CHECK(f.complaint(timed + "[nicknames]\n" + wrong) ==
          "hw.toml:3: a nickname is a string of 1 to 40 bytes");
  CHECK(f.complaint(timed + "[nicknames]\nann = \"warp\"\nbob = \"warp\"\n") ==
        "hw.toml:4: ann is called `warp` already");
}
