// Reference, cases and work of the blank page: a round of shortest paths.
#include "blank_page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"
#include "judge/matrix.h"

namespace {

using ladder::Case;

class Relax : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t nodes, std::int64_t edges, const char* variant,
                         Case::Use use = Case::Use::check) {
      cases.push_back({{{"nodes", nodes}, {"edges", edges}}, variant, use});
    };
    constexpr std::int64_t kShapes[][2] = {{0, 0},      {1, 0},      {1, 3},      {7, 0},      {33, 100},
                                           {2, 3000},   {13, 5000},  {1000, 7},   {257, 1535}, {300, 1792},
                                           {301, 1793}, {2100, 900}, {1500, 9000}};
    for (const auto& [nodes, edges] : kShapes) add(nodes, edges, "uniform");
    for (const char* variant :
         {"power law", "one row", "holes", "power law, few reached", "uniform, none reached"})
      for (const auto& [nodes, edges] : {std::array<std::int64_t, 2>{40, 600}, {900, 6000}})
        add(nodes, edges, variant);
    const bool gpu = device == ladder::DeviceKind::gpu;
    if (gpu) add(1'000'003, 3'000'001, "power law, few reached");
    const std::int64_t nodes = gpu ? 1 << 20 : 1 << 12;
    add(nodes, 16 * nodes, "power law", Case::Use::time);
    return cases;
  }

  bool valid(const Case& which) const override {
    const std::int64_t nodes = which["nodes"], edges = which["edges"];
    return nodes + edges < std::int64_t{1} << 31 && (nodes > 0 || edges == 0);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t nodes = which["nodes"], edges = which["edges"];
    const std::string_view variant = which.variant;
    const Pattern graph = draw_pattern(variant.substr(0, variant.find(',')), nodes,
                                       std::max<std::int64_t>(nodes, 1), edges, random);
    const auto distance = problem.input<float>("distance", {nodes});
    random.uniform(distance, 0.0f, 100.0f);
    const bool few = variant.ends_with("few reached"), none = variant.ends_with("none reached");
    for (float& value : distance)
      if (none || (few && random.next() % 8 != 0)) value = std::numeric_limits<float>::infinity();
    std::ranges::copy(graph.row_start, problem.input<int>("edge_start", {nodes + 1}).begin());
    std::ranges::copy(graph.columns, problem.input<int>("from", {edges}).begin());
    random.uniform(problem.input<float>("length", {edges}), 0.0f, 1.0f);
    problem.output<float>("out", {nodes});
  }

  void reference(ladder::Problem& problem) const override {
    const auto distance = problem.read<float>("distance"), length = problem.read<float>("length");
    const auto edge_start = problem.read<int>("edge_start"), from = problem.read<int>("from");
    const auto out = problem.expect("out", {});
    for (std::int64_t node = 0; node < problem.which()["nodes"]; ++node) {
      float best = distance[node];
      // One addition of two floats is rounded in one way only, so there is nothing to tolerate.
      for (int e = edge_start[node]; e < edge_start[node + 1]; ++e)
        best = std::min(best, distance[from[e]] + length[e]);
      out[node] = best;
    }
  }

  ladder::Work work(const Case& which) const override {
    const auto nodes = static_cast<double>(which["nodes"]), edges = static_cast<double>(which["edges"]);
    return {.bytes_read = 8 * edges + 8 * nodes, .bytes_written = 4 * nodes, .flops = 2 * edges};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return relax(arguments.get<float>("out"), arguments.get<float>("distance"),
                 arguments.get<int>("edge_start"), arguments.get<int>("from"), arguments.get<float>("length"),
                 static_cast<int>(which["nodes"]), static_cast<int>(which["edges"]));
  }
};

}  // namespace

LADDER_LESSON(Relax)
