// What the event that started a job asks for.
import type { ActionInputs } from '../config.ts';
import type { GithubProject } from '../core/project/index.ts';
import type { Subject } from '../core/thread/index.ts';
import { ACTIONS } from '../github/checks/index.ts';
import {
  type GithubUser,
  openRepository,
  type RepositoryCaller,
  readPages,
  recoverFrom,
  toUser,
} from '../github/clients/index.ts';
import { type ArrivedEvent, isRecord } from '../github/intake/index.ts';
import { mayHaveCommand } from '../github/report/index.ts';
import { type Dispatch, readDispatch } from './action-dispatch.ts';
import type { GithubService } from './github.ts';

const DAY_MS = 86_400_000;

/** What the event asks for. */
export type AskedOfJob =
  | { readonly kind: 'events'; readonly events: readonly ArrivedEvent[]; readonly about: AboutEvent }
  | { readonly kind: 'report'; readonly text: string; readonly sender: GithubUser }
  /** What the last days would have been like. */
  | { readonly kind: 'forecast' }
  | { readonly kind: 'nothing'; readonly why: string };

export type AboutEvent =
  | { readonly kind: 'subject'; readonly subject: Extract<Subject, { readonly number: number }> }
  | { readonly kind: 'commit'; readonly sha: string };

export interface Arrived {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly inputs: ActionInputs;
  readonly project: GithubProject;
}

/** Throws `usage` where an input is not what it has to be. */
export async function readAsked(service: GithubService, arrived: Arrived, signal: AbortSignal): Promise<AskedOfJob> {
  const { payload, inputs } = arrived;
  const { action } = payload;
  const id = `run-${inputs.runId}`;
  switch (inputs.event) {
    case 'issues': {
      const number = readNumber(payload['issue']);
      if (action !== 'labeled' || number === null) break;
      const about = { kind: 'subject', subject: { kind: 'issue', number } } as const;
      const missed = await findUnanswered(service, arrived, number, signal);
      return { kind: 'events', events: [...missed, { id, name: 'issues', payload }], about };
    }
    case 'issue_comment': {
      const number = readNumber(payload['issue']);
      if (action !== 'created' || number === null) break;
      const isPull = isRecord(payload['issue']) && isRecord(payload['issue']['pull_request']);
      const about = { kind: 'subject', subject: { kind: isPull ? 'pull_request' : 'issue', number } } as const;
      const missed = await findUnanswered(service, arrived, number, signal);
      return { kind: 'events', events: [...missed, { id, name: 'issue_comment', payload }], about };
    }
    case 'workflow_run':
      if (action !== 'completed') break;
      return toEndedChecks(arrived, id);
    case 'workflow_dispatch':
      return await readStartedByHand(service, arrived, id, signal);
    default:
  }
  const known = 'issues: labeled, issue_comment: created, workflow_run: completed, workflow_dispatch';
  return { kind: 'nothing', why: `Nothing to do for ${inputs.event}. Causeway takes ${known}.` };
}

function readNumber(issue: unknown): number | null {
  const number = isRecord(issue) ? issue['number'] : null;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** GitHub sends no event of checks for what Actions runs; the run has what is needed of one. */
function toEndedChecks({ payload, inputs }: Arrived, id: string): AskedOfJob {
  const run = payload['workflow_run'];
  if (!isRecord(run) || typeof run['head_sha'] !== 'string') {
    return { kind: 'nothing', why: 'The event names no commit: nothing was done.' };
  }
  // By its file: anybody who may push a workflow may name it as they like.
  // GitHub may put the branch behind it.
  const file = String(run['path']).split('@')[0];
  if (file === inputs.workflow || run['id'] === inputs.runId) {
    return { kind: 'nothing', why: 'That was a run of this workflow itself: nothing was done.' };
  }
  const { head_sha, head_branch, conclusion, pull_requests } = run;
  const suite = { head_sha, head_branch, conclusion, pull_requests, app: { slug: ACTIONS } };
  const { repository, sender } = payload;
  const event = { action: 'completed', check_suite: suite, repository, sender };
  return {
    kind: 'events',
    events: [{ id, name: 'check_suite', payload: event }],
    about: { kind: 'commit', sha: run['head_sha'] },
  };
}

/**
 * Earlier commands there without a reaction of ours, oldest first. GitHub keeps one waiting run of a concurrency group and
 * drops the others, so that a command can be left without a run of its own.
 */
async function findUnanswered(
  { services, clients }: GithubService,
  { payload, project }: Pick<Arrived, 'payload' | 'project'>,
  number: number,
  signal: AbortSignal,
): Promise<readonly ArrivedEvent[]> {
  const current = readNumberOf(payload['comment'], 'id');
  const read = openRepository({ clients }, project, 'read', signal);
  const since = new Date(services.now().getTime() - DAY_MS).toISOString();
  const { items } = await readPages(1, (page) =>
    read(({ rest }, place) => rest.issues.listComments({ ...place, issue_number: number, since, ...page })),
  );
  return items.flatMap((comment) => {
    const { id, body, reactions, created_at, updated_at, user } = comment;
    const isAnswered = (reactions?.eyes ?? 0) + (reactions?.confused ?? 0) > 0;
    // Others with write may edit a comment: an edited one is left to its author to repeat.
    const isTaken =
      id >= (current ?? Number.POSITIVE_INFINITY) || isAnswered || created_at !== updated_at || user === null;
    if (isTaken || !mayHaveCommand(body ?? '')) return [];
    const event = { ...payload, action: 'created', comment, sender: user };
    return [{ id: `comment-${id}`, name: 'issue_comment', payload: event }];
  });
}

function readNumberOf(of: unknown, name: string): number | null {
  const value = isRecord(of) ? of[name] : null;
  return typeof value === 'number' ? value : null;
}

/** A person started the workflow by hand, for one of its inputs. */
async function readStartedByHand(
  service: GithubService,
  arrived: Arrived,
  id: string,
  signal: AbortSignal,
): Promise<AskedOfJob> {
  const given = readDispatch(arrived.payload['inputs']);
  const read = openRepository(service, arrived.project, 'read', signal);
  switch (given.kind) {
    case 'nothing':
      return { kind: 'forecast' };
    case 'report': {
      const { sender } = arrived.payload;
      return { kind: 'report', text: given.text, sender: toUser(isRecord(sender) ? sender : null) };
    }
    case 'issue':
      return await readNamedIssue(service, arrived, given, { id, read, signal });
    case 'run':
      return await readNamedRun(arrived, given, { id, read, signal });
  }
}

interface EventReading {
  /** Of the event. */
  readonly id: string;
  readonly read: RepositoryCaller;
  readonly signal: AbortSignal;
}

async function readNamedIssue(
  service: GithubService,
  arrived: Arrived,
  { number }: Extract<Dispatch, { kind: 'issue' }>,
  { id, read, signal }: EventReading,
): Promise<AskedOfJob> {
  const { project } = arrived;
  const { name } = project;
  const issue = await orNull(() => read(({ rest }, place) => rest.issues.get({ ...place, issue_number: number })));
  // GitHub leads on to where an issue was transferred to.
  if (issue === null || !issue.repository_url.toLowerCase().endsWith(`/repos/${name.toLowerCase()}`)) {
    return { kind: 'nothing', why: `${name} has no issue ${number}: nothing was done.` };
  }
  const subject = { kind: issue.pull_request ? 'pull_request' : 'issue', number } as const;
  const payload = { ...arrived.payload, issue };
  const missed = await findUnanswered(service, { payload, project }, number, signal);
  const events = [...missed, { id, name: 'workflow_dispatch', payload }];
  return { kind: 'events', events, about: { kind: 'subject', subject } };
}

async function readNamedRun(
  arrived: Arrived,
  { number, repository }: Extract<Dispatch, { kind: 'run' }>,
  { id, read }: EventReading,
): Promise<AskedOfJob> {
  const { payload, inputs, project } = arrived;
  const nothing = (why: string): AskedOfJob => ({ kind: 'nothing', why: `${why}: nothing was done.` });
  if (repository !== null && repository.toLowerCase() !== project.name.toLowerCase()) {
    return nothing(`That is a run of ${repository}, not of ${project.name}`);
  }
  const run = await orNull(() => read(({ rest }, place) => rest.actions.getWorkflowRun({ ...place, run_id: number })));
  if (run === null) return nothing(`${project.name} has no run ${number}`);
  if (run.status !== 'completed' && run.id !== inputs.runId) return nothing(`Run ${number} has not ended`);
  return toEndedChecks({ ...arrived, payload: { ...payload, workflow_run: run } }, id);
}

function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  return recoverFrom<T | null>(['gone'], call, () => null);
}
