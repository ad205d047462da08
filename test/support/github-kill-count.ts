// What a thread has left on GitHub and in the records, counted, to be held against one of each.
import { expect } from 'vitest';
import type { ThreadRecord } from '../../src/core/thread/thread.ts';
import type { Desk } from './github-desk.ts';
import { type GithubStage, isUnsettled, storedJobs } from './github-stage.ts';
import { storedRows } from './records.ts';

interface Left {
  /** First lines of our comments on the issue. */
  readonly comments: readonly string[];
  readonly reactions: readonly string[];
  readonly branches: number;
  /** On our branch, beyond those of the base. */
  readonly commits: number;
  readonly pulls: number;
  /** Our comments on the pull request. */
  readonly handOvers: number;
  /** What the record says of comments that are still to go, and whether it names what stands on GitHub. */
  readonly replaced: readonly number[];
  readonly isRecorded: boolean;
  /** `publish` and `run` jobs that are due, running or dead. */
  readonly unsettled: number;
}

/** One of each, once all is over. `further`: the checks were red and one further attempt was made. */
export function oneOfEach({ further }: { readonly further: boolean }): Left {
  return {
    comments: [expect.stringMatching(/^\*\*Cause found, with a fix · .*#2/)],
    reactions: ['eyes'],
    branches: 1,
    commits: further ? 2 : 1,
    pulls: 1,
    handOvers: further ? 1 : 0,
    replaced: [],
    isRecorded: true,
    unsettled: 0,
  };
}

export async function countLeft(stage: GithubStage, desk: Desk): Promise<Left> {
  const git = (...args: string[]) => stage.double.git(desk.name, ...args);
  const names = (await git('for-each-ref', '--format=%(refname)', 'refs/heads/causeway/')).split('\n');
  const branches = names.filter((name) => name !== '');
  const [branch] = branches;
  const commits = branch === undefined ? '0' : await git('rev-list', '--count', `refs/heads/main..${branch}`);
  const [pull] = desk.pulls();
  const handOvers = pull === undefined ? [] : stage.ourComments(desk.name, pull.number);
  const { record, unsettled } = await recordOf(stage.dataDir, desk.name);
  return {
    comments: desk.headlines(),
    reactions: desk.reactions(),
    branches: branches.length,
    commits: Number(commits),
    pulls: desk.pulls().length,
    handOvers: handOvers.length,
    replaced: record.replaced,
    isRecorded:
      record.replaced.length === 0 &&
      record.comment?.id === desk.ours()[0]?.id &&
      record.pullRequest?.headSha === pull?.pull?.headSha &&
      record.pullRequest?.number === pull?.number &&
      (record.pullRequest?.handedOver ?? undefined) === handOvers[0]?.id,
    unsettled,
  };
}

/** Of the thread of the repository's issue 1. */
async function recordOf(
  dataDir: string,
  name: string,
): Promise<{ readonly record: ThreadRecord; readonly unsettled: number }> {
  const [row] = await storedRows<{ id: string; record: string }>(
    dataDir,
    `select id, record from threads where subject_key = 'issue 1'
      and project_id = (select id from projects where name = $1)`,
    [name],
  );
  if (row === undefined) throw new Error(`${name} has no thread`);
  const jobs = (await storedJobs(dataDir)).filter(({ subject, kind }) => subject === row.id || kind === 'run');
  return { record: JSON.parse(row.record), unsettled: jobs.filter(isUnsettled).length };
}
