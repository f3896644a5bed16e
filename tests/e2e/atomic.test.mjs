// The official client drives the atomic surface: a bundled workflow from the list to its final
// state, through blockers, repeated calls and one server after another; and the prompts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load, server } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const long = (text) => `${text} `.repeat(Math.ceil(240 / (text.length + 1)));
const control = (decision) => [{ kind: 'baton.loop_control', decision }];

/** What is handed in for each step, by its id without the loops around it. */
const answers = {
  understand: () => ({ result: long('What the change does, its files and its base.') }),
  lens: () => ({ result: long('Nothing found through this lens at file.c:1.') }),
  disprove: (again) => ({
    output: { notesMarkdown: 'All stand.', ...(again && { artifacts: control('stop') }) },
  }),
  verdict: () => ({
    result:
      '## Verdict\napprove: it is right.\n\n## Findings\nNone\n\n## Questions\nNone\n\n' +
      '## Not reviewed\nNothing',
  }),
};

async function connected() {
  const client = new Client({ name: 'atomic', version: '1' }, { capabilities: {} });
  await client.connect(new StdioClientTransport(server('--surface', 'atomic')));
  return client;
}

/** Calls a tool and gives its fields; the text must be there as well. */
async function called(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  assert.ok(result.content[0].text.length > 0);
  return result.structuredContent;
}

test('a change is reviewed, by several processes', async () => {
  let client = await connected();
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.every((tool) => tool.name.startsWith('workflow_')));
    const { workflows } = await called(client, 'workflow_list', {});
    assert.ok(workflows.some((each) => each.name === 'baton.code-review'));
    const info = await called(client, 'workflow.get_info', { workflow: 'baton.code-review' });
    assert.equal(info.inputs.target.required, true);
    const inputs = { target: 'main..topic', lenses: ['the happy path', 'the edges'] };
    const { workflow_id } = await called(client, 'workflow_start', {
      workflow: 'baton.code-review', inputs,
    });
    const steps = [];
    for (;;) {
      const { step, blockers } = await called(client, 'workflow_get_next_step', { workflow_id });
      if (step === null) break;
      const answer = answers[step.id.split('::').at(-1)](blockers !== undefined);
      const done = { workflow_id, step_id: step.id, status: 'success', ...answer };
      const first = await called(client, 'workflow_step_complete', done);
      if (first.success) {
        steps.push(step.id);
        // Another process knows the run by its id alone, and that the step is done.
        await client.close();
        client = await connected();
        assert.deepEqual(await called(client, 'workflow_step_complete', done), first);
      } else {
        assert.deepEqual(first.blockers.map((each) => each.code), ['MISSING_REQUIRED_OUTPUT']);
      }
      assert.ok(steps.length < 20, `no end: ${steps}`);
    }
    assert.deepEqual(steps, [
      'understand', 'examine@0::lens', 'examine@1::lens', 'verify-findings@0::disprove', 'verdict',
    ]);
    const end = await called(client, 'workflow_complete', { workflow_id, status: 'success' });
    assert.equal(end.status, 'complete');
    assert.deepEqual(end.final_state.lenses, inputs.lenses);
    const history = await called(client, 'workflow_debug_info', { workflow_id });
    assert.deepEqual(history.step_history.map((each) => each.step_id), steps.toReversed());
  } finally {
    await client.close();
  }
});

test('the prompts help to begin', async () => {
  const client = await connected();
  try {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((each) => each.name).sort(), ['sub_agent', 'workflow']);
    const ref = { type: 'ref/prompt', name: 'workflow' };
    const complete = async (name, value, context) =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: context } }))
        .completion.values;
    assert.deepEqual(await complete('action', 'st', {}), ['start', 'status']);
    assert.deepEqual(await complete('name', 'baton.b', { action: 'start' }), ['baton.bug-fix']);
    assert.deepEqual(
      await complete('inputs', 'bug=x w', { action: 'start', name: 'baton.bug-fix' }),
      ['bug=x where='],
    );
    const { messages } = await client.getPrompt({
      name: 'workflow',
      arguments: { action: 'start', name: 'baton.bug-fix', inputs: 'bug=it hangs' },
    });
    assert.match(messages[0].content.text, /workflow_start/);
    assert.match(messages[0].content.text, /bug=it hangs/);
    await assert.rejects(client.getPrompt({ name: 'workflow', arguments: { action: 'info' } }));
  } finally {
    await client.close();
  }
});
