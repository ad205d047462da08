// The lexicon of one project: its two files, the commits of it that are held, and one at a time who adds to each of them.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { CommitDigests, Lexicon } from '../core/lexicon.ts';
import type { SourceTree } from '../core/source.ts';
import type { Log } from '../log.ts';
import { DIGEST_VERSION } from '../triage/localise/blob-digest.ts';
import type { Digester } from './digester.ts';
import { lookUpIn } from './flat-digests.ts';
import { keepWithin } from './folder-bound.ts';
import type { HeldCommit, HeldCommits } from './held-commits.ts';
import { openCommit } from './open-commit.ts';
import { readCommits } from './read-commits.ts';
import { RecordFile } from './record-file.ts';
import { createTurns, type Turns } from './turns.ts';

export interface ProjectLexiconDeps {
  readonly folder: string;
  readonly maxBytes: number;
  readonly maxFiles: number | undefined;
  readonly digester: Digester;
  readonly held: HeldCommits;
  readonly log: Log;
  /** Told of a disk that fails; the work goes on without it. */
  readonly onTrouble: (error: unknown) => void;
}

export interface ProjectLexicon extends Lexicon {
  /** Whether somebody waits for a commit. */
  readonly isBusy: boolean;
  /** Removes what is kept; what is still computed is neither held nor written. */
  forget(): Promise<void>;
}

/** The longest list of commits that was read to its end, of the commit it leads to. */
interface History {
  readonly sha: string;
  readonly limit: number;
  readonly answer: CommitDigests;
}

/** `id` names the files. */
export function createProjectLexicon(deps: ProjectLexiconDeps, id: string): ProjectLexicon {
  const { folder, held, onTrouble } = deps;
  const version = DIGEST_VERSION;
  const blobs = new RecordFile({ file: path.join(folder, `${id}.blobs`), version, onTrouble });
  const commits = new RecordFile({ file: path.join(folder, `${id}.commits`), version, onTrouble });
  const [blobTurns, commitTurns] = [createTurns(), createTurns()];
  let history: History | null = null;
  let isForgotten = false;
  let waiting = 0;

  async function makeFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(onTrouble);
  }

  async function bound(): Promise<void> {
    await keepWithin(folder, deps.maxBytes, new Set([blobs.path, commits.path])).catch(onTrouble);
  }

  async function openTree(tree: SourceTree, signal: AbortSignal): Promise<HeldCommit> {
    const known = held.get(id, tree.revision);
    if (known !== null) return known;
    // A first look needs the thread for certain: it starts while the files are listed, 50 ms that the first batch would wait for.
    if (!existsSync(blobs.path)) deps.digester.start();
    await makeFolder();
    const ground = { tree, file: blobs, held: held.of(id), maxFiles: deps.maxFiles };
    const commit = await openCommit(deps, ground, signal);
    if (!isForgotten) held.put({ projectId: id, sha: tree.revision, commit });
    await bound();
    return commit;
  }

  async function historyOf(tree: SourceTree, limit: number, signal: AbortSignal): Promise<CommitDigests> {
    if (history?.sha === tree.revision && limit <= history.limit) return newest(history.answer, limit);
    await makeFolder();
    const answer = await readCommits(deps, { tree, limit, file: commits }, signal);
    await bound();
    if (answer.cut === '') history = { sha: tree.revision, limit, answer };
    return answer;
  }

  async function inTurn<T>(turns: Turns, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    waiting += 1;
    try {
      return await turns.take(signal, work);
    } finally {
      waiting -= 1;
    }
  }

  return {
    get isBusy() {
      return waiting > 0;
    },
    async open(tree, signal) {
      const { files, cut, flat } = await inTurn(blobTurns, signal, () => openTree(tree, signal));
      return { files, cut, lookUp: (hashes, until) => lookUpIn(flat, hashes, until) };
    },
    commits: (tree, limit, signal) => inTurn(commitTurns, signal, () => historyOf(tree, limit, signal)),
    async forget() {
      isForgotten = true;
      held.forget(id);
      await Promise.all([blobs.remove(), commits.remove()]);
    },
  };
}

function newest({ commits, cut }: CommitDigests, limit: number): CommitDigests {
  return { commits: commits.slice(0, limit), cut };
}
