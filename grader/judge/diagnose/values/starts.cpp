// What a maximum or a minimum starts with, left where its result should be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

struct Start {
  double value;
  const char* name;
  bool of_maximum;
  bool is_common;  ///< arises from other things, too: overflow, a division by 0
};

std::vector<Start> starts_of(Type type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (type) {
    case Type::f32:
    case Type::f64:
      return {{-kInfinity, tr("-infinity"), true, true},
              {kInfinity, tr("infinity"), false, true},
              {-std::numeric_limits<float>::max(), "-FLT_MAX", true, false},
              {std::numeric_limits<float>::max(), "FLT_MAX", false, false},
              {std::numeric_limits<float>::min(), "FLT_MIN", true, false},
              {-std::numeric_limits<double>::max(), "-DBL_MAX", true, false},
              {std::numeric_limits<double>::max(), "DBL_MAX", false, false},
              {std::numeric_limits<double>::min(), "DBL_MIN", true, false}};
    case Type::f16:
    case Type::bf16:
      return {{-kInfinity, tr("-infinity"), true, true}, {kInfinity, tr("infinity"), false, true}};
    case Type::i32:
      return {{-0x1p31, "INT_MIN", true, true}, {0x1p31 - 1, "INT_MAX", false, true}};
    case Type::u32:
      return {{0x1p32 - 1, "0xffffffff", false, true}};
    case Type::i64:
      return {{-0x1p63, "LLONG_MIN", true, true}, {0x1p63, "LLONG_MAX", false, true}};
    default:
      return {};  // of narrow ones every value is an ordinary one
  }
}

/// The elements of all inputs of the output's type, in order.
std::vector<double> sorted_inputs(const Evidence& e) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  std::vector<double> values;
  for (const Buffer& input : e.buffers) {
    if (input.role == Buffer::Role::output || input.elements() > kMost) continue;
    if (input.type != e.buffer.type) continue;
    for (std::int64_t i = 0; i < input.elements(); ++i)
      if (const double value = element_at(input.type, input.bytes.data(), i); !std::isnan(value))
        values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

std::optional<Diagnosis> start_left(const Evidence& e) {
  if (e.wrong.count == 0) return std::nullopt;
  const double value = e.value(e.wrong.first);
  const std::vector<Start> starts = starts_of(e.buffer.type);
  const auto start =
      std::find_if(starts.begin(), starts.end(), [&](const Start& s) { return s.value == value; });
  if (start == starts.end()) return std::nullopt;
  if (!e.most_wrong([&](std::int64_t i) { return e.value(i) == value && !e.unwritten(i); }))
    return std::nullopt;
  const std::vector<double> inputs = sorted_inputs(e);
  const auto is_input = [&](double x) { return std::binary_search(inputs.begin(), inputs.end(), x); };
  // Whether the start beats what is wanted, as -FLT_MAX beats -infinity.
  const auto beats = [&](std::int64_t i) {
    return start->of_maximum ? value > e.expected(i) : value < e.expected(i);
  };
  const bool too_late = e.most_wrong(beats);
  if (!too_late && !e.most_wrong([&](std::int64_t i) { return !beats(i); })) return std::nullopt;
  // A maximum or a minimum is one of the inputs. A start that is one as well may be a value in a wrong place.
  if (start->is_common && !e.most_wrong([&](std::int64_t i) { return is_input(e.expected(i)); }))
    return std::nullopt;
  if (is_input(value) && !(too_late && std::isinf(e.expected(e.wrong.first)) &&
                           e.most_wrong([&](std::int64_t i) { return std::isinf(e.expected(i)); })))
    return std::nullopt;
  const std::string which = e.size() == 1 ? tr("'{}' is", e.buffer.name)
                            : e.wrong.count == 1
                                ? e.buffer.name + subscript(e.buffer.shape, e.wrong.first) + tr(" is")
                                : tr("the wrong elements of '{}' are", e.buffer.name);
  const char* fold = start->of_maximum ? tr("maximum") : tr("minimum");
  const char* more = start->of_maximum ? tr("larger") : tr("smaller");
  if (!too_late)
    return Diagnosis{
        Cause::start_left,
        tr("{} {}, which a {} starts with: no element was taken for {}", which, start->name, fold, more),
        tr("Is every element compared, and does the comparison hold for all that the contract allows? Read "
           "as "
           "integers, the bits of negative numbers are in the opposite order. Or is a thread, a warp or a "
           "block "
           "without elements asked for the result?")};
  return Diagnosis{Cause::start_left,
                   tr("{} {}, which a {} starts with, where {} is wanted", which, start->name, fold,
                      e.wrong.count == 1 ? number(e.buffer.type, e.expected(e.wrong.first))
                      : e.most_wrong([&](std::int64_t i) { return std::isinf(e.expected(i)); })
                          ? number(e.buffer.type, e.expected(e.wrong.first))
                          : std::string(start->of_maximum ? tr("less") : tr("more"))),
                   start->of_maximum ? tr("A maximum must start below all that the contract allows, "
                                          "-infinity included: with -INFINITY, or "
                                          "with "
                                          "the first element. FLT_MIN is the smallest positive number, and "
                                          "larger than every negative one.")
                                     : tr("A minimum must start above all that the contract allows, infinity "
                                          "included: with INFINITY, or "
                                          "with "
                                          "the first element.")};
}

}  // namespace ladder::diagnose
