// The lexicons of all projects, over one folder and one thread.
import { CausewayError } from '../core/errors.ts';
import type { Lexicons } from '../core/lexicon.ts';
import type { Log } from '../log.ts';
import { createDigester, type Digester } from './digester.ts';
import { HeldCommits, type HeldLimits } from './held-commits.ts';
import { createProjectLexicon, type ProjectLexicon } from './project-lexicon.ts';

export interface LexiconsOptions {
  /** Where digests are kept; made if absent. Nothing else may live there. */
  readonly folder: string;
  readonly log: Log;
  /** Of all projects on disk (default 512 MB). */
  readonly maxBytes?: number;
  /** What is held in memory (default six commits, of 256 MB). */
  readonly held?: HeldLimits;
  /** Most files of one commit that get a digest. */
  readonly maxFiles?: number;
  readonly digester?: Digester;
}

const MAX_BYTES = 512 * 1024 * 1024;
const HELD: HeldLimits = { commits: 6, bytes: 256 * 1024 * 1024 };

/** Dispose it to end the thread. */
export function createLexicons(options: LexiconsOptions): Lexicons & AsyncDisposable {
  const { folder, log, maxBytes = MAX_BYTES, maxFiles } = options;
  const digester = options.digester ?? createDigester();
  const held = new HeldCommits(options.held ?? HELD);
  const projects = new Map<string, ProjectLexicon>();
  let trouble = false;

  /** Once: a full disk would say so for every batch. */
  function onTrouble(error: unknown): void {
    if (!trouble) log.warn({ err: error }, 'digests of source cannot be kept on disk; they are computed each time');
    trouble = true;
  }

  function projectOf(id: string): ProjectLexicon {
    const known = projects.get(id);
    if (known !== undefined) return known;
    // What is on disk of a project is known again from there: only those stay whose commits are held.
    for (const [other, { isBusy }] of projects) if (!isBusy && held.of(other).length === 0) projects.delete(other);
    const made = createProjectLexicon({ folder, maxBytes, maxFiles, digester, held, log, onTrouble }, id);
    projects.set(id, made);
    return made;
  }

  return {
    of: ({ id }) => {
      requireId(id);
      return {
        open: (tree, signal) => projectOf(id).open(tree, signal),
        commits: (tree, limit, signal) => projectOf(id).commits(tree, limit, signal),
      };
    },
    async forget(projectId) {
      requireId(projectId);
      const project = projectOf(projectId);
      projects.delete(projectId);
      await project.forget();
    },
    [Symbol.asyncDispose]: () => digester[Symbol.asyncDispose](),
  };
}

/** It names files. */
function requireId(projectId: string): void {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(projectId)) return;
  throw new CausewayError('invalid', 'A project id has letters, digits, "_" and "-" only.');
}
