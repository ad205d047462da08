// What a model says and what it changes, before it is stored: no secret in it, and the diff as true as before.

import { type ChangeSet, toDiff } from 'causeway-diff';
import type { Model } from 'causeway-models';
import { createRedactor } from 'causeway-redact';
import { afterAll, describe, expect, it } from 'vitest';
import type { GuardedChange } from '../../src/investigate/guard-change.ts';
import { redactChange, redactModel, redactTool } from '../../src/services/run-redaction.ts';

const SECRET = 'an-exact-value-of-ours';
const redactor = createRedactor({ exactValues: () => [SECRET] });
afterAll(() => redactor[Symbol.asyncDispose]());
const signal = new AbortController().signal;

const BODY = Array.from(
  { length: 12 },
  (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${String(at).padStart(2, '0').repeat(16)}`,
);
const KEY = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');

describe('a change next to a secret', () => {
  const before = `first\n${KEY}\nsecond\nthird\n`;
  const change = (after: string): ChangeSet['files'][number] => ({
    kind: 'modified',
    path: 'config.txt',
    before,
    after,
  });
  const guarded = (file: ChangeSet['files'][number]): GuardedChange => ({
    allowed: { base: 'a'.repeat(40), files: [file] },
    blocked: [],
    guards: [],
    verdict: 'clean',
  });

  it('is kept without the secret, and its diff names the same lines', async () => {
    const changed = guarded(change(before.replace('third', '3rd')));
    const clean = await redactChange(changed, redactor);
    expect(JSON.stringify(clean)).not.toContain('MIIEvQ');
    expect(clean.verdict).toBe('clean');
    expect(toDiff(clean.allowed)).toEqual(toDiff(changed.allowed));
    expect(toDiff(clean.allowed).files[0]?.changes[0]?.lines[0]?.lineNumber).toBe(17);
  });

  it('that cannot be told without the secret is left out, and a guard says so', async () => {
    const clean = await redactChange(guarded(change(before.replace('second', SECRET))), redactor);
    expect(clean).toMatchObject({ allowed: { files: [] }, verdict: 'blocked' });
    expect(clean.guards).toEqual([
      {
        rule: 'never/secret',
        file: 'config.txt',
        reason: 'the change cannot be shown without a secret that is next to it',
      },
    ]);
    expect(JSON.stringify(clean)).not.toContain(SECRET);
  });
});

describe('a model and its tools', () => {
  it('say nothing that is secret: neither in words nor in arguments', async () => {
    const opaque = { origin: 'p', message: { signature: KEY }, calls: [null] };
    const model: Model = {
      name: 'm',
      prices: null,
      ask: async () => ({
        content: `I saw ${SECRET}`,
        toolCalls: [{ id: 'c1', name: 'create_file', arguments: JSON.stringify({ text: SECRET }) }],
        opaque,
        usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1, estimated: false },
      }),
    };
    const turn = await redactModel(model, redactor).ask({ messages: [], tools: [], toolChoice: 'auto' }, signal);
    expect(turn).toMatchObject({
      content: 'I saw [redacted]',
      toolCalls: [{ id: 'c1', name: 'create_file', arguments: '{"text":"[redacted]"}' }],
      // The provider takes nothing else back.
      opaque,
    });
  });

  it('find nothing that is secret: neither in the query nor in the result', async () => {
    const tool = redactTool(
      {
        name: 'search',
        description: '',
        parameters: {},
        run: async (raw) => ({ action: `search ${raw}`, finding: { status: 'found', text: SECRET, cut: '' } }),
      },
      redactor,
    );
    expect(await tool.run(SECRET, signal)).toEqual({
      action: 'search [redacted]',
      finding: { status: 'found', text: '[redacted]', cut: '' },
    });
  });
});
