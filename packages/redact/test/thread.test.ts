import { describe, expect, it } from 'vitest';
import { createRedactor } from '../src/redactor.ts';
import { noise } from './planted.ts';

const token = ['gh', 'p_', noise(36, 1)].join('');
const WITHHELD = '[withheld: not checked for secrets in time]';

/** `count` lines with a secret each, and a last one. */
function log(count: number, last: string): string {
  return [...Array.from({ length: count }, (_, i) => `line ${i} token ${token}`), last].join('\n');
}

/** Only a thread that hangs is waited for: the others may take as long as a busy machine lets them. */
function hostileRedactor(order: string) {
  return createRedactor({
    exactValues: () => [],
    limits: { chunk: 16_384, chunkMs: order === 'HANG' ? 5_000 : 60_000 },
    script: new URL('./hostile-worker.ts', import.meta.url),
  });
}

describe('a large text', () => {
  it('is redacted in the thread as in process', async () => {
    await using redactor = createRedactor({ exactValues: () => ['own-secret-of-ours'] });
    const text = log(1_500, 'own-secret-of-ours');
    expect(await redactor.redact(text)).toBe(
      text.replaceAll(token, '[redacted]').replace('own-secret-of-ours', '[redacted]'),
    );
  });

  it('does not hold up the event loop', async () => {
    await using redactor = createRedactor({ exactValues: () => [] });
    let done = false;
    let turns = 0;
    const redacted = redactor.redact(log(1_500, '')).then(() => {
      done = true;
    });
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    await redacted;
    expect(turns).toBeGreaterThan(10);
  });

  it('texts at the same time get their own answers', async () => {
    await using redactor = createRedactor({ exactValues: () => [] });
    const texts = [log(700, 'a'), log(800, 'b'), log(900, 'c')];
    const shown = await Promise.all(texts.map((text) => redactor.redact(text)));
    expect(shown).toEqual(texts.map((text) => text.replaceAll(token, '[redacted]')));
  });
});

describe.each(['DIE', 'THROW', 'HANG'])('a thread made to %s by a line', (order) => {
  it('loses that part, keeps the rest, shows no secret, and works on', async () => {
    await using redactor = hostileRedactor(order);
    const text = log(700, order);
    const shown = await redactor.redact(text);
    expect(shown).toContain(WITHHELD);
    expect(shown).not.toContain(order);
    expect(shown).not.toContain(token.slice(0, 20));
    expect(shown.startsWith('line 0 token [redacted]\n')).toBe(true);
    const next = log(700, 'fine');
    expect(await redactor.redact(next)).toBe(next.replaceAll(token, '[redacted]'));
  });
});

describe('a thread that never gets anything done', () => {
  it('lets nothing through', async () => {
    await using redactor = createRedactor({
      exactValues: () => [],
      limits: { failures: 2, chunk: 30_000 },
      script: new URL('../../../test/redact/no-such-file.ts', import.meta.url),
    });
    const shown = await redactor.redact(log(1_500, 'x'));
    expect(shown.replaceAll(WITHHELD, '')).toBe('');
  });
});

it('a closed redactor refuses large texts instead of passing them', async () => {
  const redactor = createRedactor({ exactValues: () => [] });
  const running = redactor.redact(log(1_500, 'x'));
  await redactor[Symbol.asyncDispose]();
  const shown = await running.catch(() => '');
  expect(shown).not.toContain(token);
  await expect(redactor.redact(log(1_500, 'x'))).rejects.toThrow('Redaction was closed');
});
