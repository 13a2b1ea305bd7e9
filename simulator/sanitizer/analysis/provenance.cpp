#include "simulator/sanitizer/analysis/provenance.h"

#include <algorithm>
#include <map>
#include <set>

namespace sim::sanitizer {

namespace {

/// What a register may hold: nothing seen yet, an address made from one object, or anything.
struct Value {
  enum class State : u8 { unset, from, anything } state = State::unset;
  PointerProvenance origin;
};

using State = Value::State;
const Value kAnything{State::anything, {}};
const Value kFrame{State::from, {PointerProvenance::Kind::local, 0, nullptr}};

bool is_frame(const Value& v) { return v.state == State::from && v.origin == kFrame.origin; }

class Search {
 public:
  Search(const Code& code, const KernelAnalysis& analysis, const ptx::Function& function)
      : code_(code), function_(function), locals_(analysis.locals_of(function)) {
    registers_.resize(function.registers.size());
    u32 at = 0;
    for (const ptx::Variable& p : function.params) {
      at = (at + p.align - 1) / p.align * p.align;
      if (function.is_entry) parameters_[p.name] = at;
      at += u32(p.size);
    }
  }

  void run() {
    // An address is found in as many rounds as its longest chain runs against the order of the text.
    for (int round = 0; round < 16; ++round) {
      changed_ = false;
      for (const ptx::Instruction& in : function_.body) follow(in);
      if (!changed_) return;
    }
    for (Value& v : registers_) v = kAnything;
  }

  PointerProvenance of(const ptx::Instruction& in) const {
    for (const ptx::Operand& operand : in.operands) {
      const auto* address = std::get_if<ptx::Address>(&operand.value);
      if (address == nullptr) continue;
      Value v = kAnything;
      if (const auto* r = std::get_if<ptx::RegisterUse>(&address->base))
        v = registers_[std::size_t(r->index)];
      if (const auto* s = std::get_if<ptx::SymbolUse>(&address->base)) v = symbol(s->name);
      return v.state == State::from && !is_frame(v) ? v.origin : PointerProvenance{};
    }
    return {};
  }

 private:
  Value symbol(const std::string& name) const {
    for (u32 i = 0; i < code_.shared.size(); ++i)
      if (code_.shared[i].name == name && code_.shared[i].size != 0)
        return {State::from, {PointerProvenance::Kind::shared, i, nullptr}};
    for (const ptx::Variable& v : function_.variables)
      if (v.name == name && v.space == ptx::Space::local) return kFrame;
    return kAnything;
  }

  /// The variable at an offset from the start of the frame.
  Value local(const ptx::Operand& offset) const {
    const auto* number = std::get_if<ptx::Immediate>(&offset.value);
    if (number == nullptr) return kAnything;
    for (const ptx::LocalVariable& v : locals_)
      if (number->bits >= v.offset && number->bits - v.offset < v.size)
        return {State::from, {PointerProvenance::Kind::local, 0, &v}};
    return kAnything;
  }

  Value value(const ptx::Operand& operand) const {
    if (const auto* r = std::get_if<ptx::RegisterUse>(&operand.value))
      return registers_[std::size_t(r->index)];
    if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) return symbol(s->name);
    return kAnything;
  }

  /// Base plus distance: the base is whichever of the two is an address.
  static Value sum(const Value& a, const Value& b) {
    if (a.state == State::from && b.state == State::from) return kAnything;
    if (a.state == State::from) return a;
    if (b.state == State::from) return b;
    return a.state == State::unset || b.state == State::unset ? Value{} : kAnything;
  }

  Value result(const ptx::Instruction& in) const {
    const auto& op = in.operands;
    const std::string& code = in.opcode;
    if ((code == "mov" || code == "cvta" || code == "cvt") && op.size() == 2) return value(op[1]);
    if (code == "add" && op.size() == 3) {
      const Value a = value(op[1]), b = value(op[2]);
      return is_frame(a) || is_frame(b) ? local(op[2]) : sum(a, b);
    }
    if (code == "sub" && op.size() == 3) {
      const Value a = value(op[1]), b = value(op[2]);
      return b.state == State::from || is_frame(a) ? kAnything : a;
    }
    if (code == "mad" && op.size() == 4) return is_frame(value(op[3])) ? kAnything : value(op[3]);
    if (code == "ld" && op.size() == 2) {
      const auto* address = std::get_if<ptx::Address>(&op[1].value);
      const auto* s = address == nullptr ? nullptr : std::get_if<ptx::SymbolUse>(&address->base);
      const auto p = s == nullptr ? parameters_.end() : parameters_.find(s->name);
      if (p != parameters_.end() && in.qualifiers.back().substr(1) == "64")
        return {State::from,
                {PointerProvenance::Kind::parameter, u32(p->second + s->offset + address->offset), nullptr}};
    }
    return kAnything;
  }

  void follow(const ptx::Instruction& in) {
    if (in.operands.empty() || in.opcode == "st" || in.opcode == "red" || in.opcode == "bra") return;
    const auto write = [&](const ptx::Operand& operand, const Value& v) {
      if (const auto* r = std::get_if<ptx::RegisterUse>(&operand.value)) {
        Value& held = registers_[std::size_t(r->index)];
        if (held.state == State::anything || v.state == State::unset) return;
        if (held.state == State::from && v.state == State::from && held.origin == v.origin) return;
        held = held.state == State::unset ? v : kAnything;
        changed_ = true;
      }
    };
    const ptx::Operand& to = in.operands.front();
    if (const auto* many = std::get_if<ptx::VectorUse>(&to.value)) {
      for (const ptx::Operand& e : many->elements) write(e, kAnything);
    } else {
      write(to, result(in));
    }
  }

  const Code& code_;
  const ptx::Function& function_;
  const std::vector<ptx::LocalVariable>& locals_;
  std::vector<Value> registers_;
  std::map<std::string, u32, std::less<>> parameters_;
  bool changed_ = false;
};

}  // namespace

std::vector<PointerProvenance> find_provenance(const Code& code, const KernelAnalysis& analysis) {
  std::map<const ptx::Instruction*, PointerProvenance> found;
  for (const FunctionCode& f : code.functions) {
    Search search(code, analysis, *f.source);
    search.run();
    for (const ptx::Instruction& in : f.source->body)
      if (const PointerProvenance o = search.of(in); o.kind != PointerProvenance::Kind::unknown)
        found[&in] = o;
  }
  std::vector<PointerProvenance> origins(code.sources.size());
  for (std::size_t i = 0; i < origins.size(); ++i)
    if (const auto at = found.find(code.sources[i]); at != found.end()) origins[i] = at->second;
  return origins;
}

}  // namespace sim::sanitizer
