// What a launch cost by line of the user's source.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "simulator/engine/block.h"

namespace sim::exec {

/// Lines that executed something, in the order of file and line.
std::vector<LineRecord> lines_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers);

/// Sectors of global memory without others of their 128-byte line, in requests of the kind that touch many
/// lines: the sampled blocks' share of all.
u64 partial_line_sectors(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers,
                         SiteInfo::Kind kind);

/// The traced warp's steps, neighbours of one line and mask joined; empty when no warp was traced.
std::vector<TraceStep> trace_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers);

}  // namespace sim::exec
