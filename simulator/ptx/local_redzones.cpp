#include "simulator/ptx/local_redzones.h"

#include <algorithm>
#include <set>

namespace sim::ptx {
namespace {

constexpr std::uint64_t kRoom = 32;  ///< bytes behind a variable: indices that are wrong are wrong by little

/// A function's frame: the registers that hold its address, and where in the text its offsets stand.
class Frame {
 public:
  Frame(Function& function, const Variable& frame) : function_(function), frame_(frame) {}

  /// @return whether each use of the frame is an offset from its start that stands in the text
  bool follow() {
    // The start of the frame is worked out in the first lines, and copied into registers of other kinds.
    for (Instruction& in : function_.body)
      if (is_start(in)) starts_.insert(std::get<RegisterUse>(in.operands[0].value).index);
    return std::all_of(function_.body.begin(), function_.body.end(), [&](Instruction& in) {
      if (is_start(in)) return true;
      const bool sum = in.opcode == "add" && in.operands.size() == 3 && in.guard.predicate < 0 &&
                       names(in.operands[1]) && std::holds_alternative<Immediate>(in.operands[2].value);
      if (sum) {
        sums_.push_back(&std::get<Immediate>(in.operands[2].value));
        return !names(in.operands[0]) && sums_.back()->bits <= frame_.size;
      }
      return std::all_of(in.operands.begin(), in.operands.end(), [&](Operand& o) { return offsets_of(o); });
    });
  }

  /// @param moved(offset)  where a byte of the frame goes
  template <class F>
  void move(F moved) {
    for (Immediate* sum : sums_) sum->bits = moved(sum->bits);
    for (Address* a : addresses_) a->offset = std::int64_t(moved(std::uint64_t(a->offset)));
  }

 private:
  bool names(const Operand& o) const {
    const auto* r = std::get_if<RegisterUse>(&o.value);
    const auto* s = std::get_if<SymbolUse>(&o.value);
    return (r != nullptr && starts_.contains(r->index)) || (s != nullptr && s->name == frame_.name);
  }
  bool is_start(const Instruction& in) const {
    return (in.opcode == "mov" || in.opcode == "cvta") && in.operands.size() == 2 && names(in.operands[1]) &&
           std::holds_alternative<RegisterUse>(in.operands[0].value);
  }
  /// Collects the offsets in an operand. @return whether the frame is named in no other way
  bool offsets_of(Operand& o) {
    if (auto* v = std::get_if<VectorUse>(&o.value))
      return std::all_of(v->elements.begin(), v->elements.end(), [&](Operand& e) { return offsets_of(e); });
    if (auto* a = std::get_if<Address>(&o.value)) {
      const auto* r = std::get_if<RegisterUse>(&a->base);
      const auto* s = std::get_if<SymbolUse>(&a->base);
      const bool inside = std::uint64_t(a->offset) < frame_.size;
      if (r != nullptr && starts_.contains(r->index)) {
        addresses_.push_back(a);
        return inside;
      }
      return s == nullptr || s->name != frame_.name;
    }
    return !names(o);
  }

  Function& function_;
  const Variable& frame_;
  std::set<int> starts_;
  std::vector<Immediate*> sums_;
  std::vector<Address*> addresses_;
};

void spread(Function& function, Variable& frame, std::vector<LocalVariable>& own) {
  const auto inside = [&](const LocalVariable& l) {
    return l.offset <= frame.size && l.size <= frame.size - l.offset;
  };
  Frame uses(function, frame);
  if (!std::all_of(own.begin(), own.end(), inside) || !uses.follow()) return;
  const std::uint64_t room = (kRoom + frame.align - 1) / frame.align * frame.align;
  // Room goes before the next variable, not right behind the one before: what lies between may be something
  // of the compiler's. Variables that share bytes stay together.
  std::vector<std::uint64_t> starts;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    end = std::max(end, own[i].offset + own[i].size);
    if (i + 1 < own.size() && own[i + 1].offset < end) continue;
    own[i].room = room;
    own[i].room_at = (i + 1 < own.size() ? own[i + 1].offset : frame.size) + room * starts.size();
    starts.push_back(own[i].room_at - room * starts.size());
  }
  const auto moved = [&](std::uint64_t offset) {
    const auto before = std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin();
    return offset + room * std::uint64_t(before);
  };
  uses.move(moved);
  for (LocalVariable& l : own) l.offset = moved(l.offset);
  frame.size += room * starts.size();
}

}  // namespace

void insert_local_redzones(Module& module, Locals& locals) {
  for (Function& f : module.functions) {
    const auto known = locals.find(f.name);
    if (known == locals.end()) continue;
    for (Variable& v : f.variables)
      if (v.space == Space::local) spread(f, v, known->second);
  }
}

}  // namespace sim::ptx
