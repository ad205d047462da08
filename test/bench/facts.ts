// `facts`: how long somebody waits from a report to its first answer without a model, for a new and for a known repository.
import { spawn } from 'node:child_process';
import { temporaryFolder } from '../support/service.ts';
import { openLocalService } from './local-service.ts';
import { keptRepository } from './made-repository.ts';
import type { Measurement } from './row.ts';

const FIRST_LOOKS = [
  { files: 3_000, aim: 5_000 },
  { files: 40_000, aim: 30_000 },
];
const KNOWN_AIM_MS = 3_000;
/** In most of the made files. */
const WORD = 'discount';

export const FACTS: Measurement = {
  name: 'facts',
  about: 'a report to its facts, for a new and a known repository of 3,000 and 40,000 files',
  async *measure(rounds) {
    for (const { files, aim } of FIRST_LOOKS) {
      const repository = await keptRepository(files);
      const [first, known, cloned, searched]: number[][] = [[], [], [], []];
      for (let round = 0; round < rounds; round++) {
        await using local = await openLocalService(repository.gitDir);
        await using folder = await temporaryFolder();
        cloned?.push(await timeGit(['clone', '-q', '--bare', '--no-local', repository.gitDir, folder.path]));
        searched?.push(await timeGit(['-C', repository.gitDir, 'grep', '-c', '-F', '-e', WORD, 'HEAD']));
        first?.push(await local.solve(repository.report(round)));
        known?.push(await local.solve(repository.report(round + rounds)));
      }
      const size = `${files.toLocaleString('en')} files`;
      yield {
        ...{ what: `first look at ${size}`, unit: 'ms', aim, ours: first ?? [] },
        other: { what: 'git clone --bare of the same', figures: cloned ?? [] },
      };
      yield {
        ...{ what: `report to facts, ${size} known`, unit: 'ms', aim: KNOWN_AIM_MS, ours: known ?? [] },
        other: { what: 'git grep of one word', figures: searched ?? [] },
      };
    }
  },
};

async function timeGit(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
  return performance.now() - begun;
}
