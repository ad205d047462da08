// Which code a path belongs to: the project's source, its tests and documents, a dependency, or a language's runtime.

export type FileKind =
  | 'source'
  | 'test'
  | 'example'
  | 'document'
  | 'configuration'
  | 'vendored'
  | 'generated'
  | 'asset';

/** A folder of vendored code. */
const VENDORED_FOLDER =
  /(?:^|\/)(?:node_modules|vendor|vendored|_vendor|third[_-]?party|extern|externals|bower_components|site-packages|\.yarn)\//;

/**
 * `packages/` holds a project's own parts more often than others' (monorepos), so the distribution must be a known
 * one.
 */
const VENDORED_PACKAGE =
  /(?:^|\/)packages\/(?:urllib3|chardet|charade|idna|certifi|six|simplejson|requests|oauthlib|oreos|ordereddict|backports|ssl_match_hostname|pyparsing|packaging|distlib|html5lib|msgpack|cachecontrol|colorama|webencodings|progress|toml|tomli|yaml|jinja2|markupsafe|attr|dateutil|pytz|decorator)(?:\/.{1,300})?\.py$/;

const GENERATED =
  /(?:^|\/)dist\/|\.(?:min|umd|esm|iife)\.[cm]?js$|\.min\.css$|\.(?:map|lock|snap|bundle)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum)$/;

/** Programs that only have to compile: `test-d/cart.ts`, `packages/dts-test/cart.ts`, `cart.test-d.ts`, `cart_typecheck.py`. */
const TYPE_TEST =
  /(?:^|\/)(?:tests?-(?:d|dts|types?)|tsd|dtslint|(?:__)?types?-?tests?(?:__)?|(?:dts|typings?)-(?:built-)?tests?)\/|(?:[._]typecheck|[._-](?:type-?tests?|tests?-d|tst))\.[cm]?(?:[jt]sx?|pyi?)$/i;

const TEST =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__|androidTest|integration-tests?)\/|(?:^|\/)(?:test_[^/]+\.py|conftest\.py|[^/]+[._-](?:tests?|spec|specs|e2e)(?:-d)?\.[^/]+|[^/]*[a-z0-9](?:Tests?|IT|Spec|TestCase)\.(?:java|kt|cs|scala|groovy|php|swift))$/;

const EXAMPLE =
  /(?:^|\/)(?:examples?|samples?|demos?|bench(?:es|marks?)?|playgrounds?|sandbox|templates?-project)\/|(?:^|\/)bench(?:mark)?s?\.\w{1,6}$/;

const DOCUMENT =
  /(?:^|\/)(?:docs?|documentation|website|site|changes|changelog)\/|\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:README|CHANGELOG|LICENSE|HISTORY|AUTHORS|NEWS)[^/]*$/i;

const SOURCE =
  /\.(?:[cm]?[jt]sx?|pyx?|pyi|java|kts?|go|rs|cs|fs|vb|rb|php|swift|scala|groovy|c|cc|cpp|cxx|h|hh|hpp|m|mm|vue|astro|sql|sh|bash|ps1|exs?|erl|hs|lua|dart|cljs?|pl|pm|r|jl|zig|nim|ml|proto|graphql|j2|svelte)$/i;

const CONFIGURATION =
  /\.(?:json|ya?ml|toml|xml|ini|cfg|conf|properties|gradle|env|editorconfig)$|(?:^|\/)(?:Dockerfile|Makefile)[^/]*$/i;

export function classifyFile(path: string): FileKind {
  if (VENDORED_FOLDER.test(path) || VENDORED_PACKAGE.test(path)) return 'vendored';
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

/** The outermost folders with vendored code: one repository has 4,700 files of its own and 24,700 in three such folders. */
export function listVendoredFolders(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => {
    const found = VENDORED_FOLDER.exec(path);
    return found === null ? [] : [path.slice(0, found.index + found[0].length - 1)];
  });
  return [...new Set(folders)];
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
