// Printing the few elements that show a mistake.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "grader/harness/diagnose/evidence.h"

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

bool is_poison(const Buffer& buffer, std::span<const std::byte> got, int poison, std::int64_t index) {
  const std::size_t size = size_of(buffer.type);
  const auto* at = got.data() + static_cast<std::size_t>(index) * size;
  return poison >= 0 &&
         std::all_of(at, at + size, [&](std::byte b) { return b == static_cast<std::byte>(poison); });
}

std::string got_text(const Buffer& buffer, std::span<const std::byte> got, int poison, std::int64_t index) {
  return is_poison(buffer, got, poison, index)
             ? "(never written)"
             : number(buffer.type, element_at(buffer.type, got.data(), index));
}

/// "[2][17]" for element 65 of a 3 x 24 array.
std::string subscript(const std::vector<std::int64_t>& shape, std::int64_t index) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    text = fmt::format("[{}]", index % shape[d]) + text;
    index /= shape[d];
  }
  return text;
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

std::string small_matrix(const Buffer& buffer, std::span<const std::byte> got, int poison) {
  std::vector<std::string> expected;
  std::vector<std::string> found;
  for (std::int64_t i = 0; i < buffer.elements(); ++i) {
    const double wanted = buffer.expected[static_cast<std::size_t>(i)];
    const bool right = acceptable(wanted, element_at(buffer.type, got.data(), i), buffer.tolerance);
    expected.push_back(fmt::format("{:.4g}", wanted));
    const double value = element_at(buffer.type, got.data(), i);
    found.push_back((is_poison(buffer, got, poison, i) ? "?" : fmt::format("{:.4g}", value)) +
                    (right ? " " : "*"));
  }
  return fmt::format("expected {}:\n{}got (* wrong, ? never written):\n{}", buffer.name,
                     matrix(buffer, expected), matrix(buffer, found));
}

}  // namespace

std::string number(Type type, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  if (!is_floating(type)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits(type));
}

std::string picture(const Buffer& buffer, std::span<const std::byte> got, int poison) {
  const std::int64_t n = buffer.elements();
  if (n == 1)
    return fmt::format("{}: expected {}, got {}", buffer.name, number(buffer.type, buffer.expected[0]),
                       got_text(buffer, got, poison, 0));
  if (buffer.shape.size() == 2 && n > 1 && buffer.shape[0] > 1 && buffer.shape[0] <= kWholeSide &&
      buffer.shape[1] > 1 && buffer.shape[1] <= kWholeSide)
    return small_matrix(buffer, got, poison);
  const Mismatches wrong = compare(buffer, got, poison);
  std::string text;
  std::size_t lines = 0;
  for (std::int64_t i = n <= kWhole ? 0 : wrong.first; i < n && lines < (n <= kWhole ? 64 : kMostLines);
       ++i) {
    const double wanted = buffer.expected[static_cast<std::size_t>(i)];
    const bool right = acceptable(wanted, element_at(buffer.type, got.data(), i), buffer.tolerance);
    if (right && n > kWhole) continue;
    text +=
        fmt::format("{}{}: expected {}, got {}{}\n", buffer.name, subscript(buffer.shape, i),
                    number(buffer.type, wanted), got_text(buffer, got, poison, i), right ? "  (right)" : "");
    ++lines;
  }
  if (n > kWhole && wrong.count > static_cast<std::int64_t>(lines))
    text += fmt::format("... {} of {} elements are wrong, the last at {}\n", wrong.count, n,
                        subscript(buffer.shape, wrong.last));
  if (!text.empty()) text.pop_back();
  return text;
}

std::string inputs_in_words(std::span<const Buffer> buffers) {
  std::string text;
  for (const Buffer& buffer : buffers) {
    const std::int64_t n = buffer.elements();
    if (buffer.role == Buffer::Role::output || n == 0) continue;
    if (n > kWhole) return "";
    text += buffer.name + " =";
    for (std::int64_t i = 0; i < n; ++i)
      text += " " + number(buffer.type, element_at(buffer.type, buffer.bytes.data(), i));
    text += "\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace ladder::diagnose
