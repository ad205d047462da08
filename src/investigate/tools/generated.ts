// Which files programs write, and which of the others say most about a fault: by their paths.

const LOCKS =
  'package-lock\\.json|npm-shrinkwrap\\.json|pnpm-lock\\.yaml|packages\\.lock\\.json|go\\.sum|bun\\.lockb|Package\\.resolved|gradle\\.lockfile|[^/]+\\.lock';

const GENERATED = new RegExp(
  [
    `(?:^|/)(?:${LOCKS})$`,
    '\\.(?:min|bundle|umd|iife)\\.[cm]?(?:js|css)$',
    '\\.(?:[cm]?js|css|ts)\\.map$',
    '\\.(?:snap|ambr)$',
    '(?:^|/)(?:__snapshots__|node_modules)(?:/|$)',
    // Of the whole or of a package: elsewhere people have folders of that name for source.
    '^(?:(?:packages|apps)/(?:@[^/]+/)?[^/]+/)?dist(?:/|$)',
    '\\.pb\\.(?:go|cc|h)$|_pb2(?:_grpc)?\\.pyi?$|\\.(?:g|freezed)\\.dart$|(?:^|/)zz_generated\\.|[._-]generated\\.\\w+$',
  ].join('|'),
  'i',
);

/** The most usual of these, for git. */
export const GENERATED_GLOBS: readonly string[] = [
  ...['*.min.*', '*.map', '*.snap', '*.po', '*.lock', 'package-lock.json', 'pnpm-lock.yaml', 'go.sum'].map(
    (name) => `**/${name}`,
  ),
  ...['dist', 'packages/*/dist', 'apps/*/dist', '**/node_modules', '**/__snapshots__'].map((folder) => `${folder}/**`),
];

const TRANSLATIONS = /(?:^|\/)(?:locales?|i18n|lang(?:uages?)?|translations?|l10n)(?=\/)/i;
/** In the name of a file or folder: `de`, `pt-BR`, `messages_zh_CN`. */
const LANGUAGE = /[/._]([a-z]{2})(?:[-_](?:[a-z]{4}|[a-z]{2}|\d{3})){0,2}(?=\/|\.[^/.]+$)/gi;
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const OF_TEXTS = /\.(?:json|ya?ml|po|mo|properties|xlf|xliff|arb|strings|resx)$/i;
const ENGLISH = /[/_.-]en(?:[-_][a-z]{2})?[/.]/i;

/** Whether it is built, locked, recorded or translated, so that it is not where a cause is. Also for folders of such files. */
export function isGenerated(path: string): boolean {
  const isTranslated = OF_TEXTS.test(path) && !ENGLISH.test(path) && hasLanguageCode(path);
  return GENERATED.test(path) || isTranslated || /\.(?:po|mo)$/.test(path);
}

function hasLanguageCode(path: string): boolean {
  const folder = TRANSLATIONS.exec(path);
  if (folder === null) return false;
  const below = path.slice(folder.index + folder[0].length);
  return [...below.matchAll(LANGUAGE)].some(([, code = '']) => LANGUAGES.of(code) !== undefined);
}

/** Source before tests, these before texts, and what programs write last. */
export function ratePath(path: string): number {
  if (isGenerated(path) || /(?:^|\/)vendor\//.test(path)) return 3;
  if (/\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:docs?|changes|changelog)\//i.test(path)) return 2;
  return /(?:^|[/._-])(?:tests?|specs?|__tests__|testdata|fixtures)(?:[/._-]|$)/i.test(path) ? 1 : 0;
}
