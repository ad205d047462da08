// How a language takes names of other files, and how a file passes them on: `export … from`, `from .x import y`,
// `pub use`.

import { getFolder } from 'causeway-paths';
import { getFileName, type PathIndex } from '../triage/index.ts';

/** Text that takes names of other files. */
export interface NamingFile {
  readonly path: string;
  readonly text: string;
}

/** `names`: null where the file is taken as a whole, so that any name in the text may be one of its own. */
interface Taken {
  readonly path: string;
  readonly names: readonly string[] | null;
}

/** What a file passes on of another. */
export interface Passed {
  readonly path: string;
  /** Under which name here, and which it has there, null: the whole file. Null: all names as they are. */
  readonly names: ReadonlyMap<string, string | null> | null;
  /** All names, and the file itself: `module.exports = require('./x')`. */
  readonly isWhole?: boolean;
}

export interface Naming {
  readonly ends: RegExp;
  readonly listTaken: (file: NamingFile, index: PathIndex) => readonly Taken[];
  readonly listPassed: (file: NamingFile, index: PathIndex) => readonly Passed[];
  /** What a file has of its own for others. */
  readonly listDefined: (text: string) => readonly string[];
}

// JavaScript and TypeScript

const SCRIPT_END = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;
const SCRIPT_ENDS = ['ts', 'js', 'tsx', 'jsx', 'mts', 'mjs', 'cts', 'cjs', 'vue', 'svelte'];

/** Paths that a module's name may mean, with or without its end. Packages are not followed, the repository's own neither. */
export function listModuleTargets(from: string, name: string): readonly string[] {
  const beside = name.startsWith('.') ? joinPaths(getFolder(from), name) : null;
  if (name.startsWith('.')) return beside === null ? [] : [beside];
  const inSource = /^[@~#]\/(.+)$/.exec(name)?.[1];
  const base = /^(?:.*?\/)?(?=(?:src|tests?|specs?|__tests__)\/)/.exec(from)?.[0] ?? '';
  return inSource === undefined ? [] : [`${base}src/${inSource}`, `${base}${inSource}`];
}

/** The path that is written as seen from a folder; null: outside of the repository. */
export function joinPaths(folder: string, written: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function findModule(from: string, name: string, { sizes }: PathIndex): string | null {
  for (const target of listModuleTargets(from, name)) {
    if (SCRIPT_END.test(target) && sizes.has(target)) return target;
    // What is written as `.js` may be a `.ts`.
    const bare = target.replace(SCRIPT_END, '');
    const folder = bare === '' ? 'index' : `${bare}/index`;
    const found = [bare, folder].flatMap((stem) => SCRIPT_ENDS.map((end) => `${stem}.${end}`));
    const path = found.find((one) => sizes.has(one));
    if (path !== undefined) return path;
  }
  return null;
}

interface ScriptImport {
  readonly path: string;
  /** What it is called here, and there; null: the whole. */
  readonly names: ReadonlyMap<string, string | null>;
}

const IMPORT = /\bimport\s{1,4}(?:type\s{1,4})?([^'"`;()]{1,1000}?)\s{0,4}\bfrom\s{0,4}['"]([^'"\n]{1,300})['"]/g;
const REQUIRE =
  /(?:(?:\{([^{}]{0,2000})\}|([\w$]{1,100}))(?:\s{0,4}:[^=\n]{0,200})?\s{0,4}=\s{0,4})?(?:await\s{1,4})?\b(?:require|import)\s{0,4}\(\s{0,4}['"`]([^'"`\n]{1,300})['"`]\s{0,4}\)(?:\.([\w$]{1,100}))?/g;

function listScriptImports({ path: from, text }: NamingFile, index: PathIndex): readonly ScriptImport[] {
  const found: ScriptImport[] = [];
  for (const [, clause = '', name = ''] of text.matchAll(IMPORT)) {
    const path = findModule(from, name, index);
    if (path !== null) found.push({ path, names: readClause(clause) });
  }
  for (const [, parts, local, name = '', member = null] of text.matchAll(REQUIRE)) {
    const path = findModule(from, name, index);
    const whole = local === undefined ? [] : ([[local, member]] as const);
    if (path !== null) found.push({ path, names: new Map(parts === undefined ? whole : readNames(parts, ':')) });
  }
  return found;
}

/** `Shop, { total as sum }`, `* as shop`. */
function readClause(clause: string): ReadonlyMap<string, string | null> {
  const braced = /\{([^{}]*)\}/.exec(clause)?.[1] ?? '';
  const before = clause.replace(/\{[^{}]*\}/, '').split(',');
  const others = before.flatMap((part): readonly (readonly [string, string | null])[] => {
    const [, star, name = ''] = /^\s*(\* as\s{1,4})?([\w$]{1,100})\s*$/.exec(part) ?? [];
    return name === '' ? [] : [[name, star === undefined ? 'default' : null]];
  });
  return new Map([...others, ...readNames(braced, ' as ')]);
}

/** Of `there as here`, or `there: here`: here, and there. */
function readNames(list: string, sign: string): readonly (readonly [string, string])[] {
  return list.split(',').flatMap((item): readonly (readonly [string, string])[] => {
    const [there = '', here = there] = item.replace(/^\s*type\s/, '').split(sign);
    const [name] = /[\w$]+/.exec(there) ?? [];
    const [local] = /[\w$]+/.exec(here) ?? [];
    return name === undefined || local === undefined ? [] : [[local, name]];
  });
}

function listTakenOfScript(file: NamingFile, index: PathIndex): readonly Taken[] {
  return listScriptImports(file, index).map(({ path, names }) => {
    const there = [...names.values()].filter((name) => name !== null);
    return { path, names: there.length < names.size || names.size === 0 ? null : there };
  });
}

const EXPORT_FROM =
  /\bexport\s{1,4}(?:type\s{1,4})?(?:\*(?:\s{0,4}as\s{1,4}([\w$]{1,100}))?|\{([^{}]{0,4000})\})\s{0,4}from\s{0,4}['"]([^'"\n]{1,300})['"]/g;
const SCRIPT_DEFINED =
  /\bexport\s{1,4}(?:(?:default|declare|async|abstract)\s{1,4}){0,3}(?:const|let|var|function\*?|class|type|interface|enum|namespace)\s{1,4}([\w$]{1,100})|\bexports\.([\w$]{1,100})\s{0,4}=/g;
const EXPORT_LIST = /\bexport\s{1,4}(?:type\s{1,4})?\{([^{}]{0,4000})\}(?!\s{0,4}from\b)/g;
const EXPORT_DEFAULT = /\bexport\s{1,4}(?:default\s{1,4}|=\s{0,4})([\w$]{1,100})\s{0,4}(?:;|$)/gm;
/** `exports.total = …`, `module.exports = { total, … }`, `module.exports = …`. */
const EXPORTS =
  /(?:^|[^.\w$])(?:module\.)?exports(?:\.([\w$]{1,100}))?\s{0,4}=\s{0,4}(?:\{([^{}]{0,4000})\}|([^{}\n;]{1,300}))/g;

function listPassedOfScript(file: NamingFile, index: PathIndex): readonly Passed[] {
  return [...listPassedDirectly(file, index), ...listPassedLocals(file, index)];
}

function listPassedDirectly({ path: from, text }: NamingFile, index: PathIndex): readonly Passed[] {
  return [...text.matchAll(EXPORT_FROM)].flatMap(([, whole, list, name = '']): readonly Passed[] => {
    const path = findModule(from, name, index);
    if (path === null) return [];
    if (whole !== undefined) return [{ path, names: new Map([[whole, null]]) }];
    return [{ path, names: list === undefined ? null : new Map(readNames(list, ' as ')) }];
  });
}

/** What is passed on under a name; null: as all that the file has. */
interface PassedValue {
  readonly outer: string | null;
  /** As it is written. */
  readonly value: string;
}

function listPassedLocals(file: NamingFile, index: PathIndex): readonly Passed[] {
  const { text } = file;
  const imports = listScriptImports(file, index);
  const listed = [...text.matchAll(EXPORT_LIST)].flatMap(([, list = '']) =>
    readNames(list, ' as ').map(([outer, value]): PassedValue => ({ outer, value })),
  );
  const defaults = [...text.matchAll(EXPORT_DEFAULT)].map(
    ([, value = '']): PassedValue => ({ outer: 'default', value }),
  );
  const assigned = [...text.matchAll(EXPORTS)].flatMap(([, outer = null, object, value = '']) =>
    object === undefined || outer !== null
      ? [{ outer, value: value + (object ?? '') }]
      : object.split(',').flatMap((item) => readProperty(item) ?? []),
  );
  return [...listed, ...defaults, ...assigned].flatMap((one) => [
    ...listPassedModules(file.path, one, index),
    ...listPassedImports(imports, one),
  ]);
}

function readProperty(item: string): PassedValue | null {
  const [, spread, key, value = key] =
    /^(?:\.{3}\s*(.+)|(?:get\s+)?['"]?([\w$]+)['"]?(?:\s*:\s*(.+))?)$/s.exec(item.trim()) ?? [];
  if (spread !== undefined) return { outer: null, value: spread };
  return key === undefined || value === undefined ? null : { outer: key, value };
}

function listPassedModules(from: string, { outer, value }: PassedValue, index: PathIndex): readonly Passed[] {
  const modules = value.matchAll(/\brequire\(['"]([^'"\n]{1,300})['"]\)(?:\.([\w$]+))?/g);
  return [...modules].flatMap(([, name = '', member = null]): readonly Passed[] => {
    const path = findModule(from, name, index);
    if (path === null) return [];
    return [outer === null ? { path, names: null, isWhole: true } : { path, names: new Map([[outer, member]]) }];
  });
}

function listPassedImports(imports: readonly ScriptImport[], { outer, value }: PassedValue): readonly Passed[] {
  const words = new Set(value.match(/[\w$]+/g));
  return imports.flatMap(({ path, names }) =>
    [...names]
      .filter(([local]) => words.has(local))
      .map(([, name]): Passed => {
        if (outer !== null) return { path, names: new Map([[outer, name]]) };
        return name === null ? { path, names: null, isWhole: true } : { path, names: new Map([['default', name]]) };
      }),
  );
}

// Python

const PYTHON_FROM =
  /^[ \t]{0,40}from[ \t]{1,4}(\.{0,5})([\w.]{0,200})[ \t]{1,4}import[ \t]{1,4}(\([^)]{0,4000}\)|[^\n]{1,400})/gm;
const PYTHON_DEFINED = /^(?:async[ \t]{1,4})?(?:def|class)[ \t]{1,4}(\w{1,100})/gm;
const PYTHON_ASSIGNED = /^(\w{1,100})[ \t]{0,4}(?::[^=\n]{1,200})?=(?!=)/gm;
const PYTHON_IMPORT = /^[ \t]{0,40}import[ \t]{1,4}([\w.]{1,200})/gm;

interface PythonImport {
  /** Of the module; null: not of this repository. */
  readonly path: string | null;
  /** What it is called here, and there. */
  readonly names: readonly (readonly [string, string])[];
  /** Where its parts lie that are modules themselves. */
  readonly partsOf: (name: string) => string | null;
}

function listPythonImports({ path: from, text }: NamingFile, index: PathIndex): readonly PythonImport[] {
  return [...text.matchAll(PYTHON_FROM)].map(([, dots = '', name = '', list = '']) => {
    const above = dots === '' ? null : from.split('/').slice(0, -dots.length);
    const parts = [...(above ?? []), ...name.split('.')].filter((part) => part !== '');
    const bare = list.replace(/#[^\n]*/g, '').replace(/[()\\]/g, '');
    const names = bare.split(',').flatMap((item): readonly (readonly [string, string])[] => {
      const [there, here = there] = item.match(/\*|\w+/g)?.filter((word) => word !== 'as') ?? [];
      return there === undefined || here === undefined ? [] : [[here, there]];
    });
    const find = (more: readonly string[]) => findPythonModule([...parts, ...more], above !== null, index);
    return { path: find([]), names, partsOf: (part) => find([part]) };
  });
}

/** A name from the top may begin in any folder, and must then be of one package, or else of one file. */
function findPythonModule(parts: readonly string[], isWhole: boolean, { byName, sizes }: PathIndex): string | null {
  const stem = parts.join('/');
  if (stem === '') return isWhole && sizes.has('__init__.py') ? '__init__.py' : null;
  const wanted = [`${stem}/__init__.py`, `${stem}.py`];
  const near = [...wanted, ...(isWhole ? [] : wanted.map((path) => `src/${path}`))].find((path) => sizes.has(path));
  if (near !== undefined || isWhole) return near ?? null;
  const found = wanted
    .map((end) => (byName.get(getFileName(end).toLowerCase()) ?? []).filter((path) => path.endsWith(`/${end}`)))
    .find((same) => same.length > 0);
  return found?.length === 1 ? (found[0] ?? null) : null;
}

function listTakenOfPython(file: NamingFile, index: PathIndex): readonly Taken[] {
  const whole = [...file.text.matchAll(PYTHON_IMPORT)].map(([, name = '']) =>
    findPythonModule(name.split('.'), false, index),
  );
  const taken = listPythonImports(file, index).flatMap(({ path, names, partsOf }): readonly Taken[] => {
    const there = names.map(([, name]) => name);
    const parts = there.flatMap((name) => partsOf(name) ?? []).map((part) => ({ path: part, names: null }));
    return path === null ? parts : [{ path, names: there.includes('*') ? null : there }, ...parts];
  });
  return [...taken, ...whole.flatMap((path) => (path === null ? [] : [{ path, names: null }]))];
}

function listPassedOfPython(file: NamingFile, index: PathIndex): readonly Passed[] {
  return listPythonImports(file, index).flatMap(({ path, names, partsOf }) =>
    names.flatMap(([here, there]): readonly Passed[] => {
      const part = there === '*' ? null : partsOf(there);
      if (part !== null) return [{ path: part, names: new Map([[here, null]]) }];
      if (path === null) return [];
      return [{ path, names: there === '*' ? null : new Map([[here, there]]) }];
    }),
  );
}

// Rust

const RUST_USE = /^[ \t]{0,40}(pub(?:\([^)]{0,60}\))?[ \t]{1,4})?use[ \t]{1,4}([^;]{1,4000});/gm;
const MOST_PATHS = 500;

interface RustPath {
  /** `*` last: everything in it. */
  readonly segments: readonly string[];
  readonly alias: string;
}

/** The paths of a tree such as `shop::{cart::{Cart, Line as Row}, till::*}`. */
function listUsePaths(tree: string): readonly RustPath[] {
  const found: RustPath[] = [];
  const before: (readonly string[])[] = [];
  let path: readonly string[] = [];
  let alias = '';
  let isAlias = false;
  const end = () => {
    const segments = path.at(-1) === 'self' && path.length > 1 ? path.slice(0, -1) : path;
    const isItem = segments.length > (before.at(-1)?.length ?? 0) || path.at(-1) === 'self';
    if (isItem && found.length < MOST_PATHS) found.push({ segments, alias: alias || (segments.at(-1) ?? '') });
    path = before.at(-1) ?? [];
    alias = '';
    isAlias = false;
  };
  for (const [token] of tree.replace(/\/\/[^\n]*/g, '').matchAll(/[{},*]|\bas\b|[\w#]+/g)) {
    if (token === '{') before.push(path);
    else if (token === '}') {
      end();
      before.pop();
      path = before.at(-1) ?? [];
    } else if (token === ',') end();
    else if (token === 'as') isAlias = true;
    else if (isAlias) alias = token;
    else path = [...path, token];
  }
  if (before.length === 0) end();
  return found;
}

/** The file in which the path ends, and what of the path is in it. */
function findRustFile(
  from: string,
  [first = '', ...rest]: readonly string[],
  { byName, sizes }: PathIndex,
): { readonly path: string; readonly names: readonly string[] } | null {
  const own = /^.*?(?=(?:^|\/)(?:src|tests|benches|examples)\/)/.exec(from)?.[0] ?? '';
  const inside = listRustModules(from);
  const find = (crate: string, segments: readonly string[], least: number) => {
    const source = crate === '' ? 'src' : `${crate}/src`;
    for (let length = segments.length; length >= least; length -= 1) {
      const stem = [source, ...segments.slice(0, length)].join('/');
      const files = length === 0 ? [`${stem}/lib.rs`, `${stem}/main.rs`] : [`${stem}.rs`, `${stem}/mod.rs`];
      const path = files.find((one) => sizes.has(one));
      if (path !== undefined) return { path, names: segments.slice(length) };
    }
    return null;
  };
  if (first === 'crate') return find(own, rest, 0);
  if (first === 'self' || first === 'super') {
    const ups = [first, ...rest].findIndex((segment) => segment !== 'super');
    const below = first === 'self' ? rest : [first, ...rest].slice(ups);
    return find(own, [...inside.slice(0, inside.length - Math.max(0, ups)), ...below], 0);
  }
  const child = find(own, [...inside, first, ...rest], inside.length + 1);
  if (child !== null && /(?:^|\/)src\//.test(from)) return child;
  const crates = (byName.get('lib.rs') ?? []).flatMap((path) => /^(?:(.*)\/)?src\/lib\.rs$/.exec(path)?.[1] ?? []);
  const [crate, ...others] = crates.filter((folder) => folder.split('/').at(-1)?.replaceAll('-', '_') === first);
  if (crate !== undefined && others.length === 0) return find(crate, rest, 0);
  // The name of a crate at the root is not known from its paths.
  return own === '' && !/(?:^|\/)src\//.test(from) && !FOREIGN_CRATES.has(first) ? find('', rest, 0) : null;
}

const FOREIGN_CRATES = new Set(['std', 'core', 'alloc', 'proc_macro', 'test']);

/** `src/a/b.rs` and `src/a/b/mod.rs` are `a::b`; the root of a crate has no segments. */
export function listRustModules(path: string): readonly string[] {
  const inside = path.replace(/^(?:.*\/)?src\//, '').replace(/(?:(?:^|\/)(?:mod|lib|main))?\.rs$/, '');
  return inside === '' ? [] : inside.split('/');
}

function listTakenOfRust(file: NamingFile, index: PathIndex): readonly Taken[] {
  return listUses(file, () => true).flatMap(({ segments }): readonly Taken[] => {
    const isAll = segments.at(-1) === '*';
    const found = findRustFile(file.path, isAll ? segments.slice(0, -1) : segments, index);
    if (found === null || found.path === file.path) return [];
    // A module's own names are written behind it.
    return [{ path: found.path, names: isAll || found.names.length === 0 ? null : found.names }];
  });
}

function listPassedOfRust(file: NamingFile, index: PathIndex): readonly Passed[] {
  return listUses(file, (isPublic) => isPublic).flatMap(({ segments, alias }): readonly Passed[] => {
    const isAll = segments.at(-1) === '*';
    const found = findRustFile(file.path, isAll ? segments.slice(0, -1) : segments, index);
    if (found === null) return [];
    const [name = null] = found.names;
    if (!isAll) return [{ path: found.path, names: new Map([[alias, name]]) }];
    return name === null ? [{ path: found.path, names: null }] : [];
  });
}

function listUses({ text }: NamingFile, isMeant: (isPublic: boolean) => boolean): readonly RustPath[] {
  return [...text.matchAll(RUST_USE)].flatMap(([, visible, tree = '']) =>
    isMeant(visible !== undefined) ? listUsePaths(tree) : [],
  );
}

const RUST_DEFINED =
  /\bpub(?:\([^)]{0,60}\))?[ \t]{1,4}(?:(?:const|unsafe|async|extern(?: "\w{1,20}")?)[ \t]{1,4}){0,3}(?:fn|struct|enum|trait|type|const|static(?: mut)?|union|mod)[ \t]{1,4}(\w{1,100})/g;

export const LANGUAGE_NAMINGS: readonly Naming[] = [
  {
    ends: SCRIPT_END,
    listTaken: listTakenOfScript,
    listPassed: listPassedOfScript,
    listDefined: (text) => [
      ...listMatches(text, SCRIPT_DEFINED),
      ...listMatches(text, EXPORT_LIST).flatMap((list) => readNames(list, ' as ').map(([name]) => name)),
    ],
  },
  {
    ends: /\.py$/,
    listTaken: listTakenOfPython,
    listPassed: listPassedOfPython,
    listDefined: (text) => [...listMatches(text, PYTHON_DEFINED), ...listMatches(text, PYTHON_ASSIGNED)],
  },
  {
    ends: /\.rs$/,
    listTaken: listTakenOfRust,
    listPassed: listPassedOfRust,
    listDefined: (text) => listMatches(text, RUST_DEFINED),
  },
];

function listMatches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter((group) => group !== undefined));
}
