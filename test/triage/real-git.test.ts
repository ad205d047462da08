// The same road over real git: what a maintainer reads for a report about a small repository.
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { testLexicons } from '../support/memory-source.ts';
import { pathProject, testSource } from '../support/project-source.ts';

const SIGNAL = new AbortController().signal;

describe('a report about a real repository', () => {
  it('leads through the tagged version to the line that stands there today', async () => {
    await using repo = await gitRepository();
    const cart = 'class Cart:\n    def total(self, items):\n        return sum(self.prices[i] for i in items)\n';
    await repo.commit(
      { 'shop/cart.py': cart, 'shop/__init__.py': '', 'tests/test_cart.py': 'def test_total(): pass\n' },
      'Sum prices',
    );
    repo.tag('v2.1.0');
    await repo.commit({ 'shop/cart.py': `"""The cart."""\n\n${cart}` }, 'Describe the cart');
    await using opened = testSource();
    await using lexicons = testLexicons();
    const facts = await gatherFacts({
      report: `Checkout fails with shop 2.1.0

Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/shop/cart.py", line 3, in total
    return sum(self.prices[i] for i in items)
KeyError: 'apple'
`,
      revision: '',
      repository: await opened.source.open(pathProject(repo.path), SIGNAL),
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    expect(facts.suspects[0]).toMatchObject({ file: 'shop/cart.py', line: 5, function: 'total' });
    expect(facts.examined).toMatchObject({
      code: 'return sum(self.prices[i] for i in items)',
      blame: { subject: 'Sum prices' },
    });
    expect(concludeFromFacts(facts, { seconds: 1 }).rootCause).toContain('Stack frames were read at v2.1.0');
  });

  it('is not placed in the tests that stand in its file, nor said to define them', async () => {
    await using repo = await gitRepository();
    const text = [
      'pub fn ledger_rows(from: u32) -> u32 {',
      '    from + 1',
      '}',
      '',
      '#[cfg(test)]',
      'mod test {',
      '    #[test]',
      '    fn rows_of_the_ledger_agree() {',
      '        assert_eq!(super::ledger_rows(1), 2);',
      '    }',
      '}',
      '',
    ];
    await repo.commit({ 'src/ledger.rs': text.join('\n') }, 'Count rows');
    await using opened = testSource();
    await using lexicons = testLexicons();
    const { suspects } = await gatherFacts({
      report: `Test failures on s390x

\`\`\`
thread 'ledger::test::rows_of_the_ledger_agree' panicked at 'not equal', /usr/share/cargo/registry/quickcheck-0.6.2/src/tester.rs:179:28
\`\`\`
`,
      revision: '',
      repository: await opened.source.open(pathProject(repo.path), SIGNAL),
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    expect(suspects[0]).toMatchObject({ file: 'src/ledger.rs', line: 1, function: 'ledger_rows' });
    expect(suspects[0]?.reasons.join()).not.toContain('`test`');
  });

  it('has places at the version that the report names, which are not called frames', async () => {
    await using repo = await gitRepository();
    await repo.commit({ 'shop/cart.py': 'def total(items):\n    return sum(items)\n' }, 'Sum items');
    repo.tag('v1.0.0');
    await repo.commit({ 'shop/cart.py': '"""Cart."""\n\ndef total(items):\n    return sum(items)\n' }, 'Describe');
    await using opened = testSource();
    await using lexicons = testLexicons();
    const facts = await gatherFacts({
      report: 'The total is wrong\n\nVersion: v1.0.0\n\nSee shop/cart.py:2, which sums them.\n',
      revision: '',
      repository: await opened.source.open(pathProject(repo.path), SIGNAL),
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    const { rootCause } = concludeFromFacts(facts, { seconds: 1 });
    expect(rootCause).toContain('Places in files were read at v1.0.0, which the report names.');
    expect(rootCause).not.toContain('Stack frames');
  });

  it('of which only a partial clone is there is looked into as far as that goes', async () => {
    await using repo = await gitRepository();
    const lines = Array.from({ length: 30 }, (_, at) => `line_${at} = ${at}\n`).join('');
    await repo.commit({ 'cart.py': `${lines}old = 1\n` }, 'Start');
    await repo.commit(
      { 'cart.py': null, 'shop/cart.py': `${lines}def total(prices):\n    return prices['sum']\n` },
      'Move',
    );
    repo.git('config', 'uploadpack.allowFilter', 'true');
    repo.git('clone', '--quiet', '--filter=blob:none', `file://${repo.path}`, '../partial');
    await using opened = testSource();
    await using lexicons = testLexicons();
    const project = pathProject(`${repo.path}/../partial`);
    const facts = await gatherFacts({
      report: 'Traceback (most recent call last):\n  File "shop/cart.py", line 32, in total\nKeyError: \'sum\'\n',
      revision: '',
      repository: await opened.source.open(project, SIGNAL),
      lexicon: lexicons.of(project),
      onStep: async () => {},
      signal: SIGNAL,
    });
    expect(facts.suspects[0]).toMatchObject({ file: 'shop/cart.py', line: 32, function: 'total' });
    const failed = facts.steps.filter(({ result }) => result.startsWith('failed: '));
    expect(failed.map(({ result }) => result).join()).toContain('missing');
  });

  it('finds messages and methods with the expressions that git takes', async () => {
    await using repo = await gitRepository();
    await repo.commit(
      {
        'src/main/java/com/acme/Store.java':
          'package com.acme;\n\npublic class Store {\n  public <T> List<T> openAll(String path) {\n    throw new IllegalStateException("cannot open the ledger " + path);\n  }\n}\n',
        'src/main/java/com/acme/Main.java':
          'package com.acme;\n\nclass Main {\n  void run() { new Store().openAll("x"); }\n}\n',
      },
      'Start',
    );
    await using opened = testSource();
    await using lexicons = testLexicons();
    const facts = await gatherFacts({
      report: 'Start-up fails\n\nWe call `openAll` and get `IllegalStateException: cannot open the ledger "a.txt"`',
      revision: '',
      repository: await opened.source.open(pathProject(repo.path), SIGNAL),
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    expect(facts.suspects[0]).toMatchObject({ file: 'src/main/java/com/acme/Store.java', line: 5 });
    expect(facts.suspects[0]?.reasons.join('; ')).toMatch(
      /contains the error message “cannot open the ledger” at line 5.*defines `openAll`/,
    );
    expect(facts.steps.filter(({ result }) => result.startsWith('failed'))).toEqual([]);
  });
});

describe('the change that brought the line of the first suspect', () => {
  async function stepsOf(commits: readonly Readonly<Record<string, string>>[]) {
    await using repo = await gitRepository();
    for (const files of commits) await repo.commit(files, 'Change');
    await using opened = testSource();
    const report = 'Error: it broke\n    at rate (/srv/src/rate.js:2:3)';
    const repository = await opened.source.open(pathProject(repo.path), SIGNAL);
    await using lexicons = testLexicons();
    const facts = await gatherFacts({
      report,
      revision: '',
      repository,
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    return facts.steps.filter(({ action }) => action.startsWith('compare src/rate.js in commit'));
  }

  it('is shown with what stood there before', async () => {
    const [step, ...more] = await stepsOf([
      { 'src/rate.js': 'function rate(player) {\n  return player.max;\n}\n' },
      { 'src/rate.js': 'function rate(player) {\n  return Math.min(player.max, 96);\n}\n' },
    ]);
    expect(more).toEqual([]);
    expect(step?.result).toContain('-  return player.max;\n+  return Math.min(player.max, 96);');
    expect(step?.analysis).toMatch(/^[0-9a-f]{7} \(2024-01-01\) changed line 2\.$/);
  });

  it('is not shown where the file came with it: nothing stood there before', async () => {
    expect(await stepsOf([{ 'src/rate.js': 'function rate(player) {\n  return player.max;\n}\n' }])).toEqual([]);
  });
});

describe('a history that is cut off', () => {
  it('names nobody for a line that is as old as the first commit known', async () => {
    await using repo = await gitRepository();
    await repo.commit({ 'src/rate.js': 'function rate(player) {\n  return player.max;\n}\n' }, 'Begin');
    await repo.commit({ 'README.md': '# Rates\n' }, 'Say what it is');
    await repo.commit({ 'README.md': '# Rates, shallow\n' }, 'Say more');
    const shallow = `${repo.path}-shallow`;
    repo.git('clone', '--quiet', '--depth', '1', `file://${repo.path}`, shallow);
    await using opened = testSource();
    const repository = await opened.source.open(pathProject(shallow), SIGNAL);
    const report = 'Error: it broke\n    at rate (/srv/src/rate.js:2:3)';
    await using lexicons = testLexicons();
    const { steps } = await gatherFacts({
      report,
      revision: '',
      repository,
      lexicon: lexicons.of(pathProject(repo.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    const blame = steps.find(({ action }) => action.startsWith('blame src/rate.js:2'));
    expect(blame).toMatchObject({
      result: 'nothing found',
      analysis: 'The line is older than the history here, which is cut off (shallow clone).',
    });
    expect(steps.some(({ action }) => action.includes('in commit'))).toBe(false);
  });
});
