// Installed packages: their source is no part of a repository, so a lookup in one is answered with the version that is installed.

import type { EditedTree } from './overlay.ts';

/** Where a lock file or manifest names a version of the package; null: none does. */
export type FindInstalled = (
  name: string,
  signal: AbortSignal,
) => Promise<{ readonly file: string; readonly version: string } | null>;

export const NOTHING_INSTALLED: FindInstalled = async () => null;

/** Each with the name of its package, wherever such a folder lies. */
const FOLDERS: readonly RegExp[] = [
  /(?:^|\/)node_modules\/((?:@[\w.-]+\/)?[\w.-]+)/,
  /(?:^|\/)(?:site|dist)-packages\/([\w-]+)/,
  /(?:^|\/)pkg\/mod\/([^@]{1,300})@/,
  /(?:^|\/)gems\/([\w-]+?)-\d/,
];

/** May also hold what a project wrote itself. */
const VENDORED: readonly RegExp[] = [
  /(?:^|\/)vendor\/([\w-]+\.[\w.-]+(?:\/[\w.-]+){2})/,
  /(?:^|\/)vendor\/([\w.-]+\/[\w.-]+)/,
];

/** What is said of a path at which nothing is; "": it is in no installed package, or in one that the commit has. */
export async function explainInstalled(
  path: string,
  { source, find }: { readonly source: Pick<EditedTree, 'entries'>; readonly find: FindInstalled },
  signal: AbortSignal,
): Promise<string> {
  const packages = [...FOLDERS, ...VENDORED].flatMap((folder) => {
    const match = folder.exec(path);
    const isSure = FOLDERS.includes(folder);
    return match?.[1] === undefined
      ? []
      : [{ name: match[1], root: path.slice(0, match.index + match[0].length), isSure }];
  });
  const [first] = packages;
  const entries = first === undefined ? [] : await source.entries(signal);
  if (first === undefined || packages.some(({ root }) => entries.some((entry) => entry.path.startsWith(`${root}/`))))
    return '';
  for (const { name } of packages) {
    const installed = await find(name, signal);
    if (installed !== null)
      return `${path} is of ${name} ${installed.version} (by ${installed.file}), a dependency: its source isn't available here.`;
  }
  if (!first.isSure) return '';
  return `${path} is of ${first.name}, a dependency whose version no lock file in the root names: its source isn't available here.`;
}
