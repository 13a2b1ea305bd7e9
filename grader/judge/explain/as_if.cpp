#include "grader/judge/explain/as_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

#include "grader/lesson/element.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

using Now = std::chrono::steady_clock;
using Shape = std::vector<std::int64_t>;

constexpr auto kTimeForReadings = std::chrono::seconds(2);
constexpr std::int64_t kMostVolume = 1 << 18;  ///< of a case: the reference runs some dozen times
/// Different values of wrong elements: of fewer, some reading fits by chance.
constexpr std::size_t kLeastValues = 3, kLeastIntegers = 8;

/// Makes the readings of one input.
class Readings {
 public:
  explicit Readings(const Buffer& input)
      : input_(input), shape_(input.shape), size_(size_of(input.type)), n_(input.elements()) {
    if (shape_.empty()) shape_.push_back(n_);
    last_ = shape_.back();
  }

  std::vector<OtherReading> all() {
    exchanged_axes();
    backwards();
    if (last_ % 2 == 0 && last_ > 2)
      taken(tr("one with the halves of its last index exchanged"),
            [&](std::int64_t i) { return i - i % last_ + (i % last_ + last_ / 2) % last_; });
    for (const std::int64_t group : {2, 4}) {
      if (n_ < 2 * group) continue;
      const char* const name = group == 2 ? tr("pair") : tr("four");
      taken(tr("one in which all elements of each {} are the first of it", name),
            [&](std::int64_t i) { return i - i % group; });
      taken(tr("one with the elements of each {} in reverse order", name), [&](std::int64_t i) {
        return i - i % group + group <= n_ ? i - i % group + group - 1 - i % group : i;
      });
    }
    narrow_steps();
    for (std::int64_t rows = 1; rows < shape_[0] && shape_.size() > 1; rows *= 2)
      taken(rows == 1 ? shape_.size() == 2 ? tr("one in which every row is the first")
                                           : tr("one in which the 1st index is always 0")
                      : tr("one whose first {} rows stand again and again", rows),
            [&](std::int64_t i) { return i % (rows * (n_ / shape_[0])); });
    changed();
    return std::move(all_);
  }

 private:
  /// Adds the reading in which element i is element from(i), as far as there is one.
  /// @param kind  the same for inputs of other extents; empty: the words
  void taken(std::string words, const std::function<std::int64_t(std::int64_t)>& from,
             std::string kind = {}) {
    if (kind.empty()) kind = words;
    OtherReading reading{std::move(words), std::move(kind), {input_.bytes.begin(), input_.bytes.end()}};
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t source = from(i);
      if (source < 0 || source >= n_) return;
      std::memcpy(reading.bytes.data() + std::size_t(i) * size_,
                  input_.bytes.data() + std::size_t(source) * size_, size_);
    }
    add(std::move(reading));
  }

  void add(OtherReading reading) {
    if (std::equal(reading.bytes.begin(), reading.bytes.end(), input_.bytes.begin(), input_.bytes.end()))
      return;
    if (std::none_of(all_.begin(), all_.end(),
                     [&](const auto& known) { return known.bytes == reading.bytes; }))
      all_.push_back(std::move(reading));
  }

  /// The places along each axis of an element.
  Shape places(std::int64_t i) const {
    Shape at(shape_.size());
    for (std::size_t a = shape_.size(); a-- > 0; i /= shape_[a]) at[a] = i % shape_[a];
    return at;
  }
  /// How far apart neighbours along each axis lie, where they are stored in an order of the axes.
  Shape steps(const std::vector<std::size_t>& order) const {
    Shape steps(shape_.size());
    std::int64_t step = 1;
    for (std::size_t k = order.size(); k-- > 0; step *= shape_[order[k]]) steps[order[k]] = step;
    return steps;
  }
  std::vector<std::size_t> usual_order() const {
    std::vector<std::size_t> order(shape_.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::int64_t place(const Shape& at, const Shape& steps) const {
    return std::inner_product(at.begin(), at.end(), steps.begin(), std::int64_t{0});
  }

  /// Adds the reading of an array that is stored in another order of its axes.
  void stored(const std::string& words, const std::vector<std::size_t>& order) {
    const Shape other = steps(order);
    taken(words, [&](std::int64_t i) { return place(places(i), other); });
  }

  void exchanged_axes() {
    for (std::size_t a = 0; a < shape_.size(); ++a)
      for (std::size_t b = a + 1; b < shape_.size(); ++b) {
        if (shape_[a] == 1 || shape_[b] == 1) continue;
        std::vector<std::size_t> order = usual_order();
        std::swap(order[a], order[b]);
        stored(shape_.size() == 2
                   ? tr("one that is stored by columns, not by rows")
                   : tr("one that is stored with its {} and {} index exchanged",
                        diagnose::ordinal(std::int64_t(a) + 1), diagnose::ordinal(std::int64_t(b) + 1)),
               order);
      }
    if (shape_.size() < 3) return;
    std::vector<std::size_t> order = usual_order();
    std::rotate(order.begin(), order.end() - 1, order.end());
    stored(tr("one that is stored by its last index, a plane for each"), order);
    order = usual_order();
    std::rotate(order.begin(), order.begin() + 1, order.end());
    stored(tr("one that is stored with its first index running fastest"), order);
  }

  void backwards() {
    taken(last_ == n_ ? tr("one that runs backwards") : tr("one whose last index runs backwards"),
          [&](std::int64_t i) { return i - 2 * (i % last_) + last_ - 1; });
    if (shape_.size() > 1) {
      const std::int64_t slice = last_ * shape_[shape_.size() - 2];
      taken(tr("one transposed in its last two indices"),
            [&](std::int64_t i) { return i - 2 * (i % slice) + slice - 1; });
    }
    taken(tr("one that runs backwards"), [&](std::int64_t i) { return n_ - 1 - i; });
  }

  /// An extent is left out of the step along an index, or all are.
  void narrow_steps() {
    for (std::size_t a = 0; a + 1 < shape_.size(); ++a) {
      if (shape_[a] == 1) continue;
      for (std::size_t without = a + 1; without <= shape_.size(); ++without) {
        Shape narrow = steps(usual_order());
        const std::int64_t step = narrow[a];
        narrow[a] = without < shape_.size() ? step / shape_[without] : 1;
        if (narrow[a] == step) continue;
        const std::string along = shape_.size() == 2
                                      ? tr("from row to row")
                                      : tr("along its {} index", diagnose::ordinal(std::int64_t(a) + 1));
        const std::string counts = tr("{} element{}, and not {}", narrow[a], narrow[a] == 1 ? "" : "s", step);
        taken(
            without < shape_.size() ? tr("one whose step {} leaves out the {} extent ({})", along,
                                         diagnose::ordinal(std::int64_t(without) + 1), counts)
                                    : tr("one whose step {} is {}", along, counts),
            [&](std::int64_t i) { return place(places(i), narrow); }, fmt::format("step {} {}", a, without));
      }
    }
  }

  /// Each row one place on, or back, and 0 where nothing comes from.
  void moved_by_one() {
    for (const std::int64_t by : {1, -1}) {
      const std::string words = by > 0
                                    ? tr("one whose rows begin at their second element, with 0 at the end")
                                    : tr("one whose rows begin one place too late, with 0 at the beginning");
      OtherReading reading{words, words, std::vector<std::byte>(input_.bytes.size())};
      for (std::int64_t i = 0; i < n_; ++i) {
        const std::int64_t at = i % last_ + by;
        if (at < 0 || at >= last_) continue;
        std::memcpy(reading.bytes.data() + std::size_t(i) * size_,
                    input_.bytes.data() + std::size_t(i + by) * size_, size_);
      }
      add(std::move(reading));
    }
  }

  void changed() {
    const std::vector<std::byte> same(input_.bytes.begin(), input_.bytes.end());
    /// Adds the reading with 0, or with the first of its row, where an element's place along the last axis
    /// says so.
    const auto replaced = [&](const std::string& words, bool by_first,
                              const std::function<bool(std::int64_t)>& where) {
      OtherReading reading{words, by_first ? words + tr(", repeated") : words, same};
      for (std::int64_t i = 0; i < n_; ++i) {
        if (!where(i % last_)) continue;
        std::byte* const to = reading.bytes.data() + std::size_t(i) * size_;
        if (by_first)
          std::memcpy(to, same.data() + std::size_t(i - i % last_) * size_, size_);
        else
          std::memset(to, 0, size_);
      }
      add(std::move(reading));
    };
    if (last_ > 2) {
      replaced(tr("one with 0 as the first of each row"), false, [](std::int64_t at) { return at == 0; });
      replaced(tr("one with 0 as the last of each row"), false,
               [&](std::int64_t at) { return at == last_ - 1; });
      moved_by_one();
    }
    for (std::int64_t length = 32; length < last_; length *= 2)
      for (const bool by_first : {false, true})  // nothing to a sum, and nothing to a maximum
        replaced(tr("one with nothing behind the first {} of each row", length), by_first,
                 [&](std::int64_t at) { return at >= length; });
    // Only where both are there: an array of nothing but 0 may hold places in another.
    const auto is = [](int wanted) { return [=](std::byte b) { return b == std::byte(wanted); }; };
    const auto is_flag = [&](std::byte b) { return is(0)(b) || is(1)(b); };
    if (input_.type == Type::u8 && std::all_of(same.begin(), same.end(), is_flag) &&
        std::any_of(same.begin(), same.end(), is(0)) && std::any_of(same.begin(), same.end(), is(1))) {
      const std::string words = tr("one with 0 for 1, and 1 for 0");
      OtherReading reading{words, words, same};
      for (std::byte& b : reading.bytes) b ^= std::byte{1};
      add(std::move(reading));
    }
  }

  const Buffer& input_;
  Shape shape_;
  std::size_t size_;
  std::int64_t n_, last_ = 1;
  std::vector<OtherReading> all_;
};

/// The case's problem, with inputs that may be changed.
Problem problem_of(const Bench& bench, const Case& which) {
  Problem problem(which);
  Random random(bench.secret.number("values", key_of(which)));
  bench.lesson.declare(problem, random);
  return problem;
}

/// Whether an output is what the reference made.
bool is_result(const Failure& failure, const Buffer& expected) {
  const diagnose::Evidence e = evidence_of(failure);
  for (std::int64_t i = 0; i < e.size(); ++i)
    if (!acceptable(expected.expected[std::size_t(i)], e.value(i), expected.tolerance)) return false;
  return true;
}

bool tells_enough(const Failure& failure) {
  const diagnose::Evidence e = evidence_of(failure);
  const std::size_t least = is_floating(e.buffer.type) ? kLeastValues : kLeastIntegers;
  std::set<double> values;
  for (const std::int64_t i : e.wrong.kept) {
    values.insert(e.value(i));
    if (values.size() >= least) return true;
  }
  return false;
}

}  // namespace

std::vector<OtherReading> other_readings(const Buffer& input) {
  const bool is_value = is_floating(input.type) || input.type == Type::u8;
  if (input.role != Buffer::Role::input || !is_value || input.elements() < 2) return {};
  return Readings(input).all();
}

std::optional<diagnose::Diagnosis> as_if_read_otherwise(const Bench& bench, const Failure& failure,
                                                        const Failure* another) {
  const auto deadline = Now::now() + kTimeForReadings;
  const auto may_be_asked = [](const Failure& f) {
    return volume(f.prepared->which()) <= kMostVolume && tells_enough(f);
  };
  if (!may_be_asked(failure)) return std::nullopt;
  const auto fits = [&](const Failure& f, std::size_t input, const OtherReading& reading) {
    Problem problem = problem_of(bench, f.prepared->which());
    std::copy(reading.bytes.begin(), reading.bytes.end(), problem.buffers()[input].bytes.begin());
    try {
      bench.lesson.reference(problem);
    } catch (const std::exception&) {  // no input that the contract allows
      return false;
    }
    return is_result(f, problem.buffers()[f.result.buffer]);
  };
  /// Of one case the extents may be such that several steps fit.
  const auto fits_another = [&](std::size_t input, const OtherReading& reading) {
    if (!reading.kind.starts_with("step") || another == nullptr || !may_be_asked(*another)) return true;
    const auto all = other_readings(another->prepared->problem.buffers()[input]);
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const OtherReading& o) { return o.kind == reading.kind; });
    return same == all.end() || fits(*another, input, *same);
  };
  const auto inputs = failure.prepared->problem.buffers();
  for (std::size_t input = 0; input < inputs.size(); ++input)
    for (const OtherReading& reading : other_readings(inputs[input])) {
      if (Now::now() > deadline) return std::nullopt;
      if (!fits(failure, input, reading) || !fits_another(input, reading)) continue;
      return diagnose::Diagnosis{
          diagnose::Cause::other_input,
          tr("'{}' is the right result for another '{}': {}", inputs[failure.result.buffer].name,
             inputs[input].name, reading.words),
          tr("All elements agree with that. With which index is '{}' read, or which of its elements "
             "take no part?",
             inputs[input].name)};
    }
  return std::nullopt;
}

}  // namespace ladder
