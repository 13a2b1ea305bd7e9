// What spreadsheets, file systems and platforms make of names and points.
#include "grader/grade/publish/outputs.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/grade/publish/results.h"

using namespace ladder::cli::grade;
using nlohmann::json;

TEST_CASE("no name is computed by a spreadsheet, whatever it takes for the end of a cell") {
  for (const char* name : {"=1+1", "+1", "-rf", "@SUM(1)", " =1", "\t=1", "\n=1", "\uFF1D1"})
    CHECK(csv_field(name).find("'") < 2);
  CHECK(csv_field("x;=1+1") == "\"x;'=1+1\"");
  CHECK(csv_field("x,@a") == "\"x,'@a\"");
  CHECK(csv_field("x\"=1") == "\"x\"\"'=1\"");
  CHECK(csv_field("a\nb\x1b[2J") == "a b [2J");
  for (const char* plain : {"Zo\xc3\xab M\xc3\xbcller", "a-b", "a=b", "O'Hara", "<script>", ""})
    CHECK(csv_field(plain) == plain);
  CHECK(csv_field("Lee, Bob") == "\"Lee, Bob\"");
}

TEST_CASE("two students never share a file, whatever they are called") {
  const std::string made = file_name_for("a b");
  CHECK(made.starts_with("sa_b-"));
  CHECK(file_name_for("a_b") == "a_b");
  CHECK(file_name_for(made) != made);  // somebody who is called what another's file is
  CHECK(file_name_for("..") != "..");
  const std::string one(200, 'x'), other = one + "y";
  CHECK(file_name_for(one) != file_name_for(other));
  CHECK(file_name_for(one).size() < 130);
}

namespace {
json student_with(double points, double factor) {
  const json rung = {
      {"rung", "1_a"}, {"outcome", "passed"}, {"points", points}, {"points_possible", 1234567.5}};
  const json lesson = {{"lesson", "03_x"},
                       {"title", "X"},
                       {"points", points},
                       {"points_possible", 1234567.5},
                       {"rungs", json::array({rung})}};
  return {{"student", "a"},
          {"points", rounded(points * factor)},
          {"points_possible", 1234567.5},
          {"late", {{"days", 1}, {"factor", factor}}},
          {"lessons", json::array({lesson})}};
}
}  // namespace

TEST_CASE("every platform is given the points that are left after lateness") {
  const json late = student_with(8, 0.75);
  CHECK(gradescope(late)["score"] == 6.0);
  CHECK(autolab(late, false)["scores"]["03_x"] == 6.0);
  CHECK(github_classroom(late)["tests"][0]["score"] == 6.0);  // the reporter adds the tests up
}

TEST_CASE("the gradebook has all digits of the points") {
  CHECK(gradebook_csv({student_with(1234567.125, 1)}) ==
        "student,03_x (1234567.5),days late,total (1234567.5)\na,1234567.125,1,1234567.125\n");
}
