// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "decode_attention.h"

#include <cuda_fp8.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"
#include "judge/sequences.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t decode_attention(__nv_bfloat16*, const Scratch&, const __nv_bfloat16*, const __nv_bfloat16*,
                             const __nv_bfloat16*, const int*, int, int, int) __attribute__((weak));
cudaError_t paged_attention(__nv_bfloat16*, const Scratch&, const __nv_bfloat16*, const __nv_bfloat16*,
                            const __nv_bfloat16*, const int*, const int*, int, int, int)
    __attribute__((weak));
cudaError_t fp8_attention(__nv_bfloat16*, const Scratch&, const __nv_bfloat16*, const unsigned char*,
                          const unsigned char*, const float*, const float*, const int*, int, int, int)
    __attribute__((weak));

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

// What a case's variant begins with: the function.
constexpr const char* kDecode = "decode_attention";
constexpr const char* kPaged = "paged_attention";
constexpr const char* kFp8 = "fp8_attention";

constexpr std::int64_t kRow = kDim;  // elements of a key, for arithmetic in 64 bits

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }

/// What comes behind the function's name and a comma: what is special about the case.
std::string_view kind_of(const Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? kMixed : variant.substr(comma + 2);
}

Case batch(std::string variant, std::int64_t sequences, std::int64_t kv_heads, std::int64_t keys,
           Case::Use use = Case::Use::check) {
  const bool paged = variant.starts_with(kPaged);
  return {{{"sequences", sequences},
           {"kv_heads", kv_heads},
           {paged ? "max_pages" : "max_length", paged ? (keys + kPage - 1) / kPage : keys}},
          std::move(variant),
          use};
}

std::int64_t max_length(const Case& which) {
  return is(which, kPaged) ? which["max_pages"] * kPage : which["max_length"];
}

std::int64_t splits_of(const Case& which) { return (max_length(which) + kSplit - 1) / kSplit; }

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

float from_e4m3(unsigned char bits) { return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3))); }

unsigned char to_e4m3(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }

class DecodeAttention : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const bool gpu = device == ladder::DeviceKind::gpu;
    for (const std::string function : {kDecode, kPaged, kFp8}) {
      // Around a team, a tile of 16 keys, the 64 and 128 that a block takes at a time, and a split; more than
      // two splits; one head and several; nobody.
      constexpr std::int64_t kShapes[][3] = {{0, 2, 5},    {2, 0, 5},    {1, 1, 1},    {2, 3, 2},
                                             {3, 1, 17},   {2, 2, 65},   {5, 2, 130},  {1, 1, 1024},
                                             {2, 1, 1025}, {5, 1, 1100}, {2, 2, 2050}, {5, 1, 3000}};
      for (const auto& [sequences, kv_heads, keys] : kShapes)
        cases.push_back(batch(function, sequences, kv_heads, keys));
      for (const char* kind : {", rising", ", falling", ", far below 0", ", large", ", equal"})
        for (const auto& [sequences, keys] : {std::pair{2, 70}, {1, 1200}})
          cases.push_back(batch(function + kind, sequences, 1, keys));
      if (gpu) {
        cases.push_back(batch(function, 301, 3, 1030));
        cases.push_back(batch(function, 5, 8, 8000));
        cases.push_back(batch(function, 2, 2, 100'000));
      }
      cases.push_back(gpu ? batch(function + ", full", 32, 8, 8192, Case::Use::time)
                          : batch(function + ", full", 1, 2, 4096, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return max_length(which) >= 1; }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    // Rung 1 has a float of shared memory for each key.
    if (has("block_a_head") && max_length(which) > 8192) return false;
    // The library's products have no lengths.
    if (has("cublas") && kind_of(which) == kMixed) return false;
    return is(which, has("paged") ? kPaged : has("fp8") ? kFp8 : kDecode);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t sequences = which["sequences"], kv_heads = which["kv_heads"];
    const std::int64_t most = max_length(which);
    fill_queries(problem.input<Bf16>("q", {sequences, kv_heads, kGroup, kDim}), kind_of(which), random);
    // The order of the contract; lengths are drawn first, since the caches depend on them.
    std::vector<int> lengths(sequences);
    fill_lengths(lengths, most, kSplit, random);
    if (kind_of(which) != kMixed) std::fill(lengths.begin(), lengths.end(), static_cast<int>(most));
    if (is(which, kPaged)) {
      declare_pages(problem, lengths, random);
    } else if (is(which, kFp8)) {
      const std::vector<std::int64_t> shape = {sequences, kv_heads, most, kDim};
      const auto k = problem.input<unsigned char>("k", shape), v = problem.input<unsigned char>("v", shape);
      const auto k_scale = problem.input<float>("k_scale", {kv_heads});
      const auto v_scale = problem.input<float>("v_scale", {kv_heads});
      random.uniform(k_scale, 0x1p-5f, 0x1p-4f);   // 448 is the largest number: keys up to 14 and more
      random.uniform(v_scale, 0x1p-10f, 0x1p-9f);  // values less than 1
      for_each(sequences * kv_heads, [&, seed = random.next()](std::int64_t group) {
        ladder::Random own(seed + group);
        const float scale = k_scale[group % kv_heads];
        fill_group(which, lengths[group / kv_heads], own,
                   [&](std::int64_t key, std::span<const Bf16> k_row, std::span<const Bf16> v_row) {
                     for (std::int64_t i = 0; i < kRow; ++i) {
                       const std::int64_t at = (group * most + key) * kRow + i;
                       const bool there = key < lengths[group / kv_heads];
                       k[at] = there ? to_e4m3(__bfloat162float(k_row[i]) / scale) : 0x7F;  // the NaN of e4m3
                       v[at] = there ? to_e4m3(__bfloat162float(v_row[i]) * 448) : 0x7F;
                     }
                   });
      });
    } else {
      const std::vector<std::int64_t> shape = {sequences, kv_heads, most, kDim};
      const auto k = problem.input<Bf16>("k", shape), v = problem.input<Bf16>("v", shape);
      for_each(sequences * kv_heads, [&, seed = random.next()](std::int64_t group) {
        ladder::Random own(seed + group);
        fill_group(which, lengths[group / kv_heads], own,
                   [&](std::int64_t key, std::span<const Bf16> k_row, std::span<const Bf16> v_row) {
                     std::copy(k_row.begin(), k_row.end(), k.begin() + (group * most + key) * kRow);
                     std::copy(v_row.begin(), v_row.end(), v.begin() + (group * most + key) * kRow);
                   });
      });
    }
    const auto stored = problem.input<int>("lengths", {sequences});
    std::copy(lengths.begin(), lengths.end(), stored.begin());
    problem.output<Bf16>("o", {sequences, kv_heads, kGroup, kDim});
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::int64_t sequences = which["sequences"], kv_heads = which["kv_heads"];
    const std::int64_t most = max_length(which);
    const auto q = problem.read<Bf16>("q");
    const auto lengths = problem.read<int>("lengths");
    const auto o = problem.expect("o", kTolerance);
    for_each(sequences * kv_heads * kGroup, [&](std::int64_t row) {
      const std::int64_t group = row / kGroup, sequence = group / kv_heads, head = group % kv_heads;
      const auto result = o.subspan(row * kRow, kRow);
      const auto query = [&](std::int64_t i) { return double{__bfloat162float(q[row * kRow + i])}; };
      if (is(which, kFp8)) {
        const auto k = problem.read<unsigned char>("k"), v = problem.read<unsigned char>("v");
        const double k_scale = problem.read<float>("k_scale")[head];
        const double v_scale = problem.read<float>("v_scale")[head];
        const auto in = [&](std::span<const unsigned char> cache, double scale) {
          return [=](std::int64_t key, std::int64_t i) {
            return scale * number(cache[(group * most + key) * kRow + i]);
          };
        };
        return attend(result, lengths[sequence], query, in(k, k_scale), in(v, v_scale));
      }
      const auto k = problem.read<Bf16>("k"), v = problem.read<Bf16>("v");
      const auto table = is(which, kPaged) ? problem.read<int>("table") : std::span<const int>();
      const auto in = [&](std::span<const Bf16> cache) {
        return [=](std::int64_t key, std::int64_t i) {
          const std::int64_t slot =
              table.empty()
                  ? group * most + key
                  : (table[(sequence * most + key) / kPage] * kv_heads + head) * kPage + key % kPage;
          return double{__bfloat162float(cache[slot * kRow + i])};
        };
      };
      attend(result, lengths[sequence], query, in(k), in(v));
    });
  }

  ladder::Work work(const Case& which) const override {
    const auto rows = static_cast<double>(which["sequences"] * which["kv_heads"]);
    const double keys = rows * static_cast<double>(max_length(which));
    return {.bytes_read = keys * 2 * kDim * (is(which, kFp8) ? 1 : 2) + rows * kGroup * kDim * 2,
            .bytes_written = rows * kGroup * kDim * 2,
            .flops = 4 * keys * kGroup * kDim};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    scratch_ = {};
    const std::int64_t groups = which["sequences"] * which["kv_heads"];
    const std::int64_t heads = groups * splits_of(which) * kGroup;
    if (groups == 0) return cudaSuccess;
    cudaError_t error = ladder::allocate_scratch(&scratch_.sums, "scratch.sums", heads * kDim);
    if (error == cudaSuccess) error = ladder::allocate_scratch(&scratch_.softmax, "scratch.softmax", heads);
    if (error == cudaSuccess) error = ladder::allocate_scratch(&scratch_.arrived, "scratch.arrived", groups);
    if (error == cudaSuccess) error = cudaMemset(scratch_.arrived, 0, groups * sizeof(unsigned));
    return error;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    // Where nothing is timed, the function is called twice: the second call finds the counters as the first
    // one left them, and none of its results.
    cudaError_t error = call(which, arguments);
    if (error != cudaSuccess || which.use == Case::Use::time) return error;
    const std::int64_t rows = which["sequences"] * which["kv_heads"] * kGroup;
    const std::int64_t parts = rows * splits_of(which);
    error = ladder::forget(arguments.get<Bf16>("o"), rows * kDim);
    if (error == cudaSuccess) error = ladder::forget(scratch_.sums, parts * kDim);
    if (error == cudaSuccess) error = ladder::forget(scratch_.softmax, parts);
    return error == cudaSuccess ? call(which, arguments) : error;
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    cudaError_t error = cudaFree(scratch_.sums);
    if (error == cudaSuccess) error = cudaFree(scratch_.softmax);
    if (error == cudaSuccess) error = cudaFree(scratch_.arrived);
    return error;
  }

 private:
  /// The value of an e4m3, from a table: the reference has a thousand million of them.
  static double number(unsigned char bits) {
    static const std::array<double, 256> kNumbers = [] {
      std::array<double, 256> all{};
      for (int i = 0; i < 256; ++i) all[i] = from_e4m3(static_cast<unsigned char>(i));
      return all;
    }();
    return kNumbers[bits];
  }

  /// Draws keys and values of one head of a sequence, and hands each row of both to @p store; rows behind
  /// @p length are NaNs.
  template <class Store>
  static void fill_group(const Case& which, std::int64_t length, ladder::Random& random, const Store& store) {
    const std::int64_t most = max_length(which);
    std::vector<Bf16> k(kRow), v(kRow);
    std::vector<float> drawn(2 * kRow);
    for (std::int64_t key = 0; key < most; ++key) {
      random.uniform(std::span<float>(drawn), -1.0f, 1.0f);
      for (std::int64_t i = 0; i < kRow; ++i) {
        const double place = static_cast<double>(key) / static_cast<double>(most);
        const bool there = key < length;
        const float none = std::numeric_limits<float>::quiet_NaN();
        k[i] = __float2bfloat16(there ? key_element(kind_of(which), drawn[i], place) : none);
        v[i] = __float2bfloat16(there ? drawn[kRow + i] : none);
      }
      store(key, k, v);
    }
  }

  /// Pages in any order; every third sequence but the first begins with the pages of the one before it, as
  /// far as both are full. What no sequence has, in its last page and behind it, is no number and no page.
  static void declare_pages(ladder::Problem& problem, std::span<const int> lengths, ladder::Random& random) {
    const Case& which = problem.which();
    const std::int64_t sequences = which["sequences"], kv_heads = which["kv_heads"];
    const std::int64_t max_pages = which["max_pages"], pages = sequences * max_pages + 1;
    const std::vector<std::int64_t> shape = {pages, kv_heads, kPage, kDim};
    const auto k = problem.input<Bf16>("k", shape), v = problem.input<Bf16>("v", shape);
    const auto table = problem.input<int>("table", {sequences, max_pages});
    std::vector<int> order(pages);
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = pages - 1; i > 0; --i)
      std::swap(order[i], order[random.next() % static_cast<std::uint64_t>(i + 1)]);
    const Bf16 none = __float2bfloat16(std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t page = 0; page < pages; ++page) {
      const std::int64_t size = kv_heads * kPage * kRow, start = order[page] * size;
      // Of the pages the last one is nobody's.
      if (page != pages - 1 && page % max_pages * kPage < lengths[page / max_pages]) continue;
      std::fill_n(k.begin() + start, size, none);
      std::fill_n(v.begin() + start, size, none);
    }
    for_each(sequences * kv_heads, [&, seed = random.next()](std::int64_t group) {
      ladder::Random own(seed + group);
      const std::int64_t sequence = group / kv_heads, head = group % kv_heads;
      fill_group(which, lengths[sequence], own,
                 [&](std::int64_t key, std::span<const Bf16> k_row, std::span<const Bf16> v_row) {
                   const std::int64_t page = order[sequence * max_pages + key / kPage];
                   const std::int64_t start = ((page * kv_heads + head) * kPage + key % kPage) * kRow;
                   std::copy(k_row.begin(), k_row.end(), k.begin() + start);
                   std::copy(v_row.begin(), v_row.end(), v.begin() + start);
                 });
    });
    for (std::int64_t at = 0; at < sequences * max_pages; ++at) {
      const std::int64_t sequence = at / max_pages, page = at % max_pages;
      const bool there = page * kPage < lengths[sequence];
      table[at] = there ? order[at] : std::numeric_limits<int>::max() / 2;
      const bool full =
          sequence > 0 && (page + 1) * kPage <= std::min(lengths[sequence - 1], lengths[sequence]);
      if (sequence % 3 == 1 && full) table[at] = table[at - max_pages];
    }
  }

  cudaError_t call(const Case& which, const ladder::Arguments& arguments) const {
    Bf16* const o = arguments.get<Bf16>("o");
    const Bf16* const q = arguments.get<Bf16>("q");
    const int* const lengths = arguments.get<int>("lengths");
    const int sequences = get(which, "sequences"), kv_heads = get(which, "kv_heads");
    if (is(which, kPaged)) {
      if (&paged_attention == nullptr)
        throw ladder::Objection("this rung lacks paged_attention(__nv_bfloat16*, ...)");
      return paged_attention(o, scratch_, q, arguments.get<Bf16>("k"), arguments.get<Bf16>("v"),
                             arguments.get<int>("table"), lengths, sequences, kv_heads,
                             get(which, "max_pages"));
    }
    if (is(which, kFp8)) {
      if (&fp8_attention == nullptr)
        throw ladder::Objection("this rung lacks fp8_attention(__nv_bfloat16*, ...)");
      return fp8_attention(o, scratch_, q, arguments.get<unsigned char>("k"),
                           arguments.get<unsigned char>("v"), arguments.get<float>("k_scale"),
                           arguments.get<float>("v_scale"), lengths, sequences, kv_heads,
                           get(which, "max_length"));
    }
    if (&decode_attention == nullptr)
      throw ladder::Objection("this rung lacks decode_attention(__nv_bfloat16*, ...)");
    return decode_attention(o, scratch_, q, arguments.get<Bf16>("k"), arguments.get<Bf16>("v"), lengths,
                            sequences, kv_heads, get(which, "max_length"));
  }

  Scratch scratch_ = {};
};

}  // namespace

LADDER_LESSON(DecodeAttention)
