// The rules that others maintain: secretlint's recommended preset, less what is covered better here or would work against us.
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Span } from './spans.ts';

// Its marks are never cleared: 176 for each text, 37 KB that stay (6,000 small texts: 220 MB).
secretLintProfiler.setEnabled(false);

/** Rules of the preset that are off, each with its reason. */
const OFF: Readonly<Record<string, string>> = {
  aws: 'reports a secret key from the start of its name for the length of its value: the tail would leave',
  gcp: 'opens the named file; the keys inside are PEM',
  privatekey: 'needs both markers, one layout and no escapes; private-keys.ts does not',
  basicauth: 'reports the whole address instead of the password',
  'database-connection-string': 'reports the whole address instead of the password',
  sendgrid: 'takes `SG.Config.value` in source code for a key; the table has the real form',
  'filter-comments': 'a comment in the text could switch every rule off',
};

const PREFIX = '@secretlint/secretlint-rule-';
const config = {
  rules: rules
    .filter((rule) => !Object.hasOwn(OFF, rule.meta.id.slice(PREFIX.length)))
    .map((rule) => ({ id: rule.meta.id, rule })),
};

// secretlint compares its findings pairwise, so one text of 60,000 keys would take minutes: bounded pieces, overlapping by more than its longest token.
const PIECE = 24_576;
const OVERLAP = 4_096;

/** What the maintained rules find. */
export async function maintainedSpans(text: string): Promise<Span[]> {
  const spans: Span[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PIECE - OVERLAP) {
    const content = text.slice(from, from + PIECE);
    const { messages } = await lintSource({
      source: { filePath: 'text', ext: '', contentType: 'text', content },
      options: { config, noPhysicFilePath: true },
    });
    for (const { range } of messages) spans.push({ start: from + range[0], end: from + range[1] });
  }
  return spans;
}
