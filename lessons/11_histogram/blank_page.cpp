// Reference, cases and work of the lesson's blank page.
#include "blank_page.h"

#include <algorithm>
#include <limits>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

constexpr int kLowest = std::numeric_limits<int>::min(), kHighest = std::numeric_limits<int>::max();

class Extremes : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 127, 129, 1023, 1025, 70'001, 400'009})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    for (const char* variant : {"above 0", "below 0", "one station"})
      for (const std::int64_t n : {1, 33, 1025, 50'021})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const char* array : {"lowest", "highest", "station", "reading"})
      cases.push_back(ladder::offset_by({{{"n", 4099}}, "", Case::Use::check}, array, 1));
    if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 3'999'971}}, "", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 134'217'728 : 1'048'576;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const std::string& variant = problem.which().variant;
    const auto station = problem.input<unsigned char>("station", {n});
    random.uniform(station, 0, kStations - 1);
    if (variant == "one station")
      for (unsigned char& one : station) one = kStations - 1;
    // Of one sign, so that a start value of 0 shows.
    random.uniform(problem.input<int>("reading", {n}), variant == "above 0" ? 1 : kLowest,
                   variant == "below 0" ? -1 : kHighest);
    problem.output<int>("lowest", {kStations});
    problem.output<int>("highest", {kStations});
  }

  void reference(ladder::Problem& problem) const override {
    const auto station = problem.read<unsigned char>("station");
    const auto reading = problem.read<int>("reading");
    const auto lowest = problem.expect("lowest", {}), highest = problem.expect("highest", {});
    std::fill(lowest.begin(), lowest.end(), kHighest);
    std::fill(highest.begin(), highest.end(), kLowest);
    for (std::size_t i = 0; i < reading.size(); ++i) {
      double& low = lowest[station[i]];
      double& high = highest[station[i]];
      low = std::min<double>(low, reading[i]);
      high = std::max<double>(high, reading[i]);
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {
        .bytes_read = n * (1 + sizeof(int)), .bytes_written = 2 * kStations * sizeof(int), .flops = 2 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return extremes(arguments.get<int>("lowest"), arguments.get<int>("highest"),
                    arguments.get<unsigned char>("station"), arguments.get<int>("reading"), which["n"]);
  }
};

}  // namespace

LADDER_LESSON(Extremes)
