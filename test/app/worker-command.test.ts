// `worker` where it cannot work: what it says, and what to do.
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/app/run-command.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { temporaryFolder } from '../support/service.ts';

describe('a worker', () => {
  it('over SQLite is refused, since the file belongs to one process, and says how there can be more', async () => {
    await using folder = await temporaryFolder();
    await expect(work({ DATA_DIR: folder.path })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/belongs to one process: "causeway serve".*DATABASE_URL.*causeway help move/),
    });
  });

  it('where there is no App yet is refused, and says which settings it wants', async () => {
    await using folder = await temporaryFolder();
    const environment = {
      DATA_DIR: folder.path,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      PUBLIC_URL: 'https://causeway.example.com',
    };
    await expect(work(environment)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/no GitHub App yet.*APP_ID, PRIVATE_KEY and WEBHOOK_SECRET/),
    });
  });
});

function work(environment: Readonly<Record<string, string>>) {
  const context = { io: scriptedTerminal(), environment, now: () => new Date() };
  return runCommand({ kind: 'worker', concurrency: null }, context, new AbortController().signal);
}
