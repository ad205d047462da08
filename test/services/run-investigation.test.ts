// A run from its job to its end: concluded, answered from an equal one, given up, or tried again.

import { readCheck } from 'causeway-ci-log';
import type { Repository } from 'causeway-git-objects';
import { createRedactor } from 'causeway-redact';
import { describe, expect, it } from 'vitest';
import { actionsLog, JEST, stamped } from '../../packages/ci-log/test/logs.ts';
import type { Shortage } from '../../src/core/disk.ts';
import { CausewayError, StoreUnusable } from '../../src/core/errors.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { JobHandler } from '../../src/core/queue.ts';
import { createSeal } from '../../src/db/seal.ts';
import type { Store } from '../../src/db/store.ts';
import { createLog } from '../../src/log.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { acceptReport } from '../../src/services/accept-report.ts';
import { createCheckReader } from '../../src/services/checks/check-texts.ts';
import { createChanges } from '../../src/services/follow.ts';
import { createRunHandler } from '../../src/services/run-investigation.ts';
import { createMemoryRepository, testLexicons } from '../support/memory-source.ts';
import { migratedStore } from '../support/sqlite-template.ts';
import {
  acceptance,
  accepted,
  found,
  type Ground,
  githubGround,
  ground,
  recorded,
  sighting,
} from '../support/store-samples.ts';

/** Characters that a thread reads. */
const PASSED = Array.from({ length: 2_000 }, (_, at) => `PASS test/number-${at}.test.ts`);
const SIGNAL = new AbortController().signal;
const FILES = { 'src/total.js': 'export function total(cart) {\n  return cart.sum;\n}\n' };
const REPORT = 'TypeError: cart is undefined\n    at total (/srv/app/src/total.js:2:15)';
const first = createMemoryRepository({ commits: [{ sha: 'a'.repeat(40), subject: 'First', files: FILES }] });
const second = createMemoryRepository({ commits: [{ sha: 'b'.repeat(40), subject: 'Second', files: FILES }] });

interface Place extends AsyncDisposable {
  readonly store: Store;
  readonly base: Ground;
  now: Date;
  /** Null: the disk has space. */
  shortage: Shortage | null;
  /** What opening the project does. */
  open: (signal: AbortSignal) => Promise<Repository>;
  report(fresh?: boolean, revision?: string, text?: string): Promise<{ readonly id: string; readonly runId: string }>;
  handler(timeoutMs?: number): JobHandler;
}

async function place(): Promise<Place> {
  await using opening = new AsyncDisposableStack();
  const enqueuer = createJobTable();
  const seal = createSeal(Buffer.alloc(32, 7));
  const store = opening.use(await migratedStore({ seal, enqueuer }));
  const redactor = opening.use(createRedactor({ exactValues: () => [] }));
  const lexicons = opening.use(testLexicons());
  const reader = opening.use(createCheckReader());
  const base = await ground(store);
  const opened = opening.move();
  const changes = createChanges();
  const self: Place = {
    store,
    base,
    now: new Date('2026-11-20T10:00:00.000Z'),
    shortage: null,
    open: async () => first,
    report: async (fresh = false, revision = '', text = REPORT) => {
      const own = { projectId: base.project.id, accountId: base.account.id, origin: 'api', reference: '' } as const;
      const standing = { isTrusted: true, settings: DEFAULT_SETTINGS };
      const report = { ...own, ...standing, text, revision, callbackUrl: '', fresh };
      const accepted = await acceptReport({ store, redactor, changes, now: () => self.now }, report);
      if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
      return { id: accepted.investigationId, runId: accepted.runId };
    },
    handler: (timeoutMs = 60_000) =>
      createRunHandler({
        context: null,
        readReport: reader.readReport,
        ...{
          store,
          redactor,
          changes,
          timeoutMs,
          now: () => self.now,
          investigator: null,
          onWait: () => {},
          isPaused: () => false,
          room: async () => self.shortage,
          waitsForSpace: true,
        },
        lexicons,
        source: { open: (_, signal) => self.open(signal), forget: async () => {} },
        log: createLog({ level: 'silent' }),
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return self;
}

function job(runId: string) {
  return { id: 'job_1', kind: 'run', subject: runId, attempt: 1 } as const;
}

async function run(at: Place, fresh = false, text = REPORT) {
  const { id, runId } = await at.report(fresh, '', text);
  await at.handler().handle(job(runId), SIGNAL);
  const investigation = await at.store.findInvestigation(id);
  if (investigation?.outcome.state !== 'concluded') throw new Error(`it is ${investigation?.outcome.state}`);
  const issue = await at.store.findIssue(investigation.outcome.issueId);
  if (issue === null) throw new Error('the issue is not there');
  return issue;
}

describe('a run', () => {
  it('ends in an Issue with the steps in the order in which they were recorded', async () => {
    await using at = await place();
    const issue = await run(at);
    expect(issue.analysis).toMatchObject({ revision: 'a'.repeat(40), sameAs: null, outcome: 'facts_only' });
    expect(issue.analysis.suspects[0]).toMatchObject({ file: 'src/total.js', line: 2 });
    const { runId } = (await at.store.findInvestigation(issue.analysis.investigationId)) ?? { runId: '' };
    const recorded = await at.store.listSteps(runId, 0);
    expect(issue.investigationSteps).toEqual(recorded.map(({ number: _, ...step }) => step));
  });

  it.each([
    ['is the whole report', (log: string) => log, ''],
    [
      'is under a heading',
      (log: string) => `Red since Monday\n\n--- Log: ci.log ---\n\n${log}`,
      'Red since Monday\n\n',
    ],
    ['is longer than what is read at once', (log: string) => `${stamped(PASSED)}\n${log}`, ''],
  ])('of a log that %s says what failed in it, as its check would', async (_, compose, said) => {
    await using at = await place();
    const report = compose(actionsLog('npm test', JEST));
    const log = report.slice(report.indexOf('2024-'));
    const { excerpt } = readCheck({ name: 'test', output: '', log, annotations: [] });
    const issue = await run(at, false, report);
    expect(issue.problem.startsWith(`${said}“${excerpt.tests[0]}” failed: ${excerpt.headline} (step “npm test”)`)).toBe(
      true,
    );
    const [read] = issue.investigationSteps;
    expect(read?.action).toMatch(/^read the log/);
    expect(read?.result.startsWith(excerpt.lines.join('\n'))).toBe(true);
    expect(read?.result.endsWith(excerpt.tests.map((test) => `- ${test}`).join('\n'))).toBe(true);
    expect(issue.rootCause).not.toContain('2024-');
  });

  it('waits while the disk has no space for it, and concludes once there is some', async () => {
    await using at = await place();
    const { id, runId } = await at.report();
    at.shortage = { free: 19 * 1024 ** 2, required: 100 * 1024 ** 2 };
    expect(await at.handler().handle(job(runId), SIGNAL)).toMatchObject({ kind: 'later' });
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('queued');
    at.shortage = null;
    await at.handler().handle(job(runId), SIGNAL);
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('concluded');
  });

  it('that fills the disk is tried again later instead of failing, and concludes once there is space', async () => {
    await using at = await place();
    const { id, runId } = await at.report();
    const cause = Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
    at.open = async () => Promise.reject(new CausewayError('repository_unreachable', 'It is full.', { cause }));
    const runAt = new Date(at.now.getTime() + 15 * 60_000).toISOString();
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'later', runAt });
    at.open = async () => Promise.reject(new StoreUnusable('full', 'The disk is full.'));
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'later', runAt });
    at.open = async () => first;
    await at.handler().handle(job(runId), SIGNAL);
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('concluded');
  });

  it('equal to one of the last 24 hours at the same commit is answered from it', async () => {
    await using at = await place();
    const original = await run(at);
    at.now = new Date(at.now.getTime() + 23 * 60 * 60 * 1_000);
    const answered = await run(at);
    expect(answered.analysis.sameAs).toBe(original.id);
    const { progress } = (await at.store.findInvestigation(answered.analysis.investigationId)) ?? {};
    const steps = answered.investigationSteps;
    expect(progress).toEqual({ step: steps.length, action: steps.at(-1)?.action });
  });

  it('equal to one at another commit, to an older one, or that asks to be fresh, is made again', async () => {
    await using at = await place();
    await run(at);
    expect((await run(at, true)).analysis.sameAs).toBeNull();
    at.open = async () => second;
    expect((await run(at)).analysis).toMatchObject({ sameAs: null, revision: 'b'.repeat(40) });
    at.now = new Date(at.now.getTime() + 25 * 60 * 60 * 1_000);
    expect((await run(at)).analysis.sameAs).toBeNull();
  });

  it('of a failure says which commit of its range is the likeliest, without a model and without a secret', async () => {
    await using at = await place();
    const secret = ['npm', 'Ab3dEf6hIj9LmN2pQr5tUv8xYz1BcD4eFg7H'].join('_');
    const file = `src/${secret}/total.js`;
    const commits = [
      { sha: 'a'.repeat(40), subject: 'First', files: { [file]: FILES['src/total.js'] } },
      { sha: 'b'.repeat(40), subject: 'Sum anew', files: { [file]: `${FILES['src/total.js']}// anew\n` } },
      {
        sha: 'c'.repeat(40),
        subject: 'Say more',
        files: { [file]: `${FILES['src/total.js']}// anew\n`, 'README.md': '' },
      },
    ];
    at.open = async () => createMemoryRepository({ commits });
    const base = await githubGround(at.store);
    await recorded(at.store, base.project.id, [sighting('a')]);
    const [from, ...listed] = commits.map(({ sha, subject }) => ({ sha, author: 'mona', subject }));
    const range = { from: from!.sha, to: 'c'.repeat(40), total: 2, commits: listed.toReversed() };
    await at.store.saveRange('fal_1', range);
    const text = REPORT.replace('src/', `src/${secret}/`);
    const { runId } = await accepted(at.store, acceptance(base, { text, thread: found('fal_1') }));
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'done' });
    const path = 'src/[redacted]/total.js';
    const ties = [
      { code: 'named', path },
      { code: 'suspect', path, rank: 1 },
    ];
    expect((await at.store.findFailure('fal_1'))?.range).toEqual({
      ...range,
      ranks: [
        { sha: 'b'.repeat(40), ties },
        { sha: 'c'.repeat(40), ties: [] },
      ],
      likeliest: { sha: 'b'.repeat(40), ties },
    });
  });

  it('that takes longer than it may gives up, and names the limit', async () => {
    await using at = await place();
    at.open = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { id, runId } = await at.report();
    expect(await at.handler(20).handle(job(runId), SIGNAL)).toEqual({ kind: 'done' });
    expect((await at.store.findInvestigation(id))?.outcome).toMatchObject({
      state: 'gave_up',
      reason: { code: 'internal', detail: expect.stringContaining('0.02 seconds') },
    });
  });

  it('whose repository is empty gives up at once', async () => {
    await using at = await place();
    at.open = async () => {
      throw new CausewayError('repository_empty', 'Push a first commit.');
    };
    const { id, runId } = await at.report();
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'done' });
    expect((await at.store.findInvestigation(id))?.outcome).toMatchObject({ reason: { code: 'repository_empty' } });
  });

  it('whose project gave way to another folder of its name meanwhile gives up, and reads nothing there', async () => {
    await using at = await place();
    const { id, runId } = await at.report();
    const { name } = at.base.project;
    await at.store.syncProjects([{ name, source: { kind: 'path', path: '/other/app' } }], at.now.toISOString());
    at.open = async () => expect.fail('the source was opened');
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'done' });
    expect((await at.store.findInvestigation(id))?.outcome).toMatchObject({ reason: { code: 'access_lost' } });
  });

  it('whose repository cannot be reached fails the try, and gives up with that reason after the last', async () => {
    await using at = await place();
    const gone = new CausewayError('repository_unreachable', 'The disk is away.');
    at.open = async () => {
      throw gone;
    };
    const { id, runId } = await at.report();
    await expect(at.handler().handle(job(runId), SIGNAL)).rejects.toBe(gone);
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('running');
    await at.handler().dead(job(runId), gone);
    expect((await at.store.findInvestigation(id))?.outcome).toMatchObject({
      reason: { code: 'repository_unreachable', detail: expect.not.stringContaining('disk') },
    });
  });

  it('on GitHub waits for an hour while GitHub is away, ever longer between its tries, and only then fails the try', async () => {
    await using at = await place();
    at.open = async () => {
      throw new CausewayError('repository_unreachable', 'GitHub answered 502.');
    };
    const { runId } = await accepted(at.store, acceptance(await githubGround(at.store), { now: at.now.toISOString() }));
    const waits: number[] = [];
    const handler = at.handler();
    while (waits.reduce((sum, wait) => sum + wait, 0) <= 3_600_000) {
      const result = await handler.handle(job(runId), SIGNAL);
      if (result.kind !== 'later') throw new Error(`it is ${result.kind}`);
      waits.push(Date.parse(result.runAt) - at.now.getTime());
      at.now = new Date(result.runAt);
    }
    expect(waits[0]).toBe(10_000);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(waits.length).toBeLessThan(30);
    // Each of the queue's tries.
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(handler.handle(job(runId), SIGNAL)).rejects.toThrow('GitHub answered 502.');
    }
  });

  it('on GitHub waits for ten seconds after its first failure, however long ago it was accepted', async () => {
    await using at = await place();
    at.open = async () => {
      throw new CausewayError('repository_unreachable', 'GitHub answered 502.');
    };
    const { runId } = await accepted(at.store, acceptance(await githubGround(at.store), { now: at.now.toISOString() }));
    at.now = new Date(at.now.getTime() + 3 * 60 * 60_000);
    const runAt = new Date(at.now.getTime() + 10_000).toISOString();
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'later', runAt });
  });

  it('on GitHub waits as well where the commit that it is for cannot be fetched just now', async () => {
    await using at = await place();
    const head = 'd'.repeat(40);
    const repository = createMemoryRepository({ commits: [{ sha: 'c'.repeat(40), subject: 'A', files: FILES }] });
    const away = async () => {
      throw new CausewayError('repository_unreachable', 'GitHub answered 502.');
    };
    at.open = async () => ({ ...repository, ensureCommit: away });
    const wanted = acceptance(await githubGround(at.store), { now: at.now.toISOString(), revision: head });
    const { runId } = await accepted(at.store, wanted);
    expect(await at.handler().handle(job(runId), SIGNAL)).toMatchObject({ kind: 'later' });
  });

  it('that fails by our own fault tells no one its inner text', async () => {
    await using at = await place();
    const { id, runId } = await at.report();
    await at.handler().dead(job(runId), new Error('SELECT of the inner text'));
    const { outcome } = (await at.store.findInvestigation(id)) ?? {};
    expect(outcome).toMatchObject({ state: 'gave_up', reason: { code: 'internal' } });
    expect(JSON.stringify(outcome)).not.toContain('SELECT');
  });

  it('that names a secret as its revision keeps and tells none of it', async () => {
    await using at = await place();
    const secret = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');
    const { id, runId } = await at.report(false, secret);
    await at.handler().handle(job(runId), SIGNAL);
    const { outcome } = (await at.store.findInvestigation(id)) ?? {};
    expect(outcome).toMatchObject({ state: 'gave_up', reason: { code: 'revision_not_found' } });
    expect(JSON.stringify(outcome)).not.toContain(secret.slice(4, 20));
  });

  it('whose failure quotes a secret or names a place tells people neither', async () => {
    await using at = await place();
    const secret = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');
    const { id, runId } = await at.report();
    await at.handler().dead(job(runId), new CausewayError('repository_unreachable', `Git said: bad ${secret}.`));
    expect((await at.store.findInvestigation(id))?.outcome).toMatchObject({
      reason: { code: 'repository_unreachable', detail: expect.not.stringContaining('Git') },
    });
  });

  it('tells no part of a secret that stands where a text from the repository is cut', async () => {
    await using at = await place();
    const secret = ['npm', 'Ab3dEf6hIj9LmN2pQr5tUv8xYz1BcD4eFg7H'].join('_');
    const subject = `${'fix the registry login '.padEnd(80 - secret.length + 1, 'y')} ${secret}`;
    at.open = async () => createMemoryRepository({ commits: [{ sha: 'c'.repeat(40), subject, files: FILES }] });
    expect(JSON.stringify(await run(at))).not.toContain(secret.slice(4, 16));
  });

  it('that is stopped in the middle is neither concluded nor given up', async () => {
    await using at = await place();
    const stop = new AbortController();
    at.open = async () => {
      stop.abort(new Error('stopping'));
      return first;
    };
    const { id, runId } = await at.report();
    await expect(at.handler().handle(job(runId), stop.signal)).rejects.toThrow('stopping');
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('running');
  });

  it('that has ended already is done', async () => {
    await using at = await place();
    const { id, runId } = await at.report();
    await at.store.cancel(id, { code: 'cancelled', detail: '' }, at.now.toISOString());
    expect(await at.handler().handle(job(runId), SIGNAL)).toEqual({ kind: 'done' });
    expect((await at.store.findInvestigation(id))?.outcome.state).toBe('cancelled');
  });
});
