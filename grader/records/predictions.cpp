#include "grader/records/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "grader/idea/figures.h"
#include "grader/records/results.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

/// The latest version that was right, where the simulator has timed it.
std::optional<Verdict> counted(const std::filesystem::path& state, const LessonInfo& lesson,
                               const RungInfo& rung) {
  if (auto kept = kept_result(state, lesson, rung, "simulator")) return std::move(kept->verdict);
  return std::nullopt;
}

std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<Prediction> predictions_of(const std::filesystem::path& state, const Progress& progress,
                                       const LessonInfo& lesson, const RungInfo& rung) {
  std::vector<Prediction> all;
  if (rung.questions.empty()) return all;
  const std::optional<Verdict> verdict = counted(state, lesson, rung);
  for (const Question& question : rung.questions) {
    Prediction prediction{&question, progress.prediction(lesson, rung, question.key()), {}};
    if (!question.counted)
      prediction.found = question.answer;
    else if (verdict)
      prediction.found = idea::value_of(*question.counted, idea::figures_of(*verdict)).value;
    all.push_back(prediction);
  }
  return all;
}

std::string how_far_off(double said, double found) {
  constexpr double kExact = 0.01, kTwice = 2, kMost = 1000;
  const bool high = said > found;
  if (std::abs(said - found) <= kExact * std::abs(found)) return tr("exact");
  if (!(said > 0) || !(found > 0)) return high ? tr("too high") : tr("too low");
  const double ratio = std::max(said / found, found / said);
  if (ratio >= kMost) return high ? tr("far too high") : tr("far too low");
  if (ratio >= kTwice) {
    const std::string times = number_text(std::round(10 * ratio) / 10);
    return high ? tr("{} times too high", times) : tr("{} times too low", times);
  }
  const double percent = 100 * std::abs(said / found - 1);
  return high ? tr("{:.0f} % too high", percent) : tr("{:.0f} % too low", percent);
}

std::string number_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) {
    const std::string digits = grouped(fmt::format("{:.0f}", std::abs(value)));
    return value < 0 ? "-" + digits : digits;
  }
  if (std::abs(value) >= 1000) return number_text(std::round(value));
  return fmt::format("{:.3g}", value);
}

std::optional<double> number_from(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == ',' || c == '\''; });
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return plain_number(text);
  const auto above = plain_number(std::string_view(text).substr(0, slash));
  const auto below = plain_number(std::string_view(text).substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

}  // namespace ladder::cli
