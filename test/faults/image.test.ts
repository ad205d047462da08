// The image's tree as its user 65532: root file system read-only, no capability, only /data writable. The whole road must work.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { buildImage, enterImage, type Image, innerProcess, instructions, missingForImage } from '../support/image.ts';
import { temporaryFolder } from '../support/service.ts';

const missing = missingForImage();

describe.skipIf(missing !== '')(`the image${missing && ` (${missing})`}`, () => {
  const cleanup = new AsyncDisposableStack();
  let image: Image;
  let repository: GitRepository;
  let base: string;

  beforeAll(async () => {
    base = cleanup.use(await temporaryFolder()).path;
    spawnSync('chmod', ['755', base]);
    for (const name of ['root', 'data', 'setup']) mkdirSync(path.join(base, name));
    image = buildImage(base);
    repository = cleanup.use(await gitRepository());
    await repository.commit(
      { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' },
      'Start',
    );
    spawnSync('chmod', ['-R', 'go+rX', path.dirname(repository.path)]);
  }, 300_000);
  afterAll(() => cleanup.disposeAsync());

  function enter(command: readonly string[], env: Readonly<Record<string, string>> = {}, data = 'data') {
    const place = { project: repository.path, data: path.join(base, data), env };
    const child = enterImage(image, path.join(base, 'root'), place, command);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const ended = new Promise<number | string>((resolve) =>
      child.once('exit', (code, signal) => resolve(code ?? signal ?? '')),
    );
    cleanup.defer(async () => void (child.kill('SIGKILL') && (await ended)));
    const said = async (form: RegExp) => {
      await expect.poll(() => form.exec(output), { timeout: 60_000, message: output }).not.toBeNull();
      return form.exec(output)?.[0] ?? '';
    };
    return { ended, said, output: () => output, inner: () => innerProcess(child) };
  }

  const serve = (env: Readonly<Record<string, string>>, data = 'data') => {
    const command = JSON.parse(instructions().findLast(({ verb }) => verb === 'CMD')?.rest ?? '');
    return enter(command, { PORT: '0', ...env }, data);
  };
  const LOCAL = { HOST: '127.0.0.1', PROJECTS: '/projects/shop' };

  it('lets its user write nowhere but in /data, and holds no capability', async () => {
    expect(image.user).toBe(65_532);
    const places = '/causeway/x /causeway/src/main.ts /x /tmp/x /usr/bin/x /dev/shm /projects/shop/x /data/x';
    const script = `for each in ${places}; do touch $each 2>/dev/null && echo "wrote $each"; done; grep -E '^(Cap|NoNew|Uid|Gid)' /proc/self/status; rm /data/x`;
    const inside = enter(['sh', '-c', script]);
    await inside.ended;
    const none = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:\t${'0'.repeat(16)}`);
    const ids = Array.from({ length: 4 }, () => image.user).join('\t');
    expect(inside.output().trim().split('\n').toSorted()).toEqual(
      [...none, 'wrote /data/x', `Uid:\t${ids}`, `Gid:\t${ids}`, 'NoNewPrivs:\t1'].toSorted(),
    );
  });

  it('takes a report, finds the facts, opens its pages, and ends in order on SIGTERM; the next start goes on', async () => {
    const service = serve(LOCAL);
    const address = await service.said(/http:\/\/127\.0\.0\.1:\d+/);
    const link = await service.said(/http:\S+sign-in\/local\?code=\S+/);
    const token = await service.said(/cwy_[0-9A-Za-z]{36}/);
    const api = apiClient(address, token);
    const { id: projectId } = await api.project();
    const data = 'TypeError: Cannot read properties of undefined\n    at start (/srv/app/src/index.js:2:9)\n';
    const issue = await api.issue(await api.report({ projectId, data }));
    expect(issue.analysis.suspects[0]).toMatchObject({ file: 'src/index.js', function: 'start' });

    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Causeway')]);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect(healthcheck(new URL(address).port)).toBe(0);
    expect(modes()).toEqual([]);
    expect(readFileSync(`/proc/${service.inner()}/status`, 'utf8')).toMatch(/NSpid:\t\d+\t1\n/);
    process.kill(service.inner(), 'SIGTERM');
    expect(await service.ended).toBe(0);
    expect(healthcheck(new URL(address).port)).not.toBe(0);

    const next = serve(LOCAL);
    const again = apiClient(await next.said(/http:\/\/127\.0\.0\.1:\d+/), token);
    expect((await again.project()).issueIds).toEqual([issue.id]);
    process.kill(next.inner(), 'SIGTERM');
    expect(await next.ended).toBe(0);
  });

  it('without settings of an App shows the page that makes one', async () => {
    const service = serve({ PUBLIC_URL: 'https://causeway.example' }, 'setup');
    await service.said(/\/setup/);
    const port = portOf(service.inner());
    const page = await fetch(`http://127.0.0.1:${port}/setup`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Causeway')]);
    process.kill(service.inner(), 'SIGTERM');
    expect(await service.ended).toBe(0);
  });

  /** The image's own, on another port. */
  function healthcheck(port: string): number | null {
    const rest = instructions().findLast(({ verb }) => verb === 'HEALTHCHECK')?.rest ?? '';
    const [, ...args]: string[] = JSON.parse(rest.replace('CMD ', '').replace(':3000/', `:${port}/`));
    return spawnSync(process.execPath, args).status;
  }

  /** What in /data others may read, or do anything else with: files and folders below the volume itself. */
  function modes(): readonly string[] {
    const data = path.join(base, 'data');
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(expect.arrayContaining(['causeway.db', 'causeway.db-wal', 'encryption.key', 'address']));
    const shared = (name: string) => (statSync(path.join(data, name)).mode & 0o077) !== 0;
    // What git and Node make lies in folders that nobody else can enter.
    return names.filter((name) => !/^(?:mirrors|compiled)\//.test(name)).filter(shared);
  }
});

/** The port that a process listens on, by its sockets. */
function portOf(pid: number): number {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => statSync(`/proc/${pid}/fd/${fd}`).ino);
  const listening = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const own = listening.find(([, , , state, ...rest]) => state === '0A' && sockets.includes(Number(rest[5])));
  return Number.parseInt(own?.[1]?.split(':')[1] ?? '0', 16);
}
