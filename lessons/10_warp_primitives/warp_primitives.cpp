// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "warp_primitives.h"

#include <array>
#include <cstdlib>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

constexpr int kLargestSide = 512;  // of the box

class WarpPrimitives : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t count : {0, 1, 2, 3, 4, 7, 8, 9, 31, 33, 129})
      cases.push_back(of(count, 8, "near"));
    cases.push_back(of(512, 8, "grid"));  // each place of the box once, x fastest: the classic exercise
    for (const char* variant : {"near", "far", "one place"}) {
      cases.push_back(of(65, 1, variant));
      cases.push_back(of(127, 13, variant));
      cases.push_back(of(33, 64, variant));
    }
    cases.push_back(of(127, 13, "flat"));
    cases.push_back(of(65'537, 1, "near"));  // more than a grid has blocks in y
    ladder::add_with_offsets(
        cases, of(32, 8, "near"),
        {"points", "offsets", "field", "neighbours", "inside", "sum", "mates", "negative"});
    if (device == ladder::DeviceKind::gpu) cases.push_back(of(99'991, 100, "near"));
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 1'048'576 : 16'384;
    cases.push_back(of(large, 64, "near", Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override { return which["side"] >= 1; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::string& variant = problem.which().variant;
    const std::int64_t count = problem.which()["points"];
    const int side = static_cast<int>(problem.which()["side"]);
    const auto points = problem.input<int>("points", {count, 3});
    random.uniform(points, 0, side - 1);
    if (variant == "grid")
      for (std::int64_t i = 0; i < count; ++i) {
        points[3 * i] = static_cast<int>(i % side);
        points[3 * i + 1] = static_cast<int>(i / side % side);
        points[3 * i + 2] = static_cast<int>(i / side / side % side);
      }
    const auto offsets = problem.input<int>("offsets", {kNeighbours, 3});
    const int reach = variant == "far" ? 1000 : variant == "one place" ? 0 : 3;
    random.uniform(offsets, -reach, reach);
    // Flat: much of it is 0, which is not below 0. Otherwise sums are more than floats hold exactly.
    const int highest = variant == "flat" ? 1 : 40'000'000;
    random.uniform(problem.input<int>("field", {side, side, side}), -highest, highest);
    problem.output<int>("neighbours", {count, kNeighbours, 3});
    problem.output<unsigned>("inside", {count});
    problem.output<int>("sum", {count});
    problem.output<unsigned>("mates", {count, kNeighbours});
    problem.output<unsigned>("negative", {count_of_cells(side)});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t count = problem.which()["points"];
    const int side = static_cast<int>(problem.which()["side"]);
    const auto points = problem.read<int>("points"), offsets = problem.read<int>("offsets"),
               field = problem.read<int>("field");
    const auto neighbours = problem.expect("neighbours", {}), inside = problem.expect("inside", {}),
               sum = problem.expect("sum", {}), mates = problem.expect("mates", {}),
               negative = problem.expect("negative", {});
    for (std::int64_t i = 0; i < count; ++i) {
      std::array<int, kNeighbours> cell{};  // of each neighbour; -1 outside of the box
      for (int k = 0; k < kNeighbours; ++k) {
        const Place p = neighbour_of(&points[3 * i], offsets.data(), k);
        double* const out = &neighbours[(i * kNeighbours + k) * 3];
        out[0] = p.x, out[1] = p.y, out[2] = p.z;
        cell[k] = in_box(p, side) ? cell_of(p, side) : -1;
        if (cell[k] < 0) continue;
        const int value = field[number_of(p, side)];
        inside[i] += static_cast<double>(1u << k);
        sum[i] += value;
        negative[cell[k]] += value < 0;
      }
      for (int k = 0; k < kNeighbours; ++k)
        for (int other = 0; other < kNeighbours && cell[k] >= 0; ++other)
          if (cell[other] == cell[k]) mates[i * kNeighbours + k] += static_cast<double>(1u << other);
    }
  }

  /// Of the neighbours' coordinates there are more than an int can count.
  std::vector<Case> giant_cases() const override {
    return {{{{"points", 25'000'003}, {"side", kLargestSide}}, "near", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t count = problem.which()["points"], side = problem.which()["side"];
    problem.input<int>("points", {count, 3});
    problem.input<int>("offsets", {kNeighbours, 3});
    problem.input<int>("field", {side, side, side});
    problem.output<int>("neighbours", {count, kNeighbours, 3});
    problem.output<unsigned>("inside", {count});
    problem.output<int>("sum", {count});
    problem.output<unsigned>("mates", {count, kNeighbours});
    problem.output<unsigned>("negative", {count_of_cells(static_cast<int>(side))});
  }

  double adapt(std::string_view array, double drawn) const override {
    return array == "points" ? static_cast<double>(std::abs(static_cast<int>(drawn)) % kLargestSide) : drawn;
  }

  bool compares() const override { return false; }

  ladder::Work work(const Case& which) const override {
    const double points = static_cast<double>(which["points"]);
    return {.bytes_read = points * 3 * sizeof(int),
            .bytes_written = points * (4 * kNeighbours + 2) * sizeof(int),
            .flops = points * kNeighbours};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const Findings out = {arguments.get<int>("neighbours"), arguments.get<unsigned>("inside"),
                          arguments.get<int>("sum"), arguments.get<unsigned>("mates"),
                          arguments.get<unsigned>("negative")};
    return look_around(out, arguments.get<int>("points"), arguments.get<int>("offsets"),
                       arguments.get<int>("field"), which["points"], static_cast<int>(which["side"]));
  }

 private:
  static Case of(std::int64_t count, std::int64_t side, const char* variant,
                 Case::Use use = Case::Use::check) {
    return {{{"points", count}, {"side", side}}, variant, use};
  }
};

}  // namespace

LADDER_LESSON(WarpPrimitives)
