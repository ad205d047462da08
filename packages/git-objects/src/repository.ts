// A mirrored repository at the state when it was opened: what a revision means, and its commits as trees.

import type { RepositoryAccess } from './access.ts';
import { DamagedObjects, MissingObject, withRenewal } from './failure.ts';
import { GitFailure } from './git-failure.ts';
import { findTags } from './log.ts';
import { isSuccess } from './process.ts';
import { getObjectFormat, LIKELY_DEFAULTS, type Refs } from './refs.ts';
import type { Repository, SourceTree } from './source.ts';
import { createCommitTree } from './tree.ts';

const HEX_PREFIX = /^[0-9a-f]{7,64}$/i;
const TAGS = 'refs/tags/';
const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
// What git forbids in a ref's name, and so what makes a name an expression (`main~3`, `v1^{/text}`, `@{-1}`).
const EXPRESSION = /[\u0000- ~^:?*[\\\u007f]|\.\.|@\{|^-|\/$|^$/;

/** A listing of 90,000 files is 20 MB; a run looks at one or two commits. */
const MOST_TREES = 2;

export function createRepository(access: RepositoryAccess): Repository {
  const { refs } = access.mirror;
  const defaultBranch = findDefaultBranch(refs);
  /** The commits that ids led to: what an id means does not change; that it means nothing may. */
  const commits = new Map<string, string>();
  const trees = new Map<string, SourceTree>();

  async function findKnownCommit(id: string, signal: AbortSignal): Promise<string | null> {
    const sha = commits.get(id) ?? (await withRenewal(access, signal, () => findCommit(access, id, signal)));
    if (sha !== null) commits.set(id, sha);
    return sha;
  }

  return {
    defaultBranch: defaultBranch.replace(/^refs\/heads\//, ''),
    shallow: refs.shallow !== '',
    tags: [...refs.byName.keys()].flatMap((name) => (name.startsWith(TAGS) ? [name.slice(TAGS.length)] : [])),
    async resolve(revision, signal) {
      const candidates = listCandidates(revision, refs, defaultBranch).filter((id) => id !== '');
      for (const id of candidates) {
        const sha = await findKnownCommit(id, signal).catch((error: unknown) => {
          // The source has no such commit either.
          if (error instanceof GitFailure && error.code === 'absent') return null;
          throw error;
        });
        if (sha !== null) return sha;
      }
      if (candidates.length > 0 && (revision === '' || revision === 'HEAD')) throw toBrokenDefault(refs);
      return null;
    },
    async ensureCommit(sha, signal) {
      if (!FULL_SHA.test(sha)) return false;
      return withRenewal(access, signal, async () => {
        if ((await findCommit(access, sha, signal)) !== null) return true;
        return (await fetchById(access, sha.toLowerCase(), signal)) !== null;
      });
    },
    findTags: (sha, signal) => findTags(access, sha, signal),
    tree(sha) {
      const tree = trees.get(sha) ?? createCommitTree(keepFetched(access, sha), sha);
      trees.delete(sha);
      trees.set(sha, tree);
      const [oldest] = trees.keys();
      if (trees.size > MOST_TREES && oldest !== undefined) trees.delete(oldest);
      return tree;
    },
  };
}

/** A commit that no branch or tag leads to is fetched by its whole id only: less could mean another. */
async function fetchById(access: RepositoryAccess, id: string, signal: AbortSignal): Promise<string | null> {
  const length = getObjectFormat(access.mirror.refs) === 'sha256' ? 64 : 40;
  if (id.length !== length) return null;
  return (await access.fetchCommit(id, signal)) ? findCommit(access, id, signal) : null;
}

/** A new mirror has branches and tags only: a commit that was fetched by its id is fetched again. */
function keepFetched(access: RepositoryAccess, sha: string): RepositoryAccess {
  return {
    ...access,
    async renew(signal) {
      await access.renew(signal);
      await access.fetchCommit(sha, signal);
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

/** Object ids that `revision` may mean, likeliest first. A full sha comes before a branch of that name. */
function listCandidates(revision: string, refs: Refs, defaultBranch: string): readonly string[] {
  if (revision === '' || revision === 'HEAD') return [refs.byName.get(defaultBranch) ?? refs.head];
  if (EXPRESSION.test(revision) || revision.length > 1_024) return [];
  const named = [`refs/heads/${revision}`, `refs/tags/${revision}`, revision].map(
    (name) => refs.byName.get(name) ?? '',
  );
  if (FULL_SHA.test(revision)) return [revision.toLowerCase(), ...named];
  return HEX_PREFIX.test(revision) ? [...named, revision.toLowerCase()] : named;
}

/**
 * Full sha of the commit that an id, a prefix of one, or a tag's id leads to. Throws `DamagedObjects` where a ref's own
 * object cannot be read.
 */
async function findCommit(access: RepositoryAccess, id: string, signal: AbortSignal): Promise<string | null> {
  try {
    const found = (await access.objects.readHeader(`${id}^{commit}`, signal)).id;
    return (await isCommitVisible(access, found, signal)) ? found : null;
  } catch (error) {
    if (!(error instanceof MissingObject)) throw error;
  }
  const { refs, gitDir } = access.mirror;
  if (id !== refs.head && ![...refs.byName.values()].includes(id)) return null;
  // A tag of a tree or blob is not a commit, and no damage.
  const args = ['cat-file', '-p', id];
  const { ending, stderr } = await access.git.run({ args, gitDir, timeoutMs: 30_000, maxBytes: 65_536, signal });
  if (ending.kind === 'exited' && !isSuccess(ending)) throw new DamagedObjects(stderr);
  return null;
}

async function isCommitVisible(
  { git, mirror, asOf }: RepositoryAccess,
  sha: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (asOf === undefined || sha === asOf) return true;
  const call = { gitDir: mirror.gitDir, timeoutMs: 30_000, maxBytes: 65_536, signal };
  return isSuccess((await git.run({ ...call, args: ['merge-base', '--is-ancestor', sha, asOf] })).ending);
}

function toBrokenDefault({ headBranch }: Refs): GitFailure {
  const name = headBranch.replace(/^refs\/heads\//, '') || 'HEAD';
  return new GitFailure(
    'unreachable',
    `The default branch of the repository (${name}) points at a commit that does not exist. Name another branch, or repair this one: "git fsck" there says more.`,
  );
}
