// What the checks of one commit say of a proof's half: their states, the logs that matter, and the files between two commits.

import type { ResultBudget } from 'causeway-ci-log';
import { foldSpaces } from 'causeway-visible-text';
import { type Check, ChecksClosed, createResultBudget, type NamedCheck } from '../../core/check/index.ts';
import type { GithubProject } from '../../core/project/index.ts';
import {
  type ChangedFile,
  type CheckedOut,
  findCheckedOut,
  type HalfCheck,
  MOST_LOGS,
  toChangedFile,
} from '../../core/proof/index.ts';
import { OUTSIDE_OUTPUT, readCheckTexts } from '../../services/index.ts';
import { openRepository } from '../clients/index.ts';
import type { PublishDeps } from './view.ts';

/** Where a half is read. */
export interface HalfPlace {
  readonly deps: Pick<PublishDeps, 'clients' | 'checks' | 'readCheck' | 'redactor'>;
  readonly project: GithubProject;
  readonly signal: AbortSignal;
}

/** As GitHub compares two commits, at most 300. */
export async function listChangedFiles(
  { deps, project, signal }: HalfPlace,
  from: string,
  to: string,
): Promise<readonly ChangedFile[]> {
  const read = openRepository(deps, project, 'read', signal);
  const basehead = `${from}...${to}`;
  const { files = [] } = await read(({ rest }, place) =>
    rest.repos.compareCommitsWithBasehead({ ...place, basehead, per_page: 1 }),
  );
  return files.map(toChangedFile);
}

/** Empty where we may not see them. */
export async function readNamedChecks(
  { deps, project, signal }: HalfPlace,
  sha: string,
): Promise<readonly NamedCheck[]> {
  try {
    return await deps.checks.listAll(project, sha, signal);
  } catch (error) {
    if (error instanceof ChecksClosed) return [];
    throw error;
  }
}

export function toGreenCheck({ latest, earlier }: NamedCheck) {
  const { name, app, state, url, endedAt } = latest;
  return { name, app, state, url, at: endedAt, isFlaky: earlier.some((one) => one.state !== state) };
}

/** Logs are read once all checks have ended; those of passing checks only where no other failed. */
export async function readHalf(
  at: HalfPlace,
  named: readonly NamedCheck[],
  { isLate, ...wanted }: WantedWords & { readonly isLate: boolean },
): Promise<readonly ReadHalfCheck[]> {
  const isReady = isLate || named.every(({ latest }) => latest.state !== 'waiting');
  const isAnyRed = named.some(({ latest }) => latest.state === 'red');
  const found: ReadHalfCheck[] = [];
  const resultBudget = createResultBudget();
  let logs = 0;
  for (const check of named) {
    const { state } = check.latest;
    const isRead = isReady && (state === 'red' || (state === 'green' && !isAnyRed && logs < MOST_LOGS));
    if (isRead) logs += 1;
    const read = isRead ? await readLogOf(at, check.latest, wanted, resultBudget) : UNREAD;
    found.push({ ...toGreenCheck(check), ...read });
  }
  return found;
}

/** What is looked for in a log. */
interface WantedWords {
  /** Of our tests and their files. */
  readonly names: readonly string[];
  /** Of the report. */
  readonly thrown: readonly string[];
}

export const NO_WORDS: WantedWords = { names: [], thrown: [] };

interface ReadHalfCheck extends HalfCheck {
  readonly checkedOut: CheckedOut | null;
}

type ProofLog = Pick<
  ReadHalfCheck,
  'tests' | 'firstError' | 'namesOwn' | 'showsReported' | 'isCutShort' | 'checkedOut'
>;

const UNREAD: ProofLog = {
  tests: [],
  firstError: '',
  namesOwn: false,
  showsReported: false,
  isCutShort: false,
  checkedOut: null,
};

export async function readLogOf(
  { deps, project, signal }: HalfPlace,
  check: Check,
  { names, thrown }: WantedWords,
  resultBudget: ResultBudget,
): Promise<ProofLog> {
  const place = { services: deps, project, signal };
  const { output, words } = await readCheckTexts(place, check, { ...OUTSIDE_OUTPUT, resultBudget });
  const { excerpt, isCutShort } = await deps.readCheck({ name: check.name, output, ...words });
  const { tests, headline } = excerpt;
  const namesOwn = names.some((name) => words.log.includes(name) || output.includes(name));
  const showsReported = thrown.length === 0 || thrown.some((part) => foldSpaces(words.log).includes(part));
  return { tests, firstError: headline, namesOwn, showsReported, isCutShort, checkedOut: findCheckedOut(words.log) };
}
