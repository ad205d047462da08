// The log (pino, JSON on standard error), the context of its lines, and the register of secrets that no line may
// contain.
import { AsyncLocalStorage } from 'node:async_hooks';
import { removeKnownForms } from 'causeway-redact';
import { type Logger, pino } from 'pino';

export type Log = Logger;

/** What a line belongs to: ids of ours, which reveal nothing by themselves. */
export interface LogContext {
  readonly requestId?: string;
  /** As the caller named its request (`X-Request-Id`). */
  readonly callerRequestId?: string;
  readonly traceId?: string;
  readonly job?: string;
  readonly kind?: string;
  readonly attempt?: number;
  readonly run?: string;
  readonly investigation?: string;
  readonly delivery?: string;
  readonly webhook?: string;
  readonly thread?: string;
  readonly head?: string;
  readonly outcome?: string;
  readonly known?: string;
  readonly putBack?: string;
  readonly proof?: string;
  readonly project?: string;
}

const trails = new AsyncLocalStorage<LogContext>();

/** Adds these ids to every line that the work logs, in addition to those of the work around it. */
export function withLogContext<T>(trail: LogContext, work: () => T): T {
  return trails.run({ ...trails.getStore(), ...trail }, work);
}

/** Adds ids to the further lines of the innermost work; outside of any it does nothing. */
export function addLogContext(more: LogContext): void {
  const trail = trails.getStore();
  if (trail !== undefined) Object.assign(trail, more);
}

/** Only a short plain name of a caller's own is worth a line of the log. */
const REQUEST_NAME = /^[\w.:=-]{1,100}$/;

/** Adds our id of an HTTP request, and the caller's own (`X-Request-Id`), to every line that is logged for it. */
export function noteRequest(requestId: string, { headers }: Pick<Request, 'headers'>): void {
  const name = headers.get('X-Request-Id') ?? '';
  addLogContext(REQUEST_NAME.test(name) ? { requestId, callerRequestId: name } : { requestId });
}

/** Each with the moment (ms since 1970) when it expires. */
const secrets = new Map<string, number>();
/** Their forms in a line of the log; null: not computed yet. */
let inLines: readonly string[] | null = null;

/**
 * Registers a secret of our own: from now on its exact value is removed from all that is logged, stored or sent.
 * Shorter than 8 characters: ignored, since it would occur in ordinary text. `lastsMs`: for tokens that expire, of
 * which there is a new one every hour; they are removed after so long.
 */
export function registerSecret(value: string, lastsMs = Number.POSITIVE_INFINITY): void {
  if (value.length < 8) return;
  inLines = null;
  const now = Date.now();
  for (const [secret, until] of secrets) if (until < now) secrets.delete(secret);
  secrets.set(value, Math.max(secrets.get(value) ?? 0, now + lastsMs));
}

/** Of an installation token, which GitHub lets live for one hour, with room for clocks that differ. */
export const TOKEN_LASTS_MS = 2 * 60 * 60 * 1_000;

/** The values registered so far, longest first, so that a secret inside another is not left half shown. */
export function listRegisteredSecrets(): readonly string[] {
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
      // A new object each time: pino writes the line's own values into it.
      mixin: () => ({ ...trails.getStore() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['*.authorization', '*.cookie', '*.token', '*.secret', 'authorization', 'cookie', 'token', 'secret'],
    },
    { write: (line: string) => void destination.write(removeSecrets(line)) },
  );
}

function listSecretLines(): readonly string[] {
  // A line is JSON, in which a key of several lines has its line ends escaped.
  inLines ??= [...new Set(listRegisteredSecrets().flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  return inLines;
}

/** A line of JSON without the values registered so far, and without what has the form of a token. */
function removeSecrets(line: string): string {
  const known = listSecretLines().reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line);
  return removeKnownForms(known);
}

/**
 * Names and codes as programs give them (`ERR_X`, `lease_lost`). Anything else may come from outside: a model's
 * endpoint gives codes, too.
 */
const NAME = /^(?:[A-Za-z]{1,60}|[A-Z][A-Z0-9_]{1,60}|[a-z_]{1,60})$/;

/** One line of JSON: the kind and place of the fault. Its message is left out, since it may quote a report. */
export function describeUncaught(error: unknown, now: Date): string {
  const fault = error instanceof Error ? error : new Error('not an error');
  const code = 'code' in fault ? String(fault.code) : '';
  const fields = {
    level: 'fatal',
    time: now.toISOString(),
    type: toKnownName(fault.name),
    code: toKnownName(code),
    at: findStackPlaces(fault),
  };
  const line = JSON.stringify({
    ...fields,
    msg: 'uncaught error: exiting; accepted work is stored and continues at the next start',
  });
  return `${removeSecrets(line)}\n`;
}

function toKnownName(text: string): string {
  return NAME.test(text) ? text : '';
}

/**
 * The frames of a stack without its message, which may quote a report with a stack of its own. None where the two
 * cannot be separated because the message was changed.
 */
function findStackPlaces({ stack = '', message }: Error): readonly string[] {
  const ending = message === '' ? '\n' : `: ${message}\n`;
  const end = stack.indexOf(ending);
  if (end === -1 || !/^[\w$. [\]-]*$/.test(stack.slice(0, end))) return [];
  const lines = stack.slice(end + ending.length).split('\n');
  return lines.every((line) => /^\s+at /.test(line)) ? lines.map((line) => line.trim()) : [];
}
