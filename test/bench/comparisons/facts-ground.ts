// A made repository behind git's own http server, and a source and a lexicon of their own to gather facts from it.
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGitSource } from '../../../src/git/mirror.ts';
import { createLog } from '../../../src/log.ts';
import { createLexicons } from '../../../src/search/lexicons.ts';
import { type Facts, gatherFacts } from '../../../src/triage/facts.ts';
import { type MadeRepository, makeRepository } from '../made-repository.ts';
import { bytesOf, ENVIRONMENT } from './stopwatch.ts';

const SIGNAL = new AbortController().signal;

/** In the folder for temporary files, for the next time. */
const KEPT = path.join(tmpdir(), 'causeway-made-repositories');

/** As the service does in its data folder: else each start of a thread compiles its code anew. */
export function keepCompiledCode(): void {
  enableCompileCache(path.join(KEPT, 'compiled'));
}

/** Making one of 40,000 files takes most of a minute: they are kept. */
export async function madeRepository(files: number): Promise<MadeRepository> {
  await mkdir(KEPT, { recursive: true });
  return makeRepository(KEPT, files);
}

/** A copy that may be pushed to. */
export async function servedCopy(made: MadeRepository) {
  const root = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  const gitDir = path.join(root, 'made.git');
  await cp(made.gitDir, gitDir, { recursive: true });
  return { root, gitDir, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** A commit that changes one file of what the report is about and makes one. */
export async function pushCommit(gitDir: string, number: number): Promise<void> {
  const text = `export const pushed${number} = ${number};\n`;
  const message = `Push ${number}`;
  const input = [
    `commit refs/heads/main\ncommitter Robin <robin@example.com> ${1_800_000_000 + number} +0000`,
    `data ${message.length}\n${message}\nfrom refs/heads/main^0`,
    `M 100644 inline src/pushed/part-${number}.ts\ndata ${text.length}\n${text}`,
    `M 100644 inline src/pushed/current.ts\ndata ${text.length}\n${text}\n`,
  ].join('\n');
  await bytesOf(['git', 'fast-import', '--quiet'], gitDir, { input });
}

export interface FactsHouse extends AsyncDisposable {
  readonly mirror: string;
  /** Fetches, opens and gathers, as the job of a report does; throws where the facts do not name a file of the report's trace. */
  facts(report: { readonly title: string; readonly body: string }): Promise<Facts>;
}

/** `place`: a path, or an address of http. Nothing is there yet of the repository. */
export async function openHouse(place: string): Promise<FactsHouse> {
  keepCompiledCode();
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  const source = createGitSource({ folder: path.join(folder, 'mirrors'), environment: ENVIRONMENT });
  const lexicons = createLexicons({ folder: path.join(folder, 'lexicon'), log: createLog({ level: 'warn' }) });
  const id = `prj_${randomUUID().replaceAll('-', '')}`;
  const from = place.startsWith('http')
    ? ({ kind: 'url', url: place } as const)
    : ({ kind: 'path', path: place } as const);
  const project = { id, name: 'local/bench', source: from, createdAt: '' };
  return {
    mirror: path.join(folder, 'mirrors', `${id}.git`),
    facts: async ({ title, body }) => {
      const repository = await source.open(project, SIGNAL);
      const facts = await gatherFacts({
        report: `${title}\n\n${body}`,
        ...{ revision: '', repository, lexicon: lexicons.of(project), signal: SIGNAL },
        onStep: async () => undefined,
      });
      const named = facts.suspects.slice(0, 10).filter(({ file }) => body.includes(file));
      if (named.length === 0) throw new Error('none of the files that the report names is among the first suspects');
      return facts;
    },
    [Symbol.asyncDispose]: async () => {
      await lexicons[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
