// model_table [--without-one]: modelled against measured times of all rungs, as a table. With --without-one
// the fitted constants are fitted anew to all ladders but one, for each in turn, and that one is looked at:
// what the model is worth for a ladder that it has never seen.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/simulator/model/rungs.h"

namespace sim::model {
namespace {

struct Constants {
  Gpu gpu = *find_gpu("H200");
  Tuning tuning;
};

/// The constants marked (f), and their names.
struct Fitted {
  const char* name;
  std::function<double&(Constants&)> of;
};
const std::vector<Fitted>& fitted() {
  static const std::vector<Fitted> all = {
      {"clocks_per_sass_instruction",
       [](Constants& c) -> double& { return c.tuning.clocks_per_sass_instruction; }},
      {"partial_store", [](Constants& c) -> double& { return c.tuning.partial_store; }},
      {"l1_hits", [](Constants& c) -> double& { return c.tuning.l1_hits; }},
      {"overlap", [](Constants& c) -> double& { return c.tuning.overlap; }},
      {"start_clocks", [](Constants& c) -> double& { return c.gpu.start_clocks; }},
  };
  return all;
}

constexpr double kOrder = 2;  // weight of the rungs' order against that of the times

struct Figures {
  std::vector<double> measured, modelled;
  double tau = 1, cost = 0;  ///< cost: sum of squares of the ratios' logarithms, and pairs in the wrong order
  int close = 0;             ///< within a factor of two
};

Figures look_at(const std::vector<Rung>& rungs, const Constants& c) {
  Figures f;
  for (const Rung& r : rungs) {
    f.measured.push_back(r.measured_ms);
    f.modelled.push_back(modelled(r, c.gpu, c.tuning).ms);
    const double off = std::log(f.modelled.back() / f.measured.back());
    f.cost += off * off;
    f.close += std::abs(off) <= std::log(2);
  }
  f.tau = kendall(f.measured, f.modelled);
  f.cost += kOrder * (1 - f.tau);
  return f;
}

double cost(const Ladders& all, const std::string& without, const Constants& c) {
  double sum = 0;
  for (const auto& [lesson, rungs] : all)
    if (lesson != without) sum += look_at(rungs, c).cost;
  return sum;
}

/// One constant after the other, in smaller and smaller steps, as long as that helps.
Constants fit(const Ladders& all, const std::string& without, Constants c) {
  double best = cost(all, without, c);
  for (double step = 1.3; step > 1.01; step = std::sqrt(step)) {
    for (bool better = true; better;) {
      better = false;
      for (const Fitted& f : fitted()) {
        for (const double by : {step, 1 / step}) {
          Constants other = c;
          f.of(other) *= by;
          if (std::strcmp(f.name, "l1_hits") == 0 && f.of(other) > 1) continue;
          const double now = cost(all, without, other);
          if (now >= best - 1e-4) continue;
          best = now, c = other, better = true;
        }
      }
    }
  }
  return c;
}

void print_summary(const char* what, double taus, double least, int ladders, int close, int rungs) {
  std::printf("%s: mean tau %.3f, least %.2f, of %d ladders; %d of %d rungs within a factor of two\n", what,
              taus / ladders, least, ladders, close, rungs);
}

void print_table(const Ladders& all, const Constants& c) {
  double taus = 0, least = 1;
  int close = 0, count = 0;
  for (const auto& [lesson, rungs] : all) {
    const Figures f = look_at(rungs, c);
    for (std::size_t i = 0; i < rungs.size(); ++i)
      std::printf("%-46s %11.4f ms %11.4f ms %5.2f  %s\n", (lesson + "." + rungs[i].name).c_str(),
                  f.measured[i], f.modelled[i], f.modelled[i] / f.measured[i],
                  modelled(rungs[i], c.gpu, c.tuning).bound);
    std::printf("%-46s tau %.2f\n", lesson.c_str(), f.tau);
    taus += f.tau, least = std::min(least, f.tau), close += f.close, count += int(rungs.size());
  }
  print_summary("all", taus, least, int(all.size()), close, count);
}

void print_constants(Constants c) {
  for (const Fitted& f : fitted()) std::printf("  %s %.3g", f.name, f.of(c));
  std::printf("\n");
}

void without_one(const Ladders& all) {
  double taus = 0, least = 1;
  int close = 0, count = 0;
  for (const auto& [lesson, rungs] : all) {
    const Constants c = fit(all, lesson, {});
    const Figures f = look_at(rungs, c);
    std::printf("%-46s tau %.2f, %d of %zu close, fitted to the other ladders:\n", lesson.c_str(), f.tau,
                f.close, rungs.size());
    print_constants(c);
    taus += f.tau, least = std::min(least, f.tau), close += f.close, count += int(rungs.size());
  }
  print_summary("each ladder unseen", taus, least, int(all.size()), close, count);
}

}  // namespace
}  // namespace sim::model

int main(int argc, char** argv) {
  using namespace sim::model;
  const Ladders all = read_ladders(MODEL_DATA);
  if (argc > 1 && std::strcmp(argv[1], "--fit") == 0) {
    const Constants best = fit(all, "", {});
    print_constants(best);
    print_table(all, best);
  } else if (argc > 1 && std::strcmp(argv[1], "--without-one") == 0) {
    without_one(all);
  } else {
    print_table(all, {});
  }
}
