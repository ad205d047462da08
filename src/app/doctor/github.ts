// The App on GitHub: its credentials, permissions, installations, webhook and address, and the clocks that must agree.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Config, INSTALLATION } from '../../config.ts';
import type { AppState, HookAttempt, HookState, InstallationState } from '../../github/examination/read-app.ts';
import { comparePermissions, missingEvents } from '../../github/examination/read-app.ts';
import { appPage } from '../../github/setup/made-app.ts';
import { wantedOfApp } from '../../github/setup/manifest.ts';
import { isLoopback } from '../mode.ts';
import { fail, NOT_ASKED, ok, type Probe, type Verdict, warn } from './probe.ts';

type Settings = Pick<Config, 'maxMode' | 'allowedOwners' | 'githubWebUrl'>;

type Read = (signal: AbortSignal) => Promise<AppState>;

/** `read` is asked once for all of them. */
export function appProbes(config: Settings, appId: number, read: Read): readonly Probe[] {
  return [
    {
      check: 'app',
      ask: async (signal) => {
        const { slug, owner } = await read(signal);
        return ok(`authenticated as ${slug} (App ${appId}) of ${owner.login}`);
      },
    },
    { check: 'permissions', ask: async (signal) => judgeGrants(await readOrNull(read, signal), config) },
    { check: 'installations', ask: async (signal) => judgeInstallations(await readOrNull(read, signal), config) },
  ];
}

/** Null: why is said by the check that asks first. */
async function readOrNull(read: Read, signal: AbortSignal): Promise<AppState | null> {
  return await read(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof Error) return null;
    throw error;
  });
}

function judgeGrants(app: AppState | null, config: Settings): readonly Verdict[] {
  if (app === null) return [NOT_ASKED];
  const kind = config.maxMode === 'fix' ? 'fix' : 'comment';
  const wanted = wantedOfApp(readFileSync(path.join(INSTALLATION, 'app.yml'), 'utf8'), kind);
  const settings = `the App's settings on ${config.githubWebUrl}, "Permissions & events"`;
  const { missing, unneeded } = comparePermissions(app.permissions, wanted.permissions);
  const events = missingEvents(app, wanted.events);
  const verdicts: Verdict[] = [
    ...(missing.length === 0
      ? []
      : [
          fail(`the App does not ask for ${list(missing)}`, `Add it in ${settings}; then each owner has to accept it.`),
        ]),
    ...(events.length === 0 ? [] : [fail(`the App is not told of ${list(events)}`, `Subscribe to it in ${settings}.`)]),
    ...(unneeded.length === 0
      ? []
      : [warn(`the App may do more than it needs: ${list(unneeded)}`, `Take it away in ${settings}.`)]),
    ...app.installations.flatMap((each) => judgeInstalled(each, app.permissions, config)),
  ];
  return verdicts.length === 0 ? [ok('as app.yml asks, in the App and in each installation')] : verdicts;
}

/** A permission that was added later holds for an installation once its owner has accepted it. */
function judgeInstalled(
  installed: InstallationState,
  asked: AppState['permissions'],
  config: Settings,
): readonly Verdict[] {
  const { missing } = comparePermissions(installed.permissions, asked);
  if (missing.length === 0 || installed.isSuspended) return [];
  const repair = `Its owner accepts it at ${config.githubWebUrl}/settings/installations, or the organisation's settings, "GitHub Apps".`;
  return [fail(`${installed.owner.login} has not granted ${list(missing)}`, repair)];
}

function judgeInstallations(app: AppState | null, { allowedOwners, githubWebUrl }: Settings): readonly Verdict[] {
  if (app === null) return [NOT_ASKED];
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  const counts = ({ owner }: InstallationState) =>
    allowed.size === 0 ? owner.id === app.owner.id : allowed.has(owner.login.toLowerCase());
  const page = appPage(githubWebUrl, app.slug);
  const served = app.installations.filter(counts);
  const has = new Set(app.installations.map(({ owner }) => owner.login.toLowerCase()));
  const absent = app.isCut ? [] : allowedOwners.filter((login) => !has.has(login.toLowerCase()));
  const ignored = app.installations.filter((each) => !counts(each)).map(({ owner }) => owner.login);
  const suspended = served.filter(({ isSuspended }) => isSuspended).map(({ owner }) => owner.login);
  const logins = served.map(({ owner }) => owner.login);
  return [
    served.length === 0
      ? fail('nobody who counts has installed the App', `Install it: ${page}`)
      : ok(`installed by ${list(logins)}${app.isCut ? ' and more' : ''}`),
    ...(absent.length === 0
      ? []
      : [
          warn(
            `ALLOWED_OWNERS names ${list(absent)}, without an installation`,
            `Install it there (${page}), or correct the name.`,
          ),
        ]),
    ...(ignored.length === 0
      ? []
      : [
          warn(
            `${list(ignored)} installed it and is not served`,
            'Name its login in ALLOWED_OWNERS, or have it uninstalled.',
          ),
        ]),
    ...(suspended.length === 0
      ? []
      : [
          warn(
            `${list(suspended)} has suspended it`,
            'Whoever did so can take that back in the GitHub Apps settings there.',
          ),
        ]),
  ];
}

const MOST_NAMED = 8;

function list(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}

type HookSettings = Pick<Config, 'webhookProxyUrl' | 'githubWebUrl'>;

const PATH = '/api/github/webhooks';

const DAY_MS = 24 * 60 * 60_000;

/** `publicUrl`: "" where it is not known. `read`: null where the App itself could not be asked. */
export function webhookProbe(
  config: HookSettings,
  at: { readonly publicUrl: string; readonly now: () => Date },
  read: (signal: AbortSignal) => Promise<HookState | null>,
): Probe {
  return {
    check: 'webhook',
    async ask(signal) {
      const hook = await read(signal);
      if (hook === null) return NOT_ASKED;
      return [judgeAddress(hook, config, at.publicUrl), ...judgeHookForm(hook), judgeAttempts(hook.attempts, at.now())];
    },
  };
}

function judgeAddress({ url }: HookState, { webhookProxyUrl, githubWebUrl }: HookSettings, publicUrl: string): Verdict {
  const where = `in the App's settings on ${githubWebUrl}, "Webhook"`;
  if (url === '') return fail('GitHub sends deliveries nowhere', `Set the webhook URL ${where}, and make it active.`);
  if (webhookProxyUrl !== '') {
    return isSame(url, webhookProxyUrl)
      ? warn(
          'deliveries come through a smee channel',
          'Good for development only: whoever knows the channel reads them all.',
        )
      : fail(
          `GitHub sends deliveries to ${nameHost(url)}, not to the smee channel`,
          `Set WEBHOOK_PROXY_URL ${where}, or unset it here.`,
        );
  }
  if (publicUrl === '') {
    return url.replace(/\/$/, '').endsWith(PATH)
      ? warn(`GitHub sends deliveries to ${nameHost(url)}; can't verify that this is us`, 'Set PUBLIC_URL.')
      : fail(
          `GitHub sends deliveries to ${nameHost(url)}, to another path than ${PATH}`,
          `Correct the webhook URL ${where}.`,
        );
  }
  const wanted = `${publicUrl}${PATH}`;
  if (isSame(url, wanted)) return ok(`GitHub sends deliveries to ${wanted}`);
  return fail(
    `GitHub sends deliveries to ${nameHost(url)}, not to ${wanted}`,
    `Set the webhook URL ${where} to ${wanted}, or correct PUBLIC_URL.`,
  );
}

/** An address may hold a secret in its path or query: a channel does. */
function nameHost(url: string): string {
  return URL.parse(url)?.host ?? 'an address that cannot be read';
}

function isSame(one: string, other: string): boolean {
  const plain = (url: string) => (URL.parse(url)?.href ?? url).replace(/\/$/, '');
  return plain(one) === plain(other);
}

function judgeHookForm({ url, isJson, isVerified, hasSecret }: HookState): readonly Verdict[] {
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
    : fail(words, describeRepair(last));
}

function describeRepair({ statusCode }: HookAttempt): string {
  if (statusCode === 401) return "WEBHOOK_SECRET is not the secret in the App's settings: give both the same.";
  if (statusCode === 404) return 'Something else answers there: look where the proxy before this service leads.';
  if (statusCode === 0) return 'GitHub cannot connect: look at DNS, the firewall and the certificate of PUBLIC_URL.';
  if (statusCode >= 500) return 'The proxy, or this service, failed: look at both logs, and at /readyz.';
  return `Look at the delivery in the App's settings, "Advanced": it shows what was answered.`;
}

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
      return [...judgeAddressForm(publicUrl), await callHealth(publicUrl, signal)];
    },
  };
}

function judgeAddressForm(publicUrl: string): readonly Verdict[] {
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

async function callHealth(publicUrl: string, signal: AbortSignal): Promise<Verdict> {
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
    return warn(`${publicUrl} does not answer (${nameCode(error)})`, `${start} ${here}`);
  }
}

function nameCode(error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
    if (inner.name === 'TimeoutError') return `not within ${ANSWER_MS / 1_000} s`;
  }
  return 'no reason named';
}

/** GitHub takes no App token from the future, and we date them a minute back; receivers of webhooks allow five minutes. */
const MOST_MS = 30_000;

const ASKED_MS = 10_000;

export interface Clocks {
  /** fetch that remembers by how much the answering clock is ahead of ours. */
  readonly fetch: typeof fetch;
  /** Milliseconds by host; the last answer of each. */
  readonly ahead: ReadonlyMap<string, number>;
}

export function createClocks(now: () => Date): Clocks {
  const ahead = new Map<string, number>();
  return {
    ahead,
    async fetch(input, init) {
      const sent = now().getTime();
      const response = await fetch(input, init);
      const middle = (sent + now().getTime()) / 2;
      // The header says whole seconds, cut off.
      const told = Date.parse(response.headers.get('date') ?? '') + 500;
      const host = URL.parse(response.url)?.host;
      if (Number.isFinite(told) && host) ahead.set(host, told - middle);
      return response;
    },
  };
}

/** `asked`: what has GitHub answer, well or not. `modelUrl`: "" for none; it is asked without a key. */
export function clockProbe(clocks: Clocks, asked: Promise<unknown>, modelUrl: string): Probe {
  return {
    check: 'clock',
    async ask(signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(ASKED_MS)]);
      const model =
        modelUrl === '' ? null : clocks.fetch(modelUrl, { method: 'HEAD', redirect: 'manual', signal: until });
      await Promise.allSettled([asked, model]);
      if (clocks.ahead.size === 0)
        return warn('nobody answered whose clock could be read', 'Put right what the other checks say first.');
      const all = [...clocks.ahead].sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
      const [host, ms] = all[0] ?? ['', 0];
      const seconds = Math.abs(Math.round(ms / 1_000));
      const side = ms > 0 ? 'behind' : 'ahead of';
      if (Math.abs(ms) > MOST_MS) {
        const repair =
          'Set it by NTP (timedatectl set-ntp true): GitHub refuses App tokens from a wrong clock, receivers our webhooks.';
        return fail(`this machine's clock is ${seconds} s ${side} ${host}`, repair);
      }
      return ok(`within ${Math.max(1, seconds)} s of ${all.map(([name]) => name).join(' and ')}`);
    },
  };
}
