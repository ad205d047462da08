// The quick look for where waiting is impossible, such as a line of the log: tokens by their form, passwords in addresses.
import { REDACTED } from '../core/redacted.ts';
import { UNMISTAKABLE_TOKENS } from './token-forms.ts';

const PASSWORDS = /(:\/\/[^\s:/@"'<>\\]{0,100}:)[^\s/"'<>\\@]{1,256}(?=@[^\s/@])/g;

/** The line without tokens that nothing else looks like, and without passwords in addresses. JSON stays JSON. */
export function withoutKnownForms(line: string): string {
  return line.replace(UNMISTAKABLE_TOKENS, REDACTED).replace(PASSWORDS, `$1${REDACTED}`);
}
