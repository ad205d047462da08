// Secrets out of text: what is known by value, by form and by name, plain or encoded.
export { REDACTED } from './redacted.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { removeKnownForms } from './token-forms.ts';
