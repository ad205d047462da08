// The types of a JSON value's fields, never their values: what can be pasted into an issue, and compared between two GitHubs.

type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'object' | 'array';

export interface Shape {
  readonly types: readonly JsonType[];
  /** Objects among the values, and how many of them have each field. */
  readonly objects: number;
  readonly fields: Readonly<Record<string, { readonly seen: number; readonly shape: Shape }>>;
  /** Of all elements of all arrays; null: none was seen. */
  readonly items: Shape | null;
}

export type ShapeDifference =
  | { readonly kind: 'field_missing'; readonly field: string }
  | { readonly kind: 'field_added'; readonly field: string }
  | {
      readonly kind: 'field_type';
      readonly field: string;
      readonly expected: readonly JsonType[];
      readonly actual: readonly JsonType[];
    };

/** Its keys are what an App asks for, and say nothing of GitHub. */
const OPEN_ENDED = 'permissions';

const EMPTY: Shape = { types: [], objects: 0, fields: {}, items: null };

export function shapeOf(value: unknown): Shape {
  const type = typeOf(value);
  if (Array.isArray(value)) {
    const items = value.map(shapeOf);
    return { ...EMPTY, types: [type], items: items.length === 0 ? null : items.reduce(mergeShapes) };
  }
  if (typeof value !== 'object' || value === null) return { ...EMPTY, types: [type] };
  const fields = Object.entries(value).map(([name, one]) => [name, { seen: 1, shape: fieldShape(name, one) }] as const);
  return { types: [type], objects: 1, fields: Object.fromEntries(fields), items: null };
}

function fieldShape(name: string, value: unknown): Shape {
  return name === OPEN_ENDED ? { ...EMPTY, types: [typeOf(value)] } : shapeOf(value);
}

function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

export function mergeShapes(one: Shape, other: Shape): Shape {
  const names = new Set([...Object.keys(one.fields), ...Object.keys(other.fields)]);
  const fields = [...names].map((name) => {
    const [mine, theirs] = [one.fields[name], other.fields[name]];
    const shape = mergeShapes(mine?.shape ?? EMPTY, theirs?.shape ?? EMPTY);
    return [name, { seen: (mine?.seen ?? 0) + (theirs?.seen ?? 0), shape }] as const;
  });
  const items = one.items !== null && other.items !== null ? mergeShapes(one.items, other.items) : null;
  return {
    types: [...new Set([...one.types, ...other.types])].toSorted(),
    objects: one.objects + other.objects,
    fields: Object.fromEntries(fields),
    items: items ?? one.items ?? other.items,
  };
}

/** A field that is sometimes absent in what is expected may be absent; a type that occurs there may occur. */
export function compareShapes(expected: Shape, actual: Shape, at = ''): readonly ShapeDifference[] {
  const strange = actual.types.filter((type) => !expected.types.includes(type));
  const differences: ShapeDifference[] = [];
  if (strange.length > 0 && expected.types.length > 0) {
    differences.push({ kind: 'field_type', field: at, expected: expected.types, actual: strange });
  }
  // Below what is never an object on one side there is nothing to compare.
  if (expected.objects > 0 && actual.objects > 0) differences.push(...compareFields(expected, actual, at));
  if (expected.items !== null && actual.items !== null) {
    differences.push(...compareShapes(expected.items, actual.items, `${at}[]`));
  }
  return differences;
}

function compareFields(expected: Shape, actual: Shape, at: string): readonly ShapeDifference[] {
  const names = new Set([...Object.keys(expected.fields), ...Object.keys(actual.fields)]);
  return [...names].toSorted().flatMap((name): readonly ShapeDifference[] => {
    const field = at === '' ? name : `${at}.${name}`;
    const [mine, theirs] = [expected.fields[name], actual.fields[name]];
    if (mine === undefined) return [{ kind: 'field_added', field }];
    const isMissing = (theirs?.seen ?? 0) < actual.objects && mine.seen === expected.objects;
    const missing: readonly ShapeDifference[] = isMissing ? [{ kind: 'field_missing', field }] : [];
    return theirs === undefined ? missing : [...missing, ...compareShapes(mine.shape, theirs.shape, field)];
  });
}
