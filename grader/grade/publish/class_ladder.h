// The class ladder: who was fastest on each rung, of those who want to be seen, by the name they chose.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ladder::cli::grade {

/// The fastest of each rung. Only rungs with an idea that works count, and times that are believed.
/// @param students  their results; those without a nickname are left out, and nobody's name is told
/// @return rungs in the course's order, those that nobody of them passed left out: {lesson, title, rung,
/// size,
///         modelled, places: [{place, nickname, time_ms, ratio}]}, the fastest first; equal times share a
///         place
nlohmann::json class_ladder(const std::vector<nlohmann::json>& students);

/// As a page that can be given to the class. One file, no network.
std::string class_ladder_html(const nlohmann::json& all);
/// A line a rung and place.
std::string class_ladder_csv(const nlohmann::json& all);

/// What Gradescope's leaderboard has of a student: a column a rung, the smallest time first. Empty of those
/// without a nickname.
nlohmann::json gradescope_leaderboard(const nlohmann::json& student);

/// What Autolab's scoreboard has of a student, whoever they are, as it ranks by columns that everybody has:
/// the points, and for each rung how many times as fast as the solution they were. 0 of those without a
/// nickname, and of rungs that do not count.
nlohmann::json autolab_scoreboard(const nlohmann::json& student);
/// What those columns are, as an assessment of Autolab's is told once.
nlohmann::json autolab_columns(const nlohmann::json& student);

}  // namespace ladder::cli::grade
