// The image without a container runtime: the tree that the Dockerfile describes, entered as a runtime would enter it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const NEEDED = ['unshare', 'setpriv', 'chroot', 'mount', 'npm'];

/** The instructions of the Dockerfile, continued lines joined. */
export function instructions(): readonly { readonly verb: string; readonly rest: string }[] {
  const text = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8').replaceAll(/^#.*\n/gm, '');
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ verb: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }));
}

/** Why it cannot be entered here; empty: it can. Mounts of one's own need root. */
export function missingForImage(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const missing = NEEDED.filter((name) => !onPath(name));
  return missing.length === 0 ? '' : `needs ${missing.join(', ')}`;
}

function onPath(name: string): boolean {
  return `${process.env['PATH']}:/usr/sbin:/sbin`.split(':').some((folder) => existsSync(path.join(folder, name)));
}

export interface Image {
  /** What is `/causeway` there. */
  readonly tree: string;
  /** What the image sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly user: number;
}

/** Installs and copies into `folder` what the Dockerfile does, by its own lines. */
export function buildImage(folder: string): Image {
  const tree = path.join(folder, 'causeway');
  mkdirSync(tree);
  const lines = instructions();
  const last = lines.findLastIndex(({ verb }) => verb === 'FROM');
  for (const { verb, rest } of lines.slice(0, last)) {
    if (verb === 'COPY') copy(rest.split(' '), tree);
    if (verb === 'RUN') execFileSync('sh', ['-c', `${rest} --prefer-offline`], { cwd: tree, stdio: 'pipe' });
  }
  for (const made of ['package-lock.json', '.npmrc']) execFileSync('rm', [path.join(tree, made)]);
  for (const { verb, rest } of lines.slice(last)) {
    if (verb === 'COPY' && !rest.startsWith('--from=packages')) copy(rest.split(' '), tree);
  }
  const set = lines.filter(({ verb }) => verb === 'ENV').flatMap(({ rest }) => rest.split(' '));
  const user = lines.findLast(({ verb }) => verb === 'USER')?.rest ?? '0';
  return {
    tree,
    env: Object.fromEntries(set.map((pair) => pair.split('=') as [string, string])),
    user: Number.parseInt(user, 10),
  };
}

function copy(names: readonly string[], tree: string): void {
  const to = path.join(tree, names.at(-1) ?? '');
  for (const name of names.slice(0, -1)) {
    const isInto = names.length > 2 || names.at(-1) === './';
    cpSync(path.join(ROOT, name), isInto ? path.join(to, name) : to, { recursive: true });
  }
}

/** Only `/data` can be written; no capability, none to be had; own processes, of which it is the first. */
const ENTER = `set -eu
new=$1; tree=$2; node=$3; data=$4; project=$5; user=$6; shift 6
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$new"
shown() { mkdir -p "$new$2"; mount --rbind "$1" "$new$2"; mount -o "remount,$3,bind" "$new$2"; }
for each in usr bin sbin lib lib64 etc; do [ ! -e "/$each" ] || shown "/$each" "/$each" ro; done
shown "$tree" /causeway ro
shown "$node" /node ro
shown "$project" /projects/shop ro
shown "$data" /data rw
mkdir "$new/dev" "$new/proc" "$new/tmp"
for each in null zero random urandom; do : > "$new/dev/$each"; mount --bind "/dev/$each" "$new/dev/$each"; done
mount -t proc proc "$new/proc"
mount -o remount,ro "$new"
exec chroot "$new" setpriv --reuid="$user" --regid="$user" --clear-groups --inh-caps=-all --ambient-caps=-all \\
  --bounding-set=-all --no-new-privs sh -c 'cd /causeway && exec "$@"' enter "$@"
`;

export interface Entry {
  /** A repository, shown as /projects/shop. */
  readonly project: string;
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command in there, as the image's user. `mounts` is an empty folder for the new root. */
export function enterImage(image: Image, mounts: string, entry: Entry, command: readonly string[]): ChildProcess {
  chownSync(entry.data, image.user, image.user);
  const node = path.dirname(process.execPath);
  const folders = [mounts, image.tree, node, entry.data, entry.project, String(image.user)];
  const env = { ...image.env, HOME: '/', PATH: '/node:/usr/sbin:/usr/bin:/sbin:/bin', ...entry.env };
  const flags = ['--mount', '--pid', '--fork', '--kill-child'];
  return spawn('unshare', [...flags, 'sh', '-c', ENTER, 'enter', ...folders, ...command], {
    ...{ cwd: tmpdir(), env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The process in there, seen from here: `unshare` only waits for it. */
export function innerProcess(outer: ChildProcess): number {
  const children = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
  return Number(children.split(' ')[0]);
}
