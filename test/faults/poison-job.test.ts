// A job that kills its process, exhausts its memory or blocks its event loop: it is buried in the end, and no other job with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { job } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';

const CHILD = path.join(import.meta.dirname, '..', 'support', 'poison-child.ts');
const OTHERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** What the worker said in one life. */
async function life(harm: string, file: string): Promise<readonly string[]> {
  const args = ['--no-warnings', '--max-old-space-size=96', CHILD, harm, file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said.split('\n').filter((line) => line !== '');
}

/** Lives until one has nothing left to do. */
async function lives(harm: string): Promise<readonly (readonly string[])[]> {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  {
    await using opened = await openSqlite(file);
    await opened.enqueue(job('poison'), ...OTHERS.map((subject) => job(subject)));
  }
  const all: (readonly string[])[] = [];
  while (all.length < 40 && all.at(-1)?.at(-1) !== 'idle') all.push(await life(harm, file));
  return all;
}

it.each(['die', 'exhaust'])(
  'a job that makes its process %s is buried after twelve tries, and all others are done',
  async (harm) => {
    const all = await lives(harm);
    const said = all.flat();
    expect(said.filter((line) => line.startsWith('dead'))).toEqual(['dead poison']);
    expect(said.filter((line) => line.startsWith('done')).toSorted()).toEqual(
      OTHERS.map((subject) => `done ${subject}`),
    );
    expect(said.filter((line) => line.startsWith('try poison'))).toHaveLength(12);
    // From the third end on they are tried one at a time, the least tried first: nobody has to wait for the burial.
    expect(said.indexOf('dead poison')).toBeGreaterThan(
      Math.max(...OTHERS.map((subject) => said.indexOf(`done ${subject}`))),
    );
    const tries = said.filter((line) => line.startsWith('try') && !line.startsWith('try poison'));
    expect(Math.max(...tries.map((line) => Number(line.split(' ')[2])))).toBeLessThan(6);
  },
);

it('a job that blocks the event loop for a minute is done once, keeps its claim, and all others are done', async () => {
  const all = await lives('block');
  expect(all).toHaveLength(1);
  const done = all.flat().filter((line) => line.startsWith('done'));
  expect(done.toSorted()).toEqual([...OTHERS, 'poison'].map((subject) => `done ${subject}`).toSorted());
});
