// The address that GitHub and callers use: is it https, and does a Causeway answer there.
import { isLoopback } from '../mode.ts';
import { fail, ok, type Probe, type Verdict, warn } from './probe.ts';

const ANSWER_MS = 10_000;

/** `publicUrl`: "" where it is not known. */
export function publicUrlProbe(publicUrl: string): Probe {
  return {
    check: 'public url',
    async ask(signal) {
      if (publicUrl === '')
        return warn(
          'PUBLIC_URL is not set',
          'Set it to the address under which GitHub and callers reach this service.',
        );
      return [...judgeForm(publicUrl), await knock(publicUrl, signal)];
    },
  };
}

function judgeForm(publicUrl: string): readonly Verdict[] {
  const { protocol, hostname } = new URL(publicUrl);
  if (isLoopback(hostname))
    return [warn(`${publicUrl} leads to this machine only`, 'Set PUBLIC_URL to an address that GitHub reaches.')];
  if (protocol === 'https:') return [];
  return [
    fail(
      `${publicUrl} is not https`,
      'Put a proxy with a certificate before it: deliveries, tokens and sign-ins travel in the clear.',
    ),
  ];
}

async function knock(publicUrl: string, signal: AbortSignal): Promise<Verdict> {
  const here = 'This was asked from here; a network may keep its own machines from its public address.';
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const response = await fetch(`${publicUrl}/healthz`, { signal: until, redirect: 'manual' });
    const text = await response.text();
    if (response.ok && /"status"\s*:\s*"alive"/.test(text)) return ok(`${publicUrl} answers`);
    return fail(
      `${publicUrl}/healthz answered ${response.status}, and not as Causeway does`,
      `Look where the proxy before this service leads. ${here}`,
    );
  } catch (error) {
    signal.throwIfAborted();
    const start = 'Start the service ("causeway serve"), or look at DNS, firewall and certificate.';
    return warn(`${publicUrl} does not answer (${codeOf(error)})`, `${start} ${here}`);
  }
}

function codeOf(error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
    if (inner.name === 'TimeoutError') return `not within ${ANSWER_MS / 1_000} s`;
  }
  return 'no reason named';
}
