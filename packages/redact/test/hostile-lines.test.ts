// Texts made to make a rule slow: sixteen times the text may not cost 256 times the work.
import { expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { findSecrets } from '../src/find-secrets.ts';

const HOSTILE = [
  'key-',
  'ghp_',
  'AKIA',
  'eyJaaaaaaaa.',
  'password:"',
  'curl -u ',
  '-----BEGIN PRIVATE KEY-----',
  'Kq7x\n',
  '\x1b[1m',
  '\\u001b[',
  // Once searched to its end from each line: 400 kB took 15 s.
  `${'a'.repeat(64)}\n`,
  'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n',
];

const work = (text: string) => cpuTime(() => findSecrets(text, []));

it.each(HOSTILE)('a text of nothing but %j is looked at in time that grows with its length', async (piece) => {
  const text = (length: number) => piece.repeat(Math.ceil(length / piece.length));
  await work(text(10_000));
  const small = await work(text(10_000));
  // At most 20 on a quiet machine.
  expect((await work(text(160_000))) / Math.max(small, 5)).toBeLessThan(100);
});
