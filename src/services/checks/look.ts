// One look at the checks of a commit: what it works on, and how its findings are stored.

import type { ResultBudget } from 'causeway-ci-log';
import {
  type ChangedFiles,
  ChecksBusy,
  ChecksClosed,
  type CommitRange,
  createResultBudget,
  type Head,
  type HeadPlace,
} from '../../core/check/index.ts';
import { type GithubProject, isGithubProject } from '../../core/project/index.ts';
import type { JobResult } from '../../core/queue.ts';
import { type CheckServices, PAUSED_MS } from '../services.ts';

/**
 * A job that reads checks: tried again later while the service is paused or GitHub is busy, and over where GitHub has
 * no such checks.
 */
export async function runCheckJob(
  { isPaused, now }: Pick<CheckServices, 'isPaused' | 'now'>,
  work: () => Promise<JobResult>,
  onClosed: (error: ChecksClosed) => Promise<void>,
): Promise<JobResult> {
  if (isPaused()) return { kind: 'later', runAt: new Date(now().getTime() + PAUSED_MS).toISOString() };
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChecksBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
    if (!(error instanceof ChecksClosed)) throw error;
    await onClosed(error);
    return { kind: 'done' };
  }
}

type LookRange = Pick<CommitRange, 'from' | 'to'>;

/** What calls GitHub throws `ChecksBusy`, `ChecksClosed` or the reason of the signal. */
export interface Look {
  readonly services: CheckServices;
  readonly project: GithubProject;
  /** As it was when the look began. */
  readonly head: Head;
  readonly signal: AbortSignal;
  /** What the change under test touches; read once. */
  readonly readChanged: (place: HeadPlace) => Promise<ChangedFiles | null>;
  /** Whether one commit is an ancestor of the other; cached for each pair. */
  readonly isAncestor: (ends: LookRange) => Promise<boolean>;
  /** Of all result files that this look reads. */
  readonly resultBudget: ResultBudget;
  readonly now: () => string;
}

/** Null where the commit or its project is no longer known. */
export async function createLook(services: CheckServices, headId: string, signal: AbortSignal): Promise<Look | null> {
  const { store, checks } = services;
  const head = await store.findHead(headId);
  const project = head && (await store.findProject(head.projectId));
  if (head === null || project === null || !isGithubProject(project)) return null;
  let changed: Promise<ChangedFiles | null> | null = null;
  const answers = new Map<string, Promise<boolean>>();
  return {
    services,
    project,
    head,
    signal,
    resultBudget: createResultBudget(),
    now: () => services.now().toISOString(),
    readChanged: (place) => {
      changed ??= checks.listChangedFiles(project, { sha: head.sha, place }, signal);
      return changed;
    },
    isAncestor: (ends) => {
      const key = `${ends.from} ${ends.to}`;
      const answer = answers.get(key) ?? checks.leadsTo(project, ends, signal);
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      return answer;
    },
  };
}

type SeenHead = Pick<Head, 'state' | 'place' | 'findings' | 'leftOut' | 'stillWaiting' | 'endedAt'>;

const MOST_LEFT_OUT = 100;

/** Values that are not given stay as they are. Without a change nothing is written, so that nothing is published. */
export async function saveSeen({ head, services, now }: Look, changes: Partial<SeenHead>): Promise<void> {
  const seen: SeenHead = { ...pickSeen(head), ...changes };
  const wanted = { ...seen, leftOut: seen.leftOut.slice(0, MOST_LEFT_OUT) };
  if (toComparable(pickSeen(head)) !== toComparable(wanted)) await services.store.saveHead(head.id, wanted, now());
}

function pickSeen({ state, place, findings, leftOut, stillWaiting, endedAt }: SeenHead): SeenHead {
  return { state, place, findings, leftOut, stillWaiting, endedAt };
}

/** The store may return the keys of an object in another order. */
function toComparable(value: unknown): string {
  const sortKeys = (_: string, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, sortKeys);
}
