// What a model needs to investigate: the model, its tools and its limits; without one a run ends with its facts.

import type { Repository, SourceTree } from 'causeway-git-objects';
import { type Model, ModelUnavailable } from 'causeway-models';
import type { Project } from '../core/project/index.ts';
import type { Workbench } from '../core/report/index.ts';
import type { LimitName } from '../db/index.ts';
import { type FindInstalled, NOMINAL_PRICE } from '../investigate/index.ts';
import type { Log } from '../log.ts';
import { PAUSED_MS } from './services.ts';

export interface Investigator {
  readonly model: Model;
  /** Those that a repository may choose instead. */
  readonly others?: readonly Model[];
  /** For second looks; absent: the model that investigates. */
  readonly second?: Model;
  /** Tools on a fresh overlay of the commit; the same names, descriptions and order for every run of a project. */
  readonly openWorkbench: (input: WorkbenchInput, signal: AbortSignal) => Promise<Workbench>;
  /** False only where the file parsed before, or is new, and does not parse now. */
  readonly isParsable: (path: string, before: string | null, after: string) => Promise<boolean>;
  readonly limits: InvestigatorLimits;
  /** Called each time that a monthly budget refuses a question. */
  readonly onSpent?: (spent: SpentBudget) => void;
}

interface WorkbenchInput {
  readonly project: Project;
  /** Whether every word of the report was written by someone with write access. */
  readonly isTrusted: boolean;
  /** Redacted, as is `tree`, the commit that is investigated. */
  readonly repository: Repository;
  readonly tree: SourceTree;
  /** Not redacted: edits are made on what is really there. */
  readonly rawTree: SourceTree;
  /** Redacts a whole text; lines keep their numbers. */
  readonly clean: (text: string) => Promise<string>;
  /** The whole report, redacted: the brief may leave out parts. */
  readonly reportText: string;
  /** Where a lock file or manifest of the commit names a version of the package. */
  readonly findInstalled?: FindInstalled;
  /** Other repositories that may be read, redacted. */
  readonly others?: readonly { readonly name: string; readonly repository: Repository; readonly tree: SourceTree }[];
}

export interface InvestigatorLimits {
  /** Requests to the model in one run. */
  readonly turns: number;
  /** US dollars: of one run, of a project in a month, of everything in a month. */
  readonly usd: { readonly run: number; readonly repository: number; readonly all: number };
  /** How long an unreachable model is waited for, in milliseconds after the facts were known. */
  readonly patienceMs: number;
}

/** A model with prices is limited by its money; this ends only a run that has gone astray. */
const MOST_TOKENS = 20_000_000;

/** Tokens of one run: what its budget buys at the nominal price, where there is no real one. */
export function limitTokens({ model, limits }: Pick<Investigator, 'model' | 'limits'>): number {
  return model.prices === null ? Math.floor((limits.usd.run / NOMINAL_PRICE) * 1_000_000) : MOST_TOKENS;
}

/** With the model that a repository has chosen; "": the operator's own. Null: that model is no longer offered. */
export function selectModel(investigator: Investigator, name: string): Investigator | null {
  if (name === '') return investigator;
  const model = [investigator.model, ...(investigator.others ?? [])].find((each) => each.name === name);
  return model === undefined ? null : { ...investigator, model };
}

/** Throws ModelUnavailable while the service is paused: the run goes back to the queue with what it has. */
export function createPausableModel(
  model: Model,
  { isPaused, now }: { readonly isPaused: () => boolean; readonly now: () => Date },
): Model {
  return {
    ...model,
    ask: async (request, signal) => {
      if (isPaused()) throw new ModelUnavailable('Causeway is paused', new Date(now().getTime() + PAUSED_MS));
      return await model.ask(request, signal);
    },
  };
}

interface SpentBudget {
  readonly limit: Exclude<LimitName, 'run'>;
  readonly projectId: string;
  /** Of the budget, in US dollars. */
  readonly usd: number;
  /** Such as `2026-11`. */
  readonly month: string;
}

const SETTINGS = { repository: 'BUDGET_REPOSITORY_MONTH', all: 'BUDGET_MONTH' } as const;
const MOST_LOGGED = 1_000;

/** Logs each budget once while the process runs. */
export function createBudgetLog(log: Log): (spent: SpentBudget) => void {
  const logged = new Set<string>();
  return ({ limit, projectId, usd, month }) => {
    const about = limit === 'all' ? {} : { project: projectId };
    const key = JSON.stringify([limit, about, usd, month]);
    if (logged.has(key)) return;
    if (logged.size >= MOST_LOGGED) logged.clear();
    logged.add(key);
    log.warn(
      { budget: SETTINGS[limit], usd, month, ...about },
      'monthly budget used up: reports get facts only until next month, or until the budget is raised',
    );
  };
}
