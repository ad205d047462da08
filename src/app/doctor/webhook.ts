// Where GitHub sends deliveries, whether that is here, and how the last ones fared.
import type { Config } from '../../config.ts';
import type { HookAttempt, HookState } from '../../github/examination/read-app.ts';
import { fail, NOT_ASKED, ok, type Probe, type Verdict, warn } from './probe.ts';

type Settings = Pick<Config, 'webhookProxyUrl' | 'githubWebUrl'>;
const PATH = '/api/github/webhooks';
const DAY_MS = 24 * 60 * 60_000;

/** `publicUrl`: "" where it is not known. `read`: null where the App itself could not be asked. */
export function webhookProbe(
  config: Settings,
  at: { readonly publicUrl: string; readonly now: () => Date },
  read: (signal: AbortSignal) => Promise<HookState | null>,
): Probe {
  return {
    check: 'webhook',
    async ask(signal) {
      const hook = await read(signal);
      if (hook === null) return NOT_ASKED;
      return [judgeAddress(hook, config, at.publicUrl), ...judgeForm(hook), judgeAttempts(hook.attempts, at.now())];
    },
  };
}

function judgeAddress({ url }: HookState, { webhookProxyUrl, githubWebUrl }: Settings, publicUrl: string): Verdict {
  const where = `in the App's settings on ${githubWebUrl}, "Webhook"`;
  if (url === '') return fail('GitHub sends deliveries nowhere', `Set the webhook URL ${where}, and make it active.`);
  if (webhookProxyUrl !== '') {
    return same(url, webhookProxyUrl)
      ? warn(
          'deliveries come through a smee channel',
          'Good for development only: whoever knows the channel reads them all.',
        )
      : fail(
          `GitHub sends deliveries to ${hostOf(url)}, not to the smee channel`,
          `Set WEBHOOK_PROXY_URL ${where}, or unset it here.`,
        );
  }
  if (publicUrl === '') {
    return url.replace(/\/$/, '').endsWith(PATH)
      ? warn(`GitHub sends deliveries to ${hostOf(url)}; can't verify that this is us`, 'Set PUBLIC_URL.')
      : fail(
          `GitHub sends deliveries to ${hostOf(url)}, to another path than ${PATH}`,
          `Correct the webhook URL ${where}.`,
        );
  }
  const wanted = `${publicUrl}${PATH}`;
  if (same(url, wanted)) return ok(`GitHub sends deliveries to ${wanted}`);
  return fail(
    `GitHub sends deliveries to ${hostOf(url)}, not to ${wanted}`,
    `Set the webhook URL ${where} to ${wanted}, or correct PUBLIC_URL.`,
  );
}

/** An address may hold a secret in its path or query: a channel does. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that cannot be read';
}

function same(one: string, other: string): boolean {
  const plain = (url: string) => (URL.parse(url)?.href ?? url).replace(/\/$/, '');
  return plain(one) === plain(other);
}

function judgeForm({ url, isJson, isVerified, hasSecret }: HookState): readonly Verdict[] {
  return [
    ...(hasSecret
      ? []
      : [
          fail(
            'GitHub signs deliveries with no secret',
            "Set the webhook secret in the App's settings to WEBHOOK_SECRET.",
          ),
        ]),
    ...(isJson
      ? []
      : [fail('GitHub sends deliveries as a form', 'Set the content type of the webhook to application/json.')]),
    ...(isVerified || !url.startsWith('https:')
      ? []
      : [warn('GitHub does not verify the certificate of the webhook', 'Switch "SSL verification" on.')]),
  ];
}

function judgeAttempts(all: readonly HookAttempt[], now: Date): Verdict {
  const recent = all.filter(({ at }) => at > now.getTime() - DAY_MS);
  const [last] = recent;
  if (last === undefined) return ok('no delivery in the last 24 hours');
  const failed = recent.filter(({ statusCode }) => statusCode < 200 || statusCode >= 300);
  const found = `${recent.length - failed.length} of the last ${recent.length} deliveries arrived`;
  if (failed.length === 0) return ok(found);
  const isUp = last.statusCode >= 200 && last.statusCode < 300;
  const words = `${found}; the last ${isUp ? 'did' : `got ${last.statusCode || 'no answer'}`}`;
  return isUp
    ? warn(words, 'Missed ones are asked for again every 15 minutes, for three days.')
    : fail(words, repairOf(last));
}

function repairOf({ statusCode }: HookAttempt): string {
  if (statusCode === 401) return "WEBHOOK_SECRET is not the secret in the App's settings: give both the same.";
  if (statusCode === 404) return 'Something else answers there: look where the proxy before this service leads.';
  if (statusCode === 0) return 'GitHub cannot connect: look at DNS, the firewall and the certificate of PUBLIC_URL.';
  if (statusCode >= 500) return 'The proxy, or this service, failed: look at both logs, and at /readyz.';
  return `Look at the delivery in the App's settings, "Advanced": it shows what was answered.`;
}
