// The App on GitHub: are the credentials believed, is it allowed what it needs and no more, who has installed it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { INSTALLATION } from '../../config.ts';
import { comparePermissions, missingEvents } from '../../github/examination/compare-grants.ts';
import type { AppState, InstallationState } from '../../github/examination/read-app.ts';
import { appPage } from '../../github/setup/made-app.ts';
import { wantedOfApp } from '../../github/setup/manifest.ts';
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
            `Install it there (${page}), or mend the name.`,
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
