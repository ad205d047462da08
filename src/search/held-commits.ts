// The commits whose digests are in memory: the few that were asked for last.
import type { LexiconFile } from '../core/lexicon.ts';
import type { BlobDigest } from '../triage/localise/blob-digest.ts';
import { digestAt, type FlatDigests } from './flat-digests.ts';

export interface HeldCommit {
  readonly files: readonly LexiconFile[];
  readonly flat: FlatDigests;
  readonly cut: string;
  /** The place among the files of each blob. */
  readonly byBlob: ReadonlyMap<string, number>;
}

export interface HeldLimits {
  readonly commits: number;
  /** Of their digests, in bytes. The last one is held whatever it takes. */
  readonly bytes: number;
}

interface Entry {
  readonly projectId: string;
  readonly sha: string;
  readonly commit: HeldCommit;
}

/** Paths, ids and their maps. */
const BYTES_PER_FILE = 300;

export class HeldCommits {
  readonly #limits: HeldLimits;
  /** Last used last. */
  #entries: readonly Entry[] = [];

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  get(projectId: string, sha: string): HeldCommit | null {
    const entry = this.#entries.find((one) => one.projectId === projectId && one.sha === sha);
    if (entry === undefined) return null;
    this.#entries = [...this.#entries.filter((one) => one !== entry), entry];
    return entry.commit;
  }

  /** Those of a project, last used first. */
  of(projectId: string): readonly HeldCommit[] {
    const own = this.#entries.filter((one) => one.projectId === projectId);
    return own.map(({ commit }) => commit).reverse();
  }

  put(entry: Entry): void {
    const others = this.#entries.filter(({ projectId, sha }) => projectId !== entry.projectId || sha !== entry.sha);
    const kept = [entry];
    let room = this.#limits.bytes - bytesOf(entry.commit);
    for (const other of others.toReversed()) {
      room -= bytesOf(other.commit);
      if (room < 0 || kept.length === this.#limits.commits) break;
      kept.unshift(other);
    }
    this.#entries = kept;
  }

  forget(projectId: string): void {
    this.#entries = this.#entries.filter((one) => one.projectId !== projectId);
  }
}

function bytesOf({ flat, files }: HeldCommit): number {
  return flat.bytes + files.length * BYTES_PER_FILE;
}

/** The digest of a blob that one of the commits has: views. */
export function heldDigest(commits: readonly HeldCommit[], blob: string): BlobDigest | null {
  for (const { byBlob, flat } of commits) {
    const file = byBlob.get(blob);
    if (file !== undefined) return digestAt(flat, file);
  }
  return null;
}
