// What the terminal's investigations call the repository.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { COMPILED } from '../support/compiled.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';

it('names the repository by its folder, and says what helps where it is', async () => {
  await using repository = await gitRepository({ folder: 'shop' });
  await using folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: folder.path };
  const running = promisify(execFile)(process.execPath, [PROGRAM, 'analyse', 'it crashes'], {
    cwd: repository.path,
    env,
  });
  await expect(running).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /The repository of local\/shop \(.*shop\) has no commit yet\. Add a first commit to it, then send the report again\./,
    ),
  });
});

it('keeps what it digested under one name, which the next command finds again', async () => {
  await using repository = await gitRepository({ folder: 'shop' });
  await repository.commit({ 'src/cart.ts': 'export function total(): number {\n  return 1;\n}\n' }, 'Begin');
  await using folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: folder.path };
  const kept: (readonly string[])[] = [];
  for (const report of ['the total is wrong', 'the total is wrong again']) {
    await promisify(execFile)(process.execPath, [PROGRAM, 'analyse', report], { cwd: repository.path, env });
    kept.push(readdirSync(path.join(folder.path, 'lexicon')).filter((name) => name.endsWith('.index')));
  }
  expect(kept[0]).toEqual([expect.stringMatching(/^src_[0-9a-f]{32}\.index$/)]);
  expect(kept[1]).toEqual(kept[0]);
});
