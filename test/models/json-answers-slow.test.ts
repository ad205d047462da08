// Answers that were made to be slow: a model, or what a model read, holds up nobody.
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model.ts';
import { readJsonAnswer, readWrittenCalls } from '../../src/models/json-mode.ts';

const TOOL = { name: 'search', description: 'Searches.', parameters: {} };
const REQUEST = { toolChoice: 'auto' } as ModelRequest;

/** Milliseconds of the processor, so that other work on the machine counts for nothing. */
function work(act: () => unknown): number {
  const from = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

it.each([
  ['quotation marks that are escaped', `{"content":${'\\"'.repeat(100_000)}}`],
  ['strings that are not closed', `{${'"\\'.repeat(100_000)}}`],
])('200 kB of %s are refused at once', (_, text) => {
  expect(work(() => expect(() => readJsonAnswer(text, REQUEST)).toThrow('invalid JSON'))).toBeLessThan(2_000);
});

it('calls that are opened 20,000 times and never closed are no calls, at once', () => {
  const text = '<tool_call>'.repeat(20_000);
  expect(work(() => expect(readWrittenCalls(text, [TOOL])).toBeNull())).toBeLessThan(2_000);
});

it('each call between its marks is read', () => {
  const call = (pattern: string) => `<tool_call>{"name":"search","arguments":{"pattern":"${pattern}",}}</tool_call>`;
  const read = readWrittenCalls(`First ${call('a')} and ${call('b')}`, [TOOL]);
  expect(read?.calls.map((one) => one.arguments)).toEqual(['{"pattern":"a"}', '{"pattern":"b"}']);
});
