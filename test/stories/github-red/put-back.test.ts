// The commit that broke the default branch is put back: GitHub's own revert as a draft, or the line to run at home.

import { type GithubIssue, renderMarkdown } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { CHANGED_TESTS, minutesAgo, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { BASKET, COUPONS, jobLog } from '../../support/github-red-model.ts';
import { SELDOM_MS } from '../../support/github-stage.ts';

const stage = redStage();

interface Broken {
  readonly how?: 'merge' | 'squash' | 'rebase';
  /** Of the pull request's commits, one each. */
  readonly commits?: readonly Readonly<Record<string, string>>[];
  readonly config?: string;
}

const WORSE = { 'NOTES.md': 'worse\n' };

/** A shop whose default branch was green, and is red since a pull request of Lena's was merged. */
async function brokenShop(name: string, { how = 'squash', commits = [WORSE], config }: Broken = {}) {
  const desk = await stage.desk(name, config === undefined ? {} : { config });
  const { people } = stage.double;
  const files = { ...CHANGED_TESTS, 'NOTES.md': 'all well\n' };
  const green = await people.push(name, { by: 'mara', files, message: 'All is well' });
  await desk.run(green, { test: 'success' }, { at: minutesAgo(3) });
  const { number, sha } = await land(name, { title: 'Make it worse', commits, how });
  await desk.run(sha, { test: COUPONS });
  return { desk, green, sha, number, ...readReverts(desk) };
}

/** A pull request of Lena's that Mara merges. */
async function land(name: string, { title, commits, how = 'squash' }: Broken & { readonly title: string }) {
  const { people } = stage.double;
  const branch = title.toLowerCase().replaceAll(' ', '-');
  for (const files of commits ?? []) await people.push(name, { by: 'lena', branch, files, message: title });
  const { number } = await people.openPull(name, { by: 'lena', title, head: branch });
  return { number, sha: await people.merge(name, number, 'mara', how) };
}

function readReverts(desk: RedDesk & { pulls(): readonly GithubIssue[] }) {
  const reverts = () => desk.pulls().filter(({ pull }) => pull?.headRef.startsWith('revert-'));
  const shown = (body: string) => renderMarkdown(body, { repository: desk.name, webUrl: stage.double.webUrl });
  return {
    reverts,
    /** The only one, as its receiver reads it. */
    revert: () => {
      const [first, ...more] = reverts();
      if (first?.pull == null || more.length > 0) throw new Error(`expected one revert, found ${reverts().length}`);
      return { ...first, pull: first.pull, words: shown(first.body ?? ''), head: first.pull.headSha };
    },
    /** How often GitHub was asked to revert there. */
    asked: () => stage.double.requests.filter(({ body }) => isRevertIn(desk.name, body)).length,
  };
}

/** A node id of the double begins with the number of its repository. */
function isRevertIn(name: string, body: string): boolean {
  if (!body.includes('revertPullRequest')) return false;
  const id: string = JSON.parse(body).variables.input.pullRequestId;
  const named = Buffer.from(id.replace(/^PR_/, ''), 'base64url').toString('utf8');
  return named.startsWith(`${stage.double.repository(name).id}:`);
}

/** Files that the draft changes. */
async function changedBy(name: string, { head }: { readonly head: string }): Promise<readonly string[]> {
  return (await stage.double.git(name, 'diff', '--name-only', `${head}^`, head)).split('\n');
}

describe('a range of one', () => {
  it('is offered by a button, and becomes a draft that names failure, range and author, and mentions nobody', async () => {
    const { desk, green, sha, number, revert } = await brokenShop('corner/one');
    const before = desk.checkRun(sha);
    expect(before.buttons).toEqual(['Open revert']);
    expect(before.words).toContain(`click “Open revert” for GitHub's own revert of ${sha.slice(0, 7)} as a draft`);
    await desk.press(sha, 'mara', 'open_revert');
    const { title, pull, words, head } = revert();
    expect([title, pull.isDraft, pull.baseRef, pull.headRef]).toEqual([
      ...['Revert "Make it worse"', true, 'main', `revert-${number}-make-it-worse`],
    ]);
    expect(await changedBy(desk.name, { head })).toEqual(['NOTES.md']);
    expect(words.text).toContain(`Reverts #${number} by lena, which came to main as ${sha.slice(0, 12)}.`);
    expect(words.text).toContain('Nothing else came in between');
    expect(words.text).toContain(`Passing at ${green.slice(0, 12)}, failing at ${sha.slice(0, 12)}, 1 commit later`);
    expect(words.text).toContain(COUPONS.test);
    expect(words.text).toMatch(/Instead of going back: #\d+ proposes a fix\./);
    expect(words.text).toContain('requested by mara');
    expect(words.mentions).toEqual([]);
    const after = desk.checkRun(sha);
    expect(after.buttons).toEqual([]);
    expect(after.words).toContain(`reverts ${sha.slice(0, 7)}; its checks are running`);
    expect(desk.comments(revert().number)).toEqual([]);
  });

  it('is proven only once what failed on main passes on the draft', async () => {
    const { desk, sha, revert } = await brokenShop('corner/proven');
    await desk.press(sha, 'mara', 'open_revert');
    expect(revert().words.text).toContain("isn't known yet whether this helps");
    expect(revert().words.text).not.toMatch(/Red before|passed here/);
    await desk.run(revert().head, { test: 'success' });
    const { words } = revert();
    expect(words.text).toContain('with it taken back, what failed passes');
    expect(words.text).toContain(`test: failed at ${sha.slice(0, 12)} on main, passed here`);
    expect(desk.checkRun(sha).words).toContain('proven in CI: what failed here passes with it');
  });

  it.each([
    ['fails with it as well', 'still', { test: COUPONS }, "doesn't help"],
    ['passes, and another fails', 'other', { test: 'success', lint: BASKET }, 'makes other checks fail'],
  ] as const)('is called no proof where what failed %s', async (_, name, jobs, said) => {
    const { desk, sha, revert } = await brokenShop(`corner/${name}`);
    await desk.press(sha, 'mara', 'open_revert');
    await desk.run(revert().head, jobs);
    expect(revert().words.text).toContain(said);
    expect(revert().words.text).not.toContain('Red before');
  });

  it.each(['merge', 'rebase'] as const)('is one where a %s brought it, and is taken back as a whole', async (how) => {
    const commits = how === 'merge' ? [WORSE, { 'src/catalogue.js': 'export const products = [];\n' }] : [WORSE];
    const { desk, sha, revert } = await brokenShop(`corner/${how}`, { how, commits });
    expect(desk.checkRun(sha).buttons).toContain('Open revert');
    await desk.press(sha, 'mara', 'open_revert');
    expect(await changedBy(desk.name, revert())).toEqual(commits.flatMap((files) => Object.keys(files)).toSorted());
    await desk.run(revert().head, { test: 'success' });
    expect(revert().words.text).toContain('Red before, green with this revert');
  });
});

/** Seven changes that were merged one after the other without a look at their checks, and where among them the eighth is. */
async function eightShop(
  name: string,
  second?: Readonly<Record<string, string>>,
  failing: Parameters<RedDesk['run']>[1][string] = COUPONS,
) {
  const desk = await stage.desk(name);
  const { people } = stage.double;
  const green = await people.push(name, { by: 'mara', files: CHANGED_TESTS, message: 'All is well' });
  await desk.run(green, { test: 'success' }, { at: minutesAgo(3) });
  const landed: { readonly number: number; readonly sha: string }[] = [];
  for (let at = 0; at < 8; at += 1) {
    const files = at === 4 ? BUGGY : at === 2 && second !== undefined ? second : { [`docs/page-${at}.md`]: `${at}\n` };
    landed.push(await land(name, { title: `Change ${at}`, commits: [files] }));
  }
  const sha = landed.at(-1)?.sha ?? '';
  await desk.run(sha, { test: failing });
  return { desk, sha, landed, ...readReverts(desk) };
}

const BUGGY = {
  'src/coupons.js': [
    "import { percentOf } from './money.js';",
    '',
    "const COUPONS = new Map([['WELCOME10', { percent: 10, minimum: 0 }]]);",
    ...Array.from({ length: 9 }, () => ''),
    'export function discountFor(code, cents) {',
    '  const { percent } = COUPONS.get(code);',
    '  return percentOf(cents, percent);',
    '}',
    '',
  ].join('\n'),
};

describe('a range of eight with no results in between', () => {
  it('is put back where of all commits one alone changed what the failing test reaches', async () => {
    const { desk, sha, landed, revert } = await eightShop('corner/eight');
    expect(desk.checkRun(sha).buttons).toContain('Open revert');
    await desk.press(sha, 'mara', 'open_revert');
    const { words, title } = revert();
    expect(title).toBe('Revert "Change 4"');
    expect(words.text).toContain(`Reverts #${landed[4]?.number} by lena`);
    expect(words.text).toContain(
      'Of the 8 commits since main last passed, only this changed what the failing test reaches',
    );
    expect(words.text).toContain('most likely since');
    expect(await changedBy(desk.name, revert())).toEqual(['src/coupons.js']);
  });

  it('is not where no failing test is known, as what a build reaches is not followed', async () => {
    const line = "src/coupons.js:14:11: error TS2339: Property 'percent' does not exist on type 'undefined'.";
    const log = jobLog('npm run build', [line]);
    const money = { 'src/money.js': 'export const percentOf = (cents) => cents;\n' };
    const failing = { conclusion: 'failure', failedStep: 'npm run build', log } as const;
    const { desk, sha } = await eightShop('corner/build', money, failing);
    expect(desk.checkRun(sha).words).toContain('by lena · most likely: touches src/coupons.js');
    expect(desk.checkRun(sha).buttons).not.toContain('Open revert');
  });

  it('is not where another one did as well: the command says so', async () => {
    const { desk, sha, landed, asked } = await eightShop('corner/several', {
      'src/money.js': 'export function percentOf(cents, percent) {\n  return Math.floor((cents * percent) / 100);\n}\n',
    });
    expect(desk.checkRun(sha).buttons).not.toContain('Open revert');
    const said = await desk.say(landed[4]?.number ?? 0, 'mara', '/analyse revert');
    expect(desk.reactions(said)).toEqual(['confused']);
    expect(desk.comments(landed[4]?.number ?? 0).map(({ text }) => text)).toEqual([
      expect.stringContaining('Nothing here can be put back'),
    ]);
    expect(asked()).toBe(0);
  });
});

describe('by a comment on the merged pull request', () => {
  it('opens the draft for somebody with write, once, whoever asks again, and answers nobody else', async () => {
    const { desk, sha, number, reverts, revert, asked } = await brokenShop('corner/asked');
    stage.double.people.grant(desk.name, 'lena', 'write');
    const stranger = await desk.say(number, 'ola', '/analyse revert');
    const triage = await desk.say(number, 'per', '/analyse revert');
    await desk.press(sha, 'per', 'open_revert');
    expect([desk.reactions(stranger), desk.reactions(triage), reverts()]).toEqual([[], ['confused'], []]);
    expect(desk.onlyComment(number).body).toContain('`/analyse revert` needs write access');
    const first = await desk.say(number, 'mara', '/analyse revert please');
    expect(desk.reactions(first)).toEqual(['eyes']);
    expect(revert().words.text).toContain('requested by mara');
    const second = await desk.say(number, 'lena', '@causeway revert');
    expect(desk.reactions(second)).toEqual(['confused']);
    expect(desk.onlyComment(number).body).toContain('A revert is already open');
    await desk.press(sha, 'lena', 'open_revert');
    expect([reverts().length, asked()]).toEqual([1, 1]);
  });

  it('opens it from the issue that people tied the failure to, and from no other issue', async () => {
    const { desk, reverts } = await brokenShop('corner/tied');
    const { people } = stage.double;
    const [issue, other] = ['Coupons are red', 'Another'].map(
      (title) => people.openIssue(desk.name, { by: 'mara', title }).number,
    );
    const pull = await desk.pull({ files: { 'ELSEWHERE.md': 'x\n' } });
    await desk.run(pull.sha, { test: COUPONS });
    await desk.say(pull.number, 'mara', `/analyse known #${issue}`);
    const refused = await desk.say(other ?? 0, 'mara', '/analyse revert');
    expect([desk.reactions(refused), reverts()]).toEqual([['confused'], []]);
    const taken = await desk.say(issue ?? 0, 'mara', '/analyse revert');
    expect([desk.reactions(taken), reverts().length]).toEqual([['eyes'], 1]);
  });

  it('opens one where two people ask at the same moment', async () => {
    const { desk, sha, number, reverts } = await brokenShop('corner/both');
    stage.double.people.grant(desk.name, 'lena', 'write');
    stage.double.people.comment(desk.name, number, { by: 'lena', body: '/analyse revert' });
    await desk.press(sha, 'mara', 'open_revert');
    expect(reverts()).toHaveLength(1);
  });

  it('starts nothing again when GitHub sends the comment once more', async () => {
    const { desk, number, reverts, asked } = await brokenShop('corner/again');
    const said = await desk.say(number, 'mara', '/analyse revert');
    const { webhooks, app } = stage.double;
    const comment = webhooks.deliveries(app.id).findLast(({ event }) => event === 'issue_comment');
    webhooks.redeliver(comment?.id ?? 0);
    await stage.rest();
    expect([reverts().length, asked()]).toEqual([1, 1]);
    expect(desk.reactions(said)).toEqual(['eyes']);
  });
});

describe('what GitHub or a rule refuses', () => {
  it('is a conflict: nothing is opened, and check run and comment have files and the line', async () => {
    const { desk, sha, number, reverts } = await brokenShop('corner/conflict');
    await stage.double.people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'worse still\n' } });
    await desk.say(number, 'mara', '/analyse revert');
    const line = `git revert ${sha}`;
    for (const words of [desk.comments(number).at(-1)?.text ?? '', desk.checkRun(sha).words]) {
      expect(words).toContain("GitHub couldn't revert it");
      expect(words).toContain('NOTES.md');
      expect(words).toContain(line);
    }
    expect(desk.comments(number)).toHaveLength(1);
    expect(desk.checkRun(sha).buttons).toEqual([]);
    expect([reverts(), await stage.double.git(desk.name, 'branch', '--list', 'revert-*')]).toEqual([[], '']);
  });

  it('is an answer without the pull request, which is looked for: there is one of it', async () => {
    const { desk, sha, reverts, asked } = await brokenShop('corner/no-answer');
    const body = { data: { revertPullRequest: { revertPullRequest: null } } };
    stage.double.faults.add({
      ...{ method: 'POST', path: /^\/graphql$/, body: /revertPullRequest/ },
      fault: { kind: 'answer', when: 'after', status: 200, body },
    });
    await desk.press(sha, 'mara', 'open_revert');
    const shown = () => desk.checkRun(sha).words.includes(`reverts ${sha.slice(0, 7)}; its checks are running`);
    await stage.until('the revert', shown, SELDOM_MS);
    expect([reverts().length, asked()]).toEqual([1, 1]);
  });

  it('has -m 1 for a merge commit', async () => {
    const { desk, sha } = await brokenShop('corner/mainline', { how: 'merge' });
    await stage.double.people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'worse still\n' } });
    await desk.press(sha, 'mara', 'open_revert');
    expect(desk.checkRun(sha).words).toContain(`git revert -m 1 ${sha}`);
  });

  it('was pushed without a pull request', async () => {
    const desk = await stage.desk('corner/pushed', { green: ['test'] });
    const sha = await stage.double.people.push(desk.name, { by: 'mara', files: WORSE, message: 'Make it worse' });
    await desk.run(sha, { test: COUPONS });
    await desk.press(sha, 'mara', 'open_revert');
    const { words, buttons } = desk.checkRun(sha);
    expect(words).toContain('It was pushed directly, without a pull request that GitHub could revert.');
    expect(words).toContain(`git revert ${sha}`);
    expect([buttons, readReverts(desk).asked()]).toEqual([[], 0]);
  });

  it.each(['.github/workflows/ci.yml', '.github/actions/setup/action.yml', 'docs/CODEOWNERS'])(
    'changed %s, which Causeway does not touch',
    async (path) => {
      const name = `corner/kept-${path.length}`;
      const { desk, sha, asked } = await brokenShop(name, { commits: [{ ...WORSE, [path]: 'name: ci\n' }] });
      await desk.press(sha, 'mara', 'open_revert');
      expect(desk.checkRun(sha).words).toContain(`It changed ${path}.`);
      expect(desk.checkRun(sha).words).toContain(`git revert ${sha}`);
      expect(asked()).toBe(0);
    },
  );

  it('is not offered where the mode opens no pull requests, and a command is answered', async () => {
    const { desk, sha, number, asked } = await brokenShop('corner/comment', { config: 'mode: comment\n' });
    expect(desk.checkRun(sha).buttons).toEqual([]);
    await desk.say(number, 'mara', '/analyse revert');
    expect(desk.comments(number).at(-1)?.text).toContain('Pull requests are turned off here (mode).');
    expect(asked()).toBe(0);
  });

  it('is not offered where no run of CI may be caused on request, and a command is answered with the line', async () => {
    const config = 'limits: {ci_runs_day: 0}\n';
    const { desk, sha, number, asked } = await brokenShop('corner/no-runs', { config });
    expect(desk.checkRun(sha).buttons).toEqual([]);
    await desk.say(number, 'mara', '/analyse revert');
    const { text } = desk.comments(number).at(-1) ?? {};
    expect(text).toContain('No run of CI may be caused on request here (limits.ci_runs_day: 0).');
    expect(text).toContain(`git revert ${sha}`);
    expect(asked()).toBe(0);
  });

  it('is beyond the runs of the day, and offered again', async () => {
    const config = 'limits: {ci_runs_day: 1}\n';
    const { desk, sha, number, asked, revert } = await brokenShop('corner/one-run', { config });
    await desk.press(sha, 'mara', 'open_revert');
    await stage.double.people.close(desk.name, revert().number, 'mara');
    await stage.rest();
    await desk.say(number, 'mara', '/analyse revert');
    expect(desk.comments(number).at(-1)?.text).toMatch(/The 1 run of CI .* is taken; one is free again at .* UTC\./);
    expect([asked(), desk.checkRun(sha).buttons]).toEqual([1, ['Open revert']]);
  });

  it('is reverted by a person already', async () => {
    const { desk, sha, number, asked } = await brokenShop('corner/rival');
    const { people } = stage.double;
    await people.push(desk.name, { by: 'mara', branch: `revert-${number}-worse`, files: { 'NOTES.md': 'all well\n' } });
    const rival = await people.openPull(desk.name, { by: 'mara', title: 'Revert', head: `revert-${number}-worse` });
    await desk.press(sha, 'mara', 'open_revert');
    expect(desk.checkRun(sha).words).toContain(`#${rival.number} is already open and reverts it.`);
    expect(asked()).toBe(0);
  });
});

describe('a person who asked and is erased', () => {
  /** Mara, in everything that the shop shows. */
  const erase = () => stage.command('erase', '--account', String(stage.double.people.user('mara').id), '--yes');

  it('is named no more by the comment that refused, which keeps its reason; one that was deleted does not come back', async () => {
    const shops = await Promise.all(['corner/erased', 'corner/deleted'].map((name) => brokenShop(name)));
    for (const { desk, number } of shops) {
      await stage.double.people.push(desk.name, { by: 'mara', files: { 'NOTES.md': 'worse still\n' } });
      await desk.say(number, 'mara', '/analyse revert');
      expect(desk.onlyComment(number).body).toContain('@mara');
    }
    const [kept, deleted] = shops.map(({ desk, number }) => ({ desk, number, comment: desk.onlyComment(number) }));
    if (kept === undefined || deleted === undefined) throw new Error('two shops');
    stage.double.people.deleteComment(deleted.desk.name, deleted.comment.id, 'mara');
    await stage.rest();
    await erase();
    await stage.rest();
    const { body } = kept.desk.onlyComment(kept.number);
    expect(body).not.toMatch(/mara|ghost/);
    expect(body).toContain("GitHub couldn't revert it");
    expect(deleted.desk.comments(deleted.number)).toEqual([]);
  });

  it('is named no more by the draft, open or merged', async () => {
    const shops = await Promise.all(['corner/erased-open', 'corner/erased-merged'].map((name) => brokenShop(name)));
    for (const { desk, sha } of shops) await desk.press(sha, 'mara', 'open_revert');
    const [open, merged] = shops;
    await stage.double.people.merge(merged?.desk.name ?? '', merged?.revert().number ?? 0, 'lena');
    await stage.rest();
    await erase();
    await stage.rest();
    for (const shop of [open, merged]) {
      expect(shop?.revert().words.text).not.toMatch(/mara|ghost/);
      expect(shop?.revert().words.text).toContain('GitHub made this revert');
    }
  });
});

describe('while the draft is open', () => {
  it('it is closed with a reason, once, when main is green again, and left alone where it is opened once more', async () => {
    const { desk, sha, revert } = await brokenShop('corner/green');
    await desk.press(sha, 'mara', 'open_revert');
    const mended = await desk.push('main', { files: { 'NOTES.md': 'mended\n' } });
    await desk.run(mended, { test: 'success' });
    const { number, state, words } = revert();
    expect(state).toBe('closed');
    expect(desk.comments(number).map(({ text }) => text)).toEqual([
      expect.stringContaining(`main passes again at ${mended.slice(0, 7)} without this revert, so it is closed.`),
    ]);
    expect(words.text).toContain(`main passes again at ${mended.slice(0, 7)} without this revert`);
    stage.double.people.reopen(desk.name, number, 'mara');
    await stage.rest();
    const later = await desk.push('main', { files: { 'NOTES.md': 'later\n' } });
    await desk.run(later, { test: 'success' });
    expect([revert().state, desk.comments(number).length]).toEqual(['open', 1]);
  });

  it.each(['pushed to', 'made ready'] as const)(
    'it is theirs once it is %s: neither proven nor closed',
    async (how) => {
      const { desk, sha, revert } = await brokenShop(`corner/taken-${how.length}`);
      await desk.press(sha, 'mara', 'open_revert');
      const { number, pull } = revert();
      if (how === 'made ready') stage.double.people.markReady(desk.name, number, 'mara');
      else await desk.push(pull.headRef, { files: { 'MORE.md': 'more\n' } });
      await stage.rest();
      await desk.run(revert().head, { test: 'success' });
      expect(revert().words.text).toContain('others have taken this revert over');
      expect(revert().words.text).not.toContain('Red before');
      const mended = await desk.push('main', { files: { 'NOTES.md': 'mended\n' } });
      await desk.run(mended, { test: 'success' });
      expect([revert().state, desk.comments(number)]).toEqual(['open', []]);
      expect(revert().words.text).toContain('main passes again');
    },
  );

  it('a push to main that is red as well changes nothing, and one that is still running no proof', async () => {
    const { desk, sha, revert } = await brokenShop('corner/more');
    await desk.press(sha, 'mara', 'open_revert');
    const more = await desk.push('main', { files: { 'OTHER.md': 'other\n' } });
    await desk.run(more, { test: COUPONS });
    await desk.run(revert().head, { test: 'success' });
    expect(revert().state).toBe('open');
    expect(revert().words.text).toContain(`test: failed at ${sha.slice(0, 12)} on main, passed here`);
  });

  it('it is left where a person closes it, and can be asked for again; merged, main is green by it', async () => {
    const { desk, sha, reverts } = await brokenShop('corner/closed');
    await desk.press(sha, 'mara', 'open_revert');
    stage.double.people.close(desk.name, reverts()[0]?.number ?? 0, 'mara');
    await stage.rest();
    expect(desk.checkRun(sha).buttons).toContain('Open revert');
    await desk.press(sha, 'mara', 'open_revert');
    expect(reverts().map(({ state }) => state)).toEqual(['closed', 'open']);
    const again = reverts()[1]?.number ?? 0;
    const merged = await stage.double.people.merge(desk.name, again, 'mara');
    await stage.rest();
    expect(desk.checkRun(sha).words).toContain(`was reverted in #${again}`);
    await desk.run(merged, { test: 'success' });
    expect((await desk.failures()).map(({ state }) => state)).toEqual(['closed']);
    expect(desk.comments(again)).toEqual([]);
  });
});
