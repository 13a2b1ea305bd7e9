// What a launch cost by line of the user's source.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "simulator/engine/block.h"

namespace sim::exec {

/// Lines that executed something, in the order of file and line. Gathers the workers' last
/// patterns on the way.
std::vector<LineRecord> lines_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers);

/// Sectors of global memory that scattered requests of the kind touch without others of the same 128-byte
/// line, going by the samples of their patterns. @param access  "load" or "store"
u64 partial_line_sectors(const std::vector<LineRecord>& lines, AccessKind access);

/// The traced warp's steps, neighbours of one line and mask joined; empty when no warp was traced.
std::vector<TraceStep> trace_of(const Code& code, const std::vector<std::unique_ptr<Worker>>& workers);

}  // namespace sim::exec
