// ladder litmus: every execution of a small kernel that PTX's memory model allows.
#include <cstdio>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/files.h"
#include "grader/present/findings/litmus_view.h"
#include "grader/sim/compile.h"
#include "grader/sim/foreground.h"
#include "grader/sim/litmus.h"
#include "grader/sim/unnamed_file.h"

namespace ladder::cli {
namespace {

constexpr int kFails = 3;  ///< exit status where an allowed execution breaks the program's assertion

/// The words go to where no JSON is asked for.
void put_record(const LitmusRequest& request, const sim::LitmusRecord& record) {
  const std::string& json = request.program.json;
  if (json == "-") {
    std::fputs(litmus_json(record).c_str(), stdout);
    return;
  }
  if (!json.empty()) write_file(json, litmus_json(record));
  const Terminal terminal = Terminal::of(1, request.program.colour);
  for (const std::string& line : litmus_lines(record, terminal)) std::printf("%s\n", line.c_str());
}

ExitCode explore(Context& context, const std::vector<std::string>& words) {
  const LitmusRequest request = read_litmus_request(words);
  SimCompilation compiled;
  {
    const Terminal errors = Terminal::of(2, request.program.colour);
    TransientLine progress(errors, stderr);
    compiled = compile(context.project(), request.program, progress);
  }
  std::fputs(compiled.messages.c_str(), stderr);
  if (!compiled.program) return static_cast<ExitCode>(compiled.status);

  const UnnamedFile file;
  std::vector<std::string> argv = {program_name(request.program)};
  argv.insert(argv.end(), request.program.arguments.begin(), request.program.arguments.end());
  const ExitStatus status =
      run_in_foreground(compiled.program->executable.string(), argv, litmus_settings(request, file.path()));
  if (status.signal != 0) die_by(status.signal);
  const auto record = read_litmus_record(file.path());
  if (!record)
    throw Failure(ExitCode::failed, request.kernel.empty()
                                        ? "the program launched no kernel"
                                        : "the program launched no kernel called " + request.kernel);
  put_record(request, *record);
  if (!record->refused.empty() || record->outcomes.empty()) return ExitCode::failed;
  return any_failure(*record) ? static_cast<ExitCode>(kFails) : ExitCode::passed;
}

}  // namespace

void add_litmus(Commands& commands, std::vector<std::string> words) {
  commands.add(
      "litmus",
      "explore every execution of a small kernel that PTX's memory model allows:\n"
      "ladder litmus FILE.cu... [options] [nvcc options] [-- the program's own arguments]",
      "  ./ladder litmus message_passing.cu\n"
      "  ./ladder litmus queue.cu --kernel push --json report.json\n\n"
      "The program is an ordinary one: it launches a kernel of a few threads, copies results back, and\n"
      "ends with another status than 0 where they are wrong, say by assert(). Its first launch is not run:\n"
      "every final state of memory that the model allows is found, and the program goes on from each. Those\n"
      "that it calls wrong are shown with an execution that leads there: who reads what from whom. States\n"
      "that no execution leads to are listed with the axioms that forbid them.\n\n"
      "Options besides those of `ladder sim`:\n"
      "  --kernel NAME        explore the first launch of this kernel; others run as ever\n"
      "  --turns N            times that a loop may repeat a read (3); longer runs are left out, and "
      "counted\n"
      "  --candidates N       executions to look at before giving up (1048576)\n"
      "  --json FILE          outcomes, executions and races; - writes them to stdout instead of the "
      "words\n\n"
      "Ends with 0 where every allowed state is right, with 3 where one is not, with 1 where the kernel\n"
      "cannot be explored or never ends: more than 8 threads that touch memory which some thread writes,\n"
      "more than 64 operations, values passed by shuffles, mbarriers, matrix instructions.\n",
      [words](Context& context) { return explore(context, words); });
}

}  // namespace ladder::cli
