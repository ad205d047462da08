// What a run asks of git, written down call by call, and the same calls made bare, one after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Each a git process with all that it was given. */
export interface RecordedCall {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** File of its standard input. */
  readonly input: string;
}

export interface GitRecord {
  /** A PATH in which a git stands that writes down how it is called, and does what git does. */
  readonly searchPath: string;
  /** What was called so far, in order. */
  calls(): Promise<readonly RecordedCall[]>;
}

/** Makes the recording git in `folder`. */
export async function recordGit(folder: string): Promise<GitRecord> {
  const [bin, record] = [path.join(folder, 'bin'), path.join(folder, 'calls')];
  await mkdir(bin, { recursive: true });
  await mkdir(record, { recursive: true });
  const searchPath = process.env['PATH'] ?? '';
  const program = path.join(bin, 'git');
  await writeFile(program, script(record, searchPath));
  await chmod(program, 0o755);
  return { searchPath: `${bin}${path.delimiter}${searchPath}`, calls: () => callsIn(record) };
}

/** The real git is found by the PATH of now; `tee` passes on what is asked while the process runs. */
function script(record: string, searchPath: string): string {
  return `#!/bin/sh
call='${record}/'$(date +%s%N)-$$
for word; do printf '%s\\0' "$word"; done > "$call.args"
pwd > "$call.folder"
env -0 > "$call.env"
PATH='${searchPath}'
tee "$call.input" | git "$@"
`;
}

async function callsIn(record: string): Promise<readonly RecordedCall[]> {
  const names = (await readdir(record)).filter((name) => name.endsWith('.args')).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const file = path.join(record, name.replace(/\.args$/, ''));
      const words = async (kind: string) => (await readFile(`${file}.${kind}`, 'utf8')).split('\0').slice(0, -1);
      const variables = (await words('env')).map((line) => [
        line.slice(0, line.indexOf('=')),
        line.slice(line.indexOf('=') + 1),
      ]);
      const folder = (await readFile(`${file}.folder`, 'utf8')).trim();
      const env: Readonly<Record<string, string>> = Object.fromEntries(variables);
      const { GIT_DIR: gitDir } = env;
      return {
        ...{ args: await words('args'), folder: lastName(folder), input: `${file}.input` },
        env: gitDir === undefined ? env : { ...env, GIT_DIR: lastName(gitDir) },
      };
    }),
  );
}

/** A mirror is made under another name than the one that it keeps. */
function lastName(folder: string): string {
  return folder.replace(/\.partial-\w+$/, '');
}

/** Milliseconds of all of them together. */
export async function replayed(calls: readonly RecordedCall[]): Promise<number> {
  let ms = 0;
  for (const call of calls) ms += await replayedOne(call);
  return ms;
}

async function replayedOne({ args, folder, env, input }: RecordedCall): Promise<number> {
  const begun = performance.now();
  const PATH = process.env['PATH'] ?? '';
  const child = spawn('git', [...args], { cwd: folder, env: { ...env, PATH }, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  // One that has what it wants does not read the rest.
  const asked = pipeline(createReadStream(input), child.stdin).catch(() => undefined);
  await Promise.all([asked, pipeline(child.stdout, createWriteStream('/dev/null')), ended]);
  return performance.now() - begun;
}
