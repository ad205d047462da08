import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisSession } from '../../src/terminal/analyse.ts';
import { demo } from '../../src/terminal/demo.ts';
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
  it('is what its series of commits gives, commit for commit', () => {
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

describe('demo', () => {
  it('shows the report, investigates it, and says how to go on', async () => {
    const io = scriptedTerminal();
    const reports: { text: string; revision: string }[] = [];
    const session: AnalysisSession = {
      start: async (report) => {
        reports.push(report);
        return 'inv_1';
      },
      follow: async function* () {
        const outcome = { state: 'concluded', issueId: 'iss_1' } as const;
        const ids = { id: 'inv_1', runId: 'run_1', accountId: 'acc_1', projectId: 'prj_1' };
        const rest = { origin: 'cli', reference: '', progress: { step: 0, action: '' }, createdAt: '' } as const;
        yield { type: 'end', investigation: { ...ids, ...rest, outcome } };
      },
      issue: async () => sampleIssue(),
      patch: async () => '',
      [Symbol.asyncDispose]: async () => {},
    };
    const deps = {
      open: async () => session,
      writeFile: async () => {},
      now: () => new Date(0),
      demo: { source: { kind: 'path', path: '/somewhere' } as const, report: REPORT },
      launcher: { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' },
    };
    const command = { kind: 'demo', json: true, patchFile: null } as const;
    expect(await demo(command, io, deps, new AbortController().signal)).toBe(0);
    expect(reports).toEqual([{ text: REPORT, revision: '' }]);
    expect(JSON.parse(io.printed.out)).toEqual(sampleIssue());
    expect(io.printed.err).toContain('\n  | The shop goes down since we updated to 1.3.0\n  |\n');
    expect(io.printed.err).toMatch(/cd YOUR-REPOSITORY && \/srv\/causeway\/bin\/causeway analyse "[^"]+"\n$/);
  });
});
