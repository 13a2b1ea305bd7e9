// Typed values of a table of TOML, and the line that a wrong one stands at. For course.cpp and
// translation.cpp.
#pragma once

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/course/course.h"

namespace ladder::cli {

inline int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

/// Reads typed values from one table and says where a wrong one stands.
class LessonReader {
 public:
  LessonReader(const toml::table& table, const std::filesystem::path& file) : table_(table), file_(file) {}

  std::string text(std::string_view key, bool required) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) fail(line_of(table_), fmt::format("`{}` is missing", key));
      return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value) fail(line_of(*node), fmt::format("`{}` must be a string in quotes", key));
    if (required && value->empty()) fail(line_of(*node), fmt::format("`{}` is empty", key));
    return *value;
  }

  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> values;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return values;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(line_of(*node), fmt::format("`{}` must be a list of strings", key));
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) fail(line_of(element), fmt::format("`{}` must be a list of strings", key));
      values.push_back(*value);
    }
    return values;
  }

  double number(std::string_view key, double otherwise) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value<double>();
    if (!value || node->is_boolean() || !(*value >= 0))
      fail(line_of(*node), fmt::format("`{}` must be a number, 0 or more", key));
    return *value;
  }

  /// A whole number above 0; 0 where the key is missing.
  int count(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return 0;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > kMostCount)
      fail(line_of(*node), fmt::format("`{}` must be a whole number above 0", key));
    return static_cast<int>(*value);
  }

  template <std::size_t N>
  void note_unknown(const std::array<std::string_view, N>& known, std::vector<CourseProblem>* remarks) const {
    if (remarks == nullptr) return;
    for (const auto& [key, node] : table_) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) == known.end())
        remarks->push_back({file_, line_of(node), fmt::format("unknown key `{}`", name)});
    }
  }

  [[noreturn]] void fail(int line, std::string message) const {
    throw CourseError({file_, line, std::move(message)});
  }

 private:
  static constexpr std::int64_t kMostCount = 100'000;
  const toml::table& table_;
  const std::filesystem::path& file_;
};

/// @throws CourseError at the line that is no TOML
inline toml::table parse_table(std::string_view text, const std::filesystem::path& file) {
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw CourseError({file, static_cast<int>(error.source().begin.line), std::string(error.description())});
  }
}

}  // namespace ladder::cli
