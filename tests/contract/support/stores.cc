#include "support/stores.h"

#include <stdlib.h>

#include <system_error>

#include "adapters/store/faulty/faulty_store.h"
#include "adapters/store/memory/memory_store.h"
#include "adapters/store/sqlite/sqlite_store.h"

namespace baton::contract {
namespace {

class Memory : public StoreUnderTest {
 public:
  ports::EventStore& store() override { return store_; }
  void reopen() override {}

 private:
  adapters::MemoryStore store_;
};

class Sqlite : public StoreUnderTest {
 public:
  Sqlite() { open(); }
  ports::EventStore& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    open();
  }

 private:
  void open() {
    // Nothing to go on with without a store.
    store_ = MUST(adapters::SqliteStore::open(folder_.path("store.db")));
  }

  TempDir folder_;
  std::unique_ptr<adapters::SqliteStore> store_;
};

/// A faulty store without a script: it must pass everything on.
class Faulty : public StoreUnderTest {
 public:
  ports::EventStore& store() override { return faulty_; }
  void reopen() override {}

 private:
  adapters::MemoryStore inner_;
  adapters::FaultyStore faulty_{inner_};
};

}  // namespace

TempDir::TempDir() {
  // In memory where there is such a place: these tests ask what is written, not what survives.
  std::filesystem::path parent = "/dev/shm";
  std::error_code ignored;
  if (!std::filesystem::is_directory(parent, ignored)) {
    parent = std::filesystem::temp_directory_path();
  }
  std::string pattern = (parent / "baton-XXXXXX").string();
  ASSERT(::mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::unique_ptr<StoreUnderTest> make_memory() { return std::make_unique<Memory>(); }
std::unique_ptr<StoreUnderTest> make_sqlite() { return std::make_unique<Sqlite>(); }
std::unique_ptr<StoreUnderTest> make_faulty() { return std::make_unique<Faulty>(); }

}  // namespace baton::contract
