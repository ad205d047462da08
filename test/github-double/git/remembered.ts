// What git said of objects, which never change: a process less for each time that it is asked again.

/** Of all verbs those whose answer hangs on the objects alone that they name. */
const OF_OBJECTS = new Set(['cat-file', 'diff', 'ls-tree', 'merge-base', 'rev-list', 'rev-parse']);
const OBJECT = /^\^?[0-9a-f]{40}(?:\.{2,3}[0-9a-f]{40}|\^\{(?:commit|tree)\})?$/;
const OBJECT_TYPE = /^(?:blob|commit|tag|tree)$/;
const MOST = 2_000;
const LARGEST = 256 * 1024;

const answers = new Map<string, Buffer | Error>();

/** Null where the answer hangs on more than objects, such as what a branch is at. */
export function keyOf(gitDir: string, args: readonly string[]): string | null {
  const [verb = '', ...rest] = args[0] === '--literal-pathspecs' ? args.slice(1) : args;
  const named = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  const isFixed = named.every((word) => word.startsWith('-') || OBJECT.test(word) || OBJECT_TYPE.test(word));
  const isOfRefs = named.some((word) => word === '--all' || word === '--not');
  return OF_OBJECTS.has(verb) && isFixed && !isOfRefs ? [gitDir, ...args].join('\0') : null;
}

export function remembered(key: string): Buffer | Error | undefined {
  return answers.get(key);
}

/** The oldest goes first. Of refusals only a no of `merge-base` is kept: where an object is missing, it may come yet. */
export function remember(key: string, answer: Buffer | Error): void {
  if (answer instanceof Buffer && answer.length > LARGEST) return;
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > MOST && oldest !== undefined) answers.delete(oldest);
}
