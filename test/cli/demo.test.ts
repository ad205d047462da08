import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnalysisOpener, type AnalysisSession, type DemoParts, runDemo } from '../../src/cli/analyse.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { findReproductionSteps } from '../../src/triage/reproduction.ts';
import { sampleIssue } from '../support/sample-issue.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const BUNDLE = path.join(ROOT, 'demo', 'corner-shop.bundle');
const REPORT = readFileSync(path.join(ROOT, 'demo', 'report.md'), 'utf8');
let folder = '';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'causeway-test-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the repository of the demo', () => {
  it('is rebuilt from its series of commits, commit for commit', () => {
    const rebuilt = path.join(folder, 'rebuilt.bundle');
    execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'build-demo.mjs'), rebuilt]);
    expect(git('bundle', 'list-heads', rebuilt)).toBe(git('bundle', 'list-heads', BUNDLE));
    expect(git('bundle', 'list-heads', BUNDLE)).toMatch(/refs\/tags\/v1\.2\.0\n.*refs\/tags\/v1\.3\.0\n/);
  });

  it('crashes with the very trace of the report at 1.3.0, and not at 1.2.0', () => {
    git('clone', '--quiet', BUNDLE, 'shop');
    const shop = path.join(folder, 'shop');
    const order = '{"items":[],"coupon":"welcome10"}';
    const script = `import { handle } from './src/server.js'; handle('POST', '/checkout', ${order});`;
    const run = () =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: shop, encoding: 'utf8' });
    const { stderr } = run();
    const trace = stderr.replaceAll(shop, '/srv/corner-shop').split('\n');
    const error = trace.findIndex((line) => line.startsWith('TypeError'));
    // Error, the five frames down to the request, and the lines that node shows above.
    expect(REPORT).toContain(trace.slice(0, error + 6).join('\n'));
    git('-C', shop, 'checkout', '--quiet', 'v1.2.0');
    expect(run().status).toBe(0);
  });
});

it('has steps to reproduce that need nothing of the report around them', () => {
  const steps = findReproductionSteps(REPORT).map(({ description }) => description);
  expect(steps).toHaveLength(3);
  expect(steps.at(-1)).toContain('TypeError: Cannot destructure property');
  expect(steps.join('\n')).not.toMatch(/\b(?:below|above)\b/);
});

describe('demo', () => {
  const launcher = { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' };

  /** Plays an investigation that ends with the issue; `started` gets the name of each that begins. */
  function createInvestigator(name: string, issue: Issue, started: string[]): AnalysisOpener {
    const session: AnalysisSession = {
      start: async ({ text }) => {
        started.push(`${name}: ${text === REPORT}`);
        return 'inv_1';
      },
      follow: async function* () {
        const outcome = { state: 'concluded', issueId: 'iss_1' } as const;
        const ids = { id: 'inv_1', runId: 'run_1', accountId: 'acc_1', projectId: 'prj_1' };
        const rest = {
          origin: 'cli',
          reference: '',
          progress: { step: 0, action: '' },
          isTrusted: true,
          createdAt: '',
        } as const;
        yield { type: 'end', investigation: { ...ids, ...rest, outcome } };
      },
      issue: async () => issue,
      troubles: () => [],
      patch: async () => '',
      [Symbol.asyncDispose]: async () => {},
    };
    return { open: async () => session };
  }

  function createParts(started: string[], answer = sampleIssue({}, { outcome: 'code_fix' })): DemoParts {
    return {
      search: createInvestigator('search', sampleIssue(), started),
      answer: createInvestigator('answer', answer, started),
      model: null,
      source: { kind: 'path', path: '/somewhere' },
      report: REPORT,
      launcher,
    };
  }

  const command = { kind: 'demo', json: false, patchFile: null } as const;
  const { signal } = new AbortController();

  it('shows the report, then a search of the source, then the answer of the script, and what to try next', async () => {
    const io = scriptedTerminal();
    const started: string[] = [];
    expect(await runDemo(command, io, createParts(started), signal)).toBe(0);
    expect(started).toEqual(['search: true', 'answer: true']);
    const [facts, answer] = ['Facts only · no model was used', 'Cause and fix'].map((words) =>
      io.printed.out.indexOf(words),
    );
    expect([facts, answer]).toEqual([0, expect.toSatisfy((at) => at > 0)]);
    expect(io.printed.err).toContain('\n  | The shop has gone down since we updated to 1.3.0\n  |\n');
    expect(io.printed.err).toContain('come from a script that ships with Causeway');
    expect(io.printed.err).toMatch(/cd YOUR-REPOSITORY && \/srv\/causeway\/bin\/causeway analyse "[^"]+"\n$/);
  });

  it('with --json prints the one Issue of the second part', async () => {
    const io = scriptedTerminal();
    expect(await runDemo({ ...command, json: true }, io, createParts([]), signal)).toBe(0);
    expect(JSON.parse(io.printed.out).analysis.outcome).toBe('code_fix');
  });

  it('whose model fails ends with the reason and exit 3', async () => {
    const io = scriptedTerminal();
    const refused = sampleIssue({}, { partial: true, reason: 'The model gave no answer: check OPENAI_API_KEY.' });
    expect(await runDemo(command, io, { ...createParts([], refused), model: 'some-model' }, signal)).toBe(3);
    expect(io.printed.err).toContain('2 of 2: with the model some-model\n');
    expect(io.printed.err).toMatch(/\ncauseway: The model gave no answer: check OPENAI_API_KEY\.\n$/);
  });
});
