#include "simulator/decode/instruction_def.h"
#include "simulator/decode/code.h"

#include <algorithm>
#include <mutex>

#include "simulator/instructions/families.h"

namespace sim::exec {

bool Binding::has(std::string_view qualifier) const { return source.has(qualifier); }

u32 Binding::new_site() {
  const std::string& name = source.opcode;
  SiteInfo info;
  info.instruction = u32(code.instructions.size());
  if (name == "atom" || name == "red" || (has("reduce") && has("bulk_group")))
    info.kind = SiteInfo::Kind::atomic;
  if (name == "st" || name == "stmatrix" || (name == "wmma" && has("store")) ||
      (has("bulk_group") && !has("reduce")))
    info.kind = SiteInfo::Kind::store;
  const std::string& type = source.qualifiers.empty() ? name : source.qualifiers.back();
  const std::size_t digits = type.find_first_of("0123456789");
  const u32 bits =
      digits == type.npos ? 32 : u32(std::atoi(type.c_str() + digits)) * (type.ends_with("x2") ? 2 : 1);
  info.bytes = bits / 8 * (has("v2") ? 2 : has("v4") ? 4 : 1);
  if (name == "ldmatrix" || name == "stmatrix") info.bytes = 16;  // each lane has the address of a row
  if (const auto* size = name == "cp" && source.operands.size() > 2
                             ? std::get_if<ptx::Immediate>(&source.operands[2].value)
                             : nullptr)
    info.bytes = u32(size->bits);
  code.sites.push_back(info);
  return u32(code.sites.size()) - 1;
}

int Binding::which(std::initializer_list<std::string_view> names) const {
  int index = 0;
  for (std::string_view name : names) {
    if (has(name)) return index;
    ++index;
  }
  return -1;
}

int target_of(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const int number = std::atoi(std::string(text.substr(0, digits)).c_str());
  return text.substr(digits).starts_with('a') ? number + kSpecific : number;
}

std::string target_name(int target) {
  return "sm_" + std::to_string(target % kSpecific) + (target >= kSpecific ? "a" : "");
}

namespace {

std::string replaced(std::string_view pattern, std::string_view type, int bits) {
  std::string text;
  for (char c : pattern) {
    if (c == '$' && bits != 0) {
      text += type;
    } else if (c == '%' && bits != 0) {  // "%clock64" is a name
      text += std::to_string(bits);
    } else {
      text += c;
    }
  }
  return text;
}

/// "name@80" as the name and the target; 0 where none is written.
std::pair<std::string_view, int> with_target(std::string_view text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  return {text.substr(0, at), at == text.size() ? 0 : target_of(text.substr(at + 1))};
}

/// Whether a qualifier is the one named: a star in the name stands for a number.
bool is_named(std::string_view name, std::string_view qualifier) {
  const std::size_t star = name.find('*');
  if (star == name.npos) return name == qualifier;
  const std::string_view tail = name.substr(star + 1);
  if (qualifier.size() < name.size() || !qualifier.starts_with(name.substr(0, star)) ||
      !qualifier.ends_with(tail))
    return false;
  const std::string_view number = qualifier.substr(star, qualifier.size() - star - tail.size());
  return number.find_first_not_of("0123456789") == number.npos;
}

/// The target of "q" among the alternatives of a group's text ".a,.b@80"; kMisfit when it is none of them.
int offers(std::string_view group, std::string_view qualifier) {
  while (!group.empty()) {
    const std::size_t comma = std::min(group.find(','), group.size());
    const auto [name, target] = with_target(group.substr(1, comma - 1));
    if (is_named(name, qualifier)) return target;
    group.remove_prefix(std::min(comma + 1, group.size()));
  }
  return kMisfit;
}

/// A pattern as the table shows it: without the targets, which go to @p needs.
std::string shown(std::string_view pattern, std::string& needs) {
  std::string text;
  for (std::size_t from = 0; from < pattern.size();) {
    const std::size_t at = std::min(pattern.find('@', from), pattern.size());
    text += pattern.substr(from, at - from);
    from = at;
    if (at == pattern.size()) break;
    from = std::min(pattern.find_first_not_of("0123456789a", at + 1), pattern.size());
    needs += (needs.empty() ? "sm_" : ", sm_") + std::string(pattern.substr(at + 1, from - at - 1));
    const std::size_t bracket = text.find_last_of("{(})");
    if (bracket != text.npos && (text[bracket] == '{' || text[bracket] == '('))  // one choice of several
      needs += " for " + text.substr(text.find_last_of('.'));
  }
  return text;
}

}  // namespace

int fit(std::string_view pattern, const std::vector<std::string>& qualifiers) {
  std::size_t next = 0;
  int needed = 0;
  while (!pattern.empty()) {
    const char kind = pattern.front();
    std::string_view group;
    if (kind == '{' || kind == '(') {
      const std::size_t close = pattern.find(kind == '{' ? '}' : ')');
      group = pattern.substr(1, close - 1);
      pattern.remove_prefix(close + 1);
    } else {
      const std::size_t end = std::min(pattern.find_first_of(".{(", 1), pattern.size());
      group = pattern.substr(0, end);
      pattern.remove_prefix(end);
    }
    const int target = next < qualifiers.size() ? offers(group, qualifiers[next]) : kMisfit;
    if (target != kMisfit) {
      ++next;
      needed = std::max(needed, target);
    } else if (kind != '{') {
      return kMisfit;
    }
  }
  return next == qualifiers.size() ? needed : kMisfit;
}

int needed_target(const InstructionDef& def, const std::vector<std::string>& qualifiers) {
  return std::max(def.target, fit(def.qualifiers, qualifiers));
}

InstructionDef& InstructionSet::add(std::string_view pattern, std::string_view type, int bits) {
  std::string needs;
  const std::string line = shown(pattern, needs);
  if (infos_.empty() || infos_.back().pattern != line) infos_.push_back({family_, line, "", needs});
  if (bits != 0) {
    std::string& types = infos_.back().types;
    types += (types.empty() ? "" : " ") +
             (pattern.find('$') != pattern.npos ? std::string(type) : std::to_string(bits));
  }
  const std::string text = replaced(pattern, type, bits);
  const std::size_t end = std::min(text.find_first_of(".{("), text.size());
  auto def = std::make_unique<InstructionDef>();
  const auto [opcode, target] = with_target(std::string_view(text).substr(0, end));
  def->opcode = opcode;
  def->target = target;
  def->qualifiers = text.substr(end);
  def->family = family_;
  by_opcode_[def->opcode].push_back(def.get());
  defs_.push_back(std::move(def));
  return *defs_.back();
}

InstructionDef& InstructionSet::computed(std::string_view pattern, ptx::Type name,
                                         std::span<const ptx::Type> types, Handler all, Handler some) {
  const bool named = name != ptx::Type::none;
  InstructionDef& def =
      add(pattern, named ? ptx::name_of(name) : std::string_view(), named ? 8 * ptx::size_of(name) : 0);
  for (const ptx::Type type : types)
    def.operands.push_back({def.operands.empty() ? Role::write : Role::read, type});
  def.all = all;
  def.some = some;
  return def;
}

InstructionDef& InstructionSet::custom(std::string_view pattern, const std::vector<OperandSpec>& operands,
                                       Binder bind) {
  InstructionDef& def = add(pattern, "", 0);
  def.operands = operands;
  def.bind = bind;
  return def;
}

InstructionDef& InstructionSet::custom(std::string_view pattern, const std::vector<OperandSpec>& operands,
                                       Handler all, Handler some) {
  InstructionDef& def = add(pattern, "", 0);
  def.operands = operands;
  def.all = all;
  def.some = some;
  return def;
}

InstructionDef& InstructionSet::custom(std::string_view pattern, std::initializer_list<OperandSpec> operands,
                                       Binder bind) {
  return custom(pattern, std::vector(operands), bind);
}

InstructionDef& InstructionSet::custom(std::string_view pattern, std::initializer_list<OperandSpec> operands,
                                       Handler all, Handler some) {
  return custom(pattern, std::vector(operands), all, some);
}

namespace {

bool fits(const OperandSpec& spec, const OperandShape& shape) {
  using Kind = OperandShape::Kind;
  if (spec.role == Role::ignored || spec.role == Role::label) return true;
  if ((spec.role == Role::address) != (shape.kind == Kind::address)) return false;
  if (spec.role == Role::address) return true;
  if (shape.kind == Kind::vector ? spec.elements != 0 && spec.elements != shape.elements
                                 : spec.elements > 1) {
    return false;
  }
  if (!shape.is_register || spec.type == ptx::Type::none) return true;
  if (spec.type == ptx::Type::pred) return shape.bytes == 0;
  const int bytes = std::max(2, ptx::size_of(spec.type));
  return spec.wider ? shape.bytes >= bytes : shape.bytes == bytes;
}

bool fits(const InstructionDef& def, const std::vector<OperandShape>& shapes) {
  if (shapes.size() > def.operands.size()) return false;
  for (std::size_t i = 0; i < def.operands.size(); ++i) {
    if (i >= shapes.size() ? !def.operands[i].optional : !fits(def.operands[i], shapes[i])) return false;
  }
  return true;
}

}  // namespace

const InstructionDef* InstructionSet::match(const ptx::Instruction& instruction,
                                            const std::vector<OperandShape>& shapes) {
  std::string key = instruction.mnemonic();
  for (const OperandShape& s : shapes) {
    key += {' ', char('a' + int(s.kind)), char('0' + s.elements), char('0' + s.bytes),
            s.is_register ? 'r' : 'i'};
  }
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const auto candidates = by_opcode_.find(instruction.opcode);
  if (candidates == by_opcode_.end()) return nullptr;
  for (const InstructionDef* def : candidates->second) {
    if (fits(def->qualifiers, instruction.qualifiers) && fits(*def, shapes))
      return known_[std::move(key)] = def;
  }
  return nullptr;
}

const InstructionDef* InstructionSet::find(const std::string& opcode,
                                           const std::vector<std::string>& qualifiers) const {
  const auto candidates = by_opcode_.find(opcode);
  if (candidates == by_opcode_.end()) return nullptr;
  for (const InstructionDef* def : candidates->second)
    if (fits(def->qualifiers, qualifiers)) return def;
  return nullptr;
}

std::vector<InstructionInfo> InstructionSet::list() const { return infos_; }

Mods modifiers_of(const ptx::Instruction& instruction) {
  static const std::unordered_map<std::string_view, Rounding> roundings = {
      {"rn", Rounding::rn},  {"rz", Rounding::rz},   {"rm", Rounding::rm},
      {"rp", Rounding::rp},  {"rna", Rounding::rna}, {"rni", Rounding::rn},
      {"rzi", Rounding::rz}, {"rmi", Rounding::rm},  {"rpi", Rounding::rp}};
  static const std::unordered_map<std::string_view, Compare> compares = {
      {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},
      {"gt", Compare::gt},   {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},
      {"hi", Compare::hi},   {"hs", Compare::hs},   {"equ", Compare::equ}, {"neu", Compare::neu},
      {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu}, {"geu", Compare::geu},
      {"num", Compare::num}, {"nan", Compare::nan}};
  static const std::unordered_map<std::string_view, BoolOp> combines = {
      {"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}};
  Mods mods{};
  for (const std::string& q : instruction.qualifiers) {
    if (const auto r = roundings.find(q); r != roundings.end()) mods.rounding = r->second;
    if (const auto c = compares.find(q); c != compares.end()) mods.compare = c->second;
    if (const auto b = combines.find(q); b != combines.end()) mods.combine = b->second;
    if (q == "ftz") mods.ftz = true;
    if (q == "sat") mods.sat = kToUnit;
    if (q == "satfinite") mods.sat = kToFinite;
    if (q == "relu") mods.relu = true;
    if (q == "NaN" || q == "nan") mods.nan = true;
  }
  return mods;
}

namespace {

struct Table {
  std::mutex lock;
  InstructionSet defs;
  Table() {
    declare_frequent(defs);
    declare_rare(defs);
  }
};

Table& table() {
  static Table all;
  return all;
}

}  // namespace

namespace {

OperandShape shape_of(const ptx::Operand& operand, const std::vector<ptx::Register>& registers) {
  using Kind = OperandShape::Kind;
  OperandShape shape;
  const auto first = [&](const std::vector<ptx::Operand>& elements, Kind kind) {
    if (!elements.empty()) shape = shape_of(elements.front(), registers);
    shape.kind = kind;
    shape.elements = u8(std::min<std::size_t>(elements.size(), 255));
  };
  if (std::holds_alternative<ptx::Address>(operand.value)) shape.kind = Kind::address;
  if (const auto* list = std::get_if<ptx::VectorUse>(&operand.value)) first(list->elements, Kind::vector);
  if (const auto* list = std::get_if<ptx::BracketList>(&operand.value)) first(list->elements, Kind::list);
  if (const auto* use = std::get_if<ptx::RegisterUse>(&operand.value)) {
    shape.bytes = u8(ptx::size_of(registers[std::size_t(use->index)].type));
    shape.is_register = true;
  }
  return shape;
}

}  // namespace

const InstructionDef* find_instruction(const ptx::Instruction& instruction,
                                       const std::vector<ptx::Register>& registers) {
  std::vector<OperandShape> shapes;
  for (const ptx::Operand& o : instruction.operands) shapes.push_back(shape_of(o, registers));
  Table& t = table();
  std::lock_guard hold(t.lock);
  return t.defs.match(instruction, shapes);
}

const InstructionDef* find_instruction(const std::string& opcode,
                                       const std::vector<std::string>& qualifiers) {
  Table& t = table();
  std::lock_guard hold(t.lock);
  return t.defs.find(opcode, qualifiers);
}

std::vector<InstructionInfo> supported_instructions() { return table().defs.list(); }

}  // namespace sim::exec
