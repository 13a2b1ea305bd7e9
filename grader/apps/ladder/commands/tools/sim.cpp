// ladder sim: any CUDA program, compiled by nvcc, run without a GPU.
#include <signal.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/files.h"
#include "grader/present/findings/findings_view.h"
#include "grader/present/lens_view.h"
#include "grader/sim/compile.h"
#include "grader/sim/foreground.h"
#include "grader/sim/report.h"
#include "grader/sim/unnamed_file.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// Warp instructions of one block after which a kernel is reported as endless: many times what ordinary
/// programs need, and less than a minute here.
constexpr const char* kInstructionLimit = "1000000000";

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings settings(const SimRequest& request, const SimProgram& program, const fs::path& report) {
  Settings all = {{"LADDER_SIM_REPORT", report.string()}};
  if (!request.json.empty() || request.lens) all.emplace_back("LADDER_SIM_REPORT_KERNELS", "1");
  if (request.lens) all.emplace_back("LADDER_SIM_LENS", "1");
  if (!request.gpu.empty()) all.emplace_back("LADDER_SIM_GPU", request.gpu);
  if (!request.schedule_seed.empty()) all.emplace_back("LADDER_SIM_SEED", request.schedule_seed);
  if (!request.threads.empty()) all.emplace_back("LADDER_SIM_THREADS", request.threads);
  if (::getenv("LADDER_SIM_INSTRUCTION_LIMIT") == nullptr)
    all.emplace_back("LADDER_SIM_INSTRUCTION_LIMIT", kInstructionLimit);
  std::string check;
  for (const fs::path& ptx : program.check_ptx) check += (check.empty() ? "" : ":") + ptx.string();
  all.emplace_back("LADDER_SIM_CHECK_PTX", request.findings ? check : "");
  if (request.relocatable) all.emplace_back("LADDER_SIM_CHECK_LINKED", "1");
  return all;
}

void put_report(const SimRequest& request, const SimProgram& program, const SimReport& report,
                const Terminal& errors) {
  std::fflush(stdout);
  std::vector<sim::Finding> shown = report.findings;
  // Not asked for; but what ended the program, or made its results worthless, nobody may overlook.
  if (!request.findings)
    std::erase_if(shown, [](const sim::Finding& f) {
      return f.severity != sim::Severity::error && f.kind != sim::FindingKind::unsupported;
    });
  if (!shown.empty()) {
    for (const std::string& line : findings_list(shown, errors)) std::fprintf(stderr, "%s\n", line.c_str());
  }
  if (request.findings) {
    if (!program.unchecked.empty())
      std::fprintf(stderr, "note: not checked: the check build of %s does not compile:\n%s",
                   program.unchecked.c_str(), program.why_unchecked.c_str());
    if (const std::string note = checked_note(report); !note.empty())
      std::fprintf(stderr, "note: %s\n", note.c_str());
  }
  if (request.lens)
    show_lens(report.kernels, fs::path(request.sources[0]).stem().string(), request.lens_page, errors,
              request.timeline ? LensPart::timeline : LensPart::all);
  if (request.json.empty()) return;
  const std::string text =
      report_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (request.json == "-")
    std::fputs(text.c_str(), stdout);
  else
    write_file(request.json, text);
  std::fflush(stdout);
}

ExitCode simulate(Context& context, const std::vector<std::string>& words) {
  const SimRequest request = read_sim_request(words);
  const Terminal errors = Terminal::of(2, request.colour);
  SimCompilation compiled;
  {
    TransientLine progress(errors, stderr);
    compiled = compile(context.project(), request, progress);
  }
  std::fputs(compiled.messages.c_str(), stderr);
  if (!compiled.program) return static_cast<ExitCode>(compiled.status);

  ExitStatus status;
  SimReport report;
  {
    const UnnamedFile file;
    std::vector<std::string> argv = {program_name(request)};
    argv.insert(argv.end(), request.arguments.begin(), request.arguments.end());
    status = run_in_foreground(compiled.program->executable.string(), argv,
                               settings(request, *compiled.program, file.path()));
    report = read_sim_report(file.path());
  }
  put_report(request, *compiled.program, report, errors);
  const bool interrupted = status.signal == SIGINT;  // Ctrl-C ends it like any program
  if (!interrupted && request.findings && request.findings_exit != 0 && report.any_error())
    return static_cast<ExitCode>(request.findings_exit);
  if (status.signal != 0) die_by(status.signal);
  // A program that did not look at its errors has computed nothing: that is no success, whatever it says.
  if (status.code == 0 && report.any_unsupported()) return ExitCode::environment;
  return static_cast<ExitCode>(status.code);
}

}  // namespace

void add_sim(Commands& commands, std::vector<std::string> words) {
  commands.add(
      "sim",
      "compile and run any CUDA program on the simulator:\n"
      "ladder sim FILE.cu... [options] [nvcc options] [-- the program's own arguments]",
      "  ./ladder sim saxpy.cu                         as `nvcc saxpy.cu -o saxpy && ./saxpy` with a GPU\n"
      "  ./ladder sim main.cu kernels.cu -I include -DN=64 -- input.txt 10\n"
      "  ./ladder sim saxpy.cu --json report.json      counters and modelled times of every launch\n"
      "  ./ladder sim saxpy.cu --gpu T4 --schedule-seed 7\n\n"
      "Options besides nvcc's own, which are passed on:\n"
      "  --arch compute_80    the virtual architecture to compile for\n"
      "  --gpu NAME           the GPU to model: H200, A100, T4, RTX4090\n"
      "  --json FILE          findings, counters and modelled times; - writes them to stdout at the end\n"
      "  --lens[=FILE.html]   pictures of what the warps did, on stderr; also as a page\n"
      "  --timeline[=FILE]    of these only when copies are under way, barriers waited for, tensor cores at "
      "work\n"
      "  --schedule-seed N    another order of warps and blocks; 0 is the natural one\n"
      "  --threads N          host threads to simulate with\n"
      "  --findings-exit N    exit status where a finding is an error; 0: always the program's own\n"
      "  --no-findings        run plainly and fast\n\n"
      "`ladder sim` ends as the program does, by its exit status or signal; with 3 where a finding is an "
      "error; with\n"
      "the compiler's status where the program does not compile. Findings go to stderr.\n",
      [words](Context& context) { return simulate(context, words); });
}

}  // namespace ladder::cli
