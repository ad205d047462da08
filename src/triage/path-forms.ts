// The forms in which one file is written: URLs, Windows, installed packages, compiled output, class names.
import type { Frame } from './frames/frame.ts';
import type { OwnPackage } from './manifests.ts';

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

export type Installed =
  | { readonly kind: 'own'; readonly path: string; readonly folder: string }
  | { readonly kind: 'foreign'; readonly of: string; readonly rest: string };

/** What a path inside a folder of installed packages belongs to; null for any other path. */
export function installedPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  return npmPath(path, packages) ?? pythonPath(path) ?? cargoPath(path, packages) ?? goPath(path, packages);
}

function npmPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  const at = path.lastIndexOf('node_modules/');
  if (at < 0) return null;
  const rest = path.slice(at + 'node_modules/'.length);
  const [, name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(rest) ?? [];
  return owned(packages, 'npm', name, inside) ?? { kind: 'foreign', of: name, rest: '' };
}

/** Inside an egg (a folder, a zip file or a link), a wheel, or where setuptools packed one: `shop-1.2.0-py3.12.egg/shop/cart.py`. */
const ARCHIVE =
  /^(?:.*\/)?(?:([A-Za-z0-9][\w.]{0,100}?)(?:-[^/]{1,150})?\.(?:egg|egg-link|whl)|build\/bdist\.[^/]{1,80}\/(?:egg|wheel))\/(.+)$/;

function pythonPath(path: string): Installed | null {
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

function cargoPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  const match =
    /(?:^|\/)\.?cargo\/(?:registry\/src\/[^/]+\/([\w-]+?)-\d[^/]*|git\/checkouts\/([\w-]+?)-[0-9a-f]{16}\/[0-9a-f]+)\/(.+)$/.exec(
      path,
    );
  if (!match) return null;
  const name = match[1] ?? match[2] ?? '';
  return owned(packages, 'cargo', name, match[3] ?? '') ?? { kind: 'foreign', of: name, rest: '' };
}

/** `…/pkg/mod/example.com/module@v1.2.3/x.go`, and `example.com/module/x.go` of builds with `-trimpath`. */
function goPath(path: string, packages: readonly OwnPackage[]): Installed | null {
  if (!path.endsWith('.go')) return null;
  const own = packages.find(
    ({ kind, name }) => kind === 'go' && new RegExp(`(?:^|/)${escaped(name)}(?:@[^/]+)?/`).test(path),
  );
  if (own) {
    const inside = path.replace(new RegExp(`^.*?(?:^|/)${escaped(own.name)}(?:@[^/]+)?/`), '');
    return { kind: 'own', path: join(own.folder, inside), folder: own.folder };
  }
  const [, module = ''] =
    /(?:^|\/)pkg\/mod\/(.+?)@/.exec(path) ?? /^((?:[\w-]+\.)+[a-z]{2,}\/[^@]+?)@/.exec(path) ?? [];
  return module === '' ? null : { kind: 'foreign', of: module, rest: '' };
}

function owned(
  packages: readonly OwnPackage[],
  kind: OwnPackage['kind'],
  name: string,
  inside: string,
): Installed | null {
  const own = packages.find((one) => one.kind === kind && one.name === name);
  return own ? { kind: 'own', path: join(own.folder, inside), folder: own.folder } : null;
}

const BUILT =
  /(?:^|\/)(?:dist|build|lib|out|es|esm|cjs|output|\.output|\.next|target\/classes)(?:\/(?:esm|cjs|es|src|modern|server|client|node))?\//;
const COMPILED = /\.[cm]?jsx?$/;
const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.vue', '.svelte'];

/** Where the source of a compiled file may stand: `dist/a/b.js` → `src/a/b.ts`, `a/b.ts`, …; the likeliest first. */
export function builtVariants(path: string): readonly string[] {
  if (!COMPILED.test(path)) return [];
  const bare = path.replace(COMPILED, '');
  const folders = BUILT.test(path) ? [bare.replace(BUILT, '/src/'), bare.replace(BUILT, '/')] : [bare];
  return folders
    .flatMap((folder) => SOURCES.map((extension) => `${folder}${extension}`.replace(/^\//, '')))
    .filter((variant) => variant !== path);
}

export interface SymbolPath {
  readonly path: string;
  /** Segments that must agree before the match is believed. */
  readonly atLeast: number;
}

/** Paths that a class or module name stands for: `org.app.Store$Item` in `Store.java` → `org/app/Store.java`. */
export function symbolPaths(frame: Frame): readonly SymbolPath[] {
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
  return frame.language === 'rust' ? rustPaths(frame.symbol) : [];
}

/** `clap::parse::parser::Parser::parse` → `clap/parse/parser.rs`, `clap/parse.rs`, and their `mod.rs`. */
function rustPaths(symbol: string): readonly SymbolPath[] {
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

function join(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
