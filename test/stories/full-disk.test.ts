// The disk of DATA_DIR runs full: what cannot run is refused with figures, what GitHub tells is kept, and it all goes on once there is space.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitHttp } from '../../packages/git-objects/test/git-http.ts';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { COMPILED } from '../support/compiled.ts';
import { openDesk } from '../support/github-desk.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { engine } from '../support/records.ts';
import { PROGRAM } from '../support/service.ts';
import { canMount, smallDisk } from '../support/small-disk.ts';

const MIB = 1024 ** 2;

interface Ready {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

it.runIf(canMount())(
  'a repository that is larger than the disk is refused in the terminal by its true name',
  async () => {
    using disk = smallDisk(20);
    await using large = await gitRepository();
    await large.commit({ 'a.js': 'start();\n', 'large.bin': randomBytes(30 * MIB).toString('latin1') }, 'Start');
    await using server = await gitHttp({ root: path.dirname(large.path) });
    const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: disk.path };
    const url = `${server.url}${path.basename(large.path)}/.git`;
    const args = [PROGRAM, 'analyse', 'TypeError: start is not a function', '--repo', url];
    const said = await new Promise((resolve) => {
      execFile(process.execPath, args, { env }, (_error, _out, err) => resolve(err));
    });
    expect(said).toMatch(/The repository of \S+ \(\S+\) could not be read\. No space left on the disk of DATA_DIR\./);
  },
);

describe.runIf(canMount() && engine() === 'sqlite')('a disk with too little space', () => {
  it('keeps a label of GitHub, whose run waits, and answers it once there is space', async () => {
    using disk = smallDisk(200);
    await using stage = await openGithubStage({ env: { DATA_DIR: disk.path } });
    const desk = await openDesk(stage, 'corner/full');
    await disk.fill(19.5 * MIB);
    const { address } = stage.service();
    const ready = await stage.until('not ready', async () => {
      const answer = await fetch(`${address}/readyz`);
      return answer.status === 503 && ((await answer.json()) as Ready);
    });
    expect(ready.checks.filter(({ ok }) => !ok)).toEqual([
      { name: 'disk', ok: false, detail: '19 MiB free, 100 MiB required' },
    ]);

    desk.label('per');
    await stage.double.webhooks.settled();
    const [labelled] = stage.double.webhooks
      .deliveries(stage.double.app.id)
      .filter(({ action }) => action === 'labeled');
    expect(labelled?.statusCode).toBe(202);
    await stage.until('the reaction', () => desk.reactions().includes('eyes'));
    await stage.until('the run to wait', () =>
      stage.service().output().includes('no space left on the disk of DATA_DIR'),
    );
    await desk.comment('Waiting for disk space · resumes automatically');

    await disk.empty();
    await desk.comment('Facts only');
    await stage.until('the result to be alone', () => desk.ours().length === 1);
  });

  it('keeps a label whose repository does not fit, to be tried again', async () => {
    using disk = smallDisk(200);
    await using stage = await openGithubStage({ env: { DATA_DIR: disk.path } });
    const desk = await openDesk(stage, 'corner/large');
    // As large on the way as here, without the time to pack it.
    await stage.double.git('corner/large', 'config', 'core.compression', '0');
    await stage.double.git('corner/large', 'config', 'core.bigFileThreshold', '1m');
    const files = { 'a.txt': 'a'.repeat(60 * MIB), 'b.txt': 'b'.repeat(60 * MIB) };
    await stage.double.people.push('corner/large', { by: 'mara', files });
    await disk.fill(110 * MIB);
    desk.label('per');
    await desk.comment('Waiting for disk space · resumes automatically');
    expect(stage.service().output()).toContain('investigation deferred: no space left on the disk of DATA_DIR');
  });
});
