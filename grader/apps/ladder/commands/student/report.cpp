// ladder report: the student's work as a page.
#include <fmt/chrono.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/apps/ladder/commands/student/hunts.h"
#include "grader/build/toolchain.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"
#include "grader/platform/process/run_process.h"
#include "grader/present/html/page.h"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

/// "model name" of /proc/cpuinfo; arm64 has none.
std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "not named by the system";
}

/// What git calls the user; empty where it is not told.
std::string name_of_git() {
  const Captured name = capture({"git", "config", "user.name"});
  return name.status.ok() ? name.output.substr(0, name.output.find('\n')) : "";
}

std::vector<std::pair<std::string, std::string>> environment_of(const Project& project) {
  const nlohmann::json tools = toolchain(project);
  utsname system{};
  ::uname(&system);
  return {{"Made", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
          {"CUDA Ladder", LADDER_VERSION},
          {"CUDA Toolkit", tools.value("cuda_version", "unknown")},
          {"Rungs compiled for", "compute_" + tools.value("arch", std::string("?"))},
          {"Host compiler", tools.value("host_compiler", "unknown")},
          {"CPU", cpu_name()},
          {"System", fmt::format("{} {}, {}", system.sysname, system.release, system.machine)},
          {"GPU here", gpu_visible() ? "visible" : "none; times of the simulator are modelled"}};
}

}  // namespace

void add_report(Commands& commands) {
  struct Options {
    std::string page;
    std::optional<std::string> name;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = commands.add(
      "report", "your progress, ladders and pictures as one HTML page",
      "  ./ladder report                 writes ladder-report.html here\n"
      "  ./ladder report --out me.html\n"
      "  ./ladder report --name \"Ada L.\"  on the page, in place of the name that git has\n",
      [options](Context& context) {
        const fs::path file =
            options->page.empty() ? fs::path("ladder-report.html") : fs::path(options->page);
        write_file(file, report_page(context.project(), context.course(), context.progress(),
                                     hunt_counts(context), options->name ? *options->name : name_of_git(),
                                     fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                                     environment_of(context.project())));
        context.line("written: {}", context.out.paint(Tone::code, context.shown(fs::absolute(file))));
        return ExitCode::passed;
      });
  command->add_option("-o,--out", options->page, "where the page goes")->type_name("FILE");
  command->add_option("--name", options->name, "whose report it is; \"\" for none")->type_name("NAME");
}

}  // namespace ladder::cli
