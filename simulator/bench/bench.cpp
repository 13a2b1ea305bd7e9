// Speed of the interpreter: lane-instructions per second and core with all counters and bounds checks on, the
// time against plain C++ of the same algorithm, two host threads against one; the same of the check build
// with every finding looked for; start-up, and resident memory.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "simulator/bench/cases.h"
#include "simulator/sanitizer/examine.h"

namespace {

using namespace sim;
using nlohmann::json;

/// CPU time of this thread: what others do to the machine counts for little.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
  double least = 0, median = 0, spread = 0;  ///< seconds; spread: between the quartiles, by the median
};

Times measure(int runs, double (*clock)(), const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < runs; ++i) {
    const double from = clock();
    work();
    all.push_back(clock() - from);
  }
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size();
  return {all.front(), all[n / 2], (all[3 * n / 4] - all[n / 4]) / all[n / 2]};
}

/// The check build under observation, its inputs known to be written.
json examine(const bench::Case& c, exec::LoadedModule& check, memory::AddressSpace& space, int runs) {
  std::uint64_t lane_instructions = 0, found = 0;
  std::vector<std::unique_ptr<sanitizer::Subject, sanitizer::SubjectDelete>> subjects;
  for (const bench::Step& s : c.steps) subjects.push_back(sanitizer::prepare(check.kernel(s.kernel)));
  const Times t = measure(runs, cpu_seconds, [&] {
    lane_instructions = found = 0;
    sanitizer::Written written(space);
    written.follow_all();
    for (const memory::Allocation* a : space.live())
      if (a->origin == bench::kInput) written.note(a->base, a->size);
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      exec::Launch launch = c.steps[i].shape;
      launch.params = c.steps[i].params;
      const sanitizer::Examined seen = sanitizer::examine(*subjects[i], launch, space, &written);
      lane_instructions += seen.lane_instructions;
      found += seen.findings.size();
    }
  });
  return {{"lane_instructions", lane_instructions},
          {"lane_instructions_per_second", double(lane_instructions) / t.median},
          {"milliseconds", t.median * 1e3},
          {"findings", found}};
}

json run(const bench::Case& c, exec::LoadedModule& module, memory::AddressSpace& space, int runs) {
  std::uint64_t lane_instructions = 0;
  const auto simulate = [&](int threads) {
    lane_instructions = 0;
    for (const bench::Step& s : c.steps) {
      exec::Launch launch = s.shape;
      launch.params = s.params;
      launch.host_threads = threads;
      lane_instructions += exec::launch(module.kernel(s.kernel), launch, space).counters.thread_inst_executed;
    }
  };
  simulate(2);  // pages touched, threads started
  const Times one = measure(runs, cpu_seconds, [&] { simulate(1); });
  const Times plain = measure(runs, cpu_seconds, c.plain);
  // One after the other, so that what disturbs one disturbs both; each the second of two in a row, so that
  // the caches are as its like leaves them, not full of what another core has written.
  std::vector<double> ratios;
  for (int i = 0; i < runs; ++i) {
    double seconds[2];
    for (const int threads : {1, 2}) {
      simulate(threads);
      seconds[threads - 1] = measure(1, wall_seconds, [&] { simulate(threads); }).median;
    }
    ratios.push_back(seconds[0] / seconds[1]);
  }
  std::sort(ratios.begin(), ratios.end());
  return {{"name", c.name},
          {"size", c.what},
          {"lane_instructions", lane_instructions},
          {"lane_instructions_per_second", double(lane_instructions) / one.median},
          {"milliseconds", one.median * 1e3},
          {"spread", one.spread},
          {"plain_milliseconds", plain.median * 1e3},
          {"times_plain", one.median / plain.median},
          {"two_threads", ratios[ratios.size() / 2]},
          {"two_threads_best", ratios.back()}};
}

/// From the text of the PTX to the end of a first small launch, as a rung pays it.
json start_up(const std::string& ptx, int runs) {
  std::size_t kernels = 0;
  const Times t = measure(runs, cpu_seconds, [&] {
    memory::AddressSpace space;
    exec::LoadedModule module(ptx::parse(ptx), space);
    kernels = 0;
    for (const ptx::Function& f : module.module().functions) {
      if (!f.is_entry) continue;
      module.kernel(f.name);
      ++kernels;
    }
    const auto params = std::array<std::uint64_t, 4>{};  // n = 0: nothing is touched
    exec::Launch launch;
    launch.params = std::as_bytes(std::span(params));
    exec::launch(module.kernel("vector_add"), launch, space);
  });
  return {{"milliseconds", t.median * 1e3}, {"ptx_bytes", ptx.size()}, {"kernels", kernels}};
}

std::uint64_t resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * std::uint64_t(sysconf(_SC_PAGESIZE));
}

/// What 8 GiB of device memory cost when a kernel touches 4 KiB of them.
json resident(exec::LoadedModule& module, memory::AddressSpace& space) {
  const std::uint64_t before = resident_bytes(), bytes = std::uint64_t{8} << 30;
  memory::Allocation* large = space.allocate(bytes, memory::Kind::device, "bench");
  const std::uint64_t middle = large->base + bytes / 2;
  const std::array<std::uint64_t, 4> params = {middle, middle, middle, 1024};
  exec::Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  launch.params = std::as_bytes(std::span(params));
  exec::launch(module.kernel("vector_add"), launch, space);
  return {{"allocated_bytes", bytes},
          {"resident_bytes", resident_bytes() - std::min(before, resident_bytes())}};
}

void print(const json& line) {
  const auto number = [&](const char* key) { return line[key].get<double>(); };
  fmt::print("{:13} {:12} {:8.2f} {:4.0f}% {:10.2e} {:8.1f} x {:6.2f} x", line["name"].get<std::string>(),
             line["size"].get<std::string>(), number("milliseconds"), 50 * number("spread"),
             number("lane_instructions_per_second"), number("times_plain"), number("two_threads"));
  if (line.contains("check")) {
    const double rate = line["check"]["lane_instructions_per_second"].get<double>();
    fmt::print(" {:9.2f} {:10.2e} {:6.0f}%", line["check"]["milliseconds"].get<double>(), rate,
               100 * rate / number("lane_instructions_per_second"));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

constexpr const char* kHeading =
    "                                        lane-     times  two threads    check build, findings on\n"
    "kernel        size               ms       instr/s  plain C++   : one       ms    instr/s   of plain\n";

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

int bench_main(const std::string& ptx_file, const std::string& check_file,
               const std::vector<std::string>& names, const std::string& json_file, int runs) {
  const std::string ptx = text_of(ptx_file);
  memory::AddressSpace space;
  exec::LoadedModule module(ptx::parse(ptx), space);
  std::optional<exec::LoadedModule> check;
  if (!check_file.empty()) check.emplace(ptx::parse(text_of(check_file)), space, &module);
  fmt::print(kHeading);
  json report = {{"kernels", json::array()}};
  for (const bench::Case& c : bench::all_cases(space)) {
    if (!names.empty() && std::find(names.begin(), names.end(), c.name) == names.end()) continue;
    json line = run(c, module, space, runs);
    if (check) line["check"] = examine(c, *check, space, runs);
    report["kernels"].push_back(std::move(line));
    print(report["kernels"].back());
  }
  report["start_up"] = start_up(ptx, runs);
  report["memory"] = resident(module, space);
  fmt::print("start-up: {:.1f} ms to parse {:.0f} KiB of PTX, decode its {} kernels and launch one\n",
             report["start_up"]["milliseconds"].get<double>(), double(ptx.size()) / 1024,
             report["start_up"]["kernels"].get<int>());
  fmt::print("memory: {:.1f} MiB resident for 8 GiB allocated and 4 KiB touched\n",
             report["memory"]["resident_bytes"].get<double>() / (1 << 20));
  if (json_file == "-") std::cout << report.dump(2) << "\n";
  if (!json_file.empty() && json_file != "-") std::ofstream(json_file) << report.dump(2) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Speed of the simulator's interpreter. Times of one thread are medians of its CPU time; the spread is "
      "half the "
      "distance between the quartiles. Two threads against one: median ratio of wall times taken in turns. "
      "The "
      "check build is another program, of more instructions: its rate is of those.");
  std::string ptx, check, json_file;
  std::vector<std::string> names;
  int runs = 9;
  app.add_option("ptx", ptx, "kernels.cu as compiled to PTX")->required();
  app.add_option("check", check, "kernels.cu as compiled for findings; empty: look for none")->required();
  app.add_option("kernels", names, "which to run; default: all");
  app.add_option("--json", json_file, "write the figures to this file; -: to standard output");
  app.add_option("--runs", runs, "runs of each measurement")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  try {
    return bench_main(ptx, check, names, json_file, runs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
