// The errors that a report tells of: of its traces, of its logs, and what its prose quotes from a screen.

import { isLogLine, markCode } from 'causeway-log-lines';
import { parseErrorHead } from './traces/error-head.ts';
import type { Trace } from './traces/find-traces.ts';

interface ErrorMessage {
  /** Such as `TypeError`; "" where only a message is known. */
  readonly type: string;
  readonly message: string;
  /**
   * Its source: a stack trace, a line of a log, or only the reporter's prose. `quote`: words that the prose quotes and that
   * nothing shows to be an error; source may contain them all the same.
   */
  readonly from: 'trace' | 'log' | 'prose' | 'quote';
}

export interface ReportedError extends ErrorMessage {
  /** What the lines below a message that ends with a colon compare, such as `3995 !== 3500`; "" where there are none. */
  readonly values: string;
}

/** As one line: `TypeError: x is undefined`. */
export function formatError({ type, message }: Pick<ErrorMessage, 'type' | 'message'>): string {
  return [type, message].filter((part) => part !== '').join(': ');
}

const MAX_ERRORS = 20;

const MAX_VALUES = 120;

/** Over the lines with `+` and `-` that show two values. */
const LEGEND = /^[+-] (?:actual|expected|received)\b/i;

function readValues(lines: readonly string[], { message }: ErrorMessage): string {
  if (!message.endsWith(':')) return '';
  const at = lines.findIndex((line) => line.trimEnd().endsWith(message));
  const below = lines.slice(at + 1, at + 8).map((line) => line.trim());
  const said = below.filter((line) => line !== '' && !LEGEND.test(line));
  const [first = ''] = said;
  // Nothing but the frames, or the next error.
  if (at < 0 || /^(?:at |File ")/.test(first) || parseErrorHead(first) !== null) return '';
  const other = said.slice(1).find((line) => line.startsWith('- '));
  return (first.startsWith('+ ') && other !== undefined ? `${first} ${other}` : first).slice(0, MAX_VALUES);
}

export const MAX_MESSAGE = 400;

/** More lines of a log than this repeat each other. */
const MAX_FOUND = 200;

const LOGGED =
  /(?:(?:^|[\s|]|(?<!\[)\[)(?:error|fatal|panic|err)|^\s{0,20}(?:fail(?:ed|ure)?|exception))(?:\[\w{1,12}\])?\]?[:|]\s{0,8}(\S.{3,})$/i;

/** What may precede the type on a line that is an error, rather than one that mentions it. */
const LEAD = /^\W*(?:(?:uncaught|unhandled|caused by|exception|rejection|in promise|in thread "[^"]{0,100}")\W*)*$/i;

/** Its own line names an error only in passing. */
const WARNING = /^\W{0,12}(?:warn(?:ing)?|info|debug|note)\b/i;

/** Between the label and the message. */
const TIME = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]{5,18}\]?\s{1,4}/;

interface ReadReport {
  readonly lines: readonly string[];
  /** Those that no trace has. */
  readonly rest: readonly string[];
  readonly traces: readonly Trace[];
  /** They are no messages. */
  readonly commands: readonly string[];
}

/** Distinct errors: those of traces first, then those of logs, then what the reporter's prose mentions. */
export function findErrors({ lines, rest, traces, commands }: ReadReport): readonly ReportedError[] {
  const read: ErrorMessage[] = [];
  let above = '';
  const marked = markCode(rest);
  for (const [index, { text, kind }] of marked.entries()) {
    if (read.length >= MAX_FOUND) break;
    const beside = [marked[index - 1], marked[index + 1]].flatMap((line) => line?.text ?? []);
    read.push(...findErrorsIn(text, { isCode: kind === 'code', above, beside }));
    if (text.trim() !== '') above = text;
  }
  const traced = traces.map(({ errorType, message }): ErrorMessage => ({ type: errorType, message, from: 'trace' }));
  const isOfLog = ({ from }: ErrorMessage): boolean => from === 'log';
  const ordered = [...traced, ...read.filter(isOfLog), ...read.filter((error) => !isOfLog(error))];
  const found = new Map<string, ErrorMessage>();
  for (const error of ordered) {
    const message = trimError(error.message);
    const key = message === '' ? error.type : message;
    const isCommand = commands.some((command) => command.startsWith(message) && message !== '');
    if (key === '' || isCommand || (message === '' && NO_TYPE.test(error.type))) continue;
    if (!found.has(key)) found.set(key, { ...error, message });
  }
  const errors = [...found.values()];
  return errors
    .filter((error) => !errors.some((other) => isCutFrom(error, other) || isSaidBetter(error, other)))
    .slice(0, MAX_ERRORS)
    .map((error) => ({ ...error, values: readValues(lines, error) }));
}

/** A heading, or a word of a sentence: that there was an error is known. */
const NO_TYPE = /^(?:Error|Exception|Throwable|Failure|Panic|Fault)$/;

/** People wrap their lines at any width: what is written of a message there may end before it does. */
function isCutFrom(part: ErrorMessage, whole: ErrorMessage): boolean {
  return (
    (part.from === 'prose' || part.from === 'quote') &&
    part.type === whole.type &&
    whole.message.startsWith(`${part.message} `)
  );
}

/** IPython and others print the type alone above the trace, and again with its message below it. */
function isSaidBetter(bare: ErrorMessage, other: ErrorMessage): boolean {
  return bare.message === '' && other.message !== '' && bare.type === other.type && other.from !== 'prose';
}

const ENDS = [
  ['`', /`[:.,]?$/],
  ['"', /"[:.,]?$/],
] as const;

/** A sign that opens or closes nothing is what is left of a quotation around the whole. */
function trimError(message: string): string {
  let said = message.trim();
  for (const [sign, end] of ENDS) if (said.split(sign).length % 2 === 0) said = said.replace(end, '').trim();
  return said.slice(0, MAX_MESSAGE);
}

interface LineContext {
  readonly isCode: boolean;
  /** The last line before it that is not blank. */
  readonly above: string;
  /** The lines next to it. */
  readonly beside: readonly string[];
}

function findErrorsIn(line: string, context: LineContext): readonly ErrorMessage[] {
  const { isCode, above } = context;
  const head = parseErrorHead(line);
  if (head && isErrorType(head.type))
    return readTypedError(line, head, isCode).flatMap((error) => weighSaid(line, error, context));
  const logged = WARNING.test(line) ? undefined : LOGGED.exec(line.slice(0, 1_000))?.[1]?.replace(TIME, '');
  if (logged) return readLogged(line, logged, isCode).flatMap((error) => weighSaid(line, error, context));
  const printed = isCode ? readPrinted(line) : '';
  if (printed !== '') return [{ type: '', message: printed, from: 'log' }];
  const quoted = findQuotedMessages(isCode ? line.replace(LITERAL, '') : line);
  return quoted.map(({ message, before }) => ({
    type: '',
    message,
    from: isSaidAsError(message, before.trim() === '' ? above : before) ? 'prose' : 'quote',
  }));
}

/** In Markdown. */
const HEADING = /^ {0,3}#{1,6} /;

/** Indented, or one that programs write, or what is typed to run one. */
const OUTPUT = /^(?:\t| {2,40}\S|\s{0,3}(?:```|~~~|[$>|] ))/;

/** Words only, as people write them: no name, number, path, value or sign of a program. */
const WORDS = /^(?!.{0,400}(?:[a-z][A-Z]|[A-Z]{3}))[A-Za-z][A-Za-z'’ ,.;!?-]{0,400}$/;

/** Words; messages of fewer are as short as a person's remark. */
const LEAST_SENTENCE = 4;

/** What a person goes on with after such a word; a message that a program prints is not a clause. */
const CLAUSE = /,|^(?:when|if|where|what|how|why|see|please|we|i|it|this|that)\b/i;

/** Under a heading or in a paragraph `error:` also begins what a person says, which no program printed. */
function weighSaid(line: string, error: ErrorMessage, { isCode, beside }: LineContext): readonly ErrorMessage[] {
  if (error.from !== 'log' || isCode || error.message === '') return [error];
  const isSaid = isFailure(error.message);
  if (HEADING.test(line)) return isSaid ? [{ ...error, from: 'prose' }] : [];
  const isSentence = WORDS.test(error.message) && error.message.split(' ').length >= LEAST_SENTENCE;
  if (!isSentence || isLogLine(line) || [line, ...beside].some((each) => OUTPUT.test(each) || isLogLine(each)))
    return [error];
  const isNamed = error.type !== '' && !NO_TYPE.test(error.type);
  const isAlone = beside.every((each) => each.trim() === '');
  if (!isSaid && !isNamed && !(isAlone && !CLAUSE.test(error.message))) return [];
  return isAlone ? [error] : [{ ...error, from: 'prose' }];
}

/** What runtimes, pytest and structured logs print without a type. */
const PRINTED = [
  /\bpanicked at '([^']{4,400})'/,
  /^E {2,12}([A-Za-z].{3,400})$/,
  /(?:^|\s)(?:error|err)="([^"]{4,400})"/,
  /^\s*Message:\s{1,8}(\S.{3,400})$/,
];

/** The message of a line of output that has no label; "" where the line is something else. */
function readPrinted(line: string): string {
  const text = line.slice(0, 1_000);
  const said = PRINTED.map((form) => form.exec(text)?.[1]).find((message) => message !== undefined);
  if (said !== undefined) return said;
  const bare = text.trim().replace(/^[×✖✗xX!>-]{1,3} {1,4}/, '');
  const isSentence = OPENS_OUTPUT.test(bare) && bare.split(/\s+/).length >= 4 && !/[;{}=]|\)$|\bI\b/.test(bare);
  return isSentence && !COMMENT.test(line) ? bare : '';
}

const OPENS_OUTPUT =
  /^(?:cannot|can't|could not|couldn't|unable to|failed to|no such|permission denied|segmentation fault|error \w+ing |an? (?:\w+ ){0,2}error occurred)\b/i;

/** `onError` and `isFetchNextPageError` are names of code, `socket.error` and `re.Error` types. */
function isErrorType(type: string): boolean {
  return !/^[a-z][\w$]*$/.test(type);
}

function readTypedError(
  line: string,
  head: Pick<ErrorMessage, 'type' | 'message'>,
  isCode: boolean,
): readonly ErrorMessage[] {
  const before = line.slice(0, line.indexOf(head.type));
  if (isRestOfCode(head.message) || (isCode && opensLiteral(before, head.message))) return [];
  if (line.charAt(before.length + head.type.length) === '`') {
    // A name that stands in a sentence: "`ValueError`: …".
    return isFailure(head.message) ? [{ ...head, from: 'prose' }] : [];
  }
  const leads = LEAD.test(before);
  const isLogged = head.message === '' ? leads && !COMMENT.test(line) : isCode || isLogLine(line) || leads;
  const message = cutAtQuote(head.message, before.at(-1) ?? '');
  return [{ ...head, message, from: isLogged ? 'log' : 'prose' }];
}

/** `log("TypeError: not a cart")`: a text of somebody's code, unless a comment quotes it. */
function opensLiteral(before: string, message: string): boolean {
  return /[^\s"'`]\s{0,4}["'`]$/.test(before) && /["'`]/.test(message) && !/(?:\/\/|#)/.test(before);
}

/** `"TypeError: x is null" when I click`: what is quoted ends with the sign that it began with. */
function cutAtQuote(message: string, sign: string): string {
  const end = /["`]/.test(sign) ? message.indexOf(sign) : -1;
  return end < 0 ? message : message.slice(0, end);
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#)/;

function readLogged(line: string, message: string, isCode: boolean): readonly ErrorMessage[] {
  if (isRestOfCode(message) || COUNT.test(message) || NAME_OF_TEST.test(message)) return [];
  if (isCode || isLogLine(line)) return [{ type: '', message, from: 'log' }];
  // In prose `error:` also begins what is said of it: a title, a question, a list of what to do.
  const isLine = !line.startsWith('#') && LABEL.test(line);
  if (isLine) return [{ type: '', message, from: 'log' }];
  return isFailure(message) ? [{ type: '', message, from: 'prose' }] : [];
}

/** The line begins with its label, as a program writes it. */
const LABEL = /^[\s>*`"'|]{0,12}(?:\[(?:[\w.-]{1,40} )?)?(?:error|fatal|panic|err|fail(?:ed|ure)?|exception)\b/i;

/** `", err);`, `'));`, `" + err.message`, `{`: the label was a text in somebody's code. */
function isRestOfCode(message: string): boolean {
  return (
    /^(?:["'`]\s{0,4}[,)+;\]}]|[)\]};]{2}|[{([]\s{0,4}$|["'`]$)/.test(message) || /(?:\bprintln!?\(|<<\s)/.test(message)
  );
}

/** `3 failures, 0 warnings`: how many there were. */
const COUNT = /^\d{1,9} (?:[a-z]{1,12} )?(?:failure|error|warning|test|problem|spec)s?\b/i;

/** As `unittest` writes above what went wrong in it. */
const NAME_OF_TEST = /^test\w{0,200} \([\w.]{1,300}\)$/;

/** A value within code, as in `log("the cart is empty")`: the reporter's own, where output has a message. */
const LITERAL = /[(,=[{+]\s{0,4}(?:"[^"]{0,400}"|`[^`]{0,400}`)/g;

interface QuotedMessage {
  readonly message: string;
  /** What is before it in its line. */
  readonly before: string;
}

/** Sentences in quotation marks or backticks, which people copy from a screen. */
function findQuotedMessages(line: string): readonly QuotedMessage[] {
  return [...line.matchAll(/"([^"]{15,200})"|`([^`]{15,200})`|“([^”]{15,200})”/g)]
    .map((match) => ({ message: match[1] ?? match[2] ?? match[3] ?? '', before: line.slice(0, match.index) }))
    .filter(({ message }) => /^[\w'<[({-]/.test(message) && message.split(' ').length >= 3 && !/[;{}=]/.test(message));
}

/** `it fails with “…”`, `the error: “…”`. */
const INTRODUCES =
  /\b(?:(?:errors?|exceptions?|panics?|warnings?|failures?|messages?|fehler(?:meldung)?|erreur|错误|エラー)(?: (?:message|text|code))?(?: (?:is|was|like|saying|says|that|stating))?|(?:throw(?:s|ing|n)?|thrown|threw|rais(?:es?|ed|ing)|panick?(?:s|ed|ing)?|fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|complain(?:s|ed|ing)?|abort(?:s|ed)?|exit(?:s|ed)?|errors)(?: out)?(?: (?:with|that|about|saying))?(?: (?:a|an|the|this|following))?(?: (?:error|exception|message))?)\W{0,4}$/i;

/** What is wished for is not an error of today. */
const WISHED =
  /\b(?:should|expect\w*|ideally|instead of|would|wish|want|rather than|must|like to see|feature)\b[^.]{0,80}$/i;

function isSaidAsError(message: string, before: string): boolean {
  const near = before.slice(-120);
  if (WISHED.test(near) || isCodeLike(message)) return false;
  return isFailure(message) || INTRODUCES.test(near.slice(-60));
}

/** Calls, operators, types and paths; a sentence has words in a row. */
function isCodeLike(text: string): boolean {
  return (
    /\w\(|[\w>]\.\w+\(|::\w|\[\]|=>|->|&&|\|\||\s[|*+/]\s|<\w+ as |^--?\w|^\S+\/\S+ |\$\w/.test(text) &&
    !STARTS_AS_FAILURE.test(text)
  );
}

const STARTS_AS_FAILURE =
  /^(?:cannot|can(?:'|’)t|could n(?:o|'|’)t|could not|couldn(?:'|’)t|unable to|fail(?:ed|ure)? to|no such|unexpected|invalid|illegal|unknown|undefined|missing|un(?:recogni[sz]ed|supported|resolved|handled|caught|hashable|satisfied|defined)|(?:permission|access) denied|segmentation fault|assertion\b|maximum |expected )/i;

/** How messages say that something went wrong. */
const FAILURE = new RegExp(
  [
    "\\b(?:cannot|can['’]t|could ?n['’]t|could not|unable to|fail(?:s|ed|ure)?|won['’]t|did(?:n['’]t| not)|was(?:n['’]t| not))\\b",
    "\\b(?:is|are|was|were|has|have|be)(?: not|n['’]t) (?:an?|the|in|on|of|all|any|yet|been|defined|allowed|supported|valid|found|available|installed|implemented|set|iterable|callable|hashable|subscriptable|satisfied|recogni[sz]ed|possible|unique|assignable|known|registered|enabled|permitted|initiali[sz]ed|declared|accessible|compatible|serializable|writable|readable|constant|public|connected|authorized|printed|equal)\\b",
    "\\w do(?:es)?(?: not|n['’]t) (?:exist|match|have|contain|support|implement|belong|live|fit|accept|resolve|return|satisfy|allow|know|work)\\b",
    '\\b(?:invalid|illegal|unexpected|unknown|undefined|unsupported|unresolved|unhandled|uncaught|unhashable|unreachable|unsatisfied|unrecogni[sz]ed|malformed|mismatch(?:ed)?|mismatching|duplicated?|ambiguous|corrupt(?:ed)?|denied|refused|forbidden|prohibited|disallowed|deprecated|conflict(?:s|ing)?|violat\\w+|overflow(?:ed)?|underflow|crashed|aborted|panicked|exceed(?:s|ed)?|no such|not found|no longer|timed out|timeout|out of (?:range|bounds|memory)|too (?:many|long|large|few|deep|big|short|small)|not enough|already (?:exists?|defined|declared|in use|been|registered|closed)|missing|segmentation fault|core dumped|reset by peer|null pointer|nil pointer|is (?:null|undefined|nil|required|empty|locked|corrupt\\w*)|(?:was|were) (?:null|undefined)|bad \\w+|error)\\b',
    '\\bexpected\\b.{1,120}\\b(?:but|got|found|received|actual|given|to (?:be|have|equal))\\b|\\b(?:must|may|should)(?: not)? (?:be|have|match|contain|return|subclass|start|end|implement|specify)\\b|\\brequires? (?:an?|at least|\\d|exactly|the)\\b|\\bno \\w+(?: \\w+){0,2} (?:found|given|available|assigned|specified|provided|matched)\\b|\\bonly .{1,60} (?:supported|allowed|permitted)\\b',
  ].join('|'),
  'i',
);

/** Whether a text says that something went wrong, as messages do. */
function isFailure(text: string): boolean {
  return FAILURE.test(text) && text.split(/\s+/).length >= 2;
}
