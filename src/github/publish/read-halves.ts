// The halves of a proof as their checks are now, of our own, of others and of reverts: what was read, how long it is waited for, what it comes to.

import type { ResultBudget } from 'causeway-ci-log';
import { foldSpaces } from 'causeway-visible-text';
import { type Check, ChecksClosed, createResultBudget, type NamedCheck } from '../../core/check/index.ts';
import type { GithubProject } from '../../core/project/index.ts';
import {
  type ChangedFile,
  type CheckedOut,
  findCheckedOut,
  type GreenFacts,
  type GreenJudgement,
  type HalfCheck,
  judgeGreenHalf,
  judgeRedHalf,
  listShownNames,
  listThrown,
  MOST_LOGS,
  type RedFacts,
  type RedHalf,
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

/** Of a pull request of ours. */
export function toHalfPlace({
  deps,
  view,
  signal,
}: Omit<HalfPlace, 'project'> & { readonly view: Pick<HalfPlace, 'project'> }): HalfPlace {
  return { deps, project: view.project, signal };
}

/** CI that takes longer proves nothing. */
export const HALF_MS = 2 * 3_600_000;
/** CI that hasn't started by then does not run for drafts. */
const NO_CHECKS_MS = 600_000;

/** How long the checks of a half are still waited for; 0 or less: no longer. `ageMs`: since its commit is there. */
export function measureWait(named: readonly NamedCheck[], ageMs: number): number {
  return (named.length === 0 ? NO_CHECKS_MS : HALF_MS) - ageMs;
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

interface RedReading extends Pick<RedFacts, 'own' | 'report' | 'mayRepeat'> {
  readonly base: readonly NamedCheck[];
  /** Of the commit with the tests alone. */
  readonly named: readonly NamedCheck[];
  readonly ageMs: number;
}

/** What the tests alone come to by now, with what was read of their checks. */
export async function readRedHalf(at: HalfPlace, { base, named, ageMs, ...facts }: RedReading) {
  const { own, report } = facts;
  const waitMs = measureWait(named, ageMs);
  const isLate = waitMs <= 0;
  const names = [...listShownNames(own.tests), ...own.files];
  const checks = await readHalf(at, named, { names, thrown: listThrown(report), isLate });
  return { judgement: judgeRedHalf({ ...facts, base: base.map(toLatest), checks, isLate }), checks, waitMs };
}

function toLatest({ latest }: NamedCheck): Check {
  return latest;
}

interface GreenReading extends Pick<GreenFacts, 'half' | 'isLate'> {
  readonly base: readonly NamedCheck[];
  /** The commit with the fix. */
  readonly head: string;
}

/** What both together come to by now. */
export async function readGreenHalf(at: HalfPlace, { base, head, ...facts }: GreenReading): Promise<GreenJudgement> {
  const checks = (await readNamedChecks(at, head)).map(toGreenCheck);
  return judgeGreenHalf({ ...facts, base: base.map(toLatest), checks });
}

/** A red half that was there before, of these checks. `pick`: names of the tests that count; null: the check does not. */
export async function collectRedHalf(
  at: HalfPlace,
  red: readonly Check[],
  pick: (read: Pick<ProofLog, 'tests' | 'firstError'>) => readonly string[] | null,
): Promise<RedHalf> {
  const checks: RedHalf['checks'][number][] = [];
  const turned = new Set<string>();
  const resultBudget = createResultBudget();
  for (const check of red) {
    const tests = pick(await readLogOf(at, check, NO_WORDS, resultBudget));
    if (tests === null) continue;
    const { name, app, url, endedAt } = check;
    checks.push({ name, app, red: { url, at: endedAt } });
    for (const test of tests) turned.add(test);
  }
  return { checks, turned: [...turned] };
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

async function readLogOf(
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
