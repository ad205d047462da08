// Which files a change may never touch, and which only after a person has seen it: by path alone.

/** `never/…` is left out of every change; `person/…` waits for a person with write access. */
export type GuardRule =
  | `never/${'path' | 'link' | 'twin' | 'content' | 'size' | 'repository-settings' | 'code-owners' | 'agent-instructions' | 'git-configuration' | 'ci-configuration' | 'secret' | 'left-out'}`
  | `person/${'manifest' | 'lock-file' | 'build-set-up' | 'package-source' | 'hooks' | 'tests-deleted' | 'tests-skipped' | 'tests-loosened' | 'hidden-text' | 'large' | 'does-not-parse'}`;

interface PathRule {
  readonly rule: GuardRule;
  /** Over the plain path: lower case, no disguise. */
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Of file names apart by white space, each a pattern. */
function names(patterns: string): RegExp {
  return new RegExp(`(?:^|/)(?:${alternatives(patterns)})$`);
}

/** The same of folders, with all that is in them. */
function folders(patterns: string): RegExp {
  return new RegExp(`(?:^|/)(?:${alternatives(patterns)})(?:/|$)`);
}

function alternatives(patterns: string): string {
  return patterns.trim().split(/\s+/).join('|');
}

function either(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

/** Templates that exist to be shared hold no secret. */
const SECRET_SAMPLE = /\.(?:example|sample|template|dist|defaults?|tpl)$/;
const SECRET = either(
  names(String.raw`
        \.env \.env\.[^/]+ [^/]+\.env \.dev\.vars \.netrc _netrc \.pgpass \.my\.cnf \.htpasswd \.git-credentials
        credentials(?:\.json)? kubeconfig id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)?
        \.?secrets?\.(?:ya?ml|json|toml|properties|env) service[-_]?account[^/]*\.json
        [^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfvars|tfstate)`),
  folders(String.raw`\.aws \.ssh \.gnupg \.kube \.docker \.secrets?`),
);

/** The first rule that fits counts, so the strictest come first. */
const RULES: readonly PathRule[] = [
  {
    rule: 'never/code-owners',
    pattern: names('codeowners owners owners_aliases'),
    reason: 'says who must approve changes',
  },
  {
    rule: 'never/agent-instructions',
    pattern: either(
      names(String.raw`
        (?:agents?|claude|gemini|qwen|skill)(?:\.[a-z]+)?\.md copilot-instructions\.md [^/]+\.instructions\.md
        [^/]+\.mdc \.cursor(?:rules|ignore|indexingignore) \.windsurfrules \.clinerules \.roo(?:rules[^/]*|modes|ignore)
        \.goosehints \.aider[^/]* \.rules \.mcp\.json opencode\.jsonc? (?:warp|crush|replit)\.md \.?crush\.json
        \.(?:kilocode|continue)rules \.openhands_instructions \.agent\.md conventions\.md llms(?:-full)?\.txt
        (?:devin|jules|droid)\.md \.?sweep\.ya?ml \.?(?:pr_agent|qodo)\.toml \.?(?:coderabbit|ellipsis|sourcery|korbit|bito)\.ya?ml
        \.aiexclude \.(?:codeium|ai|tabnine|gemini|cody|augment)ignore`),
      folders(String.raw`
        \.claude \.cursor \.windsurf \.clinerules \.cline \.roo \.continue \.codex \.gemini \.junie \.kiro \.amazonq
        \.agents? \.opencode \.augment \.trae \.qwen \.copilot \.kilocode \.openhands \.devin \.factory \.droid \.warp \.jules \.forge
        \.tabnine \.rules \.goose \.crush \.zencoder \.greptile \.antigravity \.sourcegraph \.codeium \.cody \.bito \.ona \.aider
        \.amp \.ruler \.serena \.mcp`),
    ),
    reason: 'steers coding agents',
  },
  {
    rule: 'never/repository-settings',
    pattern: folders(String.raw`\.github \.gitlab \.gitea \.forgejo`),
    reason: 'holds workflows and settings of the repository',
  },
  {
    rule: 'never/git-configuration',
    pattern: either(
      names(String.raw`\.git(?!keep$|-credentials$|lab-ci)[^/]* \.lfsconfig \.mailmap`),
      folders(String.raw`\.githooks`),
    ),
    reason: 'configures git',
  },
  {
    rule: 'never/ci-configuration',
    pattern: either(
      names(String.raw`
        [^/]*\.gitlab-ci\.ya?ml \.travis\.ya?ml \.?appveyor[^/]*\.ya?ml azure-pipelines?[^/]*\.ya?ml
        [^/]*jenkinsfile[^/]* bitbucket-pipelines\.ya?ml \.drone\.(?:ya?ml|star|jsonnet) \.woodpecker\.ya?ml
        \.cirrus\.(?:ya?ml|star) buildspec[^/]*\.ya?ml cloudbuild[^/]*\.(?:ya?ml|json) codefresh\.ya?ml
        \.?wercker\.ya?ml \.build\.ya?ml \.?zuul\.ya?ml \.prow[^/]* screwdriver\.ya?ml codeship-[^/]+\.ya?ml
        \.scrutinizer\.ya?ml \.?evergreen\.ya?ml \.taskcluster\.ya?ml \.?codecov\.ya?ml sonar-project\.properties
        \.mergify\.ya?ml \.?renovate(?:rc)?(?:\.json5?)? action\.ya?ml netlify\.toml vercel\.json \.readthedocs\.ya?ml
        [^/]*dangerfile(?:\.[^/]+)? \.cirun\.ya?ml \.goreleaser[^/]*\.ya?ml \.releaserc[^/]* dagger\.(?:json|cue) amplify\.ya?ml`),
      folders(String.raw`
        \.circleci \.buildkite \.woodpecker \.semaphore \.teamcity \.tekton \.harness \.builds \.zuul\.d
        \.azure-pipelines \.azuredevops bamboo-specs \.prow \.drone \.ci azure-pipelines \.azure \.pipelines \.jenkins \.dagger
        \.gocd \.concourse`),
      // At the top alone: deeper folders of these names hold the source of programs about CI.
      /^(?:(?:ci|pipelines?)\/(?:[^/]+\/)*[^/]+\.ya?ml|(?:ci|jenkins)\/(?:[^/]+\/)*[^/]+\.(?:groovy|jenkins)|vars\/[^/]+\.groovy)$/,
    ),
    reason: 'configures CI, which runs with the secrets of the repository',
  },
  {
    rule: 'person/package-source',
    pattern: either(
      names(String.raw`
        \.npmrc \.yarnrc(?:\.ya?ml)? \.pnpmfile\.[cm]?js \.pnp(?:\.loader)?\.[cm]?js \.pnprc \.?bunfig\.toml \.pypirc pip\.(?:conf|ini) uv\.toml
        \.condarc \.gemrc nuget\.config auth\.json gradle\.properties gradle-wrapper\.properties settings\.xml`),
      folders(String.raw`\.cargo \.bundle \.mvn \.yarn`),
    ),
    reason: 'says where packages come from',
  },
  {
    rule: 'person/hooks',
    pattern: either(
      names(String.raw`
        \.?lefthook(?:-local)?\.(?:ya?ml|toml|json) \.pre-commit-(?:config|hooks)\.ya?ml \.?lint-?staged(?:rc)?[^/]*
        \.envrc \.devcontainer\.json \.rprofile \.dir-locals\.el \.(?:ex|nvim)rc \.nvim\.lua \.simple-git-hooks[^/]* \.overcommit\.yml
        [^/]+\.code-workspace \.(?:gdb|lldb)init \.(?:irb|pry|l?vim)rc \.iex\.exs \.ghci \.autoenv[^/]* \.commitlintrc[^/]* guardfile`),
      folders(String.raw`\.husky \.vscode \.idea \.devcontainer \.zed \.vs \.fleet \.nvim \.hooks \.lefthook`),
    ),
    reason: 'runs on the machines of those who work on the project',
  },
  {
    rule: 'person/lock-file',
    pattern: names(String.raw`
        package-lock\.json npm-shrinkwrap\.json pnpm-lock\.ya?ml bun\.lockb go(?:\.work)?\.sum packages\.lock\.json
        package\.resolved [^/]+\.lock(?:file|\.hcl)? verification-metadata\.xml`),
    reason: 'decides which code of others is installed',
  },
  {
    rule: 'person/manifest',
    pattern: names(String.raw`
        package\.json pnpm-workspace\.ya?ml pyproject\.toml [^/]*requirements[^/]*\.(?:txt|in|ya?ml)
        requirements/[^/]+\.(?:txt|in) [^/]*constraints[^/]*\.txt pipfile setup\.cfg environment\.ya?ml cargo\.toml
        go\.(?:mod|work) gemfile gems\.rb [^/]+\.gemspec composer\.json pom\.xml [^/]+\.gradle(?:\.kts)?
        libs\.versions\.toml [^/]+\.(?:cs|fs|vb|vcx)proj [^/]+\.(?:props|targets|sln|slnx|nuspec) packages\.config
        paket\.[a-z]+ global\.json mix\.exs rebar\.config(?:\.script)? pubspec\.ya?ml package(?:@[^/]+)?\.swift podfile
        [^/]+\.podspec cartfile [^/]+\.sbt project\.clj deps\.edn stack\.ya?ml [^/]+\.cabal dune-project [^/]+\.opam
        conanfile\.[a-z]+ vcpkg\.json deno\.jsonc? jsr\.json import_map\.json lerna\.json nx\.json turbo\.json brewfile
        [^/]+\.nix shard\.yml build\.zig\.zon cpanfile elm\.json project\.toml description`),
    reason: 'decides what is installed and which scripts run',
  },
  {
    rule: 'person/build-set-up',
    pattern: either(
      names(String.raw`
        (?:gnu|bsd)?makefile[^/]* binding\.gyp [^/]+\.gypi extconf\.rb build\.pl sconstruct wscript [^/]+\.(?:mk|mak|cmake|bzl|bazel|m4|pth) (?:[^/]+\.)?(?:docker|container)file[^/]*
        \.dockerignore (?:docker-)?compose[^/]*\.ya?ml setup\.py build\.(?:rs|zig|xml|py|mjs|js|ts|cake) conftest\.py
        noxfile\.py tox\.ini pytest\.ini \.?coveragerc tasks\.py fabfile\.py hatch_build\.py (?:site|user)customize\.py
        rakefile [^/]+\.rake (?:gulp|grunt)file[^/]* [^/]+\.config\.[cm]?[jt]sx?
        (?:jest|vitest|playwright|karma|webpack|mocha|cypress)[-.](?:setup|conf|config|workspace)[^/]*
        \.(?:mocharc|babelrc|eslintrc|swcrc|nycrc|c8rc|taprc|jshintrc|prettierrc|stylelintrc|rspec|rubocop)[^/]*
        babel\.config\.[^/]+ tsconfig[^/]*\.json biome\.jsonc? vagrantfile \.?justfile taskfile\.ya?ml earthfile
        tiltfile procfile gradlew(?:\.bat)? mvnw(?:\.cmd)? configure(?:\.(?:ac|in))? autogen\.sh bootstrap(?:\.sh)?
        cmakelists\.txt meson(?:\.build|_options\.txt) build workspace phpunit[^/]*\.xml[^/]* phpstan[^/]*\.neon[^/]*
        (?:spec|rails|test)_helper\.rb runtests\.py manage\.py
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
        firebase\.json serverless\.(?:ya?ml|json|[cm]?[jt]s) skaffold\.ya?ml samconfig\.toml cdk\.json pulumi(?:\.[^/]+)?\.ya?ml        rust-toolchain(?:\.toml)? \.?mise(?:\.[^/]+)?\.toml project/[^/]+\.scala`),
      folders(String.raw`gradle/wrapper buildsrc build-logic \.storybook magefiles fastlane`),
      // `scripts/`, `bin/` and `tools/` also hold what people ship and what breaks, so of those only shell waits for a person: CI runs tests
      // and sources of a change anyway, and guarding every program in them would leave command lines without a fix.
      /^(?:ci|jenkins)\/(?:[^/]+\/)*[^/]+\.(?:py|rb|[cm]?[jt]s|pl|php|go)$/,
      /^[^/]+\.(?:sh|bash|zsh|ps1|bat|cmd)$/,
      /\.(?:sh|bash|zsh|ps1|bat|cmd)$(?<=(?:^|\/)(?:ci|scripts?|hack|tools?|build|bin|dev|\.config)\/(?:[^/]+\/)*[^/]+\.\w+)/,
    ),
    reason: 'is run by builds and tests',
  },
];

/** Letters, folded widths and the characters that file systems ignore must not hide a name: `.GitHub`, `CODEOWNERS\u200b`, `．github`. */
export function plainPath(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
    .replace(/\\/g, '/')
    .replace(/(?<![. ])[. ]+(?=\/|$)/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** The rule that guards this path, and why; null for an ordinary file. */
export function guardOfPath(path: string): { readonly rule: GuardRule; readonly reason: string } | null {
  const plain = plainPath(path);
  if (SECRET.test(plain) && !SECRET_SAMPLE.test(plain))
    return { rule: 'never/secret', reason: 'is where secrets are kept' };
  const found = RULES.find(({ pattern }) => pattern.test(plain));
  return found ? { rule: found.rule, reason: found.reason } : null;
}
