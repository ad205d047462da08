// The guards on the change, against edits in disguise.

import type { FileChange } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { guardChange } from '../../src/investigate/guard-change.ts';
import { BASE, FIXED, OPEN_GROUND } from './conclusion-samples.ts';

function added(path: string, after = 'x\n'): FileChange {
  return { kind: 'added', path, mode: '100644', after };
}

function modified(path: string, before: string, after: string): FileChange {
  return { kind: 'modified', path, before, after };
}

function guard(files: readonly FileChange[], ground: Partial<typeof OPEN_GROUND> = {}) {
  return guardChange({ base: BASE, files }, { ...OPEN_GROUND, ...ground });
}

describe('an ordinary change', () => {
  it('passes as it is', async () => {
    const files = [
      FIXED,
      added('src/no-coupon.ts'),
      added('test/coupons.test.ts', "it('x', () => expect(1).toBe(1));\n"),
      added('.env.example'),
      added('docs/github/owners.md'),
      added('src/environment.ts'),
      added('src/contest/latest.py', 'assert x\n'),
      added('scripts/release.js'),
      added('tools/report.py'),
      added('bin/command.mjs'),
      added('src/ci/parse-log.ts'),
      added('lib/pipelines/stages.yml'),
      added('test/jenkins/reader.groovy'),
      added('.changeset/brave-cats-run.md'),
      added('docs/openhands.md'),
      added('src/project.ts'),
    ];
    expect(await guard(files)).toEqual({ allowed: { base: BASE, files }, blocked: [], guards: [], verdict: 'clean' });
  });

  it('that changes nothing has no guards', async () => {
    expect(await guard([modified('CODEOWNERS', 'x', 'x')])).toMatchObject({ guards: [], verdict: 'clean' });
  });
});

describe('never', () => {
  it.each([
    ['.github/workflows/ci.yml', 'never/repository-settings'],
    ['.GitHub/Workflows/CI.yml', 'never/repository-settings'],
    ['.git\u200bhub/workflows/x.yml', 'never/repository-settings'],
    ['．github/workflows/x.yml', 'never/repository-settings'],
    ['.github./x', 'never/repository-settings'],
    ['sub/.github/actions/a/action.yml', 'never/repository-settings'],
    ['CODEOWNERS', 'never/code-owners'],
    ['docs/CodeOwners', 'never/code-owners'],
    ['.github/CODEOWNERS', 'never/code-owners'],
    ['CODEOWNERS\ufeff', 'never/code-owners'],
    ['AGENTS.md', 'never/agent-instructions'],
    ['packages/a/claude.md', 'never/agent-instructions'],
    ['CLAUDE.local.md', 'never/agent-instructions'],
    ['.cursor/rules/x.mdc', 'never/agent-instructions'],
    ['.cursorrules', 'never/agent-instructions'],
    ['.github/copilot-instructions.md', 'never/agent-instructions'],
    ['.mcp.json', 'never/agent-instructions'],
    ['.gitattributes', 'never/git-configuration'],
    ['.gitmodules', 'never/git-configuration'],
    ['.gitlab-ci.yml', 'never/ci-configuration'],
    ['.circleci/config.yml', 'never/ci-configuration'],
    ['Jenkinsfile.release', 'never/ci-configuration'],
    ['azure-pipelines.yml', 'never/ci-configuration'],
    ['action.yml', 'never/ci-configuration'],
    ['.env', 'never/secret'],
    ['app/.env.production', 'never/secret'],
    ['deploy/id_rsa', 'never/secret'],
    ['certs/server.pem', 'never/secret'],
    ['../x', 'never/path'],
    ['/etc/x', 'never/path'],
    ['.git/config', 'never/path'],
    ['.GIT/hooks/x', 'never/path'],
    ['.git\u200c/x', 'never/path'],
    ['a/.git./b', 'never/path'],
    ['C:\\x', 'never/path'],
    ['a\0b', 'never/path'],
    ['x'.repeat(5_000), 'never/path'],
    ['src/link', 'never/link'],
    ['src/link/x', 'never/link'],
    ['vendor/lib/x.c', 'never/link'],
    ['SRC/Coupons.js', 'never/twin'],
    ['src', 'never/twin'],
  ])('%j: %s', async (path, rule) => {
    const change = added(path);
    const { allowed, blocked, guards, verdict } = await guard([change, FIXED]);
    expect({ verdict, rules: guards.map((one) => one.rule) }).toEqual({ verdict: 'blocked', rules: [rule] });
    expect(allowed.files).toEqual([FIXED]);
    expect(blocked).toEqual([{ change, guard: guards[0] }]);
  });

  it.each<[string, FileChange]>([
    [
      'renamed into',
      { kind: 'renamed', previousPath: 'docs/x.yml', path: '.github/workflows/x.yml', before: 'a', after: 'a' },
    ],
    [
      'renamed away',
      { kind: 'renamed', previousPath: '.github/workflows/x.yml', path: 'docs/x.yml', before: 'a', after: 'a' },
    ],
    ['deleted', { kind: 'deleted', path: '.github/workflows/x.yml', before: 'a' }],
    ['made executable', { kind: 'modified', path: '.github/workflows/x.yml', before: 'a', after: 'a', mode: '100755' }],
  ])('a workflow %s', async (_, change) => {
    expect(await guard([change])).toMatchObject({ allowed: { files: [] }, verdict: 'blocked' });
  });

  it('the same file twice, and content that is not text', async () => {
    expect((await guard([FIXED, FIXED])).guards).toMatchObject([{ rule: 'never/path' }]);
    expect((await guard([added('a.bin', 'x\0y')])).guards).toMatchObject([{ rule: 'never/content' }]);
  });

  it('more than any fix needs: 5,000 files, 100 MB', async () => {
    const files = Array.from({ length: 5_000 }, (_, index) => added(`src/${index}.ts`));
    expect(await guard(files)).toMatchObject({ allowed: { files: [] }, guards: [{ rule: 'never/size' }] });
    expect(await guard([added('src/big.ts', 'x'.repeat(100_000_000))])).toMatchObject({
      guards: [{ rule: 'never/size' }],
    });
  });

  it('a name that git needs in an empty folder is no configuration', async () => {
    expect(await guard([added('data/.gitkeep', '')])).toMatchObject({ verdict: 'clean' });
  });
});

describe('a part of the change that touches a secret', () => {
  const redact = async (text: string): Promise<string> => text.replace(/hunter\d\n?(?:more\n)?/g, '[redacted]\n');
  const lines = (...text: string[]): string => `${text.join('\n')}\n`;

  it('is withheld, and the rest stays', async () => {
    const change = modified(
      'src/a.ts',
      lines('one', 'x', 'x', 'key = hunter2', 'end'),
      lines('ONE', 'x', 'x', 'key = hunter3', 'end'),
    );
    const { allowed, guards, verdict } = await guard([change], { redact });
    expect(allowed.files).toMatchObject([{ after: lines('ONE', 'x', 'x', 'key = hunter2', 'end') }]);
    expect({ rules: guards.map(({ rule }) => rule), verdict }).toEqual({ rules: ['never/secret'], verdict: 'blocked' });
  });

  it('is withheld where the mark of the redaction would replace the secret', async () => {
    const change = modified('src/a.ts', 'key = k()\n', 'key = "[redacted]"\n');
    expect(await guard([change], { redact })).toMatchObject({ allowed: { files: [] }, verdict: 'blocked' });
  });

  it('is withheld where a secret runs over several lines', async () => {
    const change = modified('src/a.ts', lines('hunter2', 'more', 'end'), lines('hunter2', 'LESS', 'end'));
    expect((await guard([change], { redact })).allowed.files).toEqual([]);
  });

  it('takes a whole file with it that is new or gone', async () => {
    const { allowed } = await guard(
      [added('a.ts', 'hunter2\n'), { kind: 'deleted', path: 'b.ts', before: 'hunter2\n' }],
      { redact },
    );
    expect(allowed.files).toEqual([]);
  });

  it('is not withheld where the secret is elsewhere in the file', async () => {
    const change = modified('src/a.ts', lines('hunter2', 'x', 'end'), lines('hunter2', 'y', 'end'));
    expect(await guard([change], { redact })).toMatchObject({ allowed: { files: [change] }, verdict: 'clean' });
  });
});

describe('only after a person has seen it', () => {
  it.each([
    ['package.json', 'person/manifest'],
    ['packages/a/Cargo.toml', 'person/manifest'],
    ['requirements-dev.txt', 'person/manifest'],
    ['pom.xml', 'person/manifest'],
    ['package-lock.json', 'person/lock-file'],
    ['go.sum', 'person/lock-file'],
    ['poetry.lock', 'person/lock-file'],
    ['Makefile', 'person/build-set-up'],
    ['setup.py', 'person/build-set-up'],
    ['build.rs', 'person/build-set-up'],
    ['tests/conftest.py', 'person/build-set-up'],
    ['docker/Dockerfile.dev', 'person/build-set-up'],
    ['vitest.config.ts', 'person/build-set-up'],
    ['scripts/release.sh', 'person/build-set-up'],
    ['.npmrc', 'person/package-source'],
    ['.cargo/config.toml', 'person/package-source'],
    ['.husky/pre-commit', 'person/hooks'],
    ['.vscode/tasks.json', 'person/hooks'],
  ])('%s: %s', async (path, rule) => {
    const { allowed, guards, verdict } = await guard([modified(path, 'a\n', 'b\n')]);
    expect({ verdict, rules: guards.map((one) => one.rule) }).toEqual({ verdict: 'needs_person', rules: [rule] });
    expect(allowed.files).toHaveLength(1);
  });

  it('a file that no longer parses', async () => {
    const asked: unknown[] = [];
    const stillParses = async (...given: unknown[]): Promise<boolean> => {
      asked.push(given);
      return false;
    };
    expect(
      (await guard([FIXED, { kind: 'deleted', path: 'src/old.js', before: 'x' }], { isParsable: stillParses })).guards,
    ).toMatchObject([{ rule: 'person/does-not-parse', file: 'src/coupons.js' }]);
    expect(asked).toHaveLength(1);
  });

  it('more than 20 files, or more than 2,000 lines', async () => {
    const files = Array.from({ length: 20 }, (_, index) => added(`src/${index}.ts`));
    expect((await guard(files)).verdict).toBe('clean');
    expect((await guard([...files, added('src/more.ts')])).guards).toMatchObject([{ rule: 'person/large' }]);
    expect((await guard([added('src/a.ts', 'x\n'.repeat(2_000))])).verdict).toBe('clean');
    expect((await guard([added('src/a.ts', 'x\n'.repeat(2_001))])).guards).toMatchObject([{ rule: 'person/large' }]);
  });
});

describe('tests that are made to prove less', () => {
  it.each<[string, FileChange, string]>([
    ['deleted', { kind: 'deleted', path: 'test/a.test.ts', before: 'x' }, 'person/tests-deleted'],
    [
      'moved out of the tests',
      { kind: 'renamed', previousPath: 'tests/test_a.py', path: 'old/a.py', before: 'x', after: 'x' },
      'person/tests-deleted',
    ],
    [
      'skipped (vitest)',
      modified('a.test.ts', "it('a', f);\nx\n", "it('a', f);\nx\ndescribe.skip('b', f);\n"),
      'person/tests-skipped',
    ],
    ['skipped by a computed name', modified('a.test.ts', 'x\n', "x\nit['skip']('b', f);\n"), 'person/tests-skipped'],
    ['skipped by only', added('b.test.ts', "it.only('b', f);\n"), 'person/tests-skipped'],
    ['skipped by an option', modified('a.test.mjs', 'x\n', 'x\nconst o = { skip: true };\n'), 'person/tests-skipped'],
    [
      'skipped (pytest)',
      modified('tests/test_a.py', 'def test_a():\n', '@pytest.mark.xfail\ndef test_a():\n'),
      'person/tests-skipped',
    ],
    ['skipped (go)', modified('a_test.go', 'x\n', 'x\n\tt.Skip("later")\n'), 'person/tests-skipped'],
    [
      'skipped (rust, beside the code)',
      modified('src/lib.rs', '#[test]\n', '#[test]\n#[ignore]\n'),
      'person/tests-skipped',
    ],
    ['skipped (junit)', modified('src/test/java/ATest.java', 'x\n', '@Disabled\nx\n'), 'person/tests-skipped'],
    ['skipped (rspec)', modified('spec/a_spec.rb', 'x\n', "x\nskip 'later'\n"), 'person/tests-skipped'],
    ['skipped by an end', modified('test/a.py', 'x\n', 'import sys\nsys.exit(0)\nx\n'), 'person/tests-skipped'],
    ['skipped by a dead branch', modified('test/a.ts', 'x\n', 'if (false) {\nx\n}\n'), 'person/tests-skipped'],
    ['without an expectation', modified('test/a.ts', 'expect(a).toBe(1);\nb();\n', 'b();\n'), 'person/tests-loosened'],
    [
      'with a looser expectation',
      modified('test/a.ts', 'expect(a).toBe(1);\n', 'expect(a).toBeTruthy();\n'),
      'person/tests-loosened',
    ],
    [
      'with an expectation as a comment',
      modified('test/a.py', 'assert a == 1\n', '# assert a == 1\n'),
      'person/tests-loosened',
    ],
    ['without a case', modified('a_test.go', 'func TestA(t *testing.T) {\n}\n', '\n'), 'person/tests-loosened'],
    ['without a case beside the code', modified('src/lib.rs', '#[test]\nfn a() {}\n', '\n'), 'person/tests-loosened'],
    ['against other data', modified('test/__snapshots__/a.snap', 'x\n', 'y\n'), 'person/tests-loosened'],
  ])('%s', async (_, change, rule) => {
    const { guards, verdict } = await guard([change]);
    expect(guards.map((one) => one.rule)).toContain(rule);
    expect(verdict).toBe('needs_person');
  });

  it.each<[string, FileChange]>([
    ['an added case', modified('test/a.ts', "it('a', f);\n", "it('a', f);\nit('b', () => expect(2).toBe(2));\n")],
    [
      'an expectation that is indented anew',
      modified('test/a.ts', 'expect(a).toBe(1);\n', 'for (;;) {\n  expect(a).toBe(1);\n}\n'),
    ],
    ['an assertion in the product itself', modified('src/a.py', 'assert x\n', 'if not x: raise E\n')],
    ['a pagination in the product', modified('src/a.rb', 'x\n', 'skip 3\n')],
  ])('%s is no such thing', async (_, change) => {
    expect((await guard([change])).guards).toEqual([]);
  });
});
