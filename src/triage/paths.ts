// From a path as a trace or a person writes it to the files of the commit; own code is distinguished from dependencies.

import type { Listing } from 'causeway-git-objects';
import { isRuntimeFrame } from 'causeway-log-lines';
import { classifyFile } from './own-code.ts';
import type { Frame, FrameLanguage } from './traces/frame.ts';

/**
 * Where a path leads. `certain` is false where the line cannot be trusted (compiled file) or only the file name
 * agrees.
 */
export type Mapping =
  | { readonly kind: 'own'; readonly path: string; readonly certain: boolean; readonly compiled: boolean }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[]; readonly compiled: boolean }
  | { readonly kind: 'dependency'; readonly of: string }
  | { readonly kind: 'runtime' }
  | { readonly kind: 'unknown' };

export interface Ground {
  readonly index: PathIndex;
  readonly packages: readonly OwnPackage[];
}

/** More equal ends than this say nothing (`index.js` in each of 200 folders). */
const MAX_AMBIGUOUS = 5;

const UNKNOWN: Mapping = { kind: 'unknown' };

/** Maps a frame by its path, or by its class or module path where it has none. */
export function mapFrame(ground: Ground, frame: Frame): Mapping {
  const { language, of } = frame;
  if (isRuntimeFrame({ language, file: '', symbol: '', of })) return { kind: 'runtime' };
  if (of !== undefined && PACKAGED.has(language)) return mapPackaged(ground, frame, of);
  const byPath = frame.file !== '' && frame.language !== 'jvm' ? mapPath(ground, frame.file) : UNKNOWN;
  if (byPath.kind !== 'unknown') return byPath;
  for (const { path, atLeast } of listSymbolPaths(frame)) {
    const match = findLongestSuffix(ground.index, path);
    if (match && (match.shared >= atLeast || (match.whole && match.shared > 1))) return toMapping(match, false);
  }
  return isRuntimeFrame(frame) ? { kind: 'runtime' } : UNKNOWN;
}

/** Their traces name the package that a path is in. */
const PACKAGED: ReadonlySet<FrameLanguage> = new Set(['ruby', 'elixir']);

/** `(ecto 3.10) lib/ecto/repo.ex`: the path is one of the package's, which may be of this repository. */
function mapPackaged(ground: Ground, frame: Frame, of: string): Mapping {
  if (frame.file === '') {
    const found = listSymbolPaths(frame).flatMap(({ path, atLeast }) => {
      const match = findLongestSuffix(ground.index, path);
      return match !== null && match.shared >= atLeast ? [match] : [];
    });
    return found[0] ? toMapping(found[0], false) : { kind: 'dependency', of };
  }
  const path = cleanPath(frame.file);
  const installed = parseInstalledPath(path, ground.packages);
  return installed === null ? isInTree(ground, path, of) : mapPath(ground, frame.file);
}

/** Maps a path: absolute or relative, of Windows, a URL, a bundler, an installed package, or compiled output. */
export function mapPath(ground: Ground, written: string): Mapping {
  const path = cleanPath(written);
  if (path === '') return UNKNOWN;
  // `internal/modules/…` is of Node, unless it is here.
  const isHere = ground.index.byName.get(getFileName(path).toLowerCase())?.includes(path) ?? false;
  if (!isHere && isRuntimeFrame({ language: 'any', file: path, symbol: '' }))
    return mapNeutral(ground, path) ?? { kind: 'runtime' };
  const installed = parseInstalledPath(path, ground.packages);
  if (installed?.kind === 'foreign')
    return mapVendored(ground, path, installed) ?? isInTree(ground, installed.rest, installed.of);
  if (installed?.kind === 'own') return mapWithin(ground, installed.path, installed.folder);
  return mapWithin(ground, path, '');
}

/** Builds of .NET that are the same everywhere print the repository's root as `/_/`, those of .NET itself as well. */
function mapNeutral(ground: Ground, path: string): Mapping | null {
  const inside = /^\/?_\/(.+)$/.exec(path)?.[1] ?? '';
  const match = inside === '' ? null : findLongestSuffix(ground.index, inside);
  return match?.exact ? toMapping(match, false) : null;
}

/** A dependency with its files in the repository. */
function mapVendored(ground: Ground, path: string, { of, isNamed }: Foreign): Mapping | null {
  const match = findLongestSuffix(ground.index, path);
  const [found] = match?.paths ?? [];
  if (!match?.whole || match.shared <= 2 || found?.split('/').length !== match.shared) return null;
  return isNamed === true && !`/${found}`.includes(`/${of}/`) ? null : toMapping(match, false);
}

/**
 * An installed package without a manifest here is own where the tree holds its whole path
 * (`site-packages/django/db/models.py`).
 */
function isInTree(ground: Ground, rest: string, of: string): Mapping {
  const match = findLongestSuffix(ground.index, rest);
  const segments = rest.split('/').length;
  return match && segments > 1 && match.shared === segments ? toMapping(match, false) : { kind: 'dependency', of };
}

function mapWithin(ground: Ground, path: string, folder: string): Mapping {
  const direct = pickBest(ground, path, folder);
  if (direct && (direct.whole || direct.shared > 2)) return toMapping(direct, false);
  for (const variant of listBuiltVariants(path)) {
    const match = pickBest(ground, variant, folder);
    if (match && (match.whole || match.shared > 1) && match.shared >= (direct?.shared ?? 0))
      return toMapping(match, true);
  }
  return direct ? toMapping(direct, false) : UNKNOWN;
}

function pickBest(ground: Ground, path: string, folder: string): SuffixMatch | null {
  const match = findLongestSuffix(ground.index, path);
  if (!match || folder === '') return match;
  const inside = match.paths.filter((candidate) => candidate.startsWith(`${folder}/`));
  return inside.length > 0 ? { ...match, paths: inside } : null;
}

function toMapping(match: SuffixMatch, compiled: boolean): Mapping {
  const sources = match.paths.filter((path) => classifyFile(path) !== 'test');
  // What is not a test by the written path is none here.
  const paths = sources.length > 0 ? sources : match.paths;
  const [only] = paths;
  if (only !== undefined && paths.length === 1) {
    return { kind: 'own', path: only, certain: !compiled && (match.whole || match.shared > 1), compiled };
  }
  return paths.length <= MAX_AMBIGUOUS ? { kind: 'ambiguous', paths, compiled } : UNKNOWN;
}

/** The folder of the package of this repository that an installed copy's path is of; null where it is of none. */
export function findOwnFolder({ packages }: Ground, written: string): string | null {
  const installed = parseInstalledPath(cleanPath(written), packages);
  return installed?.kind === 'own' ? installed.folder : null;
}

/** The files that a mapping leads to; none where it leads nowhere in the tree. */
export function listPaths(mapping: Mapping): readonly string[] {
  switch (mapping.kind) {
    case 'own':
      return [mapping.path];
    case 'ambiguous':
      return mapping.paths;
    case 'dependency':
    case 'runtime':
    case 'unknown':
      return [];
  }
}

/** A path with forward slashes, without scheme, origin, query, drive and `./`. */
export function cleanPath(written: string): string {
  return written
    .replace(/^(?:async |\(|eval at )+/, '')
    .replace(/^file:\/\/(?:localhost)?/, '')
    .replace(/^(?:webpack(?:-internal)?|turbopack|rsc|ng|vite|app):\/\/(?:[^/]{0,100})\/(?:\.\/)?/, '')
    .replace(/^[a-z][\w+.-]{1,20}:\/\/[^/]{1,200}\//, '/')
    .replace(/^\((?:[\w-]{1,40})\)\/\.?\//, '')
    .replace(/[?#].{0,300}$/, '')
    .replace(/\\/g, '/')
    .replace(/^\/?[A-Za-z]:\//, '/')
    .replace(/^(?:\.{1,2}\/)+/, '');
}

interface Foreign {
  readonly kind: 'foreign';
  readonly of: string;
  /** The path in the package; "" where it says nothing of this repository. */
  readonly rest: string;
  /** Whether a copy in the repository would have the package's name in its path. */
  readonly isNamed?: true;
}

type Installed = { readonly kind: 'own'; readonly path: string; readonly folder: string } | Foreign;

/** What a path inside a folder of installed packages belongs to; null for any other path. */
function parseInstalledPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  return (
    parseNpmPath(path, packages) ??
    parsePythonPath(path) ??
    parseCargoPath(path, packages) ??
    parseGemPath(path, packages) ??
    parseComposerPath(path, packages) ??
    parseGoPath(path, packages) ??
    parseKeptPath(path, packages)
  );
}

function parseNpmPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  const at = path.lastIndexOf('node_modules/');
  if (at < 0) return findPublished(path, packages);
  const rest = path.slice(at + 'node_modules/'.length);
  const [, name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(rest) ?? [];
  return toOwnedPath(packages, 'npm', name, inside) ?? { kind: 'foreign', of: name, rest: '' };
}

/**
 * A package of this repository outside of `node_modules`, as error trackers, content networks and bundlers write it:
 * `@shop/core/1.2.3/x.js`, `shop@1.2.3/x.js`, `@shop_core/x.js`. A name without a scope needs a version: it is a word.
 */
function findPublished(path: string, packages: readonly OwnPackage[]): Installed | null {
  const segments = path.split('/');
  for (const { name, kind, folder } of packages) {
    const from = kind === 'npm' ? findInside(segments, name) : 0;
    if (from > 0 && from < segments.length) {
      return { kind: 'own', path: joinPath(folder, segments.slice(from).join('/')), folder };
    }
  }
  return null;
}

/** The index of the first segment inside of the package; 0: it is not in the path. */
function findInside(segments: readonly string[], name: string): number {
  const forms = new Set([name, name.replace('/', '_'), name.replace('/', '+')]);
  const [scope = ''] = name.split('/');
  for (const [index, segment] of segments.entries()) {
    const length = segment === scope && scope !== name ? 2 : 1;
    const written = segments.slice(index, index + length).join('/');
    const at = written.lastIndexOf('@');
    const next = index + length;
    const isVersionNext = /^\d{1,5}\.\d/.test(segments[next] ?? '');
    const isNamed = forms.has(at > 0 ? written.slice(0, at) : written);
    if (isNamed && (at > 0 || isVersionNext || name.startsWith('@'))) return isVersionNext ? next + 1 : next;
  }
  return 0;
}

/**
 * Inside an egg (a folder, a zip file or a link), a wheel, or where setuptools packed one:
 * `shop-1.2.0-py3.12.egg/shop/cart.py`.
 */
const ARCHIVE =
  /^(?:.*\/)?(?:([A-Za-z0-9][\w.]{0,100}?)(?:-[^/]{1,150})?\.(?:egg|egg-link|whl)|build\/bdist\.[^/]{1,80}\/(?:egg|wheel))\/(.+)$/;

function parsePythonPath(path: string): Installed | null {
  const archived = ARCHIVE.exec(path);
  if (archived) {
    const inside = archived[2] ?? '';
    return { kind: 'foreign', of: archived[1] ?? inside.split('/')[0] ?? '', rest: inside };
  }
  const [, rest = ''] = /(?:^|\/)(?:site|dist)-packages\/(.+)$/.exec(path) ?? [];
  if (rest === '') return null;
  const [of = ''] = rest.split('/');
  const metadata = /^(.+)-[^-]+\.(?:dist|egg)-info$/.exec(of)?.[1];
  return metadata ? { kind: 'foreign', of: metadata, rest: '' } : { kind: 'foreign', of, rest };
}

function parseCargoPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  const match =
    /(?:^|\/)\.?cargo\/(?:registry\/src\/[^/]+\/([\w-]+?)-\d[^/]*|git\/checkouts\/([\w-]+?)-[0-9a-f]{16}\/[0-9a-f]+)\/(.+)$/.exec(
      path,
    );
  if (!match) return null;
  const name = match[1] ?? match[2] ?? '';
  return toOwnedPath(packages, 'cargo', name, match[3] ?? '') ?? { kind: 'foreign', of: name, rest: '' };
}

/** `gems/cart-7.1.0/lib/cart.rb`, and a checkout by Bundler: `gems/cart-0123abcd/lib/cart.rb`. */
function parseGemPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  const [, name = '', inside = ''] =
    /^(?:.*\/)?gems\/([A-Za-z][\w.-]{0,80}?)-(?:\d[\w.]{0,30}(?:-[\w-]{1,40})?|[0-9a-f]{7,40})\/(.+)$/.exec(path) ?? [];
  if (name === '') return null;
  return toOwnedPath(packages, 'gem', name, inside) ?? { kind: 'foreign', of: name, rest: '' };
}

function parseComposerPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  // Programs of PHP have no ending.
  if (!/\.php$|\/[^/.]+$/.test(path)) return null;
  const [, name = '', inside = ''] = /(?:^|\/)vendor\/([\w.-]{1,80}\/[\w.-]{1,80})\/(.+)$/.exec(path) ?? [];
  if (name === '') return null;
  return toOwnedPath(packages, 'composer', name, inside) ?? { kind: 'foreign', of: name, rest: '' };
}

/** `…/pkg/mod/example.com/module@v1.2.3/x.go`, and `example.com/module/x.go` of builds with `-trimpath`. */
function parseGoPath(written: string, packages: readonly OwnPackage[]): Installed | null {
  if (!written.endsWith('.go')) return null;
  // The module cache writes a capital letter as `!` and a small one.
  const path = written.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const own = packages.find(
    ({ kind, name }) => kind === 'go' && new RegExp(`(?:^|/)${escapePattern(name)}(?:@[^/]+)?/`).test(path),
  );
  if (own) {
    const inside = path.replace(new RegExp(`^.*?(?:^|/)${escapePattern(own.name)}(?:@[^/]+)?/`), '');
    return { kind: 'own', path: joinPath(own.folder, inside), folder: own.folder };
  }
  const [, module = ''] =
    /(?:^|\/)pkg\/mod\/(.+?)@/.exec(path) ?? /^((?:[\w-]+\.)+[a-z]{2,}\/[^@]+?)@/.exec(path) ?? [];
  return module === '' ? null : { kind: 'foreign', of: module, rest: '' };
}

function toOwnedPath(
  packages: readonly OwnPackage[],
  kind: OwnPackage['kind'],
  name: string,
  inside: string,
): Installed | null {
  const own = packages.find((one) => one.kind === kind && one.name === name);
  return own ? { kind: 'own', path: joinPath(own.folder, inside), folder: own.folder } : null;
}

const BUILT =
  /(?:^|\/)(?:dist|build|lib|out|es|esm|cjs|output|\.output|\.next|target\/classes)(?:\/(?:esm|cjs|es|src|modern|server|client|node))?\//;

const BUILT_TWICE = /(?:^|\/)(?:dist|build|out)\/lib\//;

const COMPILED = /\.[cm]?jsx?$/;

const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.vue', '.svelte'];

/** Where the source of a compiled file may be: `dist/a/b.js` → `src/a/b.ts`, `a/b.ts`, …; the likeliest first. */
function listBuiltVariants(path: string): readonly string[] {
  if (!COMPILED.test(path)) return [];
  const bare = path.replace(COMPILED, '');
  const folders = [
    ...(BUILT.test(path) ? [bare.replace(BUILT, '/src/'), bare.replace(BUILT, '/')] : []),
    ...(BUILT_TWICE.test(path) ? [bare.replace(BUILT_TWICE, '/src/')] : []),
    bare,
  ];
  return folders
    .flatMap((folder) => SOURCES.map((extension) => `${folder}${extension}`.replace(/^\//, '')))
    .filter((variant) => variant !== path);
}

interface Kept {
  /** Groups: `of`, the package; `rest`, the path in it. */
  readonly path: RegExp;
  readonly kind: OwnPackage['kind'] | null;
  /** Where the package keeps what its paths name. */
  readonly folder?: string;
}

/** Where package managers keep what they install, with the package's name in the path. */
const KEPT: readonly Kept[] = [
  { kind: 'dart', path: /^package:(?<of>\w{1,100})\/(?:…\/)?(?<rest>.+)$/, folder: 'lib' },
  {
    kind: 'dart',
    path: /(?:^|\/)(?:\.pub-cache|Pub\/Cache)\/(?:hosted\/[^/]{1,100}|git)\/(?<of>\w{1,100})-[^/]{1,100}\/(?<rest>.+)$/,
  },
  { kind: null, path: /(?:^|\/)deps\/(?<of>[a-z]\w{0,80})\/(?<rest>(?:lib|src)\/.+\.(?:exs?|[eh]rl))$/ },
  { kind: null, path: /(?:^|\/)(?:\.build|SourcePackages)\/checkouts\/(?<of>[^/]{1,100})\/(?<rest>.+)$/ },
  { kind: null, path: /(?:^|\/)Pods\/(?<of>[^/]{1,100})\/(?<rest>.+)$/ },
  { kind: null, path: /(?:^|\/)_deps\/(?<of>[\w.-]{1,100}?)-src\/(?<rest>.+)$/ },
];

function parseKeptPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  for (const { path: form, kind, folder = '' } of KEPT) {
    const { of, rest } = form.exec(path)?.groups ?? {};
    if (of === undefined || rest === undefined) continue;
    const inside = joinPath(folder, rest);
    const own = kind === null ? null : toOwnedPath(packages, kind, of, inside);
    if (own !== null) return own;
    // Beside the manifest a short path says too little.
    const isOthers = kind !== null && packages.some((one) => one.kind === kind);
    return { kind: 'foreign', of, isNamed: true, rest: isOthers ? '' : inside };
  }
  return null;
}

interface SymbolPath {
  readonly path: string;
  /** Segments that must agree before the match is believed. */
  readonly atLeast: number;
}

/** Paths that a class or module name means: `org.app.Store$Item` in `Store.java` → `org/app/Store.java`. */
function listSymbolPaths(frame: Frame): readonly SymbolPath[] {
  if (frame.symbol === '') return [];
  if (frame.language === 'jvm' && frame.file !== '') {
    const folder = frame.symbol.split('.').slice(0, -1);
    const path = [...folder, frame.file].join('/');
    // Kotlin leaves the packages' common root out of the folders; Java never does.
    return [{ path, atLeast: frame.file.endsWith('.java') ? folder.length + 1 : Math.min(folder.length + 1, 2) }];
  }
  if (frame.language === 'csharp' && frame.file === '') {
    const parts = frame.symbol.replace(/`\d+|\[.*\]/g, '').split(/[.+]/);
    return [{ path: `${parts.join('/')}.cs`, atLeast: Math.min(parts.length, 2) }];
  }
  switch (frame.language) {
    case 'rust':
      return listRustPaths(frame.symbol);
    case 'kotlin':
      // Kotlin leaves the packages' common root out of the folders.
      return [{ path: `${frame.symbol.replaceAll('.', '/')}.kt`, atLeast: 2 }];
    case 'elixir':
      return listElixirPaths(frame.symbol);
    case 'swift':
      return listSwiftPaths(frame.symbol);
    default:
      return [];
  }
}

/** `Shop.LineItem.total/1` → `shop/line_item.ex`. */
function listElixirPaths(symbol: string): readonly SymbolPath[] {
  const module = /^(?:[A-Z]\w{0,100}\.){1,12}/.exec(symbol)?.[0].slice(0, -1) ?? '';
  const parts = module
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .toLowerCase()
    .split('.');
  return parts.length > 1 ? [{ path: `${parts.join('/')}.ex`, atLeast: 2 }] : [];
}

/** `Shop.Cart.total(items:)` → `Cart.swift`. */
function listSwiftPaths(symbol: string): readonly SymbolPath[] {
  const type = /(?:^|[ .])([A-Z]\w{2,100})\.\w{1,100}[(<]/.exec(symbol)?.[1];
  return type === undefined ? [] : [{ path: `${type}.swift`, atLeast: 1 }];
}

/** `clap::parse::parser::Parser::parse` → `clap/parse/parser.rs`, `clap/parse.rs`, and their `mod.rs`. */
function listRustPaths(symbol: string): readonly SymbolPath[] {
  const parts = symbol
    .replace(/^<|[ >].*$/g, '')
    .split('::')
    .filter((part) => /^[a-z_]\w*$/.test(part));
  const forms = [parts, parts.slice(0, -1)].filter((form) => form.length > 1);
  return forms.flatMap((form) => {
    const inside = form.slice(1).join('/');
    return [`src/${inside}.rs`, `src/${inside}/mod.rs`].map((path) => ({ path, atLeast: 2 + form.length - 1 }));
  });
}

function joinPath(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

/** The text as an expression that matches it alone. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export interface PathIndex {
  readonly paths: readonly string[];
  /** Paths by lower-case file name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** Bytes by path. */
  readonly sizes: ReadonlyMap<string, number>;
}

export function createPathIndex(listing: Listing): PathIndex {
  const files = listing.entries.filter(({ kind }) => kind === 'file' || kind === 'executable');
  const paths = files.map(({ path }) => path);
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = getFileName(path).toLowerCase();
    const same = byName.get(name);
    if (same) same.push(path);
    else byName.set(name, [path]);
  }
  return { paths, byName, sizes: new Map(files.map(({ path, size }) => [path, size])) };
}

interface SuffixMatch {
  /** The paths that share the longest end with the given path, in path order. */
  readonly paths: readonly string[];
  /** How many segments they share; 1 is only the file name. */
  readonly shared: number;
  /** Whether the whole of the tree's path is the end of the given path, or the other way round. */
  readonly whole: boolean;
  /** Whether the given path is a path of the tree as it is. */
  readonly exact: boolean;
}

/** The files with the most segments in common with the end of `path`; the case of letters is ignored. */
export function findLongestSuffix(index: PathIndex, path: string): SuffixMatch | null {
  const wanted = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const candidates = index.byName.get(wanted.at(-1) ?? '') ?? [];
  let best: { paths: string[]; shared: number; whole: boolean; exact: boolean } | null = null;
  for (const candidate of candidates) {
    const own = candidate.toLowerCase().split('/');
    const shared = countSharedEnd(own, wanted);
    const whole = shared === own.length || shared === wanted.length;
    const exact = shared === own.length && shared === wanted.length;
    if (exact || !best || shared > best.shared || (shared === best.shared && whole && !best.whole)) {
      best = { paths: [candidate], shared, whole, exact };
      if (exact) return best;
    } else if (shared === best.shared && whole === best.whole) {
      best.paths.push(candidate);
    }
  }
  return best;
}

export function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function countSharedEnd(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  while (shared < left.length && shared < right.length && left.at(-1 - shared) === right.at(-1 - shared)) shared++;
  return shared;
}

export interface OwnPackage {
  /** As others import it: `@scope/name`, `crate-name`, `example.com/module`. */
  readonly name: string;
  readonly kind: 'npm' | 'cargo' | 'go' | 'python' | 'gem' | 'composer' | 'dart';
  /** Folder of the manifest; "" is the root. */
  readonly folder: string;
}
