// The house in this process with a model behind the wire, whose waits between attempts take no time.

import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createEndpointModel, type EndpointModelOptions } from 'causeway-models';
import { openInvestigator } from '../../src/app/model.ts';
import { openServices, type Services, type ServicesOptions, startWork } from '../../src/app/services.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Investigation } from '../../src/core/report/report.ts';
import { createLog } from '../../src/log.ts';
import { acceptReport, cancelInvestigation } from '../../src/services/accept-report.ts';
import type { Investigator } from '../../src/services/investigator.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { endpointConfig } from './endpoint-config.ts';
import { createMemoryRepository } from './memory-source.ts';
import { PRICES } from './model-service.ts';
import { PATIENCE_MS, patience } from './patience.ts';

export interface ModelHouse extends AsyncDisposable {
  /** Sends the report and works until nothing is due any more: it has ended, or waits for a later time. */
  investigate(url: string, reference: string, limits?: ModelLimits): Promise<Investigation>;
  /** The Issue in which it ended. */
  issue(investigation: Investigation): Promise<Issue>;
  /** What the operator was told last. */
  trouble(): string;
  cancel(investigation: Investigation): Promise<unknown>;
  /** Lets time pass, and works on what is due then; gives the investigation as it stands after it. */
  later(milliseconds: number, investigation: Investigation): Promise<Investigation>;
}

export interface ModelLimits extends Partial<EndpointModelOptions> {
  /** Milliseconds that a model out of reach is waited for; an hour. */
  readonly patienceMs?: number;
}

export const MODEL_KEY = 'sk-test-abcdefghijklmnopqrstuvwxyz012345';
const BUDGET = { run: 1, repository: 25, all: 200 };

/** A house over one commit in memory; its records lie in `dataDir`. Every report has the same text but for its reference. */
export async function modelHouse(place: {
  readonly files: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly report: string;
}): Promise<ModelHouse> {
  await using opening = new AsyncDisposableStack();
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const opened = opening.use(await openServices({ ...optionsOf(place.dataDir), now }));
  const commits = [{ sha: 'a'.repeat(40), subject: 'Shop', files: place.files }];
  const repository = createMemoryRepository({ commits });
  const house = { ...opened, source: { open: async () => repository, forget: async () => {} } };
  const wanted = [{ name: 'local/shop', source: { kind: 'path', path: '/shop' } as const }];
  const [project] = await house.store.syncProjects(wanted, new Date().toISOString());
  let trouble = '';
  const { worker, switchTo } = startAsking(house, opening, (text) => {
    trouble = text;
  });
  const moved = opening.move();
  return {
    investigate: async (url, reference, limits = {}) => {
      switchTo(url, limits);
      const own = {
        projectId: project?.id ?? '',
        accountId: house.account.id,
        origin: 'api',
        callbackUrl: '',
        isTrusted: true,
        settings: DEFAULT_SETTINGS,
      } as const;
      const report = { ...own, text: `${place.report}\n${reference}`, reference, revision: '', fresh: true };
      const accepted = await acceptReport(house, report);
      if (accepted.kind !== 'accepted') throw new Error(`the report is ${accepted.kind}`);
      await worker.waitUntilIdle(patience());
      return await stored(house, accepted.investigationId);
    },
    issue: async ({ outcome }) => {
      const issue = outcome.state === 'concluded' ? await house.store.findIssue(outcome.issueId) : null;
      if (issue === null) throw new Error(`there is no Issue: ${JSON.stringify(outcome)}`);
      return issue;
    },
    trouble: () => trouble,
    cancel: ({ id }) => cancelInvestigation(house, id),
    later: async (milliseconds, { id }) => {
      ahead += milliseconds;
      await worker.waitUntilIdle(patience());
      return await stored(house, id);
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

async function stored({ store }: Services, id: string): Promise<Investigation> {
  const investigation = await store.findInvestigation(id);
  if (investigation === null) throw new Error('the investigation is gone');
  return investigation;
}

function optionsOf(dataDir: string): Omit<ServicesOptions, 'now'> {
  return {
    // Its clock is moved, which PostgreSQL does not heed.
    database: path.join(dataDir, 'causeway.db'),
    encryptionKey: randomBytes(32),
    lexicon: path.join(dataDir, 'lexicon'),
    git: { folder: path.join(dataDir, 'mirrors'), environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log: createLog({ level: 'silent' }),
  };
}

/** Work with a model that is another one for each investigation: a queue has one worker. */
function startAsking(house: Services, opening: AsyncDisposableStack, onTrouble: (text: string) => void) {
  const { log, now } = house;
  const model = endpointConfig({ apiKey: MODEL_KEY, timeoutMs: 20_000, idleMs: 10_000 });
  const config = { model, budget: BUDGET, monitoringFile: null, environment: {} };
  const { investigator } = opening.use(openInvestigator({ config, log, now, patienceMs: 0 }));
  if (investigator === null) throw new Error('there is no investigator');
  let current = investigator.model;
  let patienceMs = 0;
  const switched: Investigator = {
    ...investigator,
    model: { name: model.name, prices: PRICES, ask: (request, signal) => current.ask(request, signal) },
    limits: {
      ...investigator.limits,
      get patienceMs() {
        return patienceMs;
      },
    },
  };
  const work = { concurrency: 1, investigationTimeoutMs: PATIENCE_MS, investigator: switched, onTrouble };
  return {
    worker: opening.use(startWork(house, work)),
    switchTo: (baseUrl: string, { patienceMs: patience = 3_600_000, ...own }: ModelLimits) => {
      patienceMs = patience;
      const still = { prices: PRICES, now, random: () => 0, wait: async () => {} };
      const settings = { ...model, openai: { ...model.openai, baseUrl } };
      current = createEndpointModel({ ...model, ...still, settings, ...own });
    },
  };
}
