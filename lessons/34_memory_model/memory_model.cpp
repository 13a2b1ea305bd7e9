// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "memory_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"

// A rung defines one of the five; the addresses of the others are null.
cudaError_t relay(unsigned*, unsigned*, unsigned*, const unsigned*, const unsigned*, int, int)
    __attribute__((weak));
cudaError_t tally(Record*, unsigned*, const unsigned*, const unsigned*, int, int) __attribute__((weak));
cudaError_t through_queue(unsigned*, const Queue&, const unsigned*, int) __attribute__((weak));
cudaError_t smooth(unsigned*, unsigned*, Barrier*, const unsigned*, int, int) __attribute__((weak));
cudaError_t turn_tiles(unsigned*, const unsigned*, int, unsigned) __attribute__((weak));

namespace {

using ladder::Case;

// What a case's variant begins with: the function.
constexpr const char* kRelay = "relay";
constexpr const char* kTally = "tally";
constexpr const char* kQueue = "through_queue";
constexpr const char* kSmooth = "smooth";
constexpr const char* kTurn = "turn_tiles";

constexpr unsigned kKey = 0xC0FFEE11u;  // of turn_tiles

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

Case of(std::string variant, std::int64_t n, const char* second = nullptr, std::int64_t value = 0,
        Case::Use use = Case::Use::check) {
  Case which{{{"n", n}}, std::move(variant), use};
  if (second != nullptr) which.extents.emplace_back(second, value);
  return which;
}

class MemoryModel : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    const bool gpu = device == ladder::DeviceKind::gpu;
    std::vector<Case> cases;
    // One stage and the first block's last one; around a warp, its message and a chunk; more messages than
    // the ring of rung 3 holds.
    for (const auto& [n, stages] : {std::pair{0, 3},
                                    {1, 1},
                                    {1, 2},
                                    {31, 5},
                                    {33, 8},
                                    {129, 9},
                                    {255, 3},
                                    {257, 2},
                                    {700, 10},
                                    {1300, 17},
                                    {1025, 4}})
      cases.push_back(of(kRelay, n, "stages", stages));
    // One key that all want, few, and more keys than values.
    for (const auto& [n, buckets] :
         {std::pair{0, 3}, {1, 1}, {2, 1}, {33, 1}, {64, 2}, {129, 3}, {700, 7}, {300, 1000}})
      cases.push_back(of(kTally, n, "buckets", buckets));
    // Around the queue's size, and many times as many.
    for (const int n : {0, 1, 31, 63, 64, 65, 129, 1000, 2051}) cases.push_back(of(kQueue, n));
    for (const auto& [n, rounds] : {std::pair{0, 2},
                                    {1, 3},
                                    {2, 1},
                                    {255, 4},
                                    {257, 2},
                                    {600, 5},
                                    {1025, 8},
                                    {3001, 3},
                                    {300'001, 2}})  // the last: more blocks than fit
      cases.push_back(of(kSmooth, n, "rounds", rounds));
    for (const int n : {0, 4, 8, 2044, 2048, 2052, 4096, 9000, 40'004}) cases.push_back(of(kTurn, n));
    if (gpu) {
      cases.push_back(of(kRelay, 100'003, "stages", 64));
      cases.push_back(of(kTally, 1'000'003, "buckets", 4099));
      cases.push_back(of(kQueue, 1'000'003));
      cases.push_back(of(kSmooth, 1'000'003, "rounds", 10));
      cases.push_back(of(kTurn, 10'000'004));
    }
    const auto timed = [&](const char* function, std::int64_t n, const char* second = nullptr,
                           std::int64_t value = 0) {
      cases.push_back(of(function, n, second, value, Case::Use::time));
    };
    timed(kRelay, gpu ? 1 << 15 : 1 << 12, "stages", gpu ? 64 : 16);
    timed(kTally, gpu ? 1 << 20 : 1 << 12, "buckets", gpu ? 1 << 14 : 1 << 8);
    timed(kQueue, gpu ? 1 << 18 : 1 << 12);
    timed(kSmooth, gpu ? 1 << 20 : 1 << 14, "rounds", gpu ? 64 : 8);
    timed(kTurn, gpu ? 1 << 27 : 1 << 18);
    return cases;
  }

  bool valid(const Case& which) const override {
    if (is(which, kRelay)) return which["stages"] >= 1 && which["stages"] <= 64;
    if (is(which, kTally)) return which["buckets"] >= 1;
    if (is(which, kSmooth)) return which["rounds"] >= 1;
    return !is(which, kTurn) || which["n"] % 4 == 0;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("lock")                               ? kTally
                     : has("queue")                            ? kQueue
                     : has("grid_barrier") || has("grid_sync") ? kSmooth
                     : has("proxy")                            ? kTurn
                                                               : kRelay);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t n = which["n"];
    const auto fill = [&](const char* name, std::int64_t size, unsigned most = ~0u) {
      random.uniform(problem.input<unsigned>(name, {size}), 0u, most);
    };
    if (is(which, kTally)) {
      fill("keys", n, static_cast<unsigned>(which["buckets"] - 1));
      fill("values", n);
      problem.output<unsigned>("records", {which["buckets"], 4});
      return;
    }
    fill("in", n);
    if (is(which, kRelay)) fill("keys", which["stages"]);
    problem.output<unsigned>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::size_t n = which["n"];
    if (is(which, kTally)) return reference_records(problem);
    const auto in = problem.read<unsigned>("in");
    const auto out = problem.expect("out", {});
    if (is(which, kRelay)) {
      const auto keys = problem.read<unsigned>("keys");
      for (std::size_t i = 0; i < n; ++i) {
        unsigned x = in[i];
        for (const unsigned key : keys) x = step(x, key);
        out[i] = x;
      }
    } else if (is(which, kQueue)) {
      for (std::size_t i = 0; i < n; ++i) out[i] = step(in[i], static_cast<unsigned>(i));
    } else if (is(which, kSmooth)) {
      std::vector<unsigned> now(in.begin(), in.end()), next(n);
      for (std::int64_t round = 0; round < which["rounds"]; ++round, now.swap(next))
        for (std::size_t i = 0; i < n; ++i)
          next[i] = 2 * now[i] + (i > 0 ? now[i - 1] : 0) + (i + 1 < n ? now[i + 1] : 0);
      std::copy(now.begin(), now.end(), out.begin());
    } else {
      for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t length = std::min<std::size_t>(kTile, n - begin);
        for (std::size_t j = 0; j < length; ++j) out[begin + j] = step(in[begin + length - 1 - j], kKey);
      }
    }
  }

  ladder::Work work(const Case& which) const override {
    const double words = static_cast<double>(which["n"]) * sizeof(unsigned);
    if (is(which, kTally))
      return {.bytes_read = 2 * words,
              .bytes_written = static_cast<double>(which["buckets"]) * sizeof(Record)};
    const double rounds = is(which, kSmooth) ? static_cast<double>(which["rounds"]) : 1;
    return {.bytes_read = rounds * words, .bytes_written = rounds * words};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    scratch_ = messages_ = nullptr;
    words_ = 0;
    const std::int64_t n = which["n"];
    if (is(which, kRelay)) {
      words_ = which["stages"] * n;
      if (words_ == 0) return cudaSuccess;
      const cudaError_t error = ladder::allocate_scratch(&messages_, "messages", words_);
      if (error != cudaSuccess) return error;
      return clean("flags");
    }
    if (is(which, kTally)) {
      words_ = which["buckets"];
      return clean("locks");
    }
    if (is(which, kQueue)) {
      words_ = kSlots * sizeof(Slot) / sizeof(unsigned) + 3;
      return clean("queue");
    }
    if (!is(which, kSmooth)) return cudaSuccess;
    words_ = sizeof(Barrier) / sizeof(unsigned);
    const cudaError_t error = n == 0 ? cudaSuccess : ladder::allocate_scratch(&messages_, "work", 2 * n);
    return error == cudaSuccess ? clean("barrier") : error;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    // Where nothing is timed, the function is called twice: the second call finds what the first one has left
    // of locks and barriers, and none of its results.
    cudaError_t error = call(which, arguments);
    if (error != cudaSuccess || which.use == Case::Use::time || !is_called_again(which)) return error;
    const bool records = is(which, kTally);
    const std::size_t size =
        records ? which["buckets"] * sizeof(Record) : static_cast<std::size_t>(which["n"]) * sizeof(unsigned);
    if (size > 0) error = cudaMemsetAsync(arguments.get<unsigned>(records ? "records" : "out"), 0xA5, size);
    return error == cudaSuccess ? call(which, arguments) : error;
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    const cudaError_t error = cudaFree(scratch_);
    const cudaError_t other = cudaFree(messages_);
    return error == cudaSuccess ? other : error;
  }

 private:
  static bool is_called_again(const Case& which) { return is(which, kTally) || is(which, kSmooth); }

  static void reference_records(ladder::Problem& problem) {
    const auto keys = problem.read<unsigned>("keys"), values = problem.read<unsigned>("values");
    std::vector<Record> records(problem.which()["buckets"]);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      Record& r = records[keys[i]];
      ++r.count;
      r.sum += values[i];
      r.second = std::max(r.second, std::min(r.first, values[i]));
      r.first = std::max(r.first, values[i]);
    }
    const auto out = problem.expect("records", {});
    for (std::size_t b = 0; b < records.size(); ++b) {
      out[4 * b] = records[b].count;
      out[4 * b + 1] = records[b].sum;
      out[4 * b + 2] = records[b].first;
      out[4 * b + 3] = records[b].second;
    }
  }

  cudaError_t clean(const char* name) {
    const cudaError_t error = ladder::allocate_scratch(&scratch_, name, words_);
    return error == cudaSuccess ? cudaMemset(scratch_, 0, words_ * sizeof(unsigned)) : error;
  }

  static void want(bool there, const char* function) {
    if (!there) throw ladder::Objection("this rung lacks " + std::string(function) + "()");
  }

  cudaError_t call(const Case& which, const ladder::Arguments& arguments) const {
    const int n = get(which, "n");
    if (is(which, kTally)) {
      want(&tally != nullptr, kTally);
      return tally(reinterpret_cast<Record*>(arguments.get<unsigned>("records")), scratch_,
                   arguments.get<unsigned>("keys"), arguments.get<unsigned>("values"), n,
                   get(which, "buckets"));
    }
    unsigned* const out = arguments.get<unsigned>("out");
    const unsigned* const in = arguments.get<unsigned>("in");
    if (is(which, kRelay)) {
      want(&relay != nullptr, kRelay);
      return relay(out, messages_, scratch_, in, arguments.get<unsigned>("keys"), n, get(which, "stages"));
    }
    if (is(which, kQueue)) {
      want(&through_queue != nullptr, kQueue);
      unsigned* const tickets = scratch_ + kSlots * sizeof(Slot) / sizeof(unsigned);
      return through_queue(out, {reinterpret_cast<Slot*>(scratch_), tickets, tickets + 1, tickets + 2}, in,
                           n);
    }
    if (is(which, kSmooth)) {
      want(&smooth != nullptr, kSmooth);
      return smooth(out, messages_, reinterpret_cast<Barrier*>(scratch_), in, n, get(which, "rounds"));
    }
    want(&turn_tiles != nullptr, kTurn);
    return turn_tiles(out, in, n, kKey);
  }

  unsigned *scratch_ = nullptr, *messages_ = nullptr;
  std::int64_t words_ = 0;  ///< of scratch_
};

}  // namespace

LADDER_LESSON(MemoryModel)
