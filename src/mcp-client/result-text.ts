// A server's result as a finding: text and JSON, cut after whole lines; other content is only named.
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { LookupFinding } from '../core/report/index.ts';

const MAX_NAMED = 10;

const MAX_FAULT_BYTES = 2_000;

/**
 * `isError` is `failed`; no content is `nothing`. At most `maxBytes` of UTF-8, without the note of what was cut;
 * `clean` sees the text before it is cut.
 */
export function toFindingText(
  result: CallToolResult,
  maxBytes: number,
  clean: (text: string) => string,
): LookupFinding {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const structured = formatStructured(result.structuredContent, texts);
  const full = clean([...texts, ...structured].join('\n').toWellFormed());
  const { text, cut } = cutLines(full, result.isError ? Math.min(maxBytes, MAX_FAULT_BYTES) : maxBytes);
  const left = clean(describeLeftOut(result.content));
  if (result.isError)
    return {
      status: 'failed',
      text: full.trim() === '' ? 'the server says no more than that it failed' : `${text}${cut ? ` […] (${cut})` : ''}`,
    };
  if (full.trim() === '') return { status: 'nothing', text: left || 'the server answered without any content' };
  return { status: 'found', text, cut: [cut, left].filter(Boolean).join('; ') };
}

/** Many servers send structured content as text too, for clients that do not know it. */
function formatStructured(structured: unknown, texts: readonly string[]): readonly string[] {
  if (structured === undefined) return [];
  return texts.some((text) => isDeepStrictEqual(parseStructured(text), structured))
    ? []
    : [JSON.stringify(structured, null, 1)];
}

function parseStructured(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeLeftOut(content: readonly ContentBlock[]): string {
  const names = content.flatMap((block) => (block.type === 'text' ? [] : [describeContentBlock(block)]));
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `left out: ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function describeContentBlock(block: Exclude<ContentBlock, { type: 'text' }>): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return `${block.type} (${toPlainLine(block.mimeType, 60)}, ${Math.floor((block.data.length * 3) / 4)} bytes)`;
    case 'resource':
      return `resource ${toPlainLine(block.resource.uri, 200)}`;
    case 'resource_link':
      return `resource ${toPlainLine(block.uri, 200)}`;
  }
}

/**
 * The lines from the beginning that fit, and how much is left out. A single line that is too long is cut after a whole
 * value.
 */
export function cutLines(full: string, maxBytes: number): { readonly text: string; readonly cut: string } {
  const total = Buffer.byteLength(full);
  if (total <= maxBytes) return { text: full, cut: '' };
  const head = takeHead(full, maxBytes);
  const end = head.lastIndexOf('\n');
  const text = end > 0 ? head.slice(0, end) : head.slice(0, findCut(head));
  const [lines, of] = [countResultLines(text), countResultLines(full)];
  const shown = end > 0 ? `the first ${lines} of ${of} lines` : 'the beginning of one long line';
  return {
    text,
    cut: `cut: ${shown} (${Buffer.byteLength(text)} of ${total} bytes); ask for less, such as a shorter range or fewer series`,
  };
}

/** At most `max` bytes from the beginning, in whole characters. */
function takeHead(text: string, max: number): string {
  const bytes = Buffer.from(text.slice(0, max)).subarray(0, max);
  // A character that was cut through is the only one that may be replaced here.
  return bytes.toString('utf8').replace(/\ufffd$/, '');
}

/** After the last whole value: half of a secret is one that no rule knows. */
function findCut(head: string): number {
  return Math.max(...[',', ' ', '\t', ';', '}', ']'].map((end) => head.lastIndexOf(end))) + 1;
}

function countResultLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

/** Invisible characters and terminal commands, except white space. */
const UNSEEN = /(?!\s)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}]/gu;

/** What is looked at for each character that is kept. */
const LOOK_AHEAD = 4;

/** The text on one line without invisible characters, at most `max` UTF-16 units (then ending in `…`). */
export function toPlainLine(text: string, max: number): string {
  const seen = text
    .slice(0, max * LOOK_AHEAD)
    .toWellFormed()
    .replace(UNSEEN, '')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();
  return seen.length > max
    ? `${seen
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trimEnd()}…`
    : seen;
}
