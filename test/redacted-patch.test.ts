// The marker of redaction and the patch agree: git would not find a redacted line, so it is never context.
import { toUnifiedPatch } from 'causeway-diff';
import { REDACTED } from 'causeway-redact';
import { expect, it } from 'vitest';

it('a patch has no redacted line as context', () => {
  const before = `a\nkey = ${REDACTED}\nb\n`;
  const files = [{ kind: 'modified', path: 'a.txt', before, after: before.replace('b', 'c') }] as const;
  const patch = toUnifiedPatch({ base: 'a'.repeat(40), files });
  expect(patch).toContain('-b\n+c\n');
  expect(patch).not.toContain(REDACTED);
});
