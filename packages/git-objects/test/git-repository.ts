// Real git repositories for tests: built in a temporary folder, removed at the end.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';

interface CommitOptions {
  readonly author?: string;
  /** Anything `new Date` takes; commits without one are a minute apart from 2024-01-01 on. */
  readonly date?: string;
  /** Branch to commit to; default the current one. */
  readonly branch?: string;
}

/** One entry whose name may be any bytes: `mode` is git's (100644, 100755, 120000, 160000; for the last, `content` is a sha). */
interface RawEntry {
  readonly name: Buffer | string;
  readonly content: Buffer | string;
  readonly mode?: string;
}

export interface GitRepository extends AsyncDisposable {
  /** Work tree; its `.git` is the repository. */
  readonly path: string;
  /** Writes files (null deletes) into the work tree and commits them; returns the sha. */
  commit(
    files: Readonly<Record<string, string | Buffer | null>>,
    message: string,
    options?: CommitOptions,
  ): Promise<string>;
  /** Commits entries straight into the object store, without a work tree, on `refs/heads/<branch>`; replaces the whole tree. */
  commitRaw(entries: readonly RawEntry[], message: string, branch?: string): string;
  tag(name: string, options?: { readonly message?: string; readonly at?: string }): void;
  /** Makes a branch at `at` (default HEAD) without switching to it. */
  branch(name: string, at?: string): void;
  /** Runs any git command in the work tree and returns what it printed, trimmed. */
  git(...args: string[]): string;
}

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** An empty repository with the branch `main`. `await using repo = await gitRepository()`. */
export async function gitRepository(options: { readonly folder?: string } = {}): Promise<GitRepository> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-repo-')));
  const path = join(root, options.folder ?? 'project');
  await mkdir(path, { recursive: true });
  let clock = Date.UTC(2024, 0, 1);

  interface RunOptions {
    readonly input?: Buffer;
    readonly date?: string;
    readonly author?: string;
  }

  function environmentOf({ date, author }: RunOptions): Readonly<Record<string, string | undefined>> {
    clock += 60_000;
    const at = new Date(date ?? clock).toISOString();
    const name = author === undefined ? {} : { GIT_AUTHOR_NAME: author };
    return { ...ENVIRONMENT, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, ...name };
  }

  function run(args: readonly string[], more: RunOptions = {}): string {
    const options = { cwd: path, env: environmentOf(more), maxBuffer: 1024 ** 3, input: more.input ?? '' };
    return execFileSync('git', [...args], { ...options, stdio: 'pipe' })
      .toString('utf8')
      .trim();
  }

  async function runLater(args: readonly string[], more: RunOptions = {}): Promise<void> {
    const { code, stderr } = await runGit(args, { cwd: path, env: environmentOf(more) });
    if (code !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  }

  await writeEmpty(join(path, '.git'));
  return {
    path,
    git: (...args) => run(args),
    async commit(files, message, more = {}) {
      if (more.branch !== undefined) await runLater(['switch', '--quiet', more.branch]);
      for (const [name, content] of Object.entries(files)) await place(join(path, name), content);
      await runLater(['add', '--all', '.']);
      // Each commit would start another process to look whether there is something to tidy up.
      await runLater(['-c', 'maintenance.auto=false', 'commit', '--quiet', '--allow-empty', '-m', message], more);
      const head = readFileSync(join(path, '.git/HEAD'), 'utf8').trim();
      if (!head.startsWith('ref: ')) return head;
      return readFileSync(join(path, '.git', head.slice('ref: '.length)), 'utf8').trim();
    },
    commitRaw(entries, message, branch = 'main') {
      clock += 60_000;
      run(['fast-import', '--quiet', '--force'], {
        input: fastImport(entries, message, { branch, seconds: clock / 1_000 }),
      });
      return run(['rev-parse', `refs/heads/${branch}`]);
    },
    tag(name, more = {}) {
      const annotation = more.message === undefined ? [] : ['-a', '-m', more.message];
      run(['tag', ...annotation, name, more.at ?? 'HEAD']);
    },
    branch: (name, at = 'HEAD') => void run(['branch', '--force', name, at]),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  };
}

/** What `git init` makes: a few files cost less than a process. */
async function writeEmpty(gitDir: string): Promise<void> {
  for (const folder of ['info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    await mkdir(join(gitDir, folder), { recursive: true });
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  const core = ['repositoryformatversion = 0', 'filemode = true', 'bare = false', 'logallrefupdates = true'];
  await writeFile(join(gitDir, 'config'), `[core]\n${core.map((line) => `\t${line}\n`).join('')}`);
}

/** Git in a folder, without the machine's configuration; what it printed, without spaces at its ends. */
export async function gitIn(folder: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runGit(args, { env: ENVIRONMENT, cwd: folder });
  if (code !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.toString().trim();
}

interface GitEnd {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Runs git to its end. A program that ended before it read all of its input says so by its exit code. */
async function runGit(
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd?: string;
    readonly input?: Buffer | string;
  },
): Promise<GitEnd> {
  const child = spawn('git', args, { cwd: options.cwd, env: options.env });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  return { code, stdout, stderr };
}

async function place(file: string, content: string | Buffer | null): Promise<void> {
  if (content === null) {
    rmSync(file, { recursive: true, force: true });
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** The commands of `git fast-import` for one commit with exactly these entries. */
function fastImport(
  entries: readonly RawEntry[],
  message: string,
  at: { readonly branch: string; readonly seconds: number },
): Buffer {
  const parts: Buffer[] = [];
  const text = (value: string) => parts.push(Buffer.from(value));
  text(`commit refs/heads/${at.branch}\ncommitter Ada Example <ada@example.com> ${Math.trunc(at.seconds)} +0000\n`);
  text(`data ${Buffer.byteLength(message)}\n${message}\ndeleteall\n`);
  for (const { name, content, mode = '100644' } of entries) {
    const bytes = Buffer.from(content);
    text(`M ${mode} ${mode === '160000' ? bytes.toString('latin1') : 'inline'} `);
    parts.push(quoted(Buffer.from(name)));
    if (mode === '160000') text('\n');
    else parts.push(Buffer.from(`\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

/** A C-style quoted name: every byte but plain ASCII in octal. */
function quoted(name: Buffer): Buffer {
  const letters = Array.from(name, (byte) =>
    byte > 32 && byte < 127 && byte !== 34 && byte !== 92
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  );
  return Buffer.from(`"${letters.join('')}"`);
}
