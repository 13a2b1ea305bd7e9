// A PTX module as parsed: names and operands resolved to indices, nothing decided about execution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sim::ptx {

/// A syntax or reference error; what() is "line 12: ...", with the PTX line.
struct ParseError : std::runtime_error {
  ParseError(int line, const std::string& what);
  int line;
};

/// Where an instruction comes from, by `.loc`; `inlined_at` is an index into Module::locations.
struct Location {
  int file = 0;  ///< index into Module::files; 0 = unknown
  int line = 0;
  int column = 0;
  std::string function;  ///< function inlined here, if any
  int inlined_at = -1;
};

/// Fundamental types of PTX. The b-types are untyped bits.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  tf32,
  f64,
  texref,
  samplerref,
  surfref,
};
int size_of(Type type);  ///< bytes; 0 for none and pred

const char* name_of(Type type);  ///< "f32"; "" for none

enum class Space : std::uint8_t { generic, reg, sreg, constant, global, local, param, shared };

/// A virtual register of one function. Registers are numbered densely within the function.
struct Register {
  std::string name;
  Type type = Type::none;
};

/// Use of a special register, such as %tid.x or %laneid, by its full name.
struct SpecialRegister {
  std::string name;
};
/// An integer (also for address offsets) or the bits of a float literal with its width.
struct Immediate {
  std::uint64_t bits = 0;
  Type type = Type::s64;
};
struct RegisterUse {
  int index = -1;
  bool negated = false;
};  ///< negated: `!%p1`
struct SymbolUse {
  std::string name;
  std::int64_t offset = 0;
};  ///< a variable or function taken as a value
struct LabelUse {
  int target = -1;
};  ///< index into Function::body
/// `[base + offset]`; base is a register, a symbol or absent.
struct Address {
  std::variant<std::monostate, RegisterUse, SymbolUse> base;
  std::int64_t offset = 0;
};
struct Operand;
struct VectorUse {
  std::vector<Operand> elements;
};                  ///< `{%f1, %f2}`, also argument lists `(a, b)`
struct SinkUse {};  ///< `_`
/// `[tex, {x, y}]`: an address whose bracket holds several operands (textures, surfaces, tensors)
struct BracketList {
  std::vector<Operand> elements;
};

struct Operand {
  std::variant<RegisterUse, Immediate, SpecialRegister, SymbolUse, LabelUse, Address, VectorUse, BracketList,
               SinkUse>
      value;
  /// Second destination of forms like `%r1|%p2` (setp, shfl, match); empty otherwise.
  std::shared_ptr<Operand> paired;
};

struct Guard {
  int predicate = -1;
  bool negated = false;
};  ///< predicate < 0: always executed

struct Instruction {
  std::string opcode;                   ///< "ld"
  std::vector<std::string> qualifiers;  ///< {"global", "v4", "f32"}; `::` stays inside one ("shared::cta")
  Guard guard;
  std::vector<Operand> operands;  ///< destination first, as written
  int location = -1;              ///< index into Module::locations
  int ptx_line = 0;
  std::string mnemonic() const;  ///< "ld.global.v4.f32"
  bool has(std::string_view qualifier) const;
};

/// The type of a variable in the source, as far as it names the variable's parts.
struct SourceType {
  struct Member {
    std::string name;
    std::uint64_t offset = 0;
    std::shared_ptr<const SourceType> type;
  };
  std::uint64_t size = 0;                     ///< bytes; 0 for an array of unknown extent
  std::vector<std::int64_t> extents;          ///< of an array, row-major; empty: it is none
  std::shared_ptr<const SourceType> element;  ///< of an array
  std::vector<Member> members;                ///< of a structure, by offset
};

/// A variable of module or function scope, or a parameter.
struct Variable {
  /// The 8 (or, in 4-byte variables, 4) bytes at offset `at` hold the address of a symbol.
  /// generic: as a generic address; otherwise in the symbol's own space.
  struct Relocation {
    std::uint64_t at;
    std::string symbol;
    std::int64_t addend;
    bool generic;
    std::uint32_t size = 8;
  };
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  std::uint32_t align = 1;
  std::uint64_t size = 0;  ///< bytes; 0 for an extern array of unknown extent (dynamic shared memory)
  bool is_extern = false;
  bool is_private = false;  ///< at module scope: another file may use the name for something else
  bool managed = false;
  std::vector<std::uint8_t> initial;  ///< the first bytes; the rest, up to size, are zero
  std::vector<Relocation> relocations;
  std::shared_ptr<const SourceType> type_in_source;  ///< null: not known
};

/// A `.callprototype`: the shape of what an indirect call reaches; the call's last operand names it.
struct Prototype {
  std::string name;
  std::vector<Variable> results;
  std::vector<Variable> params;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  ///< extern or forward (vprintf, malloc, ...)
  bool is_private = false;      ///< another file may use the name for something else
  std::vector<Variable> results;
  std::vector<Variable> params;
  /// .shared, .local and .param variables of the body, of any scope; a name used in several scopes gets a
  /// suffix ("param0#2"), so names are unique.
  std::vector<Variable> variables;
  std::vector<Register> registers;
  std::vector<Instruction> body;
  std::vector<Prototype> prototypes;
  std::uint32_t max_threads = 0;  ///< .maxntid product, 0 = none
  std::uint32_t min_blocks_per_sm = 0;
  std::uint32_t max_registers = 0;         ///< .maxnreg, 0 = none
  std::array<std::uint32_t, 3> cluster{};  ///< .reqnctapercluster: extents in blocks; 0: none is demanded
  bool blocks_are_clusters = false;        ///< a launch's grid counts clusters

  /// The most registers that ptxas gives a thread of an entry, by .maxnreg or by its launch bounds: so many
  /// blocks of so many threads, one at least, fit on an SM. 0: it has no bounds.
  std::uint32_t registers_by_bounds() const;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;              ///< "sm_80"
  bool debug = false;              ///< compiled by nvcc -G: in the order of the source
  std::vector<std::string> files;  ///< index 0 unused
  std::vector<Location> locations;
  std::vector<Variable> variables;  ///< module scope
  std::vector<Function> functions;
  const Function* find(std::string_view name) const;
};

/// Parses one PTX translation unit. In the result every label is a LabelUse of its instruction's index, the
/// operand of `brx.idx` that names a `.branchtargets` list is a VectorUse of LabelUse, and every SymbolUse
/// names a variable, parameter, function or prototype that exists. A label at the very end of a body points
/// past its last instruction.
/// @throws ParseError; any text, however malformed, gives a module or this
Module parse(std::string_view text);

/// The line of the user's own source behind a location: follows inlined_at out of the toolkit's headers.
/// @param location index into module.locations, or -1
/// @return the location found; the outermost one when all lie in the toolkit; file 0 when @p location is -1
const Location& user_location(const Module& module, int location);

/// Whether a file belongs to the CUDA toolkit (its headers, CCCL, cooperative groups) rather
/// than to the user.
bool is_toolkit_file(std::string_view path);

/// Whether a file is one to be included, by its name.
bool is_header_file(std::string_view path);

}  // namespace sim::ptx
