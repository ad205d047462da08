// Events that start nothing: they nudge a thread, end what nobody waits for, or keep projects true.
import type { Probot } from 'probot';
import { describe, expect, it } from 'vitest';
import type { Account, TokenRecord } from '../../../src/core/account.ts';
import { EMPTY_RECORD, type PostedPullRequest } from '../../../src/core/thread.ts';
import { createCausewayApp } from '../../../src/github/app.ts';
import type { CausewayAppDeps } from '../../../src/github/events/app-deps.ts';
import { USED_EVENTS } from '../../../src/github/intake/delivery-kind.ts';
import { publishedExamples } from '../../github-double/webhooks/examples.ts';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';
const BRANCH = 'causeway/issue-1-abc';

/** A shop with a thread on its first issue, and nothing to publish. */
async function analysed() {
  const house = await shop();
  house.double.people.label(NAME, 1, 'analyse', 'wren');
  await house.settle();
  const project = await house.store.findProject(NAME);
  const thread = await house.store.findThreadOfSubject(project!.id, { kind: 'issue', number: 1 });
  await forgetJobs(house);
  return { house, thread: thread!, project: project! };
}

/** The same, with a pull request of ours on a branch of ours. */
async function published() {
  const { house, thread, project } = await analysed();
  const { people, state } = house.double;
  const bot = state.accounts.get(house.double.app.botId)!.login;
  const headSha = await people.push(NAME, { by: bot, branch: BRANCH, files: { 'a.txt': 'a\n' } });
  const pull = await people.openPull(NAME, { by: bot, title: 'Mend the cart', head: BRANCH });
  const pullRequest: PostedPullRequest = {
    number: pull.number,
    url: '',
    nodeId: 'x',
    branch: BRANCH,
    base: 'main',
    headSha,
    issueId: 'iss_1',
    state: 'open',
    checks: 'waiting',
    attempts: [],
    handedOver: null,
  };
  const now = state.clock.now().toISOString();
  await house.store.saveThreadRecord(thread.id, { ...EMPTY_RECORD, pullRequest }, now);
  await house.settle();
  await forgetJobs(house);
  return { house, thread, project, headSha, number: pull.number };
}

async function forgetJobs({ store }: EventHouse): Promise<void> {
  await store.database.write((trx) => trx.deleteFrom('jobs').where('kind', '=', 'publish').execute());
}

/** Threads that look again. */
async function nudged({ store }: EventHouse): Promise<readonly string[]> {
  const rows = await store.database.read((reader) =>
    reader.selectFrom('jobs').select('subject').where('kind', '=', 'publish').execute(),
  );
  return rows.map(({ subject }) => subject);
}

describe('a thread looks again', () => {
  it('when its issue is closed or opened again, and not when another is', async () => {
    const { house, thread } = await analysed();
    await using _ = house;
    house.double.people.openIssue(NAME, { by: 'eve', title: 'Another' });
    house.double.people.close(NAME, 2, 'ada');
    await house.settle();
    expect(await nudged(house)).toEqual([]);
    house.double.people.close(NAME, 1, 'ada');
    await house.settle();
    expect(await nudged(house)).toEqual([thread.id]);
  });

  it.each(['close', 'push', 'merge', 'ready'])('when its pull request changes: %s', async (change) => {
    const { house, thread, number } = await published();
    await using _ = house;
    const { people } = house.double;
    if (change === 'close') people.close(NAME, number, 'ada');
    else if (change === 'merge') await people.merge(NAME, number, 'ada');
    else if (change === 'ready') {
      people.convertToDraft(NAME, number, 'ada');
      people.markReady(NAME, number, 'ada');
    } else await people.push(NAME, { by: 'ada', branch: BRANCH, files: { 'b.txt': 'b\n' } });
    await house.settle();
    expect(await nudged(house)).toEqual([thread.id]);
  });

  it.each(['check', 'status'])('when a %s of its head ends, and not at one of another branch', async (kind) => {
    const { house, thread, headSha } = await published();
    await using _ = house;
    const { people } = house.double;
    const other = await people.push(NAME, { by: 'ada', files: { 'c.txt': 'c\n' } });
    const report = (sha: string) =>
      kind === 'check'
        ? people.reportCheck(NAME, { sha, name: 'test', conclusion: 'failure' })
        : people.reportStatus(NAME, { sha, state: 'failure', context: 'ci' });
    await report(other);
    await house.settle();
    expect(await nudged(house)).toEqual([]);
    await report(headSha);
    await house.settle();
    expect(await nudged(house)).toEqual([thread.id]);
  });

  it('at nothing that our own checks say', async () => {
    const { house, headSha } = await published();
    await using _ = house;
    const { people, app } = house.double;
    await people.reportCheck(NAME, { sha: headSha, name: 'Causeway', app: app.slug, conclusion: 'neutral' });
    await house.settle();
    expect(await nudged(house)).toEqual([]);
  });
});

describe('the button of our check run', () => {
  it.each([
    ['tria', 'open_fix', null, 'causeway'],
    ['wren', 'another', null, 'causeway'],
    ['wren', 'open_fix', null, 'other-app'],
    ['wren', 'open_fix', 'wren', 'causeway'],
  ])('pressed by %s (%s) asks for the pull request as %j where it is of %s', async (by, identifier, asked, of) => {
    const house = await shop();
    await using _ = house;
    const { people, app } = house.double;
    people.label(NAME, 1, 'analyse', 'tria');
    await house.settle();
    const project = await house.store.findProject(NAME);
    const thread = await house.store.findThreadOfSubject(project!.id, { kind: 'issue', number: 1 });
    const sha = await people.push(NAME, { by: 'ada', files: { 'a.txt': 'a\n' } });
    const externalId = thread!.id;
    const check = await people.reportCheck(NAME, {
      sha,
      name: 'Causeway',
      app: app.slug,
      conclusion: 'neutral',
      externalId,
    });
    house.announced.splice(0);
    await people.pressAction(NAME, check, identifier, by);
    for (const { event, payload } of house.announced.splice(0)) {
      const ours = payload['check_run'] as object;
      await house.handle({
        event,
        payload: { ...payload, check_run: of === 'causeway' ? ours : { ...ours, app: { id: 1 } } },
      });
    }
    expect((await house.store.findThread(thread!.id))?.fixRequest?.login ?? null).toBe(asked);
  });
});

describe('projects', () => {
  it('come with the installation, follow a new name, and end with it, and what runs then ends too', async () => {
    await using house = await shop();
    const { people, state } = house.double;
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    people.renameRepository(NAME, 'store', 'ada');
    await house.settle();
    expect((await house.store.listProjects({})).map(({ name }) => name)).toEqual(['octo/store']);
    expect(await house.runs()).toHaveLength(1);
    people.uninstall([...state.installations.values()][0]!, 'octo');
    await house.settle();
    expect(await house.store.listProjects({})).toEqual([]);
    expect(await house.runs()).toEqual([]);
  });

  it('are hidden while an installation is suspended', async () => {
    await using house = await shop();
    const { people, state } = house.double;
    const [installation] = state.installations.values();
    people.suspend(installation!, 'octo');
    await house.settle();
    expect(await house.store.listProjects({})).toEqual([]);
    people.unsuspend(installation!, 'octo');
    await house.settle();
    expect((await house.store.listProjects({})).map(({ name }) => name)).toEqual([NAME]);
  });

  it('lost between a delivery and its job end the job quietly', async () => {
    await using house = await shop();
    const { people, state } = house.double;
    people.label(NAME, 1, 'analyse', 'ada');
    const [labelled] = house.announced.splice(0);
    people.uninstall([...state.installations.values()][0]!, 'octo');
    house.announced.splice(0);
    expect(await house.handle(labelled!)).toEqual({ kind: 'done' });
    expect(await house.store.listInvestigations({ limit: 1 })).toEqual([]);
  });
});

describe('what was allowed and is taken back', () => {
  it('ends the sessions and API tokens of that person together, and of nobody else', async () => {
    await using house = await shop();
    const now = house.double.state.clock.now().toISOString();
    const accounts = [];
    for (const login of ['ada', 'wren']) accounts.push((await signedIn(house, login, now)).id);
    expect(await standing(house, accounts)).toEqual([
      { sessions: 1, tokens: 1 },
      { sessions: 1, tokens: 1 },
    ]);
    await house.handle(withdrawal(house, 'ada'));
    expect(await standing(house, accounts)).toEqual([
      { sessions: 0, tokens: 0 },
      { sessions: 1, tokens: 1 },
    ]);
    expect(await house.store.findSessionByHash('session hash of ada')).toBeNull();
  });

  it('goes by the number of the person: whoever has taken over the login keeps what is theirs', async () => {
    await using house = await shop();
    const now = house.double.state.clock.now().toISOString();
    const { id } = await signedIn(house, 'ada', now);
    house.double.people.renameAccount('ada', 'ada-before');
    await house.handle({
      event: 'github_app_authorization',
      payload: { action: 'revoked', sender: { id: 7, login: 'ada' } },
    });
    expect(await standing(house, [id])).toEqual([{ sessions: 1, tokens: 1 }]);
    await house.handle(withdrawal(house, 'ada-before'));
    expect(await standing(house, [id])).toEqual([{ sessions: 0, tokens: 0 }]);
  });

  it('counts again for somebody who signed in again and thought better of it within the minute', async () => {
    await using house = await shop();
    const { clock } = house.double.state;
    await house.handle(withdrawal(house, 'ada'));
    clock.advance(20_000);
    const { id } = await signedIn(house, 'ada', clock.now().toISOString());
    expect(await house.handle(withdrawal(house, 'ada'))).toEqual({ kind: 'done' });
    expect(await standing(house, [id])).toEqual([{ sessions: 0, tokens: 0 }]);
  });

  it('is heeded while GitHub answers nothing, and makes no account of whoever has none', async () => {
    await using house = await shop();
    house.double.faults.add({ path: /./, times: 100, fault: { kind: 'reset', when: 'before' } });
    expect(await house.handle(withdrawal(house, 'eve'))).toEqual({ kind: 'done' });
    expect((await house.store.listAccounts()).map(({ login }) => login)).not.toContain('eve');
  });
});

async function signedIn(house: EventHouse, login: string, now: string): Promise<Account> {
  const githubId = house.double.people.user(login).id;
  const account = await house.store.ensureAccount({ login, githubId, signingSecret: 'whsec_x', now });
  const { id: accountId } = account;
  const token: TokenRecord = {
    ...{ id: `tok_${login}`, accountId, name: login, scopes: ['issues:read'], projectIds: null },
    ...{ createdAt: now, expiresAt: null, lastUsedAt: null, revokedAt: null },
  };
  await house.store.addToken(token, `token hash of ${login}`);
  const session = { id: `ses_${login}`, accountId, startedAt: now, lastSeenAt: now, client: 'a browser' };
  await house.store.addSession(session, `session hash of ${login}`);
  return account;
}

async function standing(house: EventHouse, accounts: readonly string[]) {
  return await Promise.all(
    accounts.map(async (id) => ({
      sessions: (await house.store.listSessions(id)).length,
      tokens: (await house.store.listTokens(id)).filter(({ revokedAt }) => revokedAt === null).length,
    })),
  );
}

function withdrawal(house: EventHouse, login: string) {
  const { id } = house.double.people.user(login);
  return { event: 'github_app_authorization', payload: { action: 'revoked', sender: { id, login, type: 'User' } } };
}

describe('every event', () => {
  it('that the receiver stores has a handler, and no other has one', () => {
    const handled: string[] = [];
    const register = createCausewayApp({} as CausewayAppDeps);
    register({ on: (names: string[]) => handled.push(...names) } as unknown as Probot);
    const events = Object.entries(USED_EVENTS).flatMap(([event, { actions }]) =>
      actions === null || handled.includes(event) ? [event] : actions.map((action) => `${event}.${action}`),
    );
    expect(handled.toSorted()).toEqual(events.toSorted());
  });

  it('that GitHub publishes an example of is taken without a crash and without a stray write', async () => {
    await using house = await shop();
    const faults: string[] = [];
    for (const { name, event, payload } of publishedExamples()) {
      await house.handle({ event, payload: payload as Record<string, unknown> }).catch((error: unknown) => {
        faults.push(`${name}: ${error}`);
      });
    }
    expect(faults).toEqual([]);
    expect(house.writes()).toEqual([]);
    expect(await house.store.listInvestigations({ limit: 10 })).toEqual([]);
    expect((await house.store.listProjects({})).map(({ name }) => name)).toEqual([NAME]);
  });
});
