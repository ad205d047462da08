// The thread that answers questions: what it is given of the process around it, and what is said of one that is let go.
import { execFile } from 'node:child_process';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { AskedThread } from '../../src/redact/asked-thread.ts';
import { COMPILED } from '../support/compiled.ts';

it('takes what its code compiles to from where the process keeps it, and keeps it there', async () => {
  enableCompileCache(COMPILED['NODE_COMPILE_CACHE']);
  const script = new URL('./compiled-worker.ts', import.meta.url);
  await using thread = new AskedThread<object, { readonly folder?: string }>({ script, closed: 'closed' });
  // Its last part names the flags of V8, which another test of this process may have changed.
  const folder = path.dirname(getCompileCacheDir() ?? 'none');
  const answer = await thread.ask({}, 60_000);
  expect(answer).toMatchObject({ kind: 'answered', answer: { folder: expect.stringContaining(`${folder}/`) } });
});

it('whoever asks one that is let go of as it says that it is ready is told at once, and does not wait', async () => {
  const script = new URL('./hostile-worker.ts', import.meta.url);
  const thread = new AskedThread({ script, closed: 'Ask before.' });
  const asked = thread.ask({ text: '', exactValues: [] }, 3_600_000);
  await new Promise((resolve) => setImmediate(resolve));
  // The thread starts and says that it is ready, which nobody hears meanwhile.
  for (const end = performance.now() + 1_500; performance.now() < end; );
  await thread[Symbol.asyncDispose]();
  expect(await asked).toMatchObject({ kind: 'failed' });
});

it('a process that lets go of one as it says that it is ready gets to its end', async () => {
  const program = `
    const { AskedThread } = await import(${JSON.stringify(new URL('../../src/redact/asked-thread.ts', import.meta.url))});
    const thread = new AskedThread({ script: new URL(${JSON.stringify(new URL('./hostile-worker.ts', import.meta.url))}), closed: '' });
    const asked = thread.ask({ text: '', exactValues: [] }, 3_600_000);
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = performance.now() + 1_500; performance.now() < end; );
    await thread[Symbol.asyncDispose]();
    console.log((await asked).kind);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('failed\n');
});
