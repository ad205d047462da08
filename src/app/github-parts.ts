// The parts of the service that know GitHub, put together over one house.

import type { AppCredentials, Config } from '../config.ts';
import { createGithubClients } from '../github/clients/create-github-clients.ts';
import type { GithubClients } from '../github/clients/github-clients.ts';
import { type ConfigurationReader, createConfigurationReader } from '../github/configuration/read-configuration.ts';
import type { CausewayAppDeps } from '../github/events/app-deps.ts';
import { createDeliveriesInFlight, type DeliveriesInFlight } from '../github/intake/in-flight.ts';
import { createProjectSync, type ProjectSync } from '../github/projects/project-sync.ts';
import { createRedelivery, type Redelivery } from '../github/projects/redelivery.ts';
import { createPermissions, type GithubPermissions } from '../github/projects/roles.ts';
import { newSigningSecret } from '../webhooks/sign.ts';
import type { House } from './house.ts';
import { pausedIn } from './pause.ts';
import { VERSION } from './version.ts';

export interface GithubParts {
  readonly clients: GithubClients;
  readonly permissions: GithubPermissions;
  readonly configuration: ConfigurationReader;
  readonly sync: ProjectSync;
  readonly redelivery: Redelivery;
  readonly inFlight: DeliveriesInFlight;
  /** What the event handlers work with. */
  readonly app: CausewayAppDeps;
}

export interface GithubPartsOptions {
  readonly config: Config;
  /** Name of the model that the operator offers; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels: readonly string[];
}

/** The clients of GitHub, over whatever knows the installations. Asks GitHub nothing yet. */
export function openClients(
  config: Config,
  credentials: AppCredentials,
  house: Pick<House, 'now'> & Pick<Parameters<typeof createGithubClients>[0], 'installations' | 'watch' | 'holds'>,
): GithubClients {
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  return createGithubClients({ ...credentials, apiUrl, webUrl, userAgent: USER_AGENT, ...house });
}

const USER_AGENT = `causeway/${VERSION}`;

export function githubParts(
  house: House,
  clients: GithubClients,
  { config, operatorModel, otherModels }: GithubPartsOptions,
): GithubParts {
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  const permissions = createPermissions({ clients, now: house.now });
  const configuration = createConfigurationReader({ ...house, clients });
  const sync = createProjectSync({ ...house, clients, allowedOwners: config.allowedOwners });
  const redelivery = createRedelivery({ ...house, clients });
  const inFlight = createDeliveriesInFlight();
  const app: CausewayAppDeps = {
    ...house,
    ...{ clients, configuration, operatorModel, otherModels, newSigningSecret, apiUrl, webUrl, userAgent: USER_AGENT },
    projects: sync,
    permissions,
    ceiling: config.maxMode,
    paused: pausedIn(house, config.dataDir),
    signalOf: inFlight.signalOf,
  };
  return { clients, permissions, configuration, sync, redelivery, inFlight, app };
}
