// The checks of one commit, of whatever app: check runs and the statuses of older CI systems, as one list.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type GithubCaller, GithubFailure } from '../clients/github-clients.ts';

export interface Check {
  readonly name: string;
  readonly url: string;
  readonly state: 'waiting' | 'green' | 'red';
  /** What it says of itself; "" for nothing. */
  readonly output: string;
  /** Of a check run; null for a status. */
  readonly runId: number | null;
  /** Of GitHub Actions: the number is also that of the job, which has a log. */
  readonly isAction: boolean;
}

export interface ChecksOf {
  readonly caller: GithubCaller;
  readonly place: { readonly owner: string; readonly repo: string };
  /** Ours, whose own checks say nothing. */
  readonly appId: number;
}

type Run = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];
type Status = RestEndpointMethodTypes['repos']['getCombinedStatusForRef']['response']['data']['statuses'][number];

const PAGE = 100;
const MOST_PAGES = 5;
const RED = new Set(['failure', 'timed_out', 'startup_failure']);
/** Somebody must do something before it can end. */
const UNDECIDED = new Set(['action_required', 'stale']);

/** `ref` is a full sha. The latest of each name; those that were cancelled say nothing, nor does what we may not read. */
export async function readChecks(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  return [...(await unlessClosed(checkRuns(of, ref, signal))), ...(await unlessClosed(statuses(of, ref, signal)))];
}

async function checkRuns(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await of.caller.call(
      ({ rest }, request) =>
        rest.checks.listForRef({ ...of.place, ref, filter: 'latest', per_page: PAGE, page, request }),
      signal,
    );
    const others = data.check_runs.filter(({ app, conclusion }) => app?.id !== of.appId && conclusion !== 'cancelled');
    checks.push(...others.map(ofRun));
    if (data.check_runs.length < PAGE) break;
  }
  return checks;
}

async function statuses(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  const { data } = await of.caller.call(
    ({ rest }, request) => rest.repos.getCombinedStatusForRef({ ...of.place, ref, per_page: PAGE, request }),
    signal,
  );
  return data.statuses.map(ofStatus);
}

/** An installation may have granted the one without the other. */
async function unlessClosed(asked: Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && error.kind === 'refused') return [];
    throw error;
  }
}

/** Red is only said when all have ended: what fails first may not be all. A commit without any check is waited with. */
export function verdictOf(checks: readonly Check[]): 'waiting' | 'green' | 'red' {
  if (checks.length === 0 || checks.some(({ state }) => state === 'waiting')) return 'waiting';
  return checks.some(({ state }) => state === 'red') ? 'red' : 'green';
}

export function redOf(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ state }) => state === 'red');
}

function ofRun({ id, name, html_url, status, conclusion, output, app }: Run): Check {
  const isOpen = status !== 'completed' || UNDECIDED.has(conclusion ?? '');
  return {
    name,
    url: html_url ?? '',
    state: isOpen ? 'waiting' : RED.has(conclusion ?? '') ? 'red' : 'green',
    output: [output.title, output.summary, output.text].filter((part) => part !== null && part !== '').join('\n'),
    runId: id,
    isAction: app?.slug === 'github-actions',
  };
}

function ofStatus({ context, state, target_url, description }: Status): Check {
  return {
    name: context,
    url: target_url ?? '',
    state: state === 'pending' ? 'waiting' : state === 'success' ? 'green' : 'red',
    output: description ?? '',
    runId: null,
    isAction: false,
  };
}
