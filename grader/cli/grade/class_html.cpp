#include "grader/cli/grade/outputs.h"
namespace ladder::cli::grade {
std::string class_html(const nlohmann::json&, const std::vector<nlohmann::json>&) { return {}; }
}  // namespace ladder::cli::grade
