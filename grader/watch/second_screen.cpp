#include "grader/watch/second_screen.h"

#include <poll.h>

#include "grader/actions/page_program.h"
#include "grader/platform/failure.h"
#include "grader/watch/console.h"

namespace ladder::cli::watch {
namespace {

constexpr int kPageWithin = 10'000;  // ms

SubprocessOptions options_of(const Project& project, const std::string& rung, const Pipe& said) {
  SubprocessOptions options;
  options.argv = page_program(project, {"serve", "--follow", rung});
  options.output = said.write.get();
  options.own_group = true;  // Ctrl-C is for the watcher, which then ends this
  options.death_signal = SIGTERM;
  options.default_signals.assign(kConsoleSignals.begin(), kConsoleSignals.end());
  return options;
}

}  // namespace

SecondScreen::SecondScreen(const Project& project, const std::string& rung)
    : server_(options_of(project, rung, said_)) {
  said_.write.reset();
  pollfd readable = {said_.read.get(), POLLIN, 0};
  for (char c = 0;
       ::poll(&readable, 1, kPageWithin) > 0 && ::read(said_.read.get(), &c, 1) == 1 && c != '\n';)
    address_ += c;
  if (!address_.starts_with("http://"))
    throw Failure(ExitCode::environment, "the page did not start: " + address_);
}

}  // namespace ladder::cli::watch
