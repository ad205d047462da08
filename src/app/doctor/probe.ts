// One check of the doctor: bounded in time, errors become findings, and no finding contains a secret.

import { REDACTED } from 'causeway-redact';
import type { CheckUpFinding } from '../../cli/operator-text.ts';
import { CausewayError } from '../../core/errors.ts';

/** What a check found, without its name. */
export type ProbeVerdict = Omit<CheckUpFinding, 'check'>;

export interface Probe {
  readonly check: string;
  /** A throw counts as `fail`, with its message as the repair. */
  ask(signal: AbortSignal): Promise<ProbeVerdict | readonly (ProbeVerdict | false)[]>;
  /** Default 20 s. */
  readonly boundMs?: number;
}

const BOUND_MS = 20_000;

export function pass(found: string): ProbeVerdict {
  return { status: 'ok', found, repair: '' };
}

export function warn(found: string, repair: string): ProbeVerdict {
  return { status: 'warn', found, repair };
}

export function fail(found: string, repair: string): ProbeVerdict {
  return { status: 'fail', found, repair };
}

/** Runs all at once; the findings come in the order of the probes. Throws the signal's reason when aborted. */
export async function runProbes(
  probes: readonly Probe[],
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<readonly CheckUpFinding[]> {
  const long = secrets.filter((secret) => secret.length > 3);
  // Error messages of other programs may quote what they were sent.
  const clean = (text: string) => long.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  const answers = await Promise.all(
    probes.map(async (probe) => {
      const verdicts = await runProbe(probe, signal);
      return verdicts.map((verdict) => ({ check: probe.check, ...verdict }));
    }),
  );
  signal.throwIfAborted();
  return answers.flat().map((each) => ({ ...each, found: clean(each.found), repair: clean(each.repair) }));
}

async function runProbe({ ask, boundMs = BOUND_MS }: Probe, signal: AbortSignal): Promise<readonly ProbeVerdict[]> {
  const bound = AbortSignal.timeout(boundMs);
  const until = AbortSignal.any([signal, bound]);
  const aborted = new Promise<never>((_, reject) => {
    until.addEventListener('abort', () => reject(until.reason), { once: true });
  });
  try {
    const verdicts = await Promise.race([ask(until), aborted]);
    return [verdicts].flat().filter((verdict) => verdict !== false);
  } catch (error) {
    if (bound.aborted) {
      return [
        fail(
          `no result within ${boundMs / 1_000} s`,
          'Run the doctor again. If this remains, check what this line is about.',
        ),
      ];
    }
    if (error instanceof CausewayError) return [fail('failed', error.message)];
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return [
      fail(`the check itself failed (${code})`, 'Please report this line together with the version of Causeway.'),
    ];
  }
}

const MOST_NAMED = 8;

export function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}
