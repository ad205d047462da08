// What lies between commits: the files that a change under test touches, and the commits from the last green one to the first red one.

import type { ChangedFiles } from '../../core/check.ts';
import type { CommitRange } from '../../core/failure.ts';
import type { HeadPlace } from '../../core/head.ts';
import { type Asking, ask, askPages, ignoreUnknown } from './ask.ts';

const PAGE = 100;
const MOST_PAGES = 3;
/** So many files of one commit or comparison GitHub shows at once. */
const MOST_FILES = 300;
/** So many commits of a comparison GitHub shows at once, the oldest first. */
const MOST_COMPARED = 250;
const MOST_COMMITS = 20;
/** Cut to what is kept only when it was cleaned of secrets: half of one is none that can be known. */
const WORDS_CHARACTERS = 4_000;

/** Null: not known. */
export async function readChangedFiles(
  asking: Asking,
  { sha, place }: { readonly sha: string; readonly place: HeadPlace },
): Promise<ChangedFiles | null> {
  if (place.kind === 'pull_request') return await readPullRequestFiles(asking, place.number);
  const found =
    place.kind === 'default'
      ? await ignoreUnknown(ask(asking, ({ rest }, repository) => rest.repos.getCommit({ ...repository, ref: sha })))
      : await compareCommits(asking, { from: asking.project.source.defaultBranch, to: sha });
  if (found === null) return null;
  const paths = listPaths(found.files ?? []);
  return { paths, isCut: (found.files ?? []).length >= MOST_FILES };
}

async function readPullRequestFiles(asking: Asking, number: number): Promise<ChangedFiles | null> {
  const found = await ignoreUnknown(
    askPages({ most: MOST_PAGES, size: PAGE }, (page) =>
      ask(asking, ({ rest }, place) => rest.pulls.listFiles({ ...place, pull_number: number, per_page: PAGE, page })),
    ),
  );
  return found === null ? null : { paths: listPaths(found.items), isCut: found.isCut };
}

/** A renamed file is touched under both its names. */
function listPaths(
  files: readonly { readonly filename: string; readonly previous_filename?: string | undefined }[],
): readonly string[] {
  const all = files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [filename, before],
  );
  return [...new Set(all)];
}

/** Null where the one does not lead to the other: then nothing lies between them. */
export async function readCommitRange(
  asking: Asking,
  ends: { readonly from: string; readonly to: string },
): Promise<CommitRange | null> {
  const found = await compareCommits(asking, ends);
  if (found?.status !== 'ahead') return null;
  const total = found.total_commits;
  const shown = total > MOST_COMPARED ? await readLastCompared(asking, ends, total) : found.commits;
  const commits = shown.toReversed().slice(0, MOST_COMMITS).map(toShortCommit);
  return { ...ends, total, commits };
}

/** Whether the one is among the forebears of the other. */
export async function isAncestor(
  asking: Asking,
  ends: { readonly from: string; readonly to: string },
): Promise<boolean> {
  return (await compareCommits(asking, ends))?.status === 'ahead';
}

/**
 * Whether a commit was the tip of the branch itself (`on`), was merged into it, or is not among its ancestors (`beside`). `merged` too where
 * more lies between than GitHub shows at once.
 */
export async function locateCommit(
  asking: Asking,
  { sha, tip }: { readonly sha: string; readonly tip: string },
): Promise<'on' | 'merged' | 'beside'> {
  const found = await compareCommits(asking, { from: sha, to: tip });
  if (found?.status !== 'ahead') return 'beside';
  const before = new Map(found.commits.map((commit) => [commit.sha, commit.parents[0]?.sha]));
  let at: string | undefined = tip;
  while (at !== undefined && at !== sha) at = before.get(at);
  return at === sha ? 'on' : 'merged';
}

async function compareCommits(asking: Asking, { from, to }: { readonly from: string; readonly to: string }) {
  const basehead = `${from}...${to}`;
  return await ignoreUnknown(
    ask(asking, ({ rest }, place) => rest.repos.compareCommitsWithBasehead({ ...place, basehead })),
  );
}

/** The last page of a long comparison. */
async function readLastCompared(
  asking: Asking,
  { from, to }: { readonly from: string; readonly to: string },
  total: number,
) {
  const page = Math.ceil(total / PAGE);
  const found = await ask(asking, ({ rest }, place) =>
    rest.repos.compareCommitsWithBasehead({ ...place, basehead: `${from}...${to}`, per_page: PAGE, page }),
  );
  return found.commits;
}

interface ComparedCommit {
  readonly sha: string;
  readonly author: object | null;
  readonly commit: { readonly message: string; readonly author: { readonly name?: string | undefined } | null };
}

function toShortCommit({ sha, author, commit }: ComparedCommit): CommitRange['commits'][number] {
  const login = author !== null && 'login' in author && typeof author.login === 'string' ? author.login : null;
  return { sha, author: takeFirstLine(login ?? commit.author?.name ?? ''), subject: takeFirstLine(commit.message) };
}

function takeFirstLine(text: string): string {
  return (text.split(/[\r\n]/)[0] ?? '').trim().slice(0, WORDS_CHARACTERS).toWellFormed();
}
