// The jobs of a workflow that may run: not those whose condition is false for certain, nor what is skipped with them. Pure.
import { evaluateText, judgeCondition, type KnownValue, UNKNOWN } from './condition.ts';
import type { WrittenJob } from './read-workflow.ts';

type Contexts = Readonly<Record<string, KnownValue>>;

export function listPossibleJobs(jobs: readonly WrittenJob[], contexts: Contexts): readonly WrittenJob[] {
  const skipped = new Set<string>();
  for (let isMore = true; isMore; ) {
    const further = jobs.filter((job) => !skipped.has(job.id) && isSkippedJob(job, { jobs, skipped, contexts }));
    for (const { id } of further) skipped.add(id);
    isMore = further.length > 0;
  }
  return jobs.filter(({ id }) => !skipped.has(id));
}

interface Surroundings {
  readonly jobs: readonly WrittenJob[];
  readonly skipped: ReadonlySet<string>;
  readonly contexts: Contexts;
}

function isSkippedJob({ condition, needs }: WrittenJob, { jobs, skipped, contexts }: Surroundings): boolean {
  const isWithout = needs.some((need) => skipped.has(need));
  if (condition === null) return isWithout;
  const needed = jobs.filter(({ id }) => needs.includes(id));
  const judgeWith = (outputs: ReadonlyMap<string, KnownValue>) =>
    judgeCondition(condition, { ...contexts, needs: describeNeeds(needed, skipped, outputs) });
  const known = new Map(needed.map(({ id, outputs }) => [id, evaluateOutputs(outputs, contexts)]));
  const judged = judgeWith(known);
  if (!judged.isOfAnyStatus) return isWithout || judged.may === 'no';
  return listCases(known).every((outputs) => judgeWith(outputs).may === 'no');
}

/** What doesn't come from a step is known before. */
function evaluateOutputs(outputs: WrittenJob['outputs'], contexts: Contexts): KnownValue {
  if (outputs === null) return UNKNOWN;
  const values = Object.entries(outputs).map(([name, text]) => [name, evaluateText(text, contexts)]);
  return { kind: 'object', rest: 'absent', values: Object.fromEntries(values) };
}

const NOTHING: KnownValue = { kind: 'object', rest: 'absent', values: {} };
/** More are not known. */
const MAX_NEEDS = 4;

/** A job that was skipped or ended early has no outputs, in whatever combination. */
function listCases(known: ReadonlyMap<string, KnownValue>): readonly ReadonlyMap<string, KnownValue>[] {
  if (known.size > MAX_NEEDS) return [new Map()];
  return [...known].reduce<readonly ReadonlyMap<string, KnownValue>[]>(
    (cases, [id, outputs]) =>
      cases.flatMap((one) => [new Map([...one, [id, outputs]]), new Map([...one, [id, NOTHING]])]),
    [new Map()],
  );
}

function describeNeeds(
  needed: readonly WrittenJob[],
  skipped: ReadonlySet<string>,
  outputs: ReadonlyMap<string, KnownValue>,
): KnownValue {
  const values = needed.map(({ id }): [string, KnownValue] => {
    const result: KnownValue = skipped.has(id) ? { kind: 'scalar', value: 'skipped' } : UNKNOWN;
    const of = { outputs: outputs.get(id) ?? UNKNOWN, result };
    return [id.toLowerCase(), { kind: 'object', rest: 'absent', values: of }];
  });
  return { kind: 'object', rest: 'unknown', values: Object.fromEntries(values) };
}
