// What the same machine takes for plain things in the same run: a whole copy, a fetch of nothing new, one question to the API.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchStage } from './bench-stage.ts';
import { median } from './figures.ts';

export interface Baselines {
  /** Milliseconds of `git clone --mirror` from the double. */
  readonly clone: number;
  /** Of `git fetch` there afterwards, with nothing new. */
  readonly fetch: number;
  /** Of a GET of the repository, the median of twenty. */
  readonly get: number;
}

const GETS = 20;

/** The repository is public: git reads it without credentials. */
export async function baselines({ double, folder }: BenchStage, name: string): Promise<Baselines> {
  const copy = path.join(folder, 'copy.git');
  const clone = await timed(() => run(folder, ['clone', '--quiet', '--mirror', `${double.webUrl}/${name}.git`, copy]));
  const fetchMs = await timed(() => run(copy, ['fetch', '--quiet', '--prune', 'origin']));
  await rm(copy, { recursive: true });
  const authorization = `token ${double.people.userToken('mara')}`;
  const gets: number[] = [];
  for (let time = 0; time < GETS; time++) {
    gets.push(
      await timed(async () => {
        const answer = await fetch(`${double.apiUrl}/repos/${name}`, { headers: { authorization } });
        if (!answer.ok) throw new Error(`the double answered ${answer.status}`);
        await answer.text();
      }),
    );
  }
  return { clone, fetch: fetchMs, get: median(gets) };
}

async function run(cwd: string, args: readonly string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  await promisify(execFile)('git', args, { cwd, env });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
