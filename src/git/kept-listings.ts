// The listings of the commits that were looked at last, of all projects: the next commit's is made of one of them and of what changed.
import type { TreeIndex } from './tree-index.ts';

/** Entries of all listings, each some 250 bytes with the index over it. */
const MOST_ENTRIES = 120_000;
const MOST_OF_ONE = 2;

/** Of one project, as long as that is not forgotten. */
export interface ProjectListings {
  get(sha: string): TreeIndex | null;
  /** The one that was asked for last; null where there is none. */
  latest(): { readonly sha: string; readonly index: TreeIndex } | null;
  keep(sha: string, index: TreeIndex): void;
}

export interface KeptListings {
  of(projectId: string): ProjectListings;
  forget(projectId: string): void;
}

interface Kept {
  readonly owner: ProjectListings;
  readonly sha: string;
  readonly index: TreeIndex;
}

export function createKeptListings(mostEntries: number = MOST_ENTRIES): KeptListings {
  const projects = new Map<string, ProjectListings>();
  /** Last used first. */
  let all: readonly Kept[] = [];

  function keep(one: Kept): void {
    const kept: Kept[] = [];
    let room = mostEntries;
    for (const other of [one, ...all.filter(({ owner, sha }) => owner !== one.owner || sha !== one.sha)]) {
      const own = kept.filter(({ owner }) => owner === other.owner).length;
      if (own >= MOST_OF_ONE) continue;
      room -= other.index.entries.length;
      if (room < 0) break;
      kept.push(other);
    }
    all = kept;
  }

  function open(): ProjectListings {
    const owner: ProjectListings = {
      get(sha) {
        const found = all.find((one) => one.owner === owner && one.sha === sha);
        if (found !== undefined) keep(found);
        return found?.index ?? null;
      },
      latest: () => all.find((one) => one.owner === owner) ?? null,
      keep(sha, index) {
        if (index.entries.length <= mostEntries) keep({ owner, sha, index });
      },
    };
    return owner;
  }

  return {
    of(projectId) {
      const known = projects.get(projectId) ?? open();
      projects.set(projectId, known);
      return known;
    },
    forget(projectId) {
      const gone = projects.get(projectId);
      projects.delete(projectId);
      all = all.filter(({ owner }) => owner !== gone);
    },
  };
}
