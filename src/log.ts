// The log (pino, JSON on standard error) and the register of secrets, which no line and no record may hold.
import { type Logger, pino } from 'pino';
import { withoutKnownForms } from './redact/known-forms.ts';

export type Log = Logger;

/** Each with the moment (ms since 1970) from which it opens nothing any more. */
const secrets = new Map<string, number>();

/**
 * Registers a secret of our own: from now on its exact value is removed from all that is logged, stored or sent. Shorter than 8
 * characters: ignored, since it would tear ordinary text. `lastsMs`: for tokens that expire, of which there is a new one every hour;
 * they are forgotten after so long.
 */
export function registerSecret(value: string, lastsMs = Number.POSITIVE_INFINITY): void {
  if (value.length < 8) return;
  const now = Date.now();
  for (const [secret, until] of secrets) if (until < now) secrets.delete(secret);
  secrets.set(value, Math.max(secrets.get(value) ?? 0, now + lastsMs));
}

/** Of an installation token, which GitHub lets live for one hour, with room for clocks that differ. */
export const TOKEN_LASTS_MS = 2 * 60 * 60 * 1_000;

/** The values registered so far, longest first, so that a secret inside another is not left half shown. */
export function registeredSecrets(): readonly string[] {
  return [...secrets.keys()].sort((a, b) => b.length - a.length);
}

/**
 * A logger that writes to standard error (standard output is for answers).
 * `level` as pino's; `silent` for none.
 */
export function createLog(options: {
  readonly level: string;
  readonly destination?: { write(line: string): void };
}): Log {
  const destination = options.destination ?? process.stderr;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['*.authorization', '*.cookie', '*.token', '*.secret', 'authorization', 'cookie', 'token', 'secret'],
    },
    { write: (line: string) => void destination.write(withoutSecrets(line)) },
  );
}

/** A line of JSON without the values registered so far, and without what has the form of a token. */
export function withoutSecrets(line: string): string {
  // A line is JSON, where a key of several lines stands with its line ends escaped.
  const forms = registeredSecrets().flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const known = forms.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line);
  return withoutKnownForms(known);
}
