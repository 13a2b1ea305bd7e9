// Functions that the simulator does not have: what a program meets that calls one.
#include <cstdio>
#include <cstdlib>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/report_file.h"

using namespace sim::cudart;

/// Called by the stubs that `ladder sim` links in their places: says what is missing, and ends the program.
extern "C" [[noreturn]] void __cudaLadderMissing(const char* sentence) {
  std::fflush(stdout);
  if (!writes_report()) std::fprintf(stderr, "%s\n", sentence);
  {
    std::lock_guard hold(device().lock);
    report(sim::FindingKind::unsupported, sentence);
    flush_report(device());
  }
  std::_Exit(1);
}
