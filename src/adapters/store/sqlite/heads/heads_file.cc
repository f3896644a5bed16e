#include "adapters/store/sqlite/heads/heads_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <tuple>

#include "adapters/files/private_file.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

// A slot: what it is (8 bytes), an id (16), three numbers (8 each, little-endian), a hash (32), the
// seal (32), zeros.
constexpr std::array<std::uint8_t, 8> mark_magic = {'B', 'T', 'N', 'M', 'A', 'R', 'K', '1'};
constexpr std::array<std::uint8_t, 8> head_magic = {'B', 'T', 'N', 'H', 'E', 'A', 'D', '1'};
constexpr std::size_t id_at = 8;
constexpr std::size_t numbers_at = 24;
constexpr std::size_t hash_at = 48;
constexpr std::size_t seal_at = 80;
constexpr std::size_t seal_end = 112;
constexpr std::size_t heads_kept = 256;  // that a process remembers having read

std::unexpected<Error> refused(std::string_view doing, const std::string& path) {
  const int number = errno;
  const Code code = number == ENOSPC || number == EDQUOT ? Code::STORE_FULL : Code::ENVIRONMENT;
  return fail(code, cat("cannot ", doing, ' ', path, ": ", std::generic_category().message(number)),
              "look at the folder's rights and its disk");
}

template <class Slot>
std::int64_t number_at(const Slot& slot, std::size_t place) {
  std::uint64_t out = 0;
  for (std::size_t i = 8; i-- > 0;) out = out << 8 | slot[place + i];
  return static_cast<std::int64_t>(out);
}

template <class Slot>
void put_number(Slot& slot, std::size_t place, std::int64_t value) {
  auto left = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < 8; ++i, left >>= 8) {
    slot[place + i] = static_cast<std::uint8_t>(left & 0xff);
  }
}

template <class Slot, std::size_t size>
void put_bytes(Slot& slot, std::size_t place, const std::array<std::uint8_t, size>& bytes) {
  std::memcpy(slot.data() + place, bytes.data(), size);
}

template <std::size_t size, class Slot>
std::array<std::uint8_t, size> bytes_at(const Slot& slot, std::size_t place) {
  std::array<std::uint8_t, size> out{};
  std::memcpy(out.data(), slot.data() + place, size);
  return out;
}

template <class Slot>
bool has_magic(const Slot& slot, const std::array<std::uint8_t, 8>& magic) {
  return std::memcmp(slot.data(), magic.data(), magic.size()) == 0;
}

bool is_newer(const AnchorMark& one, const AnchorMark& other) {
  return std::tie(one.epoch, one.commit, one.synced) >
         std::tie(other.epoch, other.commit, other.synced);
}
bool is_newer(const AnchoredHead& one, const AnchoredHead& other) {
  return one.commit > other.commit;
}

template <class Value>
std::optional<Value> newest(const std::array<std::optional<Value>, 2>& values) {
  if (!values[0] || !values[1]) return values[0] ? values[0] : values[1];
  return is_newer(*values[1], *values[0]) ? values[1] : values[0];
}

}  // namespace

std::int64_t with_number(std::int64_t numbers, run::CommitNo commit) {
  // Eight bytes are enough: forged numbers must match this one digest.
  const Sha256 digest = sha256(cat("baton numbers 1\n", numbers, '\n', commit.value));
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i) out |= std::uint64_t{digest.bytes[i]} << (8 * i);
  return static_cast<std::int64_t>(out);
}

HeadsFile::Lock::~Lock() { ::flock(file_, LOCK_UN); }

Result<HeadsFile> HeadsFile::open(std::string path, const AnchorKey& key, uid_t store_owner) {
  // A store that may only be read has heads that may only be read.
  auto file = open_private(path, O_RDWR, store_owner);
  if (!file && file.error().code == Code::ENVIRONMENT) {
    file = open_private(path, O_RDONLY, store_owner);
  }
  return HeadsFile(std::move(path), TRY(std::move(file)), key);
}

HeadsFile::Slot HeadsFile::slot_of(const AnchorMark& mark) {
  Slot slot{};
  put_bytes(slot, 0, mark_magic);
  put_bytes(slot, id_at, mark.store);
  put_number(slot, numbers_at, mark.epoch);
  put_number(slot, numbers_at + 8, mark.commit.value);
  put_bytes(slot, hash_at, mark.hash.bytes);
  put_number(slot, numbers_at + 16, mark.synced.value);
  return slot;
}

Result<void> HeadsFile::create(const std::string& path, const AnchorKey& key,
                               const AnchorMark& mark) {
  HeadsFile nowhere(path, Descriptor(), key);
  const Slot slot = nowhere.sealed(0, slot_of(mark));
  std::string content(2 * slot_bytes, '\0');
  std::memcpy(content.data(), slot.data(), slot.size());
  TRY(make_private(path, content));
  return {};
}

Result<std::unique_ptr<HeadsFile::Lock>> HeadsFile::lock() {
  while (::flock(file_.number(), LOCK_EX) != 0) {
    if (errno != EINTR) return refused("lock", path_);
  }
  return std::make_unique<Lock>(file_.number());
}

HeadsFile::Slot HeadsFile::sealed(std::int64_t record, Slot slot) const {
  const std::string_view text(reinterpret_cast<const char*>(slot.data()), seal_at);
  const std::string number = std::to_string(record);
  put_bytes(slot, seal_at, key_->seal("baton heads 1", {number, text}));
  return slot;
}

bool HeadsFile::is_sound(std::int64_t record, const Slot& slot) const {
  const std::string_view text(reinterpret_cast<const char*>(slot.data()), seal_at);
  const std::string number = std::to_string(record);
  return key_->fits(std::span(slot).subspan(seal_at, seal_end - seal_at), "baton heads 1",
                    {number, text});
}

Result<HeadsFile::Record> HeadsFile::read(std::int64_t record) {
  Record out;
  std::array<std::uint8_t, 2 * slot_bytes> bytes{};
  const auto place = static_cast<off_t>(record * std::ssize(bytes));
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::pread(file_.number(), bytes.data() + size, bytes.size() - size,
                                place + static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("read", path_);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  std::memcpy(out.slots[0].data(), bytes.data(), slot_bytes);
  std::memcpy(out.slots[1].data(), bytes.data() + slot_bytes, slot_bytes);
  return out;
}

Result<void> HeadsFile::put(std::int64_t record, int slot, const Slot& bytes) {
  const auto place = static_cast<off_t>((2 * record + slot) * std::ssize(bytes));
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t wrote = ::pwrite(file_.number(), bytes.data() + size, bytes.size() - size,
                                   place + static_cast<off_t>(size));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return refused("write", path_);
    size += static_cast<std::size_t>(wrote);
  }
  return {};
}

template <class Value>
int HeadsFile::older_slot(const std::array<std::optional<Value>, 2>& values) {
  if (!values[0]) return 0;
  if (!values[1]) return 1;
  return is_newer(*values[1], *values[0]) ? 0 : 1;
}

std::array<std::optional<AnchorMark>, 2> HeadsFile::marks_in(const Record& record) const {
  std::array<std::optional<AnchorMark>, 2> out;
  for (std::size_t i = 0; i < 2; ++i) {
    const Slot& slot = record.slots[i];
    if (!has_magic(slot, mark_magic) || !is_sound(0, slot)) continue;
    out[i] = AnchorMark{bytes_at<16>(slot, id_at),
                        number_at(slot, numbers_at),
                        {number_at(slot, numbers_at + 8)},
                        {bytes_at<32>(slot, hash_at)},
                        {number_at(slot, numbers_at + 16)}};
  }
  return out;
}

std::array<std::optional<AnchoredHead>, 2> HeadsFile::heads_in(std::int64_t anchor,
                                                               const Record& record) const {
  std::array<std::optional<AnchoredHead>, 2> out;
  for (std::size_t i = 0; i < 2; ++i) {
    const Slot& slot = record.slots[i];
    if (!has_magic(slot, head_magic) || !is_sound(anchor, slot)) continue;
    out[i] = AnchoredHead{{bytes_at<16>(slot, id_at)},
                          {number_at(slot, numbers_at)},
                          {number_at(slot, numbers_at + 8)},
                          {bytes_at<32>(slot, hash_at)},
                          number_at(slot, numbers_at + 16)};
  }
  return out;
}

Result<std::optional<AnchorMark>> HeadsFile::mark() {
  const Record header = TRY(read(0));
  if (header.slots != seen_header_.slots) {
    seen_header_ = header;
    seen_marks_ = marks_in(header);
  }
  return newest(seen_marks_);
}

Result<HeadsFile::SeenHead*> HeadsFile::look(std::int64_t anchor) {
  const Record record = TRY(read(anchor));
  if (seen_heads_.size() >= heads_kept) seen_heads_.clear();
  SeenHead& seen = seen_heads_[anchor];
  if (record.slots != seen.record.slots) seen = {record, heads_in(anchor, record)};
  return &seen;
}

Result<std::optional<AnchoredHead>> HeadsFile::head(std::int64_t anchor) {
  return newest(TRY(look(anchor))->heads);
}

Result<std::int64_t> HeadsFile::records_end() {
  struct stat found{};
  if (::fstat(file_.number(), &found) != 0) return refused("examine", path_);
  const std::int64_t record_bytes = 2 * slot_bytes;
  return (found.st_size + record_bytes - 1) / record_bytes;
}

Result<void> HeadsFile::write(const AnchorMark& mark) {
  if (!newest(seen_marks_)) TRY(this->mark());
  const Slot slot = sealed(0, slot_of(mark));
  const int place = older_slot(seen_marks_);
  TRY(put(0, place, slot));
  seen_header_.slots[static_cast<std::size_t>(place)] = slot;
  seen_marks_[static_cast<std::size_t>(place)] = mark;
  return {};
}

Result<void> HeadsFile::write(std::int64_t anchor, const AnchoredHead& head) {
  const auto known = seen_heads_.find(anchor);
  SeenHead& seen = known == seen_heads_.end() ? *TRY(look(anchor)) : known->second;
  // By their numbers alone: a slot with a wrong seal keeps its place and is never read.
  std::array<std::optional<AnchoredHead>, 2> found;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!has_magic(seen.record.slots[i], head_magic)) continue;
    found[i].emplace().commit = {number_at(seen.record.slots[i], numbers_at + 8)};
  }
  Slot slot{};
  put_bytes(slot, 0, head_magic);
  put_bytes(slot, id_at, head.session.bytes);
  put_number(slot, numbers_at, head.seq.value);
  put_number(slot, numbers_at + 8, head.commit.value);
  put_number(slot, numbers_at + 16, head.numbers);
  put_bytes(slot, hash_at, head.hash.bytes);
  slot = sealed(anchor, slot);
  const int place = older_slot(found);
  TRY(put(anchor, place, slot));
  seen.record.slots[static_cast<std::size_t>(place)] = slot;
  seen.heads[static_cast<std::size_t>(place)] = head;
  return {};
}

Result<void> HeadsFile::sync() {
  // What the mark says was noted is written, and synced by what follows.
  const auto noted = TRY(mark());
  if (::fdatasync(file_.number()) != 0) return refused("sync", path_);
  if (!noted) return {};
  const auto held = TRY(lock());
  auto now = TRY(mark());
  if (!now || now->epoch != noted->epoch || now->synced >= noted->commit) return {};
  now->synced = noted->commit;
  return write(*now);
}

bool HeadsFile::is_in_place() const {
  struct stat opened{};
  struct stat named{};
  return ::fstat(file_.number(), &opened) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace baton::adapters::sqlite
