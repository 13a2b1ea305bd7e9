#include "simulator/sanitizer/finding_words.h"

#include <fmt/format.h>

#include "language/catalogue.h"

namespace sim::sanitizer {

using namespace exec;

std::string text(const Index3& i) { return fmt::format("({},{},{})", i[0], i[1], i[2]); }

Message named(const Finding& f) {
  const Message operand = operand_of(f);
  return operand.empty() ? tr("a word") : operand;
}

}  // namespace sim::sanitizer
