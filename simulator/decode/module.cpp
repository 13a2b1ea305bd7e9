// A loaded module: variables in device memory, addresses of names, kernels decoded on first use.
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "simulator/decode/decode.h"
#include "simulator/decode/program.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/launch.h"

namespace sim::exec {

struct LoadedModule::State : Symbols {
  State(ptx::Module m, memory::AddressSpace& s) : module(std::move(m)), space(s) {}

  std::optional<SymbolAddress> find(std::string_view name) const override {
    const auto v = variables.find(name);
    if (v == variables.end()) return std::nullopt;
    return SymbolAddress{ptx::Space::global, v->second->base, nullptr};
  }

  ptx::Module module;
  memory::AddressSpace& space;
  std::map<std::string, memory::Allocation*, std::less<>> variables;
  std::set<std::string, std::less<>> borrowed;  ///< variables that belong to the primary module
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs;
  std::mutex lock;
  bool twin = false;  ///< another build of the primary module's source
};

namespace {

bool in_memory(const ptx::Variable& v) {
  return (v.space == ptx::Space::global || v.space == ptx::Space::constant) && v.size != 0 && !v.is_extern;
}

}  // namespace

LoadedModule::LoadedModule(ptx::Module module, memory::AddressSpace& space, const LoadedModule* primary)
    : state_(std::make_unique<State>(std::move(module), space)) {
  state_->twin = primary != nullptr;
  for (const ptx::Variable& v : state_->module.variables) {
    if (!in_memory(v)) continue;
    if (memory::Allocation* shared = primary == nullptr ? nullptr : primary->variable(v.name)) {
      state_->variables[v.name] = shared;
      state_->borrowed.insert(v.name);
      continue;
    }
    memory::Allocation* a =
        space.allocate(v.size, v.managed ? memory::Kind::managed : memory::Kind::symbol, v.name);
    a->constant = v.space == ptx::Space::constant;
    if (!v.initial.empty())
      std::memcpy(a->host, v.initial.data(), std::min<std::size_t>(v.initial.size(), v.size));
    state_->variables[v.name] = a;
  }
  // Addresses of variables can be filled in only when all of them have one. Functions count in module order.
  for (const ptx::Variable& v : state_->module.variables) {
    if (!in_memory(v) || state_->borrowed.contains(v.name)) continue;
    for (const auto& r : v.relocations) {
      u64 value = 0;
      if (const auto target = state_->variables.find(r.symbol); target != state_->variables.end()) {
        value = target->second->base;
      } else {
        value = function_address(state_->module, r.symbol);
      }
      value += u64(r.addend);
      if (r.at + r.size <= v.size) std::memcpy(state_->variables[v.name]->host + r.at, &value, r.size);
    }
  }
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, allocation] : state_->variables)
    if (!state_->borrowed.contains(name)) state_->space.free(allocation);
}

const ptx::Module& LoadedModule::module() const { return state_->module; }

memory::Allocation* LoadedModule::variable(std::string_view name) const {
  const auto found = state_->variables.find(name);
  return found == state_->variables.end() ? nullptr : found->second;
}

const LoadedModule::Program& LoadedModule::kernel(std::string_view name) {
  std::lock_guard hold(state_->lock);
  if (const auto known = state_->programs.find(name); known != state_->programs.end()) return *known->second;
  const ptx::Function* function = state_->module.find(name);
  if (function == nullptr || !function->is_entry) {
    throw std::invalid_argument("no kernel named " + std::string(name) + " in this module");
  }
  auto program = std::make_unique<Program>();
  program->code = decode(state_->module, *function, *state_, state_->twin);
  return *(state_->programs[std::string(name)] = std::move(program));
}

KernelFacts facts(const LoadedModule::Program& kernel) {
  const Code& code = *kernel.code;
  const ptx::Function& function = *code.kernel;
  u32 bytes = 0;
  for (const ptx::Variable& p : function.params)
    bytes = (bytes + p.align - 1) / p.align * p.align + u32(p.size);
  // A few more than are alive at the peak, as ptxas needs on average for the kernels of the lessons.
  u32 live = 0;
  for (const FunctionCode& f : code.functions) live = std::max(live, f.peak_registers);
  u32 registers = std::min<u32>(255, live + 7);
  // Bounds make ptxas get by with fewer.
  if (const u32 most = function.registers_by_bounds(); most != 0) registers = std::min(registers, most);
  return {function.name,
          code.static_shared_bytes,
          code.functions[0].local_bytes,
          bytes,
          registers,
          function.max_threads,
          function.params,
          code.ordered,
          function.cluster,
          function.blocks_are_clusters};
}

}  // namespace sim::exec
