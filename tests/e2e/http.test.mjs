// The real program over HTTP: who is let in, what ends well, and what it survives. The suite of
// conformance.test.mjs looks at the messages; this looks at what it leaves out.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { fixtureServer, server } from './support.mjs';

const start = (...words) => listening(server(...words));
const startFixtures = () => listening(fixtureServer('--http'));

/** Starts a server and waits until it listens. */
async function listening({ command, args }) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const store = args[args.indexOf('--db') + 1];
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  const address = line.replace(/^listening on /, '');
  return {
    child,
    store,
    at: address.startsWith('unix:')
      ? { socketPath: address.slice('unix:'.length) }
      : { host: new URL(address).hostname, port: new URL(address).port },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    },
  };
}

/** One request; the answer is read to its end unless `until` is found first. */
function ask(at, { method = 'POST', headers: more = {}, body, until } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({
      ...at,
      path: '/mcp',
      method,
      agent: false,
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let text = '';
      const { statusCode: status, headers } = answer;
      const done = () => resolve({ status, headers, text, answer });
      answer.setEncoding('utf8');
      answer.on('data', (piece) => {
        text += piece;
        if (until && text.includes(until)) done();
      });
      answer.on('end', done);
      answer.on('error', () => {});
    });
    sent.end(body && JSON.stringify(body));
  });
}

function modern(method, params = {}, id = 1) {
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
    },
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  };
}

/** The headers of a fresh legacy session. */
async function session(at) {
  const answer = await ask(at, {
    body: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'e2e', version: '0' },
      },
    },
  });
  return {
    'mcp-session-id': answer.headers['mcp-session-id'],
    'mcp-protocol-version': '2025-11-25',
  };
}

test('the secret is made for its owner alone, and asked for', async () => {
  const running = await start('--http', '127.0.0.1:0');
  const file = `${running.store}.http-token`;
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  const { headers, body } = modern('server/discover');
  const send = (more) => ask(running.at, { headers: { ...headers, ...more }, body });
  assert.equal((await send({})).status, 401);
  for (const wrong of [`${secret}x`, secret.slice(1), '']) {
    assert.equal((await send({ authorization: `Bearer ${wrong}` })).status, 401);
  }
  const answer = await send({ authorization: `Bearer ${secret}` });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /supportedVersions/);
  await running.stop();
});

test('a foreign Host or Origin is refused, each alone', async () => {
  const running = await startFixtures();
  const { headers, body } = modern('server/discover');
  const status = async (more) => {
    const answer = await ask(running.at, { headers: { ...headers, ...more }, body });
    return answer.status;
  };
  assert.equal(await status({ origin: 'http://evil.example' }), 403);
  assert.equal(await status({ host: 'evil.example' }), 403);
  assert.equal(await status({ host: 'evil.example', origin: 'http://localhost' }), 403);
  assert.equal(await status({ origin: 'http://localhost:6274' }), 200);
  await running.stop();
});

test('a unix socket needs no secret', async () => {
  const path = `${process.env.BATON_CLIENTS}/e2e-${process.pid}.sock`;
  const running = await start('--http', `unix:${path}`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal((await ask(running.at, modern('server/discover'))).status, 200);
  await running.stop();
});

test('a stale session, a bad cursor and an id past the end have their answers', async () => {
  const running = await startFixtures();
  const list = (params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
  const stale = await ask(running.at, { headers: { 'mcp-session-id': 'stale' }, body: list({}) });
  assert.equal(stale.status, 404);
  const headers = await session(running.at);
  const cursor = await ask(running.at, { headers, body: list({ cursor: 'no such page' }) });
  assert.equal(JSON.parse(cursor.text).error.code, -32602);
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call' };
  const params = { name: 'test_tool_with_progress', _meta: { progressToken: 1 } };
  const stream = await ask(running.at, { headers, body: { ...call, params } });
  const ids = [...stream.text.matchAll(/^id: (\S+)$/gm)].map((match) => match[1]);
  const resume = (id) =>
    ask(running.at, { method: 'GET', headers: { ...headers, 'last-event-id': id } });
  assert.match((await resume(ids.at(-2))).text, /"id":2/);
  const past = ids.at(-1).replace(/\d+$/, (number) => Number(number) + 1);
  for (const id of [past, '99-0', 'nonsense']) {
    assert.equal((await resume(id)).status, 400, id);
  }
  await running.stop();
});

test('a thousand listeners cost little, hear of a change and are answered at the end', async () => {
  const running = await startFixtures();
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))[1]);
  const before = resident();
  const filter = { notifications: { toolsListChanged: true } };
  const streams = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      ask(running.at, { ...modern('subscriptions/listen', filter, i), until: 'acknowledged' })
    )
  );
  assert.ok((resident() - before) / 1000 < 8, `${resident() - before} KB for 1,000 streams`);
  const heard = (word) =>
    Promise.all(
      streams.map(({ answer }) => new Promise((resolve) => {
        let text = '';
        answer.on('data', (piece) => (text += piece).includes(word) && resolve());
      }))
    );
  const changed = heard('notifications/tools/list_changed');
  const trigger = await ask(running.at, modern('tools/call', { name: 'test_trigger_tool_change' }));
  assert.equal(trigger.status, 200);
  await changed;
  const answered = heard('"resultType":"complete"');
  await running.stop();
  await answered;
});

test('a thousand slow connections delay no other client', async () => {
  const running = await startFixtures();
  const slow = Array.from({ length: 1000 }, () => connect(running.at));
  await Promise.all(slow.map((socket) => once(socket, 'connect')));
  for (const byte of 'POST /mcp') {
    for (const socket of slow) socket.write(byte);
    const answer = await ask(running.at, modern('tools/call', { name: 'test_simple_text' }));
    assert.equal(answer.status, 200);
  }
  for (const socket of slow) socket.destroy();
  await running.stop();
});

test('what is too large is refused', async () => {
  const running = await startFixtures();
  const { headers, body } = modern('server/discover');
  const long = { ...headers, 'x-long': 'x'.repeat(17_000) };
  const head = await ask(running.at, { headers: long, body });
  assert.equal(head.status, 431);
  const large = await ask(running.at, { headers, body: { ...body, padding: 'x'.repeat(5 << 20) } })
    .catch((error) => error.code);
  // A client that is still sending may see the end of the connection before the answer.
  assert.ok(large.status === 413 || ['EPIPE', 'ECONNRESET'].includes(large));
  await running.stop();
});
