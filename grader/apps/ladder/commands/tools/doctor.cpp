// ladder doctor: what this machine has, lacks, and how to get it.
#include "grader/actions/doctor.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/json_file.h"

namespace ladder::cli {
namespace {

using Status = MachineCheck::Status;

std::string mark(Status status, const Terminal& out) {
  switch (status) {
    case Status::ok:
      return out.paint(Tone::good, out.pick("✓", "+"));
    case Status::absent:
      return out.paint(Tone::warn, out.pick("–", "-"));
    case Status::broken:
      return out.paint(Tone::bad, out.pick("✗", "x"));
  }
  return {};
}

void show(const Context& context, const std::vector<MachineCheck>& findings) {
  const Terminal& out = context.out;
  constexpr std::size_t kName = 15;
  for (const MachineCheck& finding : findings) {
    context.line("  {} {} {}", mark(finding.status, out), pad_right(finding.what, kName), finding.detail);
    for (const std::string& line : wrap(finding.remedy, static_cast<std::size_t>(out.width) - kName - 5))
      if (!line.empty()) context.line("    {} {}", std::string(kName, ' '), out.paint(Tone::dim, line));
  }
}

ExitCode doctor(Context& context, bool json) {
  const std::vector<MachineCheck> findings = examine(context.project());
  const auto is = [&](const char* id, Status status) {
    return std::any_of(findings.begin(), findings.end(), [&](const MachineCheck& f) {
      return f.status == status && (id == nullptr || f.id == id);
    });
  };
  const bool broken = is(nullptr, Status::broken);
  const bool gpu = is("gpu", Status::ok) && is("driver", Status::ok) && is("runner-gpu", Status::ok);
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const MachineCheck& f : findings)
      list.push_back({{"id", f.id},
                      {"what", f.what},
                      {"status", to_string(f.status)},
                      {"detail", f.detail},
                      {"remedy", f.remedy}});
    context.line("{}",
                 nlohmann::json({{"schema", kSchema}, {"ready", !broken}, {"gpu", gpu}, {"checks", list}})
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    show(context, findings);
    context.line();
    if (broken) {
      context.line("{} {} mends what it can.",
                   context.out.paint(Tone::bad, "Something that is needed is missing."),
                   context.out.paint(Tone::code, "./ladder setup"));
    } else {
      context.line("{} Rungs run on the {}.", context.out.paint(Tone::good, "All that is needed is here."),
                   gpu ? "GPU, and on the simulator with --device sim" : "simulator");
    }
  }
  return broken ? ExitCode::environment : ExitCode::passed;
}

}  // namespace

void add_doctor(Commands& commands) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      commands.add("doctor", "look at this machine: compiler, toolkit, driver, GPU",
                   "  ./ladder doctor           what is there, what is missing, how to get it\n"
                   "  ./ladder doctor --json    the same for programs and bug reports\n",
                   [json](Context& context) { return doctor(context, *json); });
  command->add_flag("--json", *json, "print JSON");
}

}  // namespace ladder::cli
