// What stands on GitHub after a person has asked: 👀, facts, result, pull request; and what does not.

import { describe, expect, it } from 'vitest';
import { describeWithheld } from '../../../src/core/thread/withheld.ts';
import { markerText } from '../../../src/github/publish/marker.ts';
import { type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

async function textOnBranch(house: PublishingHouse, branch: string, file: string): Promise<string> {
  const opened = await house.deps.source.open(house.project, new AbortController().signal);
  const sha = await house.head(branch);
  const read = await opened.tree(sha).read(file, {}, new AbortController().signal);
  return read.kind === 'text' ? read.text : read.kind;
}

describe('a label by someone with write', () => {
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
    return record.withheld === null ? '' : describeWithheld(record.withheld.reason);
  }

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
    expect(reason).toContain('`src/cart.js` differs on that branch. Pull requests go to `release` here');
    expect(reason).toContain('`main` was analysed');
    expect(reason).not.toContain('retry');
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
      expect(house.comments()[0]?.body.match(/wasn't granted `contents: write`/g)).toHaveLength(1);
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
