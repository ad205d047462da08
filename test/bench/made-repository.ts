// A repository made by rule: always the same files, history and sizes for the same number of files, packed as a server keeps it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gitIn } from '../../packages/git-objects/test/git-repository.ts';

export interface MadeRepository {
  readonly gitDir: string;
  readonly files: number;
  /** A report of something that failed there; another place for another number. */
  report(number: number): { readonly title: string; readonly body: string };
}

const COMMITS = 200;
/** The first commit brings these; the others add the rest and change what is there. */
const AT_FIRST = 0.6;
const CHANGED_PER_COMMIT = 4;
const AREAS = ['billing', 'orders', 'search', 'users', 'stock', 'mail', 'reports', 'admin', 'api', 'jobs'];
const WORDS = 'amount balance cart customer discount entry filter group invoice label market notice offer price'.split(
  ' ',
);
const VERBS = ['apply', 'build', 'check', 'find', 'load', 'merge', 'parse', 'read', 'send', 'sort', 'store', 'update'];

/** Kept in the folder for temporary files: one of 40,000 files takes most of a minute to make. */
export async function keptRepository(files: number): Promise<MadeRepository> {
  const folder = path.join(tmpdir(), 'causeway-made-repositories');
  await mkdir(folder, { recursive: true });
  return await makeRepository(folder, files);
}

async function makeRepository(folder: string, files: number): Promise<MadeRepository> {
  const gitDir = path.join(folder, `made-${files}.git`);
  if (!existsSync(gitDir)) {
    const partial = `${gitDir}.partial`;
    await rm(partial, { recursive: true, force: true });
    await gitIn(folder, 'init', '--quiet', '--bare', '--initial-branch=main', partial);
    await importInto(partial, files);
    // As a server that serves many fetches has it.
    await gitIn(partial, 'repack', '-a', '-d', '-f', '-q', '--write-bitmap-index');
    await rename(partial, gitDir);
  }
  return { gitDir, files, report: (number) => reportOf(files, number) };
}

async function importInto(gitDir: string, files: number): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: gitDir, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await pipeline(history(files), child.stdin);
  const code = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

function* history(files: number): Generator<string> {
  const start = Math.floor(files * AT_FIRST);
  const random = randomOf(files);
  for (let commit = 0; commit < COMMITS; commit++) {
    const from = commit === 0 ? 0 : start + Math.floor(((files - start) * (commit - 1)) / (COMMITS - 1));
    const to = commit === 0 ? start : start + Math.floor(((files - start) * commit) / (COMMITS - 1));
    const message = `Work on ${WORDS[commit % WORDS.length]} (${commit})`;
    yield `commit refs/heads/main\ncommitter Robin <robin@example.com> ${1_700_000_000 + commit * 7_200} +0000\n`;
    yield `data ${message.length}\n${message}\n`;
    for (let file = from; file < to; file++) yield written(file, 0);
    for (let changed = 0; commit > 0 && changed < CHANGED_PER_COMMIT; changed++) {
      yield written(Math.floor(random() * from), commit);
    }
    yield '\n';
  }
}

function written(file: number, version: number): string {
  const text = textOf(file, version);
  return `M 100644 inline ${pathOf(file)}\ndata ${text.length}\n${text}\n`;
}

/** About twenty files a folder. */
function pathOf(file: number): string {
  const area = AREAS[file % AREAS.length];
  const folder = Math.floor(file / (AREAS.length * 20));
  const word = WORDS[file % WORDS.length];
  const verb = VERBS[Math.floor(file / WORDS.length) % VERBS.length];
  return `src/${area}/${WORDS[folder % WORDS.length]}-${folder}/${verb}-${word}-${file}.ts`;
}

/** ASCII; between 0.3 and 40 kB, half of the files below 3 kB. */
function textOf(file: number, version: number): string {
  const random = randomOf(file + 1);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const size = Math.min(40_000, 300 + Math.floor(2_700 * Math.exp(1.1 * (random() + random() + random() - 1.5) * 2)));
  let text = `// Part ${file} of ${AREAS[file % AREAS.length]}, version ${version}.\n`;
  for (let row = 0; text.length < size; row++) {
    const [one, two, verb] = [pick(WORDS), pick(WORDS), pick(VERBS)];
    text += `\nexport function ${nameIn(file, row)}(${one}: number, ${two}: string): number {\n`;
    text += `  if (${two}.length > ${Math.floor(random() * 900)}) return ${one} * ${Math.floor(random() * 90)};\n`;
    text += `  const ${verb}ed = ${verb}${pick(WORDS)}(${one}, '${pick(WORDS)} ${Math.floor(random() * 1e6)}');\n`;
    text += `  return ${verb}ed + ${Math.floor(random() * 1e4)};\n}\n`;
  }
  return text;
}

function nameIn(file: number, row: number): string {
  return `${VERBS[row % VERBS.length]}${file}Row${row}`;
}

function reportOf(files: number, number: number): { readonly title: string; readonly body: string } {
  const places = [0, 1, 2].map((step) => Math.floor(files * ((0.17 + 0.29 * step + 0.037 * number) % 1)));
  const frames = places.map((file) => `    at ${nameIn(file, 0)} (/srv/app/${pathOf(file)}:5:12)`);
  const body = [
    `Since the last release the job for ${WORDS[number % WORDS.length]} ${number} stops. It went well before.`,
    ...['', '```', `TypeError: Cannot read properties of undefined (reading 'length${number}')`, ...frames, '```'],
  ];
  return { title: `Job ${number} stops with a TypeError`, body: body.join('\n') };
}

/** Numbers from 0 to 1, the same for the same seed (xorshift). */
function randomOf(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    return state / 2 ** 32;
  };
}
