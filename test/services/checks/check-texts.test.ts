// The texts of checks as they are read: redacted whole, cut for a report, and no address that grants access.
import { describe, expect, it } from 'vitest';
import {
  type CleanTexts,
  REPORT_LOG_BYTES,
  readCheckTexts,
  shortenForReport,
  stripAddress,
} from '../../../src/services/checks/check-texts.ts';
import { headGround } from '../../support/head-ground.ts';

it('redacts log, output, annotations and the reason for a missing log', async () => {
  await using at = await headGround();
  const secret = 'hunter2-hunter2';
  const annotation = { path: 'a', line: 1, endLine: 1, level: 'failure', title: secret, message: secret } as const;
  const words = { noLog: secret, annotations: [annotation] };
  const check = at.run('test', 'red', { title: secret, summary: 's', text: secret, log: `a ${secret}\nb`, words });
  const { deps: services, project } = at;
  expect(await readCheckTexts({ services, project, signal: new AbortController().signal }, check)).toEqual({
    output: '[redacted]\ns\n[redacted]',
    words: {
      log: 'a [redacted]\nb',
      noLog: '[redacted]',
      annotations: [{ ...annotation, title: '[redacted]', message: '[redacted]' }],
    },
  });
});

describe('the log in a report', () => {
  const { signal } = new AbortController();
  const saidOf = (log: string): CleanTexts => ({ output: 'o', words: { log, noLog: '', annotations: [] } });

  it('is whole where it fits', async () => {
    const said = saidOf('x'.repeat(REPORT_LOG_BYTES));
    expect(await shortenForReport(said, signal)).toBe(said);
  });

  it('is cut to what is informative, counted in bytes', async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `größer — ${at} of the shop is built`);
    const said = saidOf([...lines, 'TypeError: no cart', ...lines].join('\n'));
    const { output, words } = await shortenForReport(said, signal);
    expect(Buffer.byteLength(words.log)).toBeLessThanOrEqual(REPORT_LOG_BYTES);
    expect(words.log.startsWith('[Cut from ')).toBe(true);
    expect(words.log).toContain('\nTypeError: no cart\n');
    expect({ output, words: { ...words, log: '' } }).toEqual(saidOf(''));
  });

  it('is not cut for an aborted job', async () => {
    const stopped = AbortSignal.abort(new Error('not wanted'));
    await expect(shortenForReport(saidOf('x\n'.repeat(REPORT_LOG_BYTES)), stopped)).rejects.toThrow('not wanted');
  });
});

it.each([
  ['https://github.com/octo/shop/actions/runs/1/job/2', 'https://github.com/octo/shop/actions/runs/1/job/2'],
  ['https://github.com/octo/shop/runs/1?check_suite_focus=true', 'https://github.com/octo/shop/runs/1'],
  ['https://robot:pass@ci.test:8443/run/7?key=pass#pass', 'https://ci.test:8443/run/7'],
  ['https://pass@ci.test/run/7', 'https://ci.test/run/7'],
  ['https://ci.test/run/7?', 'https://ci.test/run/7'],
  ['https:ci.test/\nrun@7', 'https://ci.test/run@7'],
  ['javascript:alert(1)', ''],
  ['data:text/plain,pass', ''],
  ['not an address', ''],
  ['', ''],
])('the address %j is stored as %j', (url, kept) => {
  expect(stripAddress(url)).toBe(kept);
});
