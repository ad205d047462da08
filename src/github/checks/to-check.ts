// A check run or a commit status of GitHub as a check in our words.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { Check } from '../../core/check.ts';
import { keepBeginning } from '../../core/cut-text.ts';

export type CheckRun = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];
export type Status = Pick<
  RestEndpointMethodTypes['repos']['listCommitStatusesForRef']['response']['data'][number],
  'id' | 'context' | 'state' | 'target_url' | 'description' | 'created_at' | 'updated_at'
>;

export const ACTIONS = 'github-actions';

const RED = new Set(['failure', 'timed_out', 'startup_failure']);
/**
 * Somebody stopped it, it was not to run, GitHub gave it up, or a person has to act, which may never happen (such as signing an agreement):
 * of the commit that says nothing.
 */
const SAYS_NOTHING = new Set(['cancelled', 'skipped', 'stale', 'action_required']);
const PART_BYTES = 16 * 1_024;

export function isRedConclusion(conclusion: string | null | undefined): boolean {
  return RED.has(conclusion ?? '');
}

export function saysNothing({ status, conclusion }: Pick<CheckRun, 'status' | 'conclusion'>): boolean {
  return status === 'completed' && SAYS_NOTHING.has(conclusion ?? '');
}

export function isOfActions({ app }: Pick<CheckRun, 'app'>): boolean {
  return app?.slug === ACTIONS;
}

export function ofCheckRun(run: CheckRun): Check {
  const { output } = run;
  const state = stateOf(run);
  return {
    name: run.name,
    app: run.app?.slug ?? '',
    runId: run.id,
    state,
    conclusion: state === 'waiting' ? '' : (run.conclusion ?? ''),
    startedAt: run.started_at ?? '',
    endedAt: state === 'waiting' ? '' : (run.completed_at ?? ''),
    url: run.html_url ?? run.details_url ?? '',
    title: bounded(output.title),
    summary: bounded(output.summary),
    text: bounded(output.text),
    annotations: output.annotations_count,
  };
}

function stateOf({ status, conclusion }: CheckRun): Check['state'] {
  if (status !== 'completed') return 'waiting';
  return isRedConclusion(conclusion) ? 'red' : 'green';
}

export function ofStatus(status: Status): Check {
  const isOpen = status.state === 'pending';
  return {
    name: status.context,
    app: '',
    runId: null,
    state: isOpen ? 'waiting' : status.state === 'success' ? 'green' : 'red',
    conclusion: isOpen ? '' : status.state,
    startedAt: status.created_at,
    endedAt: isOpen ? '' : status.updated_at,
    url: status.target_url ?? '',
    title: bounded(status.description),
    summary: '',
    text: '',
    annotations: 0,
  };
}

function bounded(text: string | null): string {
  return keepBeginning(text ?? '', PART_BYTES);
}
