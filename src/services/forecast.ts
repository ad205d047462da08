// A project's last days read without a model: whose each red check was, and what Causeway would have made of them.

import type { ReadCheck } from 'causeway-ci-log';
import type { Redactor } from 'causeway-redact';
import { sanitiseLine } from 'causeway-visible-text';
import { judgeCheck } from '../ci/index.ts';
import { ALL_OUTPUT, type Checks, ChecksBusy, nameBareError, type Verdict } from '../core/check/index.ts';
import {
  type Forecast,
  type ForecastAnswers,
  type ForecastGroup,
  MOST_LISTED,
  type Past,
  type PastCheck,
  type PastReader,
} from '../core/past.ts';
import type { GithubProject } from '../core/project/index.ts';
import { type CheckReader, cleanChecks, cleanPast, OUTSIDE_OUTPUT, readCheckTexts } from './checks/check-texts.ts';
import type { SeenAt } from './checks/sightings.ts';

/** Calls to GitHub for the past of one project: a quarter of what a workflow's token has in an hour. */
export const MOST_CALLS = 250;
/** Of these for lists and jobs; what is left of them is for logs too. */
const MOST_LIST_CALLS = 125;
const PAST_MS = 14 * 24 * 60 * 60 * 1_000;
/** US dollars of an investigation where none was made yet. */
export const NOMINAL_COST = 0.15;

export interface PastServices {
  readonly checks: Checks & PastReader;
  readonly redactor: Redactor;
  readonly readCheck: CheckReader['readCheck'];
  readonly now: () => Date;
}

/** A red check with what was made of it. */
interface JudgedPast {
  readonly past: PastCheck;
  readonly where: SeenAt;
  /** For the ledger. */
  readonly verdict: Verdict;
  readonly fingerprint: string;
  /** Redacted; "" if none. */
  readonly headline: string;
  /** Why the log was not read; "": it was. */
  readonly noLog: string;
  readonly tests: readonly string[];
  /** On the default branch, where an earlier commit had broken the same already. */
  readonly isKnownThere: boolean;
}

export interface ReadPast {
  readonly since: string;
  readonly until: string;
  readonly found: Past;
  /** Newest first. */
  readonly judged: readonly JudgedPast[];
  readonly unreadChecks: number;
  readonly calls: number;
}

/** Of one red check, as its log says. */
interface PastReading {
  readonly past: PastCheck;
  readonly where: SeenAt;
  readonly read: ReadCheck;
  readonly noLog: string;
  readonly calls: number;
}

/**
 * The failed checks of the last 14 days, at most `MOST_CALLS` calls to GitHub. `isPatient`: throws ChecksBusy where GitHub
 * has no more calls for us; else what was read by then is judged. Throws ChecksClosed and the signal's reason.
 */
export async function readPast(
  services: PastServices,
  {
    project,
    isPatient,
    since = '',
  }: { readonly project: GithubProject; readonly isPatient: boolean; readonly since?: string },
  signal: AbortSignal,
): Promise<ReadPast> {
  const { redactor } = services;
  const checks = cleanChecks(services.checks, redactor);
  const until = services.now();
  const from = since || new Date(until.getTime() - PAST_MS).toISOString();
  const listed = await services.checks.listPast(
    project,
    { since: from, mostCalls: MOST_LIST_CALLS, isPatient },
    signal,
  );
  const found = await cleanPast(listed, redactor);
  const readings: PastReading[] = [];
  let { calls } = found;
  for (const past of found.checks) {
    if (calls >= MOST_CALLS) break;
    try {
      const reading = await readPastCheck({ services: { ...services, checks }, project, signal }, past);
      readings.push(reading);
      calls += reading.calls;
    } catch (error) {
      if (isPatient || !(error instanceof ChecksBusy)) throw error;
      break;
    }
  }
  const judged: JudgedPast[] = [];
  for (const reading of readings) judged.push(await judgePast(redactor, reading, readings));
  return {
    since: from,
    until: until.toISOString(),
    found,
    judged,
    unreadChecks: found.checks.length - readings.length,
    calls,
  };
}

async function readPastCheck(
  from: {
    readonly services: Omit<PastServices, 'checks'> & { readonly checks: Checks };
    readonly project: GithubProject;
    readonly signal: AbortSignal;
  },
  past: PastCheck,
): Promise<PastReading> {
  const { sha, branch, pullRequest, check } = past;
  const isOnDefault = pullRequest === null && branch === from.project.source.defaultBranch;
  // As in the ledger: a branch without a pull request says nothing of others.
  const isTrusted = isOnDefault || (pullRequest !== null && past.isTrusted);
  const where: SeenAt = { sha, branch, pullRequest, isOnDefault, isTrusted };
  const limits = { ...(isOnDefault ? ALL_OUTPUT : OUTSIDE_OUTPUT), artifactBytes: 0 };
  const { output, words } = await readCheckTexts(from, check, limits);
  const { log, annotations, noLog } = words;
  const read = await from.services.readCheck({ name: check.name, output, log, annotations });
  from.signal.throwIfAborted();
  return { past, where, read, noLog, calls: annotations.length > 0 ? 2 : 1 };
}

/** In hindsight: what came later counts as well. */
async function judgePast(redactor: Redactor, reading: PastReading, all: readonly PastReading[]): Promise<JudgedPast> {
  const { past, where, read, noLog } = reading;
  const { check, base } = past;
  const onBase = base.state === 'red' ? all.find((one) => one.past.check.runId === base.runId) : undefined;
  const sameCause = onBase === undefined || !read.isInformative ? null : onBase.read.fingerprint === read.fingerprint;
  const others = all.filter((one) => one.read.fingerprint === read.fingerprint && one.past.sha !== past.sha);
  const countShas = (some: readonly PastReading[]) => new Set(some.map((one) => one.past.sha)).size;
  const flaky = others.filter((one) => one.past.passedAgain);
  // As in the ledger: what comes and goes in pull requests only may be caused by those.
  const isChance = !where.isOnDefault || flaky.some((one) => one.where.isOnDefault);
  const { verdict } = judgeCheck({
    name: check.name,
    conclusion: check.conclusion,
    read,
    noLog,
    passedHere: past.passedAgain,
    base: {
      name: check.name,
      state: base.state,
      sameCause,
      ...(onBase !== undefined && { tests: onBase.read.excerpt.tests }),
    },
    history: {
      isOpenOnDefault: false,
      hits: countShas(others),
      flakyHits: isChance ? countShas(flaky) : 0,
      pullRequests: new Set(others.flatMap((one) => one.past.pullRequest ?? [])).size,
      branches: new Set(others.map((one) => one.past.branch)).size,
    },
    changed: null,
    isOnDefault: where.isOnDefault,
  });
  return {
    past,
    where,
    verdict,
    fingerprint: read.fingerprint,
    headline: await redactor.redact(nameBareError(read.excerpt) ?? read.excerpt.headline),
    noLog,
    tests: await redactor.redactJson(read.excerpt.tests),
    isKnownThere: where.isOnDefault && sameCause === true,
  };
}

/** Pure. `usdEach`: US dollars of one investigation. */
export function makeForecast({ until, found, judged, unreadChecks }: ReadPast, usdEach: number): Forecast {
  const isInGroup = (verdict: Verdict) => (one: JudgedPast) => getGroup(one) === verdict;
  const begun = judged.filter(isWorthInvestigating);
  const ofCode = new Set(begun.filter(isInGroup('code')).map(({ fingerprint }) => fingerprint));
  const group = (verdict: Verdict) => {
    const begunThere = begun.filter(isInGroup(verdict));
    const isCounted = ({ fingerprint }: JudgedPast) => verdict === 'code' || !ofCode.has(fingerprint);
    return { ...toGroup(judged.filter(isInGroup(verdict))), answers: toAnswers(begunThere.filter(isCounted)) };
  };
  const distinct = new Set(begun.map(({ fingerprint }) => fingerprint)).size;
  const investigations = distinct + found.issues.labelled.length;
  return {
    from: found.from,
    until,
    runs: found.runs,
    groups: {
      code: group('code'),
      flaky: group('flaky'),
      base_broken: group('base_broken'),
      infrastructure: group('infrastructure'),
      inconclusive: group('inconclusive'),
    },
    unreadChecks,
    unreadRuns: found.unreadRuns,
    issues: {
      ...found.issues,
      labelled: found.issues.labelled.map((issue) => ({ ...issue, title: sanitiseLine(issue.title, 200) })),
    },
    investigations,
    usd: Math.round(investigations * usdEach * 10_000) / 10_000,
    usdEach,
  };
}

function getGroup({ verdict, isKnownThere }: JudgedPast): Verdict {
  return isKnownThere && verdict === 'code' ? 'base_broken' : verdict;
}

function toGroup(judged: readonly JudgedPast[]): ForecastGroup {
  return {
    checks: judged.length,
    tests: new Set(judged.flatMap(({ tests }) => tests)).size,
    listed: judged.slice(0, MOST_LISTED).map(({ past: { check, branch, pullRequest }, headline, noLog }) => ({
      name: sanitiseLine(check.name, 100),
      branch: sanitiseLine(branch, 100),
      pullRequest,
      headline: sanitiseLine(headline, 200),
      noLog,
      url: check.url,
    })),
  };
}

/** A comment and a pull request need the verdict `code`. */
function toAnswers(begun: readonly JudgedPast[]): ForecastAnswers {
  const ofCode = begun.filter((one) => getGroup(one) === 'code');
  const countDistinct = (values: readonly (string | number)[]) => new Set(values).size;
  return {
    investigations: countDistinct(begun.map(({ fingerprint }) => fingerprint)),
    comments: countDistinct(ofCode.flatMap(({ past }) => past.pullRequest ?? [])),
    pullRequests: countDistinct(ofCode.filter(({ where }) => where.isOnDefault).map(({ fingerprint }) => fingerprint)),
  };
}

/** An investigation begins for what is new and says what is wrong, on the default branch or a pull request. */
function isWorthInvestigating(one: JudgedPast): boolean {
  const group = getGroup(one);
  const isCode = group === 'code' || group === 'inconclusive';
  return isCode && one.headline !== '' && (one.where.isOnDefault || one.past.pullRequest !== null);
}
