// What stands on GitHub after a person has asked: 👀, facts, result, pull request; and what does not.
import { describe, expect, it } from 'vitest';
import { markerText } from '../../../src/github/publish/marker.ts';
import { FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

async function textOnBranch(house: PublishingHouse, branch: string, file: string): Promise<string> {
  const opened = await house.deps.source.open(house.project, new AbortController().signal);
  const sha = await house.head(branch);
  const read = await opened.tree(sha).read(file, {}, new AbortController().signal);
  return read.kind === 'text' ? read.text : read.kind;
}

describe('a label by someone with write', () => {
  it('is answered with 👀, facts, the result in their place, and a draft pull request', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.publish();
    expect(house.issue.reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect(house.comments()).toHaveLength(0);
    await house.facts();
    await house.publish();
    const [facts] = house.comments();
    await house.conclude();
    expect((await house.settle()).kind).toBe('later');
    expect(house.comments()).toHaveLength(1);
    const [result] = house.comments();
    expect(result?.id).not.toBe(facts?.id);
    const [pull] = house.pulls();
    expect(house.pulls()).toHaveLength(1);
    expect(result?.body).toContain(`#${pull?.number}`);
    expect(pull?.pull).toMatchObject({ isDraft: true, baseRef: 'main' });
    expect(pull?.pull?.headRef).toMatch(new RegExp(`^causeway/issue-${house.issue.number}-[0-9A-Za-z]{6}$`));
    expect(await textOnBranch(house, pull!.pull!.headRef, 'src/cart.js')).toBe(FIXED);
    const { record } = await house.thread();
    expect(record).toMatchObject({ replaced: [], withheld: null, comment: { id: result?.id, shows: 'result' } });
    expect(record.pullRequest).toMatchObject({ number: pull?.number, headSha: pull?.pull?.headSha, state: 'open' });
  });

  it('needs so many writes and no more', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.facts();
    await house.conclude();
    await house.settle();
    await house.settle();
    expect(house.writes().map((write) => write.replace(/\d+|causeway%2F[^/ ]+/g, 'N'))).toMatchInlineSnapshot(`
      [
        "POST /repos/octo/shop/issues/N/reactions",
        "POST /repos/octo/shop/issues/N/comments",
        "POST /repos/octo/shop/git/refs",
        "POST /graphql",
        "POST /repos/octo/shop/pulls",
        "PATCH /repos/octo/shop/issues/comments/N",
      ]
    `);
  });
});

describe('a comment that asks', () => {
  it('gets the 👀 itself, and none where it was deleted meanwhile', async () => {
    await using house = await publishingHouse();
    const asked = house.double.people.comment(SHOP, house.issue.number, { by: 'wanda', body: '/analyse' });
    await house.ask({ kind: 'comment', commentId: asked.id });
    await house.publish();
    expect(asked.reactions).toHaveLength(1);
    house.double.people.deleteComment(SHOP, asked.id, 'wanda');
    house.advance(1);
    await house.ask({ kind: 'comment', commentId: asked.id });
    await house.publish();
    expect((await house.thread()).record.seen).not.toBe('');
  });
});

describe('without a person who has write', () => {
  it('there is a result that says how to get a pull request, and none until then', async () => {
    await using house = await publishingHouse();
    const thread = await house.ask({ by: 'tria', role: 'triage', fix: false });
    await house.conclude();
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.comments()[0]?.body).toContain('/analyse fix');
    expect(house.pulls()).toHaveLength(0);
    const wanda = house.double.people.user('wanda');
    await house.store.requestFix(
      thread.id,
      { id: wanda.id, login: 'wanda', at: house.deps.now().toISOString() },
      house.deps.now().toISOString(),
    );
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
  });

  it('one who has lost write since gets words instead', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude();
    house.double.people.grant(SHOP, 'wanda', 'triage');
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.pulls()).toHaveLength(0);
    expect(house.comments()[0]?.body).toContain('No pull request was opened');
    expect((await house.thread()).record.withheld?.reason).toContain('no write access');
  });
});

describe('a pull request is withheld, and the comment says why', () => {
  async function withheld(prepare: (house: PublishingHouse) => unknown): Promise<string> {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude();
    await prepare(house);
    await house.settle();
    const { record } = await house.thread();
    expect(record.pullRequest).toBeNull();
    expect(await house.branches()).toEqual(expect.not.arrayContaining([expect.stringMatching(/^causeway/)]));
    expect(house.comments().at(-1)?.body).toContain('No pull request was opened');
    return record.withheld?.reason ?? '';
  }

  it('where the file has changed since', async () => {
    const push = ({ double }: PublishingHouse) =>
      double.people.push(SHOP, { by: 'wanda', files: { 'src/cart.js': 'something else\n' } });
    expect(await withheld(push)).toContain('`src/cart.js` has changed since');
  });

  it('where the repository is archived', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude();
    house.double.people.archiveRepository(SHOP, 'octo');
    // Nothing can be written there at all.
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.pulls()).toHaveLength(0);
  });

  it('where the issue was closed meanwhile', async () => {
    expect(await withheld(({ double, issue }) => double.people.close(SHOP, issue.number, 'wanda'))).toContain('closed');
  });

  it('where somebody is at work on it already', async () => {
    const rival = async ({ double, issue }: PublishingHouse) => {
      await double.people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'src/cart.js': 'mine\n' } });
      await double.people.openPull(SHOP, { by: 'wanda', title: 'Mine', head: 'mine', body: `Fixes #${issue.number}` });
    };
    expect(await withheld(rival)).toMatch(/#\d+ is already open/);
  });

  it('where the configured base is not there', async () => {
    const config = ({ setting }: PublishingHouse) => {
      setting.config = { ...setting.config, pullRequest: { ...setting.config.pullRequest, base: 'gone' } };
    };
    expect(await withheld(config)).toContain('no branch `gone`');
  });

  it('where the configured base has another file there, with its name and no useless advice', async () => {
    const other = async ({ setting, double }: PublishingHouse) => {
      await double.people.push(SHOP, { by: 'wanda', branch: 'release', files: { 'src/cart.js': 'older\n' } });
      setting.config = { ...setting.config, pullRequest: { ...setting.config.pullRequest, base: 'release' } };
    };
    const reason = await withheld(other);
    expect(reason).toContain('`src/cart.js` is another there: pull requests go to `release` here');
    expect(reason).toContain('analysed on `main`');
    expect(reason).not.toContain('retry');
  });

  it('where the configuration closes the path', async () => {
    const config = ({ setting }: PublishingHouse) => {
      setting.config = { ...setting.config, paths: { allow: [], block: ['src/**'] } };
    };
    expect(await withheld(config)).toContain('closed to changes');
  });
});

describe('what is committed', () => {
  it('keeps an executable executable', async () => {
    await using house = await publishingHouse();
    await house.ask();
    const files = [
      { kind: 'modified', path: 'run.sh', before: '#!/bin/sh\n', after: '#!/bin/sh\nls\n', mode: '100755' },
      { kind: 'deleted', path: 'src/other.js', before: 'x\n' },
    ] as const;
    await house.conclude({ files });
    await house.settle();
    const branch = house.pulls()[0]!.pull!.headRef;
    const opened = await house.deps.source.open(house.project, new AbortController().signal);
    const { entries } = await opened.tree(await house.head(branch)).files(new AbortController().signal);
    expect(entries.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['run.sh executable', 'src/cart.js file']);
  });

  it('stands on the live head of the base, where other files have moved on', async () => {
    await using house = await publishingHouse();
    await house.ask();
    await house.conclude();
    const head = await house.double.people.push(SHOP, { by: 'wanda', files: { 'src/other.js': 'y\n' } });
    await house.settle();
    const branch = house.pulls()[0]!.pull!.headRef;
    expect(await textOnBranch(house, branch, 'src/other.js')).toBe('y\n');
    expect(await house.deps.clients.identity(new AbortController().signal)).toBeTruthy();
    expect(head).toBe(await house.head());
  });
});

describe('the conversation', () => {
  it('does not take a person’s quotation of our marker for our comment', async () => {
    await using house = await publishingHouse();
    const thread = await house.ask({ fix: false });
    const marker = markerText({ threadId: thread.id, investigationId: thread.investigationId, kind: 'result' });
    house.double.people.comment(SHOP, house.issue.number, { by: 'wanda', body: `Ha!\n${marker}` });
    await house.conclude();
    await house.settle();
    expect(house.comments()).toHaveLength(2);
    expect(house.comments()[0]?.body).toContain('Ha!');
  });

  it('leaves a comment deleted that somebody has deleted, until they ask again', async () => {
    await using house = await publishingHouse();
    await house.ask({ fix: false });
    await house.facts();
    await house.publish();
    house.double.people.deleteComment(SHOP, house.comments()[0]!.id, 'wanda');
    house.advance(30);
    house.setting.waitsFor = 'model_unavailable';
    await house.publish();
    await house.conclude();
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.comments()).toHaveLength(0);
    house.advance(60);
    await house.ask({ fix: false });
    await house.conclude();
    await house.settle();
    expect(house.comments()).toHaveLength(1);
  });

  it.each([
    ['before the first word', false],
    ['after the facts', true],
  ])('is not needed for the pull request where the issue is locked %s', async (_, hasFacts) => {
    await using house = await publishingHouse();
    await house.ask();
    if (hasFacts) await house.facts();
    await house.publish();
    house.double.people.lock(SHOP, house.issue.number);
    await house.conclude();
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
    expect(house.pulls()[0]?.body).toContain(`Fixes #${house.issue.number}.`);
    const tries = () =>
      house.writes().filter((write) => write.endsWith(`issues/${house.issue.number}/comments`)).length;
    const before = tries();
    house.advance(300);
    await house.settle();
    expect(tries()).toBe(before);
    house.issue.locked = false;
    await house.ask();
    await house.conclude();
    await house.settle();
    expect(house.comments()).toHaveLength(1);
  });

  it('ends quietly on a locked issue', async () => {
    await using house = await publishingHouse();
    await house.ask({ fix: false });
    house.double.people.lock(SHOP, house.issue.number);
    await house.conclude();
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect((await house.thread()).record.comment).toBeNull();
  });
});

describe('where nothing may leave', () => {
  it.each([
    ['by the repository', { config: { mode: 'observe' as const } }],
    ['by the operator', { deps: { ceiling: 'observe' as const } }],
  ])('%s, nothing does, and the record shows what would have', async (_, setting) => {
    await using house = await publishingHouse(setting);
    await house.ask();
    await house.facts();
    await house.publish();
    await house.conclude();
    await house.settle();
    expect(house.writes()).toEqual([]);
    expect(house.comments()).toHaveLength(0);
    const { record } = await house.thread();
    expect(record.held?.comment).toContain('causeway thread=');
    expect(record.held?.pullRequest).toContain('causeway thread=');
    expect(record.held?.comment).toContain('a pull request would be opened');
    expect(record.held?.comment).not.toContain('#0');
    expect(record).toMatchObject({ comment: null, pullRequest: null });
  });

  it('a paused house posts nothing and comes back', async () => {
    await using house = await publishingHouse();
    await house.ask();
    house.setting.paused = true;
    const before = house.double.state.clock.now().getTime();
    const result = await house.publish();
    const runAt = result.kind === 'later' ? Date.parse(result.runAt) : 0;
    expect(runAt).toBeGreaterThanOrEqual(before + 15_000);
    expect(runAt).toBeLessThanOrEqual(house.double.state.clock.now().getTime() + 15_000);
    expect(house.writes()).toEqual([]);
    house.setting.paused = false;
    await house.publish();
    expect(house.issue.reactions).toHaveLength(1);
  });

  it.each([{ contents: 'read', pull_requests: 'write' }, { contents: 'read' }] as const)(
    'an installation with %j is not asked for a pull request, and says what to grant to who asks',
    async (granted) => {
      const permissions = { metadata: 'read', issues: 'write', ...granted } as const;
      await using house = await publishingHouse({ permissions });
      const thread = await house.ask({ by: 'tria', role: 'triage', fix: false });
      await house.conclude();
      expect(await house.settle()).toEqual({ kind: 'done' });
      expect(house.comments()[0]?.body).not.toMatch(/analyse fix|No pull request|write access/);
      const wanda = { id: house.double.people.user('wanda').id, login: 'wanda' };
      await house.store.requestFix(
        thread.id,
        { ...wanda, at: house.deps.now().toISOString() },
        house.deps.now().toISOString(),
      );
      expect(await house.settle()).toEqual({ kind: 'done' });
      expect(house.comments()[0]?.body.match(/was not granted `contents: write`/g)).toHaveLength(1);
      expect(house.writes().filter((write) => /refs|graphql|pulls/.test(write))).toEqual([]);
    },
  );
});

describe('an API Issue whose pull request was asked for', () => {
  it('gets it, and no comment anywhere', async () => {
    await using house = await publishingHouse();
    await house.ask({ kind: 'api', subject: { kind: 'report', issueId: 'iss_none' } });
    await house.conclude();
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
    expect(house.comments()).toHaveLength(0);
    expect(house.issue.reactions).toHaveLength(0);
  });
});
