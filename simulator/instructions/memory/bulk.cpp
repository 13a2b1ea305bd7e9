// Bulk copies and reductions: one lane moves a whole piece of memory; an mbarrier counts its bytes, or the
// lane waits for groups of them. They are done when they are issued, and the observer has them as pending
// until somebody waits.
#include "simulator/engine/phase_barrier.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/memory/bulk_transfer.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// What the binder has worked out.
struct BulkForm {
  bool from_shared = false;  ///< the source is the block's shared memory, else global memory
  bool multicast = false;
  Reduction reduction = nullptr;  ///< null: a copy
};

void move_bulk(std::byte* to, const std::byte* from, u32 bytes, Reduction reduction) {
  reduction != nullptr ? reduction(to, from, bytes) : void(std::memcpy(to, from, bytes));
}

/// cp{.reduce}.async.bulk [shared], [global or shared], size, [mbarrier]{, mask of blocks}
void copy_to_shared(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const BulkForm& form = *static_cast<const BulkForm*>(wide.detail.get());
  const u32* size = lanes<u32>(w, wide.op[2]);
  for_each_lane(w.active, [&](int lane) {
    BulkTransfer transfer(w, in, lane);
    const u64 to = address_of(w, wide.op[0], wide.targets[0] != 0, lane) + u64(wide.offset),
              from = address_of(w, wide.op[1], wide.targets[1] != 0, lane) + u64(wide.second_offset),
              barrier = address_of(w, wide.op[3], wide.targets[2] != 0, lane) + u64(wide.third_offset);
    const u32 bytes = size[lane];
    const SharedPlace first_barrier = transfer.mbarrier(barrier);
    if (bytes == 0) return;
    if (!form.from_shared && from % kBulkGranule != 0)
      (void)resolve_lane(w, {in, Space::global, Access::read, kBulkGranule}, from,
                         lane);  // told as misaligned
    const SharedPlace first =
        transfer.place(to, bytes, form.reduction != nullptr ? Access::atomic : Access::write);
    const std::byte* const source =
        form.from_shared ? transfer.read_shared(from, bytes, false) : transfer.read_global(from, bytes);
    if (!form.from_shared) transfer.count_load(from, bytes);
    const u32 blocks = form.multicast ? lanes<u16>(w, wide.op[4])[lane] : 0;
    each_target(w, in, lane, form.multicast, blocks, first, first_barrier,
                [&](const SharedPlace& target, const SharedPlace& signalled) {
                  move_bulk(transfer.write_shared(target, bytes, signalled), source, bytes, form.reduction);
                  complete_bytes(signalled, bytes, {phase_event(w, in, lane)});
                });
  });
}

/// cp{.reduce}.async.bulk [global], [shared], size
void copy_to_global(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const BulkForm& form = *static_cast<const BulkForm*>(wide.detail.get());
  const u32* size = lanes<u32>(w, wide.op[2]);
  for_each_lane(w.active, [&](int lane) {
    BulkTransfer transfer(w, in, lane);
    const u64 to = lanes<u64>(w, wide.op[0])[lane] + u64(wide.offset),
              from = address_of(w, wide.op[1], wide.targets[1] != 0, lane) + u64(wide.second_offset);
    const u32 bytes = size[lane];
    if (bytes == 0) return;
    if (to % kBulkGranule != 0)
      (void)resolve_lane(w, {in, Space::global, Access::write, kBulkGranule}, to,
                         lane);  // told as misaligned
    const std::byte* const source = transfer.read_shared(from, bytes, true);
    std::byte* const target =
        transfer.write_global(to, bytes, form.reduction != nullptr ? Access::atomic : Access::write);
    move_bulk(target, source, bytes, form.reduction);
    transfer.count_store(to, bytes);
  });
}

/// cp.async.bulk.prefetch: only that its operands are as they must be.
void prefetch_bulk(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const u32* size = lanes<u32>(w, wide.op[1]);
  for_each_lane(w.active, [&](int lane) {
    const u64 from = lanes<u64>(w, wide.op[0])[lane] + u64(wide.offset);
    if ((from | size[lane]) % kBulkGranule != 0)
      (void)resolve_lane(w, {in, Space::global, Access::read, kBulkGranule},
                         (from | size[lane]) % kBulkGranule, lane);
  });
}

void commit_bulk_group(Warp& w, const Instr&) {
  if (w.worker->observer != nullptr) w.worker->observer->commits_bulk(w);
}

template <bool kReads>
void wait_bulk_group(Warp& w, const Instr& in) {
  if (w.worker->observer != nullptr)
    w.worker->observer->waits_for_bulk(w, lanes<u32>(w, in.op[0])[first_lane(w.active)], kReads);
}

[[gnu::cold]] void bind_bulk(Binding& b) {
  auto form = std::make_shared<BulkForm>();
  const bool to_global = b.has("bulk_group");
  form->from_shared = !to_global && !b.has("global");
  form->multicast = b.has("multicast::cluster");
  if (b.has("reduce")) {
    const int operation = b.which({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
    static constexpr const char* kOperations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    form->reduction =
        operation < 0 ? nullptr : find_reduction(kOperations[operation], b.source.qualifiers.back());
    if (form->reduction == nullptr) return;
  }
  const bool wide_global = to_global ? b.bytes[0] == 8 : form->from_shared || b.bytes[1] == 8;
  if (!wide_global) return;
  b.wide->targets = {b.bytes[0] == 8, b.bytes[1] == 8, !to_global && b.bytes[3] == 8};
  b.wide->detail = std::move(form);
  b.out.all = b.out.some = to_global ? &copy_to_global : &copy_to_shared;
  b.out.site = b.new_site();
}

}  // namespace

void declare_bulk(InstructionSet& defs) {
  defs.family("bulk copy");
  const OperandSpec address{Role::address}, size{Role::read, ptx::Type::u32},
      mask{Role::read, ptx::Type::u16}, policy{Role::ignored, ptx::Type::b64};
  const auto declare = [&](const std::string& name, std::vector<OperandSpec> operands) {
    defs.custom(name, operands, &bind_bulk).wide = true;
  };
  /// With a cache policy and without; the policy is the last operand and is ignored.
  const auto with_policy = [&](const std::string& name, std::vector<OperandSpec> operands,
                               const std::string& rest) {
    declare(name + rest, operands);
    operands.push_back(policy);
    declare(name + ".L2::cache_hint" + rest, operands);
  };
  const std::string counted = ".mbarrier::complete_tx::bytes";
  with_policy("cp@90.async.bulk(.shared::cluster,.shared::cta).global" + counted,
              {address, address, size, address}, "");
  with_policy("cp@90.async.bulk.shared::cluster.global" + counted + ".multicast::cluster",
              {address, address, size, address, mask}, "");
  declare("cp@90.async.bulk.shared::cluster.shared::cta" + counted, {address, address, size, address});
  with_policy("cp@90.async.bulk.global.shared::cta.bulk_group", {address, address, size}, "");

  declare("cp@90.reduce.async.bulk.shared::cluster.shared::cta" + counted + "(.add,.min,.max)(.u32,.s32)",
          {address, address, size, address});
  declare("cp@90.reduce.async.bulk.shared::cluster.shared::cta" + counted + ".add.u64",
          {address, address, size, address});
  declare("cp@90.reduce.async.bulk.shared::cluster.shared::cta" + counted + "(.inc,.dec).u32",
          {address, address, size, address});
  declare("cp@90.reduce.async.bulk.shared::cluster.shared::cta" + counted + "(.and,.or,.xor).b32",
          {address, address, size, address});
  for (const char* rest : {"(.add,.min,.max)(.u32,.s32,.u64)", "(.min,.max).s64", "(.inc,.dec).u32",
                           "(.and,.or,.xor)(.b32,.b64)", "(.add)(.f32,.f64)", ".add.noftz(.f16,.bf16)",
                           "(.min,.max)(.f16,.bf16)"})
    with_policy("cp@90.reduce.async.bulk.global.shared::cta.bulk_group", {address, address, size}, rest);

  defs.custom("cp@90.async.bulk.prefetch.L2.global", {address, size}, &prefetch_bulk, &prefetch_bulk).wide =
      true;
  defs.custom("cp@90.async.bulk.prefetch.L2.global.L2::cache_hint", {address, size, policy}, &prefetch_bulk,
              &prefetch_bulk)
      .wide = true;
  defs.custom("cp@90.async.bulk.commit_group", {}, &commit_bulk_group, &commit_bulk_group);
  defs.custom("cp@90.async.bulk.wait_group", {size}, &wait_bulk_group<false>, &wait_bulk_group<false>);
  defs.custom("cp@90.async.bulk.wait_group.read", {size}, &wait_bulk_group<true>, &wait_bulk_group<true>);
}

}  // namespace sim::exec
