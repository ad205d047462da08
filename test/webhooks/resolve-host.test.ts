// Asking for host names: one at a time, and for nobody who has given up.
import { describe, expect, it } from 'vitest';
import { createSystemResolver, inTurn } from '../../src/webhooks/resolve-host.ts';

const never = new AbortController().signal;

describe('names in turn', () => {
  it('are asked for one after the other, whatever became of the one before', async () => {
    const asked: string[] = [];
    const answers = new Map<string, PromiseWithResolvers<readonly string[]>>();
    const resolve = inTurn((host) => {
      asked.push(host);
      const answer = Promise.withResolvers<readonly string[]>();
      answers.set(host, answer);
      return answer.promise;
    });
    const [a, b, c] = [resolve('a', never), resolve('b', never), resolve('c', never)];
    await settled();
    expect(asked).toEqual(['a']);
    answers.get('a')?.reject(new Error('no such name'));
    await expect(a).rejects.toThrow('no such name');
    await settled();
    expect(asked).toEqual(['a', 'b']);
    answers.get('b')?.resolve(['192.0.2.1']);
    expect(await b).toEqual(['192.0.2.1']);
    await settled();
    answers.get('c')?.resolve([]);
    expect(await c).toEqual([]);
  });

  it('are not asked for where the caller has given up meanwhile', async () => {
    const asked: string[] = [];
    const first = Promise.withResolvers<readonly string[]>();
    const resolve = inTurn((host) => {
      asked.push(host);
      return host === 'slow' ? first.promise : [];
    });
    const gone = new AbortController();
    const slow = resolve('slow', never);
    const left = resolve('left', gone.signal);
    const next = resolve('next', never);
    gone.abort();
    first.resolve([]);
    await expect(left).rejects.toThrow();
    await Promise.all([slow, next]);
    expect(asked).toEqual(['slow', 'next']);
  });

  it('are known to the system by its hosts file', async () => {
    const addresses = await createSystemResolver()('localhost', never);
    expect(addresses).toContain('127.0.0.1');
  });
});

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
