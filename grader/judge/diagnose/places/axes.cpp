// A pattern of an input whose axes stand in another order than the one that is wanted.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

using Order = std::vector<std::size_t>;  // axis k of the result is axis order[k] of the input

/// Whether @p holds(index of the result, index of the input)
/// for all elements of @p shape permuted by @p order.
template <class Holds>
bool all_permuted(const std::vector<std::int64_t>& shape, const Order& order, const Holds& holds) {
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> stride(rank, 1), at(rank, 0);  // of the input; and where the result stands
  for (std::size_t d = rank - 1; d-- > 0;) stride[d] = stride[d + 1] * shape[d + 1];
  const std::int64_t size = stride[0] * shape[0];
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!holds(i, from)) return false;
    for (std::size_t k = rank; k-- > 0;) {
      from += stride[order[k]];
      if (++at[k] < shape[order[k]]) break;
      from -= stride[order[k]] * shape[order[k]];
      at[k] = 0;
    }
  }
  return true;
}

std::string in_words(const Order& order) {
  std::string text;
  for (const std::size_t axis : order) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return "(" + text + ")";
}

Order inverse(const Order& order) {
  Order back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = k;
  return back;
}

}  // namespace

std::optional<Diagnosis> permuted_axes(const Evidence& e) {
  constexpr std::int64_t kLeast = 64,
                         kMost = std::int64_t{1} << 22;  // in a few elements chance finds an order
  const auto& shape = e.buffer.shape;
  if (shape.size() < 3 || shape.size() > 4 || e.size() < kLeast || e.size() > kMost) return std::nullopt;
  for (const Buffer& input : e.buffers) {
    // An axis of one element may stand anywhere, and says nothing.
    if (input.role != Buffer::Role::input || input.shape.size() != shape.size() ||
        input.elements() != e.size() || std::find(shape.begin(), shape.end(), 1) != shape.end())
      continue;
    const auto value = [&](std::int64_t i) { return element_at(input.type, input.bytes.data(), i); };
    std::optional<Order> wanted, found;
    Order order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    const Order as_it_is = order;
    do {
      if (all_permuted(input.shape, order, [&](auto to, auto from) {
            return acceptable(e.expected(to), value(from), kSameBits);
          }))
        wanted = order;
      if (order != as_it_is && all_permuted(input.shape, order, [&](auto to, auto from) {
            return acceptable(e.value(to), value(from), kSameBits);
          }))
        found = order;
    } while (std::next_permutation(order.begin(), order.end()));
    if (!wanted || !found || wanted == found) continue;
    const std::string orders = tr("{} where {} is wanted", in_words(*found), in_words(*wanted));
    if (*found == inverse(*wanted))
      return Diagnosis{
          Cause::permuted_axes,
          tr("'{}' has the axes of '{}' permuted the other way round: {}", e.buffer.name, input.name, orders),
          tr("An order says either which axis of the input becomes axis k of the output, or to "
             "which axis of the "
             "output axis k of the input goes: the two are each other's inverse, and the same only "
             "for some orders. "
             "Which one does the contract mean, and which one do extents and strides follow here?")};
    return Diagnosis{
        Cause::permuted_axes,
        tr("'{}' has the axes of '{}' in another order: {}", e.buffer.name, input.name, orders),
        tr("Which extents is the output's index taken apart by, from the last axis, which is the fastest, "
           "to the first? And which stride belongs to each of these coordinates?")};
  }
  return std::nullopt;
}

}  // namespace ladder::diagnose
