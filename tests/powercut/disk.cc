#include "disk.h"

#include <sqlite3.h>

#include <algorithm>

#include "base/text/text.h"

namespace baton::powercut {
namespace {

std::size_t at(std::int64_t offset) { return static_cast<std::size_t>(offset); }
std::int64_t size_of(const Bytes& bytes) { return static_cast<std::int64_t>(bytes.size()); }

std::int64_t end_of(const Op& op) { return op.offset + size_of(op.data); }

/// Bytes [from, to) of the write.
void put(Bytes& file, const Op& op, std::int64_t from, std::int64_t to) {
  if (to > size_of(file)) file.resize(at(to));
  std::copy(op.data.begin() + (from - op.offset), op.data.begin() + (to - op.offset),
            file.begin() + from);
}

void apply_whole(Bytes& file, const Op& op) {
  if (op.kind == Op::Kind::truncate) {
    file.resize(at(op.offset));
  } else if (op.kind == Op::Kind::write) {
    put(file, op, op.offset, end_of(op));
  }
}

void apply_name(std::map<std::string, Inode>& names, const Op& op) {
  if (op.kind == Op::Kind::create) {
    names[op.name] = op.inode;
  } else {
    names.erase(op.name);
  }
}

bool is_of_names(const Op& op) {
  return op.kind == Op::Kind::create || op.kind == Op::Kind::remove;
}

bool is_of_content(const Op& op) {
  return op.kind == Op::Kind::write || op.kind == Op::Kind::truncate;
}

/// The pieces of a write that are written or lost as one.
template <class Each>
void each_piece(const Op& op, Each each) {
  for (std::int64_t from = op.offset; from < end_of(op);) {
    const std::int64_t to = std::min(end_of(op), (from / tear_bytes + 1) * tear_bytes);
    each(from, to);
    from = to;
  }
}

}  // namespace

Profile Profile::drawn(Dice& dice) {
  Profile out;
  out.atomic_sector = dice.chance(30);
  out.safe_append = dice.chance(30);
  out.sequential = dice.chance(15);
  out.powersafe_overwrite = dice.chance(70);
  out.sector_bytes = dice.chance(50) ? 512 : 4096;
  return out;
}

int Profile::characteristics() const {
  return (atomic_sector ? SQLITE_IOCAP_ATOMIC512 : 0) |
         (safe_append ? SQLITE_IOCAP_SAFE_APPEND : 0) | (sequential ? SQLITE_IOCAP_SEQUENTIAL : 0) |
         (powersafe_overwrite ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0);
}

std::string Profile::text() const {
  return cat("sectors of ", sector_bytes, atomic_sector ? ", atomic" : "",
             safe_append ? ", safe append" : "", sequential ? ", sequential" : "",
             powersafe_overwrite ? ", powersafe overwrite" : "");
}

// --- feeding ------------------------------------------------------------------------------------

void Disk::sync(File& file) {
  for (const Pending& pending : file.pending) {
    if (!pending.is_doomed) apply_whole(file.durable, *pending.op);
  }
  file.pending.clear();
}

void Disk::sync_names() {
  for (const Pending& pending : pending_names_) apply_name(names_, *pending.op);
  pending_names_.clear();
}

void Disk::apply(OpPtr op) {
  ++order_;
  switch (op->kind) {
    case Op::Kind::create:
    case Op::Kind::remove:
      files_[op->inode];
      pending_names_.push_back({std::move(op), order_});
      break;
    case Op::Kind::write:
    case Op::Kind::truncate: {
      const Inode inode = op->inode;
      files_[inode].pending.push_back({std::move(op), order_});
      break;
    }
    case Op::Kind::sync:
    case Op::Kind::sync_folder:
      if (profile_.sequential) {
        for (auto& [inode, file] : files_) sync(file);
        sync_names();
      } else if (op->kind == Op::Kind::sync) {
        sync(files_[op->inode]);
      } else {
        sync_names();
      }
      break;
    case Op::Kind::sync_failed:
      for (Pending& pending : files_[op->inode].pending) pending.is_doomed = true;
      break;
    case Op::Kind::sync_faked: break;
  }
}

// --- looking ------------------------------------------------------------------------------------

std::map<std::string, Inode> Disk::cached_names() const {
  auto out = names_;
  for (const Pending& pending : pending_names_) apply_name(out, *pending.op);
  return out;
}

Bytes Disk::cached(Inode inode) const {
  const auto found = files_.find(inode);
  if (found == files_.end()) return {};
  Bytes out = found->second.durable;
  for (const Pending& pending : found->second.pending) apply_whole(out, *pending.op);
  return out;
}

Files Disk::cached_files() const {
  Files out;
  for (const auto& [name, inode] : cached_names()) out[name] = cached(inode);
  return out;
}

Disk::Unsynced Disk::unsynced(Inode inode) const {
  Unsynced out;
  const auto found = files_.find(inode);
  if (found == files_.end()) return out;
  for (const Pending& pending : found->second.pending) {
    const Op& op = *pending.op;
    out.first_offset = out.ops == 0 ? op.offset : std::min(out.first_offset, op.offset);
    out.bytes += size_of(op.data);
    ++out.ops;
  }
  return out;
}

bool Disk::is_name_certain(const std::string& name, Inode inode) const {
  for (const Pending& pending : pending_names_) {
    if (pending.op->name == name) return false;
  }
  const auto found = names_.find(name);
  return found != names_.end() && found->second == inode;
}

// --- cutting ------------------------------------------------------------------------------------

/// How bad one cut is, drawn again for each: always a bit of everything would hide much.
struct Disk::Damage {
  std::uint64_t keep_percent;
  std::uint64_t lost_sector_percent;  // of a write that is kept
  std::uint64_t garbage_percent;      // of its sectors
  std::uint64_t lengthen_percent;     // a lost write leaves its length
  bool is_shuffled;
  bool is_room_garbage;  // what a file grew over without data

  static Damage drawn(Dice& dice) {
    static constexpr std::uint64_t keep[] = {0, 10, 50, 90, 100};
    static constexpr std::uint64_t some[] = {0, 0, 10, 40};
    Damage out{};
    out.keep_percent = keep[dice.below(5)];
    out.lost_sector_percent = some[dice.below(4)];
    out.garbage_percent = some[dice.below(4)];
    out.lengthen_percent = some[dice.below(4)];
    out.is_shuffled = dice.chance(30);
    out.is_room_garbage = dice.chance(50);
    return out;
  }
};

void Disk::garble(Bytes& file, std::int64_t from, std::int64_t to, Dice& dice) const {
  if (!profile_.powersafe_overwrite) {
    const std::int64_t sector = profile_.sector_bytes;
    from = from / sector * sector;
    to = (to + sector - 1) / sector * sector;
  }
  to = std::min(to, size_of(file));
  for (std::int64_t i = from; i < to; ++i) file[at(i)] = static_cast<std::uint8_t>(dice.next());
}

void Disk::damaged_write(Bytes& file, const Op& op, const Damage& damage, Dice& dice) const {
  bool may_grow = true;
  each_piece(op, [&](std::int64_t from, std::int64_t to) {
    const bool grows = to > size_of(file);
    const bool is_safe = profile_.safe_append && grows;
    const bool is_lost = dice.chance(damage.lost_sector_percent);
    const bool is_garbage = !profile_.atomic_sector && dice.chance(damage.garbage_percent);
    if (is_safe && (is_lost || is_garbage || from > size_of(file))) may_grow = false;
    if (is_lost || (is_safe && !may_grow)) return;
    const std::int64_t old_size = size_of(file);
    put(file, op, from, to);
    if (damage.is_room_garbage && from > old_size) garble(file, old_size, from, dice);
    if (is_garbage) garble(file, from, to, dice);
  });
}

void Disk::damage_file(Bytes& file, std::vector<Pending> pending, const Damage& damage,
                       Dice& dice) const {
  if (damage.is_shuffled) {
    for (std::size_t i = pending.size(); i > 1; --i) {
      std::swap(pending[i - 1], pending[dice.below(i)]);
    }
  }
  for (const Pending& each : pending) {
    const Op& op = *each.op;
    if (dice.chance(damage.keep_percent)) {
      if (op.kind == Op::Kind::write) {
        damaged_write(file, op, damage, dice);
      } else {
        apply_whole(file, op);
      }
    } else if (op.kind == Op::Kind::write && !profile_.safe_append && end_of(op) > size_of(file) &&
               dice.chance(damage.lengthen_percent)) {
      const std::int64_t old_size = size_of(file);
      file.resize(at(end_of(op)));
      if (damage.is_room_garbage) garble(file, old_size, end_of(op), dice);
    }
  }
}

Files Disk::named(const std::map<std::string, Inode>& names,
                  std::map<Inode, Bytes> contents) const {
  Files out;
  for (const auto& [name, inode] : names) out[name] = contents[inode];
  return out;
}

Files Disk::cut(Dice& dice, const OpPtr& in_flight) const {
  if (profile_.sequential) return cut_sequential(dice, in_flight);
  const Damage damage = Damage::drawn(dice);
  std::map<Inode, Bytes> contents;
  for (const auto& [inode, file] : files_) {
    std::vector<Pending> pending = file.pending;
    if (in_flight && is_of_content(*in_flight) && in_flight->inode == inode) {
      pending.push_back({in_flight, order_ + 1});
    }
    contents[inode] = file.durable;
    damage_file(contents[inode], std::move(pending), damage, dice);
  }
  auto names = names_;
  std::vector<Pending> changes = pending_names_;
  if (in_flight && is_of_names(*in_flight)) changes.push_back({in_flight, order_ + 1});
  for (const Pending& change : changes) {
    if (dice.chance(damage.keep_percent)) apply_name(names, *change.op);
  }
  return named(names, std::move(contents));
}

/// The write that the cut came into: its first sectors, and the next in any state.
void Disk::tear(Bytes& file, const Op& op, Dice& dice) const {
  const std::int64_t pieces = (end_of(op) - 1) / tear_bytes - op.offset / tear_bytes + 1;
  auto left = static_cast<std::int64_t>(dice.below(static_cast<std::uint64_t>(pieces) + 1));
  each_piece(op, [&](std::int64_t from, std::int64_t to) {
    if (left-- > 0) {
      put(file, op, from, to);
    } else if (left == -1 && !profile_.atomic_sector && dice.chance(50)) {
      if (profile_.safe_append && to > size_of(file)) return;
      put(file, op, from, to);
      garble(file, from, to, dice);
    }
  });
}

Files Disk::cut_sequential(Dice& dice, const OpPtr& in_flight) const {
  std::vector<Pending> all = pending_names_;
  std::map<Inode, Bytes> contents;
  for (const auto& [inode, file] : files_) {
    contents[inode] = file.durable;
    all.insert(all.end(), file.pending.begin(), file.pending.end());
  }
  std::ranges::sort(all, {}, &Pending::order);
  if (in_flight && (is_of_content(*in_flight) || is_of_names(*in_flight))) {
    all.push_back({in_flight, order_ + 1});
  }
  auto names = names_;
  std::size_t kept = dice.below(all.size() + 1);
  if (dice.chance(40)) kept = all.size();
  for (std::size_t i = 0; i < kept; ++i) {
    const Op& op = *all[i].op;
    if (is_of_names(op)) {
      apply_name(names, op);
    } else if (!all[i].is_doomed) {
      apply_whole(contents[op.inode], op);
    }
  }
  if (kept < all.size() && all[kept].op->kind == Op::Kind::write) {
    tear(contents[all[kept].op->inode], *all[kept].op, dice);
  }
  return named(names, std::move(contents));
}

}  // namespace baton::powercut
