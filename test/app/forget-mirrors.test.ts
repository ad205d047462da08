// Mirrors of projects that are gone leave the folder of every process, not only that of the one that heard of it.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { openServices } from '../../src/app/services.ts';
import { startForgettingMirrors } from '../../src/app/upkeep.ts';
import { createLog } from '../../src/log.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { apiClient } from '../support/api-client.ts';
import { patience } from '../support/patience.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';

it('removes mirrors whose project is hidden or unknown, with their digests, and nothing else', async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository();
  await repository.commit({ 'a.ts': 'const a = 1;\n' }, 'Begin');
  const mirrors = path.join(folder.path, 'mirrors');
  const now = new Date();
  await using house = await openServices({
    ...{ database: ':memory:', encryptionKey: randomBytes(32), lexicon: path.join(folder.path, 'lexicon') },
    git: { folder: mirrors, environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    ...{ log: createLog({ level: 'silent' }), now: () => now },
  });
  const source = { kind: 'path', path: repository.path } as const;
  const both = [
    { name: 'local/kept', source },
    { name: 'local/gone', source: { ...source, path: `${repository.path}/.git` } },
  ];
  const projects = await house.store.syncProjects(both, now.toISOString());
  const signal = patience();
  for (const project of projects) await house.source.open(project, signal);
  const [kept] = await house.store.syncProjects(both.slice(0, 1), now.toISOString());
  for (const name of ['prj_never_heard_of.git', 'src_of_the_command_line.git']) mkdirSync(path.join(mirrors, name));
  await using _forgetting = startForgettingMirrors(house, mirrors);
  const names = () => readdirSync(mirrors).filter((name) => name.endsWith('.git'));
  await expect.poll(() => names().toSorted()).toEqual([`${kept?.id}.git`, 'src_of_the_command_line.git']);
});

it('so does the service in local mode, and leaves those of its own projects', async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository();
  await repository.commit({ 'a.ts': 'const a = 1;\n' }, 'Begin');
  const options = { projects: [repository.path], dataDir: folder.path };
  const mirrors = path.join(folder.path, 'mirrors');
  const projectId = await (async () => {
    await using service = await startService(options);
    return (await apiClient(service.address, printedToken(service)).project()).id;
  })();
  for (const id of [projectId, 'prj_erased']) mkdirSync(path.join(mirrors, `${id}.git`), { recursive: true });
  await using _service = await startService(options);
  const names = () => readdirSync(mirrors).filter((name) => name.endsWith('.git'));
  await expect.poll(names).toEqual([`${projectId}.git`]);
});
