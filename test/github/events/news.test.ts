import { describe, expect, it } from 'vitest';
import type { Account, TokenRecord } from '../../../src/core/account/account.ts';
import { EMPTY_RECORD, type PostedPullRequest } from '../../../src/core/thread/thread.ts';
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
