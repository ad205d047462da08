// The log (pino, JSON on standard error) and the register of secrets, which no line and no record may hold.
import { type Logger, pino } from 'pino';

export type Log = Logger;

const secrets = new Set<string>();

/** Registers a secret of our own: from now on its exact value is removed from all that is logged, stored or sent. Shorter than 8 characters: ignored, since it would tear ordinary text. */
export function registerSecret(value: string): void {
  if (value.length >= 8) secrets.add(value);
}

/** The values registered so far, longest first, so that a secret inside another is not left half shown. */
export function registeredSecrets(): readonly string[] {
  return [...secrets].sort((a, b) => b.length - a.length);
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

function withoutSecrets(line: string): string {
  return registeredSecrets().reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line);
}
