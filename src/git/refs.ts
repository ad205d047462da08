// Branches, tags and HEAD of a repository, as read from it or as a remote announces them.
import { join } from 'node:path';
import { readPlainFile } from './local.ts';
import type { Git, GitCall } from './run.ts';

export interface Refs {
  /** Sha that HEAD stands for; "" where it stands for nothing yet. */
  readonly head: string;
  /** Full name of the branch that HEAD names, or is taken to name; "" when detached. */
  readonly headBranch: string;
  /** `refs/heads/…` and `refs/tags/…` to the sha they hold (a tag object's own, not the commit's). */
  readonly byName: ReadonlyMap<string, string>;
  /** The commits where history was cut off, one sha a line; "" where it is complete. */
  readonly shallow: string;
}

/** Which branches are the default one where nothing says so, likeliest first. */
export const LIKELY_DEFAULTS = ['refs/heads/main', 'refs/heads/master'] as const;

/** In a mirror that was fetched into: the commit of the source's HEAD, which may be on no branch. */
export const MIRRORED_HEAD = 'refs/causeway/head';

const REF = /^([0-9a-f]{40,64})\s(refs\/(?:heads|tags)\/.+)$/;
const HEAD = /^(?:ref: (.+)|([0-9a-f]{40,64}))$/m;
const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

const LISTED = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/', 'refs/tags/'];

/** Reads the refs of a repository on disk without anything of it being started; null where git cannot read it. */
export async function readLocalRefs(
  git: Git,
  from: { readonly gitDir: string; readonly shallow: string },
  signal: AbortSignal,
): Promise<Refs | null> {
  const call = { gitDir: from.gitDir, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
  const [listed, target, head] = await Promise.all([
    git.run({ ...call, args: LISTED }),
    readLine(git, { ...call, args: ['symbolic-ref', '--quiet', 'HEAD'] }),
    readLine(git, { ...call, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] }),
  ]);
  if (listed.ending.kind !== 'exited' || listed.ending.code !== 0) return null;
  return toRefs(listed.stdout.toString('utf8'), { ...from, head, target });
}

/** The same of a mirror, whose HEAD was written by us: it names the branch of the source's HEAD, or the ref that keeps its commit. */
export async function readMirroredRefs(
  git: Git,
  from: { readonly gitDir: string; readonly shallow: string },
  signal: AbortSignal,
): Promise<Refs | null> {
  const { gitDir } = from;
  const args = [...LISTED, MIRRORED_HEAD];
  const { ending, stdout } = await git.run({ args, gitDir, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal });
  if (ending.kind !== 'exited' || ending.code !== 0) return null;
  const text = stdout.toString('utf8');
  const [, target = '', detached = ''] = HEAD.exec(await readPlainFile(join(gitDir, 'HEAD'))) ?? [];
  const named = text.split('\n').find((row) => row.endsWith(` ${MIRRORED_HEAD}`) || row.endsWith(` ${target}`));
  return toRefs(text, { ...from, head: named?.split(' ', 1)[0] ?? detached, target });
}

function toRefs(
  listed: string,
  { head, target, shallow }: { readonly head: string; readonly target: string; readonly shallow: string },
): Refs {
  const headBranch = target.startsWith('refs/heads/') ? target : '';
  return { head, headBranch, byName: parseRefs(listed), shallow };
}

async function readLine(git: Git, call: GitCall): Promise<string> {
  const { stdout } = await git.run({ ...call, maxBytes: MAX_BYTES });
  return stdout.toString('utf8').trim();
}

function parseRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const row of text.split('\n')) {
    const match = REF.exec(row);
    if (match?.[1] !== undefined && match[2] !== undefined && !match[2].endsWith('^{}')) refs.set(match[2], match[1]);
  }
  return refs;
}

/** What `git ls-remote --symref` printed. Where HEAD is the tip of branches and names none, one is taken for it, as `git clone` does. */
export function parseRemoteRefs(text: string): Refs {
  const symbolic = /^ref: (refs\/heads\/.+)\tHEAD$/m.exec(text);
  const head = /^([0-9a-f]{40,64})\tHEAD$/m.exec(text)?.[1] ?? '';
  const byName = parseRefs(text);
  return { head, headBranch: symbolic?.[1] ?? branchAt(head, byName), byName, shallow: '' };
}

/** The likeliest branch whose tip is `sha`, else the first one in the remote's order; "" where there is none. */
function branchAt(sha: string, byName: ReadonlyMap<string, string>): string {
  const branches = [...byName.keys()].filter((name) => name.startsWith('refs/heads/') && byName.get(name) === sha);
  return LIKELY_DEFAULTS.find((name) => branches.includes(name)) ?? branches[0] ?? '';
}

/** Whether the mirror holds exactly what its source has. */
export function sameRefs(a: Refs, b: Refs): boolean {
  if (a.head !== b.head || a.headBranch !== b.headBranch || a.byName.size !== b.byName.size) return false;
  return [...a.byName].every(([name, sha]) => b.byName.get(name) === sha);
}

/** The names of those refs whose object `gitDir` has not got. */
export async function brokenRefs(
  git: Git,
  at: { readonly gitDir: string; readonly refs: Refs },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const named = [...at.refs.byName, ...(at.refs.head === '' ? [] : [['HEAD', at.refs.head] as const])];
  const { ending, stdout } = await git.run({
    args: ['cat-file', '--batch-check=%(objecttype)'],
    gitDir: at.gitDir,
    input: named.map(([, sha]) => `${sha}\n`).join(''),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (ending.kind !== 'exited' || ending.code !== 0) return new Set();
  const answers = stdout.toString('utf8').split('\n');
  return new Set(named.filter((_, index) => answers[index]?.endsWith(' missing')).map(([name]) => name));
}

/** The refs without the broken ones, HEAD's commit among them. */
export function withoutBroken(refs: Refs, broken: ReadonlySet<string>): Refs {
  const byName = new Map([...refs.byName].filter(([name]) => !broken.has(name)));
  return { ...refs, byName, head: broken.has('HEAD') ? '' : refs.head };
}

export function isEmpty(refs: Refs): boolean {
  return refs.head === '' && refs.byName.size === 0;
}
