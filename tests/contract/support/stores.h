#pragma once
// The stores that the contract holds for. Each makes a fresh, empty store and can show it again as
// a process would see it that starts now.

#include <filesystem>
#include <memory>
#include <string>

#include "ports/event_store.h"

namespace baton::contract {

/// A fresh folder that goes away with this object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual ports::EventStore& store() = 0;
  /// Lets go of the store and opens what it left; nothing for one that keeps all in memory.
  virtual void reopen() = 0;
};

struct StoreKind {
  const char* name;
  std::unique_ptr<StoreUnderTest> (*make)();
};

std::unique_ptr<StoreUnderTest> make_memory();
std::unique_ptr<StoreUnderTest> make_sqlite();
std::unique_ptr<StoreUnderTest> make_faulty();

inline constexpr StoreKind store_kinds[] = {
    {"memory", make_memory}, {"sqlite", make_sqlite}, {"faulty", make_faulty}};

}  // namespace baton::contract
