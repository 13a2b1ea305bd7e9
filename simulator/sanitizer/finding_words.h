// Names and numbers as findings show them.
#pragma once

#include <string>

#include "simulator/decode/code.h"
#include "simulator/report/finding.h"

namespace sim::sanitizer {

/// "(1,0,0)"
std::string text(const Index3& i);

/// What a finding accesses, for a sentence.
Message named(const Finding& f);

/// "s" of "_ZZ6reducePfPKfE1s", the name in the source of a variable in shared memory.
std::string source_name(const std::string& mangled);

/// "s[17]", for a byte of shared memory that is accessed in pieces of some size; empty where it lies in no
/// variable.
std::string shared_name(const exec::Code& code, exec::u32 offset, exec::u32 bytes);

}  // namespace sim::sanitizer
