// The thread that answers questions: what it is given of the process around it.
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { expect, it } from 'vitest';
import { AskedThread } from '../../src/redact/asked-thread.ts';
import { COMPILED } from '../support/compiled.ts';

it('takes what its code compiles to from where the process keeps it, and keeps it there', async () => {
  enableCompileCache(COMPILED['NODE_COMPILE_CACHE']);
  const script = new URL('./compiled-worker.ts', import.meta.url);
  await using thread = new AskedThread<object, { readonly folder?: string }>({ script, closed: 'closed' });
  const folder = getCompileCacheDir();
  expect(folder).toBeDefined();
  expect(await thread.ask({}, 60_000)).toMatchObject({ kind: 'answered', answer: { folder } });
});
