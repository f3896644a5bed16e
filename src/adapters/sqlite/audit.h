#pragma once
// An audit of a store's file: one connection that holds a read transaction for as long as the audit
// lives. Everything the audit reads, it reads there. Writers go on meanwhile, but the WAL cannot
// start anew before the audit is gone.

#include <span>

#include "adapters/sqlite/anchors.h"
#include "adapters/sqlite/schema.h"
#include "ports/store_audit.h"

namespace baton::adapters::sqlite {

/// `anchors` outlives the audit; null: the store has none.
Result<std::unique_ptr<ports::StoreAudit>> begin_audit(const Where& where,
                                                       std::span<const Migration> steps,
                                                       const Anchors* anchors);

}  // namespace baton::adapters::sqlite
