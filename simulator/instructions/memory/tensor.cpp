// Copies of boxes by tensor maps: one lane moves a box between global and shared memory. Elements outside the
// tensor are filled in where they are loaded, and left out where they are stored.
#include <array>

#include "language/catalogue.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/memory/bulk_transfer.h"
#include "simulator/instructions/memory/tensor_box.h"
#include "simulator/instructions/memory/update.h"

namespace sim::exec {

namespace {

using memory::TensorElement;
using memory::TensorMap;
using ptx::Space;

/// What the binder has worked out.
struct TensorForm {
  std::size_t map = 0;      ///< which operand; the coordinates follow
  std::size_t shared = 0;   ///< the address in shared memory
  std::size_t barrier = 0;  ///< of loads
  std::size_t offsets = 0;  ///< of im2col; 0: none
  std::size_t mask = 0;     ///< of multicast loads; 0: none
  unsigned rank = 0;
  bool im2col = false, stores = false;
  bool wide_shared = false, wide_barrier = false;
  int operation = -1;  ///< of reductions, among kOperations
};

constexpr std::array<const char*, 8> kOperations = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
constexpr u32 kTileAlignment = 128;  ///< of a box in shared memory, whatever its swizzle

/// The map of a lane, of as many axes and of the mode that the instruction says.
TensorMap map_of(Warp& w, const Instr& in, const TensorForm& form, int lane) {
  const u64 address = lanes<u64>(w, in.wide->op[form.map])[lane];
  const AccessInfo info{in, Space::generic, Access::read, 64};
  TensorMap map;
  std::byte bytes[128];
  for (u32 i = 0; i < sizeof bytes; i += 64)
    std::memcpy(bytes + i, resolve_lane(w, info, address + i, lane), 64);
  std::memcpy(&map, bytes, sizeof map);
  const auto refuse = [&](const Message& why) { fail(w, in, lane, FindingKind::illegal_instruction, why); };
  if (!map.possible())
    refuse(tr("The tensor map of the copy is not one that cuTensorMapEncode…() has written."));
  if (map.rank != form.rank)
    refuse(Message("The copy is of {} axes, and its tensor map of {}.", form.rank, map.rank));
  if (form.im2col != (map.im2col != 0))
    refuse(form.im2col ? tr("The copy is of mode im2col, and its tensor map is tiled.")
                       : tr("The copy is tiled, and its tensor map of mode im2col."));
  if (!map.has_known_slices())
    fail(w, in, lane, FindingKind::unsupported,
         tr("a box of the channels of several slices of its interleaved tensor map"));
  if (map.slice != 0 && form.im2col && form.stores)
    fail(w, in, lane, FindingKind::unsupported, tr("a store of mode im2col by an interleaved tensor map"));
  return map;
}

/// What stands for an element outside: zeros, or a NaN of any floating type, as an H200 writes it.
u64 fill_of(const TensorMap& map) { return map.nan_fill == 0 ? 0 : 0x7FF77FF77FF77FF7; }

/// Floats as a load of type tf32 leaves them: rounded to ten bits of fraction, and one NaN for all. Of values
/// half way between two no recording tells; they are rounded as by cvt.rna.
void round_to_tf32(std::byte* floats, u32 bytes) {
  constexpr u32 kSign = 1u << 31, kInfinity = 0x7F800000, kNan = 0x7FFFE000, kCut = 0x1FFF, kHalf = 0x1000;
  for (u32 i = 0; i < bytes; i += sizeof(u32)) {
    u32 bits;
    std::memcpy(&bits, floats + i, sizeof bits);
    const u32 magnitude = bits & ~kSign;
    if (magnitude != kInfinity) bits = magnitude > kInfinity ? kNan : (bits + kHalf) & ~kCut;
    std::memcpy(floats + i, &bits, sizeof bits);
  }
}

/// Where a lane's box begins. What cannot be ends the kernel with an illegal instruction on an H200.
BoxOrigin origin_of(const Warp& w, const Instr& in, const TensorForm& form, const TensorMap& map, int lane) {
  BoxOrigin origin;
  std::array<s32, 5>& at = origin.at;
  const auto& op = in.wide->op;
  for (unsigned i = 0; i < form.rank; ++i) at[i] = lanes<s32>(w, op[form.map + 1 + i])[lane];
  for (unsigned i = 0; form.offsets != 0 && i + 2 < form.rank; ++i)
    origin.offset[i] = lanes<u16>(w, op[form.offsets + i])[lane];
  const auto refuse = [&](const Message& why) { fail(w, in, lane, FindingKind::illegal_instruction, why); };
  for (unsigned i = 0; form.stores && i < form.rank; ++i)
    if (at[i] < 0)
      refuse(Message(
          "The box is stored from coordinate {} of axis {} on. A store may reach beyond a tensor's end, "
          "and not before its beginning.",
          at[i], i));
  const unsigned pixels = map.first_pixel_axis();
  for (unsigned i = pixels; map.im2col != 0 && i < map.end_of_pixel_axes(); ++i)
    if (at[i] < map.lower[i - pixels] || at[i] > map.last_pixel(i))
      refuse(Message(
          "The copy begins at pixel {} of axis {}, and the bounding box of its tensor map reaches from "
          "{} to {}.",
          at[i], i, map.lower[i - pixels], map.last_pixel(i)));
  if (const s64 from = s64{at[0]} * map.unit_bytes(); from % s64{kBulkGranule} != 0)
    fail(w, in, lane, FindingKind::misaligned,
         Message("The copy's box begins at element {} of the first axis, which is {} bytes from the tensor's "
                 "first: "
                 "not a multiple of {}.",
                 at[0], from, kBulkGranule),
         {.space = MemorySpace::global, .cure = Cure::aligned_address});
  return origin;
}

u64 shared_address(Warp& w, const Instr& in, const TensorForm& form, int lane) {
  const u64 at = address_of(w, in.wide->op[form.shared], form.wide_shared, lane) + u64(in.wide->offset);
  if (at % kTileAlignment != 0)
    (void)resolve_lane(w, {in, Space::shared, Access::write, kTileAlignment}, at,
                       lane);  // told as misaligned
  return at;
}

/// Calls @p move(offset in the order of the tensor, offset in shared memory) for every 16 bytes of a box that
/// begins at @p offset of its block's shared memory.
template <class Move>
void each_piece(const TensorMap& map, u64 offset, Move move) {
  const u32 row = map.row_bytes(), pitch = map.pitch();
  for (u32 r = 0; r < map.rows(); ++r)
    for (u32 i = 0; i < row; i += kBulkGranule)
      move(r * row + i, memory::swizzled(offset + r * pitch + i, map.swizzle) - offset);
}

/// Elements of a box along each axis; of mode im2col channels and pixels.
std::vector<u32> lengths(const TensorMap& map) {
  std::vector<u32> all;
  for (unsigned i = 0; i < (map.im2col != 0 ? 2u : map.rank); ++i) all.push_back(map.length(i));
  return all;
}

/// cp.async.bulk.tensor [shared], [map, {coordinates}], [mbarrier]{, mask of blocks}
void load_box(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const TensorForm& form = *static_cast<const TensorForm*>(wide.detail.get());
  for_each_lane(w.active, [&](int lane) {
    BulkTransfer transfer(w, in, lane);
    const TensorMap map = map_of(w, in, form, lane);
    const u32 bytes = map.box_bytes(), there_bytes = map.shared_bytes();
    const SharedPlace to = transfer.place(shared_address(w, in, form, lane), there_bytes, Access::write),
                      barrier =
                          transfer.mbarrier(address_of(w, wide.op[form.barrier], form.wide_barrier, lane) +
                                            u64(wide.second_offset));
    const BoxOrigin origin = origin_of(w, in, form, map, lane);
    if (w.worker->observer != nullptr) w.worker->observer->moves_box(w, in, to, map, origin.at);
    std::vector<std::byte> box(bytes);
    if (const u64 fill = fill_of(map); fill != 0)
      for (u32 i = 0; i < bytes; i += map.element_bytes)
        std::memcpy(box.data() + i, &fill, map.element_bytes);
    each_row(map, origin, [&](const BoxRow& row, u32 offset) {
      const u32 length = (row.last - row.first) * map.unit_bytes();
      if (length == 0) return;
      std::byte* const here = box.data() + offset + row.first * map.unit_bytes();
      std::memcpy(here, transfer.read_global(row.address, length), length);
      if (map.element == TensorElement::tf32) round_to_tf32(here, length);
      transfer.count_load(row.address, length);
    });
    const u32 blocks = form.mask != 0 ? lanes<u16>(w, wide.op[form.mask])[lane] : 0;
    each_target(
        w, in, lane, form.mask != 0, blocks, to, barrier,
        [&](const SharedPlace& target, const SharedPlace& signalled) {
          std::byte* const there = transfer.write_shared(target, there_bytes, signalled);
          each_piece(map, target.offset, [&](u32 from, u64 at) {
            std::memcpy(there + s64(at), box.data() + from, kBulkGranule);
          });
          complete_bytes(signalled, bytes, {phase_event(w, in, lane), 0, lengths(map), map.unit_bytes()});
        });
  });
}

/// The reduction of a map's elements; null where there is none.
Reduction reduction_of(const TensorMap& map, int operation) {
  const std::string_view name = kOperations[std::size_t(operation)];
  const std::string bits = std::to_string(8 * map.element_bytes);
  switch (map.element) {
    case TensorElement::bits:
      return find_reduction(name, (operation >= 5 ? "b" : "u") + bits);
    case TensorElement::signed_bits:
      if (operation >= 5 && map.element_bytes == 8) return nullptr;
      return find_reduction(name, (operation >= 5 ? "b" : "s") + bits);
    case TensorElement::bf16:
      return find_reduction(name, "bf16");
    default:
      return find_reduction(name, "f" + bits);
  }
}

/// cp{.reduce}.async.bulk.tensor [map, {coordinates}], [shared]
void store_box(Warp& w, const Instr& in) {
  const TensorForm& form = *static_cast<const TensorForm*>(in.wide->detail.get());
  for_each_lane(w.active, [&](int lane) {
    BulkTransfer transfer(w, in, lane);
    const TensorMap map = map_of(w, in, form, lane);
    const u32 bytes = map.box_bytes();
    const u64 from = shared_address(w, in, form, lane);
    const std::byte* const source = transfer.read_shared(from, map.shared_bytes(), true);
    const BoxOrigin origin = origin_of(w, in, form, map, lane);
    if (w.worker->observer != nullptr)
      w.worker->observer->moves_box(w, in, w.block->cluster->at(*w.block, from), map, origin.at);
    std::vector<std::byte> box(bytes);
    each_piece(map, from % kRankStride,
               [&](u32 to, u64 at) { std::memcpy(box.data() + to, source + s64(at), kBulkGranule); });
    Reduction reduction = nullptr;
    if (form.operation >= 0 && (reduction = reduction_of(map, form.operation)) == nullptr)
      fail(w, in, lane, FindingKind::illegal_instruction,
           tr("The tensor map's type does not have the reduction."));
    each_row(map, origin, [&](const BoxRow& row, u32 offset) {
      const u32 length = (row.last - row.first) * map.unit_bytes();
      if (row.beside_images)
        fail(w, in, lane, FindingKind::illegal_instruction,
             tr("A pixel that is stored lies beside its image: the bounding box of the tensor map reaches "
                "further."));
      if (length == 0) return;
      const std::byte* const here = box.data() + offset + row.first * map.unit_bytes();
      std::byte* const there =
          transfer.write_global(row.address, length, reduction != nullptr ? Access::atomic : Access::write);
      reduction != nullptr ? reduction(there, here, length) : void(std::memcpy(there, here, length));
      transfer.count_store(row.address, length);
    });
  });
}

/// A prefetch: only that its map is one.
void prefetch_box(Warp& w, const Instr& in) {
  const TensorForm& form = *static_cast<const TensorForm*>(in.wide->detail.get());
  for_each_lane(w.active, [&](int lane) { (void)map_of(w, in, form, lane); });
}

[[gnu::cold]] void bind_tensor(Binding& b) {
  auto form = std::make_shared<TensorForm>();
  for (const char* rank : {"1d", "2d", "3d", "4d", "5d"})
    if (b.has(rank)) form->rank = unsigned(rank[0] - '0');
  const bool prefetches = b.has("prefetch"), stores = b.has("bulk_group");
  form->stores = stores;
  form->map = prefetches || stores ? 0 : 1;
  if (b.counts[form->map] != int(form->rank) + 1 || b.bytes[form->map] != 8) return;
  const std::size_t behind = form->map + 1 + form->rank;
  if (stores) form->shared = behind;
  if (!stores && !prefetches) form->barrier = behind;
  if (!prefetches) form->wide_shared = b.bytes[form->shared] == 8;
  if (form->barrier != 0) form->wide_barrier = b.bytes[form->barrier] == 8;
  form->im2col = b.has("im2col") || b.has("im2col_no_offs");
  std::size_t last = form->barrier != 0 ? form->barrier : behind - 1;
  if (b.has("im2col")) {
    const std::size_t offsets = prefetches ? 1 : 3;
    if (form->rank < 3 || b.counts[offsets] != int(form->rank) - 2) return;
    form->offsets = last + 1;
    last += form->rank - 2;
  }
  if (b.has("multicast::cluster")) form->mask = last + 1;
  for (std::size_t i = 0; i < kOperations.size(); ++i)
    if (b.has("reduce") && b.has(kOperations[i])) form->operation = int(i);
  b.out.all = b.out.some = prefetches ? &prefetch_box : stores ? &store_box : &load_box;
  b.wide->detail = std::move(form);
  b.out.site = b.new_site();
}

}  // namespace

void declare_tensor(InstructionSet& defs) {
  defs.family("tensor copy");
  const OperandSpec address{Role::address}, mask{Role::read, ptx::Type::u16},
      policy{Role::ignored, ptx::Type::b64}, place{Role::read, ptx::Type::s32, 1, false, true};
  const auto declare = [&](const std::string& name, std::vector<OperandSpec> operands) {
    defs.custom(name, operands, &bind_tensor).wide = true;
    operands.push_back(policy);
    defs.custom(name + ".L2::cache_hint", operands, &bind_tensor).wide = true;
  };
  const OperandSpec offsets{Role::read, ptx::Type::u16, 0};
  const std::string all = "(.1d,.2d,.3d,.4d,.5d)", images = "(.3d,.4d,.5d)";
  for (const bool im2col : {false, true}) {
    const std::string axes = im2col ? images : all, mode = im2col ? ".im2col" : "{.tile}",
                      stored = im2col ? ".im2col_no_offs" : mode,
                      counted = mode + ".mbarrier::complete_tx::bytes";
    const auto load = [&](const std::string& name, std::vector<OperandSpec> operands, bool multicast) {
      if (im2col) operands.push_back(offsets);
      if (multicast) operands.push_back(mask);
      declare(name, std::move(operands));
    };
    load("cp@90.async.bulk.tensor" + axes + "(.shared::cluster,.shared::cta).global" + counted,
         {address, place, address}, false);
    load("cp@90.async.bulk.tensor" + axes + ".shared::cluster.global" + counted + ".multicast::cluster",
         {address, place, address}, true);
    load("cp@90.async.bulk.prefetch.tensor" + axes + ".L2.global" + mode, {place}, false);
    declare("cp@90.async.bulk.tensor" + axes + ".global.shared::cta" + stored + ".bulk_group",
            {place, address});
    declare("cp@90.reduce.async.bulk.tensor" + axes +
                ".global.shared::cta(.add,.min,.max,.inc,.dec,.and,.or,.xor)" + stored + ".bulk_group",
            {place, address});
  }
}

}  // namespace sim::exec
