// The official client plays three bundled workflows to their ends: loops by condition, by list and
// by the agent's decision, contracts, criteria, inputs. The agent answers by step; when an answer
// is blocked it fixes it by what the blocker says.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load, server } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const long = (text) => `${text} `.repeat(Math.ceil(240 / (text.length + 1)));
const decide = (decision) => [{ kind: 'baton.loop_control', decision }];

/** Calls a tool and gives its fields; the text must be there as well. */
async function called(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  assert.ok(result.content[0].text.length > 0);
  return result.structuredContent;
}

/** Plays a workflow; `answers` has for each step id what to hand in, by the round of its loop. */
async function play(workflowId, context, answers) {
  const client = new Client({ name: 'bundled', version: '1' }, { capabilities: {} });
  await client.connect(new StdioClientTransport(server()));
  try {
    const steps = [];
    let reply = await called(client, 'start_workflow', { workflowId, context });
    while (!reply.isComplete) {
      const key = reply.pending.stepId;
      if (reply.kind !== 'blocked') steps.push(key);
      assert.ok(steps.length < 50, `no end: ${steps}`);
      const step = key.split('::').at(-1);
      const round = Number(/@(\d+)::/.exec(key)?.[1] ?? 0);
      const again = reply.kind === 'blocked' ? '-again' : '';
      const answer = (answers[`${step}${again}`] ?? assert.fail(`${key}${again}`))(round, reply);
      const { context: delta, ...output } = answer;
      reply = await called(client, 'continue_workflow', {
        ackToken: reply.retryAckToken ?? reply.ackToken,
        output,
        ...(delta && { context: delta }),
      });
    }
    const again = await called(client, 'resume_session', { query: workflowId });
    assert.equal(again.candidates[0].runId, reply.session.runId);
    assert.equal(again.candidates[0].isComplete, true);
    return { steps, reply };
  } finally {
    await client.close();
  }
}

test('a bug is fixed', async () => {
  const blockers = [];
  const { steps, reply } = await play('baton.bug-fix', { bug: 'The sum is off by one' }, {
    'failing-test': () => ({ notesMarkdown: 'Failure: 4 instead of 5' }),
    'failing-test-again': (round, blocked) => {
      blockers.push(...blocked.blockers);
      return {
        notesMarkdown: 'Command: make test\nFailure: 4 instead of 5\nBefore: none',
        context: { reproduced: true },
      };
    },
    experiment: (round) => ({ notesMarkdown: `Hypothesis: number ${round}\nResult: seen` }),
    'cause-known': (round) => ({
      notesMarkdown: 'The loop ends one too early.',
      artifacts: decide(round < 2 ? 'continue' : 'stop'),
    }),
    fix: () => ({ notesMarkdown: long('The bound was wrong; changed sum.c; all tests pass.') }),
    'same-mistake': () => ({ notesMarkdown: long('Searched every loop; found none.') }),
    'hand-over': () => ({
      notesMarkdown: 'The user wanted no commit.',
      artifacts: [{ kind: 'baton.confirmation', words: 'Fine, but do not commit it.' }],
    }),
  });
  assert.equal(reply.status, 'complete');
  assert.deepEqual(blockers.map((each) => each.code), ['INVALID_REQUIRED_OUTPUT']);
  assert.match(blockers[0].message, /Command:/);
  assert.deepEqual(steps, [
    'reproduce@0::failing-test',
    ...[0, 1, 2].flatMap((i) => [`find-cause@${i}::experiment`, `find-cause@${i}::cause-known`]),
    'fix', 'same-mistake', 'hand-over',
  ]);
});

test('a question is researched', async () => {
  const { steps, reply } = await play('baton.research', { question: 'Which hash is fastest?' }, {
    frame: () => ({ notesMarkdown: long('The question, its parts and where to look.') }),
    gather: () => ({ notesMarkdown: long('A claim [a source, undated, "words"].') }),
    'gather-again': () => ({ notesMarkdown: long('A claim [a source, undated, "words"].') }),
    challenge: (round) => ({
      notesMarkdown: long('Nothing against it was found.'),
      context: { coverage: round === 0 ? 'partial' : 'complete' },
    }),
    report: () => ({
      notesMarkdown:
        '## Answer\nIt depends.\n\n## Evidence\nA [b].\n\n## Disagreement\nNone found\n\n' +
        '## Unknown\nNothing',
    }),
    'check-citations': () => ({ notesMarkdown: '1 citation was checked.' }),
  });
  assert.equal(reply.status, 'complete');
  assert.deepEqual(steps, [
    'frame',
    ...[0, 1].flatMap((i) => [`investigate@${i}::gather`, `investigate@${i}::challenge`]),
    'report', 'check-citations',
  ]);
});

test('a change is reviewed', async () => {
  const seen = [];
  const lenses = ['the happy path', 'the edges'];
  const { steps, reply } = await play('baton.code-review', { target: 'main..topic', lenses }, {
    understand: () => ({ notesMarkdown: long('What the change does, its files and its base.') }),
    lens: (round, pending) => {
      seen.push(lenses.filter((lens) => pending.pending.prompt.includes(`**${lens}**`)));
      return { notesMarkdown: long('Nothing found through this lens at file.c:1.') };
    },
    disprove: () => ({ notesMarkdown: 'All stand.' }),
    'disprove-again': (round, blocked) => {
      assert.deepEqual(blocked.blockers.map((each) => each.code), ['MISSING_REQUIRED_OUTPUT']);
      return { notesMarkdown: 'All stand.', artifacts: decide('stop') };
    },
    verdict: () => ({
      notesMarkdown:
        '## Verdict\napprove: it is right.\n\n## Findings\nNone\n\n## Questions\nNone\n\n' +
        '## Not reviewed\nNothing',
    }),
  });
  assert.equal(reply.status, 'complete');
  assert.deepEqual(seen, [['the happy path'], ['the edges']]);
  assert.deepEqual(steps, [
    'understand', 'examine@0::lens', 'examine@1::lens', 'verify-findings@0::disprove', 'verdict',
  ]);
});
