// The service over GitHub, put together and at rest: what it knows, who hands out events, and the work it can take.

import type { AppCredentials, Config } from '../config.ts';
import type { Holds } from '../core/holds.ts';
import type { Worker } from '../core/queue.ts';
import { createCausewayApp } from '../github/app.ts';
import { gitCredentials } from '../github/clients/git-credentials.ts';
import { openProbot, type ReceivingProbot } from '../github/intake/open-probot.ts';
import { type Log, registerSecret } from '../log.ts';
import { mayStillSee } from '../services/access.ts';
import { type CheckReader, createCheckReader } from '../services/checks/check-reader.ts';
import type { Investigator } from '../services/investigator.ts';
import { createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { parseCallbackAllow } from '../webhooks/callback-policy.ts';
import { accountAreaUrl } from './account-area.ts';
import { openDataFolder } from './data-folder.ts';
import { githubLanes } from './github-lanes.ts';
import { type GithubParts, githubParts, openClients } from './github-parts.ts';
import { type House, openHouse, startWork } from './house.ts';
import { offeredModels, openInvestigator } from './open-investigator.ts';
import { ownRecords } from './open-records.ts';
import { PATIENCE_MS } from './serve-options.ts';
import { sessionKey } from './session-key.ts';
import { VERSION } from './version.ts';
import { createWaits } from './waits.ts';

export interface GithubService extends AsyncDisposable {
  readonly house: House;
  readonly parts: GithubParts;
  readonly probot: ReceivingProbot;
  readonly investigator: Investigator | null;
  /** Of browsers' sessions. */
  readonly sessionKey: Buffer;
  /** Takes work of every kind until disposed. */
  startWork(): Worker;
}

export interface GithubServiceOptions {
  readonly config: Config;
  readonly credentials: AppCredentials;
  /** Where people open the account area; "": not known. */
  readonly publicUrl: string;
  readonly log: Log;
  readonly now: () => Date;
  /** Absent: it makes its own. */
  readonly telemetry?: Telemetry;
  /** Ends the wait for the records' server. */
  readonly signal?: AbortSignal;
}

/** Owns the data folder until disposed. Asks GitHub nothing yet. */
export async function openGithubService(options: GithubServiceOptions): Promise<GithubService> {
  const { config, credentials, publicUrl, log, now } = options;
  const { privateKey, webhookSecrets, clientSecret } = credentials;
  for (const secret of [privateKey, ...webhookSecrets, clientSecret]) registerSecret(secret);
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  opening.use(ownRecords(folder.database));
  // GitHub and the model are called only once the house is open.
  const holds: Holds = {
    until: (name) => house.holds.until(name),
    hold: (name, until) => house.holds.hold(name, until),
    standing: () => house.holds.standing(),
  };
  const { investigator } = opening.use(openInvestigator({ config, log, now, holds, patienceMs: PATIENCE_MS }));
  // The house's git needs the clients, which need its store.
  const installations = { installation: (id: number) => house.store.installation(id) };
  const telemetry = options.telemetry ?? createTelemetry({ version: VERSION, log, now });
  const clients = opening.use(
    openClients(config, credentials, { installations, holds, now, watch: telemetry.github.call }),
  );
  const house: House = opening.use(
    await openHouse({
      ...folder,
      git: {
        folder: folder.mirrors,
        maxTogetherBytes: config.mirrorsMaxBytes,
        environment: config.environment,
        credentials: (project, signal) => gitCredentials(clients, project, signal),
      },
      callbackPolicy: { allow: parseCallbackAllow(config.callbackAllow), localMode: false },
      ...{ log, now, telemetry },
      ...(options.signal && { signal: options.signal }),
    }),
  );
  // Those of an earlier local mode would be everybody's here.
  await house.store.syncProjects([], now().toISOString());
  const parts = githubParts(house, clients, { config, ...offeredModels(investigator) });
  const { appId } = credentials;
  const probot = await openProbot({
    ...{ appId, privateKey, apiUrl: config.githubApiUrl, log },
    app: createCausewayApp(parts.app),
  });
  const { readCheck } = opening.use(createCheckReader());
  const opened = opening.move();
  return {
    ...{ house, parts, probot, investigator },
    sessionKey: sessionKey(config.sessionSecret, folder.encryptionKey),
    startWork: () =>
      startGithubWork(
        { house, parts, probot, investigator, readCheck },
        { config, publicUrl: accountAreaUrl(credentials, publicUrl) },
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Ground = Pick<GithubService, 'house' | 'parts' | 'probot' | 'investigator'> & Pick<CheckReader, 'readCheck'>;

function startGithubWork(
  { house, parts, probot, investigator, readCheck }: Ground,
  { config, publicUrl }: Pick<GithubServiceOptions, 'config' | 'publicUrl'>,
): Worker {
  const waits = createWaits(house);
  return startWork(house, {
    ...{ concurrency: config.concurrency, investigationTimeoutMs: config.investigationTimeoutMs, investigator },
    ...{ paused: parts.app.paused, onWait: waits.onWait },
    mayBeTold: (webhook, signal) => mayStillSee({ ...house, permissions: parts.permissions }, webhook, signal),
    lanes: githubLanes(house, { config, parts, publicUrl, probot, readCheck, waitsFor: waits.waitsFor }),
  });
}
