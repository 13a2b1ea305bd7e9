// Reference, cases and work of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

class ReadTable : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t n, std::int64_t entries, Case::Use use = Case::Use::check) {
      cases.push_back({{{"n", n}, {"entries", entries}}, "", use});
    };
    for (const std::int64_t n : {0, 1, 31, 32, 33, 255, 257, 1023, 1025, 10'007}) add(n, 256);
    for (const std::int64_t entries : {1, 2, 3, 31, 33, 1000, 4099}) add(1'031, entries);
    ladder::add_with_offsets(cases, {{{"n", 512}, {"entries", 64}}, "", Case::Use::check}, {"out", "place"});
    add(device == ladder::DeviceKind::gpu ? 134'217'728 : 524'288, 1024, Case::Use::time);
    return cases;
  }

  bool valid(const Case& which) const override { return which["entries"] >= 1; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"], entries = problem.which()["entries"];
    random.uniform(problem.input<float>("values", {entries}), 0.0f, 1.0f);
    const auto place = problem.input<float>("place", {n});
    random.uniform(place, -1.0f, static_cast<float>(entries + 1));
    problem.output<float>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto values = problem.read<float>("values"), place = problem.read<float>("place");
    const double last = static_cast<double>(values.size()) - 1;
    // The texture units round the fraction to 1/256, so it is off by 1/512 and moves the mean by that; a
    // place of up to 4099 is a float within 2^-12.
    const auto out = problem.expect("out", {.absolute = 1.0 / 128});
    ladder::parallel_for(problem.which()["n"], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double at = std::clamp(static_cast<double>(place[i]) - 0.5, 0.0, last), k = std::floor(at);
        const double low = values[static_cast<std::size_t>(k)];
        const double high = values[static_cast<std::size_t>(std::min(k + 1, last))];
        out[i] = low + (at - k) * (high - low);
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = 4 * n, .bytes_written = 4 * n, .flops = 3 * n};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    return make_table(table_, arguments.get<float>("values"), static_cast<int>(which["entries"]));
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return read_table(arguments.get<float>("out"), arguments.get<float>("place"), table_, which["n"]);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    const Table table = std::exchange(table_, {});
    cudaError_t error = table.texture == 0 ? cudaSuccess : cudaDestroyTextureObject(table.texture);
    if (error == cudaSuccess && table.array != nullptr) error = cudaFreeArray(table.array);
    return error == cudaSuccess ? cudaFree(table.values) : error;
  }

 private:
  Table table_;
};

}  // namespace

LADDER_LESSON(ReadTable)
