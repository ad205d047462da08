// Files that CI, builds, editors and coding agents run or obey: each name by itself, as its tool reads it.
import { describe, expect, it } from 'vitest';
import { findPathGuard } from '../../src/agent/guard-change.ts';

const GUARDED: Readonly<Record<string, string>> = {
  'never/ci-configuration': `
    Dangerfile dangerfile.js dangerfile.ts .goreleaser.yml .goreleaser.yaml .releaserc .releaserc.json .cirun.yml dagger.json amplify.yml
    ci/build.yml ci/jobs/release.yaml pipelines/main.yml jenkins/build.groovy vars/deploy.groovy azure-pipelines/x.ps1 .azure/pipeline.yml
    .pipelines/x.yml .jenkins/x .dagger/src/index.ts .concourse/x.yml`,
  'never/agent-instructions': `
    .openhands/microagents/repo.md .openhands_instructions .devin/wiki.json devin.md .factory/droids/x.md .warp/x .jules/setup.sh jules.md
    .forge/x .tabnine/guidelines/x.md .goose/x .zencoder/rules/x.md .greptile/rules.md .amp/x .mcp/servers.json CONVENTIONS.md llms.txt
    .pr_agent.toml .coderabbit.yaml sweep.yaml .sweep.yaml ellipsis.yaml .sourcery.yaml .agent.md .aiexclude AGENTS.override.md`,
  'person/hooks': `
    .pryrc .irbrc .iex.exs .ghci .gdbinit .lldbinit .vimrc Guardfile app.code-workspace .commitlintrc.js .hooks/pre-push .vs/x.json
    .fleet/run.json`,
  'person/build-set-up': `
    Fastfile fastlane/Fastfile fastlane/actions/x.rb Capfile .pylintrc pylintrc mypy.ini .mypy.ini .flake8 .simplecov .luacheckrc .credo.exs
    .php-cs-fixer.php .php-cs-fixer.dist.php rector.php psalm.xml .bazelrc .bazeliskrc .bazelversion BUCK .buckconfig project.json
    packages/a/project.json angular.json wdio.conf.js protractor.conf.js testem.js ember-cli-build.js .testcaferc.js magefile.go magefiles/x.go
    .golangci.yml .jvmopts jvm.config .sbtopts main.tf modules/a/main.tf main.tf.json terragrunt.hcl wrangler.toml firebase.json
    render.yaml fly.toml serverless.yml skaffold.yaml .storybook/main.js dodo.py App.xcodeproj/project.pbxproj .changeset/config.json
    ci/run.py jenkins/seed.rb ci/check.mjs`,
};

describe.each(Object.entries(GUARDED))('%s', (rule, paths) => {
  it.each(paths.trim().split(/\s+/))('%s', (path) => {
    expect(findPathGuard(path)?.rule).toBe(rule);
    expect(findPathGuard(path.toUpperCase())?.rule).toBe(rule);
  });
});

describe('what people write and repair every day', () => {
  it.each(
    `scripts/release.js scripts/postinstall.js tools/report.py bin/run src/ci/parse-log.ts packages/a/ci/reader.py lib/pipelines/stages.yml
    test/jenkins/reader.groovy src/main/groovy/vars/X.groovy .changeset/brave-cats-run.md docs/openhands.md docs/ci/overview.md src/project.ts
    config/app.yml src/conf/app.conf lib/rules/x.ts src/agent/x.ts src/render.ts src/fly.ts src/terraform.ts`.split(
      /\s+/,
    ),
  )('%s stays editable', (path) => {
    expect(findPathGuard(path)).toBeNull();
  });
});
