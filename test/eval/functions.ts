// `functions`: which functions of the ranked files come first for a report, which ones did the fix change, and how near are the lines shown?
import { isCandidate } from '../../src/evaluation/cases.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import type { RankedFunction } from '../../src/triage/ranked.ts';
import type { LocalisationCase } from './localisation-case.ts';
import type { EvalOptions, Part } from './part.ts';
import { rowsOf, type Scored } from './scores.ts';
import { type Ground, walkCases } from './walk-cases.ts';

/** A line counts as shown where it lies so near to the place that is shown. */
const NEAR = 20;

export const FUNCTIONS: Part = {
  name: 'functions',
  says: 'issue text → functions that its fix changed (all of them), and lines shown near a changed one; --cases, --repositories',
  fits: (cases) => cases.some(hasFunctions),
  run: async (options) => {
    const cases: Scored[] = [];
    const own = { ...options, cases: options.cases.filter(hasFunctions) };
    const notes = await walkCases(own, async (one, ground) => {
      cases.push(await runOne(one, ground, options));
    });
    const left = options.cases.length - own.cases.length;
    return {
      rows: rowsOf('causeway', cases),
      notes: [...(left > 0 ? [`${left} cases without "goldFunctions" were left out.`] : []), ...notes],
    };
  },
};

function hasFunctions({ data }: EvalOptions['cases'][number]): boolean {
  return Array.isArray(data['goldFunctions']) && data['goldFunctions'].length > 0;
}

async function runOne(one: LocalisationCase, ground: Ground, options: EvalOptions): Promise<Scored> {
  const { signal } = options;
  const onStep = async (): Promise<void> => {};
  const began = performance.now();
  const facts = await gatherFacts({ report: one.problem, revision: one.baseCommit, ...ground, onStep, signal });
  const ms = performance.now() - began;
  const suspects = facts.suspects.filter(({ file }) => isCandidate(file));
  const ranked = facts.functions.filter(({ path }) => isCandidate(path));
  const names = ranked.map(qualified);
  options.emit({
    id: one.id,
    repo: one.repo,
    gold: one.goldFunctions,
    ranks: one.goldFunctions.map((name) => names.indexOf(name) + 1),
    ms: Math.round(ms),
    ranked,
  });
  const shown = {
    suspects,
    functions: ranked.map(({ path, place }) => ({ file: path, line: place })),
  };
  return { language: one.language, source: one.source, ms, figures: figuresOf(one, names, shown) };
}

/** As the cases name it. */
function qualified({ path, owner, name }: RankedFunction): string {
  return `${path}::${owner === '' ? '' : `${owner}.`}${name}`;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Places of the suspects' files and of the functions, best first. */
interface Shown {
  readonly suspects: readonly Place[];
  readonly functions: readonly Place[];
}

/** In per cent; a function counts where every changed one is there. */
function figuresOf(one: LocalisationCase, names: readonly string[], { suspects, functions }: Shown) {
  const all = (limit: number): number =>
    one.goldFunctions.every((name) => names.slice(0, limit).includes(name)) ? 100 : 0;
  const near = (places: readonly Place[]): number => (places.some((place) => isNear(one, place)) ? 100 : 0);
  return {
    'all in top 1': all(1),
    'all in top 5': all(5),
    'all in top 10': all(10),
    'line, first suspect': near(suspects.slice(0, 1)),
    'line, five suspects': near(suspects.slice(0, 5)),
    'line, five functions': near(functions.slice(0, 5)),
  };
}

function isNear({ goldLines }: LocalisationCase, { file, line }: Place): boolean {
  return (goldLines.get(file) ?? []).some(([first, last]) => line > 0 && line >= first - NEAR && line <= last + NEAR);
}
