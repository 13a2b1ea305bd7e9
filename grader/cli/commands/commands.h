// Every command of `ladder`, one function and one file each; main.cpp lists them in the order of --help.
#pragma once

#include <string>
#include <vector>

#include "grader/cli/context.h"

namespace ladder::cli {

ExitCode show_map(Context& context);  ///< `ladder` alone
void add_list(Commands& commands);
void add_run(Commands& commands);
void add_demo(Commands& commands);
void add_hint(Commands& commands);
void add_lens(Commands& commands);
void add_reset(Commands& commands);
void add_diff(Commands& commands);
/// @param words  what follows `sim` on the command line; nvcc's options and the program's own among them
void add_sim(Commands& commands, std::vector<std::string> words);
void add_doctor(Commands& commands);
void add_test(Commands& commands);
void add_dev(Commands& commands);  ///< dev check, sync, record

/// Asks a yes-or-no question on the terminal; false where nobody is there to answer. Anything but y or yes is
/// no.
bool confirm(const Context& context, const std::string& question);

}  // namespace ladder::cli
