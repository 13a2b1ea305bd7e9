// Who is in the class ladder, in which order, and what is told of them.
#include "grader/grade/publish/class_ladder.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/grade/publish/outputs.h"
#include "grader/platform/files.h"
#include "tests/grader/grade/class_folder.h"
#include "tests/grader/grade/publish/json_schema.h"

using namespace ladder::cli::grade;
using nlohmann::json;

namespace {

json rung_with(double time_ms, const char* outcome = "passed") {
  return {{"rung", "1_a"},
          {"outcome", outcome},
          {"headline", ""},
          {"points", 1.0},
          {"points_possible", 1.0},
          {"performance",
           {{"solution_ms", 2.0},
            {"time_ms", time_ms},
            {"ratio", time_ms / 2},
            {"credit", 1.0},
            {"modelled", true},
            {"size", "n=33"}}}};
}

json student_with(const char* name, const char* nickname, const json& rung) {
  const json lesson = {
      {"lesson", "03_x"}, {"title", "X & Y"}, {"points", 1.0}, {"rungs", json::array({rung})}};
  json student = {{"student", name},
                  {"points", 1.0},
                  {"late", {{"days", 0}, {"factor", 1}}},
                  {"lessons", json::array({lesson})}};
  if (nickname != nullptr) student["nickname"] = nickname;
  return student;
}

}  // namespace

TEST_CASE("the class ladder has the fastest first, and nobody who did not ask to be in it") {
  json doubted = rung_with(0.1);
  doubted["performance"]["doubt"] = "its clock says otherwise";
  json untimed = rung_with(1);
  untimed.erase("performance");
  const std::vector<json> students = {student_with("Ann", "one <b>", rung_with(3)),
                                      student_with("Bob", nullptr, rung_with(1)),
                                      student_with("Cy", "=two", rung_with(2)),
                                      student_with("Dee", "doubted", doubted),
                                      student_with("Eve", "level", rung_with(2.00001)),
                                      student_with("Flo", "no idea", rung_with(0.5, "idea_missing")),
                                      student_with("Gus", "untimed", untimed)};
  const json ladder = class_ladder(students);
  REQUIRE(ladder.size() == 1);
  CHECK(ladder[0]["lesson"] == "03_x");
  CHECK(ladder[0]["size"] == "n=33");
  const json& places = ladder[0]["places"];
  REQUIRE(places.size() == 3);
  CHECK((places[0]["nickname"] == "=two" && places[0]["place"] == 1));
  CHECK((places[1]["nickname"] == "level" && places[1]["place"] == 1));  // the same four digits
  CHECK((places[2]["nickname"] == "one <b>" && places[2]["place"] == 3));

  const json all = {{"title", "Homework"}, {"class_ladder", ladder}};
  const json schema = json::parse(
      ladder::cli::read_file(grading::checkout() / "docs" / "schemas" / "class-result.schema.json"));
  CHECK(grading::violation(schema["properties"]["class_ladder"], ladder) == "");
  CHECK(class_ladder_csv(all) ==
        "lesson,rung,place,nickname,time_ms,of_solution,modelled\n03_x,1_a,1,'=two,2,1.000,yes\n"
        "03_x,1_a,1,level,2,1.000,yes\n03_x,1_a,3,one <b>,3,1.500,yes\n");
  const std::string page = class_ladder_html(all);
  CHECK(page.find("one &lt;b&gt;") != std::string::npos);
  CHECK(page.find("X &amp; Y") != std::string::npos);
  CHECK(page.find("modelled by the simulator") != std::string::npos);
  for (const char* name : {"Ann", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "doubted", "no idea", "untimed"}) {
    INFO(name);
    CHECK(page.find(name) == std::string::npos);
  }
  CHECK(class_ladder({}).empty());
  CHECK(class_ladder_html({{"class_ladder", json::array()}}).find("Nobody who asked") != std::string::npos);
}

TEST_CASE("Gradescope's leaderboard has the times of who asked to be in it") {
  const json asked = gradescope(student_with("Ann", "one", rung_with(3)));
  REQUIRE(asked.contains("leaderboard"));
  CHECK(asked["leaderboard"] == json::array({{{"name", "03_x 1_a (ms)"}, {"value", 3.0}, {"order", "asc"}}}));
  CHECK_FALSE(gradescope(student_with("Bob", nullptr, rung_with(3))).contains("leaderboard"));
  CHECK_FALSE(gradescope(student_with("Cy", "two", rung_with(3, "wrong_values"))).contains("leaderboard"));
}

TEST_CASE("Autolab's scoreboard has a column for each rung, and 0 for those who did not ask to be in it") {
  const json asked = student_with("Ann", "one", rung_with(3));
  CHECK(autolab(asked, true)["scoreboard"] == json::array({1.0, 0.667}));
  CHECK(autolab(asked, false)["scoreboard"] == json::array({1.0}));
  CHECK(autolab(student_with("Bob", nullptr, rung_with(3)), true)["scoreboard"] == json::array({1.0, 0.0}));
  CHECK(autolab(student_with("Cy", "two", rung_with(3, "wrong_values")), true)["scoreboard"] ==
        json::array({1.0, 0.0}));
  CHECK(autolab_columns(asked)["scoreboard"] ==
        json::array({{{"hdr", "points"}}, {{"hdr", "03_x 1_a (x solution)"}}}));
}
