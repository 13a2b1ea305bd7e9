// Source of the format: DWARF 2 (dwarfstd.org), sections 7.5 (entries, abbreviations) and 7.6 (LEB128).
#include "simulator/ptx/debug_info.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "simulator/ptx/parse/lexer.h"

namespace sim::ptx {
namespace {

using u64 = std::uint64_t;

enum Tag : u64 {
  kArray = 0x01,
  kEnumeration = 0x04,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kRvalueReference = 0x42,
  kTypedef = 0x16,
  kConst = 0x26,
  kVolatile = 0x35,
  kRestrict = 0x37,
  kSubrange = 0x21,
  kBase = 0x24,
  kVariable = 0x34,
  kParameter = 0x05,
};
enum Attribute : u64 {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kUpperBound = 0x2f,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kType = 0x49,
};
enum Operation : unsigned char { kAddress = 0x03, kPlus = 0x23 };

struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("debugging information that makes no sense") {}
};

/// Reads on in a section's bytes.
class Cursor {
 public:
  Cursor(const std::string& bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  std::size_t at() const { return at_; }
  bool done() const { return at_ >= bytes_.size(); }
  u64 fixed(std::size_t bytes) {
    u64 value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= u64(byte()) << 8 * i;
    return value;
  }
  u64 leb() {
    u64 value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char b = byte();
      if (shift < 64) value |= u64(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return value;
    }
  }
  std::string text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == bytes_.npos) throw Malformed();
    std::string all = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return all;
  }
  void skip(u64 bytes) {
    if (bytes > bytes_.size() - at_) throw Malformed();
    at_ += bytes;
  }
  unsigned char byte() {
    if (done()) throw Malformed();
    return static_cast<unsigned char>(bytes_[at_++]);
  }

 private:
  const std::string& bytes_;
  std::size_t at_;
};

struct Abbreviation {
  u64 tag = 0;
  bool has_children = false;
  std::vector<std::pair<u64, u64>> attributes;  ///< and forms
};

/// An entry, as far as it matters here.
struct Entry {
  u64 tag = 0;
  std::string name;
  u64 type = 0, origin = 0;           ///< entries, by place; 0: none
  u64 size = 0, count = 0;            ///< bytes; of an array: elements
  std::size_t location = 0, end = 0;  ///< of its expression
  std::vector<std::int64_t> extents;  ///< of an array
  std::vector<Entry> members;         ///< of a structure
};

std::map<u64, Abbreviation> abbreviations_at(const std::string& section, std::size_t at) {
  std::map<u64, Abbreviation> all;
  for (Cursor c(section, at); !c.done();) {
    const u64 code = c.leb();
    if (code == 0) break;
    Abbreviation& a = all[code];
    a.tag = c.leb();
    a.has_children = c.byte() != 0;
    for (u64 attribute = c.leb(), form = c.leb(); attribute != 0 || form != 0;
         attribute = c.leb(), form = c.leb())
      a.attributes.emplace_back(attribute, form);
  }
  return all;
}

/// Reads one value. @return a number; of a block its length, with the cursor behind it
u64 value(Cursor& c, u64 form, Entry& e, bool is_location, bool is_name) {
  const auto block = [&](u64 bytes) {
    if (is_location) e.location = c.at();
    c.skip(bytes);
    if (is_location) e.end = c.at();
    return bytes;
  };
  switch (form) {
    case 0x01:  // an address
    case 0x07:
    case 0x10:
    case 0x14:
      return c.fixed(8);
    case 0x03:
      return block(c.fixed(2));
    case 0x04:
      return block(c.fixed(4));
    case 0x05:
    case 0x12:
      return c.fixed(2);
    case 0x06:
    case 0x0e:
    case 0x13:
    case 0x17:
      return c.fixed(4);
    case 0x08: {
      std::string text = c.text();
      if (is_name) e.name = std::move(text);
      return 0;
    }
    case 0x09:
    case 0x18:
      return block(c.leb());
    case 0x0a:
      return block(c.fixed(1));
    case 0x0b:
    case 0x0c:
    case 0x11:
      return c.fixed(1);
    case 0x0d:
    case 0x0f:
    case 0x15:
      return c.leb();
    case 0x19:
      return 1;
    default:
      throw Malformed();
  }
}

/// The entries of all units, by place.
class Entries {
 public:
  Entries(const std::string& section, const std::string& abbreviations) : section_(section) {
    for (std::size_t at = 0; at + 11 < section.size();) {
      Cursor head(section, at);
      const u64 length = head.fixed(4), version = head.fixed(2);
      if (version < 2 || version > 4) return;
      const auto known = abbreviations_at(abbreviations, head.fixed(4));
      head.skip(1);  // bytes of an address
      unit(head.at(), std::min<u64>(at + 4 + length, section.size()), at, known);
      at += 4 + length;
    }
  }
  const std::map<u64, Entry>& all() const { return all_; }
  const Entry* at(u64 place) const {
    const auto known = all_.find(place);
    return known == all_.end() ? nullptr : &known->second;
  }
  const std::string& section() const { return section_; }

  struct Extent {
    u64 size = 0, element = 0;  ///< bytes; of an array's elements, or the same
    bool plain = false;
  };
  /// How large a type is; 0 where that is not known.
  Extent extent_of(u64 type, int depth = 0) const {
    const Entry* e = at(type);
    if (e == nullptr || depth > 32) return {};
    if (e->tag == kPointer || e->tag == kReference || e->tag == kRvalueReference) return {8, 8, true};
    if (e->tag == kArray) {
      const Extent element = extent_of(e->type, depth + 1);
      return {element.size * e->count, element.size, element.plain};
    }
    if (e->size != 0) return {e->size, e->size, e->tag == kBase || e->tag == kEnumeration};
    return renames(*e) ? extent_of(e->type, depth + 1) : Extent{};
  }
  /// Null where it is not known. Each is made once, whatever a program's own PTX says of its types: one that
  /// holds itself is not known.
  std::shared_ptr<const SourceType> type_at(u64 type, int depth = 0) {
    if (depth > 32) return nullptr;
    const auto [known, fresh] = types_.try_emplace(type);
    if (fresh) known->second = make_type(type, depth + 1);
    return known->second;
  }

 private:
  std::shared_ptr<const SourceType> make_type(u64 type, int depth) {
    const Entry* e = at(type);
    if (e == nullptr) return nullptr;
    if (renames(*e)) return type_at(e->type, depth);
    SourceType made;
    made.size = extent_of(type).size;
    if (e->tag == kArray) {
      made.extents = e->extents;
      made.element = type_at(e->type, depth);
      if (made.element == nullptr || made.element->size == 0 || made.extents.empty()) return nullptr;
      if (!are_plausible(made.extents)) return nullptr;
    }
    for (const Entry& member : e->members)
      if (auto of = type_at(member.type, depth))
        made.members.push_back({member.name, offset_of(member), std::move(of)});
    return std::make_shared<const SourceType>(std::move(made));
  }
  /// Of an array in shared memory; the first may be 0, where its size is the launch's.
  static bool are_plausible(const std::vector<std::int64_t>& extents) {
    constexpr std::int64_t kMost = 1 << 20;
    std::int64_t inner = 1;
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i] <= 0 || extents[i] > kMost / inner) return false;
      inner *= extents[i];
    }
    return extents[0] >= 0 && extents[0] <= kMost;
  }
  static bool renames(const Entry& e) {
    return e.tag == kTypedef || e.tag == kConst || e.tag == kVolatile || e.tag == kRestrict;
  }
  u64 offset_of(const Entry& member) const {
    if (member.location == 0) return 0;  // of a union
    Cursor c(section_, member.location);
    return c.byte() == kPlus ? c.leb() : 0;
  }
  void unit(std::size_t at, std::size_t end, std::size_t start, const std::map<u64, Abbreviation>& known) {
    std::vector<u64> parents;
    for (Cursor c(section_, at); c.at() < end;) {
      const u64 place = c.at(), code = c.leb();
      if (code == 0) {
        if (!parents.empty()) parents.pop_back();
        continue;
      }
      const auto a = known.find(code);
      if (a == known.end()) return;
      Entry e;
      e.tag = a->second.tag;
      for (const auto& [attribute, form] : a->second.attributes) {
        const u64 v =
            value(c, form, e, attribute == kLocation || attribute == kMemberLocation, attribute == kName);
        if (attribute == kType) e.type = start + v;
        if (attribute == kAbstractOrigin) e.origin = start + v;
        if (attribute == kByteSize) e.size = v;
        if (attribute == kCount) e.count = v;
        if (attribute == kUpperBound) e.count = v + 1;
      }
      if (e.tag == kSubrange && !parents.empty() && all_.contains(parents.back())) {
        Entry& array = all_[parents.back()];
        array.count = (array.count == 0 ? 1 : array.count) * e.count;
        array.extents.push_back(std::int64_t(e.count));
      } else if (e.tag == kMember && !parents.empty() && all_.contains(parents.back())) {
        all_[parents.back()].members.push_back(std::move(e));
      } else if (e.type != 0 || e.size != 0 || e.location != 0 || e.tag == kPointer) {
        all_[place] = std::move(e);
      }
      if (a->second.has_children) parents.push_back(place);
    }
  }

  const std::string& section_;
  std::map<u64, Entry> all_;
  std::map<u64, std::shared_ptr<const SourceType>> types_;
};

/// The bytes of a section, zeros where an address stands.
struct Section {
  std::string bytes;
  std::map<std::size_t, std::string> labels;  ///< of the addresses, by place
};

/// The body of `.section NAME { .b8 ...; }`, after the opening brace.
void read_section(Lexer& lexer, Section& section) {
  std::size_t width = 1;
  bool negative = false;
  const auto put = [&](u64 value) {
    for (std::size_t i = 0; i < width; ++i) section.bytes += static_cast<char>(value >> 8 * i & 0xFF);
  };
  while (!lexer.peek().is('}')) {
    const Token token = lexer.next();
    if (token.kind == TokenKind::end) throw Malformed();
    if (token.is_directive("b8") || token.is_directive("b16") || token.is_directive("b32") ||
        token.is_directive("b64")) {
      width = token.text == "b8" ? 1 : token.text == "b16" ? 2 : token.text == "b32" ? 4 : 8;
    } else if (token.is_number()) {
      put(negative ? -token.bits : token.bits);
    } else if ((token.kind == TokenKind::word && !lexer.peek().is(':')) ||
               token.kind == TokenKind::directive) {
      if (token.kind == TokenKind::word) section.labels[section.bytes.size()] = token.text;
      put(0);
      if (lexer.peek().is('+') || lexer.peek().is('-')) lexer.next(), lexer.next();
    }
    negative = token.is('-');
  }
}

/// The functions with one .local variable, by that variable's name.
std::map<std::string_view, const Function*> frames_of(const Module& module) {
  std::map<std::string_view, const Function*> frames;
  for (const Function& f : module.functions) {
    const auto is_local = [](const Variable& v) { return v.space == Space::local; };
    if (std::count_if(f.variables.begin(), f.variables.end(), is_local) == 1)
      frames[std::find_if(f.variables.begin(), f.variables.end(), is_local)->name] = &f;
  }
  return frames;
}

/// Where a location expression says "this offset in that variable of the PTX".
/// @return the variable's name, empty for any other expression
std::string_view variable_at(const Section& info, const Entry& e, u64& offset) {
  Cursor c(info.bytes, e.location);
  if (c.byte() != kAddress) return {};
  const auto label = info.labels.find(c.at());
  c.skip(8);
  offset = c.at() < e.end && c.byte() == kPlus ? c.leb() : 0;
  return label == info.labels.end() || c.at() != e.end ? std::string_view() : label->second;
}

std::map<std::string_view, Variable*> shared_of(Module& module) {
  std::map<std::string_view, Variable*> shared;
  const auto add = [&](std::vector<Variable>& variables) {
    for (Variable& v : variables)
      if (v.space == Space::shared) shared[v.name] = &v;
  };
  add(module.variables);
  for (Function& f : module.functions) add(f.variables);
  return shared;
}

void set_types(Module& module, const Section& info, Entries& entries) {
  const auto shared = shared_of(module);
  if (shared.empty()) return;
  for (const auto& [place, e] : entries.all()) {
    if (e.tag != kVariable || e.location == 0) continue;
    u64 offset = 0;
    const auto variable = shared.find(variable_at(info, e, offset));
    if (variable == shared.end() || offset != 0) continue;
    auto type = entries.type_at(e.type);
    if (type != nullptr && type->size == variable->second->size)
      variable->second->type_in_source = std::move(type);
  }
}

Locals locals_of(const Section& info, const Entries& entries, const Module& module) {
  Locals all;
  const auto frames = frames_of(module);
  if (frames.empty()) return all;
  for (const auto& [place, e] : entries.all()) {
    if ((e.tag != kVariable && e.tag != kParameter) || e.location == 0) continue;
    u64 offset = 0;
    const auto frame = frames.find(variable_at(info, e, offset));
    const Entry* said = e.origin == 0 ? &e : entries.at(e.origin);  // of an inlined function's variable
    if (frame == frames.end() || said == nullptr) continue;
    const Entries::Extent extent = entries.extent_of(said->type);
    // Where an object is passed by its address, its place holds that, whatever is said of its type.
    if (extent.size != 0 && (e.tag == kVariable || extent.plain))
      all[frame->second->name].push_back(
          {said->name, offset, extent.size, extent.element, extent.plain, 0, 0});
  }
  for (auto& [name, locals] : all)
    std::sort(locals.begin(), locals.end(), [](const LocalVariable& a, const LocalVariable& b) {
      return std::tie(a.offset, a.size) < std::tie(b.offset, b.size);
    });
  return all;
}

}  // namespace

Locals read_debug_info(std::string_view text, Module& module) {
  Section info, abbreviations;
  try {
    for (std::size_t at = text.find(".section"); at != text.npos; at = text.find(".section", at + 1)) {
      Lexer lexer(text.substr(at));
      lexer.next();
      const Token name = lexer.next();
      const bool is_info = name.is_directive("debug_info");
      if ((!is_info && !name.is_directive("debug_abbrev")) || !lexer.next().is('{')) continue;
      read_section(lexer, is_info ? info : abbreviations);
    }
    Entries entries(info.bytes, abbreviations.bytes);
    set_types(module, info, entries);
    return locals_of(info, entries, module);
  } catch (const Malformed&) {
    return {};
  } catch (const ParseError&) {
    return {};
  }
}

}  // namespace sim::ptx
