// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "thread_indexing.h"

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

// Different for each axis, so that coordinates that changed places show.
constexpr Tilt kTilt = {7, -110, 1300};

Case volume(std::int64_t nx, std::int64_t ny, std::int64_t nz, Case::Use use = Case::Use::check) {
  return {{{"nx", nx}, {"ny", ny}, {"nz", nz}}, "", use};
}

class ThreadIndexing : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {
        volume(0, 3, 3),      volume(3, 0, 3),       volume(3, 3, 0),       volume(1, 1, 1),
        volume(2, 1, 1),      volume(1, 2, 1),       volume(1, 1, 2),       volume(2, 3, 4),
        volume(31, 1, 1),     volume(32, 2, 1),      volume(33, 3, 2),      volume(29, 31, 30),
        volume(127, 1, 3),    volume(128, 2, 2),     volume(129, 3, 1),     volume(1023, 1, 1),
        volume(1024, 1, 2),   volume(1025, 2, 1),    volume(9, 100, 33),    volume(99'991, 1, 1),
        volume(1, 65'536, 1),  // more rows, and more slices, than a grid has blocks in y and z
        volume(1, 1, 65'536), volume(1, 2, 131'075), volume(1, 131'075, 1),
    };
    // More voxels than an H200 has room for threads: those of a grid-stride loop go on to a second one, by a
    // step that is no whole number of these rows.
    cases.push_back(volume(997, 19, 23));
    ladder::add_with_offsets(cases, volume(32, 8, 2), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(volume(999'983, 1, 1));
      cases.push_back(volume(257, 129, 65));
    }
    cases.push_back(device == ladder::DeviceKind::gpu ? volume(1024, 512, 512, Case::Use::time)
                                                      : volume(256, 128, 128, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::vector<std::int64_t> shape = {which["nz"], which["ny"], which["nx"]};
    random.uniform(problem.input<int>("in", shape), -1'000'000'000, 1'000'000'000);
    problem.output<int>("out", shape);
    problem.scalar("tilt.x", kTilt.x);
    problem.scalar("tilt.y", kTilt.y);
    problem.scalar("tilt.z", kTilt.z);
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t nx = problem.which()["nx"], ny = problem.which()["ny"], nz = problem.which()["nz"];
    const auto in = problem.read<int>("in");
    const auto out = problem.expect("out", {});  // integers: nothing may differ
    std::size_t i = 0;
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x, ++i)
          out[i] = static_cast<double>(in[i] - (kTilt.x * x + kTilt.y * y + kTilt.z * z));
  }

  /// A slice has more than 2^31 voxels by itself.
  std::vector<Case> giant_cases() const override { return {volume(46'349, 46'351, 3)}; }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::vector<std::int64_t> shape = {which["nz"], which["ny"], which["nx"]};
    problem.input<int>("in", shape);
    problem.output<int>("out", shape);
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const std::int64_t x = i % which["nx"], y = i / which["nx"] % which["ny"],
                       z = i / which["nx"] / which["ny"];
    return in("in", i) - static_cast<double>(kTilt.x * x + kTilt.y * y + kTilt.z * z);
  }

  ladder::Work work(const Case& which) const override {
    const double voxels = static_cast<double>(which["nx"]) * static_cast<double>(which["ny"]) *
                          static_cast<double>(which["nz"]);
    return {.bytes_read = voxels * sizeof(int), .bytes_written = voxels * sizeof(int), .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return level(arguments.get<int>("out"), arguments.get<int>("in"), static_cast<int>(which["nx"]),
                 static_cast<int>(which["ny"]), static_cast<int>(which["nz"]), kTilt);
  }
};

}  // namespace

LADDER_LESSON(ThreadIndexing)
