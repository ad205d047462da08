// What a check says is cleaned whole: a part of a secret that an excerpt would show is one that no rule knows.
import { describe, expect, it } from 'vitest';
import {
  type CleanTexts,
  REPORT_LOG_BYTES,
  readCheckTexts,
  shortenForReport,
} from '../../../src/services/checks/check-texts.ts';
import { headGround } from '../../support/head-ground.ts';

it('cleans log, output, annotations and the reason for no log', async () => {
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

describe('what a report holds of a log', () => {
  const { signal } = new AbortController();
  const saidOf = (log: string): CleanTexts => ({ output: 'o', words: { log, noLog: '', annotations: [] } });

  it('is all of one that has room', async () => {
    const said = saidOf('x'.repeat(REPORT_LOG_BYTES));
    expect(await shortenForReport(said, signal)).toBe(said);
  });

  it('is of a longer one what tells, by its bytes', async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `größer — ${at} of the shop is built`);
    const said = saidOf([...lines, 'TypeError: no cart', ...lines].join('\n'));
    const { output, words } = await shortenForReport(said, signal);
    expect(Buffer.byteLength(words.log)).toBeLessThanOrEqual(REPORT_LOG_BYTES);
    expect(words.log.startsWith('[Cut from ')).toBe(true);
    expect(words.log).toContain('\nTypeError: no cart\n');
    expect({ output, words: { ...words, log: '' } }).toEqual(saidOf(''));
  });

  it('is not made when nobody waits for it', async () => {
    const stopped = AbortSignal.abort(new Error('not wanted'));
    await expect(shortenForReport(saidOf('x\n'.repeat(REPORT_LOG_BYTES)), stopped)).rejects.toThrow('not wanted');
  });
});
