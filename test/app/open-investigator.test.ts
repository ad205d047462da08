// Which monitoring systems the model may ask: none for a repository that everybody can read, unless the operator said so.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openInvestigator } from '../../src/app/model.ts';
import type { Project, ProjectSource } from '../../src/core/project/project.ts';
import { createLog } from '../../src/log.ts';
import { program } from '../mcp-client/doubles.ts';
import { endpointConfig } from '../support/endpoint-config.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const SIGNAL = new AbortController().signal;
const SHA = 'a'.repeat(40);
const repository = createMemoryRepository({ commits: [{ sha: SHA, subject: 'First', files: { 'a.js': '1\n' } }] });
const GITHUB = {
  kind: 'github',
  repositoryId: 1,
  installationId: 2,
  isArchived: false,
  defaultBranch: 'main',
} as const;
const url = 'https://github.example/acme/shop.git';

it.each<readonly [string, ProjectSource, boolean]>([
  ['a private repository on GitHub', { ...GITHUB, url, isPrivate: true }, true],
  ['a public repository on GitHub', { ...GITHUB, url, isPrivate: false }, false],
  ['a repository on this disk', { kind: 'path', path: '/shop' }, true],
  ['an address that anybody may have given', { kind: 'url', url }, false],
])('for %s monitoring is asked: %o', async (_what, source, isAsked) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-mcp-'));
  try {
    const file = path.join(folder, 'mcp.json');
    const { command, args, projects } = program('plain');
    writeFileSync(file, JSON.stringify({ servers: { prometheus: { command, args, projects, tools: ['query'] } } }));
    await using opened = openInvestigator({
      config: {
        model: endpointConfig({ baseUrl: 'http://127.0.0.1:1' }),
        budget: { run: 1, repository: 1, all: 1 },
        monitoringFile: file,
        environment: { PATH: process.env['PATH'] },
      },
      log: createLog({ level: 'silent' }),
      now: () => new Date(),
      patienceMs: 0,
    });
    const project: Project = { id: 'prj_1', name: 'acme/shop', source, createdAt: '2026-11-20T10:00:00.000Z' };
    const tree = repository.tree(SHA);
    const ground = { project, isTrusted: true, repository, tree, rawTree: tree, clean: async (text: string) => text };
    const bench = await opened.investigator?.openWorkbench({ ...ground, reportText: '' }, SIGNAL);
    expect(bench?.tools.some(({ name }) => name === 'prometheus__query')).toBe(isAsked);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
