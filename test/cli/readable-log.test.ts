import { expect, it } from 'vitest';
import { readableLog } from '../../src/cli/terminal.ts';
import { createLog } from '../../src/log.ts';

function printed(write: (log: ReturnType<typeof createLog>) => void, colour = false): string {
  const parts: string[] = [];
  write(createLog({ level: 'info', destination: readableLog((part) => void parts.push(part), colour) }));
  return parts.join('');
}

it('shows a line of the log as time, level, message and details, with a fault and its stack below', () => {
  const text = printed((log) => {
    log.info({ job: 'job_1', ids: [], run: null, ms: 458, reason: 'two words' }, 'job done');
    log.error({ err: new Error('no such file') }, 'cannot read');
  });
  const [first, second, ...stack] = text.split('\n');
  expect(first).toMatch(/^\d\d:\d\d:\d\d info {2}job done job=job_1 ms=458 reason="two words"$/);
  expect(second).toMatch(/^\d\d:\d\d:\d\d error cannot read$/);
  expect(stack[0]).toBe('    Error: no such file');
  expect(stack[1]).toMatch(/^ {8}at /);
});

it('lets nothing in a line move the cursor or hide a token', () => {
  const token = ['gh', 'p_', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('');
  const text = printed((log) => log.warn({ url: '\u001b[2Jhttp://x', token: 'short' }, `said ${token}\r\u001b[1A`));
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain(token);
  expect(text).toContain('[redacted]');
});
