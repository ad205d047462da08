// Where the program finds its own files and keeps its records: in a clone, and, built, on each platform.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findDefaultDataDir, findUserDataDir, INSTALLATION, locate, locateOfPackage } from '../src/installation.ts';

const ROOT = path.join(import.meta.dirname, '..');

it('a clone has its files where the source names them, and keeps its records with the installation', () => {
  expect(INSTALLATION).toBe(ROOT);
  expect(fileURLToPath(locate('../app.yml', import.meta.url))).toBe(path.join(ROOT, 'app.yml'));
  expect(existsSync(locateOfPackage('web-tree-sitter/web-tree-sitter.wasm'))).toBe(true);
  const environment = { XDG_STATE_HOME: '/elsewhere', LOCALAPPDATA: '/elsewhere' };
  expect(findDefaultDataDir(environment, '/home/mara')).toBe(path.join(ROOT, 'data'));
});

it.each([
  ['linux', {}, '/home/mara', '/home/mara/.local/state/causeway'],
  ['linux', { XDG_STATE_HOME: '/var/mara' }, '/home/mara', '/var/mara/causeway'],
  ['linux', { XDG_STATE_HOME: '' }, '/home/mara', '/home/mara/.local/state/causeway'],
  // https://specifications.freedesktop.org/basedir-spec/: a relative path is invalid and is ignored.
  ['linux', { XDG_STATE_HOME: 'state' }, '/home/mara', '/home/mara/.local/state/causeway'],
  ['darwin', {}, '/Users/mara', '/Users/mara/Library/Application Support/causeway'],
  ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\mara', 'D:\\Local\\causeway'],
  ['win32', {}, 'C:\\Users\\mara', 'C:\\Users\\mara\\AppData\\Local\\causeway'],
] as const)('a package on %s with %o keeps them with its user', (platform, environment, home, folder) => {
  expect(findUserDataDir(platform, environment, home)).toBe(folder);
});
