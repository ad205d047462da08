// `facts`: what somebody waits for after a report: the first time, after the next commit, and with all at hand.
import { gitHttp } from '../../support/git-http.ts';
import type { Comparison, Round, Row } from '../comparison.ts';
import { madeRepository, openHouse, pushCommit, servedCopy } from './facts-ground.ts';
import { bytesOf, timed } from './stopwatch.ts';

const SIZES = [3_000, 40_000];
/** Stands in most of the files. */
const WORD = 'discount';

export const FACTS: Comparison = {
  name: 'facts',
  about: 'a report to its facts: the first time over HTTP, after the next commit, and warm',
  measure: async function* ({ rounds, say }) {
    for (const files of SIZES) {
      say(`a repository of ${files} files`);
      yield* await firstAndNext(files, rounds);
      yield await warm(files, rounds);
    }
  },
};

async function firstAndNext(files: number, rounds: number): Promise<readonly Row[]> {
  const made = await madeRepository(files);
  const first: Round[] = [];
  const next: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    await using copy = await servedCopy(made);
    await using server = await gitHttp({ root: copy.root });
    await using house = await openHouse(`${server.url}made.git`);
    const other = await timed(() => cloneAndRead(server.url, copy.root));
    const ours = await timed(() => house.facts(made.report(round)));
    await pushCommit(copy.gitDir, round);
    const again = await timed(() => house.facts(made.report(round + 20)));
    if (again.result.revisions.asked === ours.result.revisions.asked)
      throw new Error('the next commit was not fetched');
    first.push({ ours: ours.ms, other: other.ms });
    next.push({ ours: again.ms, other: ours.ms });
  }
  const cloned = 'git clone --bare over HTTP, then every file once by git cat-file --batch';
  return [
    {
      ...{ what: `first clone over HTTP to facts, ${files} files`, against: cloned, unit: 'ms', rounds: first },
      aim: { kind: 'ratio-at-most', limit: 1.5 },
    },
    {
      ...{ what: `next commit to facts, ${files} files`, against: 'the first time', unit: 'ms', rounds: next },
      aim: { kind: 'ratio-at-most', limit: 0.2 },
    },
  ];
}

async function cloneAndRead(url: string, folder: string): Promise<void> {
  const to = `${folder}/clone.git`;
  await bytesOf(['git', 'clone', '--quiet', '--bare', `${url}made.git`, to], folder);
  const script = "git ls-tree -r --format='%(objectname)' HEAD | git cat-file --batch --buffer";
  if ((await bytesOf(['sh', '-c', script], to)) === 0) throw new Error('no file was read');
}

async function warm(files: number, rounds: number): Promise<Row> {
  const made = await madeRepository(files);
  await using house = await openHouse(made.gitDir);
  await house.facts(made.report(0));
  const all: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ours = await timed(() => house.facts(made.report(round)));
    const grep = ['git', 'grep', '-n', '-F', '-e', WORD, ours.result.revisions.asked];
    const other = await timed(() => bytesOf(grep, house.mirror));
    if (other.result === 0) throw new Error(`git grep found no "${WORD}"`);
    all.push({ ours: ours.ms, other: other.ms });
  }
  return {
    ...{ what: `report to facts, mirror and index warm, ${files} files`, unit: 'ms', rounds: all },
    ...{ against: 'git grep of one word over the same commit', aim: { kind: 'ratio-at-most', limit: 5 } },
  };
}
