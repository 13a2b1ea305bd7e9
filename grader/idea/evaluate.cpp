#include "grader/idea/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "grader/idea/figures.h"
#include "language/catalogue.h"

namespace ladder::idea {
namespace {

/// Up to three digits, no more than the figure needs.
std::string in_words(double value) {
  if (std::abs(value) >= 100) return fmt::format("{:.0f}", value);
  const std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) return text.substr(0, text.size() - 2);
  return std::abs(value) < 1 ? fmt::format("{:.2g}", value) : text;
}

void put(std::string& text, std::string_view place, const std::string& words) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + words.size()))
    text.replace(at, place.size(), words);
}

IdeaResult result_of(const Condition& condition, const Value& value) {
  IdeaResult result;
  result.metric = to_string(condition.metric);
  result.value = value.value;
  if (condition.at_least) result.at_least = *condition.at_least;
  if (condition.at_most) result.at_most = *condition.at_most;
  result.works = !(condition.at_least && !(value.value >= *condition.at_least)) &&
                 !(condition.at_most && !(value.value <= *condition.at_most));
  if (result.works) return result;
  result.file = value.file;
  result.line = value.line;
  const bool below = condition.at_least && value.value < *condition.at_least;
  result.says = condition.says;
  put(result.says, "{value}", in_words(value.value));
  put(result.says, "{limit}", in_words(below ? *condition.at_least : *condition.at_most));
  put(result.says, "{cost}", in_words(value.cost));
  put(result.says, "{least}", in_words(value.least));
  return result;
}

}  // namespace

std::optional<IdeaResult> evaluate(const Idea& idea, const Verdict& verdict) {
  const bool counted = verdict.timing && verdict.timing->modelled;
  if (idea.empty() || !counted) return std::nullopt;
  const Figures figures = figures_of(verdict);
  std::optional<IdeaResult> result;
  for (const Condition& condition : idea.conditions) {
    result = result_of(condition, value_of(condition, figures));
    if (!result->works) break;
  }
  return result;
}

void judge(const Idea& idea, int rung, Verdict& verdict) { judge(idea, rung, verdict, verdict); }

void judge(const Idea& idea, int rung, const Verdict& counted, Verdict& verdict) {
  if (verdict.outcome != Outcome::passed) return;
  verdict.idea = evaluate(idea, counted);
  if (!verdict.idea || verdict.idea->works) return;
  const IdeaResult& missing = *verdict.idea;
  verdict.outcome = Outcome::idea_missing;
  const std::string where =
      missing.line > 0
          ? fmt::format(" ({}:{})", std::filesystem::path(missing.file).filename().string(), missing.line)
          : "";
  verdict.headline = tr("right answer, but the idea of rung {} is missing: {}{}", rung, missing.says, where);
}

}  // namespace ladder::idea
