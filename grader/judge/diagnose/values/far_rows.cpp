#include "grader/judge/diagnose/values/far_rows.h"

#include <algorithm>
#include <cmath>

namespace ladder::diagnose {

std::vector<const Buffer*> inputs_alike(const Evidence& e) {
  std::vector<const Buffer*> alike;
  for (const Buffer& input : e.buffers)
    if (input.role == Buffer::Role::input && is_floating(input.type) && input.shape == e.buffer.shape)
      alike.push_back(&input);
  return alike;
}

const Buffer* input_far_below_zero(const Evidence& e) {
  constexpr double kNoExp = -100;
  const std::int64_t columns = e.buffer.shape.empty() ? 1 : e.buffer.shape.back();
  for (const Buffer* const input : inputs_alike(e)) {
    std::int64_t last_row = -1;
    bool low = true;
    for (const std::int64_t i : e.wrong.kept) {
      if (i / columns == last_row) continue;
      last_row = i / columns;
      double largest = -HUGE_VAL;
      for (std::int64_t c = 0; c < columns; ++c)
        largest = std::max(largest, element_at(input->type, input->bytes.data(), last_row * columns + c));
      if (!(low = std::isfinite(largest) && largest < kNoExp)) break;
    }
    if (low) return input;
  }
  return nullptr;
}

}  // namespace ladder::diagnose
