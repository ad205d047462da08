// Branches, tags and HEAD of a repository, as read from it or as a remote lists them.
import { type Git, type GitCall, isSuccess } from './process.ts';

export interface Refs {
  /** Sha of HEAD; "" where it names a branch without a commit. */
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

const REF = /^([0-9a-f]{40,64})\s(refs\/(?:heads|tags)\/.+)$/;

interface RefPlace {
  readonly gitDir: string;
  readonly shallow: string;
  /** The repository as it was when this was the newest commit; absent: as it is. */
  readonly asOf?: string | undefined;
}

/** Reads the refs of a repository on disk without starting anything of it; null where git cannot read it. */
export async function readRefs(
  git: Git,
  { gitDir, shallow, asOf }: RefPlace,
  signal: AbortSignal,
): Promise<Refs | null> {
  const call = { gitDir, timeoutMs: 60_000, maxBytes: 256 * 1024 * 1024, signal };
  const list = ['for-each-ref', '--format=%(objectname) %(refname)', ...(asOf === undefined ? [] : ['--merged', asOf])];
  const [listed, target, head] = await Promise.all([
    git.run({ ...call, args: [...list, 'refs/heads/', 'refs/tags/'] }),
    readLine(git, { ...call, args: ['symbolic-ref', '--quiet', 'HEAD'] }),
    readLine(git, { ...call, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] }),
  ]);
  if (!isSuccess(listed.ending)) return null;
  const headBranch = target.startsWith('refs/heads/') ? target : '';
  const byName = parseRefs(listed.stdout.toString('utf8'));
  if (asOf === undefined) return { head, headBranch, byName, shallow };
  const branch = headBranch === '' ? LIKELY_DEFAULTS[0] : headBranch;
  return { head: asOf, headBranch: branch, byName: byName.set(branch, asOf), shallow };
}

async function readLine(git: Git, call: GitCall): Promise<string> {
  return (await git.run({ ...call, maxBytes: 65_536 })).stdout.toString('utf8').trim();
}

function parseRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const row of text.split('\n')) {
    const [, sha, name] = REF.exec(row) ?? [];
    if (sha !== undefined && name !== undefined && !name.endsWith('^{}')) refs.set(name, sha);
  }
  return refs;
}

/**
 * What `git ls-remote --symref` printed. Where HEAD is the tip of branches and names none, one is taken for it, as `git
 * clone` does.
 */
export function parseRemoteRefs(text: string): Refs {
  const symbolic = /^ref: (refs\/heads\/.+)\tHEAD$/m.exec(text);
  const head = /^([0-9a-f]{40,64})\tHEAD$/m.exec(text)?.[1] ?? '';
  const byName = parseRefs(text);
  return { head, headBranch: symbolic?.[1] ?? findBranchAt(head, byName), byName, shallow: '' };
}

/** The likeliest branch that points at `sha`, or the first one in the remote's order; "" if there is none. */
function findBranchAt(sha: string, byName: ReadonlyMap<string, string>): string {
  const branches = [...byName.keys()].filter((name) => name.startsWith('refs/heads/') && byName.get(name) === sha);
  return LIKELY_DEFAULTS.find((name) => branches.includes(name)) ?? branches[0] ?? '';
}

/** Whether both have the same branches, tags and HEAD. */
export function hasSameRefs(a: Refs, b: Refs): boolean {
  if (a.head !== b.head || a.headBranch !== b.headBranch || a.byName.size !== b.byName.size) return false;
  return [...a.byName].every(([name, sha]) => b.byName.get(name) === sha);
}

export function isEmpty(refs: Refs): boolean {
  return refs.head === '' && refs.byName.size === 0;
}

/** The hash that a repository with these refs uses, known by the length of its ids. */
export function getObjectFormat(refs: Refs): 'sha1' | 'sha256' {
  const [any] = refs.byName.values();
  return (any ?? refs.head).length === 64 ? 'sha256' : 'sha1';
}
