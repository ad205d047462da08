// The store's contract: what is erased is in no table any more, for Issues, accounts, repositories and installations.
import { describe, expect, it } from 'vitest';
import { formatGuidance } from '../../src/core/report/report.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  githubGround,
  ground,
  inPullRequest,
  installation,
  NOW,
  ON_MAIN,
  opening,
  pullRequest,
  record,
  recorded,
  repository,
  SHA,
  seenAs,
  sighting,
  started,
  token,
  trigger,
  WRITER,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openLocal, openNew } from './engine.ts';

const CALLBACK_OF_MONA = 'https://hooks.example.org/of-mona';
const POLLING = { interval: 1 };

const REQUEST = { ...WRITER, at: NOW };

/** What tells of mona wherever it stands. */
const NAMING = ['mona', '"id":7,', 'github 7', `7 ${NOW}`, 'hash of a'] as const;

const session = (accountId: string) => ({
  ...{ id: 'ses_1', accountId, startedAt: NOW, lastSeenAt: NOW, client: 'Firefox on Linux' },
});

/** Everything that can name mona: account, session, token, webhooks, a thread, heads, the audit log; and an Issue of hers. */
async function lived(opened: Opened) {
  const { store } = opened;
  const base = await githubGround(store);
  await store.addSession(session(base.account.id), 'hash of a session');
  await store.addToken(token(base.account.id, { name: 'token of mona' }), 'hash of a token');
  const asked = trigger({ by: WRITER, guidance: 'as mona says' });
  const thread = opening('thr_1', { trigger: asked, fixRequest: WRITER });
  const idempotency = { key: 'key of mona', bodyHash: 'h' };
  const { runId } = await accepted(store, acceptance(base, { thread, callbackUrl: CALLBACK_OF_MONA, idempotency }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
  const withheld = { investigationId: 'inv_1', reason: { code: 'archived' } as const, request: `${WRITER.id} ${NOW}` };
  const posted = record({ withheld, pullRequest: pullRequest(issueId, { requestedBy: REQUEST }) });
  await store.saveThreadRecord('thr_1', posted, NOW);
  await store.saveCommandReply('thr_1', { why: { code: 'nothing_to_stop' }, at: NOW, to: WRITER }, NOW);
  await store.requestFix('thr_1', REQUEST, NOW);
  for (const [id, place] of [
    ['hed_1', ON_MAIN],
    ['hed_2', inPullRequest(5)],
  ] as const) {
    await store.ensureHead({ id, projectId: base.project.id, sha: id, branch: '' }, { runAt: NOW, now: NOW });
    await store.saveHead(id, seenAs('red', { place }), NOW);
  }
  return { base, issueId, runId };
}

export function erasuresContract(engine: Engine): void {
  describe('an erased account', () => {
    it('is named nowhere, cannot come in, and is told of nothing', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base, issueId } = await lived(opened);
      const waiting = await accepted(store, acceptance(base, { callbackUrl: CALLBACK_OF_MONA, fingerprint: 'waits' }));
      for (const text of NAMING) expect([text, await opened.tablesHolding(text)]).not.toEqual([text, []]);
      const erased = await store.eraseAccount('Mona', at(1));
      expect(erased).toEqual({ sessions: 1, tokens: 1, webhooks: 1, mentions: 3, kept: 2 });
      for (const text of NAMING) expect([text, await opened.tablesHolding(text)]).toEqual([text, []]);
      expect([
        await store.findSessionByHash('hash of a session'),
        await store.findTokenByHash('hash of a token'),
      ]).toEqual([null, null]);
      await store.giveUp(waiting.runId, { code: 'internal', detail: '' }, at(2));
      expect(await store.listWebhooks(base.account.id, 9)).toEqual([]);
      expect((await opened.jobs()).filter(({ kind }) => kind === 'webhook')).toEqual([]);
      expect(await store.findIssue(issueId)).not.toBeNull();
      const thread = await store.findThread('thr_1');
      expect(thread).toMatchObject({ fixRequest: null, trigger: { guidance: '', by: { login: 'ghost' } } });
      expect(thread?.record.pullRequest).toEqual(pullRequest(issueId));
      expect((await opened.jobs()).filter(({ kind }) => kind === 'publish').map(({ subject }) => subject)).toEqual([
        'thr_1',
      ]);
      const entry = { verb: 'account.erased_by_operator', subject: base.account.id };
      expect((await opened.audit()).filter(({ verb }) => verb === entry.verb)).toEqual([entry]);
    });

    it('leaves no word of what they asked to be heeded, and the reports as others wrote them', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base } = await lived(opened);
      const other = await store.ensureAccount({ login: 'ada', githubId: 70, signingSecret: 's', now: NOW });
      const text = 'The cart breaks';
      // Called otherwise in those days, and with a heading among the words.
      const words = 'mind the accents\n\n## Guidance from ada\n\nall of it';
      const hers = { text, guidance: formatGuidance('mona-of-old', words), fingerprint: 'hers' };
      const { runId } = await accepted(store, acceptance(base, hers));
      await accepted(
        store,
        acceptance(
          { ...base, account: other },
          { text, guidance: formatGuidance('ada', 'see the log'), fingerprint: 'a' },
        ),
      );
      await store.eraseAccount('mona', at(1));
      for (const gone of ['mona', 'accents', 'all of it']) {
        expect([gone, await opened.tablesHolding(gone)]).toEqual([gone, []]);
      }
      expect(await opened.tablesHolding('## Guidance from ada')).toEqual(['investigations']);
      expect(await opened.tablesHolding('see the log')).toEqual(['investigations']);
      expect((await store.startRun(runId, at(2)))?.text).toBe('The cart breaks');
    });

    it('is not named again by what a job had in hand meanwhile', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueId } = await lived(opened);
      const inHand = (await store.findThread('thr_1'))!.record;
      await store.eraseAccount('mona', at(1));
      await store.saveThreadRecord('thr_1', { ...inHand, posts: [at(2)] }, at(2));
      await store.saveHead('hed_1', seenAs('green', { place: ON_MAIN }), at(2));
      await store.saveHead('hed_2', seenAs('green', { place: inPullRequest(5) }), at(2));
      for (const text of NAMING) expect([text, await opened.tablesHolding(text)]).toEqual([text, []]);
      const { record: kept } = (await store.findThread('thr_1'))!;
      expect(kept).toMatchObject({ posts: [at(2)], withheld: { reason: { code: 'archived' } } });
      expect(kept.pullRequest).toEqual(pullRequest(issueId));
      expect(await store.findHead('hed_2')).toMatchObject({ state: 'green', place: { number: 5, author: null } });
      // Another pull request is another person's.
      await store.saveHead('hed_2', seenAs('red', { place: inPullRequest(6) }), at(3));
      expect(await store.findHead('hed_2')).toMatchObject({ place: { author: WRITER } });
    });

    it('is not named by a pull request that was opened for them meanwhile', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueId } = await lived(opened);
      await store.saveThreadRecord('thr_1', record(), NOW);
      await store.eraseAccount('mona', at(1));
      await store.saveThreadRecord(
        'thr_1',
        record({ pullRequest: pullRequest(issueId, { requestedBy: REQUEST }) }),
        at(2),
      );
      expect((await store.findThread('thr_1'))?.record.pullRequest).toEqual(pullRequest(issueId));
    });

    it('is unknown the second time, and somebody new when the person comes again', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base } = await lived(opened);
      await store.eraseAccount('mona', at(1));
      expect(await store.eraseAccount('mona', at(2))).toBeNull();
      expect(await store.eraseAccount(String(WRITER.id), at(2))).toBeNull();
      const again = await store.ensureAccount({ ...WRITER, githubId: WRITER.id, signingSecret: 's', now: at(3) });
      expect(again.id).not.toBe(base.account.id);
      expect(await store.eraseAccount(String(WRITER.id), at(4))).toEqual({
        ...{ sessions: 0, tokens: 0, webhooks: 0, mentions: 0, kept: 0 },
      });
      expect((await store.listAccounts()).map(({ id }) => id)).toEqual([base.account.id]);
    });

    it('takes nothing of anybody whose number or login only looks like theirs', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base } = await lived(opened);
      const other = { id: 77, login: 'mona-lisa' };
      await store.ensureAccount({ ...other, githubId: other.id, signingSecret: 's', now: NOW });
      const thread = opening('thr_2', { subject: { kind: 'issue', number: 13 }, trigger: trigger({ by: other }) });
      await accepted(store, acceptance(base, { thread, fingerprint: 'another' }));
      await store.eraseAccount('mona', at(1));
      expect((await store.listAccounts()).map(({ login }) => login)).toContain('mona-lisa');
      expect((await store.findThread('thr_2'))?.trigger.by).toEqual(other);
    });

    it('may be of somebody who never had one, by their number', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base } = await lived(opened);
      const stranger = { id: 99, login: 'grace' };
      const thread = opening('thr_2', { subject: { kind: 'issue', number: 13 }, trigger: trigger({ by: stranger }) });
      await accepted(store, acceptance(base, { thread, fingerprint: 'another' }));
      expect(await store.eraseAccount('grace', at(1))).toBeNull();
      expect(await store.eraseAccount('99', at(1))).toMatchObject({ mentions: 1, kept: 0 });
      expect(await opened.tablesHolding('grace')).toEqual([]);
      expect(await store.eraseAccount('99', at(2))).toBeNull();
    });
  });

  describe('an erased project', () => {
    it('leaves nothing behind, whatever its state, and the others as they are', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base, issueId } = await lived(opened);
      await store.syncInstallation(installation(), [repository(1, 'octo/shop'), repository(2, 'octo/two')], NOW);
      const other = (await store.findProject('octo/two'))!;
      const kept = await accepted(store, acceptance({ ...base, project: other }));
      await recorded(store, base.project.id, [sighting('k')]);
      const run = await started(store, (await accepted(store, acceptance(base, { fingerprint: 'runs' }))).runId);
      await opened.manyIssues(base.project.id, base.account.id, 250);
      expect(await store.eraseProject('Octo/Shop', at(1))).toEqual({
        ...{ id: base.project.id, investigations: 252, issues: 251, threads: 1, heads: 2, failures: 1 },
      });
      expect([await store.findProject('octo/shop'), await store.findIssue(issueId)]).toEqual([null, null]);
      await expect(store.conclude(run, conclusion(), at(2))).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await opened.tablesHolding('octo/shop')).toEqual([]);
      expect(await opened.recordCounts()).toMatchObject({
        ...{ runs: 1, investigations: 1, issues: 0, threads: 0, heads: 0, failures: 0, sightings: 0, steps: 0 },
      });
      expect(new Set((await opened.jobs()).map(({ subject }) => subject))).toEqual(new Set([other.id, kept.runId]));
      expect(await opened.audit()).toContainEqual({ verb: 'project.erased_by_operator', subject: base.project.id });
      expect(await store.eraseProject('octo/shop', at(3))).toBeNull();
    });

    it('is hidden again in each batch where GitHub shows it meanwhile, and its costs stay in the ledger', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base } = await lived(opened);
      const run = await started(store, (await accepted(store, acceptance(base, { fingerprint: 'costs' }))).runId);
      const limits = { run: 900, repository: 900, all: 900 };
      await store.reserveMoney(run, { amount: 50, limits, now: NOW });
      await opened.manyIssues(base.project.id, base.account.id, 1_000);
      let isErased = false;
      const erasing = store.eraseProject('octo/shop', at(1)).finally(() => {
        isErased = true;
      });
      // On a busy machine the last batch may come between two looks: then there is nothing left to be hidden.
      const isHiddenOrGone = async () => isErased || (await store.listHiddenProjects()).includes(base.project.id);
      await expect.poll(isHiddenOrGone, POLLING).toBe(true);
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], at(2));
      await expect.poll(isHiddenOrGone, POLLING).toBe(true);
      expect(await erasing).toMatchObject({ id: base.project.id });
      // What was spent, and who erased it.
      expect(await opened.tablesHolding(base.project.id)).toEqual(['audit', 'costs']);
      expect(await opened.tablesHolding(run.id)).toEqual(['costs']);
    });

    it('may be one that is hidden already, and is another one when it comes back', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await store.removeInstallation(500, NOW);
      expect(await store.eraseProject('octo/shop', at(1))).toMatchObject({ id: project.id });
      expect(await store.listHiddenProjects()).toEqual([]);
      await store.syncInstallation(installation(), [repository(1, 'octo/shop')], at(2));
      expect((await store.findProject('octo/shop'))?.id).not.toBe(project.id);
    });
  });
}

const callbackUrl = 'https://hooks.example.org/in';

const step = { action: 'look', result: 'found', analysis: 'so' };

/** Two joined callers whose run was concluded. */
async function concluded(opened: Opened, callers: number) {
  const { store } = opened;
  const base = await ground(store);
  const answers = [];
  for (let i = 0; i < callers; i++) answers.push(await accepted(store, acceptance(base, { callbackUrl })));
  const runId = answers[0]!.runId;
  const run = await started(store, runId);
  await store.recordStep(run, step, NOW);
  const issueIds = await store.conclude(run, conclusion(), NOW);
  const webhooks = (await store.listWebhooks(base.account.id, 100)).toReversed();
  return { base, runId, issueIds, webhooks, investigationIds: answers.map((answer) => answer.investigationId) };
}

export function erasingContract(engine: Engine): void {
  describe('an erased Issue', () => {
    it('leaves nothing behind where nobody else is attached', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base, issueIds, webhooks, investigationIds, runId } = await concluded(opened, 1);
      await opened.queue({}).cancel('run', runId);
      expect(await store.eraseIssue(issueIds[0]!, at(1))).toBe(true);
      expect(await store.findIssue(issueIds[0]!)).toBeNull();
      expect(await store.findInvestigation(investigationIds[0]!)).toBeNull();
      expect(await store.findWebhook(webhooks[0]!.id)).toBeNull();
      expect(await store.listSteps(runId, 0)).toEqual([]);
      expect(await store.listIssueIds(base.project.id)).toEqual([]);
      expect(Object.values(await opened.recordCounts()).every((count) => count === 0)).toBe(true);
      expect(await opened.audit()).toContainEqual({ verb: 'issue.erased', subject: issueIds[0] });
      expect(await store.eraseIssue(issueIds[0]!, at(2))).toBe(false);
      expect((await opened.audit()).filter((entry) => entry.verb === 'issue.erased')).toHaveLength(1);
    });

    it('touches nothing of the others who joined, but whom they name', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueIds, webhooks, investigationIds, runId } = await concluded(opened, 3);
      const others = await Promise.all([store.findIssue(issueIds[1]!), store.findIssue(issueIds[2]!)]);
      await store.eraseIssue(issueIds[0]!, at(1));
      const left = await Promise.all([store.findIssue(issueIds[1]!), store.findIssue(issueIds[2]!)]);
      expect(left[0]).toEqual({ ...others[0], analysis: { ...others[0]!.analysis, sameAs: null } });
      expect(left[1]).toEqual({ ...others[1], analysis: { ...others[1]!.analysis, sameAs: issueIds[1] } });
      expect(await store.listSteps(runId, 0)).toHaveLength(1);
      expect(await store.findInvestigation(investigationIds[1]!)).not.toBeNull();
      expect(await store.findWebhook(webhooks[0]!.id)).toBeNull();
      expect((await store.readWebhookContent(webhooks[1]!.id))?.data).toEqual(left[0]);
      const subjects = (await opened.jobs()).filter((job) => job.kind === 'webhook').map((job) => job.subject);
      expect(subjects).toEqual([webhooks[1]!.id, webhooks[2]!.id]);
      await store.eraseIssue(issueIds[1]!, at(2));
      await store.eraseIssue(issueIds[2]!, at(3));
      expect(await opened.recordCounts()).toMatchObject({ runs: 0, steps: 0, investigations: 0, issues: 0, jobs: 0 });
    });

    it('hands its place to the oldest of those who were answered from it, of later runs too, and so does a swept one', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { base, issueIds } = await concluded(opened, 3);
      const run = await started(store, (await accepted(store, acceptance(base))).runId);
      const [copy] = await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, at(60));
      const named = async (...ids: readonly (string | undefined)[]) =>
        Promise.all(ids.map(async (id) => (await store.findIssue(id ?? ''))?.analysis.sameAs));
      expect(await named(...issueIds, copy)).toEqual([null, issueIds[0], issueIds[0], issueIds[0]]);
      await store.eraseIssue(issueIds[2]!, at(61));
      expect(await named(...issueIds, copy)).toEqual([null, issueIds[0], undefined, issueIds[0]]);
      await store.eraseIssue(issueIds[0]!, at(61));
      expect(await named(...issueIds, copy)).toEqual([undefined, null, undefined, issueIds[1]]);
      expect(await store.sweep({ endedBefore: at(30), keysBefore: NOW, now: at(62) })).toBe(1);
      expect(await named(copy)).toEqual([null]);
    });

    it('keeps the record of a delivered webhook, which says nothing any more', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const { issueIds, webhooks } = await concluded(opened, 1);
      await store.recordAttempt(webhooks[0]!.id, { state: 'delivered', error: '', at: NOW, ms: 5 });
      await store.eraseIssue(issueIds[0]!, at(1));
      expect((await store.findWebhook(webhooks[0]!.id))?.state).toBe('delivered');
      expect(await store.readWebhookContent(webhooks[0]!.id)).toBeNull();
    });

    it('is not made again by its idempotency key', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const idempotency = { key: 'k', bodyHash: 'h' };
      const { runId, investigationId } = await accepted(store, acceptance(base, { idempotency }));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      await store.eraseIssue(issueId!, NOW);
      expect(await store.accept(acceptance(base, { idempotency }))).toEqual({ kind: 'repeated', investigationId });
    });

    it('is not brought back by the late worker of a run that everybody left', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const first = await accepted(store, acceptance(base));
      const run = await started(store, first.runId);
      await store.cancel(first.investigationId, { code: 'cancelled', detail: '' }, NOW);
      const second = await accepted(store, acceptance(base));
      expect(second.joined).toBe(false);
      await expect(store.conclude(run, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
      const [issueId] = await store.conclude(await started(store, second.runId), conclusion(), NOW);
      expect(await store.listIssueIds(base.project.id)).toEqual([issueId]);
    });
  });
}
