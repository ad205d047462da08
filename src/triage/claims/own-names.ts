// What a project is called, by its manifests, its tags and its folders.

import { isProgram } from '../own-code.ts';
import { type Ground, getFileName } from '../paths.ts';
import { GENERIC, isOfRuntime } from './claim.ts';

/** A tag of a release: `v1.2.3`, `shop-1.2.3`, `shop@1.2.3`, `rel/1.2`. */
const RELEASE = /^(?:(?<name>[A-Za-z][\w@/.-]*?)[-@/_])?v?(?<number>\d+\.\d+(?:\.\d+)*)$/;

const NO_NAME = /^(?:lib|include|packages|sources?|release|releases|version|rel|tags?|stable|apache|google|github)$/;

/** The number of the release that a tag is of; "": of none. */
export function readRelease(tag: string): string {
  return RELEASE.exec(tag)?.groups?.['number'] ?? '';
}

/** In small letters. */
export function listProjectNames({ packages, index }: Ground, tags: readonly string[]): readonly string[] {
  const tagged = Map.groupBy(tags, (tag) => RELEASE.exec(tag)?.groups?.['name'] ?? '');
  const names = [
    ...packages.map(({ name }) => getFileName(name)),
    ...[...tagged].flatMap(([name, all]) => (all.length >= 3 ? [getFileName(name)] : [])),
    ...listMainFolders(index.paths.filter(isProgram)),
  ].map((name) => name.toLowerCase());
  const isName = (name: string) => name.length > 3 && !GENERIC.test(name) && !isOfRuntime(name) && !NO_NAME.test(name);
  return [...new Set(names)].filter((name) => isName(name) || (name.length > 1 && tagged.has(name)));
}

/** The innermost of the folders that hold a third of all programs. */
function listMainFolders(programs: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of programs) {
    const folders = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= Math.min(6, folders.length); depth += 1) {
      const folder = folders.slice(0, depth).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const main = [...counts].flatMap(([folder, count]) => (count * 3 >= programs.length ? [folder] : []));
  return main.filter((folder) => !main.some((other) => other.startsWith(`${folder}/`))).map(getFileName);
}

/** Whether a program at the root, or in the first folder of the sources, is called so. */
export function hasMainFile({ index }: Ground, name: string): boolean {
  const stem = `${name}.`;
  return (
    name.length > 1 &&
    !GENERIC.test(name) &&
    index.paths.some((path) => {
      const file = getFileName(path).toLowerCase();
      return file.startsWith(stem) && path.split('/').length <= 2 && isProgram(path);
    })
  );
}
