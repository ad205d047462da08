// What an evaluation keeps in its folder, so that it continues after a kill: its cases, each answer in a file of its
// own, and what was spent.
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { acquireProcessLock, GitFailure } from 'causeway-git-objects';
import { CausewayError } from '../core/errors.ts';
import { makeFolder } from '../db/index.ts';
import type { Case, StoredAnswer, Unfit } from '../evaluation/index.ts';
import { VERSION } from './services.ts';

export interface FoundCases {
  readonly cases: readonly Case[];
  readonly unfit: Readonly<Partial<Record<Unfit, number>>>;
}

export interface EvaluationState extends Disposable {
  /** Where the mirrors and indexes of the cases are. */
  readonly work: string;
  /** The cases that were found for this question; null: they are still to be found. */
  readCases(question: string): FoundCases | null;
  writeCases(question: string, found: FoundCases): void;
  /** Null: not answered yet, or by another version or to another report. */
  readAnswer(one: Case, model: string): StoredAnswer | null;
  writeAnswer(one: Case, model: string, answer: StoredAnswer): void;
  /** US dollars, of every question that was answered. */
  readSpent(): number;
  addSpent(usd: number): void;
}

const LOCK_WAIT_MS = 2_000;

/** Throws `store_unusable` where the folder cannot be made, and `conflict` where another evaluation uses it. */
export async function openEvaluationState(folder: string, signal: AbortSignal): Promise<EvaluationState> {
  makeFolder(folder);
  const lock = await lockFolder(folder, signal);
  // Its last use.
  utimesSync(folder, new Date(), new Date());
  const casesFile = path.join(folder, 'cases.json');
  const spentFile = path.join(folder, 'spent.jsonl');
  return {
    work: path.join(folder, 'work'),
    readCases(question) {
      const kept = readJsonFile<FoundCases & { readonly question: string }>(casesFile);
      return kept?.question === question ? kept : null;
    },
    writeCases: (question, found) => writeJson(casesFile, { question, ...found }),
    readAnswer(one, model) {
      const kept = readJsonFile<{ readonly about: string; readonly answer: StoredAnswer }>(
        nameAnswer(folder, one, model),
      );
      return kept?.about === digestCase(one) ? kept.answer : null;
    },
    writeAnswer(one, model, answer) {
      const file = nameAnswer(folder, one, model);
      makeFolder(path.dirname(file));
      writeJson(file, { about: digestCase(one), case: one.name, model, answer });
    },
    readSpent() {
      const lines = existsSync(spentFile) ? readFileSync(spentFile, 'utf8').split('\n') : [];
      // A line that a kill cut off is no number.
      return lines.reduce((sum, line) => sum + (Number(line) || 0), 0);
    },
    // A line feed first: what a kill cut off stays on a line of its own.
    addSpent: (usd) => appendFileSync(spentFile, `\n${usd.toFixed(9)}\n`, { mode: 0o600 }),
    [Symbol.dispose]: () => lock[Symbol.dispose](),
  };
}

function lockFolder(folder: string, signal: AbortSignal): Promise<Disposable> {
  return acquireProcessLock(path.join(folder, 'lock'), signal, LOCK_WAIT_MS).catch((error: unknown) => {
    if (!(error instanceof GitFailure)) throw error;
    const message = `Another "causeway eval" uses ${folder}: wait for it, or name another folder with --state.`;
    throw new CausewayError('conflict', message, { cause: error });
  });
}

function getEvaluationsFolder(dataDir: string): string {
  return path.join(dataDir, 'evaluations');
}

/** `repository`: `owner/name`, or the name of a folder. GitHub's names have no `+`. */
export function nameStateFolder(dataDir: string, repository: string): string {
  const name = repository
    .toLowerCase()
    .replaceAll('/', '+')
    .replace(/[^a-z0-9._+-]/g, '-')
    // The folder of all evaluations, and the one above it, are no repository's.
    .replace(/^\.{0,2}$/, '-');
  return path.join(getEvaluationsFolder(dataDir), name);
}

/** Returns how many there were. One that is in use stays. */
export async function removeOldEvaluations(dataDir: string, usedBefore: Date, signal: AbortSignal): Promise<number> {
  const all = getEvaluationsFolder(dataDir);
  const folders = existsSync(all) ? readdirSync(all).map((name) => path.join(all, name)) : [];
  let removed = 0;
  for (const folder of folders.filter((one) => statSync(one).mtime < usedBefore)) {
    if (await removeEvaluation(folder, signal).catch(keepInUse)) removed += 1;
  }
  return removed;
}

function keepInUse(error: unknown): false {
  if (error instanceof CausewayError) return false;
  throw error;
}

/**
 * Those of the project, by its name, and of a folder called like it. Returns how many there were. Throws `conflict`
 * where one is in use.
 */
export async function removeEvaluationsOf(dataDir: string, project: string, signal: AbortSignal): Promise<number> {
  const names = [project, project.slice(project.lastIndexOf('/') + 1)];
  let removed = 0;
  for (const name of names) if (await removeEvaluation(nameStateFolder(dataDir, name), signal)) removed += 1;
  return removed;
}

/** False: there is none. */
async function removeEvaluation(folder: string, signal: AbortSignal): Promise<boolean> {
  if (!existsSync(folder)) return false;
  using _lock = await lockFolder(folder, signal);
  rmSync(folder, { recursive: true, force: true });
  return true;
}

/** Readable, and different for names that differ only in what a file's name cannot hold. */
function nameAnswer(folder: string, { name, base }: Case, model: string): string {
  const digest = createHash('sha256').update(model).digest('hex').slice(0, 8);
  const slug = model.replace(/[^A-Za-z0-9._-]/g, '_').slice(-60);
  return path.join(folder, 'answers', `${name.replace('#', '')}-${base.slice(0, 12)}`, `${slug}-${digest}.json`);
}

/** What an answer depends on besides the model. */
function digestCase({ base, fix, report }: Case): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, base, fix, report]))
    .digest('hex');
}

/** Null where there is none, or none that can be read. */
function readJsonFile<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whole or not at all. */
function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
