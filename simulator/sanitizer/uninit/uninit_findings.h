// What the detector of uninitialized values has found, put into words.
#pragma once

#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

/// What a tainted value is used for.
enum class Use : u8 { branch, address, store, atomic };

/// A read of bytes that nobody wrote; how their value is used is still to be said. Space, access, size and
/// place of @p f are filled in.
/// @param offset          of the bytes in their space
/// @param unwritten_copy  an asynchronous copy brought them, from where nobody had written
void render_unwritten(Finding& f, LaunchContext& context, const Warp& w, const ObservedAccess& seen,
                      u64 offset, bool unwritten_copy);

/// A register that was never given a value. @param verb  what the thread does with it: "uses"
void render_unwritten_register(Finding& f, const char* verb);

/// The use of such a value, at a line of a file.
void render_use(Finding& f, Use use, const std::string& file, int line);

/// An atomic adds to what nobody wrote.
void render_atomic(Finding& f);

}  // namespace sim::sanitizer
