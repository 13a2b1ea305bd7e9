// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "radix_sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t sort_keys(unsigned*, const unsigned*, int, unsigned*) __attribute__((weak));
cudaError_t sort_wide_keys(std::uint64_t*, const std::uint64_t*, int, unsigned*) __attribute__((weak));
cudaError_t sort_pairs(unsigned*, unsigned*, const unsigned*, const unsigned*, int, unsigned*)
    __attribute__((weak));

namespace {

using ladder::Case;

// What a case's variant begins with: what is sorted.
constexpr const char* kKeys = "keys";
constexpr const char* kWide = "wide keys";
constexpr const char* kPairs = "pairs";

bool is(const Case& which, const char* what) { return which.variant.starts_with(what); }

/// What comes behind that and a comma: what is special about the keys.
std::string_view kind_of(const Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? std::string_view() : variant.substr(comma + 2);
}

Case of(std::string variant, std::int64_t n, Case::Use use = Case::Use::check) {
  return {{{"n", n}}, std::move(variant), use};
}

/// Makes random keys those of a kind.
template <class Key>
void adapt(std::span<Key> keys, std::string_view kind, ladder::Random& random) {
  constexpr int kBits = std::numeric_limits<Key>::digits;
  if (kind == "ascending") {
    std::sort(keys.begin(), keys.end());
  } else if (kind == "descending") {
    std::sort(keys.rbegin(), keys.rend());
  } else if (kind == "equal") {
    std::fill(keys.begin(), keys.end(), keys.empty() ? 0 : keys[0]);
  } else if (kind == "few values") {
    Key values[3];  // which differ in every digit
    for (Key& value : values) value = static_cast<Key>(random.next());
    for (Key& key : keys) key = values[random.next() % 3];
  } else if (kind == "lowest digit") {
    for (Key& key : keys) key &= 0xff;
  } else if (kind == "highest digit") {
    for (Key& key : keys) key = key >> (kBits - 8) << (kBits - 8);
  } else if (kind == "one digit the same") {
    for (Key& key : keys) key = (key & ~static_cast<Key>(0xff00)) | 0x5a00;
  } else if (kind == "largest and smallest") {
    for (Key& key : keys) {  // the largest is what one may put in place of a missing key
      const std::uint64_t draw = random.next() % 4;
      key = draw == 0   ? static_cast<Key>(~Key{0})
            : draw == 1 ? Key{0}
            : draw == 2 ? Key{1} << (kBits - 1)
                        : key;
    }
  }
}

/// Declares n keys of 64 bits as pairs of words, for a double can't tell all of them apart.
std::span<std::uint64_t> as_wide(std::span<unsigned> words) {
  return {reinterpret_cast<std::uint64_t*>(words.data()), words.size() / 2};
}

class RadixSort : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const bool gpu = device == ladder::DeviceKind::gpu;
    for (const std::string what : {kKeys, kWide, kPairs}) {
      // Around a warp, a block and tiles of 4096 to 11264; several tiles, and a last one of one key.
      for (const std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 127, 257, 1023, 4097, 6144, 6145, 7169, 8191, 8193,
                                   11'264, 11'265, 24'577})
        cases.push_back(of(what, n));
      for (const char* kind : {", ascending", ", descending", ", equal", ", few values", ", lowest digit",
                               ", highest digit", ", one digit the same", ", largest and smallest"})
        for (const std::int64_t n : {70, 13'001}) cases.push_back(of(what + kind, n));
      cases.push_back(of(what, 32'763));  // the last tile of rung 1 ends in its last warp
      cases.push_back(of(what + ", few values", 70'001));
      cases.push_back(of(what, 70'001));
      if (gpu)
        for (const char* kind : {"", ", equal", ", few values", ", ascending", ", largest and smallest"})
          cases.push_back(of(what + kind, 2'999'999));
      const std::int64_t large = gpu ? 25'600'000 : 196'608;
      cases.push_back(of(what, is(of(what, 0), kKeys) ? large : large / 2, Case::Use::time));
    }
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("wide") ? kWide : has("pairs") ? kPairs : kKeys);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t n = which["n"];
    constexpr unsigned kMost = std::numeric_limits<unsigned>::max();
    if (is(which, kWide)) {
      const auto words = problem.input<unsigned>("in", {n, 2});
      random.uniform(words, 0, kMost);
      adapt(as_wide(words), kind_of(which), random);
      problem.output<unsigned>("out", {n, 2});
      return;
    }
    const auto in = problem.input<unsigned>("in", {n});
    random.uniform(in, 0, kMost);
    adapt(in, kind_of(which), random);
    problem.output<unsigned>("out", {n});
    if (!is(which, kPairs)) return;
    random.uniform(problem.input<unsigned>("in_values", {n}), 0, kMost);
    problem.output<unsigned>("out_values", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<unsigned>("in");
    const auto out = problem.expect("out", {});  // integers: nothing is rounded
    if (is(problem.which(), kWide)) {
      std::vector<std::uint64_t> keys(in.size() / 2);
      if (!keys.empty()) std::memcpy(keys.data(), in.data(), in.size_bytes());
      std::sort(keys.begin(), keys.end());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        out[2 * i] = static_cast<unsigned>(keys[i]);  // the lower half lies first
        out[2 * i + 1] = static_cast<unsigned>(keys[i] >> 32);
      }
    } else if (is(problem.which(), kPairs)) {
      const auto in_values = problem.read<unsigned>("in_values");
      const auto out_values = problem.expect("out_values", {});
      std::vector<unsigned> order(in.size());
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return in[a] < in[b]; });
      for (std::size_t i = 0; i < order.size(); ++i) {
        out[i] = in[order[i]];
        out_values[i] = in_values[order[i]];
      }
    } else {
      std::vector<unsigned> keys(in.begin(), in.end());
      std::sort(keys.begin(), keys.end());
      std::copy(keys.begin(), keys.end(), out.begin());
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), bytes = n * 4 * words_of(which);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    return ladder::allocate_scratch(&scratch_, "scratch", scratch_words(which["n"], words_of(which)));
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const int n = static_cast<int>(which["n"]);
    unsigned* const out = arguments.get<unsigned>("out");
    const unsigned* const in = arguments.get<unsigned>("in");
    if (is(which, kWide)) {
      if (&sort_wide_keys == nullptr)
        throw ladder::Objection("this rung lacks sort_wide_keys(std::uint64_t*, ...)");
      return sort_wide_keys(reinterpret_cast<std::uint64_t*>(out), reinterpret_cast<const std::uint64_t*>(in),
                            n, scratch_);
    }
    if (is(which, kPairs)) {
      if (&sort_pairs == nullptr) throw ladder::Objection("this rung lacks sort_pairs(unsigned*, ...)");
      return sort_pairs(out, arguments.get<unsigned>("out_values"), in, arguments.get<unsigned>("in_values"),
                        n, scratch_);
    }
    if (&sort_keys == nullptr) throw ladder::Objection("this rung lacks sort_keys(unsigned*, ...)");
    return sort_keys(out, in, n, scratch_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  /// Of 4 bytes, in what is sorted: a key, or a key and its value.
  static int words_of(const Case& which) { return is(which, kKeys) ? 1 : 2; }

  unsigned* scratch_ = nullptr;
};

}  // namespace

LADDER_LESSON(RadixSort)
