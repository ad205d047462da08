// A thread as the publisher sees it, to be changed by each test: an issue that a writer has labelled, and its investigation.
import { type ChangeSet, toDiff } from 'causeway-diff';
import { EMPTY_EXCERPT, EMPTY_HEAD_RECORD, type Finding, type Head } from '../../../src/core/check/head.ts';
import type { Analysis, Conclusion, Issue } from '../../../src/core/issue/issue.ts';
import type { GithubProject } from '../../../src/core/project/project.ts';
import type { Investigation, InvestigationOutcome } from '../../../src/core/report/report.ts';
import {
  EMPTY_RECORD,
  type PostedComment,
  type PostedPullRequest,
  type Thread,
  type ThreadRecord,
} from '../../../src/core/thread/thread.ts';
import { DEFAULT_CONFIG } from '../../../src/github/configuration/repository-config.ts';
import type { HeadCause, LivePull, Result, View } from '../../../src/github/publish/view.ts';
import { sampleIssue } from '../../support/sample-issue.ts';
import { conclusion } from '../../support/store-samples.ts';
import { sourced } from '../render/comment-samples.ts';

export const NOW = '2026-11-20T10:00:00.000Z';
const WRITER = { id: 7, login: 'ada' };

/** An ISO time `seconds` after `NOW`. */
export function at(seconds: number): string {
  return new Date(Date.parse(NOW) + seconds * 1_000).toISOString();
}

const CHANGE: ChangeSet = {
  base: 'a'.repeat(40),
  files: [{ kind: 'modified', path: 'src/coupons.js', before: 'one\n', after: 'two\n' }],
};

const PROJECT: GithubProject = {
  id: 'prj_1',
  name: 'octo/shop',
  source: {
    ...{ kind: 'github', repositoryId: 1, installationId: 2, url: 'https://github.com/octo/shop.git' },
    ...{ isPrivate: false, isArchived: false, defaultBranch: 'main' },
  },
  createdAt: NOW,
};

function sampleThread(over: Partial<Thread> = {}): Thread {
  return {
    id: 'thr_1',
    projectId: PROJECT.id,
    subject: { kind: 'issue', number: 12 },
    investigationId: 'inv_1',
    trigger: { kind: 'label', by: WRITER, role: 'write', commentId: null, guidance: '', at: NOW },
    fixRequest: { ...WRITER, at: NOW },
    record: EMPTY_RECORD,
    createdAt: NOW,
    ...over,
  };
}

/** With its 👀, so that the next step is about what tests want to see. */
export function sampleView(over: Partial<View> = {}, thread: Partial<Thread> = {}): View {
  return {
    thread: sampleThread(thread),
    record: { ...EMPTY_RECORD, seen: NOW },
    project: PROJECT,
    config: DEFAULT_CONFIG,
    isObserved: false,
    opens: true,
    lacks: [],
    seesChecks: true,
    isReadFirst: false,
    hasRecords: true,
    investigation: investigation({ state: 'running' }),
    result: null,
    progressSource: 'repository',
    facts: null,
    waitsFor: null,
    notRead: '',
    earlier: null,
    ...{ latest: null, displaced: null, votes: [] },
    published: null,
    further: [],
    storedInvestigationId: 'inv_1',
    ...{ checks: null, pull: null, failure: null, redNames: [], threshold: 0.78 },
    webUrl: 'https://github.com',
    recordUrl: '',
    now: new Date(NOW),
    ...over,
  };
}

const LIVE: LivePull = { state: 'open', headSha: 'a'.repeat(40), isDraft: false, isFork: false };

export function livePull(over: Partial<LivePull> = {}): LivePull {
  return { ...LIVE, ...over };
}

/** Red checks of one cause, looked into by the thread's own investigation. */
function finding(over: Partial<Finding> = {}): Finding {
  return {
    failureId: 'fal_1',
    checks: [{ name: 'test (20)', runId: 1, url: '', isRed: true }],
    ...{ verdict: 'code', isTouched: true },
    reasons: [{ code: 'green_on_base', check: '' }],
    standing: 'new',
    excerpt: EMPTY_EXCERPT,
    places: [],
    investigationId: 'inv_1',
    threadId: 'thr_1',
    isOwnThread: true,
    notBegun: null,
    ...over,
  };
}

export function sampleHead(over: Partial<Head> = {}): Head {
  return {
    ...{ id: 'hed_1', projectId: PROJECT.id, sha: LIVE.headSha, branch: 'mine', state: 'red' },
    place: {
      ...{ kind: 'pull_request', number: 12, branch: 'mine', base: { branch: 'main', sha: 'b'.repeat(40) } },
      ...{ sha: LIVE.headSha, isQueue: false, isFork: false, isDraft: false, author: WRITER, isTrusted: true },
    },
    ...{
      findings: [],
      leftOut: [],
      stillWaiting: [],
      endedAt: at(60),
      record: EMPTY_HEAD_RECORD,
      rerequestedAt: '',
      createdAt: NOW,
      changedAt: NOW,
    },
    ...over,
  };
}

/** A cause with its result; null: its investigation runs still. */
export function cause(result: Result | null, over: Partial<Finding> = {}): HeadCause {
  const found = finding(over);
  const outcome: InvestigationOutcome =
    result === null ? { state: 'running' } : { state: 'concluded', issueId: result.issue.id };
  return { finding: found, investigation: investigation(outcome), result };
}

/** Nobody asked: red checks of a pull request did, and what of them was looked into is known. */
export function unasked(causes: readonly HeadCause[], over: Partial<View> = {}, thread: Partial<Thread> = {}): View {
  const [first] = causes;
  const head = sampleHead({ findings: causes.map((one) => one.finding) });
  return sampleView(
    {
      record: EMPTY_RECORD,
      checks: { head, causes, namesBefore: ['test (20)'] },
      pull: LIVE,
      investigation: first?.investigation ?? investigation({ state: 'running' }),
      result: first?.result ?? null,
      ...over,
    },
    {
      subject: { kind: 'pull_request', number: 12 },
      trigger: { kind: 'checks', by: WRITER, role: 'write', commentId: null, guidance: '', at: NOW },
      fixRequest: null,
      ...thread,
    },
  );
}

export function investigation(outcome: InvestigationOutcome, over: Partial<Investigation> = {}): Investigation {
  return {
    ...{
      id: 'inv_1',
      runId: 'run_1',
      accountId: 'acc_1',
      projectId: PROJECT.id,
      origin: 'github-issue',
      reference: '',
    },
    ...{ outcome, progress: { step: 3, action: 'read src/coupons.js' }, isTrusted: true, createdAt: NOW },
    ...over,
  };
}

export function facts(): Conclusion {
  return conclusion();
}

/** A fix that nothing stands against. */
export function fixResult(analysis: Partial<Analysis> = {}, over: Partial<Issue> = {}): Result {
  const issue = sampleIssue({ diff: toDiff(CHANGE), createdAt: NOW, ...over }, { outcome: 'code_fix', ...analysis });
  return { issue: sourced(issue), changeSet: CHANGE };
}

export function concluded(result: Result, record: Partial<ThreadRecord> = {}, over: Partial<View> = {}): View {
  return sampleView({
    investigation: investigation({ state: 'concluded', issueId: result.issue.id }),
    result,
    record: { ...EMPTY_RECORD, seen: NOW, ...record },
    ...over,
  });
}

export function comment(over: Partial<PostedComment> = {}): PostedComment {
  return { ...{ id: 5, url: 'u', investigationId: 'inv_1', shows: 'facts', digest: 'd', at: NOW }, ...over };
}

export function pullRequest(over: Partial<PostedPullRequest> = {}): PostedPullRequest {
  return {
    ...{ number: 9, url: 'p', nodeId: 'n', branch: 'causeway/issue-12-abcdef', base: 'main', headSha: 'b'.repeat(40) },
    ...{ issueId: 'iss_1', state: 'open', checks: 'waiting', attempts: [], handedOver: null },
    ...over,
  };
}
