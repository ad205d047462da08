// Programs that are started through the small process: as if this one had started them, and gone with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Order, Program } from '../../src/git/program.ts';
import { createStarter, type Starter } from '../../src/git/starter.ts';
import { temporaryFolder } from '../support/service.ts';

const ENVIRONMENT = { PATH: process.env['PATH'] };

function shell(script: string, more: Partial<Order> = {}): Order {
  return { file: '/bin/sh', args: ['-c', script], folder: '/', env: ENVIRONMENT, ...more };
}

async function outcome(program: Program) {
  program.stdin.on('error', () => undefined);
  const [stdout, stderr, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.closed]);
  return { stdout, stderr, ...exit };
}

async function parentOf(starter: Starter): Promise<number> {
  return Number((await outcome(starter.start(shell('echo $PPID')))).stdout);
}

/** Whose programs are started by the small process by now; its id. */
async function ready(starter: Starter): Promise<number> {
  for (;;) {
    const parent = await parentOf(starter);
    if (parent !== process.pid) return parent;
    await sleep(20);
  }
}

function isThere(pid: number): boolean {
  // One that nobody has asked after yet is over too.
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

async function gone(pid: number): Promise<void> {
  while (isThere(pid)) await sleep(20);
}

async function firstLine(program: Program): Promise<string> {
  const [chunk] = (await once(program.stdout, 'data')) as [Buffer];
  return chunk.toString().trim();
}

describe.skipIf(process.platform !== 'linux')('the process that starts others', () => {
  it('hands over streams, folder, environment and the way it ended', async () => {
    await using folder = await temporaryFolder();
    const starter = createStarter();
    await ready(starter);
    const at = realpathSync(folder.path);
    const order = shell('pwd; echo "$WORD"; cat; echo late >&2; exit 7', {
      folder: at,
      env: { ...ENVIRONMENT, WORD: 'a "b"\nc' },
    });
    const program = starter.start(order);
    program.stdin.end('put in');
    expect(await outcome(program)).toEqual({
      stdout: `${at}\na "b"\nc\nput in`,
      ...{ stderr: 'late\n', code: 7, killedBy: null },
    });
    expect(await outcome(starter.start(shell('kill -9 $$')))).toMatchObject({ code: null, killedBy: 'SIGKILL' });
  });

  it('keeps the streams of many programs apart, however much they print', async () => {
    const starter = createStarter();
    await ready(starter);
    const all = Array.from({ length: 20 }, (_, number) =>
      starter.start(shell(`cat; head -c 300000 /dev/zero | tr '\\0' ${number % 10}`)),
    );
    for (const [number, program] of all.entries()) program.stdin.end(`${number} `.repeat(50_000));
    for (const [number, { stdout }] of (await Promise.all(all.map(outcome))).entries()) {
      expect(stdout === `${number} `.repeat(50_000) + `${number % 10}`.repeat(300_000)).toBe(true);
    }
  });

  it('hands over words with any line end', async () => {
    const starter = createStarter();
    await ready(starter);
    const order = shell('', { file: '/bin/echo', args: ['a\u2028b\u2029c\u0085d\r\ne'] });
    expect((await outcome(starter.start(order))).stdout).toBe('a\u2028b\u2029c\u0085d\r\ne\n');
  });

  it.each(['here', 'by the small process'])(
    'ends what outlives a program that was started %s and holds its streams',
    async (where) => {
      const starter = createStarter();
      if (where !== 'here') await ready(starter);
      const program = starter.start(shell('sleep 600 & echo $!'));
      const child = Number(await firstLine(program));
      await sleep(100);
      expect(isThere(child)).toBe(true);
      program.signal('SIGTERM');
      expect(await program.closed).toMatchObject({ code: 0 });
      await gone(child);
    },
  );

  it('starts programs here where its socket was cleaned away', async () => {
    const starter = createStarter();
    const small = await ready(starter);
    const place = readFileSync(`/proc/${small}/cmdline`, 'utf8').split('\0').at(-2) ?? '';
    await rm(place);
    expect(await parentOf(starter)).toBe(process.pid);
  });

  it('starts hundreds of programs at once, some of them here', async () => {
    const starter = createStarter();
    await ready(starter);
    const all = Array.from({ length: 200 }, (_, number) => outcome(starter.start(shell(`echo ${number}`))));
    expect((await Promise.all(all)).map(({ stdout }) => Number(stdout))).toEqual(
      Array.from({ length: 200 }, (_, n) => n),
    );
  });

  it('says what could not be started', async () => {
    const starter = createStarter();
    await ready(starter);
    for (const order of [shell('true', { file: '/absent/program' }), shell('true', { folder: '/absent' })]) {
      await expect(outcome(starter.start(order))).rejects.toThrow('ENOENT');
    }
    expect(await outcome(starter.start(shell('echo on')))).toMatchObject({ stdout: 'on\n', code: 0 });
  });

  it('ends what nobody reads, and a whole group by one signal', async () => {
    const starter = createStarter();
    await ready(starter);
    const unread = starter.start(shell('echo unread'));
    expect(await unread.closed).toEqual({ code: 0, killedBy: null });
    const group = starter.start(shell('sleep 1000 & echo $!; wait'));
    const child = Number(await firstLine(group));
    expect(isThere(child)).toBe(true);
    group.signal('SIGTERM');
    expect(await group.closed).toMatchObject({ killedBy: 'SIGTERM' });
    await gone(child);
    const atOnce = starter.start(shell('sleep 1000'));
    atOnce.signal('SIGKILL');
    expect(await atOnce.closed).toMatchObject({ killedBy: 'SIGKILL' });
  });

  it('lost, takes its programs with it; the next are started all the same', async () => {
    const starter = createStarter();
    const small = await ready(starter);
    const program = starter.start(shell('sleep 1000 & echo $!; wait'));
    const child = Number(await firstLine(program));
    process.kill(small, 'SIGKILL');
    expect(await program.closed).toEqual({ code: null, killedBy: 'SIGKILL' });
    await gone(child);
    expect(await outcome(starter.start(shell('echo here')))).toMatchObject({ stdout: 'here\n', code: 0 });
    expect(await ready(starter)).not.toBe(small);
  });

  it('that does not answer holds up nobody who kills his program', async () => {
    const starter = createStarter();
    const small = await ready(starter);
    process.kill(small, 'SIGSTOP');
    const program = starter.start(shell('sleep 600'));
    program.stdin.on('error', () => undefined);
    program.signal('SIGKILL');
    await expect(program.closed).rejects.toThrow('ended');
    await gone(small);
    expect(await outcome(starter.start(shell('echo here')))).toMatchObject({ stdout: 'here\n', code: 0 });
  });

  it('ends when it has had nothing to do, and is there again when it is needed', async () => {
    const starter = createStarter(100);
    const small = await ready(starter);
    await gone(small);
    expect(await parentOf(starter)).toBe(process.pid);
    expect(await ready(starter)).not.toBe(small);
  });

  it('ends with all that it started when whoever it works for is killed', async () => {
    const script = `
      import { createStarter } from ${JSON.stringify(join(import.meta.dirname, '../../src/git/starter.ts'))};
      const starter = createStarter();
      const start = (words) => starter.start({ file: '/bin/sh', args: ['-c', words], folder: '/', env: {} });
      const parent = async () => { let said = ''; const one = start('echo $PPID'); one.stdout.on('data', (data) => { said += data; }); await one.closed; return Number(said); };
      while ((await parent()) === process.pid);
      const last = start('sleep 1000 > /dev/null 2>&1 & echo $!; wait');
      const small = await parent();
      last.stdout.once('data', (data) => console.log(JSON.stringify([small, Number(data)])));
    `;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(owner.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(said.toString()) as readonly number[];
    expect(pids.map(isThere)).toEqual([true, true]);
    owner.kill('SIGKILL');
    for (const pid of pids) await gone(pid);
  });
});
