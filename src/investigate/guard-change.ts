// The guards on the change: what is never let through, and what waits for a person who has seen it.

import { type ChangeSet, type FileChange, hasChanges, isText } from 'causeway-diff';
import type { TreeEntry } from 'causeway-git-objects';
import { isSafePath, listFolders, toComparablePath } from 'causeway-paths';
import type { Analysis } from '../core/issue/index.ts';
import { isCommentLine } from '../core/source/index.ts';
import { countLines, findLoosenings, listChangedLines, removeSecretHunks } from './changed-lines.ts';

export interface GuardGround {
  /** Every entry of the commit that the change is made for. */
  readonly entries: readonly Pick<TreeEntry, 'path' | 'kind'>[];
  /** False only where the file parsed before, or is new, and does not parse now. */
  readonly isParsable: (path: string, before: string | null, after: string) => Promise<boolean>;
  /** False for paths that the repository's own configuration leaves out. */
  readonly mayTouch: (path: string) => boolean;
  /** The text with every secret in it replaced by `[redacted]`. */
  readonly redact: (text: string) => Promise<string>;
}

export interface GuardedChange {
  /** What may be shown as a diff and, where the verdict allows, be published. */
  readonly allowed: ChangeSet;
  /** What was left out: explained in words instead. Withheld for a secret: without its content. */
  readonly blocked: readonly { readonly change: FileChange; readonly guard: Guard }[];
  readonly guards: readonly Guard[];
  /** `blocked`: something was omitted, so that what is left is not the fix. */
  readonly verdict: 'clean' | 'needs_person' | 'blocked';
}

/** From these a person must look at it; no single fix that was ever trusted unread is larger. */
const MANY_FILES = 20;

const MANY_LINES = 2_000;

/** Beyond these it is no fix, and comparing it would cost more than the run. */
const MOST_FILES = 300;

const MOST_CHARACTERS = 20_000_000;

/**
 * What makes code read otherwise than it runs (CVE-2021-42574). Joiners and variation selectors stay: emoji and scripts
 * need them.
 */
const HIDDEN =
  /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\uffa0\u{e0000}-\u{e007f}]|(?<!^)\ufeff/u;

/** Each file by its path, then by its content, then the whole by its size. */
export async function guardChange(changeSet: ChangeSet, ground: GuardGround): Promise<GuardedChange> {
  const changes = changeSet.files.filter(hasChanges);
  const { base } = changeSet;
  if (changes.length > MOST_FILES || countCharacters(changes) > MOST_CHARACTERS) {
    const guard = createGuard(
      'never/size',
      '',
      `the change has ${changes.length} files, ${countCharacters(changes)} characters`,
    );
    return {
      allowed: { base, files: [] },
      blocked: changes.slice(0, 1).map((change) => ({ change, guard })),
      guards: [guard],
      verdict: 'blocked',
    };
  }
  const standing = indexEntries(ground.entries, changes);
  const seen = new Set<string>();
  const files: FileChange[] = [];
  const blocked: { change: FileChange; guard: Guard }[] = [];
  const guards: Guard[] = [];
  for (const change of changes) {
    const path = guardPaths(change, standing, seen) ?? guardExcludedPaths(change, ground);
    const judged = path === null ? await judgeContent(change, ground) : { change: null, guards: [path] };
    guards.push(...judged.guards);
    if (judged.change !== null) files.push(judged.change);
    const never = judged.guards.find(({ rule }) => isNever(rule));
    if (never) blocked.push({ change, guard: never });
  }
  guards.push(...guardSize(files));
  return { allowed: { base, files }, blocked, guards, verdict: decideVerdict(guards) };
}

/** Both names of a renamed file are touched. */
function guardExcludedPaths(change: FileChange, { mayTouch }: GuardGround): Guard | null {
  const path = listChangedNames(change).find((each) => !mayTouch(each));
  return path === undefined
    ? null
    : createGuard('never/left-out', path, "`paths` in the repository's configuration excludes it");
}

function decideVerdict(guards: readonly Guard[]): GuardedChange['verdict'] {
  if (guards.some(({ rule }) => isNever(rule))) return 'blocked';
  return guards.length > 0 ? 'needs_person' : 'clean';
}

function countCharacters(changes: readonly FileChange[]): number {
  return changes.reduce((sum, change) => sum + (getBefore(change) ?? '').length + (getAfter(change) ?? '').length, 0);
}

function getBefore(change: FileChange): string | null {
  return change.kind === 'added' ? null : change.before;
}

function getAfter(change: FileChange): string | null {
  return change.kind === 'deleted' ? null : change.after;
}

interface Judged {
  /** Null: left out. */
  readonly change: FileChange | null;
  readonly guards: readonly Guard[];
}

async function judgeContent(change: FileChange, ground: GuardGround): Promise<Judged> {
  const { path } = change;
  if (!isText(getBefore(change) ?? '') || !isText(getAfter(change) ?? '')) {
    return { change: null, guards: [createGuard('never/content', path, 'it is not text')] };
  }
  const open = await removeSecretHunks(change, ground.redact);
  const guards =
    open.withheld === 0
      ? []
      : [createGuard('never/secret', path, 'a part of the change touches a secret and is withheld')];
  if (open.change === null || !hasChanges(open.change)) return { change: null, guards };
  return { change: open.change, guards: [...guards, ...(await findPersonGuards(open.change, ground))] };
}

async function findPersonGuards(change: FileChange, ground: GuardGround): Promise<readonly Guard[]> {
  const { path } = change;
  const guards: Guard[] = [];
  for (const named of listChangedNames(change)) {
    const guard = findPathGuard(named) ?? (named === path ? findArrivalGuard(change, ground) : null);
    if (guard !== null) guards.push(createGuard(guard.rule, named, `${guard.reason}: needs a person's request`));
  }
  const lines = listChangedLines(change);
  for (const { rule, reason } of findLoosenings(change, lines)) guards.push(createGuard(rule, path, reason));
  if (lines.inserted.some((line) => HIDDEN.test(line))) {
    guards.push(createGuard('person/hidden-text', path, 'adds invisible or text-reversing characters'));
  }
  const after = getAfter(change);
  if (after !== null && !(await ground.isParsable(path, getBefore(change), after))) {
    guards.push(createGuard('person/does-not-parse', path, 'it no longer parses'));
  }
  return guards;
}

/** A file that comes to its path, or becomes a program there. */
function findArrivalGuard(change: FileChange, { entries }: GuardGround): ReturnType<typeof findNewPathGuard> {
  const runs = change.kind !== 'deleted' && (change.mode === '100755' || change.after.startsWith('#!'));
  switch (change.kind) {
    case 'added':
      return findNewPathGuard(change.path, runs);
    case 'renamed': {
      const ran = entries.some(({ path, kind }) => path === change.previousPath && kind === 'executable');
      return findNewPathGuard(change.path, runs || ran);
    }
    case 'modified':
      return change.mode === '100755' ? findNewPathGuard(change.path, true) : null;
    case 'deleted':
      return null;
  }
}

function guardSize(files: readonly FileChange[]): Guard[] {
  const lines = files.reduce((sum, change) => sum + countLines(change), 0);
  if (files.length <= MANY_FILES && lines <= MANY_LINES) return [];
  return [
    createGuard(
      'person/large',
      '',
      `${files.length} files and ${lines} lines change; more than ${MANY_FILES} or ${MANY_LINES} are read by a person first`,
    ),
  ];
}

export type Guard = Analysis['guards'][number];

/** `GITHUB~1` is `.github` where short names are kept. */
const SHORT_NAME = /(?:^|\/)[^/]{1,6}~\d{1,4}(?:\.[^/.]{0,3})?(?=\/|$)/;

export function createGuard(rule: GuardRule, file: string, reason: string): Guard {
  return { rule, file, reason };
}

function isNever(rule: string): boolean {
  return rule.startsWith('never/');
}

interface EntryIndex {
  /** Symbolic links and submodules. */
  readonly links: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Comparable form to path: no two may be the same on another file system. */
  readonly byPlain: ReadonlyMap<string, string>;
}

function indexEntries(
  entries: readonly Pick<TreeEntry, 'path' | 'kind'>[],
  changes: readonly FileChange[],
): EntryIndex {
  const gone = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'renamed') return [change.previousPath];
      return change.kind === 'deleted' ? [change.path] : [];
    }),
  );
  return {
    links: new Set(entries.flatMap(({ path, kind }) => (kind === 'symlink' || kind === 'submodule' ? [path] : []))),
    folders: new Set(entries.flatMap(({ path }) => listFolders(path))),
    byPlain: new Map(entries.flatMap(({ path }) => (gone.has(path) ? [] : [[toComparablePath(path), path]]))),
  };
}

/** What the old and the new path forbid. Paths that a person may approve are judged with the content. */
function guardPaths(change: FileChange, standing: EntryIndex, seen: Set<string>): Guard | null {
  for (const path of listChangedNames(change)) {
    const shown = JSON.stringify(path.slice(0, 200)).slice(1, -1);
    if (!isSafePath(path))
      return createGuard('never/path', shown, 'the path could leave the repository or its file system');
    if (seen.has(path)) return createGuard('never/path', path, 'the change names the file twice');
    seen.add(path);
    if ([path, ...listFolders(path)].some((part) => standing.links.has(part))) {
      return createGuard('never/link', path, 'it is, or lies behind, a symbolic link or a submodule');
    }
    const guard = findPathGuard(path);
    if (guard !== null && isNever(guard.rule))
      return createGuard(guard.rule, path, `${guard.reason}: never changed automatically`);
  }
  return guardNewPath(change, standing);
}

function listChangedNames(change: FileChange): readonly string[] {
  return change.kind === 'renamed' ? [change.path, change.previousPath] : [change.path];
}

/** A file that comes new to its path. */
function guardNewPath(change: FileChange, { byPlain, folders }: EntryIndex): Guard | null {
  if (change.kind !== 'added' && change.kind !== 'renamed') return null;
  const twin = byPlain.get(toComparablePath(change.path));
  if (twin !== undefined)
    return createGuard('never/twin', change.path, `on some systems it is the same file as ${twin}`);
  if (SHORT_NAME.test(change.path))
    return createGuard('never/twin', change.path, 'on Windows it may be the short name of another file');
  if (folders.has(change.path)) return createGuard('never/twin', change.path, 'a folder with that name exists');
  return null;
}

/** `never/…` is left out of every change; `person/…` waits for a person with write access. */
type GuardRule =
  | `never/${'path' | 'link' | 'twin' | 'content' | 'size' | 'repository-settings' | 'code-owners' | 'agent-instructions' | 'git-configuration' | 'ci-configuration' | 'secret' | 'left-out'}`
  | `person/${'manifest' | 'lock-file' | 'build-set-up' | 'tool-set-up' | 'package-source' | 'hooks' | 'tests-deleted' | 'tests-skipped' | 'tests-loosened' | 'hidden-text' | 'large' | 'does-not-parse'}`;

interface PathRule {
  readonly rule: GuardRule;
  /** Over the plain path: lower case, no disguise. */
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Of file names apart by white space, each a pattern. */
function matchNames(patterns: string): RegExp {
  return new RegExp(`(?:^|/)(?:${joinAlternatives(patterns)})$`);
}

/** The same of folders, with all that is in them. */
function matchFolders(patterns: string): RegExp {
  return new RegExp(`(?:^|/)(?:${joinAlternatives(patterns)})(?:/|$)`);
}

function joinAlternatives(patterns: string): string {
  return patterns.trim().split(/\s+/).join('|');
}

function matchEither(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

/** Templates that exist to be shared hold no secret. */
const SECRET_SAMPLE = /\.(?:example|sample|template|dist|defaults?|tpl)$/;

const SECRET = matchEither(
  matchNames(String.raw`
        \.env \.env\.[^/]+ [^/]+\.env \.dev\.vars \.netrc _netrc \.pgpass \.my\.cnf \.htpasswd \.git-credentials
        credentials(?:\.json)? kubeconfig id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)?
        \.?secrets?\.(?:ya?ml|json|toml|properties|env) service[-_]?account[^/]*\.json
        [^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfvars|tfstate)`),
  matchFolders(String.raw`\.aws \.ssh \.gnupg \.kube \.docker \.secrets?`),
);

/** The first rule that fits counts, so the strictest come first. */
const RULES: readonly PathRule[] = [
  {
    rule: 'never/code-owners',
    pattern: matchNames('codeowners owners owners_aliases'),
    reason: 'says who must approve changes',
  },
  {
    rule: 'never/agent-instructions',
    pattern: matchEither(
      matchNames(String.raw`
        (?:agents?|claude|gemini|qwen|skill)(?:\.[a-z]+)?\.md copilot-instructions\.md [^/]+\.instructions\.md
        [^/]+\.mdc \.cursor(?:rules|ignore|indexingignore) \.windsurfrules \.clinerules \.roo(?:rules[^/]*|modes|ignore)
        \.goosehints \.aider[^/]* \.rules opencode\.jsonc? (?:warp|crush|replit)\.md \.?crush\.json
        \.(?:kilocode|continue)rules \.openhands_instructions \.agent\.md conventions\.md llms(?:-full)?\.txt
        (?:devin|jules|droid)\.md \.?mcp\.json smithery\.ya?ml gptme\.toml firebender\.json \.?sweep\.ya?ml \.?(?:pr_agent|qodo)\.toml \.?(?:coderabbit|ellipsis|sourcery|korbit|bito)\.ya?ml
        \.aiexclude \.(?:codeium|ai|tabnine|gemini|cody|augment)ignore`),
      matchFolders(String.raw`
        \.claude \.cursor \.windsurf \.clinerules \.cline \.roo \.continue \.codex \.gemini \.junie \.kiro \.amazonq
        \.agents? \.opencode \.augment \.trae \.qwen \.copilot \.kilocode \.openhands \.devin \.factory \.droid \.warp \.jules \.forge
        \.tabnine \.rules \.goose \.crush \.zencoder \.greptile \.antigravity \.sourcegraph \.codeium \.cody \.bito \.ona \.aider
        \.amp \.ruler \.serena \.mcp \.grok \.kimi \.iflow \.codebuddy \.lingma \.qoder \.rovodev \.aiassistant \.claude-plugin
        \.firebender \.vibe \.idx \.lovable \.bolt`),
      // These are words as well, of which documentation has pages.
      /^(?!(?:.*\/)?docs?\/)(?:.*\/)?(?:grok|kimi|iflow|codebuddy|blackbox)\.md$/,
      /^(?:codex|copilot|cursor|windsurf|cline|opencode|goose|amp|vibe|soul|heartbeat|memory|openhands)\.md$/,
    ),
    reason: 'steers coding agents',
  },
  {
    rule: 'never/repository-settings',
    pattern: matchFolders(String.raw`\.github \.gitlab \.gitea \.forgejo`),
    reason: 'holds workflows and settings of the repository',
  },
  {
    rule: 'never/git-configuration',
    pattern: matchEither(
      matchNames(String.raw`\.git(?!keep$|-credentials$|lab-ci)[^/]* \.lfsconfig \.mailmap`),
      matchFolders(String.raw`\.githooks`),
    ),
    reason: 'configures git',
  },
  {
    rule: 'never/ci-configuration',
    pattern: matchEither(
      matchNames(String.raw`
        [^/]*\.gitlab-ci\.ya?ml \.travis\.ya?ml \.?appveyor[^/]*\.ya?ml azure-pipelines?[^/]*\.ya?ml
        [^/]*jenkinsfile[^/]* bitbucket-pipelines\.ya?ml \.drone\.(?:ya?ml|star|jsonnet) \.woodpecker\.ya?ml
        \.cirrus\.(?:ya?ml|star) buildspec[^/]*\.ya?ml cloudbuild[^/]*\.(?:ya?ml|json) codefresh\.ya?ml
        \.?wercker\.ya?ml \.build\.ya?ml \.?zuul\.ya?ml \.prow[^/]* screwdriver\.ya?ml codeship-[^/]+\.ya?ml
        \.scrutinizer\.ya?ml \.?evergreen\.ya?ml \.taskcluster\.ya?ml \.?codecov\.ya?ml sonar-project\.properties
        \.mergify\.ya?ml \.?renovate(?:rc)?(?:\.json5?)? action\.ya?ml netlify\.toml vercel\.json \.readthedocs\.ya?ml
        [^/]*dangerfile(?:\.[^/]+)? \.cirun\.ya?ml \.goreleaser[^/]*\.ya?ml \.releaserc[^/]* dagger\.(?:json|cue) amplify\.ya?ml
        \.?bitrise\.ya?ml codemagic\.ya?ml \.?vela\.ya?ml \.onedev-buildspec\.ya?ml \.?(?:buddy|shippable)\.ya?ml \.(?:crow|cnb|abstruse|ambient)\.ya?ml
        \.packit\.ya?ml bors\.toml \.kodiak\.toml release-plz\.toml \.?release-please-(?:config|manifest)\.json \.release-it\.[^/]+
        jreleaser\.ya?ml`),
      matchFolders(String.raw`
        \.circleci \.buildkite \.woodpecker \.semaphore \.teamcity \.tekton \.harness \.builds \.zuul\.d
        \.azure-pipelines \.azuredevops bamboo-specs \.prow \.drone \.ci azure-pipelines \.azure \.pipelines \.jenkins \.dagger
        \.gocd \.concourse \.depot \.rwx \.mint \.vela \.bitrise \.namespace \.tangled \.radicle \.agola \.crow \.cnb \.workflow \.buddy
        \.kokoro \.cloudbuild \.bitbucket \.gitlab-ci(?:\.d)? \.copr ci_scripts`),
      // Only at the top: deeper folders of these names hold the source of programs about CI.
      /^(?:(?:ci|pipelines?|taskcluster)\/(?:[^/]+\/)*[^/]+\.ya?ml|(?:ci|jenkins)\/(?:[^/]+\/)*[^/]+\.(?:groovy|jenkins)|vars\/[^/]+\.groovy)$/,
    ),
    reason: 'configures CI, which runs with the secrets of the repository',
  },
  {
    rule: 'person/package-source',
    pattern: matchEither(
      matchNames(String.raw`
        \.npmrc \.yarnrc(?:\.ya?ml)? \.pnpmfile\.[cm]?js \.pnp(?:\.loader)?\.[cm]?js \.pnprc \.?bunfig\.toml \.pypirc pip\.(?:conf|ini) uv\.toml
        \.condarc \.gemrc nuget\.config auth\.json gradle\.properties gradle-wrapper\.properties settings\.xml`),
      matchFolders(String.raw`\.cargo \.bundle \.mvn \.yarn`),
    ),
    reason: 'says where packages come from',
  },
  {
    rule: 'person/hooks',
    pattern: matchEither(
      matchNames(String.raw`
        \.?lefthook(?:-local)?\.(?:ya?ml|toml|json) \.pre-commit-(?:config|hooks)\.ya?ml \.?lint-?staged(?:rc)?[^/]*
        \.envrc \.devcontainer\.json \.rprofile \.dir-locals\.el \.(?:ex|nvim)rc \.nvim\.lua \.simple-git-hooks[^/]* \.overcommit\.yml
        [^/]+\.code-workspace \.(?:gdb|lldb)init \.(?:irb|pry|l?vim)rc \.iex\.exs \.ghci \.autoenv[^/]* \.commitlintrc[^/]* guardfile`),
      matchFolders(String.raw`\.husky \.vscode \.idea \.devcontainer \.zed \.vs \.fleet \.nvim \.hooks \.lefthook`),
    ),
    reason: 'runs on the machines of those who work on the project',
  },
  {
    rule: 'person/lock-file',
    pattern: matchNames(String.raw`
        package-lock\.json npm-shrinkwrap\.json pnpm-lock\.ya?ml bun\.lockb go(?:\.work)?\.sum packages\.lock\.json
        package\.resolved [^/]+\.lock(?:file|\.hcl)? verification-metadata\.xml
        pylock(?:\.[^/]+)?\.toml manifest\.toml`),
    reason: 'decides which code of others is installed',
  },
  {
    rule: 'person/manifest',
    pattern: matchNames(String.raw`
        package\.json pnpm-workspace\.ya?ml pyproject\.toml [^/]*requirements[^/]*\.(?:txt|in|ya?ml)
        requirements/[^/]+\.(?:txt|in) [^/]*constraints[^/]*\.txt pipfile setup\.cfg environment\.ya?ml cargo\.toml
        go\.(?:mod|work) gemfile gems\.rb [^/]+\.gemspec composer\.json pom\.xml [^/]+\.gradle(?:\.kts)?
        libs\.versions\.toml [^/]+\.(?:cs|fs|vb|vcx)proj [^/]+\.(?:props|targets|sln|slnx|nuspec) packages\.config
        paket\.[a-z]+ global\.json mix\.exs rebar\.config(?:\.script)? pubspec\.ya?ml package(?:@[^/]+)?\.swift podfile
        [^/]+\.podspec cartfile [^/]+\.sbt project\.clj deps\.edn stack\.ya?ml [^/]+\.cabal dune-project [^/]+\.opam
        conanfile\.[a-z]+ vcpkg\.json deno\.jsonc? jsr\.json import_map\.json lerna\.json nx\.json turbo\.json brewfile
        [^/]+\.nix shard\.yml build\.zig\.zon cpanfile elm\.json project\.toml description
        pixi\.toml devbox\.json devenv\.ya?ml spack\.ya?ml anaconda-project\.ya?ml (?:hatch|poetry|pdm|rye)\.toml aqua\.ya?ml moon\.ya?ml
        pants\.toml dotnet-tools\.json (?:gleam|foundry|anchor|scarb|wally|fpm|alire)\.toml dub\.(?:json|sdl) [^/]+\.(?:nimble|rockspec)
        haxelib\.json esy\.json package\.(?:ya?ml|json5) cabal\.project[^/]* mintfile bower\.json build\.(?:sc|mill) (?:bb|shadow-cljs)\.edn
        spago\.(?:ya?ml|dhall) project\.swift`),
    reason: 'decides what is installed and which scripts run',
  },
  {
    rule: 'person/build-set-up',
    pattern: matchEither(
      matchNames(String.raw`
        (?:gnu|bsd)?makefile[^/]* binding\.gyp [^/]+\.gypi extconf\.rb build\.pl sconstruct wscript [^/]+\.(?:mk|mak|cmake|bzl|bazel|m4|pth) (?:[^/]+\.)?(?:docker|container)file[^/]*
        \.dockerignore (?:docker-)?compose[^/]*\.ya?ml setup\.py build\.(?:rs|zig|xml|py|mjs|js|ts|cake) conftest\.py
        noxfile\.py tox\.ini pytest\.ini \.?coveragerc tasks\.py fabfile\.py hatch_build\.py (?:site|user)customize\.py
        rakefile [^/]+\.rake (?:gulp|grunt)file[^/]* [^/]+\.config\.[cm]?[jt]sx?
        (?:jest|vitest|playwright|karma|webpack|mocha|cypress)[-.](?:setup|conf|config|workspace)[^/]*
        \.(?:mocharc|babelrc|eslintrc|swcrc|nycrc|c8rc|taprc|jshintrc|prettierrc|stylelintrc|rspec|rubocop)[^/]*
        babel\.config\.[^/]+ tsconfig[^/]*\.json biome\.jsonc? vagrantfile \.?justfile taskfile\.ya?ml earthfile
        tiltfile procfile gradlew(?:\.bat)? mvnw(?:\.cmd)? configure(?:\.(?:ac|in))? autogen\.sh bootstrap(?:\.sh)?
        cmakelists\.txt meson(?:\.build|_options\.txt) build workspace phpunit[^/]*\.xml[^/]* phpstan[^/]*\.neon[^/]*
        (?:spec|rails|test)_helper\.rb runtests\.py manage\.py mocha\.opts nose2?\.cfg cucumber\.(?:[cm]?js|json|properties)
        junit-platform\.properties testng[^/]*\.xml xunit\.runner\.json [^/]+\.runsettings
        \.(?:nvmrc|node-version|python-version|ruby-version|tool-versions|java-version|sdkmanrc|terraform-version|go-version)
        (?:fast|app|match|gym|scan|snap|deliver|plugin|cap|berks|thor)file \.bazel(?:rc|iskrc|version|ignore|project) \.buckconfig
        buck project\.json angular\.json rush\.json ember-cli-build\.[cm]?js testem\.[cm]?js [^/]+\.conf\.[cm]?[jt]sx? nightwatch\.json
        \.(?:testcafe|pa11yci|lighthouse|size-limit|postcss|parcel)[^/]*
        \.?pylintrc \.flake8 \.?mypy\.ini dodo\.py snakefile sconscript
        \.(?:simplecov|luacheckrc|busted|yardopts|(?:reek|standard|erb-lint)\.yml|(?:credo|formatter)\.exs)
        \.php[-_]cs[^/]* (?:rector|ecs|deptrac)\.(?:php|ya?ml) psalm[^/]*\.xml[^/]* infection\.json5? grumphp\.ya?ml captainhook\.json
        magefile\.go \.golangci\.[^/]+ xmake\.lua premake\d\.lua
        \.?jvm(?:opts|\.config) \.sbtopts \.scalafix\.conf lombok\.config
        [^/]+\.(?:tf|tofu|hcl|bicep|nomad)(?:\.json)? [^/]+\.(?:pbxproj|xcconfig|xcscheme)
        helmfile\.ya?ml ansible\.cfg \.changeset/config\.json render\.ya?ml fly\.toml railway\.(?:json|toml) wrangler\.(?:toml|jsonc?)
        firebase\.json serverless\.(?:ya?ml|json|[cm]?[jt]s) skaffold\.ya?ml samconfig\.toml cdk\.json pulumi(?:\.[^/]+)?\.ya?ml        rust-toolchain(?:\.toml)? \.?mise(?:\.[^/]+)?\.toml project/[^/]+\.scala
        heroku\.ya?ml appspec\.ya?ml dockerrun\.aws\.json (?:nixpacks|railpack|zeabur|northflank|scalingo|eas)\.(?:json|toml) koyeb\.ya?ml
        captain-definition apprunner\.ya?ml staticwebapp\.config\.json okteto\.ya?ml devspace\.ya?ml garden\.ya?ml werf\.ya?ml config/deploy\.(?:ya?ml|rb)
        bin/(?:pre|post)_compile \.?nextest\.toml (?:deny|cross|trunk|tarpaulin|bacon|dist-workspace|pytest)\.toml [^/]+\.xctestplan
        (?:cucumber|behat|codeception|phpspec)(?:\.dist)?\.ya?ml testng\.xml wallaby\.js jasmine\.json mage\.go`),
      matchFolders(String.raw`
        gradle/wrapper buildsrc build-logic \.storybook magefiles fastlane mise-tasks \.mise \.moon clevercloud \.do \.kamal \.platform \.upsun
        \.ebextensions \.elasticbeanstalk \.maestro`),
      // Deeper files of these names are parts of the program.
      /^(?:app|azure|now|manifest|template|project|_config|vapor)\.(?:ya?ml|json)$/,
      // `scripts/`, `bin/` and `tools/` also hold what people ship and what breaks, so of those only shell waits for a
      // person: CI runs tests
      // and sources of a change anyway, and guarding every program in them would leave command lines without a fix.
      /^(?:ci|jenkins)\/(?:[^/]+\/)*[^/]+\.(?:py|rb|[cm]?[jt]s|pl|php|go)$/,
      /^[^/]+\.(?:sh|bash|zsh|ps1|bat|cmd)$/,
      /\.(?:sh|bash|zsh|ps1|bat|cmd)$(?<=(?:^|\/)(?:ci|scripts?|hack|tools?|build|bin|dev|\.config)\/(?:[^/]+\/)*[^/]+\.\w+)/,
    ),
    reason: 'is run by builds and tests',
  },
];

const DOT_PATH = /(?:^|\/)\./;

/** They set nothing up. */
const IDLE_DOT_FILE = matchEither(
  matchNames(String.raw`
        \.(?:git)?keep \.editorconfig \.(?:env|dev\.vars)[^/]*\.(?:example|sample|template|dist|defaults?|tpl)`),
  /(?:^|\/)\.changeset\/[^/]+\.md$/,
);

/** Forms in which tools are set up and agents instructed: `ci.yml`, `Tomorrowfile`, `.tomorrowrc`, `TOMORROW.md`. */
const SET_UP =
  /(?:^|\/)\.?[^/.]+$|\.(?:ya?ml|toml|json[c5]?|[jc]sonnet|star|cue|hcl|pkl|kdl|ini|cfg|conf|config|xml|properties|rc|md|mdx|mdc|sh|bash|zsh|ps1|bat|cmd)$/;

/** Edits of what is there already: lists of ignored files and a web server's rules run nothing. */
const IDLE_EDIT = matchNames(String.raw`\.[^/]*ignore \.ht[^/]*`);

const DOCUMENT =
  /^(?:readme|change(?:s|log)?|history|news|releases?|upgrad(?:e|ing)|migrat(?:e|ing|ion)|security|license|authors|notice)(?:[-_.][^/]*)?$/;

const TOOL_SET_UP: Pick<PathRule, 'rule' | 'reason'> = {
  rule: 'person/tool-set-up',
  reason: 'may be read by CI, deployments, editors or coding agents by itself',
};

/**
 * What a tool that the lists do not know would read: CI, deployments and agents look for a dot path, or for a file at
 * the top. So all that is new there waits, but for programs and documents at the top.
 */
function findNewPathGuard(path: string, isExecutable: boolean): typeof TOOL_SET_UP | null {
  const plain = toComparablePath(path);
  if (DOT_PATH.test(plain)) return IDLE_DOT_FILE.test(plain) ? null : TOOL_SET_UP;
  if (plain.includes('/')) return null;
  return isExecutable || (SET_UP.test(plain) && !DOCUMENT.test(plain)) ? TOOL_SET_UP : null;
}

/** The rule that guards this path, and why; null for an ordinary file. */
export function findPathGuard(path: string): { readonly rule: GuardRule; readonly reason: string } | null {
  const plain = toComparablePath(path);
  if (SECRET.test(plain) && !SECRET_SAMPLE.test(plain))
    return { rule: 'never/secret', reason: 'is where secrets are kept' };
  const found = RULES.find(({ pattern }) => pattern.test(plain));
  if (found) return { rule: found.rule, reason: found.reason };
  return DOT_PATH.test(plain) && SET_UP.test(plain) && !IDLE_DOT_FILE.test(plain) && !IDLE_EDIT.test(plain)
    ? TOOL_SET_UP
    : null;
}

export function hasCodeChange(change: FileChange): boolean {
  const { removed, inserted } = listChangedLines(change);
  const code = (lines: readonly string[]): string =>
    lines
      .map((line) => line.replace(/\s+/g, ''))
      .filter((line) => line !== '' && !isCommentLine(change.path, line))
      .join('');
  if (change.kind === 'renamed' || ('mode' in change && change.mode !== undefined && change.kind === 'modified'))
    return true;
  return code(removed) !== code(inserted) || (change.kind === 'deleted' && removed.length > 0);
}
