// Lines without colours, and without what another program put before each of them.
import { findCodeBlocks } from './code-blocks.ts';

const ANSI = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** Colours as `cat -v` and terminals write them out: `^[[31m`, `␛[31m`. */
const WRITTEN = /(?:\^\[|\u241b)\[[\d;]{0,20}[mKGJ]/g;

/** The text without terminal colours and other escape sequences. */
export function removeAnsi(text: string): string {
  const bare = text.includes('\u001b') ? text.replace(ANSI, '') : text;
  return /\^\[|\u241b/.test(bare) ? bare.replace(WRITTEN, '') : bare;
}

const JOURNAL_TIME = '[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d';

const ISO_STAMP = '\\d{4}-\\d\\d-\\d\\dT[\\d:.,]{8,18}(?:Z|[+-]\\d\\d:?\\d\\d)';

/** Test runners and loggers write tables of these. */
const STATE = '(?:PASS|FAIL|OK|ERR|WARN|INFO|DEBUG|TRACE|NOTE|FATAL)[A-Z]{0,6} ';

const PREFIX = new RegExp(
  `^(?:${[
    `(?:${JOURNAL_TIME}|${ISO_STAMP}) [\\w.-]{1,100} [\\w./@-]{1,100}\\[\\d{1,10}\\]:`,
    JOURNAL_TIME,
    `(?:${ISO_STAMP} )?(?!${STATE})[A-Za-z][\\w.-]{0,60} {1,40}\\|`,
    '\\[[a-z][\\w.-]{0,100}(?:/[\\w.-]{1,100}){1,3}\\]',
  ].join('|')})(?: |$)`,
);

/** No prefix is longer. */
const MAX_PREFIX = 400;

/** Share of the lines from the first one with a prefix to the last. */
const LEAST_SHARE = 0.9;

/** A table has another name on each line. */
const LINES_PER_NAME = 3;

/**
 * The lines without what another program put before each of them, colours included, where (nearly) all from the first
 * such line to the last have it; else as they are. Each code block has its own.
 */
export function removePrefixes(lines: readonly string[]): readonly string[] {
  const blocks = findCodeBlocks(lines);
  const outside = [...lines];
  for (const { from, to } of blocks) outside.fill('', from, to);
  const bare = [...removePrefix(outside)];
  for (const { from, to } of blocks)
    for (const [at, line] of removePrefix(lines.slice(from, to)).entries()) bare[from + at] = line;
  return bare;
}

/**
 * The lines of one log without what another program put before each of them, as `removePrefixes` does it for a text with
 * code blocks.
 */
export function removePrefix(lines: readonly string[]): readonly string[] {
  const prefixes = lines.map(findPrefix);
  const found = prefixes.filter((prefix) => prefix !== '');
  if (found.length === 0) return lines;
  const from = prefixes.findIndex((prefix) => prefix !== '');
  const to = prefixes.findLastIndex((prefix) => prefix !== '') + 1;
  const written = lines.slice(from, to).filter((line) => line.trim() !== '');
  const names = new Set(found.map((prefix) => prefix.replace(/\d+/g, '0')));
  if (found.length < written.length * LEAST_SHARE || found.length < names.size * LINES_PER_NAME) return lines;
  return lines.map((line, at) => {
    const prefix = prefixes[at] ?? '';
    return prefix === ''
      ? line
      : removeAnsi(line)
          .replace(/^\uFEFF/, '')
          .slice(prefix.length);
  });
}

function findPrefix(line: string): string {
  return PREFIX.exec(removeAnsi(line.slice(0, MAX_PREFIX)).replace(/^\uFEFF/, ''))?.[0] ?? '';
}
