// The last line of a service that ends by a fault of its own.
import { expect, it } from 'vitest';
import { lastWords } from '../../src/app/last-words.ts';

it('tells kind, code and place of the fault, and nothing of its message', () => {
  const fault = Object.assign(new TypeError('the report says hunter2'), { code: 'ERR_X', body: 'hunter2' });
  const words = lastWords(fault, new Date('2026-11-20T10:00:00.000Z'));
  expect(words).not.toContain('hunter2');
  expect(JSON.parse(words)).toMatchObject({
    level: 'fatal',
    time: '2026-11-20T10:00:00.000Z',
    type: 'TypeError',
    code: 'ERR_X',
    at: expect.arrayContaining([expect.stringContaining('last-words.test.ts')]),
  });
  expect(JSON.parse(lastWords('just a text', new Date()))).toMatchObject({ type: 'Error', code: '' });
});
