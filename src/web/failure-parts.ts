// What the list of failures and the page of one say of a failure in one way: its title, state, owner and days.

import type { Excerpt } from 'causeway-ci-log';
import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type Closing,
  describeFlake,
  type Failure,
  type Flake,
  findBlamedCommit,
  isMostlyFlaky,
  nameBareError,
  removeDuration,
  splitError,
} from '../core/check/index.ts';
import { formatPercent } from '../core/issue/index.ts';
import type { Project } from '../core/project/index.ts';
import type { LastFinding } from '../db/index.ts';
import { spreadOverDays } from './charts.ts';
import { formatCount, formatPlural, renderBadge, renderCommit, type Tone } from './components.ts';
import type { Html } from './layout.ts';
import type { WebDeps } from './web-deps.ts';

export function isFailureId(text: string): boolean {
  return /^fal_[0-9A-Za-z]{1,32}$/.test(text);
}

/** Red checks on each of the days, by the failure's id. */
export async function readSightings(
  store: WebDeps['store'],
  failures: readonly Failure[],
  days: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const failureIds = failures.map(({ id }) => id);
  const counts = await store.readDailySightings({ failureIds, since: days[0] ?? '' });
  const byFailure = Map.groupBy(counts, ({ id }) => id);
  return new Map(failureIds.map((id) => [id, spreadOverDays(byFailure.get(id) ?? [], days)]));
}

/** Says only that something failed, as it does of any other failure too. */
const SAYS_NOTHING =
  /^(?:##\[error\])?(?:.{0,80}\bexit(?:ed)?(?: with)?(?: code| status)?:? \d{1,3}|(?:error: )?(?:the )?(?:build|job|step|task|command|script|check) failed)\.?$/i;

/** The failed test with its error; without a test the error, or, where that says nothing, the check that failed. */
export function titleFailure(failure: Failure, excerpt?: Excerpt): { readonly title: string; readonly error: string } {
  const { headline } = failure;
  const error = sanitiseLine(headline, 300);
  const [test = '', ...more] = excerpt?.tests ?? [];
  if (test !== '') {
    const others = more.length === 0 ? '' : ` and ${formatPlural(more.length, 'other test')}`;
    const title = `${sanitiseLine(test, 200)}${others}`;
    const said =
      excerpt === undefined ||
      (headline !== nameBareError(excerpt) && removeDuration(headline) !== removeDuration(excerpt.headline))
        ? error
        : sanitiseLine(splitError(excerpt).error, 300);
    return { title, error: removeDuration(said) === test ? '' : said };
  }
  if (error !== '' && !SAYS_NOTHING.test(error)) return { title: error, error: '' };
  return { title: titleByCheck(failure), error };
}

export function titleByCheck({ lastSeen }: Failure): string {
  return `${cleanLabel(lastSeen.checkName) || 'A check'} failed`;
}

export function cleanLabel(name: string): string {
  return sanitiseLine(name, 200);
}

/** `file`: owns the file of the failing test. `commit`: wrote the commit that the failure most likely came with. */
export type Owner = { readonly name: string } & (
  | { readonly by: 'file'; readonly path: string }
  | { readonly by: 'commit'; readonly sha: string }
);

/** Owners of the failing test's file before the author of the commit. */
export function listOwners(failure: Failure, last?: LastFinding): readonly Owner[] {
  const { owners = [], path = '' } = last?.testFile ?? {};
  const commit = findBlamedCommit(failure);
  const author = sanitiseLine(commit?.author ?? '', 80);
  const ofFile = { by: 'file', path: sanitiseLine(path, 300) } as const;
  return [
    ...owners.map((name) => ({ name: sanitiseLine(name, 100), ...ofFile })),
    ...(commit === null || author === '' ? [] : [{ name: author, by: 'commit' as const, sha: commit.sha }]),
  ];
}

/** What makes them the owner, after their name; may contain backticks. */
export function explainOwner(owner: Owner): string {
  return owner.by === 'file' ? `owns \`${owner.path}\`` : `wrote ${owner.sha.slice(0, 7)}`;
}

export function describeFlakeOf(
  { baseUrl, now }: WebDeps,
  failure: Failure,
  last: LastFinding | undefined,
): Flake | null {
  const address = `${baseUrl()}/projects/${failure.projectId}/failures/${failure.id}`;
  return describeFlake(failure, last, { address, now: now() });
}

interface FailureStanding {
  readonly text: string;
  readonly tone: Tone;
}

/** In a word or two, which differ where what is to be done differs. */
export function describeState(failure: Failure, project: Project): FailureStanding {
  const main = project.source.kind === 'github' ? sanitiseLine(project.source.defaultBranch, 30) : '';
  const branch = main === '' ? 'the default branch' : main;
  const { state, closed, opening, isOnDefault, lastSeen, pullRequests } = failure;
  if (state === 'closed')
    return closed?.by === 'green' ? { text: 'fixed', tone: 'good' } : { text: 'closed', tone: 'quiet' };
  if (isMostlyFlaky(failure)) return { text: 'flaky', tone: 'busy' };
  if (lastSeen.verdict === 'infrastructure') return { text: 'CI machine', tone: 'quiet' };
  if (opening > 1 && closed?.by === 'green') return { text: 'regression', tone: 'bad' };
  if (isOnDefault) return { text: `on ${branch}`, tone: 'bad' };
  return pullRequests.length > 0 ? { text: 'in pull requests', tone: 'busy' } : { text: 'on a branch', tone: 'busy' };
}

export function renderFailureState(project: Project, failure: Failure): Html {
  const { state, closed, opening, flakyHits } = failure;
  const { text, tone } = describeState(failure, project);
  const notes: readonly (Html | string)[] = [
    ...(state === 'closed' && closed !== null ? [renderClosing(project, closed)] : []),
    ...(flakyHits > 0 ? [`${formatRate(failure)}, passed on a re-run`] : []),
    ...(opening > 1 ? [`opened ${opening} times`] : []),
  ];
  return html`${renderBadge(text, tone)}${notes.map((note) => html`<span class="soft below">${note}</span>`)}`;
}

function renderClosing(project: Project, closed: Closing): Html {
  switch (closed.by) {
    case 'green':
      return html`passed on the default branch at ${renderCommit(project, closed.sha)}`;
    case 'pull_request':
      return html`its pull requests were closed`;
    case 'unseen':
      return html`not seen for 30 days`;
  }
}

/** Such as `3 of 4, 75 %`. */
export function formatRate({ hits, flakyHits }: Pick<Failure, 'hits' | 'flakyHits'>): string {
  return `${formatCount(flakyHits)} of ${formatCount(hits)}, ${formatPercent(flakyHits / Math.max(1, hits))}`;
}
