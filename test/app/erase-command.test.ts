// `erase` as an operator gives it: nothing without --yes; what it says in numbers is gone from the records and from the disk.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { runCommand } from '../../src/app/run-command.ts';
import { openServices } from '../../src/app/services.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { takeOwnership } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { patience } from '../support/patience.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { temporaryFolder } from '../support/service.ts';
import { acceptance, accepted, conclusion, NOW, started, WRITER } from '../support/store-samples.ts';

const KEY = 'ab'.repeat(32);

/** A data folder with a project of which there is an Issue and a mirror, another one, and someone from GitHub. */
async function lived(folder: string, repository: string) {
  const mirrors = path.join(folder, 'mirrors');
  await using house = await openServices({
    ...{ database: path.join(folder, 'causeway.db'), encryptionKey: Buffer.from(KEY, 'hex') },
    ...{ lexicon: path.join(folder, 'lexicon'), git: { folder: mirrors, environment: { PATH: process.env['PATH'] } } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    ...{ log: createLog({ level: 'silent' }), now: () => new Date(NOW) },
  });
  const source = { kind: 'path', path: repository } as const;
  const both = [
    { name: 'local/kept', source: { ...source, path: `${repository}/.git` } },
    { name: 'local/shop', source },
  ];
  const [kept, project] = await house.store.syncProjects(both, NOW);
  const signal = patience();
  for (const one of [kept!, project!]) {
    const opened = await house.source.open(one, signal);
    const sha = await opened.resolve('', signal);
    await house.lexicons.of(one).open(opened.tree(sha ?? ''), signal);
  }
  const { runId } = await accepted(house.store, acceptance({ account: house.account, project: project! }));
  await house.store.conclude(await started(house.store, runId), conclusion(), NOW);
  await house.store.ensureAccount({ ...WRITER, githubId: WRITER.id, signingSecret: 'whsec_m', now: NOW });
  return { kept: kept!.id, gone: project!.id };
}

async function run(folder: string, ...args: readonly string[]) {
  const io = scriptedTerminal();
  const environment = { DATA_DIR: folder, ENCRYPTION_KEY: KEY, PATH: process.env['PATH'] };
  const signal = patience();
  await runCommand(parseCommandLine(['erase', ...args]), { io, environment, now: () => new Date(NOW) }, signal);
  return io.printed.err;
}

it('erases a project next to a running service, with its source on this machine, and says so in numbers', async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository();
  await repository.commit({ 'a.ts': 'const a = 1;\n' }, 'Begin');
  const { kept, gone } = await lived(folder.path, repository.path);
  using _service = takeOwnership(path.join(folder.path, 'causeway.db'));
  await expect(run(folder.path, '--project', 'local/shop')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/local\/shop.*Nothing was deleted; repeat with --yes/),
  });
  const onDisk = (id: string) =>
    ['mirrors', 'lexicon'].flatMap((name) =>
      existsSync(path.join(folder.path, name))
        ? readdirSync(path.join(folder.path, name)).filter((entry) => entry.startsWith(id))
        : [],
    );
  expect(onDisk(gone)).toHaveLength(2);
  expect(await run(folder.path, '--project', 'Local/Shop', '--yes')).toMatch(
    /^Deleted Local\/Shop: 1 investigation, 1 issue, 0 threads, 0 commits with checks, 0 failures, and 1 copy of source on this machine\.\n/,
  );
  expect(onDisk(gone)).toEqual([]);
  expect(onDisk(kept)).toHaveLength(2);
  expect(await run(folder.path, '--project', 'local/shop', '--yes')).toMatch(/nothing was deleted.* Deleted 0 copies/);
});

it('erases a person by login or number, and not the account of the service', async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository();
  await repository.commit({ 'a.ts': 'const a = 1;\n' }, 'Begin');
  await lived(folder.path, repository.path);
  await expect(run(folder.path, '--account', 'Local', '--yes')).rejects.toMatchObject({ code: 'usage' });
  await expect(run(folder.path, '--account', 'mona')).rejects.toMatchObject({ code: 'usage' });
  expect(await run(folder.path, '--account', String(WRITER.id), '--yes')).toMatch(
    /^Deleted 7: 0 sessions, 0 tokens, 0 webhooks, and the name in 0 places\.\n/,
  );
  expect(await run(folder.path, '--account', 'mona', '--yes')).toMatch(/^Nothing is stored about mona/);
});

it.each([[['--yes']], [['--account', 'mona', '--project', 'octo/shop']], [['mona', '--yes']]])(
  'wants one thing to erase, not %j',
  (args) => {
    expect(() => parseCommandLine(['erase', ...args])).toThrow(expect.objectContaining({ code: 'usage' }));
  },
);
