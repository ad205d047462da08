// The App over the GitHub double: what the double announces is received, stored and handled, and nothing else is faked.

import { randomBytes } from 'node:crypto';
import { condenseLog } from 'causeway-ci-log';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { createRedactor } from 'causeway-redact';
import type { Probot } from 'probot';
import type { Role } from '../../../src/core/project/person.ts';
import type { JobResult } from '../../../src/core/queue.ts';
import type { Run } from '../../../src/db/runs.ts';
import { createSeal } from '../../../src/db/seal.ts';
import type { SqliteStore } from '../../../src/db/sqlite.ts';
import { createCausewayApp } from '../../../src/github/app.ts';
import { createChecks } from '../../../src/github/checks/create-checks.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import type { GithubClients } from '../../../src/github/clients/github-clients.ts';
import { createConfigurationReader } from '../../../src/github/configuration/read-configuration.ts';
import type { Mode } from '../../../src/github/configuration/repository-config.ts';
import {
  createDeliveriesInFlight,
  createDeliveryHandler,
  openProbot,
} from '../../../src/github/intake/handle-delivery.ts';
import { createReceiver } from '../../../src/github/intake/receive-delivery.ts';
import { createProjectSync } from '../../../src/github/projects/project-sync.ts';
import { createPermissions } from '../../../src/github/projects/roles.ts';
import { createLog } from '../../../src/log.ts';
import { createJobTable } from '../../../src/queue/job-table.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { patience } from '../../support/patience.ts';
import { migratedStore } from '../../support/sqlite-template.ts';
import { delivery, SECRET } from '../intake/signed-delivery.ts';

interface Announced {
  readonly event: string;
  readonly payload: Record<string, unknown>;
}

export interface EventHouse extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly store: SqliteStore;
  readonly clients: GithubClients;
  /** What the double has announced and nobody has handled. */
  readonly announced: Announced[];
  /** Receives and handles all of it, in order; gives what became of each job. */
  settle(): Promise<readonly JobResult[]>;
  /** Receives and handles one. Null: it was not stored. Throws what its handler throws. */
  handle(announced: Announced, id?: string): Promise<JobResult | null>;
  /** The runs that were started and not cancelled since, the oldest first; each is taken. */
  runs(): Promise<readonly Run[]>;
  /** What was written on GitHub, as `METHOD path`. */
  writes(): readonly string[];
  logged(): string;
}

export interface EventHouseOptions {
  readonly ceiling?: Mode;
  readonly paused?: boolean;
  readonly allowedOwners?: readonly string[];
}

/** People of `octo/shop` by their role; `eve` has none. */
const ROLES: Readonly<Record<string, Exclude<Role, 'none'>>> = {
  reader: 'read',
  tria: 'triage',
  wren: 'write',
  mona: 'maintain',
  ada: 'admin',
};

export async function eventHouse(options: EventHouseOptions = {}): Promise<EventHouse> {
  await using opening = new AsyncDisposableStack();
  const announced: Announced[] = [];
  const double = opening.use(await startGithubDouble({ app: CAUSEWAY_APP }));
  double.onEvent((event, payload) => void announced.push({ event, payload: JSON.parse(JSON.stringify(payload)) }));
  const table = createJobTable();
  const seal = createSeal(randomBytes(32));
  const store = opening.use(await migratedStore({ seal, enqueuer: table }));
  let logged = '';
  const log = createLog({ level: 'debug', destination: { write: (line) => (logged += line) } });
  const now = () => double.state.clock.now();
  const { apiUrl, webUrl, app } = double;
  const place = { apiUrl, webUrl, userAgent: 'causeway-test', now };
  const key = { appId: app.id, privateKey: app.privateKey };
  const clients = opening.use(createGithubClients({ ...place, ...key, installations: store }));
  const base = { store, clients, log, now, changes: createChanges() };
  const redactor = opening.use(createRedactor({ exactValues: () => [] }));
  const inFlight = createDeliveriesInFlight();
  const forChecks = {
    ...base,
    ...place,
    readBuildLog: async () => null,
    shortenLog: condenseLog,
    configuration: createConfigurationReader(base),
    permissions: createPermissions(base),
    ceiling: options.ceiling ?? 'fix',
    operatorModel: null,
  } as const;
  const register = createCausewayApp({
    ...forChecks,
    redactor,
    checks: createChecks({ ...forChecks, readArtifact: async () => ({ results: [], unread: [] }) }),
    projects: createProjectSync({ ...base, source: { forget: async () => {} }, allowedOwners: ['octo', 'acme'] }),
    paused: () => options.paused ?? false,
    newSigningSecret: () => `whsec_${randomBytes(24).toString('base64')}`,
    signalOf: inFlight.signalOf,
  });
  const probot = await openProbot({ credentials: key, apiUrl, log, app: (one: Probot) => register(one) });
  const { allowedOwners = ['octo', 'acme'] } = options;
  const handler = createDeliveryHandler({ ...base, redactor, probot, inFlight, allowedOwners });
  const receive = createReceiver({ store, secrets: () => [SECRET], now, log });
  let count = 0;
  const handle = async ({ event, payload }: Announced, id = `announced-${++count}`) => {
    const answer = await receive(delivery(payload, { event, id }));
    if (answer.status !== 202) throw new Error(`${event}: ${answer.status} ${await answer.text()}`);
    if ((await store.findDelivery(id)) === null) return null;
    const job = { id: `job ${id}`, kind: 'delivery', subject: id, attempt: 1 } as const;
    return handler.handle(job, patience());
  };
  const settle = async () => {
    const results: JobResult[] = [];
    for (let next = announced.shift(); next !== undefined; next = announced.shift()) {
      const result = await handle(next);
      if (result !== null) results.push(result);
    }
    return results;
  };
  const opened = opening.move();
  return {
    ...{ double, store, clients, announced, settle, handle },
    runs: () => takenRuns(store, now),
    writes: () => writesOf(double),
    logged: () => logged,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function takenRuns(store: SqliteStore, now: () => Date): Promise<readonly Run[]> {
  const investigations = await store.listInvestigations({ limit: 100 });
  const open = investigations.filter(({ outcome }) => outcome.state === 'queued' || outcome.state === 'running');
  const runs: Run[] = [];
  for (const { runId } of open.toReversed()) {
    const run = await store.startRun(runId, now().toISOString());
    if (run !== null) runs.push(run);
  }
  return runs;
}

/** Making tokens writes nothing that anybody sees. */
function writesOf({ requests }: GithubDouble): readonly string[] {
  return requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/access_tokens'))
    .map(({ method, path }) => `${method} ${path}`);
}

/** `octo/shop` with its people, an issue by an outsider, and the App installed; all of it settled. */
export async function shop(
  options: EventHouseOptions & { readonly files?: Record<string, string> } = {},
): Promise<EventHouse> {
  const house = await eventHouse(options);
  const { people } = house.double;
  people.organization('octo');
  await people.openRepository('octo/shop', options.files === undefined ? {} : { files: options.files });
  for (const [login, role] of Object.entries(ROLES)) people.grant('octo/shop', login, role);
  people.user('eve');
  people.install('octo');
  people.openIssue('octo/shop', { by: 'eve', title: 'Checkout crashes', body: 'TypeError: x is undefined' });
  await house.settle();
  return house;
}
