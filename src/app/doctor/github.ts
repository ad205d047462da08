// What the doctor asks GitHub: the App and its credentials, permissions, installations, webhook, address, and the
// clock.
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { comparePermissions, createGithubClients } from '../../github/clients/index.ts';
import { type AppState, type HookAttempt, type HookState, readApp, readHook } from '../../github/examination/index.ts';
import { appPage, wantedOfApp } from '../../github/setup/index.ts';
import { locate } from '../../installation.ts';
import { type GithubMode, isLoopback } from '../mode.ts';
import { USER_AGENT } from '../services.ts';
import { fail, formatNames, type Probe, type ProbeVerdict, pass, warn } from './probe.ts';

const SKIPPED = warn('skipped', 'Fix what "app" reports first.');

interface GithubProbes extends Disposable {
  readonly probes: readonly Probe[];
}

/** The App is read once for all of them; where that fails, only `app` says why. */
export function openGithubProbes(
  config: Config,
  { credentials, publicUrl }: GithubMode,
  now: () => Date,
  signal: AbortSignal,
): GithubProbes {
  const clock = createServerClock(now);
  const clients = createGithubClients({
    ...credentials,
    apiUrl: config.githubApiUrl,
    webUrl: config.githubWebUrl,
    userAgent: USER_AGENT,
    now,
    fetch: clock.fetch,
    installations: { findInstallation: async () => null },
  });
  const reading = readApp(clients.app, signal);
  const readOrNull = () => reading.catch(() => null);
  const judge = async (judgeApp: (app: AppState) => readonly (ProbeVerdict | false)[]) => {
    const app = await readOrNull();
    return app === null ? SKIPPED : judgeApp(app);
  };
  const probes: readonly Probe[] = [
    {
      check: 'app',
      ask: async () => {
        const { slug, owner } = await reading;
        return pass(`authenticated as ${slug} (App ${credentials.appId}) of ${owner.login}`);
      },
    },
    { check: 'permissions', ask: () => judge((app) => judgePermissions(app, config)) },
    { check: 'installations', ask: () => judge((app) => judgeInstallations(app, config)) },
    {
      check: 'webhook',
      ask: async (until) => {
        if ((await readOrNull()) === null) return SKIPPED;
        const hook = await readHook(clients.app, until);
        return [judgeHookAddress(hook, config, publicUrl), ...judgeForm(hook), judgeAttempts(hook.attempts, now())];
      },
    },
    { check: 'public url', ask: (until) => judgePublicUrl(publicUrl, until) },
    {
      check: 'clock',
      ask: async () => {
        await readOrNull();
        return judgeClock(clock.readAhead());
      },
    },
  ];
  return { probes, [Symbol.dispose]: () => clients[Symbol.dispose]() };
}

function judgePermissions(app: AppState, { maxMode, githubWebUrl }: Config): readonly (ProbeVerdict | false)[] {
  const manifest = readFileSync(locate('../../../app.yml', import.meta.url), 'utf8');
  const wanted = wantedOfApp(manifest, maxMode === 'fix' ? 'fix' : 'comment');
  const settings = `the App's settings on ${githubWebUrl}, "Permissions & events"`;
  const { missing } = comparePermissions(app.permissions, wanted.permissions);
  // `checks.rerun` needs it, where a repository wants that.
  const allowed = { ...wanted.permissions, actions: 'write' };
  const { unneeded } = comparePermissions(app.permissions, allowed);
  const events = wanted.events.filter((name) => !app.events.includes(name)).sort();
  // A permission that was added later holds once the owner has accepted it.
  const ungranted = app.installations.flatMap(({ owner, permissions, isSuspended }) => {
    const lacking = comparePermissions(permissions, app.permissions).missing;
    return lacking.length === 0 || isSuspended ? [] : [`${owner.login} has not granted ${formatNames(lacking)}`];
  });
  const accept = `The owner accepts it at ${githubWebUrl}/settings/installations, or in the organization's settings under "GitHub Apps".`;
  const faults = [
    missing.length > 0 &&
      fail(
        `the App does not ask for ${formatNames(missing)}`,
        `Add it in ${settings}; then each owner has to accept it.`,
      ),
    events.length > 0 && fail(`the App does not receive ${formatNames(events)}`, `Subscribe to it in ${settings}.`),
    unneeded.length > 0 &&
      warn(`the App has more permissions than it needs: ${formatNames(unneeded)}`, `Remove them in ${settings}.`),
    ...ungranted.map((found) => fail(found, accept)),
  ];
  return faults.some((verdict) => verdict !== false)
    ? faults
    : [pass('as in app.yml, for the App and each installation')];
}

function judgeInstallations(app: AppState, { allowedOwners, githubWebUrl }: Config): readonly (ProbeVerdict | false)[] {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  const isServed = ({ owner }: AppState['installations'][number]) =>
    allowed.size === 0 ? owner.id === app.owner.id : allowed.has(owner.login.toLowerCase());
  const page = appPage(githubWebUrl, app.slug);
  const served = app.installations.filter(isServed);
  const toLogins = (all: AppState['installations']) => all.map(({ owner }) => owner.login);
  const known = new Set(toLogins(app.installations).map((login) => login.toLowerCase()));
  const absent = app.isCut ? [] : allowedOwners.filter((login) => !known.has(login.toLowerCase()));
  const ignored = toLogins(app.installations.filter((each) => !isServed(each)));
  const suspended = toLogins(served.filter(({ isSuspended }) => isSuspended));
  return [
    served.length === 0
      ? fail('no allowed owner has installed the App', `Install it: ${page}`)
      : pass(`installed by ${formatNames(toLogins(served))}${app.isCut ? ' and more' : ''}`),
    absent.length > 0 &&
      warn(
        `ALLOWED_OWNERS names ${formatNames(absent)}, without an installation`,
        `Install it (${page}), or correct the name.`,
      ),
    ignored.length > 0 &&
      warn(
        `${formatNames(ignored)} installed the App, but is not allowed`,
        'Add its login to ALLOWED_OWNERS, or uninstall the App there.',
      ),
    suspended.length > 0 &&
      warn(
        `${formatNames(suspended)} has suspended the App`,
        'An owner can unsuspend it in the GitHub Apps settings there.',
      ),
  ];
}

const DELIVERIES = '/api/github/webhooks';

function judgeHookAddress(
  { url }: HookState,
  { webhookProxyUrl, githubWebUrl }: Config,
  publicUrl: string,
): ProbeVerdict {
  const where = `in the App's settings on ${githubWebUrl}, "Webhook"`;
  if (url === '') return fail('GitHub sends deliveries nowhere', `Set the webhook URL ${where}, and activate it.`);
  const normalise = (text: string) => (URL.parse(text)?.href ?? text).replace(/\/$/, '');
  // An address may contain a secret in its path or query: a smee channel does.
  const sent = `GitHub sends deliveries to ${URL.parse(url)?.host ?? 'an address that cannot be read'}`;
  if (webhookProxyUrl !== '') {
    return normalise(url) === normalise(webhookProxyUrl)
      ? warn(
          'deliveries come through a smee channel',
          'Use it for development only: anyone who knows the channel can read them.',
        )
      : fail(`${sent}, not to the smee channel`, `Set WEBHOOK_PROXY_URL ${where}, or unset it here.`);
  }
  if (publicUrl === '') {
    return normalise(url).endsWith(DELIVERIES)
      ? warn(`${sent}; cannot tell whether that is this service`, 'Set PUBLIC_URL.')
      : fail(`${sent}, to another path than ${DELIVERIES}`, `Correct the webhook URL ${where}.`);
  }
  const wanted = `${publicUrl}${DELIVERIES}`;
  if (normalise(url) === normalise(wanted)) return pass(`GitHub sends deliveries to ${wanted}`);
  return fail(`${sent}, not to ${wanted}`, `Set the webhook URL ${where} to ${wanted}, or correct PUBLIC_URL.`);
}

function judgeForm({ url, isJson, isVerified, hasSecret }: HookState): readonly (ProbeVerdict | false)[] {
  return [
    !hasSecret &&
      fail(
        'GitHub signs deliveries without a secret',
        "Set the webhook secret in the App's settings to WEBHOOK_SECRET.",
      ),
    !isJson && fail('GitHub sends deliveries as a form', 'Set the content type of the webhook to application/json.'),
    !isVerified &&
      url.startsWith('https:') &&
      warn('GitHub does not verify the certificate of the webhook', 'Enable "SSL verification".'),
  ];
}

const DAY_MS = 24 * 60 * 60_000;

function judgeAttempts(all: readonly HookAttempt[], now: Date): ProbeVerdict {
  const recent = all.filter(({ at }) => at > now.getTime() - DAY_MS);
  const [last] = recent;
  if (last === undefined) return pass('no delivery in the last 24 hours');
  const hasArrived = ({ statusCode }: HookAttempt) => statusCode >= 200 && statusCode < 300;
  const arrived = recent.filter(hasArrived).length;
  const found = `${arrived} of the last ${recent.length} deliveries arrived`;
  if (arrived === recent.length) return pass(found);
  if (hasArrived(last)) {
    return warn(`${found}, the last one too`, 'Missed ones are requested again every 15 minutes, for three days.');
  }
  return fail(`${found}; the last one got ${last.statusCode || 'no answer'}`, describeWebhookRepair(last.statusCode));
}

function describeWebhookRepair(status: number): string {
  if (status === 401) return "Make WEBHOOK_SECRET equal to the secret in the App's settings.";
  if (status === 404) return 'Something else answers there: check where the proxy before this service leads.';
  if (status === 0) return 'GitHub cannot connect: check DNS, the firewall and the certificate of PUBLIC_URL.';
  if (status >= 500) return 'The proxy or this service failed: check both logs, and /readyz.';
  return `Open the delivery in the App's settings under "Advanced"; it shows the answer.`;
}

const ANSWER_MS = 10_000;
const FROM_HERE = 'This was tried from this machine; some networks block access to their own public address.';

async function judgePublicUrl(publicUrl: string, signal: AbortSignal): Promise<readonly (ProbeVerdict | false)[]> {
  if (publicUrl === '') {
    return [warn('PUBLIC_URL is not set', 'Set it to the address at which GitHub and callers reach this service.')];
  }
  const { protocol, hostname } = new URL(publicUrl);
  const isHere = isLoopback(hostname);
  return [
    isHere && warn(`${publicUrl} leads to this machine only`, 'Set PUBLIC_URL to an address that GitHub can reach.'),
    !isHere &&
      protocol !== 'https:' &&
      fail(
        `${publicUrl} is not https`,
        'Put a proxy with a certificate in front: tokens and sign-ins are not encrypted.',
      ),
    await callHealth(publicUrl, signal),
  ];
}

async function callHealth(publicUrl: string, signal: AbortSignal): Promise<ProbeVerdict> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const response = await fetch(`${publicUrl}/healthz`, { signal: until, redirect: 'manual' });
    if (response.ok && /"status"\s*:\s*"alive"/.test(await response.text())) return pass(`${publicUrl} answers`);
    const found = `${publicUrl}/healthz answered ${response.status}, and not as Causeway does`;
    return fail(found, `Check where the proxy before this service leads. ${FROM_HERE}`);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).name;
    const repair = 'Start the service ("causeway serve"), or check DNS, firewall and certificate.';
    return warn(`${publicUrl} does not answer (${code})`, `${repair} ${FROM_HERE}`);
  }
}

/** GitHub refuses tokens from the future, which are dated a minute back. */
const MOST_APART_MS = 30_000;

/** Measures by how much the clock of what answers is ahead of ours. */
function createServerClock(now: () => Date) {
  let ahead: number | null = null;
  return {
    readAhead: () => ahead,
    fetch: async (...args: Parameters<typeof fetch>) => {
      const sent = now().getTime();
      const response = await fetch(...args);
      const middle = (sent + now().getTime()) / 2;
      // The header has whole seconds, cut off.
      const date = Date.parse(response.headers.get('date') ?? '') + 500;
      if (Number.isFinite(date)) ahead = date - middle;
      return response;
    },
  };
}

function judgeClock(ahead: number | null): ProbeVerdict {
  if (ahead === null) return SKIPPED;
  const seconds = Math.abs(Math.round(ahead / 1_000));
  if (Math.abs(ahead) <= MOST_APART_MS) return pass(`within ${Math.max(1, seconds)} s of GitHub`);
  const repair = 'Synchronise it by NTP (timedatectl set-ntp true): GitHub refuses App tokens from a wrong clock.';
  return fail(`this machine's clock is ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} GitHub`, repair);
}
