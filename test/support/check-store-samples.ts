// Sample records of checks for tests of the store: sightings, findings, places, threads that red checks open.
import type { Sighting } from '../../src/core/failure.ts';
import { EMPTY_EXCERPT, type Finding, type HeadPlace, type HeadRecord } from '../../src/core/head.ts';
import type { CheckId, FailureStore } from '../../src/db/failures.ts';
import type { HeadStore } from '../../src/db/heads.ts';
import type { ThreadPart } from '../../src/db/reports.ts';

import { trigger, WRITER } from './github-store-samples.ts';
import { NOW, SHA } from './store-samples.ts';

type PullRequestPlace = Extract<HeadPlace, { kind: 'pull_request' }>;
type Seen = Parameters<HeadStore['saveHead']>[1];
type Found = Extract<ThreadPart, { kind: 'found' }>;

export const ON_MAIN: HeadPlace = { kind: 'default', branch: 'main', pushedBy: WRITER };

export function inPullRequest(number: number, changes: Partial<PullRequestPlace> = {}): HeadPlace {
  return {
    ...{ kind: 'pull_request', number, branch: 'topic', base: { branch: 'main', sha: 'b'.repeat(40) }, sha: SHA },
    ...{ isQueue: false, isFork: false, isDraft: false, author: WRITER, isTrusted: true },
    ...changes,
  };
}

export function finding(failureId: string, changes: Partial<Finding> = {}): Finding {
  return {
    failureId,
    checks: [{ name: 'test', runId: 77, url: 'https://github.test/octo/shop/runs/77', isRed: true }],
    verdict: 'code',
    reasons: [{ code: 'touched', paths: ['cart.ts'] }],
    standing: 'new',
    excerpt: { ...EMPTY_EXCERPT, headline: 'TypeError: x is undefined', lines: ['TypeError: x is undefined'] },
    places: [{ path: 'src/cart.ts', line: 3, message: 'x is undefined' }],
    ...{ investigationId: null, threadId: null, isOwnThread: false, notBegun: { code: 'no_pull_request' } },
    ...changes,
  };
}

export function seenAs(state: Seen['state'], changes: Partial<Seen> = {}): Seen {
  return { state, place: inPullRequest(5), findings: [], leftOut: [], endedAt: NOW, ...changes };
}

export function withCheckRun(url = 'https://github.test/octo/shop/runs/1'): HeadRecord {
  const checkRun = { id: 1, url, status: 'completed', digest: 'd', annotations: 1, at: NOW } as const;
  return { checkRun, held: null };
}

/** A red check of the default branch. */
export function sighting(key: string, changes: Partial<Sighting> = {}): Sighting {
  return {
    ...{ key, sha: SHA, branch: 'main', pullRequest: null, isOnDefault: true, checkName: 'test', verdict: 'code' },
    ...{ app: 'github-actions', isTrusted: true, at: NOW, ...changes },
  };
}

/** A check of the App that sightings are of. */
export function ofActions(name: string): CheckId {
  return { app: 'github-actions', name };
}

/** The same in a pull request. */
export function inBranch(key: string, pullRequest: number | null, changes: Partial<Sighting> = {}): Sighting {
  return sighting(key, { branch: 'topic', pullRequest, isOnDefault: false, ...changes });
}

/** A failure that is known by its id, recorded from these sightings. */
export function recorded(
  store: FailureStore,
  projectId: string,
  sightings: readonly Sighting[],
  id = 'fal_1',
): ReturnType<FailureStore['recordSightings']> {
  return recordedAgain(store, projectId, sightings, { id });
}

/** The same of checks some of which are red at that moment, by their keys. */
export function recordedAgain(
  store: FailureStore,
  projectId: string,
  sightings: readonly Sighting[],
  { id = 'fal_1', redNow = [] }: { readonly id?: string; readonly redNow?: readonly string[] },
): ReturnType<FailureStore['recordSightings']> {
  const named = { id, projectId, fingerprint: `print of ${id}`, headline: `TypeError of ${id}` };
  return store.recordSightings(redNow.length === 0 ? named : { ...named, redNow }, sightings);
}

export function found(failureId: string, changes: Partial<Found> = {}): Found {
  return {
    ...{ kind: 'found', threadId: 'thr_1', subject: { kind: 'pull_request', number: 5 }, failureId, isLead: true },
    ...{ trigger: trigger({ kind: 'checks', by: WRITER, role: 'write' }), fixRequest: null },
    ...changes,
  };
}
