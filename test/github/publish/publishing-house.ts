// A house that publishes on the GitHub double: real store, real git, real clients; investigations end as the test says.

import { condenseLog, type Excerpt } from 'causeway-ci-log';
import type { ChangeSet } from 'causeway-diff';
import { type Comment, type GithubDouble, type GithubIssue, startGithubDouble } from 'causeway-github-double';
import { createRedactor } from 'causeway-redact';
import { gitIn } from '../../../packages/git-objects/test/git-repository.ts';
import { EMPTY_EXCERPT, type Finding, type HeadPlace, type HeadState } from '../../../src/core/check/head.ts';
import type { Verdict } from '../../../src/core/check/verdict.ts';
import { createId } from '../../../src/core/ids.ts';
import type { Conclusion } from '../../../src/core/issue/issue.ts';
import type { Person, Role } from '../../../src/core/project/person.ts';
import type { GithubProject, Installation } from '../../../src/core/project/project.ts';
import type { JobResult } from '../../../src/core/queue.ts';
import type { FailureReason, WaitCode } from '../../../src/core/reason.ts';
import type { Subject, Thread, Trigger } from '../../../src/core/thread/thread.ts';
import type { Run } from '../../../src/db/runs.ts';
import type { Store } from '../../../src/db/store.ts';
import { createChecks } from '../../../src/github/checks/create-checks.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../../src/github/configuration/repository-config.ts';
import { createContextAccess } from '../../../src/github/projects/context-access.ts';
import { createPermissions } from '../../../src/github/projects/roles.ts';
import { createPublishHandler } from '../../../src/github/publish/publish-thread.ts';
import type { PublishDeps } from '../../../src/github/publish/view.ts';
import { createLog } from '../../../src/log.ts';
import { createCheckReader } from '../../../src/services/checks/check-texts.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { SIGNAL, testSource } from '../../support/project-source.ts';
import { acceptance, accepted, conclusion } from '../../support/store-samples.ts';

export const SHOP = 'octo/shop';
export const FILES = { 'src/cart.js': 'one\ntwo\nthree\n', 'src/other.js': 'x\n', 'run.sh': '#!/bin/sh\n' };
/** What the sample fix makes of `src/cart.js`. */
export const FIXED = 'one\n2\nthree\n';

interface Asked {
  readonly by?: string;
  readonly role?: Role;
  readonly fix?: boolean;
  readonly kind?: Trigger['kind'];
  readonly commentId?: number;
  readonly subject?: Subject;
}

interface Setting {
  readonly deps?: Partial<PublishDeps>;
  readonly config?: Partial<RepositoryConfig>;
  readonly isPrivate?: boolean;
  /** What the installation was granted, where that is not all. */
  readonly permissions?: Installation['permissions'];
  /** Called with each answer of GitHub before we see it; throw to lose it. */
  readonly onAnswer?: (method: string, path: string) => unknown;
}

export interface PublishingHouse extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly store: Store;
  readonly project: GithubProject;
  readonly deps: PublishDeps;
  /** What the repository and the operator say, changed by tests. */
  readonly setting: { config: RepositoryConfig; paused: boolean; waitsFor: WaitCode | null };
  readonly issue: GithubIssue;
  /** A person asks; the earlier investigation of the subject, if any, is cancelled as the store does it. */
  ask(asked?: Asked): Promise<Thread>;
  /** Nobody asked: red checks of one cause are looked into. */
  found(red: Found): Promise<Finding>;
  /** What the checks of a pull request's head say now. */
  judge(head: JudgedHead): Promise<void>;
  thread(): Promise<Thread>;
  facts(): Promise<void>;
  /** The run that waits ends with this change (default: one that fixes `src/cart.js`). */
  conclude(over?: Ending): Promise<string>;
  giveUp(reason?: FailureReason): Promise<void>;
  publish(): Promise<JobResult>;
  /** Publishes again as long as that is due within a minute. */
  settle(): Promise<JobResult>;
  /** What people read on the issue, ours and theirs. */
  comments(number?: number): readonly Comment[];
  pulls(): readonly GithubIssue[];
  branches(): Promise<readonly string[]>;
  head(branch?: string): Promise<string>;
  advance(seconds: number): void;
  writes(): readonly string[];
}

interface Found {
  readonly names: readonly string[];
  readonly subject: Subject | 'failure';
  readonly sha: string;
  readonly verdict?: Verdict;
  readonly fixRequest?: string;
  readonly isLead?: boolean;
  readonly excerpt?: Partial<Excerpt>;
}

interface JudgedHead {
  readonly number: number;
  readonly sha: string;
  readonly findings: readonly Finding[];
  readonly state?: HeadState;
}

interface Ending {
  readonly files?: ChangeSet['files'];
  readonly base?: string;
  readonly analysis?: Partial<Conclusion['analysis']>;
  readonly rootCause?: string;
}

const WRITER = 'wanda';

export async function publishingHouse(setting: Setting = {}): Promise<PublishingHouse> {
  const stack = new AsyncDisposableStack();
  const double = stack.use(await startGithubDouble({ app: CAUSEWAY_APP }));
  const now = () => double.state.clock.now();
  const place = stack.use(await sqlite.place());
  const opened = stack.use(await place.open());
  const git = stack.use(testSource());
  const redactor = stack.use(createRedactor({ exactValues: () => [] }));
  const log = createLog({ level: 'silent' });
  const { store } = opened;
  const { people } = double;
  const repository = await people.openRepository(SHOP, { files: FILES, isPrivate: setting.isPrivate ?? false });
  const installation = people.install(
    'octo',
    setting.permissions === undefined ? {} : { permissions: setting.permissions },
  );
  people.user(WRITER);
  people.grant(SHOP, WRITER, 'write');
  const issue = people.openIssue(SHOP, { by: WRITER, title: 'The cart breaks', body: 'It says two.' });
  await store.syncInstallation(
    {
      id: installation.id,
      owner: { id: repository.ownerId, login: 'octo', kind: 'organization' },
      permissions: installation.permissions,
      isSuspended: false,
    },
    [
      {
        ...{ id: repository.id, fullName: SHOP, cloneUrl: `${double.webUrl}/${SHOP}.git`, isArchived: false },
        ...{ isPrivate: repository.isPrivate, defaultBranch: 'main' },
      },
    ],
    now().toISOString(),
  );
  const project = (await store.findProjectOfRepository(repository.id))!;
  const account = await store.ensureAccount({
    ...{ login: WRITER, githubId: people.user(WRITER).id, signingSecret: 'whsec_x', now: now().toISOString() },
  });
  const clients = stack.use(
    createGithubClients({
      ...{ appId: double.app.id, privateKey: double.app.privateKey, apiUrl: double.apiUrl, webUrl: double.webUrl },
      ...{ userAgent: 'Causeway/test', installations: store, now },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        await setting.onAnswer?.(init?.method ?? 'GET', new URL(String(input)).pathname);
        return response;
      },
    }),
  );
  const changing = {
    config: { ...DEFAULT_CONFIG, ...setting.config },
    paused: false,
    waitsFor: null,
  };
  const permissions = createPermissions({ clients, now });
  const configuration = { of: async () => ({ config: changing.config, problem: null }) };
  const checksDeps = { clients, permissions, configuration, store, ceiling: 'fix', operatorModel: null, now } as const;
  const places = {
    apiUrl: double.apiUrl,
    userAgent: 'Causeway/test',
    shortenLog: condenseLog,
    readArtifact: async () => ({ results: [], unread: [] }),
    readBuildLog: async () => null,
  };
  const deps: PublishDeps = {
    checks: createChecks({ ...checksDeps, ...places }),
    readCheck: stack.use(createCheckReader()).readCheck,
    store,
    context: createContextAccess({ clients }),
    source: {
      open: (wanted, signal) =>
        git.source.open({ ...wanted, source: { kind: 'path', path: repository.gitDir } }, signal),
    },
    clients,
    configuration,
    permissions,
    redactor,
    changes: createChanges(),
    log,
    now,
    ceiling: 'fix',
    paused: () => changing.paused,
    waitsFor: () => changing.waitsFor,
    operatorModel: null,
    webUrl: double.webUrl,
    apiUrl: double.apiUrl,
    userAgent: 'Causeway/test',
    recordUrl: () => '',
    ...setting.deps,
  };
  let threadId: string = createId('thr');
  let run: Run | null = null;
  const subjectOf = (asked: Asked): Subject => asked.subject ?? { kind: 'issue', number: issue.number };
  const house: PublishingHouse = {
    ...{ double, store, project, deps, setting: changing, issue },
    async ask(asked = {}) {
      const login = asked.by ?? WRITER;
      const person: Person = { id: people.user(login).id, login };
      const trigger: Trigger = {
        ...{ kind: asked.kind ?? 'label', by: person, role: asked.role ?? 'write', commentId: asked.commentId ?? null },
        ...{ guidance: '', at: now().toISOString() },
      };
      const subject = subjectOf(asked);
      const fixRequest = (asked.fix ?? true) ? person : null;
      const wanted = acceptance({ account, project }, { fingerprint: createId('req'), now: now().toISOString() });
      const opens = { kind: 'opens', threadId: createId('thr'), subject, trigger, fixRequest, isSeen: false } as const;
      const { runId } = await accepted(store, { ...wanted, thread: opens });
      run = await store.startRun(runId, now().toISOString());
      const thread = (await store.findThreadOfSubject(project.id, subject))!;
      threadId = thread.id;
      return thread;
    },
    async found({ names, sha, verdict = 'code', isLead = true, ...red }) {
      const at = now().toISOString();
      const personOf = (login: string): Person => ({ id: people.user(login).id, login });
      const isOnDefault = red.subject === 'failure';
      const about = {
        sha,
        branch: isOnDefault ? 'main' : 'mine',
        pullRequest: null,
        isOnDefault,
        isTrusted: true,
        verdict,
        at,
      };
      const sightings = names.map((checkName) => ({
        ...about,
        key: `${sha} ${checkName}`,
        app: 'github-actions',
        checkName,
      }));
      const kind = { id: createId('fal'), projectId: project.id, fingerprint: names.join(), headline: 'Error: red' };
      const { failure, standing } = await store.recordSightings(kind, sightings);
      const subject: Subject = red.subject === 'failure' ? { kind: 'failure', failureId: failure.id } : red.subject;
      const by = personOf(WRITER);
      const trigger: Trigger = { kind: 'checks', by, role: 'write', commentId: null, guidance: '', at };
      const fixRequest = red.fixRequest === undefined ? null : personOf(red.fixRequest);
      const part = { kind: 'found', threadId: createId('thr'), subject, trigger, fixRequest, isLead } as const;
      const wanted = acceptance({ account, project }, { fingerprint: createId('req'), origin: 'check-run', now: at });
      const { runId, investigationId } = await accepted(store, {
        ...wanted,
        thread: { ...part, failureId: failure.id },
      });
      run = await store.startRun(runId, at);
      threadId = (await store.findThreadOfSubject(project.id, subject))!.id;
      return {
        ...{ failureId: failure.id, verdict, standing, reasons: [{ code: 'green_on_base', check: '' }], places: [] },
        checks: names.map((name) => ({ name, runId: 1, url: '', isRed: true })),
        ...{
          excerpt: { ...EMPTY_EXCERPT, ...red.excerpt },
          investigationId,
          threadId,
          isOwnThread: true,
          notBegun: null,
        },
      };
    },
    async judge({ number, sha, findings, state = 'red' }) {
      const at = now().toISOString();
      const head = await store.ensureHead(
        { id: createId('hed'), projectId: project.id, sha, branch: 'mine' },
        { runAt: at, now: at },
      );
      const place: HeadPlace = {
        ...{ kind: 'pull_request', number, branch: 'mine', base: { branch: 'main', sha: await house.head() }, sha },
        ...{ isQueue: false, isFork: false, isDraft: false, author: null, isTrusted: true },
      };
      await store.saveHead(head.id, { state, place, findings, leftOut: [], endedAt: at }, at);
    },
    thread: async () => (await store.findThread(threadId))!,
    async facts() {
      const facts = { kind: 'facts', conclusion: conclusion(), at: now().toISOString() };
      await store.appendTranscript(run!, JSON.stringify(facts), facts.at);
    },
    async conclude(over = {}) {
      const waiting = await waitingRun(store, threadId, run);
      const base = over.base ?? (await house.head());
      const files = over.files ?? [
        { kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: FIXED },
      ];
      const analysis: Partial<Conclusion['analysis']> = {
        outcome: 'code_fix',
        revision: base,
        confidence: 0.9,
        ...over.analysis,
      };
      const sample = conclusion();
      const ended: Conclusion = {
        ...sample,
        ...(over.rootCause === undefined ? {} : { rootCause: over.rootCause }),
        changeSet: { base, files },
        analysis: { ...sample.analysis, ...analysis },
      };
      const [issueId] = await store.conclude(waiting, ended, now().toISOString());
      return issueId!;
    },
    async giveUp(reason = { code: 'internal', detail: 'It broke. Send it again.' }) {
      await store.giveUp(run!, reason, now().toISOString());
    },
    publish: () =>
      createPublishHandler(deps).handle({ id: 'job_1', kind: 'publish', subject: threadId, attempt: 1 }, SIGNAL),
    async settle() {
      let result = await house.publish();
      for (let round = 0; round < 8 && result.kind === 'later'; round += 1) {
        const wait = Date.parse(result.runAt) - now().getTime();
        if (wait > 61_000) break;
        house.advance(Math.max(0, wait / 1_000) + 0.01);
        result = await house.publish();
      }
      return result;
    },
    comments: (number = issue.number) => people.comments(SHOP, number),
    pulls: () => people.pulls(SHOP),
    branches: async () => gitOf(repository.gitDir, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/']),
    head: async (branch = 'main') => (await gitOf(repository.gitDir, ['rev-parse', `refs/heads/${branch}`]))[0] ?? '',
    advance: (seconds) => double.state.clock.advance(seconds * 1_000),
    writes: () =>
      double.requests
        .filter(({ method, path, body }) => method !== 'GET' && !path.includes('access_tokens') && !isQuery(path, body))
        .map(({ method, path }) => `${method} ${path}`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return house;
}

/** The run of a further attempt, where there is one, else the one that a person asked for. */
async function waitingRun(store: Store, threadId: string, asked: Run | null): Promise<Run> {
  const thread = await store.findThread(threadId);
  const attempt = thread?.record.pullRequest?.attempts.at(-1);
  if (attempt?.outcome !== null || attempt === undefined) return asked!;
  const investigation = await store.findInvestigation(attempt.investigationId);
  return (await store.startRun(investigation!.runId, new Date().toISOString()))!;
}

function isQuery(path: string, body: string): boolean {
  return path.includes('graphql') && !body.includes('mutation');
}

async function gitOf(gitDir: string, args: readonly string[]): Promise<readonly string[]> {
  return (await gitIn(gitDir, ...args)).split('\n').filter(Boolean);
}
