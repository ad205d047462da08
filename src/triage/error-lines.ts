// Error messages: of stack traces, of log lines, and quoted by the reporter; and what of them can stand in source.
import { errorHead, type Trace } from './frames/frame.ts';

export interface ErrorMessage {
  /** Such as `TypeError`; "" where only a message is known. */
  readonly type: string;
  readonly message: string;
}

const MAX_ERRORS = 20;
const MAX_MESSAGE = 400;
const LOGGED =
  /(?:(?:^|[\s[|])(?:error|fatal|panic|err)|^\s{0,20}(?:fail(?:ed|ure)?|exception))(?:\[\w{1,12}\])?\]?[:|]\s{0,8}(\S.{3,})$/i;

/** Distinct errors, those of traces first. */
export function findErrors(lines: readonly string[], traces: readonly Trace[]): readonly ErrorMessage[] {
  const found = new Map<string, ErrorMessage>();
  const add = ({ type, message }: ErrorMessage): void => {
    const cut = message
      .replace(/`[:.,]?\s*$/, '')
      .trim()
      .slice(0, MAX_MESSAGE);
    const key = cut === '' ? type : cut;
    if (key !== '' && found.size < MAX_ERRORS && !found.has(key)) found.set(key, { type, message: cut });
  };
  for (const trace of traces) add({ type: trace.errorType, message: trace.message });
  for (const line of lines) {
    if (found.size >= MAX_ERRORS) break;
    for (const error of errorsIn(line)) add(error);
  }
  return [...found.values()];
}

function errorsIn(line: string): readonly ErrorMessage[] {
  const head = errorHead(line);
  if (head) return [head];
  const logged = LOGGED.exec(line.slice(0, 1_000))?.[1];
  const messages = logged ? [logged] : quotedMessages(line);
  return messages.map((message) => ({ type: '', message }));
}

/** Sentences in quotation marks or backticks, which people copy from a screen. */
function quotedMessages(line: string): readonly string[] {
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
export function constantParts(message: string): readonly string[] {
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
