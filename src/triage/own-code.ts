// Which code a path belongs to: the project's source, its tests and documents, a dependency, or a language's runtime.
import type { SourceTree } from 'causeway-git-objects';
import type { OwnPackage, PathIndex } from './paths.ts';

export type FileKind =
  | 'source'
  | 'test'
  | 'example'
  | 'document'
  | 'configuration'
  | 'vendored'
  | 'generated'
  | 'asset';

/**
 * `packages/` holds a project's own parts more often than others' (monorepos), so the distribution must be a known
 * one.
 */
const VENDORED =
  /(?:^|\/)(?:node_modules|vendor|vendored|_vendor|third[_-]?party|extern|externals|bower_components|site-packages|\.yarn)\/|(?:^|\/)packages\/(?:urllib3|chardet|charade|idna|certifi|six|simplejson|requests|oauthlib|oreos|ordereddict|backports|ssl_match_hostname|pyparsing|packaging|distlib|html5lib|msgpack|cachecontrol|colorama|webencodings|progress|toml|tomli|yaml|jinja2|markupsafe|attr|dateutil|pytz|decorator)(?:\/.{1,300})?\.py$/;

const GENERATED =
  /(?:^|\/)dist\/|\.min\.(?:js|css)$|\.(?:map|lock|snap|bundle)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum)$/;

/** Programs that only have to compile: `test-d/cart.ts`, `packages/dts-test/cart.ts`, `cart.test-d.ts`, `cart_typecheck.py`. */
const TYPE_TEST =
  /(?:^|\/)(?:tests?-(?:d|dts|types?)|tsd|dtslint|(?:__)?types?-?tests?(?:__)?|(?:dts|typings?)-(?:built-)?tests?)\/|(?:[._]typecheck|[._-](?:type-?tests?|tests?-d|tst))\.[cm]?(?:[jt]sx?|pyi?)$/i;

const TEST =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__|androidTest|integration-tests?)\/|(?:^|\/)(?:test_[^/]+\.py|conftest\.py|[^/]+[._-](?:tests?|spec|specs|e2e)(?:-d)?\.[^/]+|[^/]*[a-z0-9](?:Tests?|IT|Spec|TestCase)\.(?:java|kt|cs|scala|groovy|php|swift))$/;

const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|bench(?:es|marks?)?|playgrounds?|sandbox|templates?-project)\//;

const DOCUMENT =
  /(?:^|\/)(?:docs?|documentation|website|site|changes|changelog)\/|\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:README|CHANGELOG|LICENSE|HISTORY|AUTHORS|NEWS)[^/]*$/i;

const SOURCE =
  /\.(?:[cm]?[jt]sx?|pyx?|pyi|java|kts?|go|rs|cs|fs|vb|rb|php|swift|scala|groovy|c|cc|cpp|cxx|h|hh|hpp|m|mm|vue|astro|sql|sh|bash|ps1|exs?|erl|hs|lua|dart|cljs?|pl|pm|r|jl|zig|nim|ml|proto|graphql|j2|svelte)$/i;

const CONFIGURATION =
  /\.(?:json|ya?ml|toml|xml|ini|cfg|conf|properties|gradle|env|editorconfig)$|(?:^|\/)(?:Dockerfile|Makefile)[^/]*$/i;

export function classifyFile(path: string): FileKind {
  if (VENDORED.test(path)) return 'vendored';
  if (GENERATED.test(path)) return 'generated';
  if (TEST.test(path) || TYPE_TEST.test(path)) return 'test';
  if (DOCUMENT.test(path) && !/\.(?:py|[jt]sx?|rs|go|java|kt)$/.test(path)) return 'document';
  if (EXAMPLE.test(path)) return 'example';
  if (/(?:^|\/)docs?\//.test(path)) return 'document';
  if (SOURCE.test(path)) return 'source';
  return CONFIGURATION.test(path) ? 'configuration' : 'asset';
}

const DEPENDENCIES =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|bun\.lockb?|requirements[\w.-]{0,80}\.txt|(?:poetry|uv|Pipfile|Cargo|Gemfile|composer|mix|flake|pubspec|Package)\.(?:lock|resolved)|composer\.json|go\.(?:mod|sum|work)|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|gradle\.lockfile|libs\.versions\.toml|packages\.lock\.json|Directory\.Packages\.props|Gemfile|Pipfile|Dockerfile)$/;

/** A manifest, lock file or image: what is in it decides what every check runs with. */
export function isDependencyList(path: string): boolean {
  return DEPENDENCIES.test(path);
}

/** Whether the file is written in a language of programs, tests and samples included. */
export function isProgram(path: string): boolean {
  return SOURCE.test(path);
}

const ASIDE =
  /(?:^|\/)(?:docs?|documentation|website|site|examples?|samples?|demos?|bench(?:es|marks?)?|playgrounds?|sandbox)\/|\.config\.[cm]?[jt]s$|^(?:scripts?|tools?|build|ci|hack)\/|(?:^|\/)\.[^/]+\/|(?:^|\/)(?:setup|gulpfile|gruntfile|rakefile)\.\w+$/i;

/** Whether a program is not part of the product: an example, a page of its documentation, what builds it. */
export function isSecondary(path: string): boolean {
  return ASIDE.test(path);
}

/** Whether the file is not edited here: it comes from another project, or from a program. */
export function isVendored(path: string): boolean {
  const kind = classifyFile(path);
  return kind === 'vendored' || kind === 'generated';
}

/** What a score is multiplied with: how rarely the fault is in such a file when the same signals point at it. */
export function getKindFactor(kind: FileKind): number {
  switch (kind) {
    case 'source':
      return 1;
    case 'configuration':
      return 0.5;
    case 'example':
      return 0.3;
    case 'test':
      return 0.25;
    case 'document':
      return 0.15;
    case 'vendored':
    case 'generated':
    case 'asset':
      return 0.1;
  }
}

/** Manifests nearest to the root are read, at most so many: a monorepo's own packages rarely are more. */
const MAX_MANIFESTS = 40;

const KINDS: Readonly<Record<string, OwnPackage['kind']>> = {
  'package.json': 'npm',
  'cargo.toml': 'cargo',
  'go.mod': 'go',
  'pyproject.toml': 'python',
  'setup.cfg': 'python',
};

export async function readOwnPackages(
  tree: SourceTree,
  index: PathIndex,
  signal: AbortSignal,
): Promise<readonly OwnPackage[]> {
  const manifests = Object.keys(KINDS)
    .flatMap((name) => index.byName.get(name) ?? [])
    .filter((path) => !/(?:^|\/)(?:node_modules|vendor|fixtures?|tests?|testdata|examples?)\//.test(path))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MAX_MANIFESTS);
  const packages: OwnPackage[] = findPythonFolders(index);
  for (const path of manifests) {
    const read = await tree.read(path, {}, signal);
    const own = read.kind === 'text' ? readOwnPackage(path, read.text) : null;
    if (own) packages.push(own);
  }
  return packages;
}

/** Older Python projects name themselves only in code (setup.py), but their package's folder has the name. */
function findPythonFolders(index: PathIndex): OwnPackage[] {
  return (index.byName.get('__init__.py') ?? []).flatMap((path) => {
    const name = /^(?:src\/|lib\/)?([A-Za-z]\w*)\/__init__\.py$/.exec(path)?.[1] ?? '';
    return name === '' || /^(?:tests?|docs?|examples?|scripts|tools)$/.test(name)
      ? []
      : [{ name, kind: 'python', folder: '' }];
  });
}

function readOwnPackage(path: string, text: string): OwnPackage | null {
  const slash = path.lastIndexOf('/');
  const kind = KINDS[path.slice(slash + 1).toLowerCase()];
  const name = kind ? readPackageName(kind, text) : '';
  return kind && name !== '' ? { name, kind, folder: slash < 0 ? '' : path.slice(0, slash) } : null;
}

/** By pattern, not by parser: a manifest may be cut or broken, and only its name is wanted. */
function readPackageName(kind: OwnPackage['kind'], text: string): string {
  switch (kind) {
    case 'npm':
      return /^(?: {2}|\t| {4}|\{ ?)?"name"\s{0,4}:\s{0,4}"([^"]{1,214})"/m.exec(text)?.[1] ?? '';
    case 'go':
      return /^module\s+(\S{1,300})/m.exec(text)?.[1] ?? '';
    case 'cargo':
      return readSection(text, '[package]');
    case 'python':
      return readSection(text, '[project]') || readSection(text, '[tool.poetry]') || readSection(text, '[metadata]');
  }
}

function readSection(text: string, heading: string): string {
  const start = text.indexOf(heading);
  if (start < 0) return '';
  const body = text.slice(start + heading.length, start + 4_000).split(/^\[/m)[0] ?? '';
  return /^\s{0,8}name\s{0,8}=\s{0,8}["']?([\w.-]{1,100})/m.exec(body)?.[1] ?? '';
}
