// The error that a line says: its type and its message.

/** How an error relates to the one printed before it. */
export type ChainLink = 'none' | 'causes_previous' | 'caused_by_previous';

export interface ErrorHead {
  readonly type: string;
  readonly message: string;
  readonly link: ChainLink;
}

export const NO_ERROR: ErrorHead = { type: '', message: '', link: 'none' };

const ERROR_TYPE = /^[\w$][\w$./\\]{0,200}$/;
const ERROR_SUFFIX = /(?:Error|Exception|Throwable|Failure|Panic|Fault)$/;

/** `Type: message` of a line such as `Uncaught TypeError: x is not a function`; null where it has no error type. */
export function parseErrorHead(line: string): { readonly type: string; readonly message: string } | null {
  if (!/Error|Exception|Throwable|Failure|Panic|Fault/.test(line)) return null;
  let colon = -1;
  // The type may follow a date and a logger's name: the first few colons are tried.
  for (let tries = 0; tries < 6; tries++) {
    const next = line.slice(colon + 1).search(/:(?:\s|$)/);
    colon = next < 0 ? line.length : colon + 1 + next;
    const type = parseErrorType(line.slice(0, colon));
    if (type !== '') return { type, message: line.slice(colon + 1).trim() };
    if (next < 0) return null;
  }
  return null;
}

/** The error type that the text ends with: `Uncaught (in promise) TypeError [ERR_X]` → `TypeError`. */
function parseErrorType(text: string): string {
  const words = text.slice(-300).trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  const word = last.startsWith('[') && last.endsWith(']') ? (words.at(-2) ?? '') : last;
  const bare = word.replace(/^[([<*"'`]+/, '').replace(/[)\]>*"'`.]+$/, '');
  return ERROR_TYPE.test(bare) && ERROR_SUFFIX.test(bare) ? bare : '';
}
