// The lexicons as the service has them, over a folder that goes at the end, without a thread of their own to wait for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Lexicons } from '../../src/core/lexicon.ts';
import { createLog } from '../../src/log.ts';
import { createIndexAnswerer } from '../../src/search/index-file.ts';
import { createLexicons, type IndexThread, type LexiconsOptions } from '../../src/search/lexicons.ts';

export interface TestLexicons extends Lexicons, AsyncDisposable {
  readonly folder: string;
}

export function testLexicons(options: Partial<LexiconsOptions> = {}): TestLexicons {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-lexicon-'));
  const log = createLog({ level: 'silent' });
  const lexicons = createLexicons({ folder, log, thread: inProcess(), ...options });
  return {
    ...lexicons,
    folder: options.folder ?? folder,
    async [Symbol.asyncDispose]() {
      await lexicons[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the thread does, done at once. */
export function inProcess(): IndexThread {
  const answer = createIndexAnswerer();
  return { ask: async (request) => answer(request), [Symbol.asyncDispose]: async () => {} };
}
