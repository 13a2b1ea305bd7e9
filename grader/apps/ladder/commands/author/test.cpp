// ladder test: the project's own test-suite.
#include <thread>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {

void add_test(Commands& commands) {
  auto filter = std::make_shared<std::string>();
  CLI::App* command = commands.add(
      "test", "run the project's own tests (./ladder test builds them first)",
      "  ./ladder test            everything\n"
      "  ./ladder test skeleton   tests whose names match\n",
      [filter](Context& context) {
        expect_checkout(context.project(), "ladder test");
        std::vector<std::string> argv = {"ctest",
                                         "--test-dir",
                                         context.project().build.string(),
                                         "--output-on-failure",
                                         "-j",
                                         std::to_string(std::max(1u, std::thread::hardware_concurrency()))};
        if (!filter->empty()) argv.insert(argv.end(), {"-R", *filter});
        const ExitStatus status =
            run_process({argv, {}}, [&](std::string_view line) { context.line("{}", line); });
        return status.ok() ? ExitCode::passed : ExitCode::failed;
      });
  command->add_option("filter", *filter, "a regular expression for the names of tests");
}

}  // namespace ladder::cli
