// A mirrored repository as it stood when it was opened: what a revision means, and its commits as trees.
import { CausewayError } from '../core/errors.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import { DamagedObjects, MissingObject, type Renewable, withRenewal } from './failure.ts';
import { objectFormat } from './local.ts';
import type { ObjectReader } from './objects.ts';
import type { Mirror } from './refresh.ts';
import { LIKELY_DEFAULTS, type Refs } from './refs.ts';
import type { Git } from './run.ts';
import { createCommitTree } from './tree.ts';

/** What reads one mirror. */
export interface RepositoryAccess extends Renewable {
  readonly git: Git;
  readonly mirror: Mirror;
  readonly objects: ObjectReader;
  /** Fetches a commit by its full sha; false where the source does not give it out, or is no remote. */
  fetchCommit(sha: string, signal: AbortSignal): Promise<boolean>;
}

const HEX_PREFIX = /^[0-9a-f]{7,64}$/i;
const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
// What git forbids in a ref's name, and so what turns a name into an expression (`main~3`, `v1^{/text}`, `@{-1}`).
const EXPRESSION = /[\u0000- ~^:?*[\\\u007f]|\.\.|@\{|^-|\/$|^$/;

/** A listing of 90,000 files is 20 MB; a run looks at one or two commits, from several sides. */
const MOST_TREES = 2;

export function createRepository(access: RepositoryAccess): Repository {
  const { refs } = access.mirror;
  /** The commits that names led to: refs do not change while the repository is open. */
  const commits = new Map<string, string>();
  const defaultBranch = findDefaultBranch(refs);
  return {
    defaultBranch: defaultBranch.replace(/^refs\/heads\//, ''),
    shallow: refs.shallow !== '',
    async resolve(revision, signal) {
      const { brokenDefault } = access.mirror;
      if (brokenDefault !== '' && (revision === '' || revision === 'HEAD')) throw toBrokenBranch(brokenDefault);
      for (const name of listCandidates(revision, refs, defaultBranch)) {
        const sha = await withRenewal(access, signal, () => findKnownCommit(access, commits, name, signal));
        if (sha !== null) return sha;
      }
      return null;
    },
    async bring(sha, signal) {
      if (!FULL_SHA.test(sha)) return false;
      return withRenewal(access, signal, async () => {
        if ((await findCommit(access, sha, signal)) !== null) return true;
        return (await fetchById(access, sha.toLowerCase(), signal)) !== null;
      });
    },
    tree: keepTrees((sha) => createCommitTree(keepFetched(access, sha), sha)),
  };
}

/** What an id stands for does not change; that it stands for nothing may, so only that is looked up again. */
async function findKnownCommit(
  access: RepositoryAccess,
  known: Map<string, string>,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const sha = known.get(id) ?? (await findCommit(access, id, signal));
  if (sha !== null) known.set(id, sha);
  return sha;
}

/** The trees of the last commits, so that each is listed once. */
function keepTrees(make: (sha: string) => SourceTree): (sha: string) => SourceTree {
  const kept = new Map<string, SourceTree>();
  return (sha) => {
    const tree = kept.get(sha) ?? make(sha);
    kept.delete(sha);
    kept.set(sha, tree);
    const [oldest] = kept.keys();
    if (kept.size > MOST_TREES && oldest !== undefined) kept.delete(oldest);
    return tree;
  };
}

/** A commit that no branch or tag leads to is fetched by its whole id only: less could mean another. */
async function fetchById(access: RepositoryAccess, id: string, signal: AbortSignal): Promise<string | null> {
  const length = objectFormat(access.mirror.refs) === 'sha256' ? 64 : 40;
  if (id.length !== length) return null;
  return (await access.fetchCommit(id, signal)) ? findCommit(access, id, signal) : null;
}

/** A new mirror has branches and tags only: a commit that was fetched by its id is fetched again. */
function keepFetched(access: RepositoryAccess, sha: string): RepositoryAccess {
  return {
    ...access,
    async renew(signal) {
      const isRenewed = await access.renew(signal);
      await access.fetchCommit(sha, signal);
      return isRenewed;
    },
  };
}

/** The branch that HEAD names; where that one has no commit, the only branch there is, else main or master. */
function findDefaultBranch(refs: Refs): string {
  if (refs.byName.has(refs.headBranch)) return refs.headBranch;
  if (refs.head !== '') return '';
  const branches = [...refs.byName.keys()].filter((name) => name.startsWith('refs/heads/'));
  if (branches.length === 1) return branches[0] ?? '';
  return LIKELY_DEFAULTS.find((name) => refs.byName.has(name)) ?? '';
}

/** Object ids that `revision` may mean, likeliest first. A full sha comes before a branch that is named like one. */
function listCandidates(revision: string, refs: Refs, defaultBranch: string): readonly string[] {
  if (revision === '' || revision === 'HEAD') return [refs.byName.get(defaultBranch) ?? refs.head];
  if (EXPRESSION.test(revision) || revision.length > 1_024) return [];
  const named = [`refs/heads/${revision}`, `refs/tags/${revision}`, revision].map(
    (name) => refs.byName.get(name) ?? '',
  );
  if (FULL_SHA.test(revision)) return [revision.toLowerCase(), ...named];
  return HEX_PREFIX.test(revision) ? [...named, revision.toLowerCase()] : named;
}

/** Full sha of the commit that an id, a prefix of one, or a tag's id stands for. */
async function findCommit(access: RepositoryAccess, id: string, signal: AbortSignal): Promise<string | null> {
  if (id === '') return null;
  try {
    return (await access.objects.readHeader(`${id}^{commit}`, signal)).id;
  } catch (error) {
    if (!(error instanceof MissingObject)) throw error;
  }
  await requireObject(access, id, signal);
  return null;
}

/** Throws `DamagedObjects` where a ref's own object cannot be read; a tag of a tree or blob is no commit, and no damage. */
async function requireObject(access: RepositoryAccess, id: string, signal: AbortSignal): Promise<void> {
  const { refs, gitDir } = access.mirror;
  if (id !== refs.head && ![...refs.byName.values()].includes(id)) return;
  const { ending, stderr } = await access.git.run({
    args: ['cat-file', '-p', id],
    gitDir,
    timeoutMs: 30_000,
    maxBytes: 65_536,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw new DamagedObjects(stderr);
}

function toBrokenBranch(name: string): CausewayError {
  return new CausewayError(
    'repository_unreachable',
    `The default branch of the repository (${name}) names a commit that is not there. Name another branch, or repair this one: "git fsck" there says more.`,
  );
}
