// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"

namespace {

using ladder::Case;

Case crop_of(Extent of, Extent box, Case::Use use = Case::Use::check) {
  return {
      {{"of.x", of.x}, {"of.y", of.y}, {"of.z", of.z}, {"box.x", box.x}, {"box.y", box.y}, {"box.z", box.z}},
      "",
      use};
}

Extent of(const Case& which) {
  return {static_cast<int>(which["of.x"]), static_cast<int>(which["of.y"]), static_cast<int>(which["of.z"])};
}

Extent box(const Case& which) {
  return {static_cast<int>(which["box.x"]), static_cast<int>(which["box.y"]),
          static_cast<int>(which["box.z"])};
}

/// Where the box begins: in the middle, so that each axis has voxels on both sides of it if it has any to
/// spare.
Extent at(const Case& which) {
  const Extent all = of(which), some = box(which);
  return {(all.x - some.x) / 2, (all.y - some.y) / 2, (all.z - some.z) / 2};
}

class Crop : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases = {
        crop_of({3, 4, 5}, {0, 2, 2}),
        crop_of({3, 4, 5}, {2, 0, 2}),
        crop_of({3, 4, 5}, {2, 2, 0}),
        crop_of({1, 1, 1}, {1, 1, 1}),
        crop_of({4, 4, 4}, {2, 2, 2}),
        crop_of({5, 7, 9}, {3, 5, 4}),
        crop_of({40, 3, 2}, {31, 3, 1}),
        crop_of({40, 5, 3}, {33, 2, 3}),
        crop_of({64, 8, 4}, {32, 8, 4}),
        crop_of({37, 41, 43}, {29, 31, 30}),
        crop_of({1025, 2, 2}, {1023, 1, 2}),
        crop_of({99'991, 1, 1}, {99'000, 1, 1}),
        crop_of({3, 150'000, 1}, {1, 140'001, 1}),  // more rows, and more slices, than a grid has blocks
        crop_of({3, 1, 70'003}, {1, 1, 70'001}),
        crop_of({2, 1, 140'003}, {2, 1, 140'001}),
    };
    cases.push_back(device == ladder::DeviceKind::gpu
                        ? crop_of({1024, 512, 512}, {768, 384, 384}, Case::Use::time)
                        : crop_of({256, 128, 128}, {192, 96, 96}, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override {
    const Extent all = of(which), some = box(which);
    return some.x <= all.x && some.y <= all.y && some.z <= all.z;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Extent all = of(problem.which()), some = box(problem.which()), first = at(problem.which());
    random.uniform(problem.input<float>("in", {all.z, all.y, all.x}), -1000.0f, 1000.0f);
    problem.output<float>("out", {some.z, some.y, some.x});
    problem.scalar("at.x", first.x);
    problem.scalar("at.y", first.y);
    problem.scalar("at.z", first.z);
  }

  void reference(ladder::Problem& problem) const override {
    const Extent all = of(problem.which()), some = box(problem.which()), first = at(problem.which());
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", ladder::kSameBits);
    std::size_t i = 0;
    for (std::int64_t z = 0; z < some.z; ++z)
      for (std::int64_t y = 0; y < some.y; ++y)
        for (std::int64_t x = 0; x < some.x; ++x, ++i)
          out[i] = in[((z + first.z) * all.y + y + first.y) * all.x + x + first.x];
  }

  std::vector<Case> giant_cases() const override {
    return {crop_of({46'349, 46'351, 4}, {46'001, 46'003, 3})};
  }

  void outline(ladder::Problem& problem) const override {
    const Extent all = of(problem.which()), some = box(problem.which());
    problem.input<float>("in", {all.z, all.y, all.x});
    problem.output<float>("out", {some.z, some.y, some.x});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const Extent all = of(which), some = box(which), first = at(which);
    const std::int64_t x = i % some.x, y = i / some.x % some.y, z = i / some.x / some.y;
    return in("in", ((z + first.z) * all.y + y + first.y) * all.x + x + first.x);
  }

  ladder::Work work(const Case& which) const override {
    const Extent some = box(which);
    const double bytes = static_cast<double>(some.x) * some.y * some.z * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return crop(arguments.get<float>("out"), arguments.get<float>("in"), of(which), box(which), at(which));
  }
};

}  // namespace

LADDER_LESSON(Crop)
