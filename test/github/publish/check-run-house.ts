// A house with our own check run on the GitHub double: heads are judged as the test says, and investigations end likewise.

import type { ChangeSet } from 'causeway-diff';
import type { CheckRun } from 'causeway-github-double';
import type { Finding, Head, HeadPlace } from '../../../src/core/check/head.ts';
import { createId } from '../../../src/core/ids.ts';
import type { Conclusion } from '../../../src/core/issue/issue.ts';
import type { JobResult } from '../../../src/core/queue.ts';
import type { Subject, Thread, Trigger } from '../../../src/core/thread/thread.ts';
import type { Run } from '../../../src/db/runs.ts';
import { createCheckRunHandler } from '../../../src/github/publish/publish-check-run.ts';
import type { PublishDeps } from '../../../src/github/publish/view.ts';
import { SIGNAL } from '../../support/project-source.ts';
import { acceptance, accepted, conclusion } from '../../support/store-samples.ts';
import { FILES, FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const WRITER = { id: 7, login: 'wanda' };

interface Begun {
  readonly finding: Finding;
  readonly run: Run;
  readonly thread: Thread;
}

export interface CheckRunHouse extends AsyncDisposable {
  readonly house: PublishingHouse;
  readonly deps: PublishDeps;
  readonly sha: string;
  readonly pull: HeadPlace & { readonly kind: 'pull_request' };
  readonly onDefault: HeadPlace;
  /** A failure of that fingerprint is seen, and no investigation begun. */
  found(over?: Partial<Finding>, fingerprint?: string): Promise<Finding>;
  /** The same with an investigation that runs; `isLead` where it is the first of its thread. */
  begun(of?: { readonly finding?: Finding; readonly subject?: Subject; readonly isLead?: boolean }): Promise<Begun>;
  concluded(begun: Begun, analysis?: Partial<Conclusion['analysis']>, files?: ChangeSet['files']): Promise<string>;
  /** What was found at the head. */
  judged(findings: readonly Finding[], over?: Partial<Pick<Head, 'state' | 'place'>>): Promise<void>;
  head(): Promise<Head>;
  publish(): Promise<JobResult>;
  /** Ours on the head, as people see them. */
  runs(): readonly CheckRun[];
  writes(): readonly string[];
}

type Setting = Parameters<typeof publishingHouse>[0];

export async function checkRunHouse(setting: Setting = {}): Promise<CheckRunHouse> {
  const house = await publishingHouse(setting);
  const { store, project, double } = house;
  const now = () => house.deps.now().toISOString();
  const deps: PublishDeps = { ...house.deps, store };
  const sha = await house.head();
  const noted = { id: createId('hed'), projectId: project.id, sha, branch: 'topic' };
  const { id } = await store.ensureHead(noted, { runAt: now(), now: now() });
  const account = await store.ensureAccount({ login: 'wanda', githubId: 7, signingSecret: 'whsec_x', now: now() });
  const pull: CheckRunHouse['pull'] = {
    ...{ kind: 'pull_request', number: 5, branch: 'topic', base: { branch: 'main', sha: 'b'.repeat(40) }, sha },
    ...{ isQueue: false, isFork: false, isDraft: false, author: WRITER, isTrusted: true },
  };
  const found: CheckRunHouse['found'] = async (over = {}, fingerprint = createId('req')) => {
    const sighting = {
      ...{
        key: createId('req'),
        sha,
        branch: 'topic',
        pullRequest: 5,
        isOnDefault: false,
        isTrusted: true,
        checkName: 'test',
      },
      ...{ app: 'github-actions', verdict: 'code' as const, at: now() },
    };
    const known = { id: createId('fal'), projectId: project.id, fingerprint, headline: 'TypeError: x' };
    const { failure, standing } = await store.recordSightings(known, [sighting]);
    return {
      ...{
        failureId: failure.id,
        verdict: 'code',
        isTouched: true,
        reasons: [{ code: 'green_on_base', check: 'test' }],
        standing,
      },
      checks: [{ name: 'test', runId: 3, url: `${double.webUrl}/${SHOP}/actions/runs/1`, isRed: true }],
      excerpt: { step: 'npm test', headline: 'TypeError: x', lines: ['TypeError: x'], cut: '', tests: [] },
      places: [{ path: 'src/cart.js', line: 2, message: 'x is undefined' }],
      ...{ investigationId: null, threadId: null, isOwnThread: false, notBegun: null, ...over },
    };
  };
  return {
    ...{ house, deps, sha, pull, found },
    onDefault: { kind: 'default', branch: 'main', pushedBy: WRITER },
    async begun({ finding, isLead = true, ...wish } = {}) {
      const subject: Subject = wish.subject ?? { kind: 'pull_request', number: 5 };
      const of = finding ?? (await found());
      const trigger: Trigger = {
        ...{ kind: 'checks', by: WRITER, role: 'write', commentId: null, guidance: '', at: now() },
      };
      const thread = {
        ...({ kind: 'found', threadId: createId('thr'), subject, trigger, fixRequest: null, isLead } as const),
        failureId: of.failureId,
      };
      const wanted = acceptance({ account, project }, { fingerprint: createId('req'), now: now(), thread });
      const { runId, investigationId } = {
        ...(await accepted(store, wanted)),
        investigationId: wanted.investigationId,
      };
      const run = (await store.startRun(runId, now()))!;
      const opened = (await store.findThreadOfSubject(project.id, subject))!;
      return { run, thread: opened, finding: { ...of, investigationId, threadId: opened.id, isOwnThread: true } };
    },
    async concluded({ run }, analysis = {}, files) {
      const sample = conclusion();
      const ended: Conclusion = {
        ...sample,
        rootCause: '`src/cart.js` says two where it must say 2. Nobody saw it.',
        changeSet: {
          base: sha,
          files: files ?? [{ kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: FIXED }],
        },
        analysis: { ...sample.analysis, outcome: 'code_fix', revision: sha, confidence: 0.9, ...analysis },
      };
      const [issueId] = await store.conclude(run, ended, now());
      return issueId!;
    },
    async judged(findings, over = {}) {
      const seen = { state: 'red', place: pull, leftOut: [], endedAt: now(), ...over } as const;
      await store.saveHead(id, { ...seen, findings }, now());
    },
    head: async () => (await store.findHead(id))!,
    publish: () =>
      createCheckRunHandler(deps).handle({ id: 'job_1', kind: 'check-run', subject: id, attempt: 1 }, SIGNAL),
    runs: () =>
      [...double.repository(SHOP).checkRuns.values()].filter(
        ({ appId, headSha }) => appId === double.app.id && headSha === sha,
      ),
    writes: () => house.writes(),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}
