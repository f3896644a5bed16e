// `verify` finds every edit of a store's file that its schema allows.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "base/text/text.h"
#include "trial.h"

namespace baton::audit {
namespace {

struct Excused {
  std::string_view edit;
  std::string_view why;
};

/// Edits that need not be found, each with the reason. One that is always found, or that no test
/// makes any more, does not belong here.
constexpr Excused meaningless[] = {
    {"content_noted.to_commit - 1",
     "uses are noted up to one commit less, and that one's are noted already by another of its "
     "session: they are noted again when a session is removed"},
};

class Tally {
 public:
  void add(const Edit& edit, const Trial& trial) {
    if (trial.made == Made::refused) ++refused;
    if (trial.made != Made::yes) return;
    ++judged;
    per_table[edit.table].second++;
    std::string wrong;
    if (trial.before.is_sound) wrong = "not found";
    if (trial.after.is_sound && !is_derived(edit.table)) wrong += " not found after rebuild";
    if (!trial.after.is_sound && is_derived(edit.table)) {
      wrong += cat(" not made right by a rebuild: ", trial.after.text);
    }
    if (trial.after.is_sound && !trial.is_repaired) wrong += " rebuilt to something else";
    if (wrong.empty()) {
      per_table[edit.table].first++;
      return;
    }
    const auto excuse = std::ranges::find(meaningless, edit.name, &Excused::edit);
    if (excuse != std::end(meaningless)) {
      excused.insert(edit.name);
      return;
    }
    missed.push_back(cat(edit.name, " where ", edit.where, ": ", wrong));
  }

  int judged = 0;
  int refused = 0;                                       // by the schema's own constraints
  std::map<std::string, std::pair<int, int>> per_table;  // found, judged
  std::set<std::string, std::less<>> excused;
  std::vector<std::string> missed;
};

std::string listed(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += cat("  ", text, '\n');
  return out;
}

TEST(tampering, the_store_that_is_edited_has_rows_in_every_table_and_is_sound) {
  Database database(Original::get().db());
  for (const auto& [table, rows] : contents_of(database)) EXPECT_FALSE(rows.empty()) << table;
  EXPECT_EQ(verify(Original::get().db()).text, "ok");
}

// Enforces: G4
TEST(tampering, with_any_value_or_row_of_any_table_is_found_also_after_a_rebuild) {
  Tally tally;
  Database database(Original::get().db());
  for (const Edit& edit : edits_of_rows(database)) {
    Trial trial(edit);
    if (trial.made == Made::yes) trial.judge();
    tally.add(edit, trial);
  }
  EXPECT_TRUE(tally.missed.empty()) << tally.missed.size() << " of " << tally.judged << ":\n"
                                    << listed(tally.missed);
  for (const Excused& each : meaningless) {
    EXPECT_TRUE(tally.excused.contains(each.edit))
        << each.edit << " is found or not made any more: take it off the list";
  }
  for (const auto& [table, counts] : tally.per_table) {
    RecordProperty(table, cat(counts.first, " of ", counts.second));
    std::cout << table << ": " << counts.first << " of " << counts.second << " found\n";
  }
  std::cout << tally.judged << " edits judged, " << tally.refused << " refused by the schema\n";
}

// Enforces: G4
TEST(tampering, with_a_table_index_trigger_or_mark_is_found_also_after_a_rebuild) {
  std::vector<std::string> missed;
  Database database(Original::get().db());
  const auto edits = edits_of_schema(database);
  for (const Edit& edit : edits) {
    Trial trial(edit);
    ASSERT_NE(trial.made, Made::refused) << edit.name;
    trial.judge();
    if (trial.before.is_sound) missed.push_back(cat(edit.name, ": not found"));
    if (trial.after.is_sound) missed.push_back(cat(edit.name, ": not found after a rebuild"));
  }
  EXPECT_TRUE(missed.empty()) << missed.size() << " of " << edits.size() << ":\n" << listed(missed);
}

}  // namespace
}  // namespace baton::audit
