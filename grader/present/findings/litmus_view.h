// Executions of a small kernel as people read them.
#pragma once

#include <string>
#include <vector>

#include "grader/platform/terminal.h"
#include "simulator/report/litmus_record.h"

namespace ladder::cli {

/// The table of outcomes, an execution for each allowed one that breaks what the program asserts, and what
/// was not looked at.
std::vector<std::string> litmus_lines(const sim::LitmusRecord& record, const Terminal& terminal);

/// One execution: a column for each thread, a row for each operation, and arrows from writes to the reads
/// that return their values.
std::vector<std::string> execution_diagram(const sim::LitmusRecord& record, const sim::LitmusOutcome& outcome,
                                           const Terminal& terminal);

}  // namespace ladder::cli
