// Goes through cases of localisation, grouped by repository, one at a time; what cannot be run is counted and said.

import type { Repository } from 'causeway-git-objects';
import type { Lexicon } from '../../src/core/source/lexicon.ts';
import { type LocalisationCase, localisationCase } from './localisation-case.ts';
import type { EvalOptions } from './part.ts';
import { type OpenedRepository, openRepositories } from './repositories.ts';

export interface Ground {
  /** As it was known at the case's commit. */
  readonly repository: Repository;
  readonly lexicon: Lexicon;
}

/** Runs one case. */
export type Visit = (one: LocalisationCase, ground: Ground) => Promise<void>;

/** Called once before the cases of each repository: what was kept for the one before may go. */
type Begin = () => void;

/** Notes about what was skipped, in words. Throws EvalFault for a case that is malformed, before anything is run. */
export async function walkCases(
  options: EvalOptions,
  visit: Visit,
  begin: Begin = () => {},
): Promise<readonly string[]> {
  const cases = options.cases.map(localisationCase);
  await using repositories = openRepositories(options.repositories, options.keep);
  const skipped: string[] = [];
  for (const [name, own] of Map.groupBy(cases, ({ readFrom }) => readFrom)) {
    options.signal.throwIfAborted();
    const opened = await repositories.open(name, options.signal);
    if (opened === null) {
      skipped.push(`${name} is not among the repositories: ${own.length} of ${cases.length} cases skipped.`);
      options.progress(`${name}: not there, ${own.length} cases skipped`);
      continue;
    }
    begin();
    skipped.push(...(await walkOne(opened, own, { ...options, visit })));
  }
  return skipped;
}

async function walkOne(
  opened: OpenedRepository,
  cases: readonly LocalisationCase[],
  { visit, progress, signal }: EvalOptions & { readonly visit: Visit },
): Promise<readonly string[]> {
  const began = performance.now();
  const skipped: string[] = [];
  for (const one of cases) {
    const repository = await opened.asOf(one.baseCommit, signal);
    if (repository === null) skipped.push(`${one.id}: its commit is not in ${one.readFrom}; skipped.`);
    else await visit(one, { repository, lexicon: opened.lexicon });
  }
  const seconds = (performance.now() - began) / 1_000;
  progress(`${cases[0]?.readFrom}: ${cases.length - skipped.length} cases in ${seconds.toFixed(1)} s`);
  return skipped;
}
