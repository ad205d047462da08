// One check of the doctor: asked within a time bound, beside the others, and whatever it throws becomes a finding.

import type { Finding } from '../../cli/operator-text.ts';
import { CausewayError } from '../../core/errors.ts';
import { REDACTED } from '../../core/redacted.ts';

/** What a probe found, without its name. */
export type Verdict = Omit<Finding, 'check'>;

export interface Probe {
  readonly check: string;
  /** One verdict or several. A throw counts as `fail`, with its message as the repair. */
  ask(signal: AbortSignal): Promise<Verdict | readonly Verdict[]>;
  /** Default 20 s. */
  readonly boundMs?: number;
}

const BOUND_MS = 20_000;

export function ok(found: string): Verdict {
  return { status: 'ok', found, repair: '' };
}

export function warn(found: string, repair: string): Verdict {
  return { status: 'warn', found, repair };
}

export function fail(found: string, repair: string): Verdict {
  return { status: 'fail', found, repair };
}

export const PAUSED = warn('paused: no model is asked and nothing is posted', '"causeway resume" goes on.');

/** What is asked of GitHub where GitHub does not answer: why is said once. */
export const NOT_ASKED = warn('skipped', 'Put right what "app" says first.');

/** Asks all at once and answers in their order. Throws the signal's reason when aborted. */
export async function askAll(
  probes: readonly Probe[],
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const answers = await Promise.all(probes.map(async (probe) => named(probe, await askOne(probe, signal))));
  signal.throwIfAborted();
  return answers.flat().map((finding) => withoutSecrets(finding, secrets));
}

async function askOne(probe: Probe, signal: AbortSignal): Promise<readonly Verdict[]> {
  const { boundMs = BOUND_MS } = probe;
  const bound = AbortSignal.timeout(boundMs);
  const until = AbortSignal.any([signal, bound]);
  try {
    return [await Promise.race([probe.ask(until), whenAborted(until)])].flat();
  } catch (error) {
    if (bound.aborted) {
      return [
        fail(`no result within ${boundMs / 1_000} s`, 'Ask again; if it stays so, look at what this check asks.'),
      ];
    }
    return [wentWrong(error)];
  }
}

function wentWrong(error: unknown): Verdict {
  if (error instanceof CausewayError) return fail('failed', error.message);
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return fail(
    `the check itself failed (${code})`,
    'Say so to those who make Causeway, with the version and this line.',
  );
}

function named({ check }: Probe, verdicts: readonly Verdict[]): readonly Finding[] {
  return verdicts.map((verdict) => ({ check, ...verdict }));
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Messages of others are shown here, and those may quote what they were sent. */
function withoutSecrets(finding: Finding, secrets: readonly string[]): Finding {
  const clean = (text: string) =>
    secrets.filter((secret) => secret.length > 3).reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return { ...finding, found: clean(finding.found), repair: clean(finding.repair) };
}
