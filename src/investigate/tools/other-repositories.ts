// Lets tools that read also read other repositories, by the parameter `repo`; edits stay in the project's own.

import type { Repository, SourceTree } from 'causeway-git-objects';
import { findContextFile } from '../../core/issue/index.ts';
import type { Tool } from '../../core/report/index.ts';
import { defineHistoryTool } from './commits.ts';
import { createOverlay } from './overlay.ts';
import { defineReadFilesTool } from './read-files.ts';
import { defineSearchTool } from './search-code.ts';
import { answerFailed } from './tool-kit.ts';

/** Another repository at its commit, as it may be shown: without secrets. */
export interface OtherRepository {
  /** `owner/name`. */
  readonly name: string;
  readonly repository: Repository;
  readonly tree: SourceTree;
}

/** The tools as they are where there is no other repository: endpoints cache their bytes. */
export function addRepositories(tools: readonly Tool[], others: readonly OtherRepository[]): readonly Tool[] {
  if (others.length === 0) return tools;
  const readers = new Map(others.map((other) => [other.name, defineReaders(other)]));
  const names = [...readers.keys()];
  return tools.map((tool) => {
    const isReader = readers.get(names[0] ?? '')?.some(({ name }) => name === tool.name) === true;
    return isReader ? addParameter(tool, readers) : refuseOthers(tool, others);
  });
}

function defineReaders({ repository, tree }: OtherRepository): readonly Tool[] {
  const plain = createOverlay({ tree, rawTree: tree, clean: async (text) => text });
  return [defineSearchTool(plain), defineReadFilesTool(plain, repository), defineHistoryTool(repository, tree)];
}

function addParameter(tool: Tool, readers: ReadonlyMap<string, readonly Tool[]>): Tool {
  const names = [...readers.keys()];
  const { properties } = tool.parameters as { readonly properties: object };
  const repo = { type: 'string', enum: names, description: 'Another repository; left out: the project itself.' };
  return {
    ...tool,
    parameters: { ...tool.parameters, properties: { ...properties, repo } },
    run: async (raw, signal) => {
      const { repo: name, rest } = takeRepository(raw);
      if (name === null) return await tool.run(rest, signal);
      const other = names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? '';
      const reader = readers.get(other)?.find((each) => each.name === tool.name);
      if (reader === undefined) {
        const action = `${tool.name} in another repository`;
        return { action, finding: answerFailed(`"repo" must be one of ${names.join(', ')}, or left out.`) };
      }
      const { action, finding } = await reader.run(rest, signal);
      return { action: `${other}: ${action}`, finding, repository: other };
    },
  };
}

/** `repo` out of the raw arguments; what is no JSON is refused by the tool itself. */
function takeRepository(raw: string): { readonly repo: string | null; readonly rest: string } {
  try {
    const value: unknown = JSON.parse(raw);
    if (typeof value !== 'object' || value === null || !('repo' in value)) return { repo: null, rest: raw };
    const { repo, ...rest } = value;
    const isOwn = repo === null || repo === '';
    return { repo: isOwn ? null : String(repo), rest: JSON.stringify(rest) };
  } catch {
    return { repo: null, rest: raw };
  }
}

/** A tool of the project itself does not take a file of another repository for one of its own. */
function refuseOthers(tool: Tool, others: readonly OtherRepository[]): Tool {
  const known = others.map(({ name }) => ({ repository: name }));
  return {
    ...tool,
    run: async (raw, signal) => {
      const of = listTexts(raw).flatMap((text) => findContextFile(text, known)?.of ?? [])[0];
      if (of === undefined) return await tool.run(raw, signal);
      const text = `${of.repository} can only be read, with "repo" of search, read_files and history. Edits are made in the project itself.`;
      return { action: `${tool.name} in ${of.repository}`, finding: answerFailed(text) };
    },
  };
}

/** The texts of the arguments, and of lists in them. */
function listTexts(raw: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(raw);
    const values = typeof value === 'object' && value !== null ? Object.values(value).flat() : [];
    return values.filter((each) => typeof each === 'string');
  } catch {
    return [];
  }
}
