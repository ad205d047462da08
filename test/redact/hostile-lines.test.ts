// Texts made to make a rule slow: eight times the text may not cost sixty-four times the work.
import { expect, it } from 'vitest';
import { findSecrets } from '../../src/redact/find-secrets.ts';

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

/** Milliseconds of the processor, so that other work on the machine counts for nothing. */
async function work(text: string): Promise<number> {
  const before = process.cpuUsage();
  await findSecrets(text, []);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it.each(HOSTILE)('a text of nothing but %j is looked at in time that grows with its length', async (piece) => {
  const text = (length: number) => piece.repeat(Math.ceil(length / piece.length));
  await work(text(20_000));
  const small = await work(text(20_000));
  expect((await work(text(160_000))) / Math.max(small, 5)).toBeLessThan(32);
});
