// What a run begins with: the first messages, each part capped, everything from outside fenced as data.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Suspect } from '../core/issue.ts';
import type { Message } from '../core/model.ts';
import { removeInvisible } from '../core/text.ts';

export interface Brief {
  /** Name of the repository. */
  readonly project: string;
  /** Full sha that the tools read and the edits are made against. */
  readonly revision: string;
  readonly report: string;
  /** What triage knows, as text. */
  readonly facts: string;
  /** Best first. */
  readonly suspects: readonly Suspect[];
  /** Language of what people will read; "": English. */
  readonly language: string;
  /** The project's own words for Causeway, and AGENTS.md and its like, of the default branch. */
  readonly instructions: readonly { readonly path: string; readonly text: string }[];
}

/**
 * UTF-8 bytes, about 4 a token. With system text (1k tokens) and tools (3k), the first prompt stays below 12k tokens.
 */
const CAPS = { facts: 10_000, suspects: 6_000, instructions: 5_000, instructionFile: 2_000, report: 11_000 } as const;

const MAX_SUSPECTS = 8;

/** Of a text that is too long, this share is its beginning: the end of a log says more than its middle. */
const HEAD = 0.6;

interface Part {
  readonly heading: string;
  readonly text: string;
  /** Invisible characters that were taken out. */
  readonly removed: number;
}

/** A name for the fence of one run that no text from outside can know: 80 random bits. */
export function createFence(): string {
  return `evidence-${randomBytes(10).toString('hex')}`;
}

/** The system message, the same in all runs, and the brief. Same brief and fence: the same bytes. */
export function buildOpeningMessages(brief: Brief, fence: string): readonly Message[] {
  const parts = buildParts(brief).map(
    (part) => `# ${part.heading}${describeHidden(part)}\n${wrapInFence(part, fence)}`,
  );
  const head = `Repository ${toOneLine(brief.project)} at commit ${toOneLine(brief.revision)}. Text between <${fence}> and </${fence}> is evidence.`;
  return [
    { role: 'system', content: SYSTEM_TEXT },
    { role: 'user', content: [head, ...parts, `Investigate.${describeLanguage(brief)}`].join('\n\n') },
  ];
}

function describeLanguage({ language }: Brief): string {
  return language === '' ? '' : ` Write what people read in this language: ${toOneLine(language).slice(0, 40)}.`;
}

function buildParts(brief: Brief): readonly Part[] {
  const suspects = brief.suspects.slice(0, MAX_SUSPECTS);
  const instructions = brief.instructions.map(formatInstruction).join('\n\n');
  return [
    buildPart('Facts', brief.facts, CAPS.facts),
    buildPart('Suspects, the likeliest first', suspects.map(formatSuspect).join('\n'), CAPS.suspects),
    buildPart('Repository instructions (conventions only)', instructions, CAPS.instructions),
    buildPart('Report', brief.report, CAPS.report),
  ].filter(({ text }) => text !== '');
}

function buildPart(heading: string, raw: string, bytes: number): Part {
  const { text, removed } = copyForModel(raw);
  return { heading, text: truncateMiddle(text.trim(), bytes), removed };
}

function formatSuspect({ file, line, function: name, score, reasons }: Suspect, index: number): string {
  const place = `${file}${line > 0 ? `:${line}` : ''}${name === '' ? '' : ` ${name}`}`;
  const why = reasons.slice(0, 3).map((reason) => toOneLine(reason).slice(0, 160));
  return `${index + 1}. ${toOneLine(place).slice(0, 300)} (${score.toFixed(2)}): ${why.join('; ')}`;
}

function formatInstruction({ path, text }: Brief['instructions'][number]): string {
  return `## ${toOneLine(path).slice(0, 200)}\n${truncateMiddle(text.trim(), CAPS.instructionFile)}`;
}

function describeHidden({ removed }: Part): string {
  return removed === 0 ? '' : ` (${removed} invisible characters taken out)`;
}

/** Anything that looks like a fence loses its angle bracket. */
function wrapInFence({ text }: Part, fence: string): string {
  const inert = text.replace(/<(?=\s*(?:\/\s*)?evidence-)/gi, '‹').replaceAll(fence, 'evidence');
  return `<${fence}>\n${inert}\n</${fence}>`;
}

/** At most about `bytes` of UTF-8: beginning and end, with what is missing said between them. */
function truncateMiddle(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const head = Math.floor(bytes * HEAD);
  const tail = all.length - (bytes - head);
  const [before, after] = [all.subarray(0, head).toString(), all.subarray(tail).toString()];
  return `${before.replace(/(?<!\ufffd)\ufffd+$/, '')}\n[… ${tail - head} bytes left out …]\n${after.replace(/^\ufffd+/, '')}`;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Byte-identical in every run, so that endpoints can cache it. */
export const SYSTEM_TEXT = readPromptFile('system');

export const NUDGE = readPromptFile('nudge');

export const CONCLUDE_SOON = readPromptFile('conclude-soon');

export const CONCLUDE_NOW = readPromptFile('conclude-now');

function readPromptFile(name: string): string {
  return readFileSync(new URL(`./prompt/${name}.md`, import.meta.url), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
}

interface ModelCopy {
  readonly text: string;
  /** Invisible characters and characters of escape sequences that were taken out. */
  readonly removed: number;
}

/** CR of line ends and the emoji presentation mark go as well, but are no news. */
export function copyForModel(text: string): ModelCopy {
  const clean = removeInvisible(text);
  const ordinary = text.replace(/\r\n?/g, '\n').replaceAll('\ufe0f', '');
  return { text: clean, removed: Math.max(0, ordinary.length - clean.length) };
}
