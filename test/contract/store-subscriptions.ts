// The store's contract: subscriptions, and the webhooks that a change leads to in its own transaction.
import { describe, expect, it } from 'vitest';
import { formatAddress, MAX_SUBSCRIPTIONS } from '../../src/core/account/subscription.ts';
import { WEBHOOK_TYPES, type Webhook } from '../../src/core/account/webhook.ts';
import type { NewSubscription } from '../../src/db/subscriptions.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  inBranch,
  NOW,
  ofActions,
  opening,
  other,
  pullRequest,
  record,
  repository,
  SHA,
  sighting,
  started,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub } from './engine.ts';

const URL_TEXT = 'https://hooks.example.org/services/T0/B0/hardly-guessable-a1B2';
const SECRET = 'whsec_of-the-subscription';

type OnGithub = Awaited<ReturnType<typeof openGithub>>;

function subscription(accountId: string, id: string, changes: Partial<NewSubscription> = {}): NewSubscription {
  return {
    ...{ id, accountId, projectId: null, types: WEBHOOK_TYPES, origins: ['label', 'check', 'api'] },
    ...{ format: 'standard', address: formatAddress(new URL(URL_TEXT)), createdAt: NOW, url: URL_TEXT },
    ...{ secret: SECRET, ...changes },
  };
}

/** Webhooks with a job, the oldest first. */
async function due(opened: Opened): Promise<readonly Webhook[]> {
  const jobs = (await opened.jobs()).filter(({ kind }) => kind === 'webhook');
  const found = await Promise.all(jobs.map(({ subject }) => opened.store.findWebhook(subject)));
  return found.filter((webhook) => webhook !== null);
}

async function told(opened: Opened): Promise<readonly string[]> {
  return (await due(opened)).map(({ subscriptionId, type }) => `${subscriptionId} ${type}`);
}

async function conclude({ store, base }: OnGithub, changes: Parameters<typeof acceptance>[1] = {}) {
  const { runId, investigationId } = await accepted(store, acceptance(base, { fingerprint: 'one', ...changes }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
  return { issueId, investigationId };
}

const failure = (projectId: string) => ({
  ...{ id: 'fal_1', projectId, fingerprint: 'print', headline: 'TypeError: x is undefined', announcedAt: NOW },
});

/** What brings each type about. */
const CHANGES: readonly (readonly [types: readonly string[], change: (opened: OnGithub) => Promise<unknown>])[] = [
  [['issue.created'], conclude],
  [
    ['issue.failed'],
    async ({ store, base }) => {
      const { runId } = await accepted(store, acceptance(base));
      await store.giveUp(runId, { code: 'internal', detail: 'It failed.' }, NOW);
    },
  ],
  [
    ['issue.failed'],
    async ({ store, base }) => {
      const { investigationId } = await accepted(store, acceptance(base));
      await store.cancel(investigationId, { code: 'cancelled', detail: 'Stopped.' }, NOW);
    },
  ],
  [
    ['failure.opened', 'failure.closed', 'failure.regressed'],
    async ({ store, project }) => {
      for (const _ of [1, 2]) await store.recordSightings(failure(project.id), [sighting('a', { at: at(1) })]);
      const contained = [{ from: SHA, to: 'good' }];
      const green = { sha: 'good', checks: [ofActions('test')], at: at(5), contained };
      for (const _ of [1, 2]) await store.closeFixedFailures(project.id, green, at(6));
      for (const _ of [1, 2]) await store.recordSightings(failure(project.id), [sighting('b', { at: at(9) })]);
    },
  ],
  [
    ['failure.opened', 'failure.closed', 'failure.opened'],
    async ({ store, project }) => {
      await store.recordSightings(failure(project.id), [inBranch('a', 5)]);
      for (const _ of [1, 2]) await store.closeFailuresOfPullRequest(project.id, 5, at(3));
      await store.recordSightings(failure(project.id), [inBranch('b', 6, { at: at(9) })]);
    },
  ],
  [
    [...['issue.created', 'pull_request.opened', 'pull_request.proven', 'pull_request.merged']],
    async (opened) => {
      const { store } = opened;
      const { issueId } = await conclude(opened, { origin: 'github-issue', thread: opening('thr_1') });
      const save = (changes: Parameters<typeof pullRequest>[1]) =>
        store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId, changes) }), NOW);
      const verdict = { state: 'proven', checks: [], turned: ['adds up'] } as const;
      const proof = { base: SHA, testCommit: SHA, phase: 'ended', fixCommit: SHA, verdict, diffHash: '' } as const;
      // Before it has a number there is nothing to be told of.
      await save({ number: 0 });
      for (const _ of [1, 2]) await save({});
      for (const _ of [1, 2]) await save({ proof });
      for (const _ of [1, 2]) await save({ proof, state: 'merged' });
    },
  ],
  [
    ['issue.created', 'pull_request.opened', 'pull_request.closed', 'pull_request.opened'],
    async (opened) => {
      const { issueId } = await conclude(opened, { origin: 'github-issue', thread: opening('thr_1') });
      for (const [number, state] of [[31, 'open'] as const, [31, 'closed'] as const, [32, 'open'] as const]) {
        const saved = record({ pullRequest: pullRequest(issueId, { number, state }) });
        await opened.store.saveThreadRecord('thr_1', saved, NOW);
      }
    },
  ],
];

export function subscriptionsContract(engine: Engine): void {
  describe('an event', () => {
    it.each(CHANGES)('of %j is written once with its change, and shown to nobody yet', async (types, change) => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      await store.addSubscription(subscription(account.id, 'sub_1'));
      await change(opened);
      const events = await due(opened);
      expect(events.map(({ type }) => type)).toEqual(types);
      for (const event of events) {
        expect(event).toMatchObject({
          ...{ subscriptionId: 'sub_1', projectId: project.id, accountId: account.id, state: 'unchecked' },
          ...{ url: 'hooks.example.org …a1B2', isExample: false },
        });
        const content = await store.readWebhookContent(event.id);
        expect(content).toMatchObject({ type: event.type, data: { projectId: project.id } });
        expect(JSON.stringify(content)).not.toContain('fingerprint');
      }
      expect(await store.listWebhooks(account.id, 10)).toEqual([]);
      expect(await store.findSubscription('sub_1', account.id)).toMatchObject({ lastDelivery: null });
    });

    it('goes to those that chose its type, its project and its origin', async () => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      await store.syncInstallation(
        { id: 500, owner: { id: 50, login: 'octo', kind: 'organization' }, permissions: {}, isSuspended: false },
        [repository(1, 'octo/shop'), repository(2, 'octo/other')],
        NOW,
      );
      const elsewhere = await store.findProjectOfRepository(2);
      const stranger = await other(store);
      for (const [id, changes] of [
        ['sub_all', {}],
        ['sub_here', { projectId: project.id }],
        ['sub_elsewhere', { projectId: elsewhere!.id }],
        ['sub_failed', { types: ['issue.failed'] }],
        ['sub_api', { origins: ['api'] }],
        ['sub_check', { origins: ['check', 'label'] }],
        ['sub_other', { accountId: stranger.id }],
        ['sub_off', {}],
      ] as const) {
        await store.addSubscription(subscription(account.id, id, changes));
      }
      await store.disableSubscription('sub_off', 'gone', NOW);
      await conclude(opened);
      expect(await told(opened)).toEqual(
        ['sub_all', 'sub_here', 'sub_api', 'sub_other'].map((id) => `${id} issue.created`),
      );
    });

    it('that repeats an answer for one more caller goes to programs, and not to channels', async () => {
      await using opened = await openGithub(engine);
      const { store, base, account } = opened;
      for (const format of ['standard', 'slack', 'teams'] as const) {
        await store.addSubscription(subscription(account.id, `sub_${format}`, { format }));
      }
      const { runId } = await accepted(store, acceptance(base));
      await accepted(store, acceptance(base));
      await store.conclude(await started(store, runId), conclusion(), NOW);
      expect((await told(opened)).toSorted()).toEqual([
        'sub_slack issue.created',
        ...['sub_standard issue.created', 'sub_standard issue.created', 'sub_teams issue.created'],
      ]);
    });

    it('of the past is told to nobody', async () => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      await store.addSubscription(subscription(account.id, 'sub_1'));
      const { announcedAt: _, ...past } = failure(project.id);
      await store.recordSightings(past, [sighting('a')]);
      expect(await due(opened)).toEqual([]);
    });
  });

  describe('a subscription', () => {
    it('keeps address and secrets sealed, and opens them to what sends', async () => {
      await using opened = await openGithub(engine);
      const { store, account } = opened;
      expect(await store.addSubscription(subscription(account.id, 'sub_1'))).toBe('added');
      for (const text of [URL_TEXT, 'hardly-guessable', SECRET]) expect(await opened.tablesHolding(text)).toEqual([]);
      const listed = await store.findSubscription('sub_1', account.id);
      expect(JSON.stringify(listed)).not.toMatch(/hardly-guessable|whsec/);
      expect(await store.openSubscription('sub_1', NOW)).toMatchObject({ url: URL_TEXT, secrets: [SECRET] });
      const rotation = { accountId: account.id, secret: 'whsec_new', overlapUntil: at(60), now: NOW };
      expect(await store.rotateSubscriptionSecret('sub_1', rotation)).toBe('done');
      expect((await store.openSubscription('sub_1', at(59)))?.secrets).toEqual(['whsec_new', SECRET]);
      expect((await store.openSubscription('sub_1', at(60)))?.secrets).toEqual(['whsec_new']);
      const foreign = { ...rotation, accountId: (await other(store)).id };
      expect(await store.rotateSubscriptionSecret('sub_1', foreign)).toBe('absent');
    });

    it("is its account's own, and one of fifty", async () => {
      await using opened = await openGithub(engine);
      const { store, account } = opened;
      const stranger = await other(store);
      for (let number = 0; number < MAX_SUBSCRIPTIONS; number++) {
        await store.addSubscription(subscription(account.id, `sub_${number}`));
      }
      expect(await store.addSubscription(subscription(account.id, 'sub_more'))).toBe('full');
      expect(await store.addSubscription(subscription(stranger.id, 'sub_theirs'))).toBe('added');
      expect((await store.listSubscriptions(account.id)).map(({ id }) => id).slice(0, 2)).toEqual(['sub_49', 'sub_48']);
      expect(await store.findSubscription('sub_1', stranger.id)).toBeNull();
      expect(await store.deleteSubscription('sub_1', stranger.id, NOW)).toBe(false);
      expect(await store.sendExample('sub_1', stranger.id, NOW)).toBeNull();
    });

    it('sends one example at a time, made up, and none once its receiver wants no more', async () => {
      await using opened = await openGithub(engine);
      const { store, account } = opened;
      await store.addSubscription(subscription(account.id, 'sub_1', { types: ['pull_request.proven'] }));
      const sent = await store.sendExample('sub_1', account.id, NOW);
      expect(await store.sendExample('sub_1', account.id, NOW)).toBe('busy');
      const [example] = await due(opened);
      expect(sent).toEqual({ webhookId: example!.id });
      expect(example).toMatchObject({
        type: 'pull_request.proven',
        isExample: true,
        projectId: null,
        state: 'pending',
      });
      expect((await store.readWebhookContent(example!.id))?.data).toMatchObject({ issueId: `iss_${'0'.repeat(20)}` });
      await store.recordAttempt(example!.id, { state: 'stopped', error: 'status_410', at: NOW, ms: 1 });
      await store.disableSubscription('sub_1', 'gone', at(3));
      expect(await store.sendExample('sub_1', account.id, NOW)).toBe('disabled');
      expect(await store.resendWebhook(example!.id, account.id, NOW)).toBe(false);
      expect(await store.findSubscription('sub_1', account.id)).toMatchObject({
        disabled: { at: at(3), reason: 'gone' },
        lastDelivery: { id: example!.id, state: 'stopped' },
      });
    });

    it.each(['delete', 'disable', 'revoke the App'] as const)('takes what is not delivered along: %s', async (how) => {
      await using opened = await openGithub(engine);
      const { store } = opened;
      const person = { login: 'mona', githubId: 7, signingSecret: 'whsec_x', now: NOW };
      const account = await store.ensureAccount(person);
      await store.addSubscription(subscription(account.id, 'sub_1'));
      await store.addSubscription(subscription((await other(store)).id, 'sub_2'));
      await conclude(opened);
      await conclude(opened, { fingerprint: 'two' });
      const [delivered, , dropped] = await due(opened);
      await store.recordAttempt(delivered!.id, { state: 'delivered', error: '', at: NOW, ms: 1 });
      expect(await store.markSending(dropped!.id)).toBe(true);
      expect(await store.markSending(dropped!.id)).toBe(false);
      if (how === 'delete') expect(await store.deleteSubscription('sub_1', account.id, NOW)).toBe(true);
      else if (how === 'disable') await store.disableSubscription('sub_1', 'gone', NOW);
      else await store.endAccess(person.githubId, NOW);
      expect(await store.findWebhook(dropped!.id)).toBeNull();
      expect(await store.findWebhook(delivered!.id)).toMatchObject({ state: 'delivered' });
      expect((await told(opened)).filter((line) => line.startsWith('sub_2'))).toHaveLength(2);
      const verb = how === 'disable' ? 'subscription.disabled' : 'subscription.deleted';
      expect(await opened.audit()).toContainEqual({ verb, subject: 'sub_1' });
    });

    it('is erased with its person, and with its project, and what it was told with what that is about', async () => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      const stranger = await other(store);
      await store.addSubscription(subscription(account.id, 'sub_mine'));
      await store.addSubscription(subscription(stranger.id, 'sub_here', { projectId: project.id }));
      await store.addSubscription(subscription(stranger.id, 'sub_all'));
      const { issueId } = await conclude(opened, { origin: 'github-issue', thread: opening('thr_1') });
      await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId) }), NOW);
      expect(await due(opened)).toHaveLength(6);
      const [delivered] = (await due(opened)).filter(({ type }) => type === 'pull_request.opened');
      await store.recordAttempt(delivered!.id, { state: 'delivered', error: '', at: NOW, ms: 1 });
      await store.eraseIssue(issueId, at(1));
      expect(await due(opened)).toEqual([]);
      expect(await store.findWebhook(delivered!.id)).toMatchObject({ url: '', state: 'delivered' });
      expect(await store.readWebhookContent(delivered!.id)).toBeNull();
      await store.recordSightings(failure(project.id), [sighting('a')]);
      expect(await due(opened)).toHaveLength(3);
      await store.eraseAccount(account.login, at(2));
      expect(await store.openSubscription('sub_mine', NOW)).toBeNull();
      expect((await told(opened)).map((line) => line.split(' ')[0])).toEqual(['sub_here', 'sub_all']);
      await store.eraseProject(project.id, at(3));
      expect(await due(opened)).toEqual([]);
      expect((await store.listSubscriptions(stranger.id)).map(({ id }) => id)).toEqual(['sub_all']);
    });

    it('keeps what it was told for as long as everything is kept', async () => {
      await using opened = await openGithub(engine);
      const { store, account, project } = opened;
      await store.addSubscription(subscription(account.id, 'sub_1'));
      await store.recordSightings(failure(project.id), [sighting('a')]);
      const [event] = await due(opened);
      await store.recordAttempt(event!.id, { state: 'dead', error: 'status_500', at: NOW, ms: 1 });
      await store.sweep({ endedBefore: NOW, keysBefore: NOW, now: NOW });
      expect(await store.findWebhook(event!.id)).not.toBeNull();
      await store.sweep({ endedBefore: at(1), keysBefore: NOW, now: at(1) });
      expect(await store.findWebhook(event!.id)).toBeNull();
    });
  });
}
