// The same results in the formats that other programs read.
// tests/grader/grade holds each against its published description.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ladder::cli::grade {

/// One row a student and one column a lesson; the points last.
/// Opens in spreadsheets, where nothing of it is a formula.
std::string gradebook_csv(const std::vector<nlohmann::json>& students);
/// JUnit XML as CI services read it: a suite a lesson, a case a rung.
std::string junit_xml(const nlohmann::json& student);
/// Gradescope's results.json.
nlohmann::json gradescope(const nlohmann::json& student);
/// What GitHub Classroom's autograding graders report and its reporter adds up.
nlohmann::json github_classroom(const nlohmann::json& student);
/// Autolab's last line of output: scores by problem, which are the lessons.
/// @param class_ladder  whether its scoreboard has the rungs' times, too, and not the points alone
nlohmann::json autolab(const nlohmann::json& student, bool class_ladder);
/// A page for the instructor: who is stuck where, and how each rung went. One file, no network.
std::string class_html(const nlohmann::json& all, const std::vector<nlohmann::json>& students);

/// Writes the chosen formats below @p out.
/// @param formats  any of "csv", "html", "junit", "gradescope", "github", "autolab"
void write_outputs(const std::filesystem::path& out, const std::vector<std::string>& formats,
                   const nlohmann::json& all, const std::vector<nlohmann::json>& students);

/// A field of CSV, of one line. What a spreadsheet would compute, at the beginning or behind another's mark
/// for the end of a cell, gets an apostrophe.
std::string csv_field(const std::string& text);

/// What a rung's verdict says, in lines for a person.
std::string words_of(const nlohmann::json& rung);

}  // namespace ladder::cli::grade
