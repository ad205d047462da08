// Which commits count as fixes of which issues, what a fix changed, and reports that give it away.
import { describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { buildCase, type Case, type Fix, findFixes, type ReportText } from '../../src/evaluation/cases.ts';
import { pathProject, SIGNAL, testSource } from '../support/project-source.ts';

const commit = (sha: string, message: string, paths = ['src/a.ts']) => ({ sha, message, paths });

describe('the fix of an issue', () => {
  it.each([
    ['by a keyword', [commit('b', 'Handle it, fixes #3')], [[3, 'b']]],
    ['by a keyword in the body, or with a colon', [commit('b', 'Handle it\n\nCloses: #3')], [[3, 'b']]],
    ['by a mention, where it is known to be an issue', [commit('b', 'Handle it (see #3)')], [[3, 'b']]],
    ['not by a number that is no issue', [commit('b', 'Handle it (#99)')], []],
    ['not by a commit of tests or documents', [commit('b', 'fixes #3', ['test/a.test.ts', 'README.md'])], []],
    [
      'the earliest that closes it, though an earlier one names it',
      [commit('d', 'fixes #3 again'), commit('c', 'fixes #3'), commit('b', 'First try for #3')],
      [[3, 'c']],
    ],
    [
      'newest first',
      [commit('c', 'fix #4'), commit('b', 'fix #3')],
      [
        [4, 'c'],
        [3, 'b'],
      ],
    ],
  ])('%s', (_, commits, found) => {
    const fixes = findFixes(commits, (number) => number < 10);
    expect(fixes.map(({ issue, sha }) => [issue, sha])).toEqual(found);
  });

  it('needs a keyword where the issues are not known, and knows the pull request of a squash', () => {
    const commits = [commit('c', 'See #3 (#12)'), commit('b', 'Handle it, fixes #3 (#11)')];
    expect(findFixes(commits, null)).toEqual([{ issue: 3, sha: 'b', pullRequest: 11, earlier: 0 }]);
  });
});

const CART =
  'export class Cart {\n  total() {\n    return this.sum - this.coupon.amount;\n  }\n\n  clear() {\n    this.sum = 0;\n  }\n}\n';
const NEW_LINE = '    if (this.coupon === undefined) return this.sum;';
const FIXED = CART.replace('  total() {\n', `  total() {\n${NEW_LINE}\n    this.check();\n`);

async function build(
  made: GitRepository,
  fix: Partial<Fix> & { readonly sha: string },
  text: Partial<ReportText> = {},
) {
  await using opened = testSource();
  const repository = await opened.source.open(pathProject(made.path), SIGNAL);
  const whole = { issue: 3, pullRequest: null, earlier: 0, ...fix };
  return await buildCase(repository, whole, { title: 'It breaks', body: '', isSubject: false, ...text }, SIGNAL);
}

describe('a case', () => {
  it('stands at the commit before the fix, with the lines and functions that the fix changed', async () => {
    await using made = await gitRepository();
    const base = await made.commit({ 'src/cart.js': CART, 'test/cart.test.js': 'old\n' }, 'Begin');
    const fix = await made.commit(
      { 'src/cart.js': FIXED, 'test/cart.test.js': 'new\n', 'src/new.js': 'x\n' },
      'fixes #3',
    );
    const truth = [
      { path: 'src/cart.js', lines: [{ from: 2, to: 3 }], functions: [{ name: 'Cart.total', from: 2, to: 4 }] },
    ];
    expect(await build(made, { sha: fix })).toEqual({
      ...{ name: '#3', title: 'It breaks', report: 'It breaks', base, fix, truth, leaks: [] },
    });
  });

  it('counts what is put between two functions to neither', async () => {
    await using made = await gitRepository();
    await made.commit({ 'src/cart.js': CART }, 'Begin');
    const more = CART.replace('  clear() {', '  count() {\n    return 0;\n  }\n\n  clear() {');
    const fix = await made.commit({ 'src/cart.js': more }, 'fixes #3');
    expect(await build(made, { sha: fix })).toMatchObject({ truth: [{ functions: [] }] });
  });

  it('of a pull request that was rebased begins before its first commit', async () => {
    await using made = await gitRepository();
    const base = await made.commit({ 'src/cart.js': CART }, 'Begin');
    await made.commit({ 'src/cart.js': `${CART}// one\n` }, 'First half');
    const fix = await made.commit({ 'src/cart.js': FIXED }, 'Second half');
    expect(await build(made, { sha: fix, earlier: 1 })).toMatchObject({ base, fix });
  });

  it('is none where the fix changed only tests and new files', async () => {
    await using made = await gitRepository();
    await made.commit({ 'src/cart.js': CART }, 'Begin');
    const fix = await made.commit({ 'src/other.js': 'x\n', 'src/cart.test.js': 'y\n' }, 'fixes #3');
    expect(await build(made, { sha: fix })).toBe('no_source_changed');
  });

  it.each<[string, (fix: string) => Partial<ReportText>, readonly string[]]>([
    ['a plain report', () => ({ body: 'At 12:30 the total of order 1234567 is wrong, as in #11 and 0.8.1' }), []],
    ['the fixing commit', (fix) => ({ body: `Fixed in ${fix.slice(0, 9)}` }), ['names_commit']],
    ['its pull request', () => ({ body: 'See https://github.com/octo/shop/pull/12' }), ['names_pull_request']],
    ['a patch', () => ({ body: 'I did\n\n@@ -1,3 +1,4 @@\n-a\n+b' }), ['holds_patch']],
    ['the added lines', () => ({ body: `Maybe:\n${NEW_LINE.trim()}\n  this.check();` }), ['quotes_fix']],
    ['the message of the fix', () => ({ isSubject: true }), ['is_subject']],
  ])('says that its report holds %s', async (_, text, leaks) => {
    await using made = await gitRepository();
    await made.commit({ 'src/cart.js': CART }, 'Begin');
    const fix = await made.commit({ 'src/cart.js': FIXED }, 'fixes #3 (#12)');
    const built = (await build(made, { sha: fix, pullRequest: 12 }, text(fix))) as Case;
    expect(built.leaks).toEqual(leaks);
  });

  it('says that an earlier commit names its issue', async () => {
    await using made = await gitRepository();
    await made.commit({ 'src/cart.js': `${CART}// try\n` }, 'Try something for #3');
    const fix = await made.commit({ 'src/cart.js': FIXED }, 'fixes #3');
    expect(await build(made, { sha: fix })).toMatchObject({ leaks: ['named_in_history'] });
  });
});
