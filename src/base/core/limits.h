#pragma once
// Every limit of Baton, with its unit in its name. Each is tested on both sides.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

// One JSON text: a message, a file, an argument.
inline constexpr std::size_t message_bytes_max = 4u << 20;
inline constexpr std::size_t json_depth_max = 64;
// No reader may be told to go deeper than this.
inline constexpr std::size_t json_depth_ceiling = 1024;

// One JSON Schema.
inline constexpr std::size_t schema_nodes_max = 10'000;  // subschemas, those of references included
inline constexpr std::size_t schema_depth_max = 64;      // subschemas in subschemas
inline constexpr std::size_t schema_patterns_max = 256;
inline constexpr std::size_t schema_pattern_bytes_max = 4096;
inline constexpr std::size_t schema_pattern_memory_bytes_max = 1u << 20;  // each, as RE2 counts
// One validation. A step is about 0.1 us: a subschema applied, an item or property looked at.
inline constexpr std::size_t schema_steps_max = 8'000'000;
inline constexpr std::size_t schema_eval_depth_max = 512;  // subschemas applied inside one another
inline constexpr std::size_t schema_problems_max = 64;
inline constexpr std::size_t schema_shown_bytes_max = 80;   // of a text quoted in a message
inline constexpr std::size_t schema_path_bytes_max = 1024;  // of a path in a problem
inline constexpr std::size_t schema_candidates_max = 256;   // names compared for a suggestion

// One config.yaml.
inline constexpr std::size_t config_bytes_max = 64u << 10;

// Words longer than this get no spelling suggestion.
inline constexpr std::size_t nearest_word_bytes_max = 64;

// Past this length Bech32m no longer finds every error of four characters.
inline constexpr std::size_t bech32m_chars_max = 90;

// Path patterns.
inline constexpr std::size_t glob_bytes_max = 1'024;
inline constexpr std::size_t glob_brace_depth_max = 8;
inline constexpr std::size_t glob_alternatives_max = 64;
inline constexpr std::size_t glob_atoms_max = 4'096;  // of all alternatives together
inline constexpr std::int64_t glob_memory_bytes_max = 1 << 20;
inline constexpr std::size_t glob_path_bytes_max = 4'096;

// The words of a text that can be searched for.
inline constexpr std::size_t search_text_bytes_max = 64u << 10;
inline constexpr std::size_t search_tokens_max = 4'096;
inline constexpr std::size_t search_token_bytes_max = 64;
inline constexpr std::size_t search_words_max = 32;      // of one question
inline constexpr std::size_t search_hits_max = 100'000;  // commits that one word counts in
inline constexpr std::size_t search_query_bytes_max = 1'024;
// Filling the index of these words from the log: one call does it, the others wait or do not.
inline constexpr std::int64_t catch_up_ms_max = 10'000;       // of one call; later calls continue
inline constexpr std::size_t catch_up_waiters_max = 8;        // calls that wait for a long one
inline constexpr std::int64_t catch_up_near_commits = 1'024;  // so few: everyone waits

// Runs offered to a returning caller.
inline constexpr std::int64_t resume_candidates_max = 5;
inline constexpr std::size_t resume_snippet_bytes_max = 2'048;
inline constexpr std::size_t resume_walk_nodes_max = 64;  // back from a tip, for its notes
inline constexpr std::size_t git_branch_bytes_max = 255;
inline constexpr std::size_t git_sha_chars_min = 7;            // of a short one
inline constexpr std::int64_t repository_look_ms_max = 1'000;  // then it is not observed

// One workflow.
inline constexpr std::size_t workflow_bytes_max = 1u << 20;
inline constexpr std::size_t workflow_files_max = 10'000;  // of one folder
inline constexpr std::size_t workflow_steps_max = 1'000;
inline constexpr std::size_t workflow_name_bytes_max = 128;
inline constexpr std::size_t workflow_depth_max = 64;
inline constexpr std::size_t workflow_nodes_max = 100'000;    // values in one document
inline constexpr std::int64_t loop_iterations_max = 1'000;    // of `loop`
inline constexpr std::int64_t while_iterations_max = 10'000;  // of `while` and `foreach`
inline constexpr std::size_t workflow_diagnostics_max = 100;
inline constexpr std::size_t workflow_sources_max = 64;  // files that one workflow needs
inline constexpr std::size_t compiled_workflow_bytes_max = 16u << 20;
inline constexpr std::size_t compiled_workflow_depth_max = 768;     // nested includes
inline constexpr std::size_t include_depth_max = 8;                 // workflows inside workflows
inline constexpr std::size_t workflow_copied_bytes_max = 2u << 20;  // of what is included

// State.
inline constexpr std::size_t state_path_bytes_max = 4'096;
inline constexpr std::size_t state_depth_max = json_depth_max;        // segments of a path
inline constexpr std::size_t state_bytes_max = 64u << 20;             // one frame, as text
inline constexpr std::size_t state_writes_max = 10'000;               // of one batch
inline constexpr std::size_t computed_levels_max = 256;               // fields computed from fields
inline constexpr std::size_t rendered_bytes_max = message_bytes_max;  // one template, filled in

// Scripts.
inline constexpr std::size_t script_source_bytes_max = 64u << 10;
inline constexpr std::size_t script_scope_bytes_max = message_bytes_max;
inline constexpr std::size_t script_result_bytes_max = message_bytes_max;
inline constexpr std::int64_t script_ms_max = 1'000;        // one evaluation, or one compilation
inline constexpr std::int64_t script_batch_ms_max = 5'000;  // all evaluations of one call
inline constexpr std::size_t script_memory_bytes_max = 64u << 20;
inline constexpr std::size_t script_stack_bytes_max = 512u << 10;  // half of the module's stack
inline constexpr std::size_t script_message_bytes_max = 1'000;     // of what a script threw
inline constexpr std::size_t script_shown_bytes_max = 80;          // of a script in a message
inline constexpr std::int64_t script_turn_ms = 10;         // then a batch lets others go first
inline constexpr std::size_t script_jobs_per_run_max = 4;  // batches of one run that wait
inline constexpr std::size_t script_jobs_per_workflow_max = 16;  // the same, of all its runs
inline constexpr std::size_t script_threads_max = 16;  // and never more than one for each core
inline constexpr std::size_t script_thread_stack_bytes = 16u << 20;
inline constexpr std::size_t cached_scripts_max = 4'096;
inline constexpr std::size_t cached_scripts_bytes_max = 16u << 20;  // as bytecode, all of them

// One plan. What a configuration asks for may not pass the ceilings.
inline constexpr std::size_t plan_title_chars_max = 120;
inline constexpr std::size_t plan_bytes_max =
    100'000;                                      // as an argument of a command: under 128 KiB
inline constexpr std::size_t plan_depth_max = 4;  // levels below the first
inline constexpr std::size_t plan_tasks_max = 1'000;
inline constexpr std::size_t plan_indent_chars = 2;
inline constexpr std::size_t plan_direction_halt_chars = 3;
inline constexpr std::size_t plan_title_chars_ceiling = 1'000;
inline constexpr std::size_t plan_bytes_ceiling = 1u << 20;
inline constexpr std::size_t plan_depth_ceiling = 16;
inline constexpr std::size_t plan_tasks_ceiling = 10'000;
inline constexpr std::size_t plan_indent_chars_ceiling = 8;
inline constexpr std::size_t plan_direction_halt_chars_ceiling = 80;
inline constexpr std::size_t plan_shape_bytes_max = 64;  // one way to write a task or constraint
inline constexpr std::size_t plan_shapes_max = 8;
inline constexpr std::size_t plan_named_tasks_max = 20;  // tasks listed in one message
inline constexpr std::size_t plan_changed_files_max = 100;
inline constexpr int plan_write_tries_max = 8;           // when others keep changing the text
inline constexpr std::int64_t plan_lock_ms_max = 2'000;  // waiting for others to let go
inline constexpr std::int64_t plan_lock_poll_ms = 10;
inline constexpr std::size_t git_config_bytes_max = 4u << 20;

// One command that Baton runs and waits for: git, jj.
inline constexpr std::size_t command_output_bytes_max = 2u << 20;
inline constexpr std::size_t command_errors_bytes_max = 2'000;  // its end
inline constexpr std::int64_t command_ms_max = 20'000;
inline constexpr std::size_t git_blanked_settings_max = 1'000;  // of one repository

// One command of a workflow.
inline constexpr std::size_t process_output_bytes_max = 1u << 20;   // its beginning
inline constexpr std::size_t process_errors_bytes_max = 16u << 10;  // its end
inline constexpr std::int64_t process_ms_max = 600'000;
inline constexpr std::int64_t process_timeout_ms_max = 86'400'000;  // that a step may ask for
inline constexpr std::int64_t process_kill_ms_max = 5'000;     // for what was killed to be gone
inline constexpr std::int64_t process_wait_ms_max = 20'000;    // of a call, before it answers
inline constexpr std::size_t process_noted_bytes_max = 4'096;  // of each stream, in the log

// What the system lets one command use, unless its owner says otherwise (commands.limits). Files
// and time are counted for each of its processes, processes for all of the user's together.
inline constexpr std::uint64_t command_open_files_max = 65'536;
inline constexpr std::uint64_t command_processes_max = 16'384;
inline constexpr std::uint64_t command_file_bytes_max = std::uint64_t{16} << 30;
inline constexpr std::uint64_t command_cpu_seconds_max = 86'400;

// Which workflows may run commands.
inline constexpr std::size_t trust_file_bytes_max = 1u << 20;
inline constexpr std::size_t trusted_workflows_max = 1'000;
inline constexpr std::size_t trusted_files_max = 256;  // that the commands of one workflow name
inline constexpr std::size_t trusted_file_bytes_max = 16u << 20;
inline constexpr std::size_t command_words_max = 4'096;  // of one command, looked at for files

// Proof that a step was done.
inline constexpr std::size_t evidence_per_step_max = 32;
inline constexpr std::size_t evidence_file_bytes_max = 16u << 20;    // looked through for a pattern
inline constexpr std::size_t evidence_hashed_bytes_max = 64u << 20;  // a longer file has no digest
inline constexpr std::int64_t evidence_command_ms_max = 120'000;
inline constexpr std::size_t evidence_known_commits_max = 32'768;     // in the log, of one baseline
inline constexpr std::size_t evidence_listing_bytes_max = 16u << 20;  // of all commits or objects
inline constexpr std::size_t evidence_fresh_commits_max = 256;        // judged, the newest ones
inline constexpr std::size_t evidence_compared_commits_max = 10'000;  // old ones, with the fresh
// Attempts at one step that are refused for missing proof in a run that never stops; the next one
// without proof fails the step.
inline constexpr std::int64_t unproven_refusals_max = 3;

// One run.
inline constexpr std::int64_t open_steps_max = 64;           // of one node: six bits of a token
inline constexpr std::int64_t attempts_per_step_max = 1023;  // ten bits of a token
inline constexpr std::size_t nodes_per_commit_max = 16;
inline constexpr std::int64_t commit_no_max = (std::int64_t{1} << 36) - 1;  // with 16: five bytes
inline constexpr std::size_t context_bytes_max = 256u << 10;
inline constexpr std::size_t context_depth_max = 64;
inline constexpr std::size_t blob_bytes_max = 2u << 20;  // one artifact or note
// Sub-agents.
inline constexpr std::size_t parallel_tasks_max = 10'000;     // of one step
inline constexpr std::int64_t task_lease_ms = 600'000;        // renewed when half is over
inline constexpr std::int64_t task_wait_ms = 2'000;           // before a task is asked for again
inline constexpr std::size_t tasks_shown_bytes_max = 10'000;  // of their list in one reply

inline constexpr std::int64_t session_commits_max = 10'000'000;

inline constexpr std::size_t goal_bytes_max = 4'096;
inline constexpr std::size_t end_reason_bytes_max = 4'096;   // why a run was ended
inline constexpr std::size_t hold_reason_bytes_max = 4'096;  // why its owner holds it
inline constexpr std::size_t guidance_bytes_max = 4'096;     // one word of guidance
inline constexpr std::int64_t guidance_per_run_max = 1'000;
inline constexpr std::int64_t guidance_per_reply_max = 16;  // the rest comes with the next reply
inline constexpr std::int64_t holds_per_run_max = 10'000;   // pauses, resumes and cancellations
inline constexpr std::size_t workspace_path_bytes_max = 4'096;
inline constexpr std::size_t artifacts_per_output_max = 64;
inline constexpr std::size_t rebase_walk_nodes_max = 1'024;  // past it, an advance forks
inline constexpr std::size_t fork_walk_nodes_max = 1'024;   // read of the branch that a fork leaves
inline constexpr std::size_t fork_commands_max = 5;         // of that branch, named in one reply
inline constexpr std::size_t reply_inline_bytes_max = 256;  // longer strings are kept by hash
inline constexpr std::int64_t snapshot_path_events_min = 64;
inline constexpr std::size_t shown_gaps_max = 10;       // of those open, in one reply
inline constexpr std::size_t open_gaps_max = 1'000;     // at one node
inline constexpr std::size_t walk_rounds_max = 10'000;  // steps looked at to find the next one
inline constexpr std::size_t trace_entries_max = 25;    // of one event; more make more events
inline constexpr std::size_t trace_event_bytes_max = 8'192;
inline constexpr std::size_t trace_summary_bytes_max = 512;

// A workflow that is walked over all its ways.
inline constexpr std::size_t simulated_points_max = 5'000;         // looked at
inline constexpr std::int64_t simulated_ways_max = 1'000'000'000;  // counted

// What a returning caller is told.
inline constexpr std::size_t recap_bytes_max = 12u << 10;
inline constexpr std::size_t recap_line_bytes_max = 160;  // of a child's notes
inline constexpr std::size_t recap_references_bytes_max = 2'048;
// What a workflow says for the whole run, as a returning caller is told it.
inline constexpr std::size_t recap_guidance_bytes_max = 4'096;
inline constexpr std::size_t recap_functions_bytes_max = 4u << 10;  // beside the recap
inline constexpr std::size_t silent_walk_nodes_max = 1'024;         // looked at for an output
inline constexpr std::size_t recap_children_max = 10;               // of one node
inline constexpr std::size_t recap_walk_nodes_max = 1'024;          // looked at, each way
inline constexpr std::size_t step_history_max = 100;                // steps of one run, the newest
inline constexpr std::size_t step_history_nodes_max = 2'048;        // looked at for them
inline constexpr std::size_t traced_nodes_max = 2'048;              // of one run, the newest
inline constexpr std::size_t notes_shown_bytes_max = 4'096;         // of one step's notes

// What an attempt is told when it does not pass.
inline constexpr std::size_t blockers_max = 10;
inline constexpr std::size_t blocker_message_bytes_max = 512;
inline constexpr std::size_t blocker_fix_bytes_max = 1'024;
inline constexpr std::size_t validation_text_bytes_max = 4'096;  // of one issue in the log

// What is put into a prompt when its step becomes pending.
inline constexpr std::size_t prompt_value_bytes_max = 4'096;       // one {{ value }}
inline constexpr std::size_t prompt_values_bytes_max = 64u << 10;  // all of one text
inline constexpr std::size_t prompt_requirements_max = 5;          // rules of the output, listed

inline constexpr int append_tries_max = 16;  // when other appends to the session keep winning
inline constexpr std::int64_t retry_after_ms = 50;

// MCP tasks.
inline constexpr std::int64_t mcp_task_ttl_ms_max = 30LL * 86'400'000;

// What a process keeps of things that never change.
inline constexpr std::size_t cached_states_max = 256;
inline constexpr std::size_t cached_workflows_max = 32;
inline constexpr std::size_t cached_boards_max = 32;
inline constexpr std::size_t cached_inputs_max = 64;               // steps, with at most 32 KB each
inline constexpr std::size_t cached_outlines_max = 4'096;          // commits without their bodies
inline constexpr std::size_t cached_commit_bytes_max = 32u << 10;  // of one that is kept decoded
inline constexpr std::size_t cached_followed_max = 16;             // sessions
inline constexpr std::size_t reseals_max = 16;  // snapshots that wait to be stored again

// How far a log is read to see that nothing which happened since a node is left out of the rows.
inline constexpr std::int64_t followed_commits_max = 8'192;

// One commit: a message's worth of output and the events around it, with room for escapes.
inline constexpr std::size_t commit_bytes_max = 32u << 20;
inline constexpr std::size_t commit_depth_max = json_depth_max + 16;
inline constexpr std::size_t dedupe_key_bytes_max = 256;

// The store's file.
inline constexpr std::size_t group_commit_appends_max = 64;
inline constexpr std::int64_t store_busy_ms_max = 5'000;     // waiting for other processes
inline constexpr std::int64_t store_wal_pages_max = 16'000;  // past it a checkpoint does not wait
// Past it nothing is written until the reader of the WAL's beginning ends: 1 GiB.
inline constexpr std::int64_t store_wal_pages_ceiling = 1'000'000;
inline constexpr std::int64_t anchor_lag_commits_max = 64;  // that the heads could not take
inline constexpr std::int64_t store_restart_wait_ms = 20;  // all writers, for a long WAL to restart
inline constexpr std::int64_t store_quiet_ms = 100;        // without appends: time to checkpoint
inline constexpr std::size_t store_readers_max = 4;        // connections
inline constexpr std::int64_t change_poll_ms = 200;
inline constexpr std::size_t aux_pending_calls_max = 256;  // of the call log, not yet in its file
inline constexpr std::size_t aux_calls_max = 10'000;       // and in it
inline constexpr std::size_t aux_texts_max = 20'000;       // remembered by key

// Reading a log: how much at a time, and how many problems a check names.
inline constexpr std::size_t log_page_commits = 64;
inline constexpr std::size_t log_page_bytes_max = 4u << 20;  // but for one commit that has more
inline constexpr std::size_t verify_problems_max = 100;
inline constexpr std::int64_t listed_runs_max = 1'000'000;  // by `baton runs`
inline constexpr std::size_t short_id_characters_min = 4;   // of the end of a run's id
inline constexpr std::size_t short_id_runs_max = 10'000;    // looked at for one, the newest

// Removing old sessions.
inline constexpr std::int64_t gc_quiet_days_max = 36'500;
inline constexpr std::size_t content_scan_commits = 1'024;  // looked through in one transaction

// A session as one file.
inline constexpr std::size_t bundle_bytes_max = 64u << 20;

// Token life: 0 means none.
inline constexpr std::int64_t token_life_minutes_max = 10'080;

// The key ring's text; 16 keys take about half of this.
inline constexpr std::size_t key_ring_bytes_max = 4u << 10;

// What the protocol shows of itself.
inline constexpr std::size_t tool_name_bytes_max = 64;  // strict clients refuse longer ones
inline constexpr std::size_t tool_description_bytes_max = 2'000;
inline constexpr std::size_t instructions_bytes_max = 2'000;
inline constexpr std::size_t list_page_items_max = 100;
inline constexpr std::size_t result_bytes_max = 24u << 10;  // of a result with pages
inline constexpr std::size_t problems_reported_max = 20;    // of one call's arguments
inline constexpr std::int64_t cache_hint_ms = 300'000;      // how long a client may keep a list

inline constexpr std::size_t completion_values_max = 100;  // by the protocol
inline constexpr std::size_t subscribed_uris_max = 1'024;  // of one client or one listening
inline constexpr std::size_t subscribed_uris_bytes_max = 64u << 10;  // the same, together
inline constexpr std::size_t request_id_bytes_max = 1'024;
inline constexpr std::size_t batch_messages_max = 64;
inline constexpr std::size_t input_rounds_max = 16;              // questions of one legacy call
inline constexpr std::int64_t request_state_ms_max = 3'600'000;  // that a client may keep
inline constexpr std::int64_t client_answer_ms_max = 600'000;    // people may have to think
inline constexpr std::int64_t task_poll_ms = 1'000;

// One stdio connection.
inline constexpr std::size_t listens_max = 1'024;
inline constexpr std::size_t workers_max = 16;
inline constexpr std::int64_t call_patience_ms = 1;    // a longer call lets another thread read on
inline constexpr std::int64_t stream_patience_ms = 8;  // the same, while many quick calls come
inline constexpr std::size_t held_output_bytes_max = 32u << 10;  // answers that wait for others
inline constexpr std::size_t calls_in_flight_max = 64;
inline constexpr std::size_t read_ahead_calls_max = 64;  // read and parked beyond those in flight
inline constexpr std::size_t unfinished_call_bytes_max = 16u << 20;
inline constexpr std::int64_t drain_ms_max = 2'000;  // for calls in flight when the input ends
inline constexpr std::int64_t exit_ms_max = 2'000;   // from the end of serving to the process's end

// The HTTP server. A head comes before its sender has shown the secret, so that what is kept of
// unfinished ones is counted apart from everything else.
inline constexpr std::size_t http_head_bytes_max = 16u << 10;
inline constexpr std::size_t http_fields_max = 128;  // of one head, and of the trailer of a body
inline constexpr std::size_t http_heads_bytes_max = 4u << 20;       // unfinished, of all clients
inline constexpr std::size_t http_peer_heads_bytes_max = 1u << 20;  // of one address or user
inline constexpr std::size_t http_connections_max = 8'192;
inline constexpr std::int64_t http_head_ms_max = 10'000;    // from its first byte to its last
inline constexpr std::int64_t http_body_ms_max = 30'000;    // the same
inline constexpr std::int64_t http_idle_ms_max = 120'000;   // between two requests
inline constexpr std::int64_t http_write_ms_max = 30'000;   // without a byte taken by the client
inline constexpr std::int64_t http_linger_ms_max = 1'000;   // for a refused client to read why
inline constexpr std::int64_t http_keep_alive_ms = 15'000;  // between signs of life on a stream
inline constexpr std::size_t http_unread_bodies_bytes_max = 64u << 20;  // of all connections
inline constexpr std::size_t http_backlog_bytes_max = 256u << 10;       // of one slow reader
inline constexpr std::size_t http_unsent_bytes_max = 64u << 20;         // of all slow readers
inline constexpr std::size_t http_secret_chars_min = 16;
inline constexpr std::size_t http_secret_bytes_max = 4u << 10;  // of its file

// MCP over HTTP.
inline constexpr std::size_t http_workers_max = 64;   // a call may wait long for its client
inline constexpr std::size_t http_calls_max = 1'024;  // running or waiting to
inline constexpr std::size_t http_calls_bytes_max = 64u << 20;  // of their messages, together
inline constexpr std::size_t http_listens_max = 4'096;
inline constexpr std::size_t http_sessions_max = 1'024;         // of legacy clients
inline constexpr std::size_t http_replay_bytes_max = 1u << 20;  // of one session
inline constexpr std::size_t http_replay_streams_max = 16;      // finished ones, of one session
inline constexpr std::int64_t http_slow_call_ms = 1'000;  // after it the answer becomes a stream
inline constexpr std::int64_t sse_retry_ms = 1'000;       // before a client returns

}  // namespace baton::limits
