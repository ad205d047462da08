// What every test of the tools starts with: a toolbox over a real repository, and its answers as the model sees them.

import type { Repository } from 'causeway-git-objects';
import { type GitRepository, gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { createToolbox, type Toolbox } from '../../../src/investigate/tools/toolbox.ts';
import { findInstalledVersion } from '../../../src/triage/dependency-version.ts';
import { pathProject, SIGNAL, testSource, treeOf } from '../../support/project-source.ts';

export interface Workbench extends AsyncDisposable {
  readonly repo: GitRepository;
  readonly repository: Repository;
  readonly toolbox: Toolbox;
  /** A second toolbox over the same commit, without edits. */
  again(): Promise<Toolbox>;
  /** Runs a tool and returns the whole answer as text: action, status, result, what was cut. */
  ask(name: string, given?: unknown): Promise<string>;
}

export async function workbench(
  files: Readonly<Record<string, string | Buffer>>,
  options: { readonly ciLog?: string; readonly prepare?: (repo: GitRepository) => void } = {},
): Promise<Workbench> {
  const repo = await gitRepository();
  await repo.commit(files, 'Begin');
  options.prepare?.(repo);
  return openWorkbench(repo, options.ciLog ?? null);
}

export async function openWorkbench(repo: GitRepository, ciLog: string | null = null): Promise<Workbench> {
  const made = testSource();
  const repository = await made.source.open(pathProject(repo.path), SIGNAL);
  const again = async () => {
    const tree = await treeOf(repository);
    const findInstalled = (name: string) => findInstalledVersion(tree, name, SIGNAL);
    return createToolbox({ repository, tree, rawTree: tree, clean: async (text) => text, ciLog, findInstalled });
  };
  const toolbox = await again();
  return {
    repo,
    repository,
    toolbox,
    again,
    ask: (name, given = {}) => ask(toolbox, name, given),
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

/** The answer as one text, without the sha of the commit, which every action names. */
export async function ask({ tools }: Toolbox, name: string, given: unknown): Promise<string> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const raw = typeof given === 'string' ? given : JSON.stringify(given);
  const { action, finding } = await tool.run(raw, SIGNAL);
  const cut = finding.status === 'found' && finding.cut !== '' ? `\n[cut: ${finding.cut}]` : '';
  return `${action.replace(/ at [0-9a-f]{7}$/, ' at …')}\n${finding.status}: ${finding.text}${cut}`;
}
