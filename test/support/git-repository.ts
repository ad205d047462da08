// Real git repositories for tests: built in a temporary folder, removed at the end.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

  function run(
    args: readonly string[],
    more: { readonly input?: Buffer; readonly date?: string; readonly author?: string } = {},
  ) {
    clock += 60_000;
    const date = more.date === undefined ? new Date(clock).toISOString() : new Date(more.date).toISOString();
    return execFileSync('git', [...args], {
      cwd: path,
      input: more.input ?? '',
      maxBuffer: 1024 ** 3,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...ENVIRONMENT,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        ...(more.author === undefined ? {} : { GIT_AUTHOR_NAME: more.author }),
      },
    })
      .toString('utf8')
      .trim();
  }

  run(['init', '--quiet', '--initial-branch=main', '.']);
  return {
    path,
    git: (...args) => run(args),
    async commit(files, message, more = {}) {
      if (more.branch !== undefined) run(['switch', '--quiet', more.branch]);
      for (const [name, content] of Object.entries(files)) await place(join(path, name), content);
      run(['add', '--all', '.']);
      // Each commit would start another process to look whether there is something to tidy up.
      run(['-c', 'maintenance.auto=false', 'commit', '--quiet', '--allow-empty', '-m', message], more);
      return run(['rev-parse', 'HEAD']);
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
