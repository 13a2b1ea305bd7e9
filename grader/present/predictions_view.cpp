#include "grader/present/predictions_view.h"

#include <fmt/format.h>

#include "language/catalogue.h"

namespace ladder::cli {

std::string question_text(const Question& question) {
  return question.unit.empty() ? question.ask : tr("{}, in {}", question.ask, question.unit);
}

std::string prediction_text(const Prediction& prediction) {
  if (!prediction.said) return {};
  const std::string unit = prediction.question->unit.empty() ? "" : " " + prediction.question->unit;
  const std::string said = tr("you said {}{}", number_text(*prediction.said), unit);
  if (!prediction.found) return said + tr("; it is counted when the rung is right");
  return fmt::format("{}, {} {}{}: {}", said, prediction.question->counted ? tr("counted") : tr("worked out"),
                     number_text(*prediction.found), unit, how_far_off(*prediction.said, *prediction.found));
}

}  // namespace ladder::cli
