// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

Case shape(std::int64_t n, std::int64_t width, std::int64_t rows, Case::Use use = Case::Use::check) {
  return {{{"n", n}, {"width", width}, {"rows", rows}}, "", use};
}

class GatherRows : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {shape(0, 4, 3),    shape(3, 0, 5),    shape(1, 1, 1),      shape(1, 33, 2),
                               shape(2, 31, 7),   shape(31, 4, 1),   shape(33, 3, 33),    shape(7, 32, 100),
                               shape(32, 64, 9),  shape(127, 5, 64), shape(1023, 2, 511), shape(5, 1023, 4),
                               shape(65, 129, 65)};
    cases.push_back(shape(70'001, 1, 97));  // more rows than a grid has blocks in y
    cases.push_back(shape(2, 99'991, 3));   // and a row of more floats
    ladder::add_with_offsets(cases, shape(17, 64, 40), {"out", "table", "index"});
    const bool gpu = device == ladder::DeviceKind::gpu;
    cases.push_back(gpu ? shape(524'288, 128, 131'072, Case::Use::time)
                        : shape(8'192, 128, 4'096, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override { return which["rows"] > 0; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    random.uniform(problem.input<float>("table", {which["rows"], which["width"]}), -1000.0f, 1000.0f);
    random.uniform(problem.input<std::int32_t>("index", {which["n"]}), 0,
                   static_cast<std::int32_t>(which["rows"] - 1));
    problem.output<float>("out", {which["n"], which["width"]});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"], width = problem.which()["width"];
    const auto table = problem.read<float>("table");
    const auto index = problem.read<std::int32_t>("index");
    const auto out = problem.expect("out", ladder::kSameBits);
    ladder::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t c = 0; c < width; ++c) out[i * width + c] = table[index[i] * width + c];
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), row = 4 * static_cast<double>(which["width"]);
    return {.bytes_read = n * (row + 4), .bytes_written = n * row, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return gather_rows(arguments.get<float>("out"), arguments.get<float>("table"),
                       arguments.get<std::int32_t>("index"), which["n"], static_cast<int>(which["width"]));
  }
};

}  // namespace

LADDER_LESSON(GatherRows)
