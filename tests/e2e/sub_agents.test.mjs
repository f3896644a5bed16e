// An orchestrator and four sub-agents, each an official client over HTTP, while the server is
// killed and started again every two seconds: the run ends just as one that is not disturbed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { load, server } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = load(
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
);

const folder = mkdtempSync(join(tmpdir(), 'baton-sub-agents-'));
after(() => rmSync(folder, { recursive: true }));
const flows = join(folder, 'flows');
mkdirSync(flows);
writeFileSync(join(flows, 'spread.yaml'), `
id: spread
default_state: {raw: {seen: [], marks: {}, errors: []}}
state_schema: {raw: {seen: array, marks: object, errors: array}}
steps:
  - {id: plan, prompt: Plan it.}
  - id: rounds
    type: foreach
    items: [first, second]
    body:
      - id: work
        type: parallel_foreach
        items: "{{ [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }}"
        max_parallel: 4
        sub_agent_task: one
        on_sub_agent_error: {strategy: retry_failed, max_retries: 3, error_state_path: raw.errors}
  - {id: report, prompt: "Marks {{ marks }}."}
sub_agent_tasks:
  one:
    inputs: {number: {type: integer}}
    steps:
      - {id: look, prompt: "Look at {{ inputs.number }}."}
      - {id: mark, type: state_update, path: "raw.marks.{{ task_id }}", value: "{{ item }}"}
      - {id: judge, prompt: "Judge {{ item }}."}
      - {id: note, type: state_update, path: raw.seen, operation: append, value: "{{ task_id }}"}
`);

/** A port that is not in use just now, so that every life of the server has the same. */
async function free_port() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

/** A server that is killed and started anew every `every_ms`, or never. */
class Lives {
  constructor(name, port, every_ms) {
    this.words = ['--surface', 'atomic', '--workflows', flows, '--http', `127.0.0.1:${port}`,
      '--token-file', join(folder, 'secret'), '--db', join(folder, `${name}.db`)];
    this.every_ms = every_ms;
    this.kills = 0;
    this.done = 0;
    this.running = true;
  }

  async start() {
    const { command } = server();
    this.child = spawn(command, ['serve', ...this.words], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(createInterface({ input: this.child.stdout }), 'line');
    if (this.every_ms !== undefined) this.killer ??= this.kill_again_and_again();
  }

  /** Waits for the next kill once enough was done in this life. */
  async long_enough() {
    while (this.every_ms !== undefined && this.done > (this.kills + 1) * steps_per_life) {
      await sleep(20);
    }
    this.done += 1;
  }

  async kill_again_and_again() {
    while (this.running) {
      await sleep(this.every_ms);
      if (!this.running) break;
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
      this.kills += 1;
      await this.start();
    }
  }

  async stop() {
    this.running = false;
    await this.killer;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

/** A client that comes back when its server went away, and sends again what was not answered. */
class Caller {
  constructor(port) {
    this.url = new URL(`http://127.0.0.1:${port}/mcp`);
  }

  async call(name, args) {
    for (;;) {
      try {
        if (this.client === undefined) {
          const client = new Client({ name: 'sub-agents', version: '1' }, { capabilities: {} });
          const headers = { authorization: `Bearer ${secret}` };
          await client.connect(
            new StreamableHTTPClientTransport(this.url, { requestInit: { headers } }));
          this.client = client;
        }
        const result = await this.client.callTool({ name, arguments: args });
        assert.ok(!result.isError, JSON.stringify(result.content));
        return result.structuredContent;
      } catch (problem) {
        if (problem instanceof assert.AssertionError) throw problem;
        const old = this.client;
        this.client = undefined;
        await old?.close().catch(() => {});
        await sleep(20);
      }
    }
  }

  close() {
    return this.client?.close();
  }
}

const secret = 'a-secret-of-sixteen-characters-and-more';
writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 });
// So many steps of sub-agents are done in each life of a server, at most.
const steps_per_life = 12;
const failed_once = new Set();

/** What a sub-agent does: its task, step by step, to the end. One task in five fails at first. */
async function carry_out(caller, lives, { task_id, context: { workflow_id } }) {
  const sub_agent_context = { task_id };
  for (;;) {
    const { step } = await caller.call('workflow_get_next_step', {
      workflow_id, sub_agent_context,
    });
    if (step === null) return;
    if (step.type === 'wait_step') {
      await sleep(10);
      continue;
    }
    await lives.long_enough();
    const done = { workflow_id, step_id: step.id, sub_agent_context };
    const number = Number(task_id.split('.item').at(-1));
    if (number % 5 === 0 && !failed_once.has(task_id)) {
      failed_once.add(task_id);
      await caller.call('workflow_step_complete', { ...done, status: 'failed', error: 'not yet' });
    } else {
      await caller.call('workflow_step_complete', { ...done, result: `did ${step.id}` });
    }
  }
}

/** The orchestrator: hands out what is open to four sub-agents and goes on. */
async function orchestrate(name, every_ms) {
  const port = await free_port();
  const lives = new Lives(name, port, every_ms);
  await lives.start();
  failed_once.clear();
  const orchestrator = new Caller(port);
  const agents = [1, 2, 3, 4].map(() => new Caller(port));
  try {
    const { workflow_id } = await orchestrator.call('workflow_start', { workflow: 'spread' });
    for (;;) {
      const { step } = await orchestrator.call('workflow_get_next_step', { workflow_id });
      if (step === null) break;
      if (step.type === 'parallel_tasks') {
        const open = [...step.definition.tasks];
        await Promise.all(agents.map(async (agent) => {
          for (let task = open.shift(); task !== undefined; task = open.shift()) {
            await carry_out(agent, lives, task);
          }
        }));
        continue;
      }
      await orchestrator.call('workflow_step_complete', {
        workflow_id, step_id: step.id, result: `did ${step.id}`,
      });
    }
    const { final_state } = await orchestrator.call('workflow_complete', {
      workflow_id, status: 'success',
    });
    return { state: final_state, kills: lives.kills };
  } finally {
    for (const caller of [orchestrator, ...agents]) await caller.close()?.catch(() => {});
    await lives.stop();
  }
}

/** A state without the order in which sub-agents happened to be done. */
function settled(state) {
  return { ...state, seen: [...state.seen].sort() };
}

test('a run whose server is killed every two seconds ends like any other', { timeout: 240_000 },
  async () => {
    const calm = await orchestrate('calm');
    assert.equal(calm.state.seen.length, 24);
    assert.equal(new Set(calm.state.seen).size, 24);
    assert.deepEqual(calm.state.errors, []);
    const wild = await orchestrate('wild', 2_000);
    assert.ok(wild.kills >= 3, `${wild.kills} kills`);
    assert.deepEqual(settled(wild.state), settled(calm.state));
  });
