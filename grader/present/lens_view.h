// What `ladder lens` and `ladder sim --lens` show.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/platform/terminal.h"
#include "simulator/lens/text.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace ladder::cli {

using LensPart = sim::lens::Part;

/// One launch of each kernel: the one that takes longest, in the order of their first launches.
std::vector<sim::KernelRecord> longest_of_each(const std::vector<sim::KernelRecord>& kernels);

/// The pictures as lines for a terminal.
std::vector<std::string> lens_lines(const std::vector<sim::KernelRecord>& kernels, const Terminal& terminal,
                                    LensPart part);

/// Pictures of what is wrong, each with an empty line before it; of findings that cannot be drawn none.
std::vector<std::string> finding_pictures(const std::vector<sim::Finding>& findings,
                                          const Terminal& terminal);

/// The pictures as a page. @throws Failure (environment) when the file cannot be written
void write_lens_page(const std::filesystem::path& file, const std::string& title,
                     const std::vector<sim::KernelRecord>& kernels);

/// Prints the pictures to stderr, where a program's own output
/// is not disturbed, and writes a page where one is wanted.
void show_lens(const std::vector<sim::KernelRecord>& kernels, const std::string& title,
               const std::filesystem::path& page, const Terminal& errors, LensPart part);

}  // namespace ladder::cli
