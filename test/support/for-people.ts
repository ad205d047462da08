import { expect } from 'vitest';

/** What only an operator can act on, and nobody outside should see. */
const OPERATORS: readonly RegExp[] = [
  // Addresses, hosts with a port, IP addresses.
  /\bhttps?:\/\//i,
  /\blocalhost\b|\b[\w.-]+:\d{2,5}\b/i,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  // Variables, such as OPENAI_BASE_URL or MODEL=scripted:FILE.
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/,
  /\bMODEL\b|\bscripted:/,
  // Paths, and codes of the system.
  /(?:^|[\s"'(`])\/\w/,
  /\bE[A-Z]{4,}\b/,
];

/** A sentence that may stand on GitHub: it names no host, address, variable, path or code of the machine. `own`: what the reader gave us. */
export function expectForPeople(text: string, own: readonly string[] = []): void {
  const rest = own.reduce((left, word) => left.replaceAll(word, ''), text.replaceAll('/analyse', ''));
  expect(OPERATORS.filter((sign) => sign.test(rest))).toEqual([]);
  expect(text).not.toMatch(/undefined|\[object/);
}
