// Functions that are called by one that the report names: the fault often lies a step inside of what people call.
import type { Query } from '../localise/query.ts';
import { eachWord, wholeName } from '../localise/terms.ts';
import type { Unit } from './read-units.ts';

/** More functions of one name than this, and the report does not say which it means. */
const MAX_NAMESAKES = 3;
const SHORTEST_NAME = 4;

/** For each function the one of its file that calls it, where the report names that one as code. */
export function callersOf(units: readonly Unit[], { names }: Query): ReadonlyMap<Unit, string> {
  const told = new Set(names.filter(({ isCode }) => isCode).map(({ word }) => wholeName(word)));
  const functions = units.filter(({ span }) => span.kind === 'function' && span.name.length >= SHORTEST_NAME);
  const byName = Map.groupBy(functions, ({ span }) => span.name);
  const callers = new Map<Unit, string>();
  for (const [name, own] of byName) {
    if (!told.has(wholeName(name)) || own.length > MAX_NAMESAKES) continue;
    for (const called of own.flatMap((caller) => calledBy(caller, byName))) {
      if (!callers.has(called)) callers.set(called, name);
    }
  }
  return callers;
}

function calledBy(caller: Unit, byName: ReadonlyMap<string, readonly Unit[]>): readonly Unit[] {
  const words = new Set<string>();
  const text = caller.text();
  eachWord(text, (word, at) => {
    if (text[at + word.length] === '(') words.add(word);
  });
  words.delete(caller.span.name);
  return [...words].flatMap((word) => (byName.get(word) ?? []).filter(({ path }) => path === caller.path));
}
