#include "simulator/engine/fault.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "language/catalogue.h"
#include "simulator/decode/instruction_def.h"
#include "simulator/engine/block.h"
#include "simulator/report/wording/words.h"

namespace sim::exec {

Fault::Fault(Finding f) : std::runtime_error(sentence(f)), finding(std::move(f)) {}

namespace {

enum class Does { nothing, reads, writes, updates };

/// What an instruction does with memory that the source names: parameters and the frame are the compiler's.
Does does(const ptx::Function& function, const ptx::Instruction& in) {
  if (in.opcode == "atom" || in.opcode == "red") return Does::updates;
  if ((in.opcode != "ld" && in.opcode != "st") || in.qualifiers.empty() || in.qualifiers[0] == "param")
    return Does::nothing;
  for (const ptx::Operand& operand : in.operands)
    if (const auto* address = std::get_if<ptx::Address>(&operand.value))
      if (const auto* base = std::get_if<ptx::RegisterUse>(&address->base))
        if (function.registers[std::size_t(base->index)].name == "%SP") return Does::nothing;
  return in.opcode == "ld" ? Does::reads : Does::writes;
}

/// The register that an access adds its offset to, where it is the sum that one access of the source has
/// computed: without optimisation each computes its own, and one to a structure is made of several
/// instructions. -1 where it is none.
int computed_base(const ptx::Function& function, const ptx::Instruction& in) {
  const auto number_of = [](const ptx::Operand& operand) {
    const auto* use = std::get_if<ptx::RegisterUse>(&operand.value);
    return use == nullptr ? -1 : use->index;
  };
  for (const ptx::Operand& operand : in.operands)
    if (const auto* address = std::get_if<ptx::Address>(&operand.value))
      if (const auto* base = std::get_if<ptx::RegisterUse>(&address->base))
        for (const ptx::Instruction& other : function.body)
          if (other.opcode == "add" && number_of(other.operands[0]) == base->index) return base->index;
  return -1;
}

/// Which access of its kind it is in its statement: nvcc's columns are those of statements. Optimised code
/// does not keep their order and number.
void number(Finding& finding, const ptx::Module& module, const ptx::Instruction& instruction) {
  finding.nth = finding.of = 0;
  if (!module.debug || instruction.location < 0) return;
  const auto holds = [&](const ptx::Function& f) {
    return !f.body.empty() && &instruction >= &f.body.front() && &instruction <= &f.body.back();
  };
  const auto function = std::find_if(module.functions.begin(), module.functions.end(), holds);
  if (function == module.functions.end()) return;
  const Does kind = does(*function, instruction);
  if (kind == Does::nothing) return;
  const ptx::Location& place = ptx::user_location(module, instruction.location);
  std::vector<int> bases;  // of the accesses so far
  for (const ptx::Instruction& other : function->body) {
    const ptx::Location& there = ptx::user_location(module, other.location);
    if (there.file != place.file || there.line != place.line || there.column != place.column ||
        does(*function, other) != kind)
      continue;
    const int base = computed_base(*function, other);
    const auto part_of = base < 0 ? bases.end() : std::find(bases.begin(), bases.end(), base);
    if (&other == &instruction) finding.nth = int(part_of - bases.begin()) + 1;
    if (part_of == bases.end()) bases.push_back(base);
  }
  finding.of = int(bases.size());
}

}  // namespace

void locate(Finding& finding, const ptx::Module& module, const ptx::Instruction& instruction) {
  const ptx::Location& at = ptx::user_location(module, instruction.location);
  if (at.file > 0 && std::size_t(at.file) < module.files.size())
    finding.file = module.files[std::size_t(at.file)];
  finding.line = at.line;
  finding.column = at.column;
  number(finding, module, instruction);
}

SourceLine line_outside_headers(const ptx::Module& module, const ptx::Instruction& instruction) {
  for (int at = instruction.location; at >= 0; at = module.locations[std::size_t(at)].inlined_at) {
    const ptx::Location& place = module.locations[std::size_t(at)];
    if (place.line == 0 || place.file <= 0 || std::size_t(place.file) >= module.files.size()) continue;
    const std::string& file = module.files[std::size_t(place.file)];
    if (!ptx::is_header_file(file) && !ptx::is_toolkit_file(file)) return {file, place.line};
  }
  return {};
}

namespace {

/// Moves a finding that is in a header to the call outside of headers that led there, where there is one.
void leave_headers(Finding& finding, const Code& code, const Frame* frame, u32 instruction) {
  if (finding.line == 0 || !ptx::is_header_file(finding.file)) return;
  for (;;) {
    if (const SourceLine call = line_outside_headers(*code.module, *code.sources[instruction]);
        call.line > 0) {
      finding.inside = {finding.file, finding.line};
      finding.file = call.file, finding.line = call.line;
      finding.column = finding.nth = finding.of = 0;
      return;
    }
    if (frame == nullptr || frame->caller == nullptr) return;
    instruction = code.blocks[frame->return_pc - 1].last - 1;
    frame = frame->caller;
  }
}

}  // namespace

void locate(Finding& finding, const Warp& w, const Instr& in) {
  locate(finding, w.worker->code, w.frame, in);
}

void locate_use(Finding& finding, const Warp& w, const Instr& in) {
  const Code& code = w.worker->code;
  locate(finding, w, in);
  if (Wrappers::wants_wrapper(code.source_of(in)))
    locate(finding, Wrappers(code).line_of(w.frame, code.index_of(in)));
}

void locate(Finding& finding, const Code& code, const Frame* frame, const Instr& in) {
  u32 index = code.index_of(in);
  locate(finding, *code.module, *code.sources[index]);
  const auto foreign = [&] { return finding.line == 0 || ptx::is_toolkit_file(finding.file); };
  for (; foreign() && frame != nullptr && frame->caller != nullptr; frame = frame->caller) {
    index = code.blocks[frame->return_pc - 1].last - 1;
    locate(finding, *code.module, *code.sources[index]);
  }
  // A check build inlines some of the toolkit's functions without saying where. They stand behind their call.
  Finding earlier = finding;
  while (foreign() && index-- > 0) {
    locate(earlier, *code.module, *code.sources[index]);
    if (earlier.line > 0 && !ptx::is_toolkit_file(earlier.file)) finding = earlier;
  }
  leave_headers(finding, code, frame, index);
}

void locate(Finding& finding, const SourceLine& line) {
  if (line.line == 0) return;
  if (finding.inside.line > 0 && ptx::is_header_file(line.file)) {
    finding.inside = line;
    return;
  }
  finding.file = line.file, finding.line = line.line, finding.column = 0;
  finding.inside = {};
}

void locate(OtherParty& other, const SourceLine& line) {
  if (line.line > 0) other.file = line.file, other.line = line.line;
}

void fail(const Warp& w, const Instr& in, int lane, FindingKind kind, Message message, FaultDetails details) {
  Finding f;
  f.kind = kind;
  f.space = details.space;
  f.access = details.access;
  f.size = details.bytes;
  f.cure = std::move(details.cure);
  f.null_pointer = details.null_pointer;
  f.kernel = w.worker->code.kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  f.message = std::move(message);
  locate_use(f, w, in);
  throw Fault(std::move(f));
}

namespace {

[[noreturn]] void refuse(const ptx::Module& module, const ptx::Function& kernel,
                         const ptx::Instruction& instruction, Message message) {
  Finding f;
  f.kind = FindingKind::unsupported;
  f.kernel = kernel.name;
  locate(f, module, instruction);
  f.message = std::move(message);
  throw Fault(std::move(f));
}

}  // namespace

void unsupported(const ptx::Module& module, const ptx::Function& kernel, const ptx::Instruction& instruction,
                 const std::string& what) {
  refuse(module, kernel, instruction,
         Message("the simulator does not know {}the instruction {} (PTX line {})",
                 what.empty() ? "" : what + " in ", instruction.mnemonic(), instruction.ptx_line));
}

void needs_target(const ptx::Module& module, const ptx::Function& kernel, const ptx::Instruction& instruction,
                  const std::string& what, int target) {
  refuse(module, kernel, instruction,
         Message("{} (PTX line {}) needs .target {}{}, and this PTX is for {}: compile with -arch={}", what,
                 instruction.ptx_line, target_name(target), target < kSpecific ? tr(" or higher") : "",
                 module.target, target_name(target)));
}

void unresolved(const ptx::Module& module, const ptx::Function& kernel, const ptx::Instruction& instruction,
                const std::string& function) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(function.c_str(), nullptr, nullptr, &status), &std::free);
  Finding f;
  f.kind = FindingKind::unsupported;
  f.kernel = kernel.name;
  locate(f, module, instruction);
  f.message = Message(
      "{} is called, and no device code with its body is in this file's program (ptxas: Unresolved extern "
      "function '{}')",
      status == 0 ? plain.get() : function, function);
  f.cure = Cure::define_device_function;
  throw Fault(std::move(f));
}

void malformed(const ptx::Module& module, const ptx::Function& kernel, const ptx::Instruction& instruction,
               const std::string& what) {
  refuse(module, kernel, instruction,
         Message("the instruction {} (PTX line {}) makes no sense: {}", instruction.mnemonic(),
                 instruction.ptx_line, what));
}

}  // namespace sim::exec
