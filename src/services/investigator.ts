// What the house needs to let a model investigate; absent where there is none, and an investigation ends with its facts.
import { NOMINAL_PRICE } from '../agent/budget.ts';
import type { Model } from '../core/model.ts';
import type { Project } from '../core/project.ts';
import type { Repository, SourceTree } from '../core/source.ts';
import type { Workbench } from '../core/tool.ts';
import type { SpentBudget } from './spent-budgets.ts';

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
