// What people tie to issues: a failure at once, a pattern after it was shown what it would have matched; and the end of it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { removeAnsi, removePrefix } from 'causeway-log-lines';
import type { Redactor } from 'causeway-redact';
import { compilePattern } from '../ci/index.ts';
import {
  type Checks,
  ChecksBusy,
  ChecksClosed,
  type Finding,
  type Head,
  type KnownRefusal,
  MATCHED_DAYS,
  MOST_FAILURES,
  type PatternMatch,
} from '../core/check/index.ts';
import type { GithubProject, Person } from '../core/project/index.ts';
import type { Store } from '../db/index.ts';
import { REPORT_LOG_BYTES } from './checks/check-texts.ts';
import { listPatternLines } from './checks/match-known.ts';
import { toPassingRun } from './checks/read-suspects.ts';

export interface KnownDeps {
  readonly store: Store;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly checks: Pick<Checks, 'readIssue' | 'readOutput'>;
  readonly now: () => Date;
}

/** By a person with write access, which the caller has checked. */
export interface KnownRequest {
  readonly project: GithubProject;
  /** Of the issue. */
  readonly issue: number;
  readonly by: Person;
}

export type KnownAnswer =
  | { readonly kind: 'tied'; readonly issue: number /** "": a failure itself. */; readonly pattern: string }
  /** Nothing counts yet. */
  | {
      readonly kind: 'proposed';
      readonly issue: number;
      readonly pattern: string;
      readonly matches: readonly PatternMatch[];
    }
  | { readonly kind: 'ended'; readonly issue: number }
  | { readonly kind: 'refused'; readonly refusal: KnownRefusal };

const refuse = (refusal: KnownRefusal) => ({ kind: 'refused', refusal }) as const;

export async function tieFailure(
  deps: KnownDeps,
  { project, issue, by }: KnownRequest,
  failureId: string,
  signal: AbortSignal,
): Promise<KnownAnswer> {
  const { store } = deps;
  const failure = await store.findFailure(failureId);
  if (failure?.projectId !== project.id) return refuse({ code: 'known_failure_absent' });
  const opened = await readOpenIssue(deps, project, issue, signal);
  if ('code' in opened) return refuse(opened);
  const sign = { kind: 'failure', failureId } as const;
  const now = deps.now().toISOString();
  await store.tieKnownIssue({ projectId: project.id, number: issue, title: opened.title, sign, by, now });
  return { kind: 'tied', issue, pattern: '' };
}

/** Stored as it is given: what anybody writes into the issue later is not read. */
export async function proposePattern(
  deps: KnownDeps,
  { project, issue, by }: KnownRequest,
  pattern: string,
  signal: AbortSignal,
): Promise<KnownAnswer> {
  const examined = await examinePattern(deps, project, pattern, signal);
  if ('code' in examined) return refuse(examined);
  const opened = await readOpenIssue(deps, project, issue, signal);
  if ('code' in opened) return refuse(opened);
  const now = deps.now().toISOString();
  const proposed = { pattern, by, at: now };
  await deps.store.proposePattern({ projectId: project.id, number: issue, title: opened.title, proposed, now });
  return { kind: 'proposed', issue, pattern, matches: examined.matches };
}

/** What was proposed there last, examined once more. `pattern`: only that one; absent: whichever it is. */
export async function confirmPattern(
  deps: KnownDeps,
  { project, issue, by }: KnownRequest,
  signal: AbortSignal,
  pattern?: string,
): Promise<KnownAnswer> {
  const { store } = deps;
  const proposed = (await store.findKnownIssueOf(project.id, issue))?.proposed ?? null;
  if (proposed === null || (pattern !== undefined && pattern !== proposed.pattern)) {
    return refuse({ code: 'known_nothing_proposed' });
  }
  const examined = await examinePattern(deps, project, proposed.pattern, signal);
  if ('code' in examined) return refuse(examined);
  const opened = await readOpenIssue(deps, project, issue, signal);
  if ('code' in opened) return refuse(opened);
  const sign = { kind: 'pattern', pattern: proposed.pattern } as const;
  const now = deps.now().toISOString();
  await store.tieKnownIssue({ projectId: project.id, number: issue, title: opened.title, sign, by, now });
  return { kind: 'tied', issue, pattern: proposed.pattern };
}

/** Takes back what is tied to the issue, or proposed there. */
export async function untieIssue(deps: KnownDeps, { project, issue, by }: KnownRequest): Promise<KnownAnswer> {
  const now = deps.now().toISOString();
  const end = { projectId: project.id, number: issue, by: 'person', person: by, at: now, now } as const;
  return (await deps.store.endKnownIssue(end)) ? { kind: 'ended', issue } : refuse({ code: 'known_nothing_tied' });
}

async function readOpenIssue(
  { checks, redactor }: KnownDeps,
  project: GithubProject,
  issue: number,
  signal: AbortSignal,
): Promise<KnownRefusal | { readonly title: string }> {
  const state = await checks.readIssue(project, issue, signal);
  if (state.kind === 'gone') return { code: 'known_issue_gone' };
  if (state.isPullRequest) return { code: 'known_is_pull_request' };
  if (state.kind === 'closed') return { code: 'known_issue_closed' };
  return { title: (await redactor.redact(state.title)).slice(0, TITLE_CHARACTERS).toWellFormed() };
}

const TITLE_CHARACTERS = 200;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Heads that are read at once, and in all: the newest. */
const HEADS_AT_ONCE = 50;
const MOST_HEADS = 2_000;
const MOST_PULLS = 5;

/** What the pattern would have matched, by failure; or why it is refused. */
async function examinePattern(
  deps: KnownDeps,
  project: GithubProject,
  pattern: string,
  signal: AbortSignal,
): Promise<KnownRefusal | { readonly matches: readonly PatternMatch[] }> {
  if ((await deps.redactor.redact(pattern)) !== pattern) return { code: 'known_pattern_secret' };
  const compiled = compilePattern(pattern);
  if (compiled.kind === 'refused') return compiled.refusal;
  const matched = await findMatched(deps, project.id, compiled.findLine, signal);
  if (matched.length === 0) return { code: 'known_pattern_unmatched' };
  const byFailure = [...Map.groupBy(matched, ({ finding }) => finding.failureId).entries()];
  if (byFailure.length > MOST_FAILURES) return { code: 'known_pattern_broad', failures: byFailure.length };
  const check = await findPassing(deps, project, { matched, findLine: compiled.findLine }, signal);
  if (check !== null) return { code: 'known_pattern_passes', check };
  const matches = byFailure.map(([id, all]) => {
    const [newest] = all;
    const pulls = all.flatMap(({ head: { place } }) => (place?.kind === 'pull_request' ? [place.number] : []));
    return {
      id,
      headline: newest?.finding.excerpt.headline ?? '',
      line: newest?.line ?? '',
      checks: all.reduce((sum, { finding }) => sum + finding.checks.length, 0),
      pullRequests: [...new Set(pulls)].slice(0, MOST_PULLS),
    };
  });
  return { matches };
}

type LineFinder = (lines: readonly string[]) => string | null;

interface MatchedFinding {
  readonly head: Head;
  readonly finding: Finding;
  readonly line: string;
}

/** Of the last 30 days, the newest first. */
async function findMatched(
  { store, now }: KnownDeps,
  projectId: string,
  findLine: LineFinder,
  signal: AbortSignal,
): Promise<readonly MatchedFinding[]> {
  const since = new Date(now().getTime() - MATCHED_DAYS * DAY_MS).toISOString();
  const matched: MatchedFinding[] = [];
  let before: string | undefined;
  for (let read = 0; read < MOST_HEADS; read += HEADS_AT_ONCE) {
    const page = { since, limit: HEADS_AT_ONCE, ...(before !== undefined && { before }) };
    const heads = await store.listRecentFindings(projectId, page);
    for (const head of heads) {
      signal.throwIfAborted();
      for (const finding of head.findings) {
        const line = findLine(listPatternLines(finding));
        if (line !== null) matched.push({ head, finding, line });
      }
      await nextTurn();
    }
    before = heads.at(-1)?.id;
    if (heads.length < HEADS_AT_ONCE) break;
  }
  return matched;
}

/** Checks whose passing logs are read. */
const MOST_CHECKS = 3;
const LINES_AT_ONCE = 500;
/** That Actions puts before each line. */
const STAMP = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}Z /;

/** The check that passed with a log that matches, of those that the pattern matched; null: none that can be read. */
async function findPassing(
  deps: KnownDeps,
  project: GithubProject,
  { matched, findLine }: { readonly matched: readonly MatchedFinding[]; readonly findLine: LineFinder },
  signal: AbortSignal,
): Promise<string | null> {
  const checks = new Map(
    matched.flatMap(({ finding }) => finding.checks.map(({ name, app = '' }) => [`${app}\n${name}`, { name, app }])),
  );
  for (const check of [...checks.values()].slice(0, MOST_CHECKS)) {
    const log = await readGreenLog(deps, project, check, signal);
    const lines = log === '' ? [] : removePrefix(log.split('\n')).map((line) => removeAnsi(line).replace(STAMP, ''));
    for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
      if (findLine(lines.slice(from, from + LINES_AT_ONCE)) !== null) return check.name;
      await nextTurn();
    }
  }
  return null;
}

/** Of the newest run that passed; "": none is at hand. */
async function readGreenLog(
  { store, checks }: KnownDeps,
  project: GithubProject,
  check: { readonly name: string; readonly app: string },
  signal: AbortSignal,
): Promise<string> {
  const [newest] = (await store.listPassingChecks(project.id, check)).filter(({ runId }) => runId !== null);
  if (newest === undefined) return '';
  try {
    // Compared in memory, and neither stored nor shown.
    const limits = { logBytes: REPORT_LOG_BYTES, artifactBytes: 0 };
    return (await checks.readOutput(project, toPassingRun(check, newest), signal, limits)).log;
  } catch (error) {
    if (error instanceof ChecksBusy || error instanceof ChecksClosed) return '';
    throw error;
  }
}
