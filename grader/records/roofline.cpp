#include "grader/records/roofline.h"

#include <algorithm>
#include <map>

namespace ladder::cli {

RooflinePoint RooflinePoint::of(const std::string& lesson, const std::string& name, const Timing& timing) {
  return {lesson, name, timing.gigabytes_per_s, timing.gigaflops_per_s, false};
}

double RooflinePoint::intensity() const {
  return gigabytes_per_s > 0 ? gigaflops_per_s / gigabytes_per_s : 0;
}

void mark_best(std::vector<RooflinePoint>& points) {
  const auto speed = [](const RooflinePoint& p) {
    return std::max(p.gigaflops_per_s, p.gigabytes_per_s / 1e9);
  };
  std::map<std::string, RooflinePoint*> best;
  for (RooflinePoint& point : points) {
    point.best = false;
    RooflinePoint*& known = best[point.lesson];
    if (known == nullptr || speed(point) > speed(*known)) known = &point;
  }
  for (auto& [lesson, point] : best) point->best = true;
}

}  // namespace ladder::cli
