// Files that a change under test touches, and the commits between the last green one and the first red one.
import type { ChangedFiles, ChangedSpan, CommitRange, HeadPlace } from '../../core/check/index.ts';
import { ignoreUnknown, readPages } from '../clients/index.ts';
import type { Inquiry } from './workflow-runs.ts';

interface RangeEnds {
  readonly from: string;
  readonly to: string;
}

const PAGE = 100;
const MAX_PAGES = 3;
/** GitHub shows this many files of a commit or comparison at once. */
const FILES_SHOWN = 300;
/** GitHub shows this many commits of a comparison at once, the oldest first. */
const COMMITS_SHOWN = 250;
const MAX_COMMITS = 20;
/** Only cut further once it was cleaned of secrets: half of a secret can't be recognised. */
const LINE_CHARACTERS = 4_000;

/** Null: not known. */
export async function readChangedFiles(
  inquiry: Inquiry,
  { sha, place }: { readonly sha: string; readonly place: HeadPlace },
): Promise<ChangedFiles | null> {
  const { read, project } = inquiry;
  if (place.kind === 'pull_request') {
    const of = { pull_number: place.number };
    const found = await ignoreUnknown(
      readPages(MAX_PAGES, (page) => read(({ rest }, at) => rest.pulls.listFiles({ ...at, ...of, ...page }))),
    );
    return found === null ? null : toChangedFiles(found.items, found.isCut);
  }
  const found =
    place.kind === 'default'
      ? await ignoreUnknown(read(({ rest }, at) => rest.repos.getCommit({ ...at, ref: sha })))
      : await compareRangeEnds(inquiry, { from: project.source.defaultBranch, to: sha });
  const files = found?.files ?? [];
  return found === null ? null : toChangedFiles(files, files.length >= FILES_SHOWN);
}

interface TouchedFile {
  readonly filename: string;
  readonly previous_filename?: string | undefined;
  /** Absent where it is too large, or no text. */
  readonly patch?: string | undefined;
}

/** A renamed file is touched under both its names. */
function toChangedFiles(files: readonly TouchedFile[], isCut: boolean): ChangedFiles {
  const all = files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [filename, before],
  );
  const lines = files.flatMap(({ filename, patch = '' }) => {
    const spans = listChangedSpans(patch);
    return spans.length === 0 ? [] : [[filename, spans] as const];
  });
  return { paths: [...new Set(all)], isCut, lines: Object.fromEntries(lines) };
}

const HUNK = /^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/;
const MOST_SPANS = 100;

/** Of a unified diff the lines on its new side that are not as before. */
function listChangedSpans(patch: string): readonly ChangedSpan[] {
  const spans: { from: number; to: number }[] = [];
  let at = 0;
  for (const line of patch.split('\n')) {
    const sign = line.charAt(0);
    if (sign === '@') at = Number(HUNK.exec(line)?.[1] ?? at);
    else if (sign === '+' || sign === '-') addChangedLine(spans, Math.max(1, at));
    if (sign === '+' || sign === ' ') at += 1;
  }
  return spans.slice(0, MOST_SPANS);
}

function addChangedLine(spans: { from: number; to: number }[], line: number): void {
  const last = spans.at(-1);
  if (last !== undefined && line <= last.to + 1) last.to = line;
  else spans.push({ from: line, to: line });
}

/** Null where the one doesn't lead to the other. */
export async function readCommitRange(inquiry: Inquiry, ends: RangeEnds): Promise<CommitRange | null> {
  const found = await compareRangeEnds(inquiry, ends);
  if (found?.status !== 'ahead') return null;
  const total = found.total_commits;
  const shown = total > COMMITS_SHOWN ? await readLastPage(inquiry, ends, total) : found.commits;
  const isWhole = found.commits.length >= total;
  const merges = isWhole ? traceMerges(found.commits, ends) : null;
  const commits = shown
    .toReversed()
    .slice(0, MAX_COMMITS)
    .map((commit) => {
      const by = merges?.by.get(commit.sha);
      return { ...toShortCommit(commit), ...(by !== undefined && { by }) };
    });
  return { ...ends, total, commits, ...(merges !== null && { steps: merges.steps }) };
}

/** Which commit of the branch itself brought each of the others; null where `from` is none of the branch itself. */
function traceMerges(
  commits: readonly { readonly sha: string; readonly parents: readonly { readonly sha: string }[] }[],
  { from, to }: RangeEnds,
): { readonly steps: number; readonly by: ReadonlyMap<string, string> } | null {
  const parents = new Map(commits.map(({ sha, parents: all }) => [sha, all.map((parent) => parent.sha)]));
  const steps: string[] = [];
  for (let at: string | undefined = to; at !== from; at = parents.get(at)?.[0]) {
    if (at === undefined || !parents.has(at)) return null;
    steps.push(at);
  }
  const by = new Map<string, string>();
  const onBranch = new Set(steps);
  // The oldest first: what an earlier merge has brought, a later one did not.
  for (const step of steps.toReversed()) {
    const open = (parents.get(step) ?? []).slice(1);
    for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
      if (onBranch.has(sha) || by.has(sha) || !parents.has(sha)) continue;
      by.set(sha, step);
      open.push(...(parents.get(sha) ?? []));
    }
  }
  return { steps: steps.length, by };
}

export async function isAncestor(inquiry: Inquiry, ends: RangeEnds): Promise<boolean> {
  return (await compareRangeEnds(inquiry, ends))?.status === 'ahead';
}

/**
 * Whether a commit was the tip of the branch itself (`on`), was merged into it, or isn't among its ancestors
 * (`outside`). `merged`, too, where more lies between than GitHub shows at once.
 */
export async function locateCommit(
  inquiry: Inquiry,
  { sha, tip }: { readonly sha: string; readonly tip: string },
): Promise<'on' | 'merged' | 'outside'> {
  const found = await compareRangeEnds(inquiry, { from: sha, to: tip });
  if (found?.status !== 'ahead') return 'outside';
  const parents = new Map(found.commits.map((commit) => [commit.sha, commit.parents[0]?.sha]));
  let at: string | undefined = tip;
  while (at !== undefined && at !== sha) at = parents.get(at);
  return at === sha ? 'on' : 'merged';
}

async function compareRangeEnds({ read }: Inquiry, { from, to }: RangeEnds) {
  const of = { basehead: `${from}...${to}` };
  return await ignoreUnknown(read(({ rest }, place) => rest.repos.compareCommitsWithBasehead({ ...place, ...of })));
}

async function readLastPage({ read }: Inquiry, { from, to }: RangeEnds, total: number) {
  const of = { basehead: `${from}...${to}`, per_page: PAGE, page: Math.ceil(total / PAGE) };
  return (await read(({ rest }, place) => rest.repos.compareCommitsWithBasehead({ ...place, ...of }))).commits;
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
  return (text.split(/[\r\n]/)[0] ?? '').trim().slice(0, LINE_CHARACTERS).toWellFormed();
}
