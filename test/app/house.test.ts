// The house: opened only with the key of its secrets, and closed to them from then on.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { openServices } from '../../src/app/services.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { createLog } from '../../src/log.ts';
import { acceptReport } from '../../src/services/accept-report.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { COMPILED } from '../support/compiled.ts';
import { patience } from '../support/patience.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');

function houseAt(folder: string, encryptionKey: Buffer) {
  return openServices({
    database: path.join(folder, 'causeway.db'),
    encryptionKey,
    lexicon: path.join(folder, 'lexicon'),
    git: { folder: path.join(folder, 'mirrors'), environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log: createLog({ level: 'silent' }),
    now: () => NOW,
  });
}

describe('a service', () => {
  it('does not open with another key than that of its secrets, and says what to bring back', async () => {
    await using folder = await temporaryFolder();
    const key = randomBytes(32);
    await (await houseAt(folder.path, key))[Symbol.asyncDispose]();
    await expect(houseAt(folder.path, randomBytes(32))).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(/encryption\.key .*ENCRYPTION_KEY/),
    });
    await (await houseAt(folder.path, key))[Symbol.asyncDispose]();
  });

  it('has commands next to it that refuse another key too, instead of sealing with it', async () => {
    await using folder = await temporaryFolder();
    await (await houseAt(folder.path, randomBytes(32)))[Symbol.asyncDispose]();
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: folder.path, ENCRYPTION_KEY };
    for (const command of ['webhook-secret rotate', 'token list']) {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...command.split(' ')], {
        env,
        encoding: 'utf8',
      });
      expect(stderr).toMatch(/encryption\.key .*ENCRYPTION_KEY/);
      expect(status).toBe(1);
    }
  });

  it('keeps its own key and signing secrets out of every report', async () => {
    await using folder = await temporaryFolder();
    const key = randomBytes(32);
    await using house = await houseAt(folder.path, key);
    const [project] = await house.store.syncProjects(
      [{ name: 'local/app', source: { kind: 'path', path: '/srv/app' } }],
      NOW.toISOString(),
    );
    const secrets = await house.store.listSigningSecrets(house.account.id, NOW.toISOString());
    const own = [key.toString('hex'), key.toString('base64'), ...secrets];
    expect(own).toHaveLength(3);
    const about = { projectId: project?.id ?? '', accountId: house.account.id, origin: 'api' } as const;
    const text = own.map((secret) => `it printed ${secret} and stopped`).join('\n');
    const standing = { isTrusted: true, settings: DEFAULT_SETTINGS };
    const report = { ...about, ...standing, text, reference: '', revision: '', callbackUrl: '', fresh: false };
    const accepted = await acceptReport(house, report);
    if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
    const run = await house.store.startRun(accepted.runId, NOW.toISOString());
    expect(run?.text).toBe(own.map(() => 'it printed [redacted] and stopped').join('\n'));
  });

  it('keeps digests next to the mirror of a project, and forgets both together', async () => {
    await using folder = await temporaryFolder();
    await using repo = await gitRepository();
    await repo.commit({ 'src/a.ts': 'export const alpha = 1;\n' }, 'Begin');
    await using house = await houseAt(folder.path, randomBytes(32));
    const source = { kind: 'path', path: repo.path } as const;
    const [project] = await house.store.syncProjects([{ name: 'local/app', source }], NOW.toISOString());
    if (project === undefined) throw new Error('there is no project');
    const signal = patience();
    const repository = await house.source.open(project, signal);
    const sha = await repository.resolve('', signal);
    const lexicon = await house.lexicons.of(project).open(repository.tree(sha ?? ''), signal);
    expect(lexicon.files.map((file) => file.path)).toEqual(['src/a.ts']);
    const kept = () => [readdirSync(path.join(folder.path, 'mirrors')), readdirSync(path.join(folder.path, 'lexicon'))];
    expect(kept().flat()).toEqual(expect.arrayContaining([`${project.id}.git`, `${project.id}.index`]));
    await house.source.forget(project.id);
    expect(
      kept()
        .flat()
        .filter((name) => name.startsWith(project.id)),
    ).toEqual([]);
  });
});
