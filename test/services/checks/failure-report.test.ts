// The report of a failure: what is known first, the log's end last, never more than a report may hold.
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/check/head.ts';
import { readLogSections } from '../../../src/core/report/log-part.ts';
import { composeFailureReport, type FailureReport } from '../../../src/services/checks/failure-report.ts';
import { HEAD, pullRequestPlace } from '../../support/head-ground.ts';
import { ON_MAIN } from '../../support/store-samples.ts';

const REPORT_BYTES = 1_024 * 1_024;

const FINDING: Finding = {
  failureId: 'fal_1',
  checks: [
    { name: 'test (20)', runId: 1, url: '', isRed: true },
    { name: 'test (22)', runId: 2, url: '', isRed: true },
    { name: 'test (24)', runId: 3, url: '', isRed: false },
  ],
  verdict: 'code',
  reasons: [{ code: 'green_on_base', check: '' }],
  standing: 'new',
  excerpt: { step: 'pytest', headline: 'KeyError', lines: ['KeyError: 1'], cut: '9 lines', tests: ['test_total'] },
  places: [],
  ...{ investigationId: null, threadId: null, isOwnThread: false, notBegun: null },
};

function report(changes: Partial<FailureReport> = {}): string {
  const annotations = [{ path: 'a.py', line: 3, endLine: 3, level: 'failure', title: 'T', message: 'wrong' }] as const;
  return composeFailureReport({
    ...{ projectName: 'octo/shop', sha: HEAD, place: pullRequestPlace(), finding: FINDING, range: null },
    changed: { paths: ['src/cart.py'], isCut: true },
    check: { name: 'test (20)', output: 'the output', words: { log: 'first\nlast line', noLog: '', annotations } },
    ...changes,
  });
}

describe('the report of a failure', () => {
  it('says what failed where, what is known, then the words of the check, its log last', () => {
    const text = report();
    const order = [
      '2 checks are red of one cause: "test (20)", "test (22)".',
      `Repository octo/shop, commit ${HEAD}, of pull request #5 into "main"`,
      'the change under test breaks it.\n- the same check passes on the base',
      '(step "pytest") ===\nKeyError: 1\n[9 lines]',
      '- test_total',
      '- src/cart.py\n[there are more]',
      'a.py:3: failure: T: wrong',
      'the output',
      'first\nlast line',
    ];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    );
    expect(order.filter((part) => !text.includes(part))).toEqual([]);
    expect(text.endsWith('last line')).toBe(true);
  });

  it('is found again in what its log says first, and in its failed tests', () => {
    expect(readLogSections(report())).toEqual({ lines: ['KeyError: 1', '[9 lines]'], tests: ['test_total'] });
    expect(readLogSections('It broke.')).toEqual({ lines: [], tests: [] });
  });

  it('names the commits since it was last green', () => {
    const commits = [{ sha: HEAD, author: 'mona', subject: 'Break it' }];
    const text = report({ place: ON_MAIN, range: { from: 'a'.repeat(40), to: HEAD, total: 3, commits } });
    expect(text).toContain(`3 between them:\n- ${HEAD} mona: Break it\n[2 more]`);
    expect(text).toContain('on the default branch "main"');
  });

  it('says why there is no log', () => {
    const words = { log: '', noLog: 'GitHub has no log of it any more.', annotations: [] };
    expect(report({ check: { name: 'x', output: '', words } })).toContain(
      '[There is no log: GitHub has no log of it any more.]',
    );
  });

  it('keeps the beginning and the end of a log that is too long, and the parts before it in bounds', () => {
    const annotation = {
      path: 'a.py',
      line: 3,
      endLine: 3,
      level: 'failure',
      title: '',
      message: 'ä'.repeat(300),
    } as const;
    const annotations = Array.from({ length: 2_000 }, () => annotation);
    const log = `${'é line of a log\n'.repeat(300_000)}the end`;
    const checks = Array.from({ length: 2_000 }, (_, i) => ({
      name: `${i} ${'x'.repeat(250)}`,
      runId: i,
      url: '',
      isRed: true,
    }));
    const paths = Array.from({ length: 5_000 }, (_, i) => `${'p'.repeat(300)}${i}`);
    const text = report({
      finding: { ...FINDING, checks },
      changed: { paths, isCut: false },
      check: { name: 'x', output: 'ö'.repeat(500_000), words: { log, noLog: '', annotations } },
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(REPORT_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(REPORT_BYTES - 100_000);
    expect(text.endsWith('\nthe end\n')).toBe(true);
    expect(text).toMatch(/\n… \d+ lines cut \(101–\d+\)\n/);
    expect(text).not.toContain('\ufffd');
  });
});
