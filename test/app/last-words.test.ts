// The last line of a service that ends by a fault of its own.
import { describe, expect, it } from 'vitest';
import { lastWords } from '../../src/app/last-words.ts';
import { registerSecret } from '../../src/log.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const HERE = expect.stringContaining('last-words.test.ts');

it('tells kind, code and place of the fault, and nothing of its message', () => {
  const fault = Object.assign(new TypeError('the report says hunter2'), { code: 'ERR_X', body: 'hunter2' });
  const words = lastWords(fault, NOW);
  expect(words).not.toContain('hunter2');
  expect(JSON.parse(words)).toMatchObject({
    level: 'fatal',
    time: '2026-11-20T10:00:00.000Z',
    type: 'TypeError',
    code: 'ERR_X',
    at: expect.arrayContaining([HERE]),
  });
  expect(JSON.parse(lastWords('just a text', new Date()))).toMatchObject({ type: 'Error', code: '' });
});

it('takes names and codes of programs only, and no secret of ours in whatever else', () => {
  const codeOf = (code: string) => JSON.parse(lastWords(Object.assign(new Error('x'), { code }), NOW)).code;
  for (const code of ['ERR_HTTP2_X', 'ECONNRESET', 'SQLITE_BUSY', 'lease_lost']) expect(codeOf(code)).toBe(code);
  expect(['sk-9f1d89ffd3ab79ae', 'two words', 'x'.repeat(99)].map(codeOf)).toEqual(['', '', '']);
  registerSecret('ALLUPPERSECRET');
  expect(codeOf('ALLUPPERSECRET')).toBe('[redacted]');
});

describe('a fault that quotes a stack of others', () => {
  const QUOTED = 'failed: Error: x\n    at hunter2 (/srv/shop/hunter2.js:1:1)\n    at hunter2';
  // The head of a stack is made when the stack is read first.
  const changed = (message: string) => {
    const fault = new Error(QUOTED);
    expect(fault.stack).toContain('hunter2');
    return Object.assign(fault, { message });
  };
  it.each<readonly [string, () => Error, boolean]>([
    ['as its message', () => new RangeError(QUOTED), true],
    ['and whose message was changed', () => changed('something else'), false],
    ['and whose message was emptied', () => changed(''), false],
    ['and whose message is now a part of it', () => changed('x'), false],
    ['as its name', () => Object.assign(new Error('x'), { name: QUOTED }), false],
    ['as its code', () => Object.assign(new Error('x'), { code: QUOTED }), true],
    ['in its cause', () => new Error('x', { cause: new Error(QUOTED) }), true],
  ])('%s says nothing of it', (_name, make, hasPlaces) => {
    const words = lastWords(make(), NOW);
    expect(words).not.toContain('hunter2');
    expect(JSON.parse(words).at).toEqual(hasPlaces ? expect.arrayContaining([expect.stringMatching(/^at /)]) : []);
  });
});
