// What a model needs to investigate: the model, its tools and its limits; absent where there is none, and a run ends with its facts.
import { NOMINAL_PRICE } from '../agent/budget.ts';
import { type Model, ModelUnavailable } from '../core/model.ts';
import type { Project } from '../core/project.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import type { Workbench } from '../core/tool.ts';
import type { LimitName } from '../db/store.ts';
import type { Log } from '../log.ts';

export interface Investigator {
  readonly model: Model;
  /** Those that a repository may choose instead. */
  readonly others?: readonly Model[];
  /** Tools on a fresh overlay of the commit; the same names, descriptions and order for every run of a project. */
  readonly openWorkbench: (ground: WorkbenchGround, signal: AbortSignal) => Promise<Workbench>;
  /** False only where the file parsed before, or is new, and does not parse now. */
  readonly isParsable: (path: string, before: string | null, after: string) => Promise<boolean>;
  readonly limits: InvestigatorLimits;
  /** Told each time that a budget of the month refuses a question. */
  readonly onSpent?: (spent: SpentBudget) => void;
}

interface WorkbenchGround {
  readonly project: Project;
  /** Whether every word of the report was written by someone who may write to the project. */
  readonly isTrusted: boolean;
  /** Without secrets. */
  readonly repository: Repository;
  /** The commit that is investigated, without secrets. */
  readonly tree: SourceTree;
  /** The same with them: edits are made on what is really there. */
  readonly rawTree: SourceTree;
  /** Takes the secrets out of a whole text; lines keep their numbers. */
  readonly clean: (text: string) => Promise<string>;
  /** The whole report, cleaned of secrets: what its brief leaves out can be read there. */
  readonly reportText: string;
}

export interface InvestigatorLimits {
  /** Questions to the model in one run. */
  readonly turns: number;
  /** US dollars: of one run, of a project in a month, of everything in a month. */
  readonly usd: { readonly run: number; readonly repository: number; readonly all: number };
  /** Milliseconds for which a model that cannot be reached is waited for, counted from when the facts were known. */
  readonly patienceMs: number;
}

/** A model with prices is held by its money; this only ends what has gone astray. */
const MOST_TOKENS = 20_000_000;

/** Tokens of one run: what its budget buys at the nominal price, where there is no real one. */
export function tokenLimit({ model, limits }: Pick<Investigator, 'model' | 'limits'>): number {
  return model.prices === null ? Math.floor((limits.usd.run / NOMINAL_PRICE) * 1_000_000) : MOST_TOKENS;
}

/** The investigator with the model that a repository has chosen; "": the operator's own. Null: it chose one that is not offered any more. */
export function withModelNamed(investigator: Investigator, name: string): Investigator | null {
  if (name === '') return investigator;
  const model = [investigator.model, ...(investigator.others ?? [])].find((each) => each.name === name);
  return model === undefined ? null : { ...investigator, model };
}

const PAUSED_MS = 15_000;

/** Throws ModelUnavailable for each question while `paused` says so: the run goes back to the queue with what it has. */
export function pausableModel(
  model: Model,
  { paused, now }: { readonly paused: () => boolean; readonly now: () => Date },
): Model {
  return {
    ...model,
    ask: async (request, signal) => {
      if (paused()) throw new ModelUnavailable('Causeway is paused', new Date(now().getTime() + PAUSED_MS));
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

/** Told ones that are remembered; a budget that was forgotten is told once more. */
const MOST_TOLD = 1_000;

/** For one process: after a restart it is told once more. */
export function createSpentBudgets(log: Log): (spent: SpentBudget) => void {
  const told = new Set<string>();
  return ({ limit, projectId, usd, month }) => {
    const about = limit === 'all' ? {} : { project: projectId };
    const key = JSON.stringify([limit, about, usd, month]);
    if (told.has(key)) return;
    if (told.size >= MOST_TOLD) told.clear();
    told.add(key);
    log.warn(
      { budget: SETTINGS[limit], usd, month, ...about },
      'a budget of the month is used up: until the month turns or the budget is raised, reports get the facts alone',
    );
  };
}
