// Commands in comments: `/analyse`, or a mention of the App, followed by what to do or what to consider.
import { computeEditDistance } from '../../core/command-words.ts';
import type { AnswerJudgement } from '../../core/outcome/index.ts';
import { MAX_GUIDANCE } from '../../core/report/index.ts';
import { COMMAND_NAMES, type CommandName } from '../../core/thread/index.ts';
import type { AppIdentity } from '../clients/index.ts';
import { type KnownCommand, readKnownCommand } from './known-command.ts';
import { formatShown, type MarkedMarkdown, markLines } from './markdown-lines.ts';
import { readQuotedText } from './quoted-text.ts';

export type CommentCommand =
  | { readonly kind: 'analyse'; readonly guidance: string }
  /** Even where the report has not changed. */
  | { readonly kind: 'retry'; readonly guidance: string }
  | { readonly kind: 'fix' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'help' }
  | KnownCommand
  /** Of the commit that broke the default branch. */
  | { readonly kind: 'revert' }
  /** Of a pull request that is not ours: whether its tests fail without its change. */
  | { readonly kind: 'prove' }
  /** Says that the answer is right or wrong, and why. */
  | { readonly kind: 'judge'; readonly vote: AnswerJudgement; readonly why: string }
  /** Runs failed jobs of the pull request once more. */
  | { readonly kind: 'rerun' }
  /**
   * Says whether failures are the change's, and why. `named`: what was quoted first, perhaps the name of a check; `rest`:
   * what follows it. Null: nothing was.
   */
  | {
      readonly kind: 'override';
      readonly whose: 'mine' | 'not_mine';
      readonly why: string;
      readonly quoted: QuotedName | null;
    }
  /** Neither a command nor a hint worth a paid run. `meant`: the command that it nearly is; null: none. */
  | { readonly kind: 'unclear'; readonly meant: CommandName | null };

const COMMAND = /^ {0,3}\/analy[sz]e(?![\w/-])[ \t]*(.*)$/is;
const WHY_CHARACTERS = 1_000;

/** Whether the comment may have one, whatever the App is called. */
export function mayHaveCommand(body: string): boolean {
  return /\/analy[sz]e|@/i.test(body);
}

/**
 * The first command of a comment; null where it has none. It begins a line that is neither quoted, nor code, nor inside
 * an HTML comment. Guidance is the rest of that line and what follows it. `app`: whose mention means a command, too.
 */
export function parseCommand(body: string, app: Pick<AppIdentity, 'slug'>): CommentCommand | null {
  return splitAtCommand(markLines(body), app)?.command ?? null;
}

/** The command, and what the comment shows before it. */
export function splitAtCommand(
  { lines }: MarkedMarkdown,
  { slug }: Pick<AppIdentity, 'slug'>,
): { readonly before: string; readonly command: CommentCommand } | null {
  for (const [at, { kind, text }] of lines.entries()) {
    const words = kind === 'prose' ? readCommandWords(text, slug) : null;
    if (words === null) continue;
    const command = toCommand(words, formatAfter(lines.slice(at + 1)));
    if (command === null) continue;
    return { before: formatShown({ lines: lines.slice(0, at), leftOut: 0 }), command };
  }
  return null;
}

/** Without quotes, and without the line over the last one that a mail program writes: `On Tue, 3 Mar 2026 at 10:00, Lena wrote:`. */
function formatAfter(lines: MarkedMarkdown['lines']): string {
  const last = lines.findLastIndex(({ kind, text }) => kind !== 'quote' && text.trim() !== '');
  const isOverQuote = lines.slice(last + 1).some(({ kind }) => kind === 'quote');
  const [over = '', end = ''] = [lines[last - 1]?.text.trim(), lines[last]?.text.trim()];
  const isHead = isOverQuote && end.endsWith(':') && /\b20\d\d\b/.test(end) && /\d[:.h]\d\d|@/.test(end);
  // Broken before its last word.
  const isWrapped = isOverQuote && end.endsWith(':') && !end.includes(' ') && /\b20\d\d\b.{0,200}>$/.test(over);
  const to = isHead ? last : isWrapped ? last - 1 : lines.length;
  return lines
    .slice(0, to)
    .filter(({ kind }) => kind !== 'quote')
    .map(({ text }) => text)
    .join('\n');
}

/** As GitHub writes it: `@slug` or `@slug[bot]`. Not a team, another name, or part of an address. */
const MENTION = /^ {0,3}@([\w-]{1,100})(?:\[bot\])?[,:]?(?:[ \t]+(.*)|[.!?]?)$/is;
/** What people say before what they want, and instead of it. */
const PLEASE = /^please(?!\w)[,:]?[ \t]*/i;
const THANKS = /^(?:thanks|thank|thx|ty|cheers)(?!\w)/i;
const PRAISE = /^(?:great|nice|good|perfect|awesome|cool|wow|excellent|amazing|brilliant|fantastic)(?!\w)/i;
/** More words may be a hint: "good until 1.3". */
const PRAISE_WORDS = 3;
/** Marks around a word, such as those of bold text or of a quotation. */
const MARKS = /^[\s.,:;!*_"'“”–—-]+/;

/** What follows the command on its line; null where the line is none. */
function readCommandWords(line: string, slug: string): string | null {
  const command = COMMAND.exec(line)?.[1];
  if (command !== undefined) return cleanWords(command);
  const [, name, rest = ''] = MENTION.exec(line) ?? [];
  if (name?.toLowerCase() !== slug.toLowerCase()) return null;
  const wish = cleanWords(rest);
  // A mention is more often part of a conversation.
  return PRAISE.test(wish) ? null : wish.replace(/^\/?analy[sz]e(?![\w/-])[ \t]*/i, '');
}

function cleanWords(words: string): string {
  return words
    .replace(/^(?:[,:;!]+|\.+(?=\s|$))\s*/, '')
    .replace(PLEASE, '')
    .trim();
}

/** Null: thanks or praise, which asks for nothing. */
function toCommand(words: string, after: string): CommentCommand | null {
  const plain = words.replace(MARKS, '');
  const verb = /^(fix|stop|help|rerun|revert|prove)(?:,?[ \t]+please)?[.!?]*$/i.exec(
    plain.replace(/^re-run/i, 'rerun'),
  )?.[1];
  const named = verb?.toLowerCase();
  if (named === 'fix' || named === 'stop' || named === 'help' || named === 'rerun') return { kind: named };
  if (named === 'revert' || named === 'prove') return { kind: named };
  if (words === '?') return { kind: 'help' };
  const known = readKnownCommand(plain, after);
  if (known !== null) return known;
  const judged = readVote(plain, after) ?? readOverride(plain, after);
  if (judged !== null) return judged;
  if (THANKS.test(words) || (words !== '' && !/[\p{L}\p{N}]/u.test(words))) return null;
  if (PRAISE.test(words) && words.split(/\s+/).length <= PRAISE_WORDS) return null;
  const unclear = findUnclear(words, after);
  if (unclear !== null) return unclear;
  const retry = /^retry(?![\w-])[.,:;!]*/i.exec(plain)?.[0];
  const rest = retry === undefined ? words : plain.slice(retry.length);
  const guidance = `${rest.trim()}\n${after}`.trim().slice(0, MAX_GUIDANCE).toWellFormed();
  return { kind: retry === undefined ? 'analyse' : 'retry', guidance };
}

/** A whole sentence that says nothing else, of which the one word is never a hint: `correct the total` is one. */
const SAID = /^(?:that(?:['’]s| is) (right|wrong|correct|incorrect)|(correct|incorrect))[.!]*$/i;

function readVote(words: string, after: string): CommentCommand | null {
  const said = SAID.exec(words);
  if (said !== null) {
    const vote = /^(?:right|correct)$/i.test(said[1] ?? said[2] ?? '') ? 'right' : 'wrong';
    return { kind: 'judge', vote, why: after.trim().slice(0, WHY_CHARACTERS).toWellFormed() };
  }
  const judged = /^(?:right|wrong)(?![\w-])/i.exec(words)?.[0];
  if (judged === undefined) return null;
  const rest = words.slice(judged.length).replace(MARKS, '').trim();
  const why = `${rest}\n${after}`.trim().slice(0, WHY_CHARACTERS).toWellFormed();
  return { kind: 'judge', vote: judged.toLowerCase() === 'right' ? 'right' : 'wrong', why };
}

const NAME_CHARACTERS = 200;

interface QuotedName {
  readonly name: string;
  readonly rest: string;
  /** As code: a name rather than words of the reason. */
  readonly isCode: boolean;
}

function readOverride(words: string, after: string): CommentCommand | null {
  const said = /^(not[ \t_-]?)?mine(?![\w-])[.,:;!]*/i.exec(words);
  if (said === null) return null;
  const why = `${words.slice(said[0].length).trim()}\n${after}`.trim().slice(0, WHY_CHARACTERS).toWellFormed();
  const [first = ''] = why.split('\n', 1);
  const found = readQuotedText(first, 'first');
  const whose = said[1] === undefined ? 'mine' : 'not_mine';
  if (found === null || found.text.length > NAME_CHARACTERS) return { kind: 'override', whose, why, quoted: null };
  const rest = `${found.rest}${why.slice(first.length)}`.replace(MARKS, '').trim();
  return { kind: 'override', whose, why, quoted: { name: found.text, rest, isCode: found.isCode } };
}

/** A command with other words, praise with more of them, or a single word that is not a command. Null: a retry, a hint, or nothing. */
function findUnclear(words: string, after: string): CommentCommand | null {
  if (PRAISE.test(words)) return { kind: 'unclear', meant: null };
  const led = /^(fix|stop|rerun|revert|prove)(?![\w-])/i.exec(words)?.[1]?.toLowerCase();
  if (led === 'fix' || led === 'stop' || led === 'rerun' || led === 'revert' || led === 'prove')
    return { kind: 'unclear', meant: led };
  const word = /^([a-z-]{2,})[.!?]*$/i.exec(words)?.[1]?.toLowerCase();
  if (word === undefined || word === 'retry') return null;
  const meant = findNearestCommand(word);
  return meant === null && after.trim() !== '' ? null : { kind: 'unclear', meant };
}

/** A slip of one key in a short word, of two in a longer one. Of `mine` every such word is another: fine, line, time. */
function findNearestCommand(word: string): CommandName | null {
  const [nearest] = COMMAND_NAMES.filter((name) => name !== 'mine')
    .map((name) => ({ name, distance: computeEditDistance(word, name) }))
    .sort((one, other) => one.distance - other.distance);
  if (nearest === undefined || word.length > 8 || nearest.distance > (word.length <= 3 ? 1 : 2)) return null;
  return nearest.name;
}
