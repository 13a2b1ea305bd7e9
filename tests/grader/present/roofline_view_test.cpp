#include "grader/present/roofline_view.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ladder;
using namespace ladder::cli;

namespace {

RooflinePoint point(const std::string& lesson, double gigabytes, double gigaflops) {
  return {lesson, "1 naive", gigabytes, gigaflops, false};
}

Roofline some() {
  return {"NVIDIA H200", false, 4000, {{"fp32", 60000}}, {point("19", 10, 20000), point("05", 3900, 0)}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a rung's place is its operations over its bytes") {
  Timing timing;
  timing.gigabytes_per_s = 50;
  timing.gigaflops_per_s = 200;
  CHECK(RooflinePoint::of("19", "1 naive", timing).intensity() == Catch::Approx(4));
  CHECK(point("05", 100, 0).intensity() == 0);
}

TEST_CASE("the fastest rung of each lesson is its best") {
  std::vector<RooflinePoint> points = {point("19", 1, 10), point("19", 2, 20), point("05", 7, 0),
                                       point("05", 5, 0)};
  mark_best(points);
  CHECK_FALSE(points[0].best);
  CHECK(points[1].best);
  CHECK(points[2].best);
  CHECK_FALSE(points[3].best);
}

TEST_CASE("a roofline names its device, its levels and every rung") {
  const std::string svg = roofline_svg(some());
  CHECK(svg.starts_with("<svg"));
  CHECK(contains(svg, "Roofline of NVIDIA H200"));
  CHECK(contains(svg, "memory: 4 TB/s"));
  CHECK(contains(svg, ">fp32</text>"));
  CHECK(contains(svg, ">60 TFLOP/s</text>"));
  CHECK(contains(svg, "<title>19 1 naive: 20 TFLOP/s, 10 GB/s</title>"));
  CHECK(contains(svg, "<title>05 1 naive: 3.9 TB/s</title>"));  // in the strip: no operations
  CHECK_FALSE(contains(svg, "modelled"));
}

TEST_CASE("a roofline of modelled times says so") {
  Roofline all = some();
  all.modelled = true;
  CHECK(contains(roofline_svg(all), "times modelled, not measured"));
}

TEST_CASE("a device's name cannot leave its text") {
  Roofline all = some();
  all.device = "<b>&";
  CHECK(contains(roofline_svg(all), "&lt;b&gt;&amp;"));
  CHECK_FALSE(contains(roofline_svg(all), "<b>"));
}

TEST_CASE("a roofline without points or levels is a picture all the same") {
  const std::string svg = roofline_svg({"T4", false, 300, {}, {}});
  CHECK(contains(svg, "memory: 300 GB/s"));
  CHECK_FALSE(contains(svg, "nan"));
}
