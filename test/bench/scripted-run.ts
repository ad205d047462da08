// Runs of the whole house over a made repository with real git and a model that plays a script and answers at once.
import path from 'node:path';
import { openInvestigator } from '../../src/app/model.ts';
import { openServices, type Services, startWork } from '../../src/app/services.ts';
import type { Issue } from '../../src/core/issue.ts';
import type { Model, ModelRequest } from '../../src/core/model.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { createLog } from '../../src/log.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { acceptReport } from '../../src/services/accept-report.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { endpointConfig } from '../support/endpoint-config.ts';
import { type MadeRepository, makeRepository } from './made-repository.ts';

const MOST_MS = 300_000;

export interface ScriptedRun {
  readonly issue: Issue;
  /** From the report to its Issue, without what the model took. */
  readonly ms: number;
  readonly requests: readonly ModelRequest[];
}

export interface ScriptedHouse extends AsyncDisposable {
  readonly repository: MadeRepository;
  /** The model asks `turns - 1` times for something, then concludes. Throws where that is not what became of it. */
  run(turns: number): Promise<ScriptedRun>;
}

interface Place {
  readonly folder: string;
  readonly files: number;
  /** Where git is found. */
  readonly searchPath: string;
}

/** `searchPath` is the PATH in which git is looked for. */
export async function scriptedHouse({ folder, files, searchPath }: Place): Promise<ScriptedHouse> {
  const repository = await makeRepository(folder, files);
  const dataDir = path.join(folder, `data-${searchPath.length}`);
  const environment = { PATH: searchPath };
  await using opening = new AsyncDisposableStack();
  const house = opening.use(
    await openServices({
      ...{ database: path.join(dataDir, 'causeway.db'), encryptionKey: Buffer.alloc(32, 7), now: () => new Date() },
      lexicon: path.join(dataDir, 'lexicon'),
      git: { folder: path.join(dataDir, 'mirrors'), environment },
      callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
      log: createLog({ level: 'silent' }),
    }),
  );
  const wanted = [{ name: 'local/made', source: { kind: 'path', path: repository.gitDir } as const }];
  const [project] = await house.store.syncProjects(wanted, house.now().toISOString());
  const played = playedModel();
  const config = {
    model: endpointConfig({ name: 'played' }),
    ...{ budget: { run: 1_000, repository: 1_000, all: 1_000 }, monitoringFile: null, environment },
  } as const;
  const { log, now } = house;
  const { investigator } = opening.use(openInvestigator({ config, log, now, patienceMs: 0 }));
  if (investigator === null) throw new Error('there is no investigator');
  const asked = { ...investigator, model: played.model };
  const worker = opening.use(
    startWork(house, { concurrency: 1, investigationTimeoutMs: MOST_MS, investigator: asked }),
  );
  const opened = opening.move();
  let number = 0;
  return {
    repository,
    run: async (turns) => {
      const text = repository.report(number++);
      played.play(`${text.title}\n\n${text.body}`, turns);
      const begun = performance.now();
      const id = await accepted(house, project?.id ?? '', `${text.title}\n\n${text.body}`);
      await worker.waitUntilIdle(AbortSignal.timeout(MOST_MS));
      const ms = performance.now() - begun - played.ms();
      return { issue: await concluded(house, id, turns), ms, requests: played.requests() };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function accepted(house: Services, projectId: string, text: string): Promise<string> {
  const accepted = await acceptReport(house, {
    ...{ projectId, accountId: house.account.id, origin: 'api', text, reference: '', revision: '' },
    ...{ callbackUrl: '', fresh: true, isTrusted: true, settings: DEFAULT_SETTINGS },
  });
  if (accepted.kind !== 'accepted') throw new Error(`the report is ${accepted.kind}`);
  return accepted.investigationId;
}

async function concluded({ store }: Services, id: string, turns: number): Promise<Issue> {
  const outcome = (await store.findInvestigation(id))?.outcome;
  const issue = outcome?.state === 'concluded' ? await store.findIssue(outcome.issueId) : null;
  if (issue === null) throw new Error(`the run ended as ${JSON.stringify(outcome)}`);
  if (issue.analysis.usage.turns !== turns || issue.investigationSteps.length < turns - 1) {
    throw new Error(`${issue.analysis.usage.turns} turns with ${issue.investigationSteps.length} steps, not ${turns}`);
  }
  return issue;
}

/** A model whose script is another one for each run. */
function playedModel() {
  let current: Model = createScriptedModel({ turns: [] });
  let [ms, requests]: [number, ModelRequest[]] = [0, []];
  const model: Model = {
    ...{ name: 'played', prices: null },
    ask: async (request, signal) => {
      const begun = performance.now();
      requests.push(request);
      const turn = await current.ask(request, signal);
      ms += performance.now() - begun;
      return turn;
    },
  };
  const play = (report: string, turns: number) => {
    const lookups = Array.from({ length: turns - 1 }, (_, turn) => ({
      content: 'I look further.',
      calls: [lookUp(report, turn)],
    }));
    current = createScriptedModel({ turns: [...lookups, { content: 'That is all.', calls: [CONCLUSION] }] });
    [ms, requests] = [0, []];
  };
  return { model, play, ms: () => ms, requests: () => requests };
}

/** What models ask for, in turns: a search, 70 lines, who wrote them, what became of the file. */
function lookUp(report: string, turn: number) {
  const frames = [...report.matchAll(/at (\w+) \(\/srv\/app\/(\S+?):/g)];
  const [, name = '', file = ''] = frames[Math.floor(turn / 4) % frames.length] ?? [];
  const from = 1 + 20 * Math.floor(turn / 12);
  const call = (tool: string, given: object) => ({ name: tool, arguments: JSON.stringify(given) });
  switch (turn % 4) {
    case 0:
      return call('search', { pattern: name.replace(/Row\d+$/, `Row${turn}`), limit: 30 });
    case 1:
      return call('read_files', { files: [{ path: file, from, to: from + 69 }] });
    case 2:
      return call('blame', { path: file, from, to: from + 9 });
    default:
      return call('history', { path: file, limit: 10 + turn });
  }
}

const CONCLUSION = {
  name: 'conclude',
  arguments: JSON.stringify({
    ...{ outcome: 'inconclusive', problem: 'The job stops.', rootCause: [], stepsToReproduce: [], solutionSteps: [] },
    ...{ questions: [], suspects: [], ruledOut: [], fixedBy: [] },
  }),
};
