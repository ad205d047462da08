// Files that CI, builds, editors and coding agents run or obey: each name by itself, as its tool reads it.

import type { FileChange } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { findPathGuard, guardChange } from '../../src/investigate/guard-change.ts';
import { BASE, OPEN_GROUND } from './conclusion-samples.ts';

const GUARDED: Readonly<Record<string, string>> = {
  'never/ci-configuration': `
    Dangerfile dangerfile.js dangerfile.ts .goreleaser.yml .goreleaser.yaml .releaserc .releaserc.json .cirun.yml dagger.json amplify.yml
    ci/build.yml ci/jobs/release.yaml pipelines/main.yml jenkins/build.groovy vars/deploy.groovy azure-pipelines/x.ps1 .azure/pipeline.yml
    .pipelines/x.yml .jenkins/x .dagger/src/index.ts .concourse/x.yml bitrise.yml codemagic.yaml .vela.yml .rwx/ci.yml .mint/ci.yml
    .onedev-buildspec.yml ci_scripts/ci_post_clone.sh ios/ci_scripts/ci_pre_xcodebuild.sh .depot/workflows/release.yml buddy.yml
    .buddy/buddy.yml shippable.yml .crow.yml .cnb.yml .workflow/x.yml .kokoro/build.sh .tangled/workflows/x.yml .radicle/native.yaml
    .packit.yaml bors.toml .kodiak.toml taskcluster/ci/config.yml release-plz.toml release-please-config.json jreleaser.yml`,
  'never/agent-instructions': `
    .openhands/microagents/repo.md .openhands_instructions .devin/wiki.json devin.md .factory/droids/x.md .warp/x .jules/setup.sh jules.md
    .forge/x .tabnine/guidelines/x.md .goose/x .zencoder/rules/x.md .greptile/rules.md .amp/x .mcp/servers.json CONVENTIONS.md llms.txt
    .pr_agent.toml .coderabbit.yaml sweep.yaml .sweep.yaml ellipsis.yaml .sourcery.yaml .agent.md .aiexclude AGENTS.override.md
    GROK.md packages/a/GROK.md .grok/settings.json mcp.json KIMI.md .kimi/x IFLOW.md CODEBUDDY.md .qoder/rules/x.md .lingma/rules/x.md
    .claude-plugin/plugin.json CODEX.md COPILOT.md CURSOR.md OPENCODE.md SOUL.md smithery.yaml gptme.toml .idx/airules.md`,
  'person/manifest': `
    pixi.toml devbox.json devenv.yaml poetry.toml hatch.toml aqua.yaml pants.toml moon.yml gleam.toml foundry.toml Scarb.toml dub.json
    x.nimble x.rockspec package.yaml cabal.project Mintfile bower.json .config/dotnet-tools.json build.mill bb.edn Project.swift`,
  'person/lock-file': 'pylock.toml pylock.dev.toml Manifest.toml',
  'person/hooks': `
    .pryrc .irbrc .iex.exs .ghci .gdbinit .lldbinit .vimrc Guardfile app.code-workspace .commitlintrc.js .hooks/pre-push .vs/x.json
    .fleet/run.json`,
  'person/build-set-up': `
    Fastfile fastlane/Fastfile fastlane/actions/x.rb Capfile .pylintrc pylintrc mypy.ini .mypy.ini .flake8 .simplecov .luacheckrc .credo.exs
    .php-cs-fixer.php .php-cs-fixer.dist.php rector.php psalm.xml .bazelrc .bazeliskrc .bazelversion BUCK .buckconfig project.json
    packages/a/project.json angular.json wdio.conf.js protractor.conf.js testem.js ember-cli-build.js .testcaferc.js magefile.go magefiles/x.go
    .golangci.yml .jvmopts jvm.config .sbtopts main.tf modules/a/main.tf main.tf.json terragrunt.hcl wrangler.toml firebase.json
    render.yaml fly.toml serverless.yml skaffold.yaml .storybook/main.js dodo.py App.xcodeproj/project.pbxproj .changeset/config.json
    ci/run.py jenkins/seed.rb ci/check.mjs app.json app.yaml heroku.yml .do/app.yaml .do/deploy.template.yaml appspec.yml nixpacks.toml
    railpack.json eas.json azure.yaml captain-definition Dockerrun.aws.json .config/nextest.toml nextest.toml deny.toml pytest.toml
    cucumber.yml codeception.yml behat.yml mise-tasks/build bin/post_compile config/deploy.yml .kamal/hooks/pre-deploy App.xctestplan
    test/mocha.opts nose.cfg cucumber.mjs src/test/resources/junit-platform.properties testng.xml tests/xunit.runner.json ci.runsettings`,
};

/** Of tools that no list knows: what such a tool would read by itself. */
const UNKNOWN = {
  new: `
    .tomorrow/workflows/release.yml .tomorrow/run.py .tomorrow/notes.md .tomorrowrc .tomorrow.ts packages/a/.tomorrow/x.js .npmignore
    tomorrow.yml tomorrow.yaml tomorrow.toml tomorrow.json tomorrow.jsonc tomorrow.star tomorrow.ini Tomorrowfile TOMORROW.md CONTRIBUTING.md`,
  existing:
    '.tomorrow/ci.yml .tomorrow/hook .tomorrow/rules.md .tomorrow.yml .tomorrowrc .tomorrow/prepare.sh packages/a/.tomorrow/x.toml',
};

function guard(...files: readonly FileChange[]) {
  return guardChange({ base: BASE, files }, OPEN_GROUND);
}

function added(path: string, after = 'x\n', mode: '100644' | '100755' = '100644'): FileChange {
  return { kind: 'added', path, mode, after };
}

function modified(path: string): FileChange {
  return { kind: 'modified', path, before: 'a\n', after: 'b\n' };
}

function split(paths: string): readonly string[] {
  return paths.trim().split(/\s+/);
}

describe('what a tool that no list knows would read', () => {
  it.each(split(UNKNOWN.new))('%s is new', async (path) => {
    expect(await guard(added(path))).toMatchObject({
      verdict: 'needs_person',
      guards: [{ rule: 'person/tool-set-up', file: path }],
    });
    const moved: FileChange = { kind: 'renamed', previousPath: 'src/x.ts', path, before: 'a', after: 'a' };
    expect(await guard(moved)).toMatchObject({
      verdict: 'needs_person',
      guards: [{ rule: 'person/tool-set-up', file: path }],
    });
  });

  it.each(split(UNKNOWN.existing))('%s is changed', async (path) => {
    expect(await guard(modified(path))).toMatchObject({
      verdict: 'needs_person',
      guards: [{ rule: 'person/tool-set-up' }],
    });
  });

  it.each<[string, FileChange]>([
    ['new', added('deploy.py', 'x\n', '100755')],
    ['new, by its first line', added('deploy.py', '#!/usr/bin/env python3\n')],
    ['made so', { kind: 'modified', path: 'deploy.py', before: 'a\n', after: 'a\n', mode: '100755' }],
  ])('an executable at the top that is %s', async (_, change) => {
    expect(await guard(change)).toMatchObject({ verdict: 'needs_person', guards: [{ rule: 'person/tool-set-up' }] });
  });

  it('an executable that moves to the top', async () => {
    const moved: FileChange = { kind: 'renamed', previousPath: 'bin/run', path: 'run.py', before: 'a\n', after: 'a\n' };
    const entries = [{ path: 'bin/run', kind: 'executable' as const }];
    const { guards } = await guardChange({ base: BASE, files: [moved] }, { ...OPEN_GROUND, entries });
    expect(guards).toMatchObject([{ rule: 'person/tool-set-up', file: 'run.py' }]);
  });
});

describe.each(Object.entries(GUARDED))('%s', (rule, paths) => {
  it.each(split(paths))('%s', (path) => {
    expect(findPathGuard(path)?.rule).toBe(rule);
    expect(findPathGuard(path.toUpperCase())?.rule).toBe(rule);
  });
});

describe('what people write and repair every day', () => {
  it.each(
    split(`scripts/release.js scripts/postinstall.js tools/report.py bin/run src/ci/parse-log.ts packages/a/ci/reader.py lib/pipelines/stages.yml
    test/jenkins/reader.groovy src/main/groovy/vars/X.groovy .changeset/brave-cats-run.md docs/openhands.md docs/ci/overview.md src/project.ts
    config/app.yml src/conf/app.conf lib/rules/x.ts src/investigate/x.ts src/render.ts src/fly.ts src/terraform.ts src/cart.ts cart.js cart_test.go
    test/cart.test.ts test/fixtures/cart.json test/fixtures/order.yaml test/__snapshots__/cart.snap lib/messages/de.yml src/app.json docs/grok.md
    docs/cursor.md src/cursor.md src/mcp.ts docs/guide.md CHANGELOG.md README.md UPGRADING.md data/.gitkeep .env.example openapi/shop.yaml
    db/migrate/1_add_coupon.sql templates/mail.html charts/shop/values.yaml config/locales/fr.yml notes.txt`),
  )('%s may be new', async (path) => {
    expect((await guard(added(path))).guards).toEqual([]);
  });

  it.each(
    split(`src/cart.ts cart.py openapi.yml mkdocs.yml words.json CONTRIBUTING.md docs/.vitepress/theme/index.ts .vitepress/theme/layout.vue
    .editorconfig .prettierignore public/.htaccess .changeset/brave-cats-run.md NOTICE`),
  )('%s may be changed', async (path) => {
    expect((await guard(modified(path))).guards).toEqual([]);
  });

  it('a command outside the top may be executable', async () => {
    expect((await guard(added('bin/run', '#!/bin/sh\n', '100755'))).guards).toEqual([]);
  });
});
