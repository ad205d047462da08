// `turns`: what an investigation of thirty turns costs besides the model, beside the same calls of git made bare.
import { temporaryFolder } from '../../support/service.ts';
import type { Comparison, Round } from '../comparison.ts';
import { recordGit, replayed } from '../git-record.ts';
import { scriptedHouse } from '../scripted-run.ts';

const FILES = 3_000;
const TURNS = 30;

export const TURNS_BESIDE_GIT: Comparison = {
  name: 'turns',
  about: 'an investigation of 30 turns without the model, and its calls of git made bare',
  async *measure({ rounds: count, say }) {
    await using folder = await temporaryFolder();
    const record = await recordGit(folder.path);
    const calls = await recorded(folder.path, record);
    say(`${calls.length} calls of git in a run of ${TURNS} turns over ${FILES} files.`);
    await using house = await scriptedHouse({
      ...{ folder: folder.path, files: FILES, searchPath: process.env['PATH'] ?? '' },
    });
    // The first makes the mirror and the digests.
    await house.run(TURNS);
    const rounds: Round[] = [];
    for (let round = 0; round < count; round++) {
      rounds.push({ ours: (await house.run(TURNS)).ms, other: await replayed(calls) });
    }
    yield {
      what: `an investigation of ${TURNS} turns, ${FILES} files, everything but the model`,
      against: 'the same calls of git made bare, one after the other',
      ...{ unit: 'ms', rounds, aim: { kind: 'ratio-at-most', limit: 1.5 } },
    };
  },
};

/** Of the second run, as of those that are timed. */
async function recorded(folder: string, record: Awaited<ReturnType<typeof recordGit>>) {
  await using house = await scriptedHouse({ folder, files: FILES, searchPath: record.searchPath });
  await house.run(TURNS);
  const before = (await record.calls()).length;
  await house.run(TURNS);
  return (await record.calls()).slice(before);
}
