// Ending a kernel with a finding that names the instruction, the source line and the thread.
#pragma once

#include <string>

#include "simulator/decode/code.h"
#include "simulator/decode/wrappers.h"
#include "simulator/engine/launch.h"
#include "simulator/engine/warp.h"

namespace sim::exec {

/// What a finding says beside its kind and message, as in Finding.
struct FaultDetails {
  MemorySpace space = MemorySpace::none;
  AccessKind access = AccessKind::none;
  u32 bytes = 0;
  Cure cure{};
  bool null_pointer = false;
};

/// Throws a Fault for one lane of a running warp: kernel, source line, block and thread are filled in.
/// @param message  a sentence or two, without place
[[noreturn, gnu::cold]] void fail(const Warp& w, const Instr& in, int lane, FindingKind kind, Message message,
                                  FaultDetails details = {});

/// Fills in file and line of the user's source. Where code of the toolkit runs in a function of its own, or
/// code of a header that a source file includes, that is where the running split called it from.
void locate(Finding& finding, const Warp& w, const Instr& in);

/// The same outside the functions that do no more than to give the instruction a name.
void locate_use(Finding& finding, const Warp& w, const Instr& in);

/// The same for an instruction in a frame of any split.
void locate(Finding& finding, const Code& code, const Frame* frame, const Instr& in);

/// The same for an instruction alone.
void locate(Finding& finding, const ptx::Module& module, const ptx::Instruction& instruction);

/// The innermost line of an instruction, inlined functions included, that is neither in the toolkit nor in a
/// header.
SourceLine line_outside_headers(const ptx::Module& module, const ptx::Instruction& instruction);

/// At a line that is known otherwise; left where it is when none is.
void locate(Finding& finding, const SourceLine& line);
void locate(OtherParty& other, const SourceLine& line);

/// Throws a Fault of kind "unsupported" while decoding: instruction, source line and kernel in the message.
[[noreturn]] void unsupported(const ptx::Module& module, const ptx::Function& kernel,
                              const ptx::Instruction& instruction, const std::string& what);

/// The same for an instruction that the module's `.target` does not have: the first that
/// does is @p target (see target_of()).
[[noreturn]] void needs_target(const ptx::Module& module, const ptx::Function& kernel,
                               const ptx::Instruction& instruction, const std::string& what, int target);

/// The same for a call of a function that is declared and has no body.
[[noreturn]] void unresolved(const ptx::Module& module, const ptx::Function& kernel,
                             const ptx::Instruction& instruction, const std::string& function);

/// The same for an instruction that no assembler would take: @p what is wrong with it, a half sentence.
[[noreturn]] void malformed(const ptx::Module& module, const ptx::Function& kernel,
                            const ptx::Instruction& instruction, const std::string& what);

}  // namespace sim::exec
