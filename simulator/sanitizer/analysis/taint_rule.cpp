#include "simulator/sanitizer/analysis/taint_rule.h"

#include <map>
#include <string_view>

namespace sim::sanitizer {

TaintRule taint_rule(const ptx::Instruction& in, std::size_t operands) {
  static const std::map<std::string_view, TaintRule> kByOpcode = {{"mov", TaintRule::copy},
                                                                  {"ld", TaintRule::load},
                                                                  {"ldmatrix", TaintRule::load},
                                                                  {"st", TaintRule::store},
                                                                  {"stmatrix", TaintRule::store_tile},
                                                                  {"and", TaintRule::bits},
                                                                  {"or", TaintRule::bits},
                                                                  {"bfi", TaintRule::bits},
                                                                  {"lop3", TaintRule::bits},
                                                                  {"shfl", TaintRule::shuffle},
                                                                  {"atom", TaintRule::atomic},
                                                                  {"red", TaintRule::reduction},
                                                                  {"brx", TaintRule::branch},
                                                                  {"call", TaintRule::call},
                                                                  {"ret", TaintRule::ret}};
  const std::string_view first = in.qualifiers.empty() ? std::string_view{} : in.qualifiers.front();
  if (in.opcode == "wgmma" && in.has("mma_async")) return TaintRule::product;
  if (in.opcode == "wmma" && in.has("load")) return TaintRule::load;
  if (in.opcode == "wmma" && in.has("store")) return TaintRule::store_tile;
  if (in.opcode == "ld" && first.starts_with("param")) return TaintRule::load_argument;
  if (in.opcode == "st" && first.starts_with("param")) return TaintRule::store_argument;
  if (in.opcode == "selp" && operands == 4) return TaintRule::select;
  if (in.opcode == "and" && first == "pred" && operands == 3) return TaintRule::logic_and;
  if (in.opcode == "or" && first == "pred" && operands == 3) return TaintRule::logic_or;
  const auto rule = kByOpcode.find(in.opcode);
  return rule == kByOpcode.end() ? TaintRule::compute : rule->second;
}

}  // namespace sim::sanitizer
