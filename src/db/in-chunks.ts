// Asks about many in a few queries: a query takes only so many values.

const MOST_IN_A_QUERY = 500;

/** The answers of all queries, in the order of `values`; none where there are no values. */
export async function inChunks<V, T>(
  values: readonly V[],
  ask: (some: readonly V[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  for (let from = 0; from < values.length; from += MOST_IN_A_QUERY) {
    answers.push(...(await ask(values.slice(from, from + MOST_IN_A_QUERY))));
  }
  return answers;
}
