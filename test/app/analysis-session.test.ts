// What the terminal's investigations call the repository.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { gitRepository } from '../support/git-repository.ts';
import { temporaryFolder } from '../support/service.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

it('names the repository by its folder, and says what helps where it is', async () => {
  await using repository = await gitRepository({ folder: 'shop' });
  await using folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'], DATA_DIR: folder.path };
  const running = promisify(execFile)(process.execPath, [MAIN, 'analyse', 'it crashes'], { cwd: repository.path, env });
  await expect(running).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /The repository of local\/shop \(.*shop\) has no commit yet\. Add a first commit to it, then send the report again\./,
    ),
  });
});
