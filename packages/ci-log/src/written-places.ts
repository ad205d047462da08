// How tools write where something is, and which of these paths are of the repository.

/** As written in the log. */
interface WrittenPlace {
  readonly path: string;
  readonly line: number;
}

const EXTENSION =
  '[cm]?[jt]sx?|vue|svelte|astro|py|pyi|rb|erb|haml|slim|rake|go|rs|java|kts?|scala|sc|sbt|groovy|gradle|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|cs|cshtml|razor|fs|vb|php|ex|exs|heex|erl|hs|lhs|ml|mli|lua|dart|sh|bash|bats|ps1|sql|css|scss|sass|less|html|ya?ml|toml|json|xml|csproj|tf|hcl|pp|nix|md|mdx|rst|adoc|tex|proto|cmake|bzl|bazel|clj|cljs|jl|r|R|zig|nim|pl|pm|f90|cu|sol|graphql|rego';

/** Files that go by their whole name. */
const NAMED =
  '(?:Dockerfile|Containerfile|Makefile|Rakefile|Gemfile|Podfile|Jenkinsfile|Vagrantfile|BUILD|WORKSPACE|CMakeLists\\.txt|\\.env(?:\\.\\w{1,20})?|\\.[a-z]{1,20}(?:rc|ignore|config))';

const FOLDERS = '[\\w.@~+/\\\\-]{1,400}';

const PATH = `(?:[A-Za-z]:)?(?:${FOLDERS}\\.(?:${EXTENSION})|(?:${FOLDERS}[/\\\\])?${NAMED})`;

/** Frames of ECMAScript modules name files by their address. */
const ADDRESS = 'file://(?:/(?=[A-Za-z]:))?';

const START = `(?<![\\w/\\\\.:-])(?:${ADDRESS})?`;

/** Each names file and line in groups of these names. */
const ON_ONE_LINE: readonly RegExp[] = [
  // gcc, clang, rustc, go, flake8, mypy and most others: `path:12:3`; javac, Python: `path:12`; Maven: `path:[12,3]`;
  // msvc, tsc, msbuild:
  // `path(12,3)`; Python, OCaml: `"path", line 12`; ShellCheck, Terraform: `path line 12`; ESLint compact: `path: line
  // 12`; .NET: `path:line 12`
  new RegExp(
    `${START}(?<path>${PATH})(?:"?(?:[,:]? |:)line (?<a>\\d{1,6})\\b|:\\[?(?<b>\\d{1,6})(?:[-:,]\\d{1,6})?\\]?(?![\\w.])|\\[(?<d>\\d{1,6})(?:, ?\\d{1,5})?\\](?=:)|\\((?<c>\\d{1,6})(?:,\\d{1,5}){0,3}\\))`,
    'g',
  ),
  // Perl, whose tests and programs have names of any kind
  /(?<![\w/])at (?<path>[\w.-]{1,100}\.t|[\w.-]{1,100}\/[\w./-]{1,300}) line (?<a>\d{1,6})(?=[.,])/g,
  // Any kind of file with line and column
  new RegExp(
    `${START}(?<path>(?:[A-Za-z]:)?(?:${FOLDERS}\\.[A-Za-z]\\w{0,9}|[\\w.-]{1,100}/[\\w./-]{1,300})):(?<a>\\d{1,6}):\\d{1,5}\\b`,
    'g',
  ),
];

/** What all of these have: most lines do not, and need no search for a path. */
const LINE_BEHIND = /\w(?:"?(?:[,:]? |:)line \d|:\[?\d|[([]\d)/;

const MESSAGE_BETWEEN: readonly RegExp[] = [
  // Scalastyle, and the runner's own commands
  new RegExp(`\\bfile=(?<path>${PATH})\\b.{0,600}?[ ,]line=(?<a>\\d{1,6})\\b`),
  // Brakeman: a table
  new RegExp(`^(?<path>${PATH})\\s{2,20}(?<a>\\d{1,6})\\s{2,20}\\S`),
  // PHP, puppet-lint: the line comes last
  new RegExp(`${START}(?<path>${PATH})(?: - \\S.{1,600}?)? on line (?<a>\\d{1,6})\\b`),
  // Black: the place in the parser's words
  new RegExp(`(?<path>${PATH}): Cannot parse(?: for target version [\\w., ]{1,60})?: (?<a>\\d{1,6}):\\d{1,5}:`),
];

/** What a line says by itself, in order. */
export function findWrittenPlaces(text: string): readonly WrittenPlace[] {
  const found = new Map<string, WrittenPlace>();
  const forms = LINE_BEHIND.test(text) ? ON_ONE_LINE : [];
  const matches = [...forms.flatMap((form) => [...text.matchAll(form)]), ...matchAroundMessage(text)];
  for (const { groups = {} } of matches) {
    const { path = '', a, b, c, d } = groups;
    const line = Number(a ?? b ?? c ?? d ?? 0);
    if (line > 0 && !found.has(`${path}:${line}`)) found.set(`${path}:${line}`, { path, line });
  }
  return [...found.values()];
}

function matchAroundMessage(text: string): readonly RegExpExecArray[] {
  if (!/ on line \d|Cannot parse|\bfile=|^\S{1,400}\s{2,20}\d/.test(text)) return [];
  return MESSAGE_BETWEEN.map((form) => form.exec(text)).filter((match) => match !== null);
}

/**
 * The name of a file on a line of its own, over what is found in it: ESLint, stylelint, yamllint, remark;
 * PHP_CodeSniffer, PHPStan.
 */
const FILE_OVER = new RegExp(`^(?:FILE: | *Line {1,8})?(?:${ADDRESS})?(?<path>${PATH})(?: -- \\d+ warnings?:)?$`);

/** A finding under it: line, column, how grave; or the line and bars; or the line and the message. */
const UNDER_FILE =
  /^\s{0,8}(?<line>\d{1,6}):\d{1,5}(?:-\d{1,6}:\d{1,5})?\s{1,12}(?:(?:error|warning|info|notice)\b|[✖⚠×ℹ‼])|^\s{0,6}[✖⚠×] {1,4}(?<mark>\d{1,6}):\d{1,5}\s|^\s{1,6}(?<bar>\d{1,6}) \| (?:ERROR|WARNING) {0,3}\||^ {2}(?<row>\d{1,6}) {3,8}\S/;

/** The file that a line is the heading of; null: of none. */
export function readFileHeading(text: string): string | null {
  return FILE_OVER.exec(text.trimEnd())?.groups?.['path'] ?? null;
}

/** tsd and XO put it in with the place of what they found first. */
const FIRST_PLACE = new RegExp(`^\\s{1,4}(?<path>${PATH}):\\d{1,6}:\\d{1,5}$`);

/** As above; the heading may go on with the line and column of the first finding. */
export function readListHeading(text: string): string | null {
  return readFileHeading(text) ?? FIRST_PLACE.exec(text.trimEnd())?.groups?.['path'] ?? null;
}

/** The line of the file above that a finding is about; 0: it is none. */
export function readFindingLine(text: string): number {
  const { line, mark, bar, row } = UNDER_FILE.exec(text)?.groups ?? {};
  return Number(line ?? mark ?? bar ?? row ?? 0);
}

/** A line that begins with a place and goes on in words: what linters list. */
const FINDING = new RegExp(
  `^(?:\\[\\w{1,10}\\] )?\\s{0,6}\\[?(?:${PATH}|${FOLDERS}\\.[A-Za-z]\\w{0,9}(?=:\\d{1,6}:\\d))(?::\\[?\\d{1,6}(?:[:,]\\d{1,5})?\\]?:? ?|\\(\\d{1,6}(?:,\\d{1,5}){0,3}\\): |\\[\\d{1,6}, ?\\d{1,5}\\]: |\\s{2,20}\\d{1,6}\\s{2,20}|: line \\d{1,6}, | - (?:ERROR|WARNING|error|warning)\\b: ?)(?=.{0,400}\\p{L}{2})`,
  'u',
);

/** The same as fields. */
const FIELDS = /^(?:error|warning) file=\S/;

/** Where Ruby was, which is not a finding. */
const RUBY_FRAME = /:\d{1,6}:in [`']/;

/** Whether a line is of a list of findings, errors or warnings. */
export function isFinding(text: string): boolean {
  return (
    /\d/.test(text) &&
    !RUBY_FRAME.test(text) &&
    (FINDING.test(text) || FIELDS.test(text) || readFindingLine(text) > 0 || /^\s{1,8}--> \S{1,400}:\d/.test(text))
  );
}

/** Folders that runners check the repository out into, up to its root. */
const WORKSPACES = [
  /^.*?\/(?:actions-runner\/)?_?work\/([^/]+)\/\1\//,
  /^\/__w\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/\d+\/s\//,
  /^\/github\/workspace\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  // Buildkite: agent, organization, pipeline
  /^.{0,200}?\/buildkite-agent\/builds\/[^/]+\/[^/]+\/[^/]+\//,
  /^\/builds\/workspace\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  /^\/(?:home|root)\/circleci\/(?:project|repo)\//,
  /^\/root\/project\//,
  /^.*?\/jenkins(?:_home)?\/workspace\/[^/]+\//,
  /^\/home\/vsts\/work\/\d+\/s\//,
  /^\/(?:bitbucket|opt\/atlassian)\/pipelines\/agent\/build\//,
  /^\/drone\/src\//,
  /^\/(?:workspace|workdir|usr\/src\/app|app|src)\//,
];

const OUTSIDE =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor\/bundle|\.cargo|\.rustup|\.m2|\.gradle|\.npm|\.cache|\.venv|venv|hostedtoolcache|Python\.framework)\/|^(?:node:|native:)|^internal\/.{1,200}\.[cm]?js$|pkg\/mod\/|^(?:timers|module|events|domain|child_process|net|fs|stream|loader|async_hooks)\.js$/;

/** The path without the runner's own folder in front; null: not of the repository. */
export function toRepositoryPath(written: string): string | null {
  const slashed = written.replace(/\\/g, '/').replace(/^(?:\.\/)+/, '');
  const workspace = WORKSPACES.find((pattern) => pattern.test(slashed));
  const path = workspace ? slashed.replace(workspace, '') : slashed;
  if (path === '' || path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:/.test(path)) return null;
  return OUTSIDE.test(path) || path.split('/').includes('..') ? null : path;
}
