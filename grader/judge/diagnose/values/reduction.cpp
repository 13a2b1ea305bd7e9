// Patterns of a single result that should have come from all elements of an input.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

struct Fold {
  const char* name;
  double (*join)(double, double);
};

constexpr Fold kFolds[] = {
    {tr_noop("sum"), [](double a, double b) { return a + b; }},
    {tr_noop("maximum"), [](double a, double b) { return std::max(a, b); }},
    {tr_noop("minimum"), [](double a, double b) { return std::min(a, b); }},
};

/// The fold over elements [begin, end) of an input.
double fold(const Fold& f, const Buffer& input, std::int64_t begin, std::int64_t end) {
  double result = element_at(input.type, input.bytes.data(), begin);
  for (std::int64_t i = begin + 1; i < end; ++i)
    result = f.join(result, element_at(input.type, input.bytes.data(), i));
  return result;
}

/// A part of the input that could have been taken for the whole.
struct Part {
  std::int64_t begin, end;
  std::string headline;
  const char* advice;
};

constexpr const char* kOneBlock = tr_noop(
    "The partial results of the other blocks are lost: every block must add its own to the total (an atomic, "
    "or a second "
    "kernel over the partial results).");

std::vector<Part> parts(std::int64_t n, std::int64_t block) {
  std::vector<Part> list;
  const auto add = [&](std::int64_t begin, std::int64_t end, std::string headline, const char* advice) {
    if (begin >= 0 && begin < end && end <= n && end - begin < n)
      list.push_back({begin, end, std::move(headline), advice});
  };
  if (n > 2)
    add(0, 1, tr("only the first element"),
        tr("Only one thread's value arrives. Where are the others added?"));
  add(0, n - 1, tr("all but the last element"),
      n % 2 == 0
          ? tr("Which thread takes the last one, and in which step?")
          : tr("An odd number of elements does not halve evenly: the one left over must be taken along."));
  for (const std::int64_t b :
       {block, block * 2, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{256},
        std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}}) {
    if (b < 2) continue;
    if (b == block || b == block * 2)
      add(0, b, tr("only the first {} elements, one block's worth", b), tr(kOneBlock));
    else
      add(0, b, tr("only the first {} elements", b),
          tr("Elements behind them are not taken in: which block, or which step of the fold, should do it?"));
    add((n - 1) / b * b, n,
        tr("only the last {} elements, those of the last block of {}", n - (n - 1) / b * b, b),
        tr(kOneBlock));
    add(0, n / b * b, tr("all but the last {} elements: those beyond the last full block of {}", n % b, b),
        tr("The block that is not full is dropped, or its guard is wrong. Round the number of blocks up."));
  }
  add(0, n / 2, tr("only the first half"),
      tr("Each thread should take two elements, or the grid needs twice as many."));
  add(n / 2, n, tr("only the second half"),
      tr("Each thread should take two elements, or the grid needs twice as many."));
  return list;
}

/// A sum that is off by one element of not too many: of more, some element is as large as any error.
std::optional<Diagnosis> off_by_one_element(const Evidence& e, const Buffer& input, double close) {
  constexpr std::int64_t kMost = 256;
  if (input.elements() > kMost) return std::nullopt;
  const double error = e.value(0) - e.expected(0);
  std::optional<std::int64_t> at;
  for (std::int64_t i = 0; i < input.elements(); ++i) {
    const double x = element_at(input.type, input.bytes.data(), i);
    if (std::abs(std::abs(error) - std::abs(x)) > close || std::abs(x) <= 4 * close) continue;
    if (at) return std::nullopt;
    at = i;
  }
  if (!at) return std::nullopt;
  const bool twice = error * element_at(input.type, input.bytes.data(), *at) > 0;
  return Diagnosis{Cause::partial_reduction,
                   twice ? tr("'{}' has element {} of '{}' in it twice", e.buffer.name, *at, input.name)
                         : tr("'{}' is the sum of all but element {}", e.buffer.name, *at),
                   twice ? tr("Which two threads take it, or which two steps of one?")
                         : tr("Which thread should take it, and in which step?")};
}

}  // namespace

std::optional<Diagnosis> partial_reduction(const Evidence& e) {
  if (e.size() != 1 || std::isnan(e.value(0)) || e.unwritten_anywhere(0)) return std::nullopt;
  const Buffer* input = nullptr;
  for (const Buffer& buffer : e.buffers)
    if (buffer.role == Buffer::Role::input && input == nullptr) input = &buffer;
  const auto is_real = [](Type type) {
    return type == Type::f32 || type == Type::f64 || type == Type::f16 || type == Type::bf16;
  };
  const bool place =
      input != nullptr && is_real(input->type) && !is_real(e.buffer.type);  // an index adds nothing up
  if (input == nullptr || place || input->elements() < 2 || input->elements() > (1 << 22))
    return std::nullopt;
  const std::int64_t n = input->elements();
  for (const Fold& f : kFolds) {
    const double whole = fold(f, *input, 0, n);
    // Sums in float are off by a little; a part is told from the whole by far more.
    double magnitude = std::abs(whole);
    for (std::int64_t i = 0; i < n; ++i)
      magnitude = std::max(magnitude, std::abs(element_at(input->type, input->bytes.data(), i)));
    const double close = 1e-5 * magnitude;
    if (std::abs(whole - e.expected(0)) > close + 1e-9) continue;
    // Of a maximum or minimum several parts may have the same: then it tells nothing.
    const std::vector<Part> all = parts(n, e.block_threads);
    const auto fits = std::count_if(all.begin(), all.end(), [&](const Part& part) {
      return std::abs(fold(f, *input, part.begin, part.end) - e.value(0)) <= close;
    });
    if (f.name != kFolds[0].name && fits > 1) continue;
    for (const Part& part : all) {
      const double value = fold(f, *input, part.begin, part.end);
      if (std::abs(value - e.value(0)) > close || std::abs(value - whole) <= 4 * close) continue;
      return Diagnosis{Cause::partial_reduction,
                       tr("'{}' is the {} of {}", e.buffer.name, tr(f.name), part.headline), part.advice};
    }
    if (&f == &kFolds[0])
      if (auto found = off_by_one_element(e, *input, close)) return found;
  }
  return std::nullopt;
}

}  // namespace ladder::diagnose
