// Names of a report looked up in the commit: in its programs first, in all of its files before one is called absent.

import type { SearchHit } from 'causeway-git-objects';
import { hasWord, isCompoundName } from '../identifiers.ts';
import { attempt, type Lookups } from '../lookups.ts';
import { classifyFile, isProgram, listVendoredFolders } from '../own-code.ts';
import { escapePattern, getFileName } from '../paths.ts';
import { type FoundClaim, GENERIC } from './claim.ts';
import type { NamedThing } from './list-names.ts';

/** The hits of common words hide those of rare ones behind the limit, so words found are left out of the next round. */
const ROUNDS = 3;

/** What a search's expression may be long, and room for what is around the words. */
const MAX_EXPRESSION = 800;

/** `name`: the commit's, for people. */
export async function checkNames(
  lookups: Lookups,
  named: readonly NamedThing[],
  name: string,
): Promise<readonly FoundClaim[]> {
  const words = new Set(named.flatMap(({ forms, qualifier }) => [...forms, qualifier]).filter((word) => word !== ''));
  const code = await findInPrograms(lookups, [...words]);
  const isFound = ({ forms, qualifier }: NamedThing): boolean =>
    forms.some((form) => code.has(form)) && (qualifier === '' || code.has(qualifier) || hasFileOf(lookups, qualifier));
  const missing = named.filter((each) => !isFound(each) && !each.inSample && each.kind !== 'message');
  const rest = await findAnywhere(
    lookups,
    missing.filter(({ forms }) => !forms.some((form) => code.has(form))),
  );
  const owners = await findOwners(lookups, missing);
  const phrases = await findWholeMessages(
    lookups,
    named.filter((each) => each.kind === 'message' && !isFound(each)),
  );
  return named.flatMap((each): readonly FoundClaim[] => {
    const { text, kind, forms } = each;
    const isHere = isFound(each) || phrases.has(text);
    if (isHere || forms.some((form) => rest.other.has(form)))
      return isHere ? [{ text, kind, state: 'exists', note: '' }] : [];
    const isMissing = missing.includes(each) && !forms.some((form) => code.has(form));
    const { qualifier, isOfLostFile } = each;
    const isTied = qualifier === '' ? each.isTied : each.mayBeMissing && (isOfLostFile || owners.has(qualifier));
    const isNear = qualifier === '' || code.has(qualifier);
    const isShown = each.isMarked || forms.some((form) => hasFileOf(lookups, form));
    return isMissing ? judgeMissing(each, { rest, isTied, isNear: isNear && isShown, name }) : [];
  });
}

function judgeMissing(
  { text, kind, forms }: NamedThing,
  {
    rest,
    isTied,
    isNear,
    name,
  }: { readonly rest: Elsewhere; readonly isTied: boolean; readonly isNear: boolean; readonly name: string },
): readonly FoundClaim[] {
  const claim = { text, kind, state: 'absent' as const };
  const [document] = forms.flatMap((form) => rest.documents.get(form) ?? []);
  const [like] = forms.flatMap((form) => rest.alike.get(flatten(form)) ?? []);
  const isPlain = !forms.some((form) => isCompoundName(form) || form.includes('-'));
  if (like !== undefined && !isPlain && (isTied || isNear)) {
    // In another style it is the same name as another part writes it: an option and its field.
    return like.isSameStyle
      ? [{ ...claim, note: `not found at ${name}; ${like.word} is, at ${like.path}:${like.line}` }]
      : [];
  }
  const isDocumented = isNear && document !== undefined;
  if (!isTied && !isDocumented) return [];
  if (!rest.isComplete) return [{ ...claim, state: 'unchecked', note: '' }];
  if (document !== undefined && !isPlain)
    return [{ ...claim, note: `in no source file at ${name}; only in ${document.path}:${document.line}` }];
  return document === undefined ? [{ ...claim, note: `not found at ${name}`, past: { text: forms[0] ?? text } }] : [];
}

/** The words that programs of this project have, tests and samples included. */
async function findInPrograms(lookups: Lookups, words: readonly string[]): Promise<ReadonlySet<string>> {
  const { ground, tree, signal } = lookups;
  const found = new Set<string>();
  const endings = ground.index.paths.flatMap((path) => (isProgram(path) ? (/\.\w+$/.exec(path)?.[0] ?? []) : []));
  const paths = [...new Set(endings)].slice(0, 40).map((ending) => `*${ending}`);
  const without = listVendoredFolders(ground.index.paths);
  let sought: readonly string[] = words;
  for (let round = 0; round < ROUNDS && sought.length > 0; round += 1) {
    const cuts = await Promise.all(
      divide(sought).map(async (part) => {
        const query = {
          pattern: toPattern(part.map(escapePattern)),
          regex: true,
          ignoreCase: false,
          paths,
          without,
          limit: 1_000,
        };
        const result = await attempt(lookups, 'search names', () => tree.search(query, signal));
        for (const { text } of result?.hits ?? [])
          for (const word of part) if (!found.has(word) && hasWord(text, word)) found.add(word);
        return result?.cuts.length ?? 0;
      }),
    );
    sought = sought.filter((word) => !found.has(word));
    if (cuts.every((count) => count === 0)) break;
  }
  return found;
}

const CHANGES = /(?:^|\/)(?:CHANGES|TODO|FAQ)$/;

interface Spelling {
  readonly word: string;
  readonly path: string;
  readonly line: number;
  /** Whether it differs in capitals only. */
  readonly isSameStyle: boolean;
}

interface Elsewhere {
  readonly isComplete: boolean;
  /** The first line of a document that has the word. */
  readonly documents: ReadonlyMap<string, SearchHit>;
  /** Words of settings, generated files or vendored code, which say neither that a thing is there nor that it is not. */
  readonly other: ReadonlySet<string>;
  /** In a program, written otherwise; by the word's letters. */
  readonly alike: ReadonlyMap<string, Spelling>;
}

/** What the programs don't have, in any file and in any style of writing. */
async function findAnywhere(lookups: Lookups, missing: readonly NamedThing[]): Promise<Elsewhere> {
  const words = [...new Set(missing.flatMap(({ forms }) => forms))].filter((word) => word.length >= 3);
  const byLetters = Map.groupBy(words, flatten);
  const found = {
    documents: new Map<string, SearchHit>(),
    other: new Set<string>(),
    alike: new Map<string, Spelling>(),
  };
  let isComplete = true;
  for (const part of divide(
    [...byLetters.values()].map(([first = '']) => first),
    3,
  )) {
    const query = { pattern: toPattern(part.map(toStyles)), regex: true, ignoreCase: true, paths: [], limit: 1_000 };
    const result = await attempt(lookups, 'search names', () => lookups.tree.search(query, lookups.signal));
    isComplete &&= result?.error === '' && result.cuts.every((cut) => cut.kind === 'large_files' && cut.largest > 1e6);
    for (const hit of result?.hits ?? []) {
      const isSeen = noteWords(hit, words, found) || noteSpellings(hit, byLetters, found.alike);
      // A line that was cut may hold any of them.
      isComplete &&= isSeen || hit.text.length < 500;
    }
  }
  return { ...found, isComplete };
}

/** Whether the line has one of the words as it is written. */
function noteWords(
  hit: SearchHit,
  words: readonly string[],
  { documents, other }: { readonly documents: Map<string, SearchHit>; readonly other: Set<string> },
): boolean {
  const isDocument = CHANGES.test(hit.path) || classifyFile(hit.path) === 'document';
  const seen = words.filter((word) => hasWord(hit.text, word));
  for (const word of seen) {
    if (!isDocument) other.add(word);
    else if (!documents.has(word)) documents.set(word, hit);
  }
  return seen.length > 0;
}

/** Whether the line has one of the words in another style; those of a program are noted. */
function noteSpellings(
  { path, line, text }: SearchHit,
  byLetters: ReadonlyMap<string, readonly string[]>,
  alike: Map<string, Spelling>,
): boolean {
  const seen = (text.match(/[A-Za-z_$][\w$-]*/g) ?? []).filter((word) => byLetters.has(flatten(word)));
  for (const word of classifyFile(path) === 'source' ? seen : []) {
    const key = flatten(word);
    const isSameStyle = byLetters.get(key)?.some((each) => each.toLowerCase() === word.toLowerCase()) ?? false;
    if (!alike.has(key)) alike.set(key, { word, path, line, isSameStyle });
  }
  return seen.length > 0;
}

/** Which of what names belong to is defined here: a type, a module or a file of that name. */
async function findOwners(lookups: Lookups, missing: readonly NamedThing[]): Promise<ReadonlySet<string>> {
  const { ground, tree, signal } = lookups;
  const names = ground.packages.map(({ name }) => getFileName(name));
  const sought = [...new Set(missing.flatMap(({ qualifier }) => (qualifier === '' ? [] : [qualifier])))];
  const owners = new Set(sought.filter((word) => names.includes(word) || hasFileOf(lookups, word)));
  const rest = sought.filter((word) => !owners.has(word)).slice(0, 30);
  if (rest.length === 0) return owners;
  const words = rest.map(escapePattern).join('|');
  const pattern = `\\b(?:class|struct|enum|interface|trait|impl(?:<[^>]{0,60}>)?|type|module|object|namespace|protocol|extension|record|mod|union|defmodule)\\s+(?:(?!extends|implements|with|for|from|of)\\w+\\s+|[\\w.]+(?:::|\\.)){0,2}(?:${words})(?![\\w$])|\\b(?:const|let|var|val)\\s+(?=[A-Z])(?:${words})(?![\\w$])`;
  const query = { pattern, regex: true, ignoreCase: false, paths: [], limit: 300 };
  const result = await attempt(lookups, 'search names', () => tree.search(query, signal));
  for (const { path, text } of result?.hits ?? []) {
    if (classifyFile(path) !== 'source') continue;
    for (const word of rest) if (hasWord(text, word)) owners.add(word);
  }
  return owners;
}

/** Whether a program of this project is called so; a name that any project has says nothing. */
function hasFileOf({ ground }: Lookups, name: string): boolean {
  const key = name.toLowerCase();
  if (key.length < 4 || GENERIC.test(key)) return false;
  return ['js', 'ts', 'py', 'rb', 'go', 'rs', 'java', 'kt', 'swift', 'php', 'cs', 'cpp', 'h', 'c'].some((ending) =>
    (ground.index.byName.get(`${key}.${ending}`) ?? []).some((path) => classifyFile(path) === 'source'),
  );
}

/** Messages whose text is in a file other than a document. */
async function findWholeMessages(lookups: Lookups, named: readonly NamedThing[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const forms = named.flatMap((each) => each.forms);
  if (forms.length === 0) return found;
  for (const part of divide(forms).slice(0, 1)) {
    const query = { pattern: part.map(escapePattern).join('|'), regex: true, ignoreCase: false, paths: [], limit: 200 };
    const result = await attempt(lookups, 'search names', () => lookups.tree.search(query, lookups.signal));
    for (const { path, text } of result?.hits ?? []) {
      if (classifyFile(path) === 'document') continue;
      for (const each of named) if (each.forms.some((form) => text.includes(form))) found.add(each.text);
    }
  }
  return found;
}

function divide(words: readonly string[], weight = 1): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let length = MAX_EXPRESSION;
  for (const word of words) {
    const size = escapePattern(word).length * weight + 1;
    if (size > MAX_EXPRESSION) continue;
    if (length + size > MAX_EXPRESSION) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(word);
    length += size;
  }
  return parts;
}

/** `expressions`: of words. */
function toPattern(expressions: readonly string[]): string {
  return `(?<![\\w$])(?:${expressions.join('|')})(?![\\w$])`;
}

/** `read_cart`, `readCart`, `read-cart` and `ReadCart` are one. */
function toStyles(word: string): string {
  return word
    .split(/[_-]+|(?<=[a-z\d])(?=[A-Z])/)
    .map(escapePattern)
    .join('[_-]?');
}

function flatten(word: string): string {
  return word.toLowerCase().replaceAll(/[_$-]/g, '');
}
