// Compares two plays of the same story, one on the double and one on GitHub. How often something is asked depends on time and is not
// compared: of each operation, what is answered; of events, which come, and in which order they come first.
import { mayBeNull } from './nullable.ts';
import type { Actor, RecordedAnswer } from './record.ts';
import { compareShapes, mergeShapes, type Shape, type ShapeDifference } from './shape.ts';

export interface PlayedStep {
  readonly name: string;
  readonly end: StepEnd;
  readonly answers: readonly RecordedAnswer[];
  /** Of the App's deliveries, the oldest first, such as `issues.labeled`. */
  readonly events: readonly string[];
}

export type StepEnd =
  | { readonly kind: 'reached'; readonly what: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'not_played' };

export type Difference = { readonly step: string } & (
  | (OfOperation & { readonly kind: 'status'; readonly expected: readonly number[]; readonly actual: number })
  | (OfOperation & { readonly kind: 'asked'; readonly where: 'double' | 'github'; readonly status: number })
  | (OfAnswer & { readonly kind: 'header_missing' | 'header_added'; readonly header: string })
  | (OfAnswer & {
      readonly kind: 'header_value';
      readonly header: string;
      readonly expected: readonly string[];
      readonly actual: string;
    })
  | (OfAnswer & ShapeDifference)
  /** Null on one side alone, which GitHub's description allows: it may be the moment, or a difference. */
  | (OfAnswer & { readonly kind: 'null'; readonly field: string; readonly where: 'double' | 'github' })
  | { readonly kind: 'event_missing' | 'event_added'; readonly event: string }
  | { readonly kind: 'event_order'; readonly event: string; readonly before: string }
);

interface OfOperation {
  readonly by: Actor;
  readonly operation: string;
}

interface OfAnswer extends OfOperation {
  readonly status: number;
}

/** Causeway asks at its start for what did not arrive before: how much that is depends on how webhooks arrive, not on GitHub. */
const OF_THE_PAST = ['apps/redeliver-webhook-delivery'];

/** What differs, by step; of a step that was not played nothing is said. */
export function comparePlays(expected: readonly PlayedStep[], actual: readonly PlayedStep[]): readonly Difference[] {
  const known = gather(expected.flatMap(({ answers }) => answers));
  const said = new Set<string>();
  const differences = actual.flatMap((step) => {
    const counterpart = expected.find(({ name }) => name === step.name);
    if (counterpart === undefined || step.end.kind === 'not_played') return [];
    const ofAnswers = [...gather(step.answers).values()].flatMap((one) => compareAnswers(known, one));
    // After a failed step events are missing because Causeway has not come that far.
    const ofEvents = step.end.kind === 'failed' ? [] : compareEvents(counterpart.events, step.events);
    return [...ofAnswers, ...ofEvents].flatMap((found): readonly Difference[] => {
      // What is so in one step is so in the next ones.
      const isNew = found.kind.startsWith('event_') || !said.has(JSON.stringify(found));
      said.add(JSON.stringify(found));
      return isNew ? [{ step: step.name, ...found } as Difference] : [];
    });
  });
  return [...differences, ...findUnasked(expected, actual)];
}

type Found = Difference extends infer D ? (D extends Difference ? Omit<D, 'step'> : never) : never;

/** All answers of one status to one operation. */
interface Gathered extends OfAnswer {
  readonly answers: number;
  readonly headers: ReadonlyMap<string, { readonly seen: number; readonly values: readonly string[] }>;
  readonly shape: Shape | null;
}

function gather(answers: readonly RecordedAnswer[]): ReadonlyMap<string, Gathered> {
  const gathered = new Map<string, Gathered>();
  for (const one of answers) {
    // Says only that the 200 before it still holds.
    if (one.status === 304) continue;
    const key = keyOf(one);
    gathered.set(key, addAnswer(gathered.get(key), one));
  }
  return gathered;
}

function keyOf({ by, operation, status }: OfAnswer): string {
  return `${by} ${operation} ${status}`;
}

function addAnswer(before: Gathered | undefined, { by, operation, status, headers, shape }: RecordedAnswer): Gathered {
  const merged = new Map(before?.headers);
  for (const [name, value] of Object.entries(headers)) {
    const { seen, values } = merged.get(name) ?? { seen: 0, values: [] };
    merged.set(name, { seen: seen + 1, values: value === null ? values : [...new Set([...values, value])] });
  }
  const shapes = [before?.shape ?? null, shape].filter((one) => one !== null);
  const answers = (before?.answers ?? 0) + 1;
  return {
    by,
    operation,
    status,
    answers,
    headers: merged,
    shape: shapes.length === 0 ? null : shapes.reduce(mergeShapes),
  };
}

function compareAnswers(known: ReadonlyMap<string, Gathered>, actual: Gathered): readonly Found[] {
  const { by, operation, status } = actual;
  const expected = known.get(keyOf(actual));
  if (expected === undefined) {
    const statuses = [...known.values()].filter((one) => one.by === by && one.operation === operation);
    if (OF_THE_PAST.includes(operation)) return [];
    if (statuses.length === 0) return [{ kind: 'asked', where: 'github', by, operation, status }];
    return [{ kind: 'status', by, operation, expected: statuses.map((one) => one.status), actual: status }];
  }
  const of = { by, operation, status };
  const ofBody = expected.shape === null || actual.shape === null ? [] : compareShapes(expected.shape, actual.shape);
  return [...compareHeaders(expected, actual), ...ofBody.flatMap((one) => judgeField(of, one))];
}

function judgeField(of: OfAnswer, one: ShapeDifference): readonly Found[] {
  if (one.kind !== 'field_type' || !mayBeNull({ ...of, field: one.field })) return [{ ...of, ...one }];
  if (one.expected.join() === 'null') return [{ kind: 'null', ...of, field: one.field, where: 'double' }];
  const rest = one.actual.filter((type) => type !== 'null');
  return [
    ...(rest.length < one.actual.length ? [{ kind: 'null', ...of, field: one.field, where: 'github' } as const] : []),
    ...(rest.length > 0 ? [{ ...of, ...one, actual: rest }] : []),
  ];
}

function compareHeaders(expected: Gathered, actual: Gathered): readonly Found[] {
  const { by, operation, status } = actual;
  const of = { by, operation, status };
  const names = new Set([...expected.headers.keys(), ...actual.headers.keys()]);
  return [...names].toSorted().flatMap((header): readonly Found[] => {
    const [mine, theirs] = [expected.headers.get(header), actual.headers.get(header)];
    if (mine === undefined) return [{ kind: 'header_added', ...of, header }];
    if ((theirs?.seen ?? 0) < actual.answers && mine.seen === expected.answers) {
      return [{ kind: 'header_missing', ...of, header }];
    }
    const strange = (theirs?.values ?? []).filter((value) => !mine.values.includes(value));
    return strange.map((value) => ({ kind: 'header_value', ...of, header, expected: mine.values, actual: value }));
  });
}

/** The first of each kind, in order. One that stands elsewhere than expected is named once, with what it came before. */
function compareEvents(expected: readonly string[], actual: readonly string[]): readonly Found[] {
  const [mine, theirs] = [[...new Set(expected)], [...new Set(actual)]];
  const missing = mine.filter((event) => !theirs.includes(event));
  const added = theirs.filter((event) => !mine.includes(event));
  return [
    ...missing.map((event): Found => ({ kind: 'event_missing', event })),
    ...added.map((event): Found => ({ kind: 'event_added', event })),
    ...compareOrder(
      mine.filter((event) => theirs.includes(event)),
      theirs.filter((event) => mine.includes(event)),
    ),
  ];
}

/** Both have the same events. */
function compareOrder(expected: readonly string[], actual: readonly string[]): readonly Found[] {
  const left = [...expected];
  return actual.flatMap((event): readonly Found[] => {
    const at = left.indexOf(event);
    const before = left[0];
    if (at !== -1) left.splice(at, 1);
    // Those that it overtook are named by it.
    if (at <= 0 || before === undefined) return [];
    return [{ kind: 'event_order', event, before }];
  });
}

/** What is asked on the double alone, or answered there alone; said in the step where it is first. */
function findUnasked(expected: readonly PlayedStep[], actual: readonly PlayedStep[]): readonly Difference[] {
  const isWhole = actual.every(({ end }) => end.kind === 'reached');
  if (!isWhole) return [];
  const answers = actual.flatMap((step) => step.answers);
  const asked = new Set(answers.map(({ by, operation }) => `${by} ${operation}`));
  const said = new Set<string>();
  return expected.flatMap(({ name, answers: ones }) =>
    ones.flatMap(({ by, operation, status }): readonly Difference[] => {
      const key = `${by} ${operation}`;
      if (asked.has(key) || said.has(key) || OF_THE_PAST.includes(operation)) return [];
      said.add(key);
      return [{ step: name, kind: 'asked', where: 'double', by, operation, status }];
    }),
  );
}
