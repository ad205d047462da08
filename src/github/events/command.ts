// Commands in comments: `/analyse`, with what is to be done or heeded behind it.
import { markLines } from '../report/markdown-lines.ts';

export type Command =
  | { readonly kind: 'analyse'; readonly guidance: string }
  /** Even where the report has not changed. */
  | { readonly kind: 'retry'; readonly guidance: string }
  | { readonly kind: 'fix' }
  | { readonly kind: 'stop' };

const COMMAND = /^ {0,3}\/analy[sz]e(?![\w/-])[ \t]*(.*)$/i;
const GUIDANCE_CHARACTERS = 4_000;

/**
 * The first command of a comment; null where it has none. It begins a line that is neither quoted, nor code, nor inside an HTML comment.
 * Guidance is the rest of that line and what follows it.
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
  const isRetry = /^retry(?!\S)/i.test(words);
  const rest = isRetry ? words.slice('retry'.length) : words;
  const guidance = `${rest.trim()}\n${after}`.trim().slice(0, GUIDANCE_CHARACTERS).toWellFormed();
  return { kind: isRetry ? 'retry' : 'analyse', guidance };
}
