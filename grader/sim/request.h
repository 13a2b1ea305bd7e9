// What `ladder sim` was asked to do.
#pragma once

#include <string>
#include <vector>

#include "grader/platform/terminal.h"

namespace ladder::cli {

struct SimRequest {
  std::vector<std::string> sources;       ///< as typed: .cu, .cpp, .cc, .cxx, .c
  std::vector<std::string> objects;       ///< linked as they are: .o, .a, .so
  std::vector<std::string> nvcc_options;  ///< for compiling and linking
  std::vector<std::string> arguments;     ///< the program's own
  std::string language;                   ///< of -x LANGUAGE; empty: by the file's name
  int architecture = 0;                   ///< compute capability x 10; 0: not said
  std::string architecture_letter;        ///< "a" of sm_90a, "f" of sm_100f; mostly empty
  bool relocatable = false;               ///< device functions and variables shared between files (-rdc=true)
  bool optimised = false;                 ///< the options say how much to optimise
  bool device_debug = false;              ///< -G
  std::string json;                       ///< file for the report, "-" for stdout, empty for none
  bool lens = false;                      ///< show what the warps did
  bool timeline = false;                  ///< of that in the terminal only the timeline
  std::string lens_page;                  ///< file for the same as a page, or empty
  std::string gpu;                        ///< GPU to model; empty: the default
  std::string schedule_seed, threads;     ///< numbers as typed, or empty
  int findings_exit = 3;                  ///< exit status where a finding is an error; 0: the program's own
  bool findings = true;                   ///< compile the check build and print what is found
  ColourWish colour = ColourWish::automatic;
};

/// Reads the words after `ladder sim`. Options that are neither ours nor known to matter go to nvcc.
/// @throws Failure (usage) where no source is named, an option lacks its value, or a file is of no known kind
SimRequest read_sim_request(const std::vector<std::string>& words);

/// What the program sees as its name: where nvcc would have been told to put it, beside its source.
std::string program_name(const SimRequest& request);

}  // namespace ladder::cli
