// Reads one JSON text a line, as hexadecimal bytes, and answers each with one line: "no" if
// JSON.parse refuses it, else "ok " and its canonical form by RFC 8785.
'use strict';

function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return '[' + value.map(canonical).join(',') + ']';
  const keys = Object.keys(value).sort();  // by UTF-16 code unit
  return '{' + keys.map((key) => JSON.stringify(key) + ':' + canonical(value[key])).join(',') + '}';
}

function answer(line) {
  try {
    const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});
    return 'ok ' + canonical(JSON.parse(decoder.decode(Buffer.from(line, 'hex'))));
  } catch {
    return 'no';
  }
}

const lines = require('fs').readFileSync(process.argv[2], 'latin1').split('\n');
lines.pop();
process.stdout.write(lines.map((line) => answer(line) + '\n').join(''));
