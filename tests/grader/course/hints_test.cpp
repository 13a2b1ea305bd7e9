#include "grader/course/text/hints.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>

using namespace ladder::cli;

namespace {

/// Two hints of the rung, two of TODO(2), one of TODO(3), none of TODO(1); as mixed as an author may write
/// them.
RungInfo mixed() {
  RungInfo rung;
  rung.hints = {{2, "two, vague"}, {0, "rung, vague"}, {3, "three"}, {0, "rung, plain"}, {2, "two, plain"}};
  return rung;
}

std::vector<Todo> open(std::initializer_list<int> numbers) {
  std::vector<Todo> todos;
  for (const int n : numbers) todos.push_back({n, n, n, ""});
  return todos;
}

/// The texts that repeated calls show, with how many are said to be left after each.
std::vector<std::pair<std::string, int>> called(const RungInfo& rung, const std::vector<Todo>& todos,
                                                std::optional<int> todo, int times) {
  std::map<int, int> shown;
  std::vector<std::pair<std::string, int>> said;
  for (int i = 0; i < times; ++i) {
    const auto next = next_hint(offered_hints(rung, todos, todo), [&](int of) { return shown[of]; });
    REQUIRE(next);
    said.emplace_back(next->at.hint->text, next->left);
    shown[next->at.hint->todo] = std::max(shown[next->at.hint->todo], next->at.stage);
  }
  return said;
}

using Said = std::vector<std::pair<std::string, int>>;

}  // namespace

TEST_CASE("the rung's hints come first, then those of the first open TODO, and the last one stays") {
  CHECK(
      called(mixed(), open({2, 3}), {}, 5) ==
      Said{{"rung, vague", 3}, {"rung, plain", 2}, {"two, vague", 1}, {"two, plain", 0}, {"two, plain", 0}});
  CHECK(called(mixed(), open({3}), {}, 3) == Said{{"rung, vague", 2}, {"rung, plain", 1}, {"three", 0}});
}

TEST_CASE("an open TODO without hints gives way to the next one that has some") {
  CHECK(called(mixed(), open({1, 3}), {}, 3).back() == std::pair<std::string, int>{"three", 0});
  CHECK(called(mixed(), open({1}), {}, 3).back() == std::pair<std::string, int>{"rung, plain", 0});
}

TEST_CASE("where no TODO is open all hints are offered, TODO by TODO behind the rung's") {
  CHECK(called(mixed(), {}, {}, 5) ==
        Said{{"rung, vague", 4}, {"rung, plain", 3}, {"two, vague", 2}, {"two, plain", 1}, {"three", 0}});
  RungInfo of_one;
  of_one.hints = {{1, "one"}};
  CHECK(called(of_one, open({2}), {}, 1) == Said{{"one", 0}});  // better than none
}

TEST_CASE("a TODO that was named gets its own hints and no others") {
  CHECK(called(mixed(), open({1, 2}), 3, 2) == Said{{"three", 0}, {"three", 0}});
  CHECK(offered_hints(mixed(), open({1}), 1).empty());
  CHECK(!next_hint({}, [](int) { return 0; }));
}

TEST_CASE("a hint knows its place among those of the same TODO") {
  const RungInfo rung = mixed();
  const std::vector<StagedHint> all = all_hints(rung);
  REQUIRE(all.size() == 5);
  CHECK(all[0].hint->text == "rung, vague");
  CHECK(all[3].hint->text == "two, plain");
  CHECK(all[3].stage == 2);
  CHECK(all[3].count == 2);
  CHECK(all[4].count == 1);
}

TEST_CASE("another TODO is named only while it is open and has a hint that was not shown") {
  const RungInfo rung = mixed();
  const auto none = [](int) { return 0; };
  CHECK(other_todo_with_hints(rung, open({1, 2, 3}), 2, none) == 3);
  CHECK(!other_todo_with_hints(rung, open({1, 2}), 2, none));
  CHECK(!other_todo_with_hints(rung, open({2, 3}), 2, [](int) { return 1; }));
}
