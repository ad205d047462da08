// Error messages: of stack traces, of log lines, and quoted by the reporter; and what of them can stand in source.
import { parseErrorHead, type Trace } from './frames/frame.ts';
import { isLogLine, markCode } from './report-text.ts';

export interface ErrorMessage {
  /** Such as `TypeError`; "" where only a message is known. */
  readonly type: string;
  readonly message: string;
  /** Who says so: a stack trace, a line of a log, or only the reporter's prose. */
  readonly from: 'trace' | 'log' | 'prose';
}

const MAX_ERRORS = 20;

const MAX_MESSAGE = 400;

/** More lines of a log than this repeat each other. */
const MAX_FOUND = 200;

const LOGGED =
  /(?:(?:^|[\s[|])(?:error|fatal|panic|err)|^\s{0,20}(?:fail(?:ed|ure)?|exception))(?:\[\w{1,12}\])?\]?[:|]\s{0,8}(\S.{3,})$/i;

/** What may stand before the type on a line that is an error, rather than one that mentions it. */
const LEAD = /^\W*(?:(?:uncaught|unhandled|caused by|exception|rejection|in promise|in thread "[^"]{0,100}")\W*)*$/i;

/** Distinct errors: those of traces first, then those of logs, then what the reporter's prose mentions. Commands are no messages. */
export function findErrors(
  lines: readonly string[],
  traces: readonly Trace[],
  commands: readonly string[],
): readonly ErrorMessage[] {
  const read: ErrorMessage[] = [];
  for (const { text, kind } of markCode(lines)) {
    if (read.length >= MAX_FOUND) break;
    read.push(...findErrorsIn(text, kind === 'code'));
  }
  const traced = traces.map(({ errorType, message }): ErrorMessage => ({ type: errorType, message, from: 'trace' }));
  const ordered = [
    ...traced,
    ...read.filter(({ from }) => from === 'log'),
    ...read.filter(({ from }) => from === 'prose'),
  ];
  const found = new Map<string, ErrorMessage>();
  for (const error of ordered) {
    const message = trimError(error.message);
    const key = message === '' ? error.type : message;
    const isCommand = commands.some((command) => command.startsWith(message) && message !== '');
    if (key !== '' && !isCommand && !found.has(key)) found.set(key, { ...error, message });
  }
  return [...found.values()].slice(0, MAX_ERRORS);
}

function trimError(message: string): string {
  // A backtick that closes nothing is what is left of a code span around the whole.
  const isUneven = message.split('`').length % 2 === 0;
  return (isUneven ? message.replace(/`[:.,]?\s*$/, '') : message).trim().slice(0, MAX_MESSAGE);
}

function findErrorsIn(line: string, isCode: boolean): readonly ErrorMessage[] {
  const head = parseErrorHead(line);
  if (head)
    return [
      {
        ...head,
        from: isCode || isLogLine(line) || LEAD.test(line.slice(0, line.indexOf(head.type))) ? 'log' : 'prose',
      },
    ];
  const logged = LOGGED.exec(line.slice(0, 1_000))?.[1];
  if (logged) return [{ type: '', message: logged, from: line.startsWith('#') ? 'prose' : 'log' }];
  return findQuotedMessages(line).map((message) => ({ type: '', message, from: 'prose' }));
}

/** Sentences in quotation marks or backticks, which people copy from a screen. */
function findQuotedMessages(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]{15,200})"|`([^`]{15,200})`|“([^”]{15,200})”/g)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((quoted) => /^[\w'<[({-]/.test(quoted) && quoted.split(' ').length >= 3 && !/[;{}=]/.test(quoted));
}

/** What engines and libraries say by themselves: it stands in no source of the project. */
const NOT_OURS = [
  /^Cannot read propert(?:y|ies) /,
  /^Cannot set propert(?:y|ies) /,
  / is not (?:a function|defined|iterable|a constructor)\b/,
  /^(?:undefined|null) is not an object/,
  /^Unexpected (?:token|identifier|end of)/,
  / has no attribute /,
  /object is not (?:callable|iterable|subscriptable)/,
  /^(?:list|string|tuple) index out of range/,
  /^runtime error: /,
  /^invalid memory address/,
  /^called `(?:Option|Result)::unwrap/,
  /^Object reference not set/,
  /^Maximum call stack size/,
  /^No module named /,
  /^Cannot (?:invoke|load|store|read the|throw) "/,
  /unexpected keyword argument|missing \d+ required positional/,
  /^index out of bounds: /,
];

/**
 * The longest stretches of a message that hold no value (nothing quoted, no number, no path), longest first: what a
 * template in source would hold. Each has at least 10 characters and two words. Empty for messages of engines.
 */
export function splitConstantParts(message: string): readonly string[] {
  if (NOT_OURS.some((pattern) => pattern.test(message))) return [];
  const parts = message
    .slice(0, MAX_MESSAGE)
    .split(
      /"[^"]*"|(?<!\w)'[^']*'|`[^`]*`|<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\S*\d\S*|\S*[/\\]\S*|[“”"`]|(?<!\w)'|'(?!\w)|:\s/,
    )
    .map((part) => part.replace(/^[\s:;,.()-]+|[\s:;,.(]+$/g, ''))
    .filter((part) => part.length >= 10 && part.includes(' '));
  return [...new Set(parts)].sort((a, b) => b.length - a.length);
}
