#include "grader/judge/cases/giant_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "grader/judge/cases/touched.h"
#include "grader/lesson/element.h"
#include "grader/lesson/shared_bytes.h"
#include "language/catalogue.h"

namespace ladder {
namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostTouched = std::size_t{256}
                                     << 20;  ///< bytes of one array; beyond that nothing is judged
constexpr std::size_t kRoomForSample = std::size_t{2} << 30;  ///< for the process, on top of its own memory
constexpr std::int64_t kNear =
    kCountedByInt - (std::int64_t{1} << 24);                     ///< from there on a stride leads beyond
constexpr int kCompared = 20'000;                                ///< elements of an output, at most
constexpr std::uint64_t kDrawn = 100'000;                        ///< to find as many that were written
constexpr auto kTimeToCompare = std::chrono::milliseconds(600);  ///< for comparing
constexpr std::size_t kPeriod =
    65'521;  ///< of an input's values; a prime, so that 2^31 elements on there is another
constexpr std::byte kPoison{0xFF};

std::uint64_t split_mix(std::uint64_t x) {  // SplitMix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

template <class T>
T value_of(std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T> && sizeof(T) > 1)
      return static_cast<T>(static_cast<int>(bits % 2001) - 1000);
    return static_cast<T>(bits);
  } else {
    return static_cast<T>((static_cast<float>(bits % 129) - 64) / 64);
  }
}

class GiantCase {
 public:
  GiantCase(const Giant& lesson, const Case& which, std::uint64_t seed)
      : lesson_(lesson), problem_(which), seed_(seed | 1) {
    lesson.outline(problem_);
    for (const Buffer& buffer : problem_.buffers()) results_.emplace_back(buffer.size_bytes());
    values_.resize(results_.size());
  }

  CaseResult run(RungProcess& process) {
    if (CaseResult sent = send(process); !sent.passed() || left_alone_) return sent;
    CaseResult result = ask(process, false);
    if (result.passed() && lesson_.reads_all()) result.words = look_for_unread();
    if (!result.passed() || left_alone_) return result;
    for (std::size_t i = 0; i < touched_.size(); ++i) fill(i);
    result = ask(process, true);
    if (!result.passed() || left_alone_) return result;
    if (!is_whole(result.kernels)) return result;
    for (std::size_t i = 0; i < touched_.size() && result.passed(); ++i) result.words = judge(i);
    return result;
  }

 private:
  /// Whether what the sampled blocks leave are results. What one kernel leaves for the next is as incomplete
  /// as all the rest, and so is what blocks add up, or what the last of them to come does for all.
  bool is_whole(const std::vector<sim::KernelRecord>& kernels) const {
    return lesson_.compares() && kernels.size() == 1 && kernels.front().counters.global_atomic_requests == 0;
  }

  CaseResult send(RungProcess& process) {
    json buffers = json::array();
    std::vector<int> fds;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Buffer& buffer = problem_.buffers()[i];
      buffers.push_back(buffer_to_json(buffer));
      if (buffer.storage) fds.push_back(buffer.storage->fd());
      fds.push_back(results_[i].fd());
    }
    const auto answer = process.call({{"do", "case"},
                                      {"case", case_to_json(problem_.which())},
                                      {"buffers", buffers},
                                      {"guard", seed_},
                                      {"sets", 1}},
                                     fds, kRoomForSample);
    CaseResult result;
    if (const json* said = std::get_if<json>(&answer); said != nullptr && said->contains("sets"))
      return result;
    result.words = explain_answer(answer);
    left_alone_ = result.words.outcome == Outcome::not_run;  // a small GPU is modelled
    result.worker_lost = !result.passed();
    if (left_alone_) result.words = {};
    return result;
  }

  CaseResult ask(RungProcess& process, bool filled) {
    auto answer = process.call({{"do", "sample"}, {"seed", seed_}, {"filled", filled}}, {}, kRoomForSample);
    CaseResult result;
    if (const json* said = std::get_if<json>(&answer)) {
      try {  // what a student's code may have sent can be of any shape
        auto reply = said->get<WorkerReply>();
        if (has_more_than(kNear))
          for (sim::Finding& finding : reply.findings) blame_width(finding);
        result.findings = reply.findings;
        result.kernels = reply.kernels;
        if (said->contains("touched")) take(said->at("touched"));
        answer = json(reply);
      } catch (const json::exception&) {
        left_alone_ = true;
      }
    }
    result.words = explain_answer(answer);
    result.worker_lost = !result.passed();
    // A block that goes through everything by itself takes too long, and blocks that wait for others wait in
    // vain.
    const Outcome outcome = result.words.outcome;
    ended_ = result.passed();
    if ((outcome == Outcome::timed_out && !begins_again()) || outcome == Outcome::not_run ||
        outcome == Outcome::out_of_memory) {
      left_alone_ = true;
      result.words = {};
      result.findings.clear();
    }
    if (!result.passed()) explain(result.words);
    return result;
  }

  /// Smaller cases have passed: an access that goes wrong now has an address that 32 bits did not hold, and
  /// what lies there, or nearby, says nothing.
  static void blame_width(sim::Finding& finding) {
    if (finding.kind == sim::FindingKind::hang) finding.cure = sim::Cure::none;  // the index's width is it
    // What use there is of freed memory, a small case shows; here an index leads to where some was.
    if (finding.kind == sim::FindingKind::use_after_free) finding.kind = sim::FindingKind::out_of_bounds;
    if (finding.kind != sim::FindingKind::out_of_bounds && finding.kind != sim::FindingKind::misaligned)
      return;
    finding.symbol.clear();
    finding.message = sim::Message("The thread {} {} bytes where none of the arrays lies.",
                                   sim::verb_of(finding.access), finding.size);
    finding.cure = sim::Cure::none;
  }

  void take(const json& touched) {
    if (!touched.is_array()) {
      left_alone_ = true;
      return;
    }
    touched_.assign(results_.size(), {});
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const auto size = static_cast<std::int64_t>(results_[i].size());
      std::size_t all = 0;
      for (const json& pair : touched.at(i)) {
        ByteRange range{pair.at(0).get<std::int64_t>(), pair.at(1).get<std::int64_t>()};
        if (range.first < 0 || range.first > size || range.bytes < 0) continue;
        range.bytes = std::min(range.bytes, size - range.first);
        all += static_cast<std::size_t>(range.bytes);
        touched_[i].push_back(range);
      }
      if (all > kMostTouched) left_alone_ = true;
    }
  }

  /// Whether a loop has come to element 2^32 - 1 of something, and goes on at element 0.
  bool begins_again() const {
    if (!lesson_.reads_all()) return false;
    for (std::size_t i = 0; i < touched_.size(); ++i)
      if (is_read_by_32_bits(touched_[i], problem_.buffers()[i])) return true;
    return false;
  }

  Explanation look_for_unread() const {
    for (std::size_t i = 0; ended_ && i < touched_.size(); ++i) {
      const Buffer& buffer = problem_.buffers()[i];
      if (buffer.role == Buffer::Role::output) continue;
      if (const auto part = untouched_part(touched_[i], buffer))
        return wrong(
            tr("nothing is read of '{}' from element {} to {}", buffer.name, part->first, part->last));
    }
    return {};
  }

  /// The values of an input, which repeat after kPeriod elements.
  const std::vector<std::byte>& values_of(std::size_t i) const {
    std::vector<std::byte>& values = values_[i];
    const Buffer& buffer = problem_.buffers()[i];
    if (!values.empty()) return values;
    values.resize(kPeriod * size_of(buffer.type));
    visit_type(buffer.type, [&](auto zero) {
      using T = decltype(zero);
      const std::uint64_t key = split_mix(seed_ + i);
      for (std::size_t e = 0; e < kPeriod; ++e) {
        const double adapted = lesson_.adapt(buffer.name, to_double(value_of<T>(split_mix(key ^ e))));
        T value;
        if constexpr (std::is_integral_v<T>)
          value = static_cast<T>(adapted);
        else
          value = static_cast<T>(static_cast<float>(adapted));
        std::memcpy(values.data() + e * sizeof value, &value, sizeof value);
      }
    });
    return values;
  }

  void fill(std::size_t i) {
    Buffer& buffer = problem_.buffers()[i];
    if (!buffer.storage) return;
    const std::vector<std::byte>& values = values_of(i);
    const auto size = static_cast<std::int64_t>(size_of(buffer.type)),
               period = static_cast<std::int64_t>(values.size());
    for (const ByteRange& range : touched_[i]) {
      const std::int64_t end = (range.first + range.bytes) / size * size;
      for (std::int64_t at = range.first / size * size; at < end;) {
        const std::int64_t from = at % period, bytes = std::min(period - from, end - at);
        std::memcpy(buffer.storage->data() + at, values.data() + from, static_cast<std::size_t>(bytes));
        at += bytes;
      }
    }
  }

  double input(std::string_view name, std::int64_t index) const {
    const auto buffers = problem_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].name != name) continue;
      const std::byte* at =
          values_of(i).data() + static_cast<std::size_t>(index) % kPeriod * size_of(buffers[i].type);
      return visit_type(buffers[i].type, [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return to_double(value);
      });
    }
    throw std::logic_error("the lesson asks for an input that it did not declare");
  }

  bool written(std::size_t i, std::int64_t e, std::size_t size) const {
    const std::byte* at = results_[i].data() + static_cast<std::size_t>(e) * size;
    return std::any_of(at, at + size, [](std::byte b) { return b != kPoison; });
  }

  bool any_written(std::size_t i, std::int64_t begin, std::int64_t end, std::size_t size) const {
    const auto wide = static_cast<std::int64_t>(size);
    for (const ByteRange& range : touched_[i])
      for (std::int64_t e = std::max(begin, range.first / wide),
                        last = std::min(end, (range.first + range.bytes) / wide);
           e < last; ++e)
        if (written(i, e, size)) return true;
    return false;
  }

  /// The word on what one array holds after the second run.
  Explanation judge(std::size_t i) const {
    const Buffer& buffer = problem_.buffers()[i];
    if (buffer.role != Buffer::Role::output) return {};
    const std::size_t size = size_of(buffer.type);
    const auto wide = static_cast<std::int64_t>(size);
    const std::int64_t elements = buffer.elements();
    std::vector<std::int64_t> before{0};  // elements in the ranges before each
    for (const ByteRange& range : touched_[i])
      before.push_back(before.back() + (range.first + range.bytes) / wide - range.first / wide);
    const auto drawn = [&](std::uint64_t n) {  // an element of a page that was touched
      const auto k =
          static_cast<std::int64_t>(split_mix(seed_ * 31 + n) % static_cast<std::uint64_t>(before.back()));
      const auto range = std::upper_bound(before.begin(), before.end(), k) - before.begin() - 1;
      return touched_[i][static_cast<std::size_t>(range)].first / wide + k -
             before[static_cast<std::size_t>(range)];
    };
    const auto deadline = SteadyClock::now() + kTimeToCompare;
    const Giant::Input in = [this](std::string_view name, std::int64_t index) { return input(name, index); };
    const Tolerance tolerance = lesson_.tolerance(problem_.which());
    int compared = 0;
    for (std::uint64_t n = 0; n < kDrawn && compared < kCompared && before.back() > 0; ++n) {
      const std::int64_t e = drawn(n);
      if (!written(i, e, size)) continue;
      if (++compared % 64 == 0 && SteadyClock::now() > deadline) break;
      const double wanted = lesson_.element(problem_.which(), buffer.name, e, in);
      const double got = visit_type(buffer.type, [&](auto value) {
        std::memcpy(&value, results_[i].data() + e * wide, sizeof value);
        return to_double(value);
      });
      if (std::abs(got - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted)) continue;
      return wrong(tr("{}[{}] is {} and should be {}", buffer.name, e, got, wanted));
    }
    if (!has_more_than(kCountedByInt)) return {};
    const std::int64_t part = std::min(kCountedByInt, elements / 3 + 1);
    for (std::int64_t first = 0; first < elements; first += part) {
      const std::int64_t last = std::min(first + part, elements);
      if (last - first < elements / 8 || any_written(i, first, last, size)) continue;
      if (!any_written(i, 0, elements, size)) return wrong(tr("no element of '{}' was written", buffer.name));
      return wrong(tr("nothing is written to '{}' from element {} to {}", buffer.name, first, last - 1));
    }
    return {};
  }

  Explanation wrong(const std::string& what) const {
    Explanation words{Outcome::wrong_values, tr("wrong values: ") + what, "", ""};
    explain(words);
    return words;
  }

  bool has_more_than(std::int64_t elements) const {
    const auto buffers = problem_.buffers();
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const Buffer& b) { return b.elements() > elements; });
  }

  void explain(Explanation& words) const {
    const bool beyond = has_more_than(kCountedByInt);
    words.detail += tr("{}With {}{}", words.detail.empty() ? "" : "\n", problem_.which().label(),
                       beyond ? tr(": more elements than an int can count.") : tr(". Smaller cases pass."));
    if (!has_more_than(kNear)) return;  // a case of many blocks, which may be dealt out in any order
    words.advice = fmt::format(
        "{}{}{}", words.advice, words.advice.empty() ? "" : "\n",
        beyond
            ? tr("Smaller cases pass. Is an index, a size or the grid computed in 32 bits? int ends at 2^31, "
                 "and blockIdx.x * blockDim.x, which is unsigned, begins at 0 again at 2^32. Make the first "
                 "factor 64 bits wide: static_cast<std::size_t>(blockIdx.x) * blockDim.x, "
                 "static_cast<std::size_t>(row) * cols.")
            : tr("Nearly as many elements as an int can count: an index that goes on behind the last one, by "
                 "a "
                 "stride or to the end of a tile, passes 2^31 and is negative from there on. Make it 64 bits "
                 "wide."));
  }

  const Giant& lesson_;
  Problem problem_;
  const std::uint64_t seed_;
  std::vector<SharedBytes> results_;
  mutable std::vector<std::vector<std::byte>> values_;  ///< per input, once they are asked for
  std::vector<Touched> touched_;  ///< per buffer, as the first run told, then the second
  bool ended_ = false;            ///< the last run
  bool left_alone_ = false;       ///< this rung cannot be looked at so
};

}  // namespace

CaseResult run_giant(RungProcess& process, const Giant& lesson, const Case& which, std::uint64_t seed) {
  CaseResult result;
  result.words = process.start();
  result.worker_lost = !result.passed();
  if (result.passed()) result = GiantCase(lesson, which, seed).run(process);
  // Its arrays go; and a process whose device has failed is of no more use.
  result.worker_lost ? process.stop() : process.release();
  return result;
}

}  // namespace ladder
