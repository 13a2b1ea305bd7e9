// Predictions as people read them.
#pragma once

#include <string>

#include "grader/records/predictions.h"

namespace ladder::cli {

/// "sectors of a request to store (ms)": what is asked for, with the unit.
std::string question_text(const Question& question);

/// "you said 8, counted 32: 4 times too low"; as long as nothing was counted "you said 8; counted when the
/// rung is right". Empty where nothing was said.
std::string prediction_text(const Prediction& prediction);

}  // namespace ladder::cli
