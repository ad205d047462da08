// Installs the tarball of `npm run pack:release` into an empty folder, as its users do: no link, from the registry.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './build-program.ts';

/** Packs first. Gives the folder, which the caller removes, and that of the package within it. */
export function installPacked(): { readonly folder: string; readonly installed: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-packed-'));
  const run = (program: string, args: readonly string[], cwd: string) =>
    execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run(process.execPath, [path.join(import.meta.dirname, 'pack-release.ts')], ROOT);
  const [tarball = ''] = globSync(path.join(ROOT, 'release', '*.tgz'));
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', tarball], folder);
  const { name } = JSON.parse(readFileSync(path.join(ROOT, 'release', 'package', 'package.json'), 'utf8'));
  return { folder, installed: path.join(folder, 'node_modules', name) };
}
