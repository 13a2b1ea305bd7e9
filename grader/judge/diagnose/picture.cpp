// Printing the few elements that show a mistake.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr std::int64_t kWhole = 12;     // elements of an array that is printed whole
constexpr std::int64_t kWholeSide = 8;  // rows and columns of a matrix that is printed whole
constexpr std::size_t kMostLines = 8;   // wrong elements listed of a larger one

int digits(Type type) {
  switch (type) {
    case Type::f64:
      return 17;
    case Type::f16:
    case Type::bf16:
      return 5;
    default:
      return 9;
  }
}

/// A value as it is shown; of one that was to be copied, what a NaN carries.
std::string shown(const Buffer& buffer, double value) {
  std::string text = number(buffer.type, value);
  if (!buffer.tolerance.same_bits || !std::isnan(value) || buffer.type != Type::f32) return text;
  return tr("{} of bits {:#010x}", text, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

std::string got_text(const Evidence& e, std::int64_t index) {
  return e.unwritten_anywhere(index) ? tr("(never written)") : shown(e.buffer, e.value(index));
}

std::string matrix(const Buffer& buffer, const std::vector<std::string>& cells) {
  const auto columns = static_cast<std::size_t>(buffer.shape[1]);
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += fmt::format("{}{:>{}}{}", i % columns == 0 ? "  " : " ", cells[i], width,
                        (i + 1) % columns == 0 ? "\n" : "");
  return text;
}

std::string small_matrix(const Evidence& e) {
  std::vector<std::string> expected;
  std::vector<std::string> found;
  for (std::int64_t i = 0; i < e.size(); ++i) {
    expected.push_back(fmt::format("{:.4g}", e.expected(i)));
    found.push_back((e.unwritten_anywhere(i) ? "?" : fmt::format("{:.4g}", e.value(i))) +
                    (e.is_right(i) ? " " : "*"));
  }
  return tr("expected {}:\n{}got (* wrong, ? never written):\n{}", e.buffer.name, matrix(e.buffer, expected),
            matrix(e.buffer, found));
}

bool is_small_matrix(const std::vector<std::int64_t>& shape) {
  return shape.size() == 2 && shape[0] > 1 && shape[0] <= kWholeSide && shape[1] > 1 &&
         shape[1] <= kWholeSide;
}

}  // namespace

std::string number(Type type, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? tr("infinity") : tr("-infinity");
  if (!is_floating(type)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits(type));
}

std::string subscript(const std::vector<std::int64_t>& shape, std::int64_t index) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    text = fmt::format("[{}]", index % shape[d]) + text;
    index /= shape[d];
  }
  return text;
}

std::string picture(const Evidence& e) {
  const std::int64_t n = e.size();
  const Buffer& buffer = e.buffer;
  if (n == 1) return tr("{}: expected {}, got {}", buffer.name, shown(buffer, e.expected(0)), got_text(e, 0));
  std::string text;
  if (is_small_matrix(buffer.shape)) {
    text = small_matrix(e);
  } else {
    std::size_t lines = 0;
    const bool whole = n <= kWhole;
    for (std::int64_t i = whole ? 0 : e.wrong.first; i < n && (whole || lines < kMostLines); ++i) {
      if (!whole && e.is_right(i)) continue;
      text += tr("{}{}: expected {}, got {}{}\n", buffer.name, subscript(buffer.shape, i),
                 shown(buffer, e.expected(i)), got_text(e, i), e.is_right(i) ? tr("  (right)") : "");
      ++lines;
    }
    if (!whole && e.wrong.count > static_cast<std::int64_t>(lines))
      text += tr("... {} of {} elements are wrong, the last at {}\n", e.wrong.count, n,
                 subscript(buffer.shape, e.wrong.last));
  }
  if (!text.empty()) text.pop_back();
  return text;
}

bool is_shown_whole(const Evidence& e) {
  const bool inputs = std::all_of(e.buffers.begin(), e.buffers.end(), [](const Buffer& buffer) {
    return buffer.role == Buffer::Role::output || buffer.elements() <= kWhole;
  });
  return inputs && (e.size() <= kWhole || is_small_matrix(e.buffer.shape));
}

std::string inputs_in_words(const Problem& problem) {
  std::string text;
  for (const auto& [name, value] : problem.scalars()) text += fmt::format("{} = {:.9g}\n", name, value);
  for (const Buffer& buffer : problem.buffers()) {
    const std::int64_t n = buffer.elements();
    if (buffer.role == Buffer::Role::output || n == 0) continue;
    text += buffer.name + " =";
    for (std::int64_t i = 0; i < std::min(n, kWhole); ++i)
      text += " " + number(buffer.type, element_at(buffer.type, buffer.bytes.data(), i));
    text += n > kWhole ? tr(" ... ({} elements)\n", n) : "\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace ladder::diagnose
