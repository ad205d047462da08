// Commands in comments: `/analyse`, followed by what to do or what to consider.
import { computeEditDistance } from '../../core/command-words.ts';
import type { Judgement } from '../../core/outcome.ts';
import { MAX_GUIDANCE } from '../../core/report.ts';
import { markLines } from '../report/markdown-lines.ts';

export type Command =
  | { readonly kind: 'analyse'; readonly guidance: string }
  /** Even where the report has not changed. */
  | { readonly kind: 'retry'; readonly guidance: string }
  | { readonly kind: 'fix' }
  | { readonly kind: 'stop' }
  /** Says that the answer is right or wrong, and why. */
  | { readonly kind: 'judge'; readonly vote: Judgement; readonly why: string }
  /** One word that is nearly a command: a slip, and no hint worth a paid run. */
  | { readonly kind: 'unclear'; readonly meant: (typeof NAMES)[number] };

const COMMAND = /^ {0,3}\/analy[sz]e(?![\w/-])[ \t]*(.*)$/is;
const WHY_CHARACTERS = 1_000;
/** "right after the login" is a hint. */
const JUDGED = /^(?:right(?=[.,:;!]|$)|wrong(?![\w-]))/i;

/**
 * The first command of a comment; null where it has none. It begins a line that is neither quoted, nor code, nor inside
 * an HTML comment. Guidance is the rest of that line and what follows it.
 */
export function parseCommand(body: string): Command | null {
  return splitAtCommand(body)?.command ?? null;
}

/** The command, and what the comment says before it. */
export function splitAtCommand(body: string): { readonly before: string; readonly command: Command } | null {
  const lines = markLines(body);
  const at = lines.findIndex(({ kind, text }) => kind === 'prose' && COMMAND.test(text));
  if (at === -1) return null;
  const words = COMMAND.exec(lines[at]?.text ?? '')?.[1] ?? '';
  const after = lines.slice(at + 1).filter(({ kind }) => kind !== 'quote');
  const before = lines.slice(0, at).map(({ text }) => text);
  return {
    before: before.join('\n').trim(),
    command: commandOf(words.trim(), after.map(({ text }) => text).join('\n')),
  };
}

function commandOf(words: string, after: string): Command {
  const verb = /^(fix|stop)[.!]?$/i.exec(words)?.[1]?.toLowerCase();
  if (verb === 'fix' || verb === 'stop') return { kind: verb };
  const judged = JUDGED.exec(words)?.[0];
  if (judged !== undefined) {
    const rest = words
      .slice(judged.length)
      .replace(/^[.,:;!]/, '')
      .trim();
    const why = `${rest}\n${after}`.trim().slice(0, WHY_CHARACTERS).toWellFormed();
    return { kind: 'judge', vote: judged.toLowerCase() === 'right' ? 'right' : 'wrong', why };
  }
  const meant = nearlyCommand(words);
  if (meant !== null) return { kind: 'unclear', meant };
  const isRetry = /^retry(?!\S)/i.test(words);
  const rest = isRetry ? words.slice('retry'.length) : words;
  const guidance = `${rest.trim()}\n${after}`.trim().slice(0, MAX_GUIDANCE).toWellFormed();
  return { kind: isRetry ? 'retry' : 'analyse', guidance };
}

const NAMES = ['fix', 'stop', 'retry', 'right', 'wrong'] as const;

/** A slip of one key in a short word, of two in a longer one. */
function nearlyCommand(words: string): Extract<Command, { kind: 'unclear' }>['meant'] | null {
  const word = /^([a-z]{2,8})[.!?]?$/i.exec(words)?.[1]?.toLowerCase();
  if (word === undefined || word === 'retry') return null;
  const [nearest] = NAMES.map((name) => ({ name, distance: computeEditDistance(word, name) })).sort(
    (one, other) => one.distance - other.distance,
  );
  if (nearest === undefined || nearest.distance > (word.length <= 3 ? 1 : 2)) return null;
  return nearest.name;
}
