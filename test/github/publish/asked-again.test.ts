// Who stands behind a pull request, when it is opened anew, and whose word releases a guarded change.
import { describe, expect, it } from 'vitest';
import { FILES, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const GUARDED = { analysis: { guards: [{ rule: 'person/large', file: '', reason: 'It is large' }] } } as const;

/** `/analyse fix` for what stands. */
async function askFor(house: PublishingHouse, login = 'wanda'): Promise<void> {
  const { id } = house.double.people.user(login);
  await house.store.requestFix(
    (await house.thread()).id,
    { id, login, at: house.deps.now().toISOString() },
    house.deps.now().toISOString(),
  );
}

async function opened(): Promise<PublishingHouse> {
  const house = await publishingHouse();
  await house.ask();
  await house.conclude();
  await house.settle();
  return house;
}

async function closed(): Promise<PublishingHouse> {
  const house = await opened();
  house.advance(60);
  house.double.people.close(SHOP, house.pulls()[0]!.number, 'wanda');
  await house.settle();
  house.advance(60);
  return house;
}

function states(house: PublishingHouse): readonly string[] {
  return house.pulls().map(({ state }) => state);
}

describe('who asked for the pull request', () => {
  it('stands behind it still when somebody without write has it analysed again', async () => {
    await using house = await opened();
    house.advance(3_700);
    const thread = await house.ask({ by: 'tria', role: 'triage', fix: false });
    expect(thread.fixRequest).toBeNull();
    await house.conclude();
    const branch = house.pulls()[0]!.pull!.headRef;
    const sha = await house.head(branch);
    await house.double.people.reportCheck(SHOP, { sha, name: 'test', conclusion: 'failure' });
    await house.publish();
    expect(house.pulls()[0]?.body).toContain('requested by `wanda`');
    expect((await house.thread()).record.pullRequest).toMatchObject({
      requestedBy: { login: 'wanda' },
      attempts: [{ headSha: sha, outcome: null }],
    });
  });

  it('has the role looked up before a further attempt, whoever asks meanwhile', async () => {
    await using house = await opened();
    house.double.people.user('rita');
    house.double.people.grant(SHOP, 'rita', 'write');
    house.double.people.grant(SHOP, 'wanda', 'triage');
    house.advance(3_700);
    await house.ask({ by: 'rita' });
    await house.conclude();
    const sha = await house.head(house.pulls()[0]!.pull!.headRef);
    await house.double.people.reportCheck(SHOP, { sha, name: 'test', conclusion: 'failure' });
    await house.settle();
    expect((await house.thread()).record.pullRequest).toMatchObject({ attempts: [], checks: 'red' });
  });
});

describe('a pull request that was closed without merging', () => {
  it('stays closed until somebody with write asks once more, and is opened anew then, once', async () => {
    await using house = await closed();
    await house.settle();
    expect(states(house)).toEqual(['closed']);
    await askFor(house);
    await house.settle();
    expect(states(house)).toEqual(['closed', 'open']);
    const [, second] = house.pulls();
    expect((await house.thread()).record.pullRequest).toMatchObject({ number: second?.number, state: 'open' });
    expect(house.comments().at(-1)?.body).toContain(`#${second?.number}`);
    house.advance(60);
    await house.settle();
    expect(house.pulls()).toHaveLength(2);
  });

  it('is opened anew where its branch is gone or others have pushed to it', async () => {
    for (const spoil of [
      (house: PublishingHouse, branch: string) => house.double.people.deleteBranch(SHOP, branch, 'wanda'),
      (house: PublishingHouse, branch: string) =>
        house.double.people.push(SHOP, { by: 'wanda', branch, files: { 'x.txt': 'x\n' } }),
    ]) {
      await using house = await closed();
      await spoil(house, house.pulls()[0]!.pull!.headRef);
      await askFor(house);
      await house.settle();
      expect(states(house)).toEqual(['closed', 'open']);
    }
  });

  it('is not opened anew for a request that was made while it was open', async () => {
    await using house = await opened();
    house.advance(60);
    await askFor(house);
    house.advance(60);
    house.double.people.close(SHOP, house.pulls()[0]!.number, 'wanda');
    await house.settle();
    await house.settle();
    expect(states(house)).toEqual(['closed']);
  });

  it('is made once where GitHub’s answer to the second is lost', async () => {
    await using house = await closed();
    const where = { method: 'POST', path: /\/pulls$/ };
    house.double.faults.add({ ...where, fault: { kind: 'answer', when: 'after', status: 502 } });
    await askFor(house);
    await house.settle();
    expect(states(house)).toEqual(['closed', 'open']);
    expect((await house.thread()).record.pullRequest?.number).toBe(house.pulls()[1]?.number);
  });

  it('gets no second one beside it where people have opened it again', async () => {
    await using house = await closed();
    const [first] = house.pulls();
    house.double.people.reopen(SHOP, first!.number, 'wanda');
    const branch = first!.pull!.headRef;
    await house.double.people.push(SHOP, { by: 'wanda', branch, files: { 'x.txt': 'x\n' } });
    await askFor(house);
    await house.settle();
    expect(states(house)).toEqual(['open']);
  });
});

describe('a change that a person must have read', () => {
  it('is not released by a request from before the analysis that found it had ended', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude(GUARDED);
    house.advance(60);
    await house.ask();
    house.advance(1);
    await askFor(house);
    house.advance(60);
    const files = [{ kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: 'other\n' }] as const;
    await house.conclude({ ...GUARDED, files });
    await house.settle();
    expect(house.pulls()).toEqual([]);
    expect(house.comments().at(-1)?.body).toContain('Read the change first');
    house.advance(60);
    await askFor(house);
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
  });

  it('nor by one for an earlier result, where a retry has ended before it could be opened', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude(GUARDED);
    await house.settle();
    house.advance(60);
    await askFor(house);
    house.advance(1);
    await house.ask({ by: 'tria', role: 'triage', fix: false });
    await house.conclude({ ...GUARDED, rootCause: 'Another cause.' });
    await house.settle();
    expect(house.pulls()).toEqual([]);
  });

  it('nor is an earlier result published where a retry has ended while GitHub was asked', async () => {
    let meanwhile = async () => {};
    await using house = await publishingHouse({
      onAnswer: async (method, path) => {
        if (method !== 'GET' || !path.endsWith(`/repos/${SHOP}`)) return;
        const once = meanwhile;
        meanwhile = async () => {};
        await once();
      },
    });
    await house.ask();
    await house.conclude(GUARDED);
    await house.settle();
    house.advance(60);
    await askFor(house);
    meanwhile = async () => {
      await house.ask({ by: 'tria', role: 'triage', fix: false });
      await house.conclude({ ...GUARDED, rootCause: 'Another cause.' });
    };
    await house.settle();
    expect(house.pulls()).toEqual([]);
    expect(await house.branches()).toEqual(['main']);
    expect(house.comments().at(-1)?.body).toContain('Another cause');
  });
});

describe('on a pull request', () => {
  it.each([
    ['of this repository people are told how to get one on top of it', SHOP, true],
    ['of a fork nobody is told of a command that is refused there', 'wanda/shop', false],
  ])('%s', async (_, headRepository, isTold) => {
    await using house = await publishingHouse();
    const { people } = house.double;
    if (headRepository !== SHOP) await people.fork(SHOP, 'wanda');
    const head = await people.push(headRepository, { by: 'wanda', branch: 'mine', files: { 'y.js': 'y\n' } });
    const wanted = { by: 'wanda', title: 'Mine', head: 'mine', headRepository };
    const { number } = await people.openPull(SHOP, wanted);
    await house.ask({ subject: { kind: 'pull_request', number }, fix: false });
    await house.conclude({ base: isTold ? head : await house.head(), ...GUARDED });
    await house.settle();
    expect(house.comments(number)).toHaveLength(1);
    expect(/analyse fix/.test(house.comments(number)[0]?.body ?? '')).toBe(isTold);
  });
});
