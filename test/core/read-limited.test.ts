// A body from outside takes no more memory than its reader allows, and no longer than its signal.
import { expect, it } from 'vitest';
import { readLimited } from '../../src/core/abortable.ts';

function streamOf(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
}

it.each([
  [['ab', 'cd'], 4, 'abcd', true],
  [['ab', 'cd'], 3, 'abc', false],
  [[], 0, '', true],
] as const)('of %j with a limit of %i it gives %j', async (chunks, limit, text, isWhole) => {
  const body = await readLimited(streamOf(...chunks), limit);
  expect([Buffer.from(body.bytes).toString(), body.isWhole]).toEqual([text, isWhole]);
});

it('an absent body is empty and whole', async () => {
  expect(await readLimited(null, 1)).toEqual({ bytes: Buffer.alloc(0), isWhole: true });
});

it('an endless body is read no further than its limit, and is not cancelled', async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(10));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  expect((await readLimited(endless, 100)).isWhole).toBe(false);
  expect(sent).toBeLessThan(15);
  expect([isCancelled, endless.locked]).toEqual([false, false]);
});

it('a silent body is given up with the signal', async () => {
  const silent = new ReadableStream<Uint8Array>({});
  await expect(readLimited(silent, 1, AbortSignal.timeout(20))).rejects.toMatchObject({ name: 'TimeoutError' });
});
