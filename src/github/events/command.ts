// Commands in comments: `/analyse`, or a mention of the App, followed by what to do or what to consider.
import { computeEditDistance } from '../../core/command-words.ts';
import type { Judgement } from '../../core/outcome.ts';
import { MAX_GUIDANCE } from '../../core/report.ts';
import type { AppIdentity } from '../clients/github-clients.ts';
import { formatShown, type MarkedMarkdown, markLines } from '../report/markdown-lines.ts';

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

/** Whether the comment may have one, whatever the App is called. */
export function mayHaveCommand(body: string): boolean {
  return /\/analy[sz]e|@/i.test(body);
}

/**
 * The first command of a comment; null where it has none. It begins a line that is neither quoted, nor code, nor inside
 * an HTML comment. Guidance is the rest of that line and what follows it. `app`: whose mention means a command, too.
 */
export function parseCommand(body: string, app: Pick<AppIdentity, 'slug'>): Command | null {
  return splitAtCommand(markLines(body), app)?.command ?? null;
}

/** The command, and what the comment shows before it. */
export function splitAtCommand(
  { lines }: MarkedMarkdown,
  { slug }: Pick<AppIdentity, 'slug'>,
): { readonly before: string; readonly command: Command } | null {
  for (const [at, { kind, text }] of lines.entries()) {
    const words = kind === 'prose' ? readWords(text, slug) : null;
    if (words === null) continue;
    const after = lines.slice(at + 1).filter((line) => line.kind !== 'quote');
    return {
      before: formatShown({ lines: lines.slice(0, at), leftOut: 0 }),
      command: commandOf(words.trim(), after.map((line) => line.text).join('\n')),
    };
  }
  return null;
}

/** As GitHub writes it: `@slug` or `@slug[bot]`. Not a team, another name, or part of an address. */
const MENTION = /^ {0,3}@([\w-]{1,100})(?:\[bot\])?[,:]?(?:[ \t]+(.*)|[.!?]?)$/is;
/** What people say before what they want, and instead of it. */
const PLEASE = /^please(?!\w)[,:]?[ \t]*/i;
const COURTESY = /^(?:thanks|thank|thx|ty|cheers|great|nice|good|perfect|awesome|cool|wow)(?!\w)/i;

/** What follows the command on its line; null where the line is none. */
function readWords(line: string, slug: string): string | null {
  const command = COMMAND.exec(line)?.[1];
  if (command !== undefined) return command;
  const [, name, rest = ''] = MENTION.exec(line) ?? [];
  if (name?.toLowerCase() !== slug.toLowerCase()) return null;
  const wish = rest.replace(PLEASE, '');
  return COURTESY.test(wish) ? null : wish.replace(/^\/?analy[sz]e(?![\w/-])[ \t]*/i, '');
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
